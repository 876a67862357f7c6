"""Lesson 14: its engine against PyTorch, its checks against wrong attempts, and the trace of an
engine of one's own.
"""

import ast
import inspect
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
import torch

from autograd_core.lessons import own_engine
from autograd_core.lessons.own_engine import Function, Tensor
from autograd_core.lessons.own_trace import trace_own
from autograd_core.parity import watching
from autograd_core.trace import difference, names_in, trace
from autograd_core.widgets import watch
from autograd_core.widgets.kit.agreement import close
from notebooks.authoring import refresh
from notebooks.authoring.exercises import solved
from tests.lessons.test_own_parts import backward

LESSON = refresh.NOTEBOOKS / "14_build_your_own.ipynb"
# the learner's functions, and the methods they become
PARTS = {"mul": "__mul__", "backward": "backward", "fit": "fit"}


def definitions(tree):
    """{class or method: its code without docstring} of all that a module or the lesson defines; the
    last one counts.
    """
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found |= {
                f"{node.name}.{inner.name}": bare(inner)
                for inner in node.body
                if isinstance(inner, ast.FunctionDef)
            }
        elif isinstance(node, ast.FunctionDef) and node.name in PARTS:
            found[f"Tensor.{PARTS[node.name]}"] = bare(node)
    return found


def bare(function):
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return ast.dump(function.args), [ast.dump(statement) for statement in body]


def test_the_engine_is_short():
    assert sum(bool(line.strip()) for line in inspect.getsource(own_engine).splitlines()) < 150


def test_what_the_lesson_shows_of_the_engine_is_as_it_is():
    """The operations beside `*` are given: what records, walks back and sums is written in the
    lesson.
    """
    cells = [
        cell.source
        for cell in solved(nbformat.read(LESSON, as_version=4)).cells
        if cell.cell_type == "code"
    ]
    shown = definitions(
        ast.parse("\n".join(source for source in cells if not source.startswith(("%", "predict"))))
    )
    engine = definitions(ast.parse(inspect.getsource(own_engine)))
    told = {*"__init__ lift record send graph backward fit __mul__".split()}
    assert {name for name in engine if shown.get(name) == engine[name]} >= {
        f"Tensor.{name}" for name in told
    }
    assert [name for name in engine if name in shown and shown[name] != engine[name]] == []


# ---- the engine against PyTorch: values, gradients, and the whole trace --------------------------


def picked(x):
    return x[[0, 0, 2]][:, [1, 2]]


PROGRAMS = {
    "sum": lambda x, y: (x + y).sum(),
    "difference": lambda x, y: ((x - y) ** 2).mean(),
    "product": lambda x, y: (x * y * x).mean(),
    "quotient": lambda x, y: (x / (y**2 + 1.0)).mean(),
    "matrices": lambda x, y: ((x @ y) ** 2).mean(),
    "exp and log": lambda x, y: ((x.exp() + y.exp()).log() * x).mean(),
    "relu": lambda x, y: (x.relu() * y).sum(),
    "clamp": lambda x, y: (x.clamp(-0.5, 0.5) * y).mean(),
    "rows": lambda x, y: (x.sum(1) * y.sum(0, keepdim=True)).mean(),
    "largest": lambda x, y: (x.amax(1, keepdim=True) * y + y.amax(0)).mean(),
    "indices": lambda x, y: (picked(x) * picked(y)).mean(),
    "a number": lambda x, y: (x * 2.0 + y - 1.0).mean(),
}


def both_losses(program):
    arrays = np.random.default_rng(0).normal(size=(2, 3, 3))
    own = [Tensor(array, requires_grad=True) for array in arrays]
    theirs = [torch.tensor(array, requires_grad=True) for array in arrays]
    with watching():
        loss = program(*theirs)
    return (program(*own), own), (loss, theirs)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_every_operation_has_pytorchs_value_gradient_and_trace(program):
    (loss, own), (theirs, leaves) = both_losses(program)
    assert difference(trace_own(loss), trace(theirs), close) is None
    loss.backward()
    theirs.backward()
    np.testing.assert_allclose(loss.data, theirs.item(), rtol=0, atol=1e-12)
    for mine, leaf in zip(own, leaves):
        np.testing.assert_allclose(mine.grad, leaf.grad.numpy(), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "shapes",
    [((2, 3), (3,)), ((2, 3), (2, 1)), ((2, 1), (1, 3)), ((), (2, 3)), ((0, 3), (1, 3))],
    ids=str,
)
def test_broadcasting_is_undone(shapes):
    arrays = [np.random.default_rng(0).normal(size=shape) for shape in shapes]
    own = [Tensor(array, requires_grad=True) for array in arrays]
    theirs = [torch.tensor(array, requires_grad=True) for array in arrays]
    for x, y in (own, theirs):
        (x * y + x).sum().backward()
    for mine, leaf in zip(own, theirs):
        np.testing.assert_allclose(mine.grad, leaf.grad.numpy(), rtol=0, atol=1e-12)


def test_grad_grows_and_constants_record_nothing():
    w = Tensor([1.0, 2.0], requires_grad=True)
    for _ in range(2):
        (w * 3).sum().backward()
    assert w.grad.tolist() == [6.0, 6.0]
    assert (
        (Tensor([1.0]) * 2).inputs == ()
        and w.detach().inputs == ()
        and not w.detach().requires_grad
    )


def test_an_array_on_the_left_is_refused():
    with pytest.raises(TypeError, match=r"unsupported operand|not implemented for NumPy arrays"):
        np.ones(2) + Tensor([1.0, 2.0])


class Cubed:
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * x * x * weight

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        return gradient * x * x * weight * 3.0, None


def test_a_function_written_for_pytorch_runs_and_has_its_trace():
    cubed = {
        base: type("Cubed", (Cubed, base), {}).apply for base in (Function, torch.autograd.Function)
    }
    x, t = (
        Tensor([1.0, -2.0], requires_grad=True),
        torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True),
    )
    mine = cubed[Function](x, Tensor([1.0, 0.5])).sum()
    with watching():
        theirs = cubed[torch.autograd.Function](
            t, torch.tensor([1.0, 0.5], dtype=torch.float64)
        ).sum()
    mine_traced = trace_own(mine, {"x": x})
    assert [node.name for node in mine_traced.nodes] == [
        "AccumulateGrad",
        "CubedBackward",
        "SumBackward0",
    ]
    assert difference(mine_traced, trace(theirs, names_in({"x": t})), close) is None


# ---- the trace of an engine of one's own ---------------------------------------------------------


def test_a_trace_leaves_gradients_and_tensors_as_they_were():
    x = Tensor([1.0, 2.0], requires_grad=True)
    x.grad = before = np.array([5.0, 6.0])
    loss = (x * x).sum()
    traced = trace_own(loss, {"x": x, "other": 3})
    assert x.grad is before and "send" not in vars(loss) and traced.nodes[0].label == "x"
    assert [event.kind for event in traced.events] == [
        "forward",
        "forward",
        "loss",
        "backward",
        "backward",
        "accumulate",
    ]
    np.testing.assert_array_equal(traced.events[-1].after, [2.0, 4.0])


def test_a_trace_holds_copies_of_gradients():
    """An engine may add to the same array again: a trace that held it would change after the fact."""
    x = Tensor([1.0, 2.0], requires_grad=True)
    x.grad = np.array([0.5, 0.5])
    loss = (x * x).sum()
    kept = trace_own(loss, {"x": x, "loss": loss})
    x.grad += 100
    [leaf] = [node for node in kept.nodes if node.kind == "leaf"]
    assert leaf.grad.tolist() == [0.5, 0.5]
    arrays = [
        array for event in kept.events for array in (event.before, event.after) if array is not None
    ]
    assert not any(np.shares_memory(array, x.grad) for array in arrays)


def test_a_bug_in_the_engine_is_seen_beside_pytorch():
    class Overwrites(Tensor):
        backward = backward(meet=lambda old, new: new)

    numbers = [1.0, 2.0]
    x, t = (
        Overwrites(numbers, requires_grad=True),
        torch.tensor(numbers, dtype=torch.float64, requires_grad=True),
    )
    with watching():
        theirs = (t * t).sum()
    with pytest.raises(
        AssertionError,
        match="the two engines did not do the same: event 6, accumulate at AccumulateGrad",
    ):
        watch(trace_own((x * x).sum()), theirs)


@pytest.mark.parametrize(
    "thing, error, message",
    [
        (3.0, TypeError, "float has no data, inputs, send, backward"),
        (SimpleNamespace(data=1, inputs=()), TypeError, "has no send, backward"),
        (
            Tensor([1.0], requires_grad=True),
            RuntimeError,
            "compute it from a tensor with requires_grad=True",
        ),
        (Tensor([1.0]) * 2, RuntimeError, "so there is no graph to show"),
    ],
)
def test_what_is_no_loss_of_an_engine_is_refused(thing, error, message):
    with pytest.raises(error, match=message):
        trace_own(thing)


def test_backward_that_raises_leaves_the_tensors_whole():
    class Stumbles(Tensor):
        def backward(self):
            self.send(np.ones_like(self.data))
            raise ZeroDivisionError

    x = Stumbles([1.0], requires_grad=True)
    x.grad = before = np.array([5.0])
    loss = x * x
    with pytest.raises(ZeroDivisionError):
        trace_own(loss)
    assert x.grad is before and "send" not in vars(loss)

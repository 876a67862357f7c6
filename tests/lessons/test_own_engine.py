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
    """{method: its code without docstring} of a module or the lesson; the last one counts."""
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
    """The operations other than `*` are given: the lesson writes what records, walks back and sums."""
    cells = solved(nbformat.read(LESSON, as_version=4)).cells
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    written = [source for source in code if not source.startswith(("%", "predict"))]
    shown = definitions(ast.parse("\n".join(written)))
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


def leaves_of(arrays):
    """Leaves of the engine, and of PyTorch."""
    return [[kind(each, requires_grad=True) for each in arrays] for kind in (Tensor, torch.tensor)]


def assert_same_gradients(own, theirs):
    for mine, leaf in zip(own, theirs):
        np.testing.assert_allclose(mine.grad, leaf.grad.numpy(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_every_operation_has_pytorchs_value_gradient_and_trace(program):
    arrays = np.random.default_rng(0).normal(size=(2, 3, 3))
    own, leaves = leaves_of(arrays)
    with watching():
        theirs = program(*leaves)
    loss = program(*own)
    assert difference(trace_own(loss), trace(theirs), close) is None
    loss.backward()
    theirs.backward()
    np.testing.assert_allclose(loss.data, theirs.item(), rtol=0, atol=1e-12)
    assert_same_gradients(own, leaves)


@pytest.mark.parametrize(
    "shapes",
    [((2, 3), (3,)), ((2, 3), (2, 1)), ((2, 1), (1, 3)), ((), (2, 3)), ((0, 3), (1, 3))],
    ids=str,
)
def test_broadcasting_is_undone(shapes):
    own, theirs = leaves_of([np.random.default_rng(0).normal(size=shape) for shape in shapes])
    for x, y in (own, theirs):
        (x * y + x).sum().backward()
    assert_same_gradients(own, theirs)


def test_grad_grows_and_constants_record_nothing():
    w = Tensor([1.0, 2.0], requires_grad=True)
    for _ in range(2):
        (w * 3).sum().backward()
    assert w.grad.tolist() == [6.0, 6.0]
    assert (Tensor([1.0]) * 2).inputs == w.detach().inputs == ()
    assert not w.detach().requires_grad


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
    bases, weight = (Function, torch.autograd.Function), np.array([1.0, 0.5])
    ours, of_torch = (type("Cubed", (Cubed, base), {}).apply for base in bases)
    (x,), (t,) = leaves_of([np.array([1.0, -2.0])])
    mine = trace_own(ours(x, Tensor(weight)).sum(), {"x": x})
    with watching():
        theirs = of_torch(t, torch.tensor(weight)).sum()
    assert [node.name for node in mine.nodes] == ["AccumulateGrad", "CubedBackward", "SumBackward0"]
    assert difference(mine, trace(theirs, names_in({"x": t})), close) is None


# ---- the trace of an engine of one's own ---------------------------------------------------------


def test_a_trace_leaves_gradients_and_tensors_as_they_were():
    x = Tensor([1.0, 2.0], requires_grad=True)
    x.grad = before = np.array([5.0, 6.0])
    loss = (x * x).sum()
    traced = trace_own(loss, {"x": x, "other": 3})
    assert x.grad is before and "send" not in vars(loss) and traced.nodes[0].label == "x"
    kinds = [event.kind for event in traced.events]
    assert kinds == ["forward"] * 2 + ["loss"] + ["backward"] * 2 + ["accumulate"]
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
    arrays = [array for event in kept.events for array in (event.before, event.after)]
    assert not any(np.shares_memory(array, x.grad) for array in arrays if array is not None)


def test_a_bug_in_the_engine_is_seen_beside_pytorch():
    class Overwrites(Tensor):
        backward = backward(meet=lambda old, new: new)

    numbers = np.array([1.0, 2.0])
    x, t = Overwrites(numbers, requires_grad=True), torch.tensor(numbers, requires_grad=True)
    with watching():
        theirs = (t * t).sum()
    told = "the two engines did not do the same: event 6, accumulate at AccumulateGrad"
    with pytest.raises(AssertionError, match=told):
        watch(trace_own((x * x).sum()), theirs)


@pytest.mark.parametrize(
    "thing, error, message",
    [
        (3.0, TypeError, "float has no data, inputs, send, backward"),
        (SimpleNamespace(data=1, inputs=()), TypeError, "has no send, backward"),
        (Tensor([1.0], requires_grad=True), RuntimeError, "compute it from a tensor with"),
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

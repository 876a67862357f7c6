"""Lesson 14: its own engine against PyTorch, the class that grows in the notebook, and traces of such
a class.
"""

import ast
import inspect
import sys
import types
import xml.etree.ElementTree as xml

import nbformat
import numpy as np
import pytest
import torch

from autograd_core.lessons import lesson_14, own_engine
from autograd_core.lessons.own_engine import Tensor
from autograd_core.lessons.own_trace import trace_own
from notebooks.authoring import refresh
from notebooks.authoring.exercises import solved

SVG = "{http://www.w3.org/2000/svg}"


def notebook():
    """The code cells of the lesson without its claims, with the answers in the stubs."""
    cells = solved(nbformat.read(refresh.NOTEBOOKS / "14_build_your_own.ipynb", as_version=4)).cells
    return [cell.source for cell in cells if cell.cell_type == "code"][:-1]


def methods(tree):
    """{method: its code} of the functions of a module and its classes."""
    return {
        node.name: (
            ast.dump(node.args),
            [*map(ast.dump, node.body)][bool(ast.get_docstring(node)) :],
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }


def test_the_lessons_answers_are_the_methods_of_its_engine():
    written = [source for source in notebook() if not source.startswith(("%", "#"))]
    shown = methods(ast.parse("\n".join(written)))
    engine = methods(ast.parse(inspect.getsource(own_engine)))
    names = {"record", "__mul__", "order", "backward", "fit", "__matmul__", "__add__", "lift"}
    assert {name for name in names if shown[name] == engine[name]} == names


# ---- the engine against PyTorch ----

PROGRAMS = {
    "sum": lambda x, y: (x + y).sum(),
    "difference": lambda x, y: ((x - y) * (x - y)).mean(),
    "product": lambda x, y: (x * y * x).mean(),
    "matrices": lambda x, y: ((x @ y) * x).mean(),
    "relu": lambda x, y: (x.relu() * y).sum(),
    "numbers": lambda x, y: (1.0 - x * 2.0 + (-y) - 3.0 + 0.5 * x).mean(),
}


def leaves_of(arrays):
    """Leaves of the engine, and of PyTorch."""
    return [[kind(each, requires_grad=True) for each in arrays] for kind in (Tensor, torch.tensor)]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize(
    "shapes", [((3, 3), (3, 3)), ((3, 3), (3,)), ((3, 1), (1, 3)), ((), (2, 2))]
)
def test_values_and_gradients_are_pytorchs(program, shapes):
    if program is PROGRAMS["matrices"] and shapes[0] != shapes[1]:
        shapes = (3, 3), (3, 3)
    generator = np.random.default_rng(0)
    own, theirs = leaves_of([generator.normal(size=shape) for shape in shapes])
    for x, y in (own, theirs):
        for _ in range(2):
            loss = program(x, y)
            loss.backward()
    assert np.allclose(program(*own).data, program(*theirs).item(), rtol=0, atol=1e-12)
    for mine, leaf in zip(own, theirs):
        np.testing.assert_allclose(mine.grad, leaf.grad.numpy(), rtol=0, atol=1e-12)


def test_an_array_on_the_left_makes_a_tensor_and_a_constant_records_nothing():
    assert isinstance(np.ones(2) * Tensor([1.0, 2.0]), Tensor)
    assert (Tensor(2.0) * 3.0).inputs == () and repr(Tensor(2.0)) == "tensor(2.0)"


# ---- the class that grows ----


@pytest.fixture
def grown(monkeypatch):
    """The names of a notebook that has run up to its first exercise: the class and its engine."""
    module = types.ModuleType("a_notebook")
    monkeypatch.setitem(sys.modules, "a_notebook", module)
    names = vars(module)
    opening = notebook()[0].replace("%load_ext autograd_core.parity\n", "")
    exec(opening.removesuffix("engine"), names)
    return names


def run(names, source):
    exec(source, names)
    return names["engine"]


GIVEN, FIRST, PROGRAM = notebook()[1:4]


def texts_of(engine, form="wide"):
    return [each.text for each in xml.fromstring(engine.drawn[form]).iter(f"{SVG}text")]


def test_the_picture_follows_each_method(grown):
    engine = grown["engine"]
    assert "line 1: TypeError: Tensor() takes no arguments; 0 of 5 boxes" in repr(engine)
    run(grown, GIVEN)
    assert "line 3: TypeError: unsupported operand" in repr(engine) and "2 of 5" in repr(engine)
    run(grown, FIRST)
    assert "line 6: AttributeError" in repr(engine) and "5 of 5 boxes" in repr(engine)
    run(grown, PROGRAM)
    assert [*engine.watch(grown["loss"]).trace.nodes] and "14.3" in engine.watch(grown["loss"]).note
    for name in ("order", "backward"):
        engine.lend(name)
    assert "all lines run" in repr(engine)
    assert engine.result["yours"]["u"] == {"value": 6, "inputs": True, "grad": 4, "order": 3}
    for form in ("wide", "narrow"):
        assert texts_of(engine, form).count("14") == 2  # b.grad, yours and PyTorch's
    grown["loss"].backward()  # made before backward was written
    assert (grown["a"].grad, grown["b"].grad) == (12, 14)


@pytest.mark.parametrize(
    "a, b, loss", [(1.5, -4.0, "u + v"), (-0.5, 2.0, "u * v"), (0.0, 0.0, "u + v")]
)
def test_both_halves_have_the_same_numbers(grown, a, b, loss):
    engine = run(grown, GIVEN)
    run(grown, FIRST)
    engine.lend("order", "backward")
    for name, value in {"a": a, "b": b, "loss": loss}.items():
        engine.set(name, value)
    for name, theirs in engine.result["PyTorch"].items():
        mine = engine.result["yours"][name]
        assert (mine["value"], mine["grad"], mine["inputs"]) == tuple(
            theirs[key] for key in ("value", "grad", "inputs")
        )


def test_a_right_method_is_kept_at_once_and_the_lessons_replaces_a_wrong_one(grown):
    engine = run(grown, GIVEN)
    source = FIRST.replace("(g * other.data, g * self.data)", "(g, g)")
    run(grown, source.replace('engine.check("14.1", record, __mul__)', ""))
    verdict = engine.check("14.1", grown["record"], grown["__mul__"])
    assert "`record` is right, and in your class. __mul__: Test:" in repr(verdict)
    assert engine.parts["record"] is True and engine.parts["__mul__"] is False
    cls = grown["Tensor"]
    assert cls.record is grown["record"] and cls.__mul__ is not grown["__mul__"]
    a = cls(2.0, requires_grad=True)
    assert type(3.0 * a) is cls and repr(3.0 * a - 1) == "tensor(5.0, grad_fn=<AddBackward0>)"


def test_tensors_made_before_fit_stay_valid(grown):
    engine = run(grown, GIVEN)
    run(grown, FIRST)
    run(grown, PROGRAM)
    engine.lend("order", "backward", "fit", "__matmul__", "sum")
    bias = grown["Tensor"](np.zeros(3), requires_grad=True)
    (bias * np.ones((4, 3)) * grown["loss"]).sum().backward()
    assert bias.grad.tolist() == [96.0] * 3 and grown["a"].grad == 0


def test_another_order_is_run_on_the_side(grown):
    engine = run(grown, GIVEN)
    run(grown, FIRST)
    run(grown, PROGRAM)
    engine.lend("order", "backward")
    run(grown, next(source for source in notebook() if "def nearest_first" in source))
    assert grown["gradients"] == [{"a": 12, "b": 14}, {"a": 3, "b": 8}]
    assert grown["a"].grad is None
    view = engine.watch(grown["u"] + grown["v"], order=grown["nearest_first"])
    assert view.notice.startswith("u passes on 1 here. The right pass runs v first")
    rows = repr(engine.cases(grown["nearest_first"])).splitlines()
    assert [row.split()[-1] for row in rows[1:]] == ["runs", "RecursionError"]


def test_a_class_that_is_made_again_gets_the_methods(monkeypatch):
    monkeypatch.setattr(lesson_14, "_added", {})
    kinds = [type("Tensor", (), {"__module__": "__main__"}) for _ in range(2)]
    first = lesson_14.engine(kinds[0])
    first.lend("__init__", "__repr__")
    lesson_14.engine(kinds[1])
    assert repr(kinds[1](2.0)) == "tensor(2.0)"


# ---- traces ----


def test_a_trace_leaves_gradients_and_rules_as_they_were():
    x = Tensor([1.0, 2.0], requires_grad=True)
    x.grad = before = np.array([5.0, 6.0])
    loss = (x * x).sum()
    rule = loss.rule
    traced, error = trace_own(loss, {"x": x})
    assert error is None and x.grad is before and loss.rule is rule and traced.nodes[0].label == "x"
    kinds = [event.kind for event in traced.events]
    assert kinds == ["forward"] * 2 + ["loss"] + ["backward"] * 2 + ["accumulate"]
    np.testing.assert_array_equal(traced.events[-1].after, [2.0, 4.0])


def test_a_trace_holds_copies_of_gradients():
    """An engine may add to the same array again: a trace that held it would change after the fact."""
    x = Tensor([1.0, 2.0], requires_grad=True)
    x.grad = np.array([0.5, 0.5])
    kept, _ = trace_own((x * x).sum(), {"x": x}, is_fresh=False)
    x.grad += 100
    [leaf] = [node for node in kept.nodes if node.kind == "leaf"]
    assert leaf.grad.tolist() == [0.5, 0.5]
    arrays = [array for event in kept.events for array in (event.before, event.after)]
    assert not any(np.shares_memory(array, x.grad) for array in arrays if array is not None)


def test_a_backward_that_raises_leaves_the_tensors_whole():
    class Stumbles(Tensor):
        def backward(self):
            self.rule(1.0)
            raise ZeroDivisionError

    x = Tensor([1.0], requires_grad=True)
    x.grad = before = np.array([5.0])
    loss = x * x
    loss.__class__, rule = Stumbles, loss.rule
    traced, error = trace_own(loss, {})
    assert isinstance(error, ZeroDivisionError) and x.grad is before and loss.rule is rule
    assert [event.kind for event in traced.events][-1] == "backward"


def test_a_tensor_without_a_graph_is_refused():
    with pytest.raises(RuntimeError, match="no operation recorded this tensor"):
        trace_own(Tensor(1.0, requires_grad=True), {})

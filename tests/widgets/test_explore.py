"""Lesson 01's widget: what is typed and dragged, as the browser sends it."""

import cProfile
import math
import random
import sys
import time

import pytest
import torch

import autograd_core
from autograd_core.widgets.graph.explore import EXPRESSION, FIRST_VALUE, explore
from autograd_core.widgets.graph.expression import ExpressionError
from autograd_core.widgets.graph.sliders import MOST_SECONDS, POINTS


def changed(view, name, value) -> str:
    """Send a change as the browser does, and ask for the slopes; the error that the view shows, or
    "".
    """
    before = view.answer["change"]
    view._received(view, {"kind": "change", "name": name, "value": value}, [])
    assert view.answer["change"] == before + 1
    view._received(view, {"kind": "slopes"}, [])
    return view.answer["error"]


def sliders(view) -> dict[str, float]:
    return {
        control["name"]: control["value"]
        for control in view.controls
        if control["kind"] == "slider"
    }


def result(view) -> float:
    return view.trace.nodes[-1].value.item()


def gradients(view) -> dict[str, float]:
    nodes = view.trace.nodes
    return {
        nodes[e.node].label: e.after.item() for e in view.trace.events if e.kind == "accumulate"
    }


@pytest.fixture
def view():
    return explore("a * b + sin(a)", a=2.0, b=-1.0)


def test_the_first_picture(view):
    names = [node.name for node in view.trace.nodes if node.kind == "operation"]
    assert names == ["MulBackward0", "SinBackward0", "AddBackward0"]
    assert result(view) == -2 + math.sin(2)
    assert gradients(view) == {"a": -1 + math.cos(2), "b": 2}
    assert sliders(view) == {"a": 2.0, "b": -1.0}
    assert "<svg" in view._repr_mimebundle_()[0]["image/svg+xml"]
    assert repr(view) == "Expression: 5 nodes, 9 events; loss = −1.091"


def test_a_slider_changes_numbers_alone(view):
    structure = view.structure
    assert changed(view, "a", 0.5) == ""
    assert result(view) == -0.5 + math.sin(0.5)
    assert view.structure is structure
    assert sliders(view) == {"a": 0.5, "b": -1.0}


def test_a_new_name_gets_a_slider_and_an_old_one_keeps_its_value(view):
    changed(view, "b", 2.5)
    assert changed(view, EXPRESSION, "a * c") == ""
    assert sliders(view) == {"a": 2.0, "c": FIRST_VALUE}
    assert changed(view, EXPRESSION, "b * c") == ""
    assert sliders(view) == {"b": 2.5, "c": FIRST_VALUE}
    assert result(view) == 2.5 * FIRST_VALUE


def test_a_mistake_keeps_the_last_good_graph(view):
    before = view.trace, sliders(view)
    told = changed(view, EXPRESSION, "a * import")
    assert told.startswith("column 5: `import` is not allowed here; ")
    assert told.endswith(". The picture shows a * b + sin(a)")
    told = changed(view, EXPRESSION, "a * (1 / 0)")
    assert told.startswith("`1 / 0` has no result") and told.endswith("shows a * b + sin(a)")
    assert (view.trace, sliders(view)) == before
    assert changed(view, "a", 1.0) == ""
    assert result(view) == -1 + math.sin(1)


def test_a_leaf_may_be_called_loss():
    labels = [node.label for node in explore("loss * 2").trace.nodes if node.kind == "leaf"]
    assert labels == ["loss"]


def test_bad_calls_are_refused():
    with pytest.raises(ExpressionError, match="something is missing"):
        explore("a *")
    with pytest.raises(ValueError, match="c does not occur"):
        explore("a * b", c=1.0)


# ---- a function of the learner's -----------------------------------------------------------------


def loss(x, w):
    return (x * w - 2) ** 2


def test_a_function_is_called_with_leaves():
    view = explore(loss, x=(0.5, -1, 1), w=3.0)
    assert [control["max"] for control in view.controls] == [1, 6]
    assert gradients(view) == {"x": -3, "w": -0.5}
    assert view.title == "loss" and view.trace.nodes[-1].label == "loss"
    assert "return (x * w - 2) ** 2" in view.trace.source, (
        "the lines that ran stand beside the nodes"
    )
    structure = view.structure
    assert changed(view, "w", 5.0) == ""
    assert gradients(view) == {"x": 5, "w": 0.5} and view.structure is structure


def test_leaves_of_pytorch_stay_of_pytorch():
    start = torch.tensor(0.5, requires_grad=True)
    view = explore(loss, x=(start, -1, 1), w=torch.tensor(3.0))
    assert (view.trace.engine, view.trace.nodes[0].dtype) == ("PyTorch", "float32")
    changed(view, "x", 1.0)
    assert gradients(view) == {"x": 6, "w": 2}
    assert start.item() == 0.5 and start.grad is None, "the learner's own tensor is left alone"


def test_what_a_function_does_is_in_the_trace():
    def train(w):
        optimizer = autograd_core.optim.SGD([w], lr=0.1)
        result = w * w
        result.backward()
        optimizer.step()
        return result

    view = explore(train, w=2.0)
    kinds = [event.kind for event in view.trace.events]
    assert kinds == ["forward", "loss", "backward", "accumulate", "step"]
    assert view.trace.events[-1].after == pytest.approx(1.6)


@pytest.mark.parametrize("engine", [autograd_core, torch])
def test_the_variables_of_a_function_name_its_results(engine):
    def loss(a, b):
        def inner(b):
            hidden = b * 2
            return hidden  # noqa: RET504, what is tested is that its name is found

        u = a * b
        a = engine.sigmoid(u + inner(b))
        return a * u

    view = explore(loss, a=engine.tensor(2.0), b=engine.tensor(-0.5))
    assert sorted(node.label for node in view.trace.nodes if node.kind == "leaf") == ["a", "b"]
    results = [node.label for node in view.trace.nodes if node.kind == "operation"]
    assert results == ["u", "", "", "", "loss"]
    assert view.structure["name"] == "loss"
    assert [sys.getprofile(), changed(view, "a", 1.0), sys.getprofile()] == [None, "", None]


def test_what_a_function_calls_is_not_watched():
    """A profile function would be called at each call beneath it, at every move of a slider."""
    seen = []

    def loss(a):
        seen.append(sys.getprofile())
        return a * a

    assert changed(explore(loss, a=1.0), "a", 2.0) == "" and set(seen) == {None}


def test_a_function_that_raises_is_heard_and_the_view_goes_on():
    def root(x):
        if x.item() < 0:
            raise ArithmeticError("no root of <b>less</b> than 0")
        return x.sqrt()

    view = explore(root, x=1.0)
    told = changed(view, "x", -1.0)
    assert told.startswith("root(x=-1) raised ArithmeticError: no root of <b>less</b> than 0.")
    assert told.endswith(" The picture shows x=1")
    assert gradients(view) == {"x": 0.5}
    assert changed(view, "x", 4.0) == "" and gradients(view) == {"x": 0.25}


@pytest.mark.parametrize(
    "values, error, message",
    [
        ({}, TypeError, "needs a slider"),
        ({"x": "1"}, TypeError, "give a number"),
        ({"x": (1.0, 2.0)}, TypeError, "give a number"),
        ({"x": (5.0, -1, 1)}, ValueError, "runs from -1 to 1"),
        ({"x": (0.0, -1, 1, 0)}, ValueError, "steps of 0"),
        ({"x": torch.ones(2)}, ValueError, "2 elements"),
    ],
)
def test_bad_sliders_are_refused(values, error, message):
    with pytest.raises(error, match=message):
        explore(lambda x: x, **values)


def test_what_is_no_function_and_what_returns_no_loss():
    with pytest.raises(TypeError, match="or a function, not float"):
        explore(3.0)
    with pytest.raises(TypeError, match="let it return its loss"):
        explore(lambda x: x.item(), x=1.0)


def test_what_is_saved_has_its_own_name_whatever_the_numbers():
    view = explore("(a * b - 4) ** 2", a=2.0, b=2.0)
    mul, power = (
        node for node in view.trace.nodes if node.name in ("MulBackward0", "PowBackward0")
    )
    assert [(saved.name, saved.label) for saved in mul.saved] == [("input", "a"), ("other", "b")]
    assert [saved.label for saved in power.saved] == [""], "its input is 0 as its result is"
    structure = view.structure
    changed(view, "a", 1.0)
    assert view.structure is structure


# ---- the loss along each leaf --------------------------------------------------------------------


def slopes(view) -> dict[str, dict]:
    return {slope["name"]: slope for slope in view.slopes}


def squared(a, b, c):
    return (a * b + c) ** 2


@pytest.mark.parametrize("engine", [autograd_core, torch])
def test_the_curve_is_the_loss_along_the_leaf_and_the_slope_is_grad(engine):
    start = [engine.tensor(x, dtype=engine.float64) for x in (2.0, -0.5, 1.3)]
    view = explore(squared, **{n: (x, -4, 4) for n, x in zip("abc", start)})
    for values in ({"a": 2.0}, {"a": 0.37}, {"b": 1.5}):
        ((name, value),) = values.items()
        assert changed(view, name, value) == ""
        at = sliders(view)
        leaves = {n: engine.tensor(x, requires_grad=True) for n, x in at.items()}
        squared(**leaves).backward()
        for name, slope in slopes(view).items():
            assert (slope["at"], slope["why"]) == (at[name], "")
            assert slope["loss"] == result(view) == pytest.approx(squared(**at), rel=1e-6)
            assert slope["grad"] == pytest.approx(leaves[name].grad.item(), rel=1e-6)
            places = [-4 + i / 5 for i in range(41)]
            curve = [squared(**{**at, name: place}) for place in places]
            assert slope["curve"] == pytest.approx(curve, rel=1e-4, abs=1e-4)


def test_the_slope_is_what_backward_gave_where_the_curve_goes_otherwise():
    def loss(corner, cut, twice):
        return autograd_core.relu(corner) + cut.detach() * cut + twice * twice

    view = explore(loss, corner=0.0, cut=1.0, twice=2.0)
    assert [slope["grad"] for slope in view.slopes] == [0, 1, 4]
    corner, cut, _ = (slope["curve"] for slope in view.slopes)
    assert [corner[21] - corner[20], corner[20] - corner[19]] == pytest.approx([0.15, 0])
    assert cut[40] - cut[0] == pytest.approx(0) and cut[20] == pytest.approx(cut[0] - 9)


def test_the_curve_has_a_gap_where_there_is_no_finite_loss():
    def root(x):
        if x.item() > 2:
            raise ArithmeticError("too far")
        return x.sqrt() + 1 / x

    (slope,) = explore(root, x=1.0).slopes
    known = [i for i, y in enumerate(slope["curve"]) if y is not None]
    assert known == [*range(21, 34)], "from above 0 to 2: 0.15 apart, the middle one is 0"
    (slope,) = explore("log(a)", a=-1.0).slopes
    assert (slope["loss"], slope["grad"]) == (None, -1)
    (slope,) = explore("sqrt(a)", a=-1.0).slopes
    assert slope["grad"] == "nan", "as JSON, which has no nan"


def test_there_is_no_curve_where_the_loss_does_not_follow_from_the_leaves(capsys):
    calls = []

    def counted(x):
        calls.append(x)
        print("called")
        return x * len(calls)

    def dropped(x):
        return autograd_core.nn.functional.dropout(x, 0.5) * 0 + x

    noise = random.Random(0)

    def noisy(x):
        return autograd_core.relu(x) * noise.random()

    def slow(x):
        time.sleep(MOST_SECONDS / 10)
        return x * x

    def repeated(x):
        torch.manual_seed(0)
        return x * torch.rand(1).item()

    reasons = [explore(f, x=1.0).slopes[0] for f in (counted, dropped, slow, repeated)]
    reasons += explore(noisy, x=-1.0).slopes
    assert [(slope["why"], len(slope["curve"])) for slope in reasons] == [
        ("counted returns another loss each time", 0),
        ("dropped draws random numbers", 0),
        ("slow takes too long", 0),
        ("", POINTS),
        ("noisy returns another loss each time", 0),
    ]
    assert capsys.readouterr().out == "called\n", "what the trace's own call printed"


def test_curves_follow_what_is_typed_and_come_apart_from_the_numbers(view, monkeypatch):
    sent = []
    monkeypatch.setattr(
        view, "send_state", lambda key: sent.append({key} if isinstance(key, str) else {*key})
    )
    changed(view, EXPRESSION, "a * a * c")
    assert [*slopes(view)] == ["a", "c"]
    assert {"numbers", "answer"} <= sent[0] and sent[-1] == {"slopes"}


@pytest.mark.parametrize("python", [True, False])
def test_a_profiler_that_is_at_work_stays(python):
    """One in Python, or in C, which Python cannot put back."""
    profiler = cProfile.Profile()
    if python:
        sys.setprofile(lambda *_: None)
    else:
        profiler.enable()
    try:
        before = sys.getprofile()
        view = explore(lambda w: w * w, w=(1.0, 0.0, 2.0))
        assert sys.getprofile() is before
    finally:
        sys.setprofile(None) if python else profiler.disable()
    assert view.trace.nodes[-1].name == "MulBackward0"


def test_the_box_of_a_leaf_has_room_for_each_number_of_its_slider(view):
    def rooms():
        return [view.drawn["layouts"][0]["boxes"][i][4] for i in range(2)]

    first = rooms()
    other = explore("a * b + sin(a)", a=-1.234, b=-0.567)
    assert first == [other.drawn["layouts"][0]["boxes"][i][4] for i in range(2)]
    changed(view, EXPRESSION, "a * b")
    assert rooms() == first

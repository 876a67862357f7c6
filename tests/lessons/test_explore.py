"""Lesson 01's widget: what is typed and dragged, as the browser sends it."""

import math

import pytest

from autograd_core.widgets.explore import EXPRESSION, FIRST_VALUE, explore
from autograd_core.widgets.expression import ExpressionError


class Answers(list):
    """What a view answers to the browser."""

    def __call__(self, content):
        self.append(content["error"])


def changed(view, name, value) -> str:
    """Send a change as the browser does; the error that the view shows, or ""."""
    answers = Answers()
    view.send = answers
    view._received(view, {"kind": "change", "name": name, "value": value}, [])
    assert len(answers) == 1
    return answers[0]


def sliders(view) -> dict[str, float]:
    return {control["name"]: control["value"] for control in view.controls if control["kind"] == "slider"}


def result(view) -> float:
    return view.trace.nodes[-1].value.item()


def gradients(view) -> dict[str, float]:
    nodes = view.trace.nodes
    return {nodes[e.node].label: e.after.item() for e in view.trace.events if e.kind == "accumulate"}


@pytest.fixture
def view():
    return explore("a * b + sin(a)", a=2.0, b=-1.0)


def test_the_first_picture(view):
    assert [node.name for node in view.trace.nodes if node.kind == "operation"] == [
        "MulBackward0",
        "SinBackward0",
        "AddBackward0",
    ]
    assert result(view) == -2 + math.sin(2)
    assert gradients(view) == {"a": -1 + math.cos(2), "b": 2}
    assert sliders(view) == {"a": 2.0, "b": -1.0}
    assert "<svg" in view._repr_mimebundle_()[0]["image/svg+xml"]


def test_gradients_are_those_of_the_result(view):
    assert "loss" not in str(view.structure["nodes"]) + str([event["text"] for event in view.structure["events"]])
    assert view.structure["name"] == "result"
    assert repr(view) == "Expression: 5 nodes, 9 events; result = −1.091"
    assert "loss" not in view.svg()


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
    assert changed(view, EXPRESSION, "a * import") == (
        "column 5: `import` is not allowed here; use names, numbers, + - * / **, parentheses, and functions such as sin(a)."
        " The picture shows a * b + sin(a)"
    )
    assert changed(view, EXPRESSION, "a * (1 / 0)") == (
        "`1 / 0` has no result; change its numbers. The picture shows a * b + sin(a)"
    )
    assert (view.trace, sliders(view)) == before
    assert changed(view, "a", 1.0) == ""
    assert result(view) == -1 + math.sin(1)


def test_a_far_value_widens_its_slider():
    view = explore("a * 2", a=50.0)
    assert view.controls[1]["max"] == 100


def test_a_leaf_may_be_called_result():
    labels = [node.label for node in explore("result * 2").trace.nodes if node.kind == "leaf"]
    assert labels == ["result"]


def test_bad_calls_are_refused():
    with pytest.raises(ExpressionError, match="something is missing"):
        explore("a *")
    with pytest.raises(ValueError, match="c does not occur"):
        explore("a * b", c=1.0)

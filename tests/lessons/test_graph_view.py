"""The graph view as far as Python goes: what is sent, what is said, what is refused, and the still."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from autograd_core.trace import Edge, Event, Trace, TraceNode
from autograd_core.widgets import GraphView
from autograd_core.widgets.graph_view import numbers_of, structure_of, tensor_of
from autograd_core.widgets.still import states, still
from autograd_core.widgets.words import number, shorten, tensor_text
from tests.lessons.sample_traces import logistic, product

HOSTILE = '<img src=x onerror="alert(1)">&lt;script>'


def renamed(trace: Trace, label: str) -> Trace:
    return replace(trace, nodes=tuple(replace(node, label=label) if node.label else node for node in trace.nodes),
                   source=tuple(label for _ in trace.source))


def plain(runs) -> str:
    return "".join(text for _, text in runs)


@pytest.mark.parametrize("value, text", [
    (0.0, "0"), (-0.0, "0"), (1.0, "1"), (-0.5, "−0.5"), (0.11, "0.11"), (0.1099999, "0.110"), (1 / 3, "0.333"), (0.9996, "1.000"),
    (-2.0005, "−2.001"), (0.0625, "0.063"), (0.001, "0.001"), (5.81e-4, "5.8e−4"), (9.96e-4, "1e−3"), (-1e-300, "−1e−300"), (9999.0, "9999"),
    (1e4, "1e4"), (123456.0, "1.2e5"), (np.float32(0.1), "0.1"), (float("nan"), "nan"), (float("inf"), "inf"),
    (float("-inf"), "−inf"), (None, "None"), (True, "True"), (7, "7")])
def test_numbers_are_short_and_honest(value, text):
    assert number(value) == text


def test_tensors_of_up_to_three_numbers_are_shown_in_full():
    assert tensor_text(np.array([0.525, -1])) == "[0.525, −1]"
    assert tensor_text(np.zeros((2, 3))) == "2×3"
    assert tensor_text(np.full((2, 2), 0.5), gradient=True) == "norm 1"
    assert tensor_text(None) == "None"


def test_what_json_lacks_is_sent_as_words():
    sent = tensor_of(np.array([np.nan, np.inf, -np.inf, 1.5]))
    assert sent == [[4], ["nan", "inf", "-inf", 1.5], "nan"]
    json.loads(json.dumps(sent, allow_nan=False))
    assert tensor_of(np.array([0.1], dtype=np.float32))[1] == [0.1]
    assert tensor_of(np.array(True)) == [[], [True], 1]
    assert tensor_of(np.ones((30, 30)))[1:] == [None, 30.0]


def test_only_numbers_are_sent_where_the_structure_stays():
    view, sent = GraphView(logistic(), event=15), []
    view.send_state = lambda key=None: sent.append(set(key) if isinstance(key, (set, list)) else {key})
    view.show(logistic(w=(0.5, 0.25)))
    assert sent == [{"numbers"}]
    assert view.event == 15
    view.show(product())
    assert "structure" in set().union(*sent[1:])
    assert view.event == len(product().events)


def test_a_view_at_the_end_stays_at_the_end():
    view = GraphView(product(), event=-1)
    view.show(logistic())
    assert view.event == len(logistic().events) == 23


def test_the_event_that_joins_two_contributions():
    structure = structure_of(logistic(), "Step view", "")
    event = structure["events"][14]
    assert plain(event["title"]) == "SigmoidBackward0 runs"
    assert plain(event["text"]).startswith("Two contributions met at p and were added. The node multiplies the sum by its own slope.")
    assert plain(event["next"]) == "AddBackward0, the only node that is ready. b and w still have .grad = None."
    assert [plain(rule) for rule in structure["nodes"][5]["rules"]] == ["∂loss/∂z = ∂loss/∂p · p · (1 − p)"]
    assert dict(structure["nodes"][5]["rules"][0])["g"] == "∂loss/∂p"


@pytest.mark.parametrize("at, title", [(1, "Mv computes its result"), (9, "loss = "), (17, "b.grad is written"),
                                       (20, "step() moves w"), (22, "zero_grad() clears w.grad")])
def test_every_kind_of_event_has_a_title(at, title):
    assert plain(structure_of(logistic(), "", "")["events"][at - 1]["title"]) == title


def test_a_rule_with_private_parts_names_what_it_needs():
    trace = logistic()
    nodes = list(trace.nodes)
    nodes[9] = replace(nodes[9], rules=(("input", "_weighted(_spread(g, input.shape), input)"),))
    rules = structure_of(replace(trace, nodes=tuple(nodes)), "", "")["nodes"][9]["rules"]
    assert [plain(rule) for rule in rules] == ["∂loss/∂q = f(∂loss/∂result, q)"]


def test_the_still_adds_up_what_has_arrived():
    trace = logistic()
    before, after = states(trace, 14)[5], states(trace, 15)[5]
    assert (before.arrived, before.expected, before.done, after.done) == (2, 2, False, True)
    np.testing.assert_allclose(before.gradient, trace.events[14].before)
    assert states(trace, 19)[1].gradient is trace.events[18].after
    assert states(trace, 22)[1].gradient is None
    assert states(trace, 20)[1].value is trace.events[19].after


def test_the_still_is_a_picture_with_words():
    root = ET.fromstring(still(logistic(), 15))
    space = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{space}title").text == "10 nodes, event 15 of 23 events"
    assert "p: [0.525, 0.289], gradient [−0.952, 0.703]." in root.find(f"{space}desc").text
    assert still(logistic(), 15) == still(logistic(), 15)


@pytest.mark.parametrize("label", [HOSTILE, "x" * 10_000, "two\nlines\t and \u202e more"])
def test_what_people_type_is_text_and_short(label):
    trace = renamed(logistic(), label)
    svg = still(trace, 15)
    root = ET.fromstring(svg)
    assert not [element.tag for element in root.iter() if element.tag.endswith(("img", "script"))]
    assert "x" * 100 not in svg
    assert len(json.dumps(structure_of(trace, "", ""))) < 200_000
    assert len(shorten(label)) <= 60 and "\n" not in shorten(label)


def test_a_preview_has_the_still_and_the_widget():
    bundle, _ = GraphView(product(), event=3)._repr_mimebundle_()
    assert bundle["image/svg+xml"] == still(product(), 3)
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_save_writes_the_still(tmp_path):
    view = GraphView(product(), event=3)
    view.save(tmp_path / "step.svg")
    assert (tmp_path / "step.svg").read_text(encoding="utf-8") == still(product(), 3)
    with pytest.raises(ValueError, match="step.svg"):
        view.save(tmp_path / "step.png")


def test_a_trace_without_values_is_drawn():
    trace = logistic()
    blind = replace(trace, nodes=tuple(replace(n, value=None, shape=None, dtype="") if n.kind == "operation" else n for n in trace.nodes))
    assert structure_of(blind, "", "")["nodes"][5]["shape"] == [2]
    ET.fromstring(still(blind, 15))


def test_the_smallest_graph_is_drawn():
    one = np.array(1.0)
    trace = Trace("autograd_core", (TraceNode("leaf", "AccumulateGrad", "a", (), "float64", one),
                                    TraceNode("operation", "NegBackward0", "loss", (), "float64", -one, (), (("input", "-g"),))),
                  (Edge(1, 0, 0),), (Event("forward", 1, None, -one), Event("loss", 1, None, -one),
                                     Event("backward", 1, one, None, ((0, -one),)), Event("accumulate", 0, None, -one)))
    assert len(numbers_of(GraphView(trace, event=-1).trace)["events"]) == 4


# ---- the reader's changes --------------------------------------------------------------------------------------


def slider(**changes) -> dict:
    return {"kind": "slider", "name": "w", "min": -3, "max": 3, "step": 0.1, "value": 0.8} | changes


def test_a_change_is_answered_and_drawn():
    view = GraphView(logistic(), controls=[slider()], on_change=lambda name, value: logistic(w=(value, -0.4)))
    answers = []
    view.send = answers.append
    view._received(view, {"kind": "change", "name": "w", "value": 2.0}, [])
    assert answers == [{"kind": "answer", "error": ""}]
    assert view.trace.nodes[1].value[0] == 2.0
    assert view.controls[0]["value"] == 2.0


def test_a_change_that_fails_is_said_and_the_graph_stays():
    def fail(name, value):
        raise ValueError(f"{value} is too much")

    view = GraphView(logistic(), controls=[slider()], on_change=fail)
    answers, before = [], view.numbers
    view.send = answers.append
    view._received(view, {"kind": "change", "name": "w", "value": 9}, [])
    assert answers == [{"kind": "answer", "error": "9 is too much"}]
    assert view.numbers == before


def test_a_message_of_another_kind_is_nothing_to_us():
    view = GraphView(logistic())
    view.send = lambda content: pytest.fail("answered")
    view._received(view, {"kind": "hello"}, [])


# ---- what is refused -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options, message", [
    ({"event": 24}, "events 1 to 23"), ({"event": -2}, "events 1 to 23"), ({"controls": [{"kind": "knob"}]}, "'knob'"),
    ({"controls": [{"kind": "slider", "name": "w"}]}, "lacks min, max, step, value"), ({"controls": [slider(value=7)]}, "outside -3 to 3"),
    ({"other": product()}, "not of the same graph")])
def test_what_cannot_be_shown_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        GraphView(logistic(), **options)


def test_only_traces_are_shown():
    with pytest.raises(TypeError, match="float"):
        GraphView(3.0)

"""The graph view as far as Python goes: what is sent, what is said, what is refused, and the still."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
import torch

import autograd_core as T
from autograd_core.trace import Edge, Event, Tape, Trace, TraceNode, names_in, trace
from autograd_core.widgets import GraphView, watch
from autograd_core.widgets.graph import view as graph_view
from autograd_core.widgets.graph.changes import Changes
from autograd_core.widgets.graph.describe import telling_event
from autograd_core.widgets.graph.states import states
from autograd_core.widgets.graph.still import still
from autograd_core.widgets.graph.tensors import tensor_of
from autograd_core.widgets.kit.format import shorten, tensor_text
from tests.widgets.sample_traces import chain, logistic, product


def renamed(trace: Trace, label: str) -> Trace:
    nodes = (replace(node, label=label) if node.label else node for node in trace.nodes)
    return replace(trace, nodes=tuple(nodes), source=tuple(label for _ in trace.source))


def structure_of(trace: Trace, title: str = "") -> dict:
    return graph_view.structure_of(Changes(trace), title, "")


def plain(runs) -> str:
    return "".join(text for _, text in runs)


def said(trace: Trace, at: int, part: str = "text") -> str:
    """The words of event number `at`, with its numbers."""
    event = trace.events[at - 1]
    places = {
        **{f"value {i}": node.value for i, node in enumerate(trace.nodes)},
        **{f"sent {i}": gradient for i, (_, gradient) in enumerate(event.sent)},
        "before": event.before,
        "after": event.after,
    }
    return "".join(
        tensor_text(places[text], gradient=style == "ng") if style in ("nv", "ng") else text
        for style, text in structure_of(trace)["events"][at - 1][part]
    )


def test_what_json_lacks_is_sent_as_words():
    sent = tensor_of(np.array([np.nan, np.inf, -np.inf, 1.5]))
    assert sent == [[4], ["nan", "inf", "-inf", 1.5], "nan"]
    json.loads(json.dumps(sent, allow_nan=False))
    assert tensor_of(np.array([0.1], dtype=np.float32))[1] == [0.1]
    assert tensor_of(np.array(True)) == [[], [True], 1]
    assert tensor_of(np.ones((30, 30)))[1:] == [None, 30.0]


@pytest.mark.parametrize("count", [35, 36, 100])
def test_an_operation_that_takes_one_leaf_many_times_is_drawn(count):
    x = T.ones(2, requires_grad=True)
    assert GraphView(trace(T.stack([x] * count).sum())).still()


def test_only_numbers_are_sent_where_the_structure_stays():
    view, sent = GraphView(logistic(), event=15), []
    view.send_state = lambda key=None: sent.append(
        set(key) if isinstance(key, (set, list)) else {key}
    )
    view.show(logistic(w=(0.5, 0.25)))
    assert sent == [{"numbers", "changes"}]
    assert view.event == 15
    view.show(product())
    assert "structure" in set().union(*sent[1:])
    assert view.event == len(product().events)


def test_what_the_reader_ran_is_that_of_the_trace_that_is_shown():
    view = GraphView(logistic())
    assert view.you == {}
    view.set_state({"you": {"ran": 3, "events": 10, "wrong": ["b before w"]}})
    assert view.you["wrong"] == ["b before w"]
    view.show(logistic(w=(0.5, 0.5)))
    assert view.you == {}


def test_a_view_at_the_end_stays_at_the_end():
    view = GraphView(product(), event=-1)
    view.show(logistic())
    assert view.event == len(logistic().events) == 23


def test_the_event_that_joins_two_contributions():
    structure = structure_of(logistic(), "Step view")
    event = structure["events"][14]
    assert plain(event["title"]) == "SigmoidBackward0 runs"
    assert said(logistic(), 15) == (
        "Two contributions met at p and were added. The sum is [−0.952, 0.703]. Its rule is"
        " g · p · (1 − p); p was saved as [0.525, 0.289], so [−0.238, 0.145] goes to AddBackward0."
    )
    ready = "AddBackward0, the only node that is ready. b and w still have .grad = None."
    assert plain(event["next"]) == ready
    (rule,) = structure["nodes"][5]["rules"]
    assert plain(rule) == "∂loss/∂z = ∂loss/∂p · p · (1 − p)"
    assert dict(rule)["b"] == "∂loss/∂p"


@pytest.mark.parametrize(
    "at, title, text",
    [
        (1, "Mv computes its result", ""),
        (9, "loss = 0.493", ""),
        (10, "", "The node changes the sign of it: −1 goes to MeanBackward0."),
        (11, "", "equally among the elements of its input: [−0.5, −0.5] goes to LogBackward0."),
        (12, "", "q was saved as [0.525, 0.711], so [−0.952, −0.703] goes to WhereBackward0."),
        (17, "b.grad is written", "b.grad was None and is now −0.093."),
        (20, "step() moves w", "changes w in place, from [0.8, −0.4] to [0.991, −0.199]."),
        (22, "zero_grad() clears w.grad", ""),
    ],
)
def test_events_are_told_in_numbers(at, title, text):
    assert said(logistic(), at, "title") == title or not title
    assert text in said(logistic(), at)


def test_a_matrix_that_a_step_moves_is_not_told_by_its_shape():
    T.manual_seed(0)
    tape = Tape()
    with tape.recording():
        w = T.randn(2, 2, requires_grad=True)
        loss = (w * w).sum()
        loss.backward()
        T.optim.SGD([w], lr=0.1).step()
    taken = trace(loss, names_in({"w": w}), tape)
    moved = "The optimizer reads w.grad and changes w in place. It doesn't use the graph."
    assert said(taken, len(taken.events)) == moved


def test_a_product_is_told_for_each_of_its_inputs():
    trace = product()
    events = [(event.kind, trace.nodes[event.node].label) for event in trace.events]
    at = 1 + events.index(("backward", "u"))
    assert said(trace, at).endswith(
        ". For a its rule is g · b; b was saved as −0.5, so 0.620 goes to a."
        " For b its rule is g · a; a was saved as 2, so −2.478 goes to b."
    )


def test_what_was_broadcast_is_sent_a_sum():
    """b is a scalar, z has two elements: the rule is `g`, yet b is sent one number."""
    structure = structure_of(logistic())
    summed = "The gradient for b is summed over the elements along which it was broadcast."
    assert plain(structure["events"][15]["text"]).endswith(summed)
    rules = [plain(rule) for rule in structure["nodes"][4]["rules"]]
    of_b = "∂loss/∂b = ∂loss/∂z, summed over its elements"
    assert rules == ["∂loss/∂input = ∂loss/∂z", of_b]
    others = [event["text"] for at, event in enumerate(structure["events"]) if at != 15]
    assert not any("broadcast" in plain(text) for text in others)


def test_a_linear_layer_in_words():
    weight, bias = T.ones(1, 3, requires_grad=True), T.ones(1, requires_grad=True)
    x, tape = T.ones(2, 3), Tape()
    with tape.recording():
        loss = T.nn.functional.linear(x, weight, bias).sum()
        loss.backward()
    layer = trace(loss, names_in({"weight": weight, "bias": bias, "x": x}), tape)
    told = {
        (event.kind, layer.nodes[event.node].name): said(layer, at)
        for at, event in enumerate(layer.events, 1)
    }
    computed = "Computed from bias, x and the result of the transpose."
    assert told["forward", "AddmmBackward0"].startswith(computed)
    of_product, of_transpose = (told["backward", f"{name}Backward0"] for name in ("Addmm", "T"))
    assert (
        "it multiplies it by the transpose of the other matrix: [2] goes to bias and [2, 2"
        in of_product
    )
    assert of_product.endswith(
        "The gradient for bias is summed over the rows along which it was broadcast."
    )
    assert "The node swaps rows and columns: [2, 2, 2] goes to weight." in of_transpose
    assert "broadcast" not in of_transpose


def test_of_two_with_the_same_name_each_is_called_by_its_result():
    structure = structure_of(product())
    called = [node["called"] for node in structure["nodes"][3:]]
    assert called == ["Mul (u)", "Add", "Tanh", "Mul (loss)"]
    ran = [plain(each["title"]) for each in structure["events"] if each["kind"] == "backward"]
    assert ran == ["Mul (loss) runs", "TanhBackward0 runs", "AddBackward0 runs", "Mul (u) runs"]


def test_a_view_tells_what_it_shows():
    assert repr(GraphView(logistic())) == "Step view: 10 nodes, 23 events; loss = 0.493"
    told = GraphView(product(), title="Two paths")._repr_mimebundle_()[0]["text/plain"]
    assert told.startswith("Two paths: 7 nodes, 12 events; loss = ")


def test_a_rule_with_private_parts_names_what_it_needs():
    trace = logistic()
    nodes = list(trace.nodes)
    nodes[9] = replace(nodes[9], rules=(("input", "_weighted(_spread(g, input.shape), input)"),))
    rules = structure_of(replace(trace, nodes=tuple(nodes)))["nodes"][9]["rules"]
    assert [plain(rule) for rule in rules] == ["∂loss/∂q = f(∂loss/∂result, q)"]


def test_the_still_adds_up_what_has_arrived():
    trace = logistic()
    before, after = states(trace, 14)[5], states(trace, 15)[5]
    assert (before.arrived, before.expected, before.done, after.done) == (2, 2, False, True)
    np.testing.assert_allclose(before.gradient, trace.events[14].before)
    assert states(trace, 19)[1].gradient is trace.events[18].after
    assert states(trace, 22)[1].gradient is None
    assert states(trace, 20)[1].value is trace.events[19].after


def test_what_has_no_room_in_bold_is_light_in_the_still_and_not_cut():
    long = -1.234e-5 * np.ones(2)
    leaf = TraceNode("leaf", "AccumulateGrad", "w", (2,), "float64", np.ones(2))
    node = TraceNode("operation", "SoftMarginLossBackward0", "loss", (2,), "float64", np.ones(2))
    arrives = Event("backward", 1, before=long, sent=((0, long),))
    events = Event("forward", 1), Event("loss", 1), arrives, Event("accumulate", 0, after=long)
    picture = still(Trace("torch", (leaf, node), (Edge(1, 0, 0),), events), 4)
    assert "SoftMarginLoss</tspan>" in picture and "…" not in picture
    assert picture.count("[−1.2e−5, −1.2e−5]") >= 3, "in both compartments and on the line"


def test_the_still_is_a_picture_with_words():
    root = ET.fromstring(still(logistic(), 15))
    space = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{space}title").text == "10 nodes, event 15 of 23 events"
    assert "p: [0.525, 0.289], gradient [−0.952, 0.703]." in root.find(f"{space}desc").text
    assert still(logistic(), 15) == still(logistic(), 15)


@pytest.mark.parametrize(
    "label", ["x" * 10_000, "two\nlines\t and \u202e more", "a\x1b[0m\x00 \ud800"]
)
def test_what_people_type_is_short(label):
    trace = renamed(logistic(), label)
    svg = still(trace, 15)
    ET.fromstring(svg)
    assert "x" * 100 not in svg
    assert len(json.dumps(structure_of(trace))) < 200_000
    assert len(shorten(label)) <= 60 and "\n" not in shorten(label)


def test_a_trace_without_values_is_drawn():
    trace = logistic()
    unknown = {"value": None, "shape": None, "dtype": ""}
    nodes = (replace(n, **unknown) if n.kind == "operation" else n for n in trace.nodes)
    blind = replace(trace, nodes=tuple(nodes))
    assert structure_of(blind)["nodes"][5]["shape"] == [2]
    ET.fromstring(still(blind, 15))


# ---- the reader's changes ------------------------------------------------------------------------


SLIDER = {"kind": "slider", "name": "w", "min": -3, "max": 3, "step": 0.1, "value": 0.8}


def test_a_change_costs_one_message():
    """The numbers and the answer go together; and what changes nothing is answered too, or the
    browser would wait."""

    def changed(name, value):
        return logistic(w=(value, -0.4))

    view, sent = GraphView(logistic(), controls=[SLIDER], on_change=changed), []
    view.send_state = lambda keys=None: sent.append(set(keys))
    view.send = lambda *_: pytest.fail("a second message")
    for value in (2.0, 2.0):
        view._received(view, {"kind": "change", "name": "w", "value": value}, [])
    assert sent == [{"controls", "numbers", "changes", "answer"}, {"answer"}]
    assert view.answer["change"] == 2


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options, message",
    [
        ({"event": 24}, "events 1 to 23"),
        ({"event": -2}, "events 1 to 23"),
        ({"controls": [{"kind": "knob"}]}, "'knob'"),
        ({"controls": [{"kind": "slider", "name": "w"}]}, "lacks min, max, step, value"),
        ({"controls": [SLIDER | {"value": 7}]}, "outside -3 to 3"),
        ({"other": product()}, "not of the same graph"),
    ],
)
def test_what_cannot_be_shown_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        GraphView(logistic(), **options)


def test_only_traces_are_shown():
    with pytest.raises(TypeError, match="float"):
        GraphView(3.0)


def test_a_still_that_nobody_moved_stands_at_the_telling_event():
    assert telling_event(logistic()) == 14, "where contributions meet"
    assert telling_event(chain(3)) == 7, "the last that ran back, where nothing meets"
    events = list(logistic().events)
    for at, bad in ((10, {"before": [np.nan, 0.0]}), (3, {"after": [np.inf, 0.0]})):
        events[at] = replace(events[at], **{name: np.array(x) for name, x in bad.items()})
        assert telling_event(replace(logistic(), events=tuple(events))) == 11, "at the first nan"
    bundle, _ = GraphView(logistic())._repr_mimebundle_()
    assert bundle["image/svg+xml"] == still(logistic(), 14)


def test_a_still_does_not_stop_at_a_mask_of_inf_that_a_softmax_consumes():
    def event(loss_of):
        with (tape := Tape()).recording():
            scores = T.linspace(-1, 1, 16).reshape(4, 4).requires_grad_()
            loss = loss_of(scores.masked_fill(T.ones(4, 4).triu(1) > 0, -np.inf))
        traced = trace(loss, tape=tape)
        return traced.events[telling_event(traced) - 1]

    assert event(lambda scores: scores.softmax(-1).square().sum()).kind == "backward"
    alarm = event(lambda scores: scores.exp().sum() + scores.sum())
    assert alarm.kind == "forward" and np.isinf(alarm.after).any()


@pytest.mark.parametrize("engine", [T, torch])
def test_a_hook_of_a_leaf_is_told_where_it_changes_what_is_kept(engine):
    """And where it only looks, or the graph adds in another order, nothing is told."""

    def last(hook):
        w = engine.tensor([1.0, 2.0], requires_grad=True)
        w.register_hook(hook)
        loss = (w * w + w.sin()).sum()
        return "".join(text for _, text in watch(loss).structure["events"][-1]["text"])

    assert "A hook changed it here" in last(lambda gradient: 4 * gradient)
    assert "hook" not in last(lambda gradient: None)

"""`watch`: the view of a loss of either engine, and of both in step."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.parity import watching
from autograd_core.trace import Tape, names_in, trace
from autograd_core.widgets import watch


def loss_on(T, dtype="float32"):
    w = T.tensor([0.8, -0.4], dtype=getattr(T, dtype), requires_grad=True)
    x = T.tensor([[1.0, 1.5], [-0.5, 1.2]], dtype=getattr(T, dtype))
    return T.sigmoid(x @ w).log().mean(), w


def with_gradient(traced, event, change):
    """`traced` with the sum that arrived at `event` passed through `change`."""
    events = list(traced.events)
    events[event] = replace(events[event], before=change(events[event].before))
    return replace(traced, events=tuple(events))


def both_traces(dtype="float32"):
    """The traces of both engines, and the place of the third event of their backward pass."""
    traces = [trace(loss_on(T, dtype)[0]) for T in (autograd_core, torch)]
    return *traces, 2 + [event.kind for event in traces[0].events].index("backward")


@pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])
def test_a_loss_is_watched_and_left_as_it_was(T):
    loss, weight = loss_on(T)
    weight.grad = before = T.ones_like(weight)
    view = watch(loss, names=names_in({"loss": loss, "weight": weight}))
    assert weight.grad is before and before.tolist() == [1, 1]
    assert {node.label for node in view.trace.nodes} >= {"weight", "loss"}
    loss.backward()


@pytest.mark.parametrize("dtype, off", [("float32", 1e-3), ("float32", 1e-6), ("float64", 1e-9)])
def test_a_planted_difference_is_found(dtype, off):
    ours, theirs, third = both_traces(dtype)
    view = watch(ours, theirs)
    assert view.trace.engine == "autograd_core" and view.other.engine == "PyTorch"
    wrong = with_gradient(theirs, third, lambda g: (g * (1 + off)).astype(g.dtype))
    with pytest.raises(AssertionError, match="the two engines did not do the same: event"):
        watch(ours, wrong)
    with pytest.raises(AssertionError, match="did not do the same"):
        watch(ours, with_gradient(theirs, third, lambda g: np.full_like(g, np.nan)))


@pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])
def test_a_freed_graph_is_shown_without_the_numbers_along_its_edges(T):
    loss, weight = loss_on(T)
    loss.backward()
    traced = watch(loss, names=names_in({"weight": weight})).trace
    assert [event.kind for event in traced.events if event.kind not in ("forward", "loss")] == []
    assert "before loss.backward()" in traced.note and "retain_graph" not in traced.note
    leaf = next(node for node in traced.nodes if node.label == "weight")
    np.testing.assert_array_equal(leaf.grad, weight.grad.numpy())


@pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])
def test_a_retained_graph_is_shown_with_all_numbers(T):
    loss, weight = loss_on(T)
    loss.backward(retain_graph=True)
    before = weight.grad.numpy().copy()
    traced = watch(loss).trace
    assert traced.note == "" and "accumulate" in [event.kind for event in traced.events]
    np.testing.assert_array_equal(weight.grad.numpy(), before)


def test_a_result_of_one_engine_names_none_of_the_other():
    """Both engines count their nodes from 0: a number alone would name PyTorch's results too."""
    x = autograd_core.tensor(1.0, requires_grad=True)
    theirs = torch.tensor(1.0, requires_grad=True)
    loss = theirs.exp()
    number = loss.grad_fn._sequence_nr()
    ours = x.exp()
    while ours.grad_fn._sequence_nr() < number:
        ours = x.exp()
    names = names_in({"ours": ours, "x": x})
    assert all(node.label == "" for node in trace(loss, names).nodes)


def test_differences_are_shown_when_asked_for():
    ours, theirs, third = both_traces()
    wrong = with_gradient(theirs, third, lambda g: g * 2)
    view = watch(ours, wrong, strict=False)
    assert view.other is wrong and "did not do the same: event" in view.structure["notice"]
    assert watch(ours, theirs, strict=False).structure["notice"] == ""


def test_another_structure_is_said_and_the_first_is_shown():
    ours, theirs = loss_on(autograd_core)[0], loss_on(torch)[0]
    view = watch(ours, theirs * 2, strict=False)
    assert view.other is None and view.trace.engine == "autograd_core"
    assert view.structure["notice"].endswith("autograd_core has 5 nodes, PyTorch has 6.")
    with pytest.raises(AssertionError, match="strict=False"):
        watch(ours, theirs * 2)


def test_leaves_are_listed_where_the_loss_has_nothing_to_do_with_the_modules_around():
    net, w = autograd_core.nn.Linear(2, 1), autograd_core.tensor(2.0, requires_grad=True)
    names, tape = names_in({"net": net, "w": w}), Tape()
    with tape.recording():
        apart, also = w * w, w * net.weight.sum()

    def listed(view):
        return [each["name"] for each in view.structure["parameters"]], view.structure["leaves"]

    assert listed(watch(trace(apart, names, tape))) == (["w"], True)
    assert listed(watch(trace(also, names, tape))) == (["weight", "bias"], False)
    assert listed(watch(w * w, names=names)) == (["w"], True)


# ---- what was written in place -------------------------------------------------------------------


def written_in_place(T):
    w = T.ones(3, requires_grad=True)
    with watching():
        h = w.sigmoid()
        h += 1
        return (h * h).sum()


def class_of(view, node):
    """The track of classes of the box of a node: {event from which it holds: words}."""
    box = next(i for i, box in enumerate(view.drawn["boxes"]) if node in box["nodes"])
    return dict(json.loads(view.changes)[0]["boxes"][box].get("class", []))


@pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])
def test_a_stale_save_is_marked_where_it_was_saved_and_where_it_was_written(T):
    view = watch(written_in_place(T))
    names = [node.name for node in view.trace.nodes]
    saver, writer = names.index("SigmoidBackward0"), names.index("AddBackward0")
    assert [(s.node, s.writer) for s in view.trace.stale] == [(saver, writer)]
    written = next(k for k, e in enumerate(view.trace.events, 1) if e.node == writer)
    marked = {k: "ac-stale" in words for k, words in class_of(view, saver).items()}
    assert marked[0] and not marked[1] and marked[written]
    assert not any("ac-stale" in words for words in class_of(view, writer).values())
    still = view.drawn["layouts"][0]["svg"]
    assert still.count("ac-writes") == 1 and "version 0 → 1" in still
    assert view.event == len(view.trace.events) and "backward() can't run" in repr(view.structure)
    notice = view.structure["notice"]
    assert "h = w.sigmoid()" in notice and "h += 1" in notice and "at version 1" in notice
    told = [saved for saved in view.structure["nodes"][saver]["saved"] if saved["stale"]]
    assert [saved["label"] for saved in told] == ["result"] and "h += 1" in told[0]["text"]
    assert not any(
        s["stale"] for node in view.structure["nodes"][saver + 1 :] for s in node["saved"]
    )
    assert "#A3005C" in view.svg(), "a still has the colour of alarms"


def test_in_a_large_graph_the_folds_around_it_are_open():
    class Block(torch.nn.Module):
        def __init__(self, wrong):
            super().__init__()
            self.inner, self.act, self.wrong = torch.nn.Linear(3, 3), torch.nn.Sigmoid(), wrong
            self.outer = torch.nn.Linear(3, 3)

        def forward(self, x):
            h = self.act(self.inner(x))
            if self.wrong:
                h += 1
            return self.outer(h).tanh()

    net = torch.nn.Sequential(*(Block(i == 3) for i in range(8)))
    with watching():
        loss = net(torch.ones(2, 3)).sum()
    view = watch(loss, {"net": net})
    (stale,) = view.trace.stale
    assert view.drawn["large"] and view.drawn["open"] == ["net.3"]
    assert view.trace.events[view.event - 1].node == stale.writer
    assert "ac-stale" in class_of(view, stale.node)[view.event]
    view.unfold([])
    assert "ac-stale" in class_of(view, stale.node)[view.event], "a closed fold is marked too"
    assert watch(loss, event=0, opened=[]).drawn["open"] == [], "who asks for another view has it"

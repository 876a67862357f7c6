"""Exercise 14.2 gone wrong: the learner's own pass on a small graph, standing where it leaves the
right one.
"""

import numpy as np
import pytest
import torch
from ipywidgets import Widget

from autograd_core.lessons.exercises.check import check
from autograd_core.lessons.exercises.own_parts import program, trace_pass, watch_pass
from autograd_core.lessons.own_engine import Tensor
from autograd_core.parity import watching
from autograd_core.trace import difference, names_in, trace
from autograd_core.widgets.kit.agreement import close
from tests.lessons.test_own_parts import backward, calls_itself, overwrites


def test_the_right_pass_is_pytorchs():
    mine, error = trace_pass(Tensor.backward)
    leaves = {
        name: torch.tensor(numbers, dtype=torch.float64, requires_grad=True)
        for name, numbers in (("a", [0.5]), ("b", [-2.0]))
    }
    with watching():
        theirs = program(**leaves)
    theirs["loss"].backward()
    taken = [event for event in mine.events if event.kind == "accumulate"]
    reached = {mine.nodes[event.node].label: event.after - event.before for event in taken}
    assert error is None and reached.keys() == leaves.keys()
    for name, leaf in leaves.items():
        np.testing.assert_allclose(reached[name], leaf.grad.numpy(), rtol=0, atol=1e-12)
    with watching():
        again = program(*(leaf.detach().requires_grad_() for leaf in leaves.values()))
    traced = trace(again["loss"], names_in(again))
    passed, known = (
        [
            (event.kind, each.nodes[event.node].name)
            for event in each.events
            if event.kind != "accumulate"
        ]
        for each in (mine, traced)
    )
    assert passed == known
    assert difference(mine, mine, close) is None


def stops(self):
    list(self.graph())
    self.send(np.ones_like(self.data))
    raise KeyError("p")


def calls_itself_for_ever(self):
    if not self.inputs:
        self.grad = np.ones_like(self.data)
        return
    for node in self.graph():  # this one is among them
        node.backward()


def takes_what_arrives(self, gradient=None):
    """Depth first: what comes to a tensor is sent on before the rest has come."""
    gradient = np.ones_like(self.data) if gradient is None else gradient
    if not self.inputs:
        self.grad = gradient if self.grad is None else self.grad + gradient
        return
    for x, part in zip(self.inputs, self.send(gradient)):
        if part is not None:
            x.backward(part)


@pytest.mark.parametrize(
    "wrong, words, stands_at",
    [
        (backward(meet=lambda old, new: new), "u passes on what it holds: ", "u"),
        (backward(meet=lambda old, new: np.add(old, new, out=old)), ".grad of b was [20]. It", "b"),
        (overwrites, ".grad of a was [10]. It becomes ", "a"),
        (backward(send="rule"), "does not call `node.send`", "a"),
        (stops, "raises KeyError: 'p' here. Next would be p.", "loss"),
        (lambda self: None, "Your pass ends here. Next would be loss.", "loss"),
        (calls_itself, "Your pass goes to ", None),
        (calls_itself_for_ever, "Your pass raises RecursionError", None),
        (takes_what_arrives, "Your pass goes to v here. Next would be w.", "v"),
        (backward(everywhere=True), "every number of your pass is right", "b"),
    ],
)
def test_it_stands_where_the_pass_departs(wrong, words, stands_at):
    verdict = check("14.2", backward=wrong)
    view = verdict.view
    assert not verdict.correct and words in view.notice, view.notice
    label = view.trace.nodes[view.trace.events[view.event - 1].node].label
    assert stands_at in (None, label), (view.event, label)


def test_the_verdict_is_shown_above_the_view():
    verdict = check("14.2", backward=overwrites)
    shown = verdict._repr_mimebundle_()
    box = Widget.widgets[shown["application/vnd.jupyter.widget-view+json"]["model_id"]]
    assert [box.children[0].value, box.children[1]] == [verdict._repr_html_(), verdict.view]
    assert shown["text/plain"] == repr(verdict)
    assert repr(verdict).startswith("14.2 not yet. The second backward overwrites")


def test_what_is_right_or_open_or_was_interrupted_is_not_run_again():
    def interrupted(self):
        calls.append(1)
        raise KeyboardInterrupt

    calls = []
    for part in (Tensor.backward, lambda self: ..., interrupted):
        assert check("14.2", backward=part).view is None
    assert len(calls) == 1


@pytest.mark.parametrize(
    "wrong, words",
    [
        (backward(meet=lambda old, new: new), "u passes on ["),
        (overwrites, "a.grad was [10] and is now ["),
    ],
)
def test_no_event_says_added_where_it_was_not(wrong, words):
    view = watch_pass(wrong)
    said = "".join(text for _, text in view.structure["events"][view.event - 1]["text"])
    assert said.startswith(words) and "added" not in said
    assert view.structure["events"][0] == watch_pass(Tensor.backward).structure["events"][0]

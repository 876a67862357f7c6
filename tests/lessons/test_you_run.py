"""Exercises of the step view: what `check` says of a pass that was run by hand."""

import numpy as np
import pytest
import torch

import autograd_core as T
from autograd_core.lessons.exercises import check as checks
from autograd_core.lessons.exercises.you_run import YouRun
from autograd_core.trace import names_in
from autograd_core.widgets import watch


def two_ready():
    """On both engines, as in the lesson: PyTorch's leaves have no names there."""

    def leaves_and_loss(engine):
        a, b, c = (engine.tensor(value, requires_grad=True) for value in (2.0, -0.5, 0.3))
        u = a * b
        return {"a": a, "b": b, "c": c}, engine.sigmoid(u + c) + u * c

    (leaves, loss), (_, theirs) = map(leaves_and_loss, (T, torch))
    return watch(loss, theirs, names=names_in(leaves))


def run(view, **changes):
    """What the browser says of a run without a mistake; `changes` says of another."""
    gradients = {
        view.trace.nodes[event.node].label: {
            "shape": list(event.after.shape),
            "values": event.after.ravel().tolist(),
        }
        for event in view.trace.events
        if event.kind == "accumulate"
    }
    right = {"ran": 8, "events": 8, "wrong": [], "shown": 0, "gradients": gradients, "refuses": ""}
    return {**right, **changes}


WRONG = {
    "5 of 8 events have run": {"ran": 5},
    "another graph": {"events": 7},
    "1 event of it ran without you": {"shown": 1},
    "3 wrong turns; at most 2": {"wrong": ["Mul before Sigmoid"] * 3},
    "At b: yours": {"gradients": {"b": {"shape": [], "values": [-0.444]}}},
}


@pytest.mark.parametrize("words", WRONG)
def test_a_run_that_is_not_what_was_asked_for_is_told_why(words):
    view = two_ready()
    changes = dict(WRONG[words])
    if "gradients" in changes:
        changes["gradients"] = {**run(view)["gradients"], **changes["gradients"]}
    view.you = run(view, **changes)
    verdict = checks.check("02.1", run=view)
    assert verdict.attempted and not verdict.correct and words in repr(verdict)


def test_a_run_that_is_right_is_told_so_and_one_that_nobody_began_is_open():
    view = two_ready()
    assert checks.check("02.1", run=view).status == "not attempted yet"
    view.you = run(view, wrong=["Mul before Sigmoid"])
    told = repr(checks.check("02.1", run=view))
    assert "8 events, 1 wrong turn. PyTorch has the same at 3 leaves" in told
    assert "Pass the step view" in repr(checks.check("02.1", run=3))


def test_a_nan_that_was_found_is_a_right_number():
    x = T.tensor([0.0, 0.5], requires_grad=True)
    loss = T.where(T.tensor([False, True]), T.log(x), 0.0).sum()
    view = watch(loss, names=names_in({"x": x}))
    given = {"x": {"shape": [2], "values": ["nan", 2.0]}}
    view.you = run(view, ran=4, events=4, gradients=given)
    assert np.isnan(view.trace.events[-1].after[0])
    assert YouRun(4).judge(view)[0]
    view.you = {**view.you, "gradients": {"x": {"shape": [2], "values": [0.0, 2.0]}}}
    assert not YouRun(4).judge(view)[0]

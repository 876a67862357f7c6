"""Lesson 04's loop and its second backward: what is drawn is what both engines did."""

import pytest
import torch

import autograd_core
from autograd_core.lessons import lesson_04
from autograd_core.lessons.exercises.check import check
from autograd_core.lessons.widgets.live_graph import BYTES, NODES


def loss_of(T):
    w, b = (T.tensor(each, requires_grad=True) for each in (2.0, 1.0))
    h = w**2
    loss = T.sqrt(h) + h * h + b
    loss.backward()
    return loss


@pytest.mark.parametrize(
    "detach, backward, total, no_grad, nodes, saved, said",
    [
        (True, "backward()", "loss.item()", False, [6, 6, 6], [0, 0, 0], "is freed at the next"),
        (True, "backward()", "loss", False, [7, 13, 361], [0, 0, 0], "no saved tensors"),
        (True, "no backward", "loss", False, [7, 13, 361], [1024, 2048, 61440], "never freed"),
        (True, "no backward", "loss", True, [0, 0, 0], [0, 0, 0], "Nothing is recorded"),
        (False, "backward()", "loss.item()", False, [6, None, None], [0, None, None], "step 2"),
        (False, "backward(retain_graph=True)", "loss.item()", False, [6, 9, 183], [1024, 2048, 61440], "183 nodes"),
        (True, "backward(retain_graph=True)", "loss.item()", False, [6, 6, 6], [1024] * 3, "stays full"),
    ],
)  # fmt: skip
def test_the_numbers_of_the_lesson(detach, backward, total, no_grad, nodes, saved, said):
    widget = lesson_04.live_graph()
    settings = {"detach": detach, "backward": backward, "total": total, "no_grad": no_grad}
    for name, value in settings.items():
        widget.set(name, value)
    found = {panel.title: next(iter(panel.lines.values())) for panel in widget.panels}
    assert [found[NODES][step] for step in (1, 2, 60)] == nodes
    in_bytes = [found[BYTES][step] for step in (1, 2, 60)]
    assert [each if each is None else round(1000 * each) for each in in_bytes] == saved
    assert said in widget.sentence and said in widget.drawn["svg"] and said in repr(widget)
    assert not widget.verdict["differs"]


def test_a_second_pass_is_asked_for_and_judged():
    view = lesson_04.second_backward(loss_of(autograd_core), loss_of(torch))
    assert view.event == len(view.trace.events) and view.you == {"again": True}
    assert check("04.1", run=view).status == "not attempted yet"
    done = {"ran": 7, "events": 7, "wrong": [], "shown": 7, "gradients": {}, "refuses": ""}
    view.you = {**done, "wrong": ["Sqrt"]}
    assert "click the node that raises" in repr(check("04.1", run=view))
    view.you = {**done, "refuses": "Mul", "wrong": ["Sqrt"]}
    assert check("04.1", run=view).correct
    view.you = {**done, "refuses": "Mul", "wrong": ["Sqrt", "Add", "w"]}
    assert "3 wrong clicks; at most 2" in repr(check("04.1", run=view))

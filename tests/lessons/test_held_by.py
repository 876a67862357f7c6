"""Lesson 01's loop and its single number: what is drawn is what both engines recorded."""

import xml.etree.ElementTree as xml

import pytest
import torch

import autograd_core
from autograd_core.lessons import lesson_01

SVG = "{http://www.w3.org/2000/svg}"


def shrink(v):
    while v.abs() > 1:
        v = v / 2
    return v


def one_number(T):
    T.manual_seed(0)
    image = (T.arange(961.0).reshape(31, 31) > 480).float()
    model = T.nn.Sequential(T.nn.Linear(961, 8), T.nn.Tanh(), T.nn.Linear(8, 1))
    return ((model(image.reshape(1, 961)) - 1) ** 2).mean()


def loop():
    return lesson_01.unrolled(shrink, shrink)


def number():
    return lesson_01.held_by(lambda: one_number(autograd_core), lambda: one_number(torch))


def texts_of(widget, form="wide"):
    return [each.text for each in xml.fromstring(widget.drawn[form]).iter(f"{SVG}text")]


@pytest.mark.parametrize(
    "v, said",
    [
        (10.0, "ran 4 times; 5 nodes: 4 DivBackward0, {}; result 0.625; v.grad 0.0625"),
        (3.0, "ran twice; 3 nodes: 2 DivBackward0, {}; result 0.75; v.grad 0.25"),
        (2.0, "ran once; 2 nodes: 1 DivBackward0, {}; result 1; v.grad 0.5"),
        (2.2, "ran twice; 3 nodes: 2 DivBackward0, {}; result 0.55; v.grad 0.25"),
        (0.8, "never ran; no node; result 0.8; v.grad 1"),
    ],
)
def test_a_loop_leaves_a_node_for_each_time_that_it_ran(v, said):
    widget = loop()
    widget.set("v", v)
    assert repr(widget).endswith(f"The loop {said.format('1 AccumulateGrad')}")
    assert not widget.verdict["differs"]
    for form in ("wide", "narrow"):
        assert texts_of(widget, form).count("Div") == len(widget.result["nodes"])
    assert widget.factors == [0.5] * len(widget.result["nodes"])


def test_another_loop_is_drawn_from_its_nodes():
    widget = lesson_01.unrolled(lambda v: v.exp() * 3, lambda v: v.exp() * 3)
    assert widget.result["nodes"] == ["Mul", "Exp"] and widget.factors[0] == 3
    assert widget.curve[0][2] == 2


def test_engines_that_differ_are_told():
    assert lesson_01.unrolled(shrink, lambda v: v / 2).verdict["differs"]
    held = lesson_01.held_by(lambda: one_number(autograd_core), lambda: 2 * one_number(torch))
    assert held.verdict["differs"]


def test_a_loss_keeps_the_image_until_backward_and_the_weights_until_item():
    widget = number()
    kept = one_number(torch)
    assert widget.result["nodes"] == len(lesson_01.walk(kept.grad_fn)) == 12
    assert "4 parameters (7,705 numbers) and the image" in repr(widget)
    assert "[8, 961]" in texts_of(widget)
    for form in ("wide", "narrow"):
        circles = [*xml.fromstring(widget.drawn[form]).iter(f"{SVG}circle")]
        assert len(circles) == 12, "a node is drawn as a circle"
    assert (widget.result["saved"].numpy().ravel() == (torch.arange(961) > 480).numpy()).all()
    widget.set("loss", "after backward()")
    assert repr(widget) == "The loss keeps 12 nodes and 4 parameters (7,705 numbers) alive"
    assert "saved tensor: freed" in texts_of(widget, "narrow")
    widget.set("loss", "after .item()")
    assert "a number" in repr(widget) and len(texts_of(widget)) == 2

"""Lesson 02: the backward pass that the learner runs by hand."""

from typing import Any

from ..trace import names_in
from ..widgets import GraphView, watch

LEAVES = {"a": 2.0, "b": -0.5, "c": 0.3}


def run_it(one_path_more: bool = False) -> GraphView:
    """The step view of `loss = u * v`, where `u = a * b` and `v = sigmoid(u + c)`, as both engines
    computed it. `one_path_more` adds `u` to the loss."""
    import torch

    import autograd_core

    ours, theirs = (forward(engine, one_path_more) for engine in (autograd_core, torch))
    note = "loss = u * v + u" if one_path_more else "loss = u * v"
    names = names_in(ours)
    return watch(ours["loss"], theirs["loss"], names=names, title="The backward pass", note=note)


def forward(T: Any, one_path_more: bool) -> dict[str, Any]:
    """The named tensors of the picture on one engine, before `backward()`."""
    a, b, c = (T.tensor(value, requires_grad=True) for value in LEAVES.values())
    u = a * b
    v = T.sigmoid(u + c)
    loss = u * v + u if one_path_more else u * v
    return {"a": a, "b": b, "c": c, "u": u, "v": v, "loss": loss}

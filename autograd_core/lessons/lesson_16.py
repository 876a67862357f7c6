"""Lesson 16: 48 pixels in two shards."""

from collections.abc import Callable
from typing import Any

import torch

import autograd_core

from .widgets.shards import shards as Shards


def shards() -> Shards:
    """48 pixels in two shards, three losses and three kinds of exchange, on both engines."""
    return Shards(
        exchange(autograd_core),
        exchange(torch),
        loss=["masked mean", "plain mean", "OHEM"],
        exchange=["average", "sums and count", "choose together"],
        border=(24, 12, 36, 4),
    )


def exchange(T: Any) -> Callable[..., dict[str, Any]]:
    """The `run` of the shards on one engine. The lesson's cells have the same pixels."""
    T.manual_seed(2)
    place = T.arange(48)
    text, valid = place < 9, (place < 24) | (place >= 40)
    x = T.randn(48, 2, dtype=T.float64) + text[:, None]
    # a copy of the weights for each pixel, so that one pass computes all gradients
    w = T.tensor([[0.5, -0.5]] * 48, dtype=T.float64, requires_grad=True)
    cross_entropy = T.nn.functional.binary_cross_entropy_with_logits
    losses = cross_entropy((x * w).sum(1), text.double(), reduction="none")
    losses.sum().backward()
    gradients = w.grad

    def taken(loss: str, mine: Any) -> Any:
        """The pixels of a shard that count."""
        if loss != "OHEM":
            return mine & valid if loss == "masked mean" else mine
        wanted = min(3 * int((mine & text).sum()), int((mine & ~text).sum()))
        counts = mine & text
        counts[(losses.detach() * (mine & ~text)).topk(wanted)[1]] = True
        return counts

    def run(loss: str, exchange: str, border: int) -> dict[str, Any]:
        first, whole = place < border, taken(loss, place >= 0)
        parts = [taken(loss, first), taken(loss, ~first)]
        if exchange == "choose together":
            parts = [whole & first, whole & ~first]
        both = parts[0] | parts[1]
        own = [gradients[part].sum(0) / max(int(part.sum()), 1) for part in parts]
        together = sum(own) / 2 if exchange == "average" else gradients[both].mean(0)
        found = {"gradients": T.stack([*own, together, gradients[whole].mean(0)])}
        return {**found, "first": first, "label": text, "taken": both, "whole_taken": whole}

    return run

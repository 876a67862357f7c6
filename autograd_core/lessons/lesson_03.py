"""Lesson 03: the game of three calls, and a loop that keeps a part of the old gradient."""

from collections.abc import Callable
from typing import Any

from .widgets.by_hand import calls_by_hand
from .widgets.curves import curves

KEEP = {"1: never cleared": 1.0, "0.9": 0.9, "0.5": 0.5, "0: zero_grad()": 0.0}
"""The factor of the old gradient for each choice of the setting "keep"."""

OPENS = 5
"""The step at which the curves open: the weight has just passed 3."""


def three_calls(*, start: float, goal: float, within: float, lr: float, most: int) -> calls_by_hand:
    """Show a game: bring `w` from `start` to within `within` of `goal` by at most `most` calls of
    `backward()`, `step()` and `zero_grad()`."""

    def loss(w: Any) -> Any:
        return (w - goal) ** 2 / 2

    rules: dict[str, Any] = {"goal": goal, "within": within, "edges": (goal - 4, goal + 4)}
    return calls_by_hand(loss, {"w": start}, **rules, lr=lr, most=most, title="Three calls")


def loop(T: Any, has_buffer: bool = False) -> Callable[..., dict[str, list[float]]]:
    """Return a training loop on one engine that multiplies the old gradient by `keep` before each
    `backward()`; or, if it `has_buffer`, one that clears `.grad` and uses `momentum=keep`."""

    def run(keep: str, lr: float) -> dict[str, list[float]]:
        part = KEEP[keep]
        w = T.tensor(0.0, dtype=T.float64, requires_grad=True)
        optimizer = T.optim.SGD([w], lr=lr, momentum=part if has_buffer else 0.0)
        weights, used = [w.item()], []
        for _ in range(60):
            if has_buffer or part == 0:
                optimizer.zero_grad()
            elif w.grad is not None:
                w.grad *= part
            ((w - 3) ** 2 / 2).backward()
            buffer = part * used[-1] if used and has_buffer else 0.0
            used.append(w.grad.item() + buffer)
            optimizer.step()
            weights.append(w.item())
        return {"w": weights[:-1], "w.grad": used}

    return run


def what_stays(overlay: bool = False) -> curves:
    """Show 60 steps of the loop, with a choice of how much of the old gradient it keeps. The rings
    show PyTorch: the same loop or, with `overlay`, a loop that clears `.grad` and uses momentum."""
    import torch

    import autograd_core

    return curves(
        loop(autograd_core),
        loop(torch, has_buffer=overlay),
        title="What stays in .grad?",
        note="the rings: .grad is cleared, momentum=keep" if overlay else "loss = ½(w − 3)²",
        bowl=(lambda w: (w - 3) ** 2 / 2, -1.0, 7.0),
        opens=OPENS,
        keep=list(KEEP),
        lr=(0.1, 0.01, 2.1, 0.01),
    )

"""Lesson 03: the game of three calls, and a loop that keeps a part of the old gradient."""

from collections.abc import Callable
from typing import Any

import torch

from .engines import ENGINES
from .widgets.by_hand import calls_by_hand
from .widgets.curves import curves

KEEP = {"1: never cleared": 1.0, "0.9": 0.9, "0.5": 0.5, "0: zero_grad()": 0.0}
"""The factor of the old gradient for each choice of the setting "keep"."""

OPENS = 5
"""The step at which the curves open: a loop that never clears `.grad` has just passed 3."""

USED = "w.grad or buffer"
"""The sum of gradients that `step()` uses, if one of two loops has it in the momentum buffer."""


def three_calls(*, start: float, goal: float, within: float, lr: float, most: int) -> calls_by_hand:
    """Show a game: bring `w` from `start` to within `within` of `goal` by at most `most` calls of
    `backward()`, `step()` and `zero_grad()`."""

    def loss(w: Any) -> Any:
        return (w - goal) ** 2 / 2

    rules: dict[str, Any] = {"goal": goal, "within": within, "edges": (goal - 4, goal + 4)}
    rules |= {"title": "Three calls", "note": f"SGD with lr = {lr}"}
    return calls_by_hand(loss, {"w": start}, **rules, lr=lr, most=most)


def loop(
    T: Any, has_buffer: bool = False, used_as: str = "w.grad"
) -> Callable[..., dict[str, list[float]]]:
    """Return a training loop on one engine that multiplies the old gradient by `keep` before each
    `backward()`; or, if it `has_buffer`, one that clears `.grad` and uses `momentum=keep`. The loop
    returns the weights, and under `used_as` the sums of gradients that its steps use."""

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
            optimizer.step()
            has = has_buffer and part > 0
            used.append((optimizer.state[w]["momentum_buffer"] if has else w.grad).item())
            weights.append(w.item())
        return {"w": weights[:-1], used_as: used}

    return run


def what_stays(overlay: bool = False) -> curves:
    """Show 60 steps of the loop, with a choice of how much of the old gradient it keeps. The rings
    show the same loop on PyTorch. With `overlay`, both loops run on PyTorch, and the rings show the
    one that clears `.grad` and uses momentum."""
    bowl = (lambda w: (w - 3) ** 2 / 2, -1.0, 7.0)
    options: dict[str, Any] = {"title": "What stays in .grad?", "bowl": bowl, "opens": OPENS}
    if not overlay:
        runs = [*map(loop, ENGINES)]
        options |= {"note": "loss = ½(w − 3)²", "keep": list(KEEP)}
    else:
        runs = loop(torch, used_as=USED), loop(torch, has_buffer=True, used_as=USED)
        options |= {"note": "two loops, both on PyTorch", "engine": "w.grad *= keep"}
        options |= {"against": "momentum=keep", "keep": list(KEEP)}
    return curves(*runs, **options, lr=(0.1, 0.01, 2.1, 0.01))

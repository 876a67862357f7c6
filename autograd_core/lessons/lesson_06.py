"""Lesson 06: ways to mask a loss, the backward pass of a masked logarithm, and a figure."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from ..widgets import GraphView, watch
from ..widgets.kit.format import number
from ..widgets.kit.sheet import Sheet
from .engines import ENGINES
from .lesson_02 import traced
from .widgets.figure import Figure
from .widgets.paint import paint
from .widgets.table import table

__all__ = ["broadcast", "outcomes", "painter", "table", "too_late"]

BEFORE = {
    "p = where(mask, p, 1)": lambda T, x, mask, p: -T.log(T.where(mask, p(x), 1.0)),
    "x = x[mask]": lambda T, x, mask, p: -T.log(p(x[mask])),
    "double where on x": lambda T, x, mask, p: T.where(mask, -T.log(p(T.where(mask, x, 0.0))), 0.0),
}
"""Ways to mask before the logarithm: {its code or name: the losses that remain}."""
AFTER = {
    "mask * nll": lambda T, nll, mask: mask * nll,
    "nll[mask]": lambda T, nll, mask: nll[mask],
    "where(mask, nll, 0)": lambda T, nll, mask: T.where(mask, nll, 0),
}
"""Ways to mask the losses: {its code: the losses that remain}."""
PROGRAM = """p = torch.tensor([0.0, 0.5], requires_grad=True)
mask = torch.tensor([False, True])
nll = -torch.log(p)
loss = torch.where(mask, nll, 0.0).sum()"""
FIRST_NAN = 9  # the event at which the logarithm runs backward


def painter() -> paint:
    """A mask to paint and a pixel to poison; each way to mask is computed on both engines."""
    torch.manual_seed(5)
    grid, mask = torch.randn(6, 6, dtype=torch.float64), torch.zeros(6, 6, dtype=torch.bool)
    mask[1, 1:3] = mask[2, 1:5] = mask[3, 2:4] = mask[4, 2:5] = True
    return paint(
        *map(masked, ENGINES),
        x=grid,
        mask=mask,
        poison={(3, 4): "log 0"},
        title="One striped pixel, six ways to mask",
        note="p = sigmoid(w·x + b), nll = −log p (negative log-likelihood), w = 1.2, b = 0.3",
        words={"divide_by": "divide the sum by"},
        divide_by=["the mask", "all pixels"],
    )


def masked(T: Any) -> Callable[..., dict[str, Any]]:
    """The `run` of the painter on one engine."""

    def run(x: list, mask: list, divide_by: str) -> dict[str, Any]:
        results, chosen = {}, T.tensor(mask)
        places = T.arange(chosen.numel()).reshape(chosen.shape)
        count = chosen.sum() if divide_by == "the mask" else T.tensor(chosen.numel())
        for way in (*AFTER, *BEFORE):
            leaf, w, b = (
                T.tensor(value, dtype=T.float64, requires_grad=True) for value in (x, 1.2, 0.3)
            )

            def p(x: Any, w: Any = w, b: Any = b) -> Any:
                return T.sigmoid(w * x + b)

            if way in AFTER:
                kept = AFTER[way](T, -T.log(p(leaf)), chosen)
                cells = AFTER[way](T, places, chosen)
            else:
                kept = BEFORE[way](T, leaf, chosen, p)
                cells = places[chosen] if kept.ndim == 1 else places
            loss = kept.sum() / count
            loss.backward()
            results[way] = {
                "kept": kept.detach(),
                "cells": cells,
                "divided by": count,
                "x.grad": leaf.grad,
                "loss": loss.detach(),
                "w.grad": w.grad,
                "b.grad": b.grad,
            }
        return results

    return run


def too_late() -> GraphView:
    """The step view of a `where` after the logarithm, at the moment when nan appears."""
    ours, theirs = (traced(engine, PROGRAM, {}) for engine in ENGINES)
    return watch(ours, theirs, title="Where the nan begins", event=FIRST_NAN)


def outcomes(ways: Mapping[str, tuple[float, list]], leaf: str) -> table:
    """A table of (loss, gradient) for each way to write a loss of the variable `leaf`."""
    return table(ways, ["way", "loss", f"gradient at `{leaf}`"])


def broadcast(column: Any, losses: Any) -> Figure:
    """The product of a column of bools with a row of losses, and how often each loss counts."""
    rows, values = column.flatten().tolist(), losses.tolist()
    left, top, side, count = 220, 52, 62, sum(column.flatten().tolist())
    below = top + 36 * len(rows)
    sheet = Sheet(left + len(values) * side + 180, below + 86)
    sheet.text("column * loss, a product of shape [4, 4]", 10, 18, "text", weight=700, size=13)
    sheet.text("loss", left - 12, 44, "text2", anchor="end")
    for k, value in enumerate(values):
        middle = left + (k + 0.5) * side
        sheet.text(number(value), middle, 44, "value", weight=700, anchor="middle")
        for i, row in enumerate(rows):
            y = top + 36 * i
            looks = {"fill": "value-tint" if row else "card", "stroke": "border-quiet"}
            sheet.rect(left + k * side, y, side, 36, **looks)
            text, ink = (number(value), "value") if row else ("0", "text2")
            sheet.text(text, middle, y + 23, ink, anchor="middle", size=13)
        sheet.text(str(count), middle, below + 20, "text", anchor="middle")
        sheet.text("1", middle, below + 44, "gradient", weight=700, anchor="middle")
    for i, row in enumerate(rows):
        sheet.text(f"column: {row}", left - 12, top + 36 * i + 23, "text2", anchor="end")
    sheet.text("times counted", left - 12, below + 20, "text2", anchor="end")
    sheet.text(f"÷ column.sum() = {count}: gradient", left - 12, below + 44, "text2", anchor="end")
    wanted = sum(value for row, value in zip(rows, values) if row) / count
    result = f"result {number(sum(values))} instead of {number(wanted)}"
    sheet.text(result, left, below + 70, "text", weight=700)
    said = f"each loss is counted {count} times, then divided by {count}; {result}"
    return Figure(sheet, f"the product has shape [4, 4]; {said}")

"""A small map with two logits at each pixel. Arrows show the gradients, so that it is visible which
pixels learn."""

from dataclasses import dataclass

import numpy as np
import traitlets

from ...widgets.kit.agreement import Agreement, array_of, compare
from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from ...widgets.kit.sheet import Sheet
from .maps import sign_of
from .paint import brief

MAPS = "logits", "p", "gradient", "text", "train"
OUTPUTS = "not text", "text"
HEADINGS = "logit", "p", "onehot", "p − onehot", "gradient"
SHOWN = "logits", "p", "onehot", "off", "gradient"
"""Headings of the panel, and what of a pixel stands below each."""

ROUNDING = 1e-12  # a smaller sum is rounding error
# pixels; on a page, a cell is as wide as its room
CELL_WIDTH, CELL_HEIGHT, MARGIN, HEAD = 74, 68, 12, 34
ARROW = 30  # pixels, for a p − onehot of 1


@dataclass(frozen=True)
class Pixels:
    """H × W pixels: logits, p, gradient (H, W, 2), text and train (H, W) boolean, loss a number."""

    logits: np.ndarray
    p: np.ndarray
    gradient: np.ndarray
    text: np.ndarray
    train: np.ndarray
    loss: np.ndarray

    @property
    def onehot(self) -> np.ndarray:
        """(H, W, 2): 1 for the output that the label names."""
        return np.stack([~self.text, self.text], axis=-1).astype(float)

    @property
    def off(self) -> np.ndarray:
        """(H, W, 2): p − onehot."""
        return self.p - self.onehot

    @property
    def learns(self) -> np.ndarray:
        """(H, W): whether a nonzero gradient arrived."""
        return (self.gradient != 0).any(axis=-1)

    @property
    def arrows(self) -> np.ndarray:
        """(H, W, 2): the gradient, scaled so that the longest arrow is as long as its p − onehot."""
        longest = np.abs(self.gradient).max(initial=0.0)
        scale = np.abs(self.off[self.learns]).max() / longest if longest > 0 else 1.0
        return self.gradient * scale

    def by_loss(self) -> dict[str, np.ndarray]:
        """The pixels in the order of their own loss. Among tied pixels, those that learn come first:
        `topk` may pick any of them, so an exchange isn't a difference."""
        # the loss of a pixel is −log of it
        share = np.round((self.p * self.onehot).sum(axis=-1), 9)
        keys = [~self.learns, -share, self.text, self.train]
        order = np.lexsort([key.ravel() for key in keys])
        rows = {name: getattr(self, name).reshape(order.size, -1)[order] for name in MAPS}
        return {**{f"{name} by loss": row for name, row in rows.items()}, "loss": self.loss}

    def summary(self) -> str:
        """How many pixels get a gradient, in words."""
        text, others = (
            f"{(self.learns & kind & self.train).sum()} of {(kind & self.train).sum()}"
            for kind in (self.text, ~self.text)
        )
        return f"{text} text pixels and {others} others get a gradient"


class mining(Live):
    """Draw the map that `run(**settings)` returns, again after every change of a setting. The result
    is a dict of "logits", "p" and "gradient", the gradient of the loss at the logits (H, W, 2); "text"
    and "train" (H, W), boolean: the label, and whether the pixel counts; and "loss", a number.

    `topk` may pick any of several tied pixels, so tied pixels may be exchanged."""

    view = traitlets.Unicode("mining").tag(sync=True)
    called, wanted = "Who learns?", (*MAPS, "loss")

    def update(self) -> None:
        """Update as every widget. If a run raises, the last picture stays and is marked as old."""
        try:
            super().update()
        except Exception:
            self.drawn = {**self.drawn, "old": True}
            raise

    def read(self, result: object) -> Pixels:
        found = super().read(result)
        return Pixels(**{name: array_of(found[name]) for name in self.wanted})

    def judge(self, ours: Pixels, theirs: Pixels) -> Agreement:
        return compare(ours.by_loss(), theirs.by_loss())

    def draw(self, ours: Pixels, theirs: Pixels | None) -> dict:
        self.pixels, there = ours, theirs or ours
        rows, columns = ours.text.shape
        self.cells = [_cell(ours, there, place) for place in np.ndindex(rows, columns)]
        sheet = Sheet(columns * CELL_WIDTH, rows * CELL_HEIGHT, live=True, fluid=True)
        self.map(sheet)
        return {
            "svg": sheet.svg("Pixels. The arrow keys read them.", role="grid"),
            "columns": columns,
            "headings": list(HEADINGS),
            "cells": [{"where": cell["where"], "rows": cell["rows"]} for cell in self.cells],
            "tied": any(cell["tied"] for cell in self.cells),
            "loss": number(ours.loss[()]),
            "summary": ours.summary(),
            "old": False,
        }

    def still(self) -> str:
        height, width = np.multiply(self.pixels.text.shape, (CELL_HEIGHT, CELL_WIDTH)).tolist()
        sheet = Sheet(2 * MARGIN + width, HEAD + height + MARGIN)
        sheet.text(repr(self), MARGIN, 22, "text")
        with sheet.within("svg", x=MARGIN, y=HEAD, width=width, height=height):
            self.map(sheet)
        return sheet.svg(repr(self))

    def map(self, sheet: Sheet) -> None:
        """Draw a square for each pixel: its logits, an arrow for each gradient, and p − onehot. Text
        pixels have a thick outline."""
        rows, columns = self.pixels.text.shape
        hatch = sheet.stripes("masked", 0.16)
        for row in range(rows):
            with sheet.within("g", role="row"):
                for column in range(columns):
                    cell = self.cells[row * columns + column]
                    x, width = f"{100 * column / columns:g}%", f"{100 / columns:g}%"
                    place = {"x": x, "y": row * CELL_HEIGHT, "width": width, "height": CELL_HEIGHT}
                    hands = {"role": "gridcell", "tabindex": -1, "aria_label": cell["label"]}
                    with sheet.within("svg", **place, **hands):
                        self._pixel(sheet, (row, column), hatch, cell["tied"])

    def _pixel(self, sheet: Sheet, place: tuple[int, int], hatch: str, tied: str) -> None:
        here, whole = self.pixels, {"width": "100%", "height": "100%"}
        learns = here.learns[place]
        ground, weight = ("card", 700) if learns else (hatch, 400)
        sheet.add("rect", **whole, fill=ground, stroke="border-quiet")
        if here.text[place]:
            # half of the outline is outside the cell
            sheet.add("rect", **whole, fill="none", stroke="text", stroke_width=4)
        for output, x in enumerate(("25%", "75%")):
            looks = {"x": x, "anchor": "middle", "size": 11.5}
            logit, off = brief(here.logits[place][output]), brief(here.off[place][output])
            length = float(here.arrows[place][output])
            sheet.add("text", logit, y=15, fill="value", **looks)
            # the spaces separate the numbers in the name of the cell
            sheet.parts.append(" ")
            if not np.isfinite(length):
                sheet.add("text", number(length), y=CELL_HEIGHT / 2 + 4, fill="error", **looks)
            elif length:
                pen = {"fill": "none", "stroke": sign_of(off), "stroke_width": 2}
                free = {"overflow": "visible", "aria_hidden": "true"}
                with sheet.within("svg", x=x, y=CELL_HEIGHT / 2, **free):
                    sheet.add("path", d=_arrow(ARROW * length), **pen)
            looks |= {"fill": sign_of(off) if learns else "masked", "weight": weight}
            sheet.add("text", off, y=CELL_HEIGHT - 7, **looks)
            sheet.parts.append(" ")
        if tied:
            sheet.text(tied, "50%", CELL_HEIGHT / 2 + 4, "text2", weight=700, anchor="middle")
        if sheet.live:
            sheet.rect("4%", "6%", "92%", "88%", rx=3, fill="none", part="ring")

    def __repr__(self) -> str:
        return f"{self.title}: {self.pixels.summary()}; loss {number(self.pixels.loss[()])}"


def _cell(here: Pixels, there: Pixels, place: tuple[int, int]) -> dict:
    """The panel's texts for a pixel: its position and state, and one row of numbers for each output
    and one for their sum. If only one engine took a `tied` pixel, × marks ours and ○ PyTorch's."""
    ours, theirs = here.learns[place], there.learns[place]
    state = "ignored" if not here.train[place] else "gets a gradient" if ours else "gets none"
    tied = "" if ours == theirs else "○" if theirs else "×"
    took = f", tied: PyTorch took {'this one' if theirs else 'another'}" if tied else ""
    where = f"Row {place[0]}, column {place[1]}, {OUTPUTS[int(here.text[place])]}, {state}{took}"
    pairs = {name: getattr(here, key)[place] for name, key in zip(HEADINGS, SHOWN)}
    with np.errstate(invalid="ignore"):
        # the sum of the logits has no meaning
        sums = [pair.sum() for pair in pairs.values()][1:]
    rows = [[number(pair[k]) for pair in pairs.values()] for k in (0, 1)]
    halves = zip(here.logits[place], here.arrows[place], here.off[place])
    drawn = "; ".join(
        ", ".join([brief(logit), *[number(arrow)] * (not np.isfinite(arrow)), brief(off)])
        for logit, arrow, off in halves
    )
    numbers = "; ".join(f"{name} {', '.join(map(number, pair))}" for name, pair in pairs.items())
    return {
        "where": where,
        "tied": tied,
        "label": f"{where}: logit and p − onehot {drawn}; {numbers}",
        "rows": [*rows, ["", *(number(0.0 if abs(x) < ROUNDING else x) for x in sums)]],
    }


def _arrow(length: float) -> str:
    """An arrow of `length` pixels around (0, 0). It points up if `length` is positive."""
    wide, half = min(4, abs(length) / 2), length / 2
    wing = np.copysign(wide, length) - half
    return f"M0 {half:.1f}V{-half:.1f}M{-wide:.1f} {wing:.1f}L0 {-half:.1f}L{wide:.1f} {wing:.1f}"

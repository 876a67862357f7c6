"""A map of pixels with two logits each. Two arrows in a pixel show how a step changes its outputs, so
that it is visible which pixels learn."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import traitlets

from ...widgets.kit.agreement import Agreement, array_of, compare
from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from ...widgets.kit.sheet import Sheet

MAPS = "logits", "p", "gradient", "text", "train"
HEADINGS = "logit", "p", "onehot", "p − onehot", "gradient"
KEY = (
    "↑ a step raises this output",
    "↓ lowers it",
    "left: output 0, right: output 1",
    "thick outline: labeled text",
    "hatched: no gradient",
)
IGNORED = "dotted: ignored"

ROUNDING = 1e-12  # a smaller sum is rounding error
# pixels; on a page, a cell is as wide as its room
CELL_WIDTH, CELL_HEIGHT, MARGIN, HEAD, LINE = 62, 40, 12, 34, 20
# pixels: an arrow without a gradient, what n × gradient = 1 adds to it, and its head
SHAFT, ARROW, WING = 6, 10, 3
PLACES = "32%", "68%"
PLOT, LEFT, TOP, SIDE, HIGH = (320, 180), 40, 30, 262, 108


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
        """(H, W, 2): 1 for the output whose number is the label."""
        return np.stack([~self.text, self.text], axis=-1).astype(float)

    @property
    def learns(self) -> np.ndarray:
        """(H, W): whether a nonzero gradient arrived."""
        return (self.gradient != 0).any(axis=-1)

    @property
    def scaled(self) -> np.ndarray:
        """(H, W, 2): the gradient times the number of pixels that learn."""
        return self.gradient * self.learns.sum()

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

    def told(self, place: tuple[int, int]) -> str:
        """A sentence about a pixel."""
        label = "labeled text" if self.text[place] else "labeled not text"
        label = label if self.train[place] else f"{label}, ignored"
        first, second = self.gradient[place]
        if not self.learns[place]:
            effect = "gets no gradient"
        elif not np.isfinite(first + second):
            effect = f"its gradient is {number(first)} and {number(second)}"
        else:
            goes = ("lowers", "raises") if first > 0 else ("raises", "lowers")
            effect = f"a step {goes[0]} output 0 and {goes[1]} output 1 by the same amount"
        return f"Row {place[0]}, column {place[1]}, {label}: {effect}."

    def rows(self, place: tuple[int, int]) -> list[list[str]]:
        """The numbers of a pixel below `HEADINGS`: for each output, and their sum."""
        p, onehot, gradient = (each[place] for each in (self.p, self.onehot, self.gradient))
        rows = [
            [f"{self.logits[place][k]:.2f}".replace("-", "−"), number(p[k]), number(onehot[k])]
            + [number(p[k] - onehot[k]), _short(gradient[k])]
            for k in (0, 1)
        ]
        # the sum of the logits has no meaning
        sums = p.sum(), onehot.sum(), (p - onehot).sum(), gradient.sum()
        return [*rows, ["", *(_short(0.0 if abs(x) < ROUNDING else x) for x in sums)]]


class mining(Live):
    """Draw the map that `run(**settings)` returns, again after every change of a setting. The result
    is a dict of "logits", "p" and "gradient", the gradient of the loss at the logits (H, W, 2); "text"
    and "train" (H, W), boolean: the label, and whether the pixel counts; and "loss", a number.

    opens  the row and the column of the pixel that is selected first.
    framed (row, column), (height, width), and what this rectangle is.
    plot   the name of a setting, True if a softmax comes before the cross-entropy. Then a plot
           shows the gradients of the pixels that are labeled not text.

    `topk` may pick any of several tied pixels, so tied pixels may be exchanged."""

    view = traitlets.Unicode("mining").tag(sync=True)
    called, wanted = "Who learns?", (*MAPS, "loss")

    def __init__(self, run, other=None, *, opens=(0, 0), plot="", framed=None, **options):
        self.opens, self.plot, self.framed = opens, plot, framed
        super().__init__(run, other, **options)

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
        self.pixels = ours
        rows, columns = ours.text.shape
        sheet = Sheet(columns * CELL_WIDTH, rows * CELL_HEIGHT, live=True, fluid=True)
        self.map(sheet)
        places = [*np.ndindex(rows, columns)]
        return {
            "svg": sheet.svg("Pixels. The arrow keys select one.", role="grid"),
            "plot": self._plotted(live=True) if self.plot else "",
            "columns": columns,
            "opens": self.opens[0] * columns + self.opens[1],
            "headings": list(HEADINGS),
            "cells": [{"where": ours.told(place), "rows": ours.rows(place)} for place in places],
            "key": self.key(),
            "loss": number(ours.loss[()]),
            "summary": ours.summary(),
            "formula": self.formula(),
            "old": False,
        }

    def key(self) -> list[str]:
        """What the picture means, in words."""
        framed = [f"dashed outline: {self.framed[2]}"] if self.framed else []
        return [*KEY, *framed, *[IGNORED] * (not self.pixels.train.all())]

    def formula(self) -> str:
        """The gradient of the pixels that learn, or "" after a softmax."""
        if self.plot and self.settings[self.plot]:
            return ""
        return f"(p − onehot) ÷ {self.pixels.learns.sum()}"

    def still(self) -> str:
        height, width = np.multiply(self.pixels.text.shape, (CELL_HEIGHT, CELL_WIDTH)).tolist()
        key = self.key()
        formula = [f"gradient: {self.formula()}"] if self.formula() else []
        lines = [key[: len(KEY)], formula + key[len(KEY) :]]
        sheet = Sheet(2 * MARGIN + width, HEAD + height + MARGIN + LINE * len(lines))
        sheet.text(repr(self), MARGIN, 22, "text")
        with sheet.within("svg", x=MARGIN, y=HEAD, width=width, height=height):
            self.map(sheet)
        for i, line in enumerate(lines, 1):
            sheet.text("  ·  ".join(line), MARGIN, HEAD + height + LINE * i, "text2")
        return sheet.svg(repr(self))

    def map(self, sheet: Sheet) -> None:
        """Draw a rectangle for each pixel, with an arrow for each gradient."""
        rows, columns = self.pixels.text.shape
        hatch = sheet.stripes("masked", 0.16)
        for row in range(rows):
            with sheet.within("g", role="row"):
                for column in range(columns):
                    place = row, column
                    x, width = f"{100 * column / columns:g}%", f"{100 / columns:g}%"
                    size = {"x": x, "y": row * CELL_HEIGHT, "width": width, "height": CELL_HEIGHT}
                    label = self.pixels.told(place)
                    hands = {"role": "gridcell", "tabindex": -1, "aria_label": label}
                    with sheet.within("svg", **size, **hands):
                        self._pixel(sheet, place, hatch)
        if self.framed:
            (row, column), (height, width), _ = self.framed
            place = {"x": f"{100 * column / columns:g}%", "y": row * CELL_HEIGHT}
            size = {"width": f"{100 * width / columns:g}%", "height": height * CELL_HEIGHT}
            pen = {"stroke": "text", "stroke_width": 3, "stroke_dasharray": "6 4"}
            sheet.add("rect", **place, **size, fill="none", **pen, pointer_events="none")

    def _pixel(self, sheet: Sheet, place: tuple[int, int], hatch: str) -> None:
        here, whole = self.pixels, {"width": "100%", "height": "100%"}
        ground = "card" if here.learns[place] else hatch
        sheet.add("rect", **whole, fill=ground, stroke="border-quiet")
        if not here.train[place]:
            dots = {"stroke": "text2", "stroke_width": 2, "stroke_dasharray": "2 4"}
            sheet.rect(2, 2, "94%", CELL_HEIGHT - 4, fill="none", **dots)
        if here.text[place]:
            # half of the outline is outside the cell
            sheet.add("rect", **whole, fill="none", stroke="text", stroke_width=4)
        row, column = place
        if 0 in place:
            index, y = (column, 12) if row == 0 else (row, CELL_HEIGHT // 2 + 4)
            sheet.text(str(index), "50%", y, "text3", anchor="middle", size=11, part="index")
        for x, scaled in zip(PLACES, here.scaled[place]):
            if not np.isfinite(scaled):
                looks = {"x": x, "y": CELL_HEIGHT / 2 + 4, "anchor": "middle", "size": 11.5}
                sheet.add("text", number(scaled), fill="error", **looks)
            elif scaled:
                pen = {"fill": "none", "stroke_width": 2}
                pen["stroke"] = "gradient" if scaled > 0 else "negative"
                with sheet.within("svg", x=x, y=CELL_HEIGHT / 2, overflow="visible"):
                    sheet.add("path", d=_arrow(scaled), **pen)
        if sheet.live:
            sheet.rect("4%", "6%", "92%", "88%", rx=3, fill="none", part="ring")

    def _plotted(self, live: bool) -> str:
        """The gradients of the pixels labeled not text over their p, with and without the softmax."""
        sheet, here, soft = Sheet(*PLOT, live), self.pixels, self.settings[self.plot]
        taken = here.learns & ~here.text
        dots = zip(here.p[taken][:, 1], here.scaled[taken][:, 1])
        chosen = sorted((float(p), float(y)) for p, y in dots if np.isfinite(y))
        title = f"{here.learns.sum()} × gradient of logit 1, if labeled not text"
        sheet.text(title, 4, 14, "text", weight=700)
        for tick in (0, 0.5, 1):
            sheet.text(number(tick), LEFT - 6, _y(tick) + 4, "text2", anchor="end")
            sheet.line(LEFT, LEFT + SIDE, _y(tick), _y(tick), "border-quiet")
        for tick, anchor in ((0, "start"), (0.5, "middle"), (1, "end")):
            sheet.text(number(tick), _x(tick), TOP + HIGH + 16, "text2", anchor=anchor)
        words = "p of text (a larger p is a larger loss)"
        sheet.text(words, LEFT + SIDE / 2, TOP + HIGH + 34, "text2", anchor="middle")
        steps = np.linspace(0, 1, 101)
        for name, curve, shown, at in (
            ("logits", np.array, not soft, 0.2),
            ("softmax first", hump, soft, 0.72),
        ):
            ink, width = ("text", 2) if shown else ("border", 1.5)
            x, y = _x(steps), _y(curve(steps))
            d = "M" + "L".join(f"{each:.1f} {other:.1f}" for each, other in zip(x, y))
            sheet.add("path", d=d, fill="none", stroke=ink, stroke_width=width)
            height = float(np.interp(at, steps, y))
            place = {"x": _x(at), "y": height + (18 if height < _y(0.5) else -8)}
            ink = "text" if shown else "text3"
            sheet.add("text", name, fill=ink, anchor="end" if at < 0.5 else "middle", **place)
            for p, gradient in chosen:
                where = {"cx": _x(p), "fill": "none"}
                if shown:
                    pen = {"cy": _y(gradient), "r": 3, "stroke": "gradient-solid", "part": "dot"}
                else:
                    pen = {"cy": _y(float(curve(p))), "r": 2, "stroke": "border"}
                sheet.add("circle", **where, **pen)
        said = "no pixel labeled not text gets a gradient"
        if chosen:
            (p, y), (q, z) = chosen[0], chosen[-1]
            said = f"p from {number(p)} to {number(q)}, gradient from {number(y)} to {number(z)}"
        return sheet.svg(f"{title}, over p: {said}")

    def __repr__(self) -> str:
        mark = "" if self.title.endswith("?") else ":"
        return f"{self.title}{mark} {self.pixels.summary()}; loss {number(self.pixels.loss[()])}"


def _short(x: float) -> str:
    """Three digits, without a power of ten from 0.0001."""
    return f"{x + 0.0:.3g}".replace("-", "−")


def hump(p: Any) -> Any:
    """n × gradient of logit 1 for a pixel labeled not text, after a softmax: what cross-entropy
    sends, times what the softmax passes on."""
    return 2 * p * (1 - p) / (1 + np.exp(1 - 2 * p))


def _x(p: Any) -> Any:
    return LEFT + SIDE * p


def _y(share: Any) -> Any:
    return TOP + HIGH * (1 - share)


def _arrow(scaled: float) -> str:
    """An arrow from (0, 0) for n × gradient. It points down if a step lowers the output."""
    length = np.copysign(SHAFT, scaled) + ARROW * scaled
    wing = length - np.copysign(WING, scaled)
    return f"M0 0V{length:.1f}M{-WING} {wing:.1f}L0 {length:.1f}L{WING} {wing:.1f}"

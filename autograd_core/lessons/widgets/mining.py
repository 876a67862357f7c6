"""A small map with two logits at each pixel: which pixels learn, and the gradient of both logits as
two arrows.

    mining(run, on_torch.run, ratio=(3.0, 0.0, 8.0, 0.5), crop=["a word", "no text"])
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import traitlets

from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from ...widgets.kit.settings import settings_of
from ...widgets.kit.sheet import Sheet
from .masking import brief

SHAPES = {"logits": 3, "p": 3, "gradient": 3, "text": 2, "train": 2, "loss": 0}
OUTPUTS = "not text", "text"
COLUMNS = {
    "logit": "logits",
    "p": "p",
    "onehot": "onehot",
    "p − onehot": "off",
    "gradient": "gradient",
}
"""Headings of the panel, and what of a pixel stands below each."""

ROUNDING = 1e-12  # a sum that is nearer to 0 is 0
# in pixels; a live map is as wide as there is room
CELL_WIDTH, CELL_HEIGHT, MARGIN, HEAD = 74, 68, 12, 34
ARROW = 30
"""The length of an arrow for a p − onehot of 1, in pixels."""


@dataclass(frozen=True)
class Pixels:
    """A map of H × W pixels. logits, p and gradient are (H, W, 2), text and train (H, W) boolean,
    loss a number.
    """

    logits: np.ndarray
    p: np.ndarray
    gradient: np.ndarray
    text: np.ndarray
    train: np.ndarray
    loss: np.ndarray

    @classmethod
    def of(cls, result: object) -> "Pixels":
        """Read what a run returned. Raises TypeError or ValueError, with what is expected, if it is
        something else.
        """
        if not isinstance(result, dict) or not SHAPES.keys() <= result.keys():
            raise TypeError(f"the run returns a dict with {', '.join(SHAPES)}")
        arrays = {name: np.array(result[name].detach().numpy()) for name in SHAPES}
        rows, columns = (*arrays["text"].shape, 0, 0)[:2]
        for name, axes in SHAPES.items():
            expected = (rows, columns, 2)[:axes]
            if arrays[name].shape != expected:
                raise ValueError(
                    f"{name} has the shape {list(arrays[name].shape)}, not {list(expected)}: a map"
                    " of H × W pixels has H × W × 2 logits"
                )
        return cls(
            **{**arrays, "text": arrays["text"].astype(bool), "train": arrays["train"].astype(bool)}
        )

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
        """(H, W): where a gradient arrived that is not 0."""
        return (self.gradient != 0).any(axis=-1)

    @property
    def arrows(self) -> np.ndarray:
        """(H, W, 2): the gradient, on a scale on which the longest is as long as its p − onehot."""
        longest = np.abs(self.gradient).max(initial=0.0)
        return self.gradient * (
            np.abs(self.off[self.learns]).max() / longest if longest > 0 else 1.0
        )

    def by_loss(self) -> dict[str, np.ndarray]:
        """The pixels in the order of their own loss, those that learn first among equals, as arrays
        to compare.

        Which of several tied pixels top-k takes is not fixed, so an exchange of these is no
        difference."""
        # the loss of a pixel is −log of it
        share = np.round((self.p * self.onehot).sum(axis=-1), 9)
        order = np.lexsort(
            [~self.learns.ravel(), -share.ravel(), self.text.ravel(), self.train.ravel()]
        )
        maps = {
            name: getattr(self, name).reshape(order.size, -1)[order]
            for name, axes in SHAPES.items()
            if axes
        }
        return {**{f"{name} by loss": rows for name, rows in maps.items()}, "loss": self.loss}

    def summary(self) -> str:
        """How many learn, in words."""
        positive, negative = self.text & self.train, ~self.text & self.train
        return (
            f"{(self.learns & positive).sum()} of {positive.sum()} text pixels and "
            f"{(self.learns & negative).sum()} of {negative.sum()} others get a gradient"
        )


class Mining(Live):
    """The map; see `mining`."""

    view = traitlets.Unicode("mining").tag(sync=True)

    def update(self) -> None:
        """As in every widget. A run that raises leaves the last picture, marked as the last one."""
        try:
            super().update()
        except Exception:
            self.drawn = {**self.drawn, "old": True}
            raise

    def compared(self, result: dict) -> dict:
        return Pixels.of(result).by_loss()

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        self.pixels = here = Pixels.of(ours)
        there = here if theirs is None else Pixels.of(theirs)
        cells = [_cell(here, there, place) for place in np.ndindex(here.text.shape)]
        self.labels, self.tied = ([cell.pop(key) for cell in cells] for key in ("label", "tied"))
        rows, columns = here.text.shape
        sheet = Sheet(columns * CELL_WIDTH, rows * CELL_HEIGHT, live=True, fluid=True)
        self.map(sheet)
        return {
            "svg": sheet.svg("Pixels. The arrow keys read them.", role="grid"),
            "columns": columns,
            "headings": list(COLUMNS),
            "cells": cells,
            "tied": any(self.tied),
            "loss": number(here.loss[()]),
            "summary": here.summary(),
            "old": False,
        }

    def still(self) -> str:
        rows, columns = self.pixels.text.shape
        width, height = columns * CELL_WIDTH, rows * CELL_HEIGHT
        sheet = Sheet(2 * MARGIN + width, HEAD + height + MARGIN)
        sheet.add("text", repr(self), x=MARGIN, y=22, fill="text")
        with sheet.within("svg", x=MARGIN, y=HEAD, width=width, height=height):
            self.map(sheet)
        return sheet.svg(repr(self))

    def map(self, sheet: Sheet) -> None:
        """A square for each pixel, as wide as its share of the room: its logits, an arrow for each
        gradient, and p − onehot. Text has a strong outline."""
        rows, columns = self.pixels.text.shape
        hatch = sheet.stripes("masked-tint", "masked", 0.16)
        for row in range(rows):
            with sheet.within("g", role="row"):
                for column in range(columns):
                    at = row * columns + column
                    with sheet.within(
                        "svg",
                        x=f"{100 * column / columns:g}%",
                        y=row * CELL_HEIGHT,
                        width=f"{100 / columns:g}%",
                        height=CELL_HEIGHT,
                        role="gridcell",
                        tabindex=-1,
                        aria_label=self.labels[at],
                    ):
                        self._pixel(sheet, (row, column), hatch, self.tied[at])

    def _pixel(self, sheet: Sheet, place: tuple[int, int], hatch: str, tied: str) -> None:
        here, whole = self.pixels, {"width": "100%", "height": "100%"}
        learns = here.learns[place]
        sheet.add("rect", **whole, fill="card" if learns else hatch, stroke="border-quiet")
        if here.text[place]:
            # half of it is outside
            sheet.add("rect", **whole, fill="none", stroke="text", stroke_width=4)
        for output, x in enumerate(("25%", "75%")):
            middle = {"x": x, "text_anchor": "middle", "font_size": 11.5}
            sheet.add("text", _short(here.logits[place][output]), y=15, fill="value", **middle)
            length = here.arrows[place][output]
            if not np.isfinite(length):
                sheet.add("text", number(length), y=CELL_HEIGHT / 2 + 4, fill="error", **middle)
            elif length:
                with sheet.within(
                    "svg", x=x, y=CELL_HEIGHT / 2, overflow="visible", aria_hidden="true"
                ):
                    sheet.add(
                        "path",
                        d=_arrow(ARROW * float(length)),
                        fill="none",
                        stroke="gradient",
                        stroke_width=2,
                    )
            sheet.add(
                "text",
                _short(here.off[place][output]),
                y=CELL_HEIGHT - 7,
                fill="gradient" if learns else "masked",
                font_weight=700 if learns else 400,
                **middle,
            )
        if tied:
            sheet.add(
                "text",
                tied,
                x="50%",
                y=CELL_HEIGHT / 2 + 4,
                fill="text2",
                font_weight=700,
                text_anchor="middle",
            )
        if sheet.live:
            sheet.add(
                "rect", x="4%", y="6%", width="92%", height="88%", rx=3, fill="none", part="ring"
            )

    def __repr__(self) -> str:
        return f"{self.title}: {self.pixels.summary()}; loss {number(self.pixels.loss[()])}"


def mining(
    run: Callable,
    other: Callable | None = None,
    *,
    title: str = "Who learns?",
    note: str = "",
    **settings: object,
) -> Mining:
    """Draw the map that `run(**settings)` returns, again at every change of a setting.

    run       returns a dict of tensors: "logits", "p" and "gradient" (H, W, 2), the gradient being
              that of the loss at the logits; "text" and "train" (H, W), boolean: the label, and
              whether it counts; "loss", a number.
    other     the same function on the other engine, compared. Pixels with the same loss may be
              exchanged: top-k does not promise which of them it takes.
    settings  what the reader may change, see `settings_of`.

    Raises ValueError for a setting that cannot be or maps that do not fit, TypeError for another
    kind of result, and what `run` raises.
    """
    return Mining(run, other, title=title, note=note, settings=settings_of(**settings))


def _cell(here: Pixels, there: Pixels, place: tuple[int, int]) -> dict:
    """What the panel says of a pixel: where it is and what becomes of it; its numbers, a row for
    each output and one for their sum, in the columns of `COLUMNS`. A `tied` one was taken by one
    engine alone: × by us, ○ by the other."""
    ours, theirs = here.learns[place], there.learns[place]
    state = "ignored" if not here.train[place] else "gets a gradient" if ours else "gets none"
    tied = "" if ours == theirs else "○" if theirs else "×"
    took = f", tied: PyTorch took {'this one' if theirs else 'another'}" if tied else ""
    where = f"Row {place[0]}, column {place[1]}, {OUTPUTS[int(here.text[place])]}, {state}{took}"
    pairs = {name: getattr(here, key)[place] for name, key in COLUMNS.items()}
    with np.errstate(invalid="ignore"):
        # the sum of logits says nothing
        sums = [pair.sum() for pair in pairs.values()][1:]
    rows = [[number(pair[k]) for pair in pairs.values()] for k in (0, 1)]
    numbers = "; ".join(f"{name} {', '.join(map(number, pair))}" for name, pair in pairs.items())
    return {
        "where": where,
        "tied": tied,
        "label": f"{where}: {numbers}",
        "rows": [*rows, ["", *(number(0.0 if abs(x) < ROUNDING else x) for x in sums)]],
    }


def _short(x: float) -> str:
    return brief(x) if np.isfinite(x) else number(x)


def _arrow(length: float) -> str:
    """An arrow of `length` pixels around (0, 0), upwards where it is above 0."""
    wide, half = min(4, abs(length) / 2), length / 2
    wing = np.copysign(wide, length) - half
    return f"M0 {half:.1f}V{-half:.1f}M{-wide:.1f} {wing:.1f}L0 {-half:.1f}L{wide:.1f} {wing:.1f}"

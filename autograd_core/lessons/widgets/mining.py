"""A small map with two logits at each pixel: which pixels learn, and the gradient of both logits as two arrows.

    mining(run, on_torch.run, ratio=(3.0, 0.0, 8.0, 0.5), crop=["a word", "no text"])
"""

from collections.abc import Callable
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

import numpy as np
import traitlets

from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from ...widgets.kit.settings import settings_of
from ...widgets.kit.svg import dark_style, tag
from ...widgets.kit.theme import FONT

SHAPES = {"logits": 3, "p": 3, "gradient": 3, "text": 2, "train": 2, "loss": 0}
CELL_WIDTH, CELL_HEIGHT, MARGIN, HEAD = 60, 56, 12, 34     # of the still, in pixels
ARROW = 20
"""The length of an arrow for a p − onehot of 1, in the still, in pixels."""


@dataclass(frozen=True)
class Pixels:
    """A map of H × W pixels. logits, p and gradient are (H, W, 2), text and train (H, W) boolean, loss a number."""

    logits: np.ndarray
    p: np.ndarray
    gradient: np.ndarray
    text: np.ndarray
    train: np.ndarray
    loss: np.ndarray

    @classmethod
    def of(cls, result: object) -> "Pixels":
        """Read what a run returned. Raises TypeError or ValueError, with what is expected, if it is something else."""
        if not isinstance(result, dict) or not SHAPES.keys() <= result.keys():
            raise TypeError(f"the run returns a dict with {', '.join(SHAPES)}")
        arrays = {name: np.array(result[name].detach().numpy()) for name in SHAPES}
        rows, columns = (*arrays["text"].shape, 0, 0)[:2]
        for name, axes in SHAPES.items():
            expected = (rows, columns, 2)[:axes]
            if arrays[name].shape != expected:
                raise ValueError(f"{name} has the shape {list(arrays[name].shape)}, not {list(expected)}: a map of "
                                 "H × W pixels has H × W × 2 logits")
        return cls(**{**arrays, "text": arrays["text"].astype(bool), "train": arrays["train"].astype(bool)})

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
        return self.gradient * (np.abs(self.off[self.learns]).max() / longest if longest > 0 else 1.0)

    def by_loss(self) -> dict[str, np.ndarray]:
        """The pixels in the order of their own loss, those that learn first among equals, as arrays to compare.

        Which of several tied pixels top-k takes is not fixed, so an exchange of these is no difference.
        """
        share = np.round((self.p * self.onehot).sum(axis=-1), 9)        # the loss of a pixel is −log of it
        order = np.lexsort([~self.learns.ravel(), -share.ravel(), self.text.ravel(), self.train.ravel()])
        maps = {name: getattr(self, name).reshape(order.size, -1)[order] for name, axes in SHAPES.items() if axes}
        return {**{f"{name} by loss": rows for name, rows in maps.items()}, "loss": self.loss}

    def summary(self) -> str:
        """How many learn, in words."""
        positive, negative = self.text & self.train, ~self.text & self.train
        return (f"{(self.learns & positive).sum()} of {positive.sum()} text pixels and "
                f"{(self.learns & negative).sum()} of {negative.sum()} others get a gradient")


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
        rows, columns = here.text.shape
        places = [(row, column) for row in range(rows) for column in range(columns)]
        return {"columns": columns, "loss": number(here.loss[()]), "summary": here.summary(), "old": False,
                "cells": [_cell(here, there, place) for place in places]}

    def still(self) -> str:
        return _still(self.pixels, repr(self))

    def __repr__(self) -> str:
        return f"{self.title}: {self.pixels.summary()}; loss {number(self.pixels.loss[()])}"


def mining(run: Callable, other: Callable | None = None, *, title: str = "Who learns?", note: str = "",
           **settings: object) -> Mining:
    """Draw the map that `run(**settings)` returns, again at every change of a setting.

    run       returns a dict of tensors: "logits", "p" and "gradient" (H, W, 2), the gradient being that of the loss
              at the logits; "text" and "train" (H, W), boolean: the label, and whether it counts; "loss", a number.
    other     the same function on the other engine, compared. Pixels with the same loss may be exchanged: top-k does
              not promise which of them it takes.
    settings  what the reader may change, see `settings_of`.

    Raises ValueError for a setting that cannot be or maps that do not fit, TypeError for another kind of result, and
    what `run` raises.
    """
    return Mining(run, other, title=title, note=note, settings=settings_of(**settings))


def _cell(here: Pixels, there: Pixels, place: tuple[int, int]) -> dict:
    def plain(numbers: np.ndarray) -> list:
        return [x if np.isfinite(x) else str(x) for x in numbers[place].tolist()]

    return {"logits": plain(here.logits), "p": plain(here.p), "onehot": plain(here.onehot), "off": plain(here.off),
            "gradient": plain(here.gradient), "arrows": plain(here.arrows), "text": bool(here.text[place]),
            "train": bool(here.train[place]), "learns": bool(here.learns[place]), "other": bool(there.learns[place])}


def _still(pixels: Pixels, description: str) -> str:
    """The map without its numbers: arrows where a gradient arrives, a strong outline around text."""
    rows, columns = pixels.text.shape
    width, height = 2 * MARGIN + columns * CELL_WIDTH, HEAD + rows * CELL_HEIGHT + MARGIN
    parts = [tag("title", description), tag("style", dark_style()),
             tag("rect", width=width, height=height, fill="card"),
             tag("text", description, x=MARGIN, y=22, fill="text")]
    for row, column in sorted(np.ndindex(rows, columns), key=lambda place: pixels.text[place]):
        x, y = MARGIN + column * CELL_WIDTH, HEAD + row * CELL_HEIGHT
        ground = "card" if pixels.learns[row, column] else "masked-tint"
        stroke, stroke_width = ("text", 2) if pixels.text[row, column] else ("border-quiet", 1)
        parts.append(tag("rect", x=x, y=y, width=CELL_WIDTH, height=CELL_HEIGHT, fill=ground, stroke=stroke,
                         stroke_width=stroke_width))
        for output, length in enumerate(pixels.arrows[row, column]):
            if np.isfinite(length) and length:
                parts.append(_arrow(x + CELL_WIDTH * (1 + output) / 3, y + CELL_HEIGHT / 2, ARROW * float(length)))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f"role=\"img\" font-size=\"12\" font-family={quoteattr(FONT)}>{''.join(parts)}</svg>")


def _arrow(x: float, middle: float, length: float) -> str:
    """An arrow of `length` pixels, upwards where it is above 0."""
    tail, point = middle + length / 2, middle - length / 2
    wide = min(4, abs(length) / 2)
    wing = np.copysign(wide, length)
    head = f"M{x - wide:.1f} {point + wing:.1f}L{x:.1f} {point:.1f}L{x + wide:.1f} {point + wing:.1f}"
    return tag("path", d=f"M{x:.1f} {tail:.1f}V{point:.1f}{head}", fill="none", stroke="gradient", stroke_width=2)

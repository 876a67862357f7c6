"""A mask painted on a grid, and what each way of masking makes of it, on both engines, at every
stroke.

    paint(run, on_torch.run, x=x, mask=mask, poison={(3, 4): "nan"}, divide_by=["the mask", "all
    cells"])

The cards are in `masking.py`.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np
import traitlets

from ...widgets.kit.live import Live
from ...widgets.kit.settings import settings_of
from .masking import BAD, card_of, cells_of
from .paint_picture import CELL, FIELD, LIVE_LOOKS, blank, changes, outline, still

POISON = {"nan": math.nan, "inf": math.inf, "log 0": -1000.0}
"""What a poisoned cell holds. The sigmoid of −1000 is 0 in every floating type, and the logarithm
of 0 breaks.
"""

LARGEST = 8
"""Rows and columns of a grid: more would not fit beside each other."""


class Paint(Live):
    """The painted grid and a card for each way of masking; see `paint`."""

    view = traitlets.Unicode("paint").tag(sync=True)
    # of the grid and of a map, before anything is in them
    pictures = traitlets.List().tag(sync=True)
    looks = traitlets.List(LIVE_LOOKS).tag(sync=True)

    def __init__(
        self,
        run: Callable,
        other: Callable | None,
        x: np.ndarray,
        mask: np.ndarray,
        poison: Mapping,
        **options: object,
    ):
        self.x, self.mask = x, mask
        self.poison = np.full(x.shape, "", dtype=object)
        for place, kind in poison.items():
            self.poison[place] = kind
        super().__init__(
            run, other, pictures=[blank(mask, side) for side in (FIELD, CELL)], **options
        )

    def paint(self, mask: np.ndarray, poison: np.ndarray) -> None:
        """Paint the whole grid, as the reader does, and run again. Raises what `run` raises; the
        painting stays.
        """
        self.mask, self.poison = mask, poison
        try:
            self.update()
        except Exception:
            self.drawn = {**self.drawn, **self._grid()}
            raise

    def arguments(self) -> dict:
        poisoned = [
            [POISON.get(kind, x) for x, kind in zip(*rows)]
            for rows in zip(self.x.tolist(), self.poison)
        ]
        return {"x": poisoned, "mask": self.mask.tolist(), **self.settings}

    def changed(self, content: dict) -> None:
        if content["name"] == "cells":
            self.paint(*_painted(content["value"], self.x.shape))
        else:
            super().changed(content)

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        if not isinstance(ours, dict) or not all(
            isinstance(result, dict) for result in ours.values()
        ):
            raise TypeError("the run returns a dict with a dict of results for each way of masking")
        self.cards = [
            card_of(way, result, self.mask, self.poison != "") for way, result in ours.items()
        ]
        cards = [
            {
                **vars(card),
                "losses": changes(card.losses, "value"),
                "gradients": changes(card.gradients, "gradient-solid"),
            }
            for card in self.cards
        ]
        return {**self._grid(), "cards": cards}

    def _looks(self) -> list:
        """The cells of the grid, the poisoned ones with what is in them."""
        plain = cells_of(self.x, np.ones_like(self.mask))
        return [
            [[BAD, kind, kind, 1.0] if kind else cell for cell, kind in zip(*rows)]
            for rows in zip(plain, self.poison)
        ]

    def _grid(self) -> dict:
        """What the reader paints on."""
        looks, places = self._looks(), [*np.ndindex(self.mask.shape)]
        labels = [
            f"Row {r}, column {c}: {'poisoned: ' if self.poison[r, c] else 'x = '}{looks[r][c][2]},"
            f" {'in' if self.mask[r, c] else 'outside'} the mask."
            for r, c in places
        ]
        return {
            "grid": changes(looks, "value"),
            "labels": labels,
            "outline": outline(self.mask),
            "cells": [[bool(self.mask[place]), self.poison[place]] for place in places],
        }

    def still(self) -> str:
        return still(self._looks(), self.mask, self.cards, repr(self))

    def __repr__(self) -> str:
        verdicts = "; ".join(f"{card.way}: {card.verdict}" for card in self.cards)
        return f"{self.title}, {self.mask.sum()} of {self.mask.size} cells in the mask. {verdicts}"


def paint(
    run: Callable,
    other: Callable | None = None,
    *,
    x: object,
    mask: object,
    poison: Mapping[tuple[int, int], str] | None = None,
    title: str = "Paint a mask",
    note: str = "",
    **settings: object,
) -> Paint:
    """Let the reader paint a mask on a grid, and draw what `run(x=..., mask=..., **settings)` makes
    of it.

    run     gets the grid and the mask as nested lists, of floats and of bools, and returns {way:
            results}, with
                kept          the losses that are summed, a tensor of the grid's shape or of any
                              other
                cells         for another shape: the flat index of the cell that each of `kept` is
                              from
                divided by    what the sum is divided by
                x.grad        the gradient of the grid
                loss          a number; all others are shown beside it, as gradients those with
                              "grad" in the name
    other   the same function on the other engine; all results are compared.
    x, mask the grid at first, rows × columns, at most 8 × 8: finite numbers, and bools that tell
    what is trained. poison  what is wrong at first: {(row, column): "nan", "inf" or "log 0"}, see
                             `POISON`.
    settings  what the reader may change besides, see `settings_of`.

    Raises ValueError for a grid, mask, poison or setting that cannot be, and what `run` raises.
    """
    grid, painted = (
        np.array(each.tolist() if hasattr(each, "tolist") else each) for each in (x, mask)
    )
    if (
        grid.ndim != 2
        or grid.dtype.kind not in "fi"
        or not 0 < min(grid.shape) <= max(grid.shape) <= LARGEST
    ):
        raise ValueError(
            f"x is a grid of numbers, at most {LARGEST} rows and columns, "
            f"not {grid.dtype} {list(grid.shape)}"
        )
    if not np.isfinite(grid).all():
        raise ValueError(
            'x has a cell that is not finite: write poison={(row, column): "nan"} for it'
        )
    if painted.shape != grid.shape or painted.dtype != bool:
        raise ValueError(
            f"mask is bool {list(grid.shape)} as x is, not {painted.dtype} {list(painted.shape)}"
        )
    poison = poison or {}
    for place, kind in poison.items():
        inside = len(place) == 2 and all(0 <= i < size for i, size in zip(place, grid.shape))
        if not inside or kind not in POISON:
            raise ValueError(
                f"poison {place!r}: {kind!r} is not one of {', '.join(POISON)} "
                f"in a cell of {list(grid.shape)}"
            )
    return Paint(
        run,
        other,
        grid.astype(np.float64),
        painted,
        poison,
        title=title,
        note=note,
        settings=settings_of(**settings),
    )


def _painted(cells: list, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The mask and the poison from the browser's cells, row by row: [[masked, kind of poison or
    ""], …].
    """
    known = {"", *POISON}
    if len(cells) != math.prod(shape) or any(kind not in known for _, kind in cells):
        raise ValueError(
            f"{math.prod(shape)} cells are asked for, each with a poison of {', '.join(POISON)} or"
            " none"
        )
    masked, kinds = zip(*cells)
    return np.array(masked, bool).reshape(shape), np.array(kinds, object).reshape(shape)

"""A mask painted on a grid, and at every stroke what each way of masking makes of it.

paint(run, on_torch.run, x=x, mask=mask, poison={(3, 4): "nan"}, divide_by=["the mask", "all"])
"""

import math

import numpy as np
import traitlets

from ...widgets.kit.agreement import array_of
from ...widgets.kit.live import Live
from .masking import card_of
from .paint_picture import cards, grid, still

POISON = {"nan": math.nan, "inf": math.inf, "log 0": -1000.0}
"""What a poisoned cell holds. The sigmoid of −1000 is 0 in every floating type."""


class Paint(Live):
    """Let the reader paint a mask on a grid, and draw what `run(x=..., mask=..., **settings)` makes
    of it, a card for each way of masking.

    run     gets the grid and the mask as nested lists, and returns {way: results}, with
                kept        the losses that are summed, a tensor of any shape
                cells       where that is not the grid's: the flat index of the cell of each
                divided by  what the sum is divided by
                x.grad      the gradient of the grid
                loss        a number; all others are shown beside it
    x, mask the grid at first, rows × columns: finite numbers, and bools that tell what is trained.
            More than 8 × 8 would not fit beside the cards.
    poison  what is wrong at first: {(row, column): "nan", "inf" or "log 0"}, see `POISON`.
    """

    view = traitlets.Unicode("paint").tag(sync=True)
    called = "Paint a mask"

    def __init__(self, run, other=None, *, x, mask, poison=None, **options):
        self.x, self.mask = array_of(x, np.float64), array_of(mask, bool)
        self.poison = np.full(self.x.shape, "", dtype=object)
        for place, kind in (poison or {}).items():
            self.poison[place] = kind
        super().__init__(run, other, **options)

    def arguments(self) -> dict:
        poisoned = self.x.copy()
        for kind, value in POISON.items():
            poisoned[self.poison == kind] = value
        return {"x": poisoned.tolist(), "mask": self.mask.tolist(), **self.settings}

    def changed(self, content: dict) -> None:
        """As in every widget; "cells" is the whole painted grid, which stays also where `run`
        raises: [in the mask, kind of poison or ""] for each cell, row by row."""
        if content["name"] != "cells":
            super().changed(content)
            return
        masked, kinds = zip(*content["value"])
        mask = np.reshape(masked, self.mask.shape)
        self.mask, self.poison = mask, np.array(kinds, object).reshape(mask.shape)
        try:
            self.update()
        except Exception:
            self.drawn = {**self.drawn, **self._grid()}
            raise

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        poisoned = self.poison != ""
        self.cards = [card_of(way, each, self.mask, poisoned) for way, each in ours.items()]
        return {**self._grid(), "cards": cards(self.cards, self.mask)}

    def _grid(self) -> dict:
        """What the reader paints on."""
        label = "Input x. The arrow keys move, space paints."
        picture = grid(self.x, self.mask, self.poison, live=True).svg(label, role="grid")
        painted = [list(each) for each in zip(self.mask.ravel().tolist(), self.poison.flat)]
        return {"grid": picture, "cells": painted}

    def still(self) -> str:
        return still(self.x, self.mask, self.poison, self.cards, repr(self))

    def __repr__(self) -> str:
        verdicts = "; ".join(f"{card.way}: {card.verdict}" for card in self.cards)
        return f"{self.title}, {self.mask.sum()} of {self.mask.size} cells in the mask. {verdicts}"


paint = Paint

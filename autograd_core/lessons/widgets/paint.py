"""A mask painted on a grid. After every stroke, each way of masking is computed again."""

import math
from dataclasses import dataclass
from textwrap import wrap

import numpy as np
import traitlets

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from ...widgets.kit.shade import ceiling, opacity, signed
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.theme import LIGHT, MONO
from .maps import sign_of

POISON = {"nan": math.nan, "inf": math.inf, "log 0": -1000.0}
"""The number in a poisoned cell. The sigmoid of −1000 is 0 in every floating-point type."""

FIELD, MAP = 36, 96  # the side of a cell on the grid, and of a map on a card
CARD, HEIGHT = 212, 192  # the width of a card in a still; on a page, it is as wide as its room
BESIDE = 3  # cards next to each other in a still
LINE, LETTERS = 13, 27  # the height of a line on a card, and how many letters it has
PAD, GAP = 8, 8

MARKS = {"clean": "✓", "hidden": "!", "broken": "✕"}


class paint(Live):
    """Let the reader paint a mask on a grid, and draw one card for each way of masking that
    `run(x=..., mask=..., **settings)` returns.

    run     gets the grid and the mask as nested lists, and returns {way: results}, with
                kept        the losses that are summed, a tensor of any shape
                cells       the flat index of the cell of each loss, if `kept` isn't shaped as the grid
                divided by  the divisor of the sum
                x.grad      the gradient of the grid
                loss        a number; all other numbers are shown next to it
    x, mask the first grid, rows × columns: finite numbers, and bools that mark the trained cells.
            The largest grid next to the cards is 8 × 8.
    poison  the first poisoned cells: {(row, column): "nan", "inf" or "log 0"}, see `POISON`.
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
        """Handle a change. "cells" is the painted grid: [in the mask, kind of poison or ""] for each
        cell, row by row. It stays even if `run` raises."""
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
        self.end = ceiling(*(card.gradients for card in self.cards))
        drawn = cards(self.cards, self.mask, self.end)
        return {**self._grid(), "cards": drawn, "end": number(self.end)}

    def _grid(self) -> dict:
        """The grid that the reader paints on."""
        label = "Input x. The arrow keys move, space paints."
        picture = grid(self.x, self.mask, self.poison, live=True).svg(label, role="grid")
        painted = [list(each) for each in zip(self.mask.ravel().tolist(), self.poison.flat)]
        return {"grid": picture, "cells": painted}

    def still(self) -> str:
        """The grid and the cards as one picture."""
        field, wide = grid(self.x, self.mask, self.poison), CARD + 2 * PAD
        top, high = 28 + field.height + GAP, HEIGHT + 2 * PAD
        rows = -(-len(self.cards) // BESIDE)
        sheet = Sheet(BESIDE * (wide + GAP) + GAP, top + rows * (high + GAP))
        sheet.text("input x", GAP, 20, "text", weight=700)
        sheet.insert(field, GAP, 28)
        right = 2 * GAP + field.width
        scale = (
            f"right: gradient, ∂ loss / ∂ x, on one scale up to {number(self.end)}, then clipped"
        )
        signs = ("+ a step lowers x", "gradient"), ("− a step raises x", "negative")
        ends = ("gray: exactly 0 · dot: not in the sum", "text2")
        words = ("left: loss of each pixel", "value"), (scale, "text2"), *signs, ends
        for k, (text, ink) in enumerate(words):
            sheet.text(text, right, 48 + 18 * k, ink)
        striped = sheet.stripes("error", 0.3)
        for i, card in enumerate(self.cards):
            left, y = GAP + i % BESIDE * (wide + GAP), top + i // BESIDE * (high + GAP)
            sheet.rect(left, y, wide, high, rx=8, fill="none", stroke="border-quiet")
            with sheet.within("g", transform=f"translate({left + PAD} {y + PAD})"):
                _card(sheet, card, self.mask, CARD, self.end, striped)
        return sheet.svg(repr(self))

    def __repr__(self) -> str:
        verdicts = "; ".join(f"{card.way}: {card.verdict}" for card in self.cards)
        return f"{self.title}, {self.mask.sum()} of {self.mask.size} pixels in the mask. {verdicts}"


# ---- the results of a way of masking ----


@dataclass(frozen=True)
class Card:
    """One way of masking; `mark` is "clean", "hidden" or "broken"."""

    way: str
    losses: np.ndarray  # shaped as the grid; None in unused cells
    gradients: np.ndarray
    numbers: list  # [name, text, role], role "value", "gradient", "negative" or "error"
    added: str  # the number of summed losses, and the divisor
    mark: str
    verdict: str


def card_of(way: str, result: dict, mask: np.ndarray, poisoned: np.ndarray) -> Card:
    """The card for one result of `run`. `mask` and `poisoned` are bools shaped as the grid."""
    result = {name: array_of(value) for name, value in result.items()}
    kept, cells = result.pop("kept"), result.pop("cells", None)
    gradient, count = result.pop("x.grad"), result.pop("divided by")
    losses = kept
    mark, verdict = _verdict(gradient, result, mask, poisoned)
    if kept.shape != mask.shape:
        # each number in its own cell
        losses = np.full(mask.shape, None, dtype=object)
        losses.flat[cells.ravel()] = kept.ravel()
    numbers = [[name, number(value), _role(name, value)] for name, value in result.items()]
    added = f"sum of {kept.size} ÷ {number(count)}"
    return Card(way, losses, gradient, numbers, added, mark, verdict)


def brief(x: float) -> str:
    """A number in four characters if possible: "−.07", "1.5", "12". Exact zero is "0"."""
    size, sign = abs(x), "−" if x < 0 else ""
    if size == 0 or not np.isfinite(x):
        return number(x)
    if size < 0.995:
        return sign + f"{size:.2f}"[1:]
    return sign + (f"{size:.1f}" if size < 9.95 else f"{size:.0f}")


def _verdict(gradient, numbers: dict, mask, poisoned) -> tuple[str, str]:
    """(mark, sentence) for three cases: leaks from outside the mask, nonfinite numbers, neither."""
    outside = int(np.count_nonzero(np.isfinite(gradient) & (gradient != 0) & ~mask))
    if outside:
        return "broken", f"Not a mask: {outside} pixels outside it are trained."
    loss, of_map = _wrong(numbers["loss"]), _wrong(gradient)
    others = {name: _wrong(value) for name, value in numbers.items() if "grad" in name}
    inside = " The poison is inside." if (poisoned & mask).any() else ""
    cause = inside if mask.any() else " Nothing is selected."
    learn = int(np.count_nonzero(gradient))
    if not loss and not of_map and not any(others.values()):
        many = f"{learn} pixel{'s' * (learn != 1)} learn{'s' * (learn == 1)}"
        return "clean", f"Clean: {many}." if learn else "Nothing is trained, and nothing breaks."
    if loss and loss == of_map:
        return "broken", f"Loss and gradient: {loss}.{cause}"
    if loss:
        of_gradient = of_map or next(filter(None, others.values()), "fine" if learn else "0")
        return "broken", f"Loss is {loss}. Gradient is {of_gradient}.{cause}"
    name, wrong = next(((n, wrong) for n, wrong in others.items() if wrong), ("x.grad", of_map))
    fine = "Loss looks fine." if of_map else "Loss and map look fine."
    return "hidden", f"{fine} {name} is {wrong}.{cause}"


def _wrong(values: np.ndarray) -> str:
    """ "nan" or "inf" if one of the numbers is nan or inf, and "" if all are finite."""
    return "nan" if np.isnan(values).any() else "inf" if np.isinf(values).any() else ""


def _role(name: str, value: np.ndarray) -> str:
    if not np.isfinite(value).all():
        return "error"
    return sign_of(number(value)) if "grad" in name else "value"


# ---- the pictures ----


def grid(x: np.ndarray, mask: np.ndarray, poison: np.ndarray, live: bool = False) -> Sheet:
    """The input as a grid to paint on. `poison` is the text that replaces the number of a cell."""
    sheet = Sheet(mask.shape[1] * FIELD, mask.shape[0] * FIELD, live)
    striped = sheet.stripes("error", 0.3)
    for r in range(len(mask)):
        with sheet.within("g", role="row"):
            for c in range(mask.shape[1]):
                kind = poison[r, c]
                value = f"x = {number(POISON[kind]) if kind else brief(x[r, c])}"
                where = "in" if mask[r, c] else "outside"
                label = f"Row {r}, column {c}: {value}, {where} the mask."
                hands = {"aria_label": label, "aria_selected": str(bool(mask[r, c])).lower()}
                with sheet.within("g", role="gridcell", tabindex=-1, **hands):
                    _field(
                        sheet, c * FIELD, r * FIELD, kind or brief(x[r, c]), striped if kind else ""
                    )
    _outline(sheet, mask, FIELD)
    return sheet


def _field(sheet: Sheet, left: int, top: int, text: str, striped: str) -> None:
    """A cell with its number, or with its poison on a `striped` ground."""
    middle = FIELD // 2
    looks = {"fill": striped or "card", "stroke": "border-quiet"}
    sheet.rect(left + 0.5, top + 0.5, FIELD - 1, FIELD - 1, **looks)
    ink, weight = ("error", 700) if striped else ("text", 400)
    looks = {"anchor": "middle", "weight": weight, "size": 12}
    sheet.text(text, left + middle, top + middle + 4, ink, **looks)
    if sheet.live:
        sheet.rect(left + 4, top + 4, FIELD - 8, FIELD - 8, fill="none", part="ring")


def cards(results: list[Card], mask: np.ndarray, end: float) -> str:
    """The cards for a page. Each card is a picture as wide as its room, with gradients on a scale up
    to `end`. All cards use the stripes of the first one."""
    pictures, striped = [], None
    for result in results:
        sheet = Sheet(CARD, HEIGHT, live=True, fluid=True)
        striped = striped or sheet.stripes("error", 0.3)
        _card(sheet, result, mask, "100%", end, striped)
        pictures.append(sheet.svg(result.way, role="group"))
    return "".join(pictures)


def _card(
    sheet: Sheet, card: Card, mask: np.ndarray, right: object, end: float, striped: str
) -> None:
    """A card that ends at `right`: its words, both maps, and its numbers below them."""
    ink = "agreed" if card.mark == "clean" else "error"
    sheet.add("circle", cx=9, cy=9, r=9, fill=ink, fill_opacity=0.14)
    sheet.text(MARKS[card.mark], 9, 13, ink, anchor="middle", weight=700)
    code = {"weight": 700, "font_family": MONO, "part": "code"}
    sheet.text(card.way, 25, 13, "text", **code)
    sentences = card.verdict.split(". ")
    lines = [f"{each.rstrip('.')}." for each in sentences]
    if max(map(len, lines)) > LETTERS:
        lines = wrap(card.verdict, LETTERS)
    for k, line in enumerate(lines):
        sheet.text(line, None, 32 + LINE * k, ink, weight=700, part="verdict")
    maps = ("loss of each pixel", card.losses, None), ("gradient", card.gradients, end)
    for k, (name, values, scale) in enumerate(maps):
        place = f"translate({k * (MAP + 2 * GAP)} {HEIGHT - MAP - 2 * LINE - 6})"
        with sheet.within("g", transform=place, role="group", aria_label=name):
            _map(sheet, values, mask, scale, striped)
    sheet.text(card.added, right, HEIGHT - 2 - LINE, "text2", anchor="end", part="added")
    for k, (name, text, role) in enumerate(card.numbers):
        line, column = divmod(k + 1, 2) if k else (0, 0)
        left, y = 92 * column, HEIGHT - 2 - LINE * (1 - line)
        sheet.text(name, left, y, "text2")
        sheet.text(text, left + 44, y, role, weight=700, part="number")


def _map(
    sheet: Sheet, values: np.ndarray, mask: np.ndarray, end: float | None, striped: str
) -> None:
    """One square for each number. Gradients are signed, on a scale up to `end`. Larger values are
    darker, on their own scale. An exact zero is gray, and an unused pixel, None, is a dot. On a page,
    each square has its number as text."""
    side, used = MAP // max(mask.shape), values != np.array(None)
    known = np.where(used, values, 0.0).astype(float)
    finite, zero = np.isfinite(known), used & (known == 0)
    shown = np.where(finite, known, 0.0)
    depth = (
        np.abs(shown) / (np.abs(shown).max() or 1)
        if end is None
        else signed(shown, end).clip(-1, 1)
    )
    solid = "negative-solid"
    violet = f' style="fill: var(--ac-{solid})"' if sheet.live else f' fill="{LIGHT[solid]}"'
    for fill, places in (("masked-tint", zero), (striped, ~finite)):
        corners = np.argwhere(places) * side + 0.5
        squares = "".join(f"M{x:g} {y:g}h{side - 1}v{side - 1}h{1 - side}z" for y, x in corners)
        line = {"stroke": "error"} if fill == striped else {}
        sheet.add("path", d=squares, fill=fill, **line)
    dots = "".join(f"M{x:g} {y:g}h0" for y, x in (np.argwhere(~used) + 0.5) * side)
    pen = {"fill": "none", "stroke": "text3", "stroke_width": 2, "stroke_linecap": "round"}
    sheet.add("path", d=dots, **pen)
    with sheet.within("g", fill="value" if end is None else "gradient-solid", part="cells"):
        for (r, c), x in np.ndenumerate(values):
            told = "not used" if x is None else number(x)
            title = f"<title>{told}</title>" if sheet.live else ""
            if title or depth[r, c]:
                # 36 squares on each of 16 maps at every stroke: written out
                place = f'x="{c * side + 0.5:g}" y="{r * side + 0.5:g}" width="{side - 1}"'
                looks = f'height="{side - 1}" fill-opacity="{opacity(depth[r, c]):g}"'
                looks += violet * bool(depth[r, c] < 0)
                sheet.parts.append(f"<rect {place} {looks}>{title}</rect>")
    _outline(sheet, mask, side)


def _outline(sheet: Sheet, mask: np.ndarray, side: int) -> None:
    looks = {"stroke": "text", "stroke_width": 2, "stroke_linecap": "square"}
    place = {"transform": f"scale({side})", "vector_effect": "non-scaling-stroke"}
    sheet.add("path", d=outline(mask), **place, **looks, pointer_events="none")


def outline(mask: np.ndarray) -> str:
    """The border of a mask as a path in units of one cell. Each side goes right or down."""
    padded, sides = np.pad(mask, 1), []
    for way in "hv":
        changes = padded[1:, 1:] != (padded[:-1, 1:] if way == "h" else padded[1:, :-1])
        sides += [f"M{c} {r}{way}1" for r, c in np.argwhere(changes)]
    return "".join(sides)

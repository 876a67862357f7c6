"""The maps of a painted mask, and a still: the grid on top, a card for each way of masking in two
columns.
"""

from bisect import bisect_left
from collections.abc import Sequence
from textwrap import wrap

import numpy as np

from ...widgets.kit.sheet import Sheet, style
from ...widgets.kit.theme import MONO
from .masking import BAD, OFF, PLAIN, Card

CELL, FIELD, GAP, COLUMNS = 28, 36, 14, 2
"""The side of a cell and of one to paint on; the space between the parts of a still, and its
columns of cards.
"""

ABOVE, BELOW = 54, 78
"""Room for the words over and under the maps of a card."""

STRIPES = {OFF: ("masked-tint", "masked", 0.18), BAD: ("error-tint", "error", 0.3)}
OVER_DARK, OVER_BOTH = 0.58, 0.8
"""A darker cell has light text: in the dark theme, in both."""

HUES = "value", "gradient-solid"
LIVE_LOOKS = [
    (
        style(fill=f"url(#ac-{looks[1]}-stripes)"),
        style(fill=looks[1], font_weight=700 if kind == BAD else 400),
    )
    for kind, looks in STRIPES.items()
] + [
    (style(fill=hue), style(fill=ink, font_weight=400))
    for hue in HUES
    for ink in ("text", "light-dark(var(--ac-text), var(--ac-card))", "card")
]
"""How a cell of a page looks, the styles of its ground and of its text: masked, not finite, and for
each hue three.
"""


def picture(
    rows: Sequence, mask: np.ndarray, hue: str, *, side: int = CELL, live: bool = False
) -> Sheet:
    """Cells, see `masking.cells_of`, with the outline of `mask`.

    In a live one each cell is a part, with a title, a ground, a text and a ring, in this order: the
    page applies `changes` to them.
    """
    sheet = Sheet(mask.shape[1] * side, mask.shape[0] * side, live)
    grounds = {kind: sheet.stripes(*looks) for kind, looks in STRIPES.items()}
    role = "gridcell" if side == FIELD else "cell"
    with sheet.within("g", text_anchor="middle", font_size=10.5):
        for r, row in enumerate(rows):
            with sheet.within("g", role="row"):
                for c, cell in enumerate(row):
                    with sheet.within("g", part="cell", role=role):
                        _cell(sheet, c * side, r * side, side, cell, hue, grounds)
    line = {"stroke": "text", "stroke_width": 2, "stroke_linecap": "square"}
    place = {"transform": f"scale({side})", "vector_effect": "non-scaling-stroke"}
    sheet.add("path", d=outline(mask), **place, **line, pointer_events="none", part="outline")
    return sheet


def _cell(
    sheet: Sheet, x: int, y: int, side: int, cell: Sequence, hue: str, grounds: dict[str, str]
) -> None:
    kind, text, exact, dark = cell
    ground, ink, weight, opacity = grounds.get(kind, hue), "masked", None, None
    if kind == BAD:
        ink, weight = "error", 700
    elif kind == PLAIN:
        ink, opacity = "card" if dark > OVER_BOTH else "text", dark
    if sheet.live:
        sheet.add("title", exact)
    sheet.rect(x + 0.5, y + 0.5, side - 1, side - 1, fill=ground, fill_opacity=opacity)
    sheet.text(text, x + side // 2, y + side // 2 + 4, ink, weight=weight)
    if sheet.live:
        sheet.rect(x + 4, y + 4, side - 8, side - 8, fill="none")


def blank(mask: np.ndarray, side: int) -> str:
    """The live picture before anything is in its cells."""
    rows = [[[OFF, "", "", 1]] * mask.shape[1]] * len(mask)
    sheet = picture(rows, np.zeros_like(mask), "value", side=side, live=True)
    return sheet.svg("", role="grid" if side == FIELD else "table")


def changes(rows: Sequence, hue: str) -> list[list]:
    """What to put into the cells: [text, title, how opaque the ground is, which of `LIVE_LOOKS`]."""
    found = []
    for kind, text, exact, dark in (cell for row in rows for cell in row):
        if kind == PLAIN:
            shade = bisect_left((OVER_DARK, OVER_BOTH), dark)
            found.append([text, exact, dark, len(STRIPES) + 3 * HUES.index(hue) + shade])
        else:
            found.append([text, exact, 1, [*STRIPES].index(kind)])
    return found


def still(x: Sequence, mask: np.ndarray, cards: Sequence[Card], description: str) -> str:
    """The grid and the cards as one picture."""
    rows, columns = mask.shape
    width, height = 2 * columns * CELL + 3 * GAP, ABOVE + rows * CELL + BELOW
    top = 28 + rows * CELL + GAP
    sheet = Sheet(COLUMNS * (width + GAP) + GAP, top + -(-len(cards) // COLUMNS) * (height + GAP))
    sheet.text("input x", GAP, 20, "value", weight=700)
    sheet.insert(picture(x, mask, "value"), GAP, 28)
    for i, card in enumerate(cards):
        left, y = GAP + i % COLUMNS * (width + GAP), top + i // COLUMNS * (height + GAP)
        sheet.rect(left, y, width, height, rx=8, fill="none", stroke="border-quiet")
        _card(sheet, left + GAP, y, width - GAP, card, mask)
    return sheet.svg(description)


def _card(sheet: Sheet, left: float, y: float, width: float, card: Card, mask: np.ndarray) -> None:
    rows, columns = mask.shape
    second, below, bold = left + GAP + columns * CELL, y + ABOVE + rows * CELL, {"weight": 700}
    sheet.text(card.way, left, y + 22, "text", **bold, font_family=MONO, size=13)
    sheet.text("loss of each cell", left, y + 44, "value")
    sheet.text("gradient, ∂ loss / ∂ x", second, y + 44, "gradient")
    sheet.insert(picture(card.losses, mask, "value"), left, y + ABOVE)
    sheet.insert(picture(card.gradients, mask, "gradient-solid"), second, y + ABOVE)
    sheet.text(card.added, left, below + 18, "text2")
    for k, (name, text, role) in enumerate(card.numbers):
        x = left + k * width // len(card.numbers)
        sheet.text(f"{name} {text}", x, below + 36, role, **bold)
    ink = "agreed" if card.mark == "clean" else "error"
    for k, line in enumerate(wrap(card.verdict, 50)):
        sheet.text(line, left, below + 54 + 15 * k, ink, **bold)


def outline(mask: np.ndarray) -> str:
    """The border of a mask as a path, a cell being 1 × 1: along each side of a cell to the right,
    or down.
    """
    padded, sides = np.pad(mask, 1), []
    for way in "hv":
        changes = padded[1:, 1:] != (padded[:-1, 1:] if way == "h" else padded[1:, :-1])
        sides += [f"M{c} {r}{way}1" for r, c in np.argwhere(changes)]
    return "".join(sides)

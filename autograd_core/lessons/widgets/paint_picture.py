"""The maps of a painted mask; and a still, with a card for each way of masking below the grid."""

from collections.abc import Sequence
from textwrap import wrap

import numpy as np

from ...widgets.kit.sheet import Sheet, style
from ...widgets.kit.theme import MONO
from .masking import BAD, OFF, PLAIN, Card

CELL, FIELD = 28, 36  # the side of a cell, and of one to paint on
GAP, COLUMNS = 14, 2  # the space between the parts of a still, and its columns of cards
ABOVE, BELOW = 54, 78  # room for the words over and under the maps of a card

TURNS = "light-dark(var(--ac-text), var(--ac-card))"
LOOKS = [
    ("url(#ac-masked-stripes)", "masked", "masked", 400),
    ("url(#ac-error-stripes)", "error", "error", 700),
    *(
        (colour, ink, live, 400)
        for colour in PLAIN
        for ink, live in (("text", "text"), ("text", TURNS), ("card", "card"))
    ),
]
"""Ground, text in a still and in a page, and how bold that is, of a cell: masked, not finite, and
for each colour three, from pale to dark."""

LIVE_LOOKS = [(style(fill=look[0]), style(fill=look[2], font_weight=look[3])) for look in LOOKS]


def picture(cells: Sequence, mask: np.ndarray, side: int = CELL, live: bool = False) -> Sheet:
    """Cells, see `masking.cells_of`, with the outline of `mask`. In a live one the page puts them
    into the title, ground, text and ring of each part "cell"."""
    sheet = Sheet(mask.shape[1] * side, mask.shape[0] * side, live)
    sheet.stripes("masked", 0.18)
    sheet.stripes("error", 0.3)
    role, columns = "gridcell" if side == FIELD else "cell", mask.shape[1]
    with sheet.within("g", text_anchor="middle", font_size=10.5):
        for r in range(len(mask)):
            with sheet.within("g", role="row"):
                for c, cell in enumerate(cells[r * columns : (r + 1) * columns]):
                    with sheet.within("g", part="cell", role=role):
                        _cell(sheet, c * side, r * side, side, cell)
    line = {"stroke": "text", "stroke_width": 2, "stroke_linecap": "square"}
    place = {"transform": f"scale({side})", "vector_effect": "non-scaling-stroke"}
    sheet.add("path", d=outline(mask), **place, **line, pointer_events="none", part="outline")
    return sheet


def _cell(sheet: Sheet, x: int, y: int, side: int, cell: Sequence) -> None:
    text, exact, dark, look = cell
    ground, ink, _, weight = LOOKS[look]
    if sheet.live:
        sheet.add("title", exact)
    opacity = None if look in (OFF, BAD) else dark
    sheet.rect(x + 0.5, y + 0.5, side - 1, side - 1, fill=ground, fill_opacity=opacity)
    bold = weight if weight > 400 else None
    sheet.text(text, x + side // 2, y + side // 2 + 4, ink, weight=bold)
    if sheet.live:
        sheet.rect(x + 4, y + 4, side - 8, side - 8, fill="none")


def blank(mask: np.ndarray, side: int) -> str:
    """The live picture before anything is in its cells."""
    sheet = picture([["", "", 1, OFF]] * mask.size, np.zeros_like(mask), side, live=True)
    return sheet.svg("", role="grid" if side == FIELD else "table")


def still(x: Sequence, mask: np.ndarray, cards: Sequence[Card], description: str) -> str:
    """The grid and the cards as one picture."""
    rows, columns = mask.shape
    width, height = 2 * columns * CELL + 3 * GAP, ABOVE + rows * CELL + BELOW
    top = 28 + rows * CELL + GAP
    sheet = Sheet(COLUMNS * (width + GAP) + GAP, top + -(-len(cards) // COLUMNS) * (height + GAP))
    sheet.text("input x", GAP, 20, "value", weight=700)
    sheet.insert(picture(x, mask), GAP, 28)
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
    sheet.insert(picture(card.losses, mask), left, y + ABOVE)
    sheet.insert(picture(card.gradients, mask), second, y + ABOVE)
    sheet.text(card.added, left, below + 18, "text2")
    for k, (name, text, role) in enumerate(card.numbers):
        x = left + k * width // len(card.numbers)
        sheet.text(f"{name} {text}", x, below + 36, role, **bold)
    ink = "agreed" if card.mark == "clean" else "error"
    for k, line in enumerate(wrap(card.verdict, 50)):
        sheet.text(line, left, below + 54 + 15 * k, ink, **bold)


def outline(mask: np.ndarray) -> str:
    """The border of a mask as a path, a cell being 1 × 1: each side to the right, or down."""
    padded, sides = np.pad(mask, 1), []
    for way in "hv":
        changes = padded[1:, 1:] != (padded[:-1, 1:] if way == "h" else padded[1:, :-1])
        sides += [f"M{c} {r}{way}1" for r, c in np.argwhere(changes)]
    return "".join(sides)

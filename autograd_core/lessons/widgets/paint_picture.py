"""The maps of a painted mask, and a still: the grid on top, a card for each way of masking in two
columns.
"""

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
    with sheet.within("g", text_anchor="middle", font_size=10.5):
        for r, row in enumerate(rows):
            with sheet.within("g", role="row"):
                for c, (kind, text, exact, dark) in enumerate(row):
                    ground, ink, weight = _look(kind, dark, hue)
                    with sheet.within(
                        "g", part="cell", role="gridcell" if side == FIELD else "cell"
                    ):
                        if live:
                            sheet.add("title", exact)
                        sheet.add(
                            "rect",
                            x=c * side + 0.5,
                            y=r * side + 0.5,
                            width=side - 1,
                            height=side - 1,
                            fill=grounds.get(ground, ground),
                            **({"fill_opacity": dark} if kind == PLAIN else {}),
                        )
                        sheet.add(
                            "text",
                            text,
                            x=c * side + side // 2,
                            y=r * side + side // 2 + 4,
                            fill=ink,
                            **({"font_weight": weight} if weight > 400 else {}),
                        )
                        if live:
                            sheet.add(
                                "rect",
                                x=c * side + 4,
                                y=r * side + 4,
                                width=side - 8,
                                height=side - 8,
                                fill="none",
                            )
    sheet.add(
        "path",
        d=outline(mask),
        transform=f"scale({side})",
        vector_effect="non-scaling-stroke",
        stroke="text",
        stroke_width=2,
        stroke_linecap="square",
        pointer_events="none",
        part="outline",
    )
    return sheet


def blank(mask: np.ndarray, side: int) -> str:
    """The live picture before anything is in its cells."""
    sheet = picture(
        [[[OFF, "", "", 1]] * mask.shape[1]] * len(mask),
        np.zeros_like(mask),
        "value",
        side=side,
        live=True,
    )
    return sheet.svg("", role="grid" if side == FIELD else "table")


def changes(rows: Sequence, hue: str) -> list[list]:
    """What to put into the cells: [text, title, how opaque the ground is, which of `LIVE_LOOKS`]."""
    return [
        [
            text,
            exact,
            dark if kind == PLAIN else 1,
            (
                (OFF, BAD).index(kind)
                if kind in STRIPES
                else 2 + 3 * HUES.index(hue) + int(dark > OVER_DARK) + int(dark > OVER_BOTH)
            ),
        ]
        for kind, text, exact, dark in (cell for row in rows for cell in row)
    ]


def _look(kind: str, dark: float, hue: str) -> tuple[str, str, int]:
    """The ground of a cell, its ink, and how bold it is."""
    if kind == PLAIN:
        return hue, "card" if dark > OVER_BOTH else "text", 400
    return (OFF, "masked", 400) if kind == OFF else (BAD, "error", 700)


def still(x: Sequence, mask: np.ndarray, cards: Sequence[Card], description: str) -> str:
    """The grid and the cards as one picture."""
    rows, columns = mask.shape
    width, height = 2 * columns * CELL + 3 * GAP, ABOVE + rows * CELL + BELOW
    top = 28 + rows * CELL + GAP
    sheet = Sheet(COLUMNS * (width + GAP) + GAP, top + -(-len(cards) // COLUMNS) * (height + GAP))

    def words(x: float, y: float, text: str, colour: str, **more: object) -> None:
        sheet.add("text", text, x=x, y=y, fill=colour, **more)

    def place(x: float, y: float, cells: Sequence, hue: str) -> None:
        with sheet.within("svg", x=x, y=y, overflow="visible"):
            sheet.parts += picture(cells, mask, hue).parts

    words(GAP, 20, "input x", "value", font_weight=700)
    place(GAP, 28, x, "value")
    for i, card in enumerate(cards):
        left, y = GAP + i % COLUMNS * (width + GAP), top + i // COLUMNS * (height + GAP)
        inner, second, below = left + GAP, left + 2 * GAP + columns * CELL, y + ABOVE + rows * CELL
        sheet.add(
            "rect",
            x=left,
            y=y,
            width=width,
            height=height,
            rx=8,
            fill="none",
            stroke="border-quiet",
        )
        words(inner, y + 22, card.way, "text", font_weight=700, font_family=MONO, font_size=13)
        words(inner, y + 44, "loss of each cell", "value")
        words(second, y + 44, "gradient, ∂ loss / ∂ x", "gradient")
        place(inner, y + ABOVE, card.losses, "value")
        place(second, y + ABOVE, card.gradients, "gradient-solid")
        words(inner, below + 18, card.added, "text2")
        for k, (name, text, role) in enumerate(card.numbers):
            words(
                inner + k * (width - GAP) // len(card.numbers),
                below + 36,
                f"{name} {text}",
                role,
                font_weight=700,
            )
        for k, line in enumerate(wrap(card.verdict, 50)):
            words(
                inner,
                below + 54 + 15 * k,
                line,
                "agreed" if card.mark == "clean" else "error",
                font_weight=700,
            )
    return sheet.svg(description)


def outline(mask: np.ndarray) -> str:
    """The border of a mask as a path, a cell being 1 × 1: along each side of a cell to the right,
    or down.
    """
    padded, sides = np.pad(mask, 1), []
    for way in "hv":
        changes = padded[1:, 1:] != (padded[:-1, 1:] if way == "h" else padded[1:, :-1])
        sides += [f"M{c} {r}{way}1" for r, c in np.argwhere(changes)]
    return "".join(sides)

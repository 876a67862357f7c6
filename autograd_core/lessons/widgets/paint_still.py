"""A painted mask and its cards as an SVG file, for previews: the grid on top, the cards in two columns."""

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

import numpy as np

from ...widgets.kit.svg import STRIPED, dark_style, stripes, tag
from ...widgets.kit.theme import FONT, MONO
from .masking import BAD, OFF, PLAIN, Card

CELL, GAP, COLUMNS = 26, 16, 2
ABOVE, BELOW = 54, 66
"""Room for the words over and under the maps of a card."""

FROM_HERE_WHITE = 0.8
"""A darker cell has the card's colour as its text."""


class Still:
    """The grid `x` and `cards`, with the outline of `mask` on every map; each cell of `poison` is its kind or ""."""

    def __init__(self, x: list, mask: np.ndarray, poison: np.ndarray, cards: list[Card]):
        self.x, self.mask, self.poison, self.cards = x, mask, poison, cards
        self.rows, self.columns = mask.shape
        self.card_width = 2 * self.columns * CELL + 3 * GAP
        self.card_height = ABOVE + self.rows * CELL + BELOW
        self.top = 28 + self.rows * CELL + GAP

    def svg(self, description: str) -> str:
        """The picture, with its own colours for light and for dark."""
        width = COLUMNS * (self.card_width + GAP) + GAP
        height = self.top + -(-len(self.cards) // COLUMNS) * (self.card_height + GAP)
        body = [tag("title", description), f"<style>{dark_style()}</style>", stripes(),
                tag("rect", width=width, height=height, fill="card"),
                _bold(GAP, 20, "input x", "value"), *self._map(GAP, 28, self._poisoned(), "value")]
        for i, card in enumerate(self.cards):
            column, row = i % COLUMNS, i // COLUMNS
            body += self._card(card, GAP + column * (self.card_width + GAP), self.top + row * (self.card_height + GAP))
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                f'viewBox="0 0 {width} {height}" role="img" font-size="12" font-family={quoteattr(FONT)}>'
                f"{''.join(body)}</svg>")

    def _poisoned(self) -> list:
        return [[[BAD, kind, kind, 1.0] if kind else cell for cell, kind in zip(*rows)]
                for rows in zip(self.x, self.poison)]

    def _card(self, card: Card, left: float, top: float) -> Iterator[str]:
        second, below = left + GAP + (self.columns * CELL + GAP), top + ABOVE + self.rows * CELL
        yield tag("rect", x=left, y=top, width=self.card_width, height=self.card_height, rx=8, fill="none",
                  stroke="border-quiet")
        yield _bold(left + GAP, top + 22, card.way, "text", font_family=MONO, font_size=13)
        yield tag("text", "loss of each cell", x=left + GAP, y=top + 44, fill="value")
        yield tag("text", "gradient, ∂ loss / ∂ x", x=second, y=top + 44, fill="gradient")
        yield from self._map(left + GAP, top + ABOVE, card.losses, "value")
        yield from self._map(second, top + ABOVE, card.gradients, "gradient-solid")
        yield tag("text", card.added, x=left + GAP, y=below + 18, fill="text2")
        for i, (name, text, role) in enumerate(card.numbers):
            at = left + GAP + i * (self.card_width - GAP) // len(card.numbers)
            yield _bold(at, below + 36, f"{name} {text}", role)
        yield _bold(left + GAP, below + 55, card.verdict, "agreed" if card.mark == "clean" else "error")

    def _map(self, left: float, top: float, rows: list, hue: str) -> Iterator[str]:
        yield '<g font-size="10.5" text-anchor="middle">'
        for r, row in enumerate(rows):
            for c, (kind, text, _, dark) in enumerate(row):
                x, y = left + c * CELL, top + r * CELL
                fill = {OFF: "masked-tint", BAD: STRIPED}.get(kind, hue)
                ink = {OFF: "masked", BAD: "error"}.get(kind, "card" if dark > FROM_HERE_WHITE else "text")
                faint = {"fill_opacity": dark} if kind == PLAIN else {}
                yield tag("rect", x=x + 0.5, y=y + 0.5, width=CELL - 1, height=CELL - 1, fill=fill, **faint)
                yield tag("text", text, x=x + CELL // 2, y=y + CELL // 2 + 4, fill=ink)
        yield "</g>"
        yield tag("path", d="".join(f"M{left + c * CELL:g} {top + r * CELL:g}{'h' if flat else 'v'}{CELL}"
                                    for r, c, flat in outline(self.mask)), stroke="text", stroke_width=2)


def outline(mask: np.ndarray) -> Iterator[tuple[int, int, bool]]:
    """The border of a mask as sides of cells: (row, column, whether it runs to the right from there, or down)."""
    padded = np.pad(mask, 1)
    for flat in (True, False):
        changes = padded[1:, 1:] != (padded[:-1, 1:] if flat else padded[1:, :-1])
        yield from ((int(r), int(c), flat) for r, c in np.argwhere(changes))


def _bold(x: float, y: float, text: str, colour: str, **attributes: object) -> str:
    return tag("text", text, x=x, y=y, fill=colour, font_weight=700, **attributes)

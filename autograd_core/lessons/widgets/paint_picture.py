"""The pictures of a painted mask: the grid to paint on, and a card for each way of masking."""

from textwrap import wrap

import numpy as np

from ...widgets.kit.format import number
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.theme import MONO
from .maps import ink_on
from .masking import Card, brief

FIELD, MAP = 36, 84  # the side of a cell to paint on, and of a map on a card
CARD, HEIGHT = 344, 108  # a card of a still; in a page it is as wide as there is room
LINE, LETTERS = 14, 23  # the height of a line on a card, and how many letters fit beside its maps
PAD, GAP = 10, 8

MARKS = {"clean": "✓", "hidden": "!", "broken": "✕"}


def grid(x: np.ndarray, mask: np.ndarray, poison: np.ndarray, live: bool = False) -> Sheet:
    """The input as a grid to paint on; `poison` names what is in a cell in place of its number."""
    sheet = Sheet(mask.shape[1] * FIELD, mask.shape[0] * FIELD, live)
    sheet.stripes("masked", 0.18)
    sheet.stripes("error", 0.3)
    for r in range(len(mask)):
        with sheet.within("g", role="row"):
            for c in range(mask.shape[1]):
                kind = poison[r, c]
                value = f"poisoned: {kind}" if kind else f"x = {number(x[r, c])}"
                where = "in" if mask[r, c] else "outside"
                label = f"Row {r}, column {c}: {value}, {where} the mask."
                selected = {"aria_selected": str(bool(mask[r, c])).lower()} if live else {}
                hands = {"role": "gridcell", "tabindex": -1, "aria_label": label, **selected}
                with sheet.within("g", **hands):
                    _field(sheet, c * FIELD, r * FIELD, kind, x[r, c], np.abs(x).max() or 1)
    _outline(sheet, mask, FIELD)
    return sheet


def _field(sheet: Sheet, left: int, top: int, kind: str, x: float, largest: float) -> None:
    dark, middle = round(abs(x) / largest, 3), FIELD // 2
    ground = {"fill": "url(#ac-error-stripes)"} if kind else {"fill": "value", "fill_opacity": dark}
    sheet.rect(left + 0.5, top + 0.5, FIELD - 1, FIELD - 1, **ground)
    ink, weight = ("error", 700) if kind else (ink_on(dark, sheet.live), 400)
    looks = {"anchor": "middle", "weight": weight, "size": 12}
    sheet.text(kind or brief(x), left + middle, top + middle + 4, ink, **looks)
    if sheet.live:
        sheet.rect(left + 4, top + 4, FIELD - 8, FIELD - 8, fill="none", part="ring")


def cards(results: list[Card], mask: np.ndarray) -> str:
    """The cards for a page, each a picture that is as wide as there is room. They use the stripes
    of the grid."""
    pictures = []
    for result in results:
        sheet = Sheet(CARD, HEIGHT, live=True, fluid=True)
        _card(sheet, result, mask, "100%")
        pictures.append(sheet.svg(result.way, role="group"))
    return "".join(pictures)


def _card(sheet: Sheet, card: Card, mask: np.ndarray, right: object) -> None:
    """A card that ends at `right`: at the left words and numbers, at the right both maps."""
    ink = "agreed" if card.mark == "clean" else "error"
    sheet.add("circle", cx=9, cy=9, r=9, fill=ink, fill_opacity=0.14)
    sheet.text(MARKS[card.mark], 9, 13, ink, anchor="middle", weight=700)
    code = {"weight": 700, "size": 12.5, "font_family": MONO, "part": "code"}
    sheet.text(card.way, 25, 14, "text", **code)
    sheet.text(card.added, right, 14, "text2", anchor="end", part="added")
    for k, line in enumerate(wrap(card.verdict, LETTERS)):
        sheet.text(line, None, 34 + LINE * k, ink, weight=700, part="verdict")
    for k, (name, text, role) in enumerate(reversed(card.numbers)):
        sheet.text(name, None, HEIGHT - 2 - LINE * k, "text2")
        sheet.text(text, 52, HEIGHT - 2 - LINE * k, role, weight=700, part="number")
    maps = ("loss of each cell", card.losses, "value"), ("gradient", card.gradients, "gradient")
    with sheet.within("svg", x=right, y=HEIGHT - MAP, overflow="visible"):
        for k, (name, values, role) in enumerate(maps):
            left = (k - 2) * MAP + (k - 1) * GAP
            with sheet.within("g", transform=f"translate({left} 0)", role="group", aria_label=name):
                _map(sheet, values, mask, "gradient-solid" if k else role)


def _map(sheet: Sheet, values: np.ndarray, mask: np.ndarray, colour: str) -> None:
    """A square for each number, the darkest for the one of largest size. A zero outside the mask is
    grey, and what is not used, None, is empty. In a page each square tells its number."""
    side, used = MAP // max(mask.shape), values != np.array(None)
    known = np.where(used, values, 0.0).astype(float)
    finite, zero = np.isfinite(known), used & ~mask & (known == 0)
    dark = np.abs(np.where(finite, known, 0.0))
    dark = np.round(dark / (dark.max() or 1), 2)
    for stripe, places in (("masked", zero), ("error", ~finite)):
        corners = np.argwhere(places) * side + 0.5
        squares = "".join(f"M{x:g} {y:g}h{side - 1}v{side - 1}h{1 - side}z" for y, x in corners)
        line = {"stroke": "error"} if stripe == "error" else {}
        sheet.add("path", d=squares, fill=f"url(#ac-{stripe}-stripes)", **line)
    with sheet.within("g", fill=colour, part="cells"):
        for (r, c), x in np.ndenumerate(values):
            told = "not used" if x is None else number(x)
            title = f"<title>{told}</title>" if sheet.live else ""
            if title or dark[r, c]:
                # 36 squares on each of 16 maps at every stroke: written out
                place = f'x="{c * side + 0.5:g}" y="{r * side + 0.5:g}" width="{side - 1}"'
                looks = f'height="{side - 1}" fill-opacity="{dark[r, c]:g}"'
                sheet.parts.append(f"<rect {place} {looks}>{title}</rect>")
    _outline(sheet, mask, side)


def still(x, mask: np.ndarray, poison: np.ndarray, results: list[Card], description: str) -> str:
    """The grid and the cards as one picture."""
    field, wide = grid(x, mask, poison), CARD + 2 * PAD
    top, high = 28 + field.height + GAP, HEIGHT + 2 * PAD
    sheet = Sheet(2 * wide + 3 * GAP, top + -(-len(results) // 2) * (high + GAP))
    sheet.text("input x", GAP, 20, "value", weight=700)
    sheet.insert(field, GAP, 28)
    words = {"loss of each cell": "value", "gradient, ∂ loss / ∂ x": "gradient"}
    for k, (name, role) in enumerate(words.items()):
        sheet.text(f"{'right' if k else 'left'}: {name}", 2 * GAP + field.width, 48 + 18 * k, role)
    for i, card in enumerate(results):
        left, y = GAP + i % 2 * (wide + GAP), top + i // 2 * (high + GAP)
        sheet.rect(left, y, wide, high, rx=8, fill="none", stroke="border-quiet")
        with sheet.within("g", transform=f"translate({left + PAD} {y + PAD})"):
            _card(sheet, card, mask, CARD)
    return sheet.svg(description)


def _outline(sheet: Sheet, mask: np.ndarray, side: int) -> None:
    looks = {"stroke": "text", "stroke_width": 2, "stroke_linecap": "square"}
    place = {"transform": f"scale({side})", "vector_effect": "non-scaling-stroke"}
    sheet.add("path", d=outline(mask), **place, **looks, pointer_events="none")


def outline(mask: np.ndarray) -> str:
    """The border of a mask as a path, a cell being 1 × 1: each side to the right, or down."""
    padded, sides = np.pad(mask, 1), []
    for way in "hv":
        changes = padded[1:, 1:] != (padded[:-1, 1:] if way == "h" else padded[1:, :-1])
        sides += [f"M{c} {r}{way}1" for r, c in np.argwhere(changes)]
    return "".join(sides)

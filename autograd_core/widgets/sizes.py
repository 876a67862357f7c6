"""Sizes in the graph view, in CSS pixels, shared by the layout, the still and the words."""

import re
from math import prod

from ..trace import TraceNode
from .numerals import shorten
from .words import split_name

BOX_HEIGHT, PORT = 46, 100          # PORT: from a box's left side to the edge that runs straight up and down
GAP = 34                            # between two rows; a pill fits in
LANE, INDENT, CLEAR = 16, 28, 14    # between lanes; from a box's left side to its first lane; to one that passes
NUMBER_HEIGHT, NUMBER_STEP = 14, 24 # of the number that tells which input an edge is; between two such edges
GUTTER, STACK = 20, 8               # of a leaf's edge beside its pill; between two leaves of one operation
BRIEF = 28                          # of a pill that has no room for its number
CONSTANT_WIDTH, CONSTANT_HEIGHT = 86, 36
PILL_HEIGHT, PILL_STEP = 22, 24     # from one pill to the next in a gap
TAB_WIDTH, TAB_HEIGHT = 127, 18     # of a bookmark, at most
MARGIN, SLIM_MARGIN, CODE_WIDTH, LABEL_HEIGHT = 24, 12, 132, 26
LEGEND_WIDTH, NOTE_WIDTH = 256, 190
LEAVES = ("leaf", "frozen")         # kinds of nodes that stand at the right of their first consumer
LARGE = 30                          # above so many nodes, norms stand for numbers

NAME_WIDTH = (150, 150, 166, 190)   # of a box's left part, by how many numbers it shows, where its name needs no more
NARROW_NAME_WIDTH, LEAF_NAME_WIDTH, WIDEST_NAME = 146, 156, 192
SLIM_LEAF_WIDTH = (82, 82, 126, 172)
ROUND_END = 4                       # by which a leaf's place for its gradient is wider
GRADIENT_WIDTH = (100, 100, 110, 160)
LONG_LABEL = 8                      # letters; a leaf with a longer label shows it in place of "AccumulateGrad"
NARROW_LETTERS = set("ijlI.,:;'|[]()!↑ ft")


def elements(shape: tuple | None) -> int:
    """How many numbers a tensor of this shape shows: up to three in full, else 1, its norm."""
    count = prod(shape or ())
    return count if count <= 3 else 1


def code_lines(source: str, narrow: bool, height: int) -> list[str]:
    """A source line as it stands in its band: broken before a method or after a space, cut where there is no room."""
    limit, rows = (70, 1) if narrow else (16, max(1, (height - 12) // 19))
    lines: list[str] = []
    for piece in re.split(r"(?<= )|(?=\.[A-Za-z_])", source.strip()[:400]):
        if lines and len((lines[-1] + piece).rstrip()) <= limit:
            lines[-1] += piece
        else:
            lines.append("  " + piece if lines else piece)
    shown = lines[:rows]
    if len(lines) > rows:
        shown[-1] += "…"
    return [line if len(line.rstrip()) <= limit + 2 else line[:limit + 1] + "…" for line in shown]


def pill_width(shape: tuple | None) -> int:
    """The room that a contribution of this shape needs on its edge."""
    return 104 if prod(shape or ()) > 3 else (76, 76, 122, 172)[elements(shape)]


def cut_text(cut: str) -> str:
    """What the label at a cut says: "" where the boxes say it."""
    return "" if cut in ("", "severed", "requires_grad=False") else fit(f"cut: {cut}", 150, 12, True)


def cut_width(cut: str) -> int:
    """The room that the label at a cut needs, scissors included."""
    text = cut_text(cut)
    return round(text_width(text, 12, True)) + 44 if text else 0


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide `text` is: Python has no browser to measure with."""
    letters = sum(0.3 if c in NARROW_LETTERS else 0.7 if c.isupper() or c in "mw" else 0.56 for c in text)
    return letters * size * (1.05 if bold else 1)


def fit(text: str, room: float, size: float, bold: bool = False) -> str:
    """`text`, cut with an ellipsis where it would be wider than `room`."""
    if text_width(text, size, bold) <= room:
        return text
    while text and text_width(text + "…", size, bold) > room:
        text = text[:-1]
    return text + "…"


def fit_path(name: str, room: float, size: float, bold: bool = False) -> str:
    """A dotted name, its first parts left out where they have no room: "…conv1.weight"."""
    parts = shorten(name, 200).split(".")
    texts = [".".join(parts), *("…" + ".".join(parts[i:]) for i in range(1, len(parts)))]
    return next((text for text in texts if text_width(text, size, bold) <= room), fit(texts[0], room, size, bold))


def name_width(node: TraceNode) -> int:
    """The room that an operation's name needs: all of it, or at least its bold part."""
    short, rest = split_name(node.name)
    strong = 47 + text_width(short, 13.5, True)
    whole = strong + text_width(rest, 12.5)
    return round(whole if whole <= WIDEST_NAME else min(strong, WIDEST_NAME))


def tab_text(node: TraceNode) -> str:
    """What the bookmark on an operation's box says."""
    text = "saved " + ", ".join(shorten(each.label, 24) or each.name for each in node.saved)
    if len(node.saved) > 1 and text_width(text, 12) > 100:
        return f"saved {len(node.saved)} tensors"
    return fit(text, 100, 12)


def tab_width(node: TraceNode) -> int:
    return round(text_width(tab_text(node), 12)) + 27

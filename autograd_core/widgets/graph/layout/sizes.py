"""Sizes in the graph view, in CSS pixels, shared by the layout, the still and the words."""

import re
from math import prod

from ....trace import TraceNode
from ...kit.format import shorten
from ...kit.text import fit, text_width
from ..describe import split_name

LETTER, CODE_HEIGHT = 7.9, 19  # of a source line
LANE = 16  # between lanes
BRIEF = 28  # of a pill that has no room for its number
CONSTANT_WIDTH = 86
PILL_HEIGHT, PILL_STEP = 22, 24  # from one pill to the next in a gap
MARGIN, NOTE_WIDTH = 24, 190
WIDEST_NAME, TAB_ROOM = 192, 100
LEAVES = ("leaf", "frozen")  # kinds of nodes that stand at the right of their first consumer
LARGE = 30  # above so many nodes, norms stand for numbers


def elements(shape: tuple | None) -> int:
    """How many numbers a tensor of this shape shows: up to three in full, else 1, its norm."""
    count = prod(shape or ())
    return count if count <= 3 else 1


def code_lines(source: str, room: int, rows: int) -> list[str]:
    """A source line as it stands in its band: broken after an operator, a bracket or a comma, or
    before a method.

    It is cut where there is no room; the whole line stands in the picture's title for it.
    """
    limit = max(1, int(room // LETTER))
    lines: list[str] = []
    for piece in re.split(r"(?<=[ (])|(?=\.[A-Za-z_])", source.strip()[:400]):
        if lines and len((lines[-1] + piece).rstrip()) <= limit:
            lines[-1] += piece
        else:
            lines.append("  " + piece if lines else piece)
    shown = lines[:rows]
    if len(lines) > rows:
        shown[-1] = shown[-1].rstrip() + "…"
    return [line if len(line.rstrip()) <= limit else line[: limit - 1] + "…" for line in shown]


def pill_width(shape: tuple | None) -> int:
    """The room that a contribution of this shape needs on its edge."""
    return 104 if prod(shape or ()) > 3 else (76, 76, 122, 172)[elements(shape)]


def cut_text(cut: str) -> str:
    """What the label at a cut says: "" where the boxes say it."""
    return (
        "" if cut in ("", "severed", "requires_grad=False") else fit(f"cut: {cut}", 150, 12, True)
    )


def cut_width(cut: str) -> int:
    """The room that the label at a cut needs, scissors included."""
    text = cut_text(cut)
    return round(text_width(text, 12, True)) + 44 if text else 0


def name_width(node: TraceNode) -> int:
    """The room that an operation's name needs: all of it, or at least its bold part."""
    short, rest = split_name(node.name)
    strong = 47 + text_width(short, 13.5, True)
    whole = strong + text_width(rest, 12.5)
    return round(whole if whole <= WIDEST_NAME else min(strong, WIDEST_NAME))


def tab_names(node: TraceNode) -> str:
    """What the bookmark on an operation's box says, where there are TAB_ROOM pixels for it."""
    return "saved " + ", ".join(shorten(each.label, 24) or each.name for each in node.saved)


def tab_text(node: TraceNode) -> str:
    """What it says in any case."""
    if len(node.saved) > 1 and text_width(tab_names(node), 12) > TAB_ROOM:
        return f"saved {len(node.saved)} tensors"
    return fit(tab_names(node), TAB_ROOM, 12)


def tab_width(node: TraceNode) -> int:
    return round(text_width(tab_text(node), 12)) + 27

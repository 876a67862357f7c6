"""Sizes in the graph view, in CSS pixels, shared by the layout, the still and the words."""

import re
from math import prod

BOX_HEIGHT, PORT = 46, 100          # PORT: from a box's left side to the edge that runs straight up and down
GAP = 34                            # between two rows; a pill fits in
LANE, INDENT, CLEAR = 16, 28, 14    # between parallel lanes; from a box's left side to its first lane; to one that passes
NUMBER_HEIGHT = 14                  # of the number that tells which input an edge is
GUTTER, STACK = 33, 8               # between operations and leaves; between two leaves of one operation
CONSTANT_WIDTH, CONSTANT_HEIGHT = 86, 36
PILL_STEP = 24                      # from one pill to the next in a gap
TAB_WIDTH, TAB_HEIGHT = 70, 18      # of one bookmark; a box has room for two
MARGIN, CODE_WIDTH, LABEL_HEIGHT = 24, 132, 26
LEGEND_WIDTH, NOTE_WIDTH = 256, 190
LARGE = 30                          # above so many nodes, norms stand for numbers

NAME_WIDTH = (162, 162, 166, 190)   # of a box's left part, by how many numbers it shows
NARROW_NAME_WIDTH = 160
GRADIENT_WIDTH = (100, 100, 114, 160)


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
    return (72, 72, 122, 172)[elements(shape)]

"""A trace's rows from left to right: constants, lanes, operations, leaves."""

from ....trace import Trace
from ...kit.text import text_width
from .boxes import Point
from .sizes import (
    BRIEF,
    CONSTANT_WIDTH,
    LANE,
    LEAVES,
    MARGIN,
    PILL_HEIGHT,
    PILL_STEP,
    cut_width,
    elements,
    name_width,
    pill_width,
    tab_width,
)
from .small_rows import Rows

# from a box's left side to the edge that runs straight up and down
PORT = 100
# from a box's left side to its first lane; between lanes and what they pass
INDENT, CLEAR = 28, 14
NUMBER_STEP = 24  # between two edges that have a number
GUTTER = 20  # of a leaf's edge beside its pill
SLIM_MARGIN, CODE_LEFT = 12, 26
CODE_WIDTHS = 132, 106  # of the code's column on a wide and on a narrow page
CODE_GAP = 8  # between code and a constant beside it, on a narrow page

# of a box's left part, by how many numbers it shows, where its name needs no more
NAME_WIDTH = (150, 150, 166, 190)
NARROW_NAME_WIDTH, LEAF_NAME_WIDTH = 146, 156
SLIM_LEAF_WIDTH = (82, 82, 126, 172)
GRADIENT_WIDTH = (100, 100, 110, 160)
# where even a slim graph has no room
TIGHT_SPLIT, TIGHT_GRADIENT, TIGHT_LANE, TIGHT_CONSTANT = 140, 98, 12, 64
TIGHT_INDENT, NARROW_MARGIN, NUMBER_GAP = 14, 16, 12
BUS = 12  # between two lanes of leaves
ROUND_END = 4  # by which a leaf's place for its gradient is wider


class Columns(Rows):
    """Where lanes, operations and leaves are, from left to right. Boxes are as wide as their names
    and numbers need.
    """

    def __init__(
        self, trace: Trace, narrow: bool, slim: bool, tight: bool = False, spread: bool = False
    ):
        super().__init__(trace)
        self.narrow, self.slim, self.spread, nodes = narrow, slim, spread, trace.nodes
        shown = max(
            (elements(self.shapes[i]) for i, node in enumerate(nodes) if node.kind != "constant"),
            default=1,
        )
        least = NARROW_NAME_WIDTH if narrow else NAME_WIDTH[shown]
        self.split = max([least, *(name_width(nodes[i]) for i in self.ops)])
        self.leaf_split = LEAF_NAME_WIDTH if narrow else max(LEAF_NAME_WIDTH, NAME_WIDTH[shown])
        if slim:
            labels = (
                text_width(nodes[i].label, 13.5, True) for i in self.home if nodes[i].kind in LEAVES
            )
            self.leaf_split = max(
                [SLIM_LEAF_WIDTH[shown], *(min(round(w) + 24, LEAF_NAME_WIDTH) for w in labels)]
            )
        # no room for numbers beside leaves
        gradient, self.brief = GRADIENT_WIDTH[shown], narrow and shown > 1
        self.lane_step, self.bus_step, self.constant_width = LANE, BUS, CONSTANT_WIDTH
        self.indent, self.clearance = INDENT, CLEAR
        if tight:
            self.split, self.leaf_split, gradient, self.brief = (
                TIGHT_SPLIT,
                SLIM_LEAF_WIDTH[1],
                TIGHT_GRADIENT,
                True,
            )
            self.lane_step, self.bus_step, self.constant_width = (
                TIGHT_LANE,
                TIGHT_LANE,
                TIGHT_CONSTANT,
            )
            self.indent, self.clearance = TIGHT_INDENT, TIGHT_LANE
        # no label on a lane lies over the next lane
        if spread:
            labels = (
                self.pill_width(e)
                for outs in self.outs
                for e in outs
                if self.span(e)[1] > self.span(e)[0] + 1
            )
            self.lane_step = max([LANE, *(width // 2 + 6 for width in labels)])
        several = any(
            len(self.constants[row]) > 1 and self.numbered(row) for row in range(len(self.ops))
        )
        # no line runs through an input's number
        self.constant_gap = LANE + NUMBER_GAP * several
        self.margin = SLIM_MARGIN if slim else NARROW_MARGIN if narrow else MARGIN
        self.width = self.split + gradient
        self.leaf_width = self.leaf_split + gradient + ROUND_END

    def place_lanes(self) -> None:
        """`left`: each operation's left side, right of every lane that passes. `lane`: each edge's
        x.
        """
        self.base = self.margin + (
            self.constant_width + self.constant_gap if any(self.constants) else 0
        )
        if self.trace.source and not self.slim:
            self.base += CODE_WIDTHS[self.narrow]
        self.left, self.lane, self.aside = [self.base] * len(self.ops), {}, set()
        passing: dict[int, int] = {}
        # the lanes that pass right above each row
        self.beside: list[tuple[int, ...]] = []
        for row in range(len(self.ops)):
            self.beside.append(tuple(passing.values()))
            ending = [passing.pop(index) for index in self.ins[row] if index in passing]
            if row not in self.aside and passing:
                self.left[row] = max(self.base, max(passing.values()) + self.clearance)
                beside = [
                    x for x in ending if -self.clearance < x - self.left[row] < self.clearance
                ]
                self.left[row] = max([self.left[row], *(x + self.clearance for x in beside)])
            straight = self.detour(row) if any(self.leaves) else None
            if straight is not None:
                self.aside.update(range(row + 1, self.span(straight)[1]))
                passing[straight] = self.lane[straight] = self.left[row] + PORT
                continue
            far = [e for e in self.outs[row] if self.span(e)[1] > row + 1]
            first = max([self.left[row] + self.indent, *(self.pill_width(e) // 2 + 2 for e in far)])
            # furthest outermost
            for place, index in enumerate(sorted(far, key=lambda e: -self.span(e)[1])):
                passing[index] = self.lane[index] = first + place * self.lane_step
        for row in range(1, len(self.ops)):
            self.place_near(row)

    def place_near(self, row: int) -> None:
        """The lanes of the edges from the operation right above: beside each other, and none under
        the bookmark.
        """
        near = [e for e in self.ins[row] if self.span(e)[0] == row - 1]
        left, right, more = (
            max(self.left[row], self.left[row - 1]),
            self.left[row] + self.width,
            len(near) - 1,
        )
        first, last, free = (
            left + PORT,
            left + self.width - 20,
            self.tab(row)[0] - (18 if more else 10),
        )
        if self.spread:
            first = max(
                [
                    first,
                    *(x + self.lane_step for x in self.beside[row] if x < last - self.lane_step),
                ]
            )
        if self.trace.nodes[self.ops[row]].saved and left + self.indent <= free:
            first, last = min(first, free - NUMBER_STEP * more), free
        for place, index in enumerate(near):
            x = first + place * min(self.pill_width(index) + 6, (last - first) // max(1, more))
            at_corner = abs(x - right) < self.clearance
            self.lane[index] = right - self.clearance if at_corner else x

    def place_leaves(self) -> None:
        """`leaf_x`: the leaves' column. `bus`: the lane between it and the operations of each leaf
        used repeatedly.
        """
        shared = [leaf for leaves in self.leaves for leaf in leaves if len(self.uses[leaf]) > 1]
        self.columns = max(
            (-(-PILL_HEIGHT // self.port_step(row)) for row in range(len(self.ops))), default=1
        )
        self.pill_room = max(
            (self.leaf_pill_width(leaf) for leaves in self.leaves for leaf in leaves), default=9
        )
        room = self.columns * self.pill_room
        stacked = max(1, max((len(leaves) for leaves in self.leaves), default=0)) - 1
        # where the last leaf on each lane ends
        ends: list[int] = []
        lanes = {}
        for leaf in shared:
            lanes[leaf] = next(
                (i for i, end in enumerate(ends) if end < self.home[leaf]), len(ends)
            )
            ends[lanes[leaf] : lanes[leaf] + 1] = [
                self.row[self.trace.edges[self.uses[leaf][-1]].consumer]
            ]
        outermost = max(
            (x for row, x in enumerate(self.left) if row not in self.aside), default=self.base
        )
        lanes_width = (self.lane_step if shared else 0) + self.bus_step * max(
            0, stacked + len(ends) - 1
        )
        self.leaf_x = outermost + self.width + GUTTER + room + lanes_width
        self.bus = {
            leaf: self.leaf_x - self.lane_step - self.bus_step * (stacked + lane)
            for leaf, lane in lanes.items()
        }
        for row in self.aside:
            self.left[row] = self.leaf_x
            for index in self.ins[row] + self.outs[row]:
                self.lane[index] = self.leaf_x + PORT

    def leaf_pill_width(self, leaf: int) -> int:
        cuts = (cut_width(self.trace.edges[index].cut) for index in self.uses[leaf])
        return BRIEF if self.brief else max(pill_width(self.shapes[leaf]), *cuts)

    def tab(self, row: int) -> Point:
        """From where to where bookmarks stand on top of the box."""
        right = self.left[row] + self.width - 10
        return right - tab_width(self.trace.nodes[self.ops[row]]), right

    def port_step(self, row: int) -> int:
        return max(1, min(PILL_STEP, 34 // max(1, len(self.leaf_edges[row]) - 1)))

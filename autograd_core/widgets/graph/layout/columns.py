"""How far across and how far down the rows of a figure are, and what stands beside each."""

from collections import defaultdict

from ...kit.format import shorten
from .routes import Point
from .rows import Rows
from .sizes import (
    BRIEF,
    CODE_LINE,
    CODE_ROW,
    MARGIN,
    MOST_CODE,
    Sizes,
    code_lines,
    code_width,
    tab_width,
)

GAP, CLOSE = 20, 14  # between two rows with a label, without
BAND, AIRY = 3, 12  # between a row and the next band; in a graph of at most FEW rows
FEW, STACK = 5, 6  # STACK: between what stands beside one item
HEADER, PAD = 42, 14  # above the first row of a frame; below its last
SLOT = 26  # the height of a line between leaves
THIN, NUMBERED = 10, 13  # between constants, and where lines have the numbers of inputs
HEAD = 12  # that a label leaves free at each end of its line, for the arrow
GUTTER = 94  # between the trunk and the leaves of a large graph
CONSTANT_GAP = 26  # for an arrow and the number of an input
RIGHT_LANE, NUMBER = 16, 12  # NUMBER: of an input
TAB_GAP = 30, 12  # from a box's left to a bookmark, and from there to a label; in the narrow layout
MOST_LANES = 6  # of which labels have room for their numbers

# a line, or lines that leave together, and the leaf or constant that it comes from
End = tuple[tuple[int, ...], int | None]


class Columns(Rows):
    """A figure with its trunk, lanes and leaves across the page, its rows down the page."""

    def __init__(self, sizes: Sizes):
        self.narrow = sizes.narrow
        super().__init__(sizes.figure, beside=not self.narrow)
        self.sizes, self.large, self.trace = sizes, sizes.large, sizes.trace

    # ---- across ----------------------------------------------------------------------------------

    def label(self, index: int) -> int:
        """The room of a line's label; 0: it has none. In a large graph a box with one consumer
        shows the number itself.
        """
        line = self.lines[index]
        producer = self.items[line.producer].kind
        if (
            self.large
            and not line.cut
            and (
                self.side[line.producer]
                or (producer not in ("fold", "plus") and len(self.outs[line.producer]) == 1)
            )
        ):
            return 0
        room = self.sizes.label(index)
        beside = self.sort[index] in ("leaf", "right")
        return min(room, BRIEF) if beside and self.narrow else room

    def widest(self, *sorts: str) -> int:
        """The widest label on lines of these sorts."""
        return max(map(self.label, self.lines_of(*sorts)), default=0)

    def lines_of(self, *sorts: str) -> list[int]:
        """The lines of these sorts."""
        return [index for index, sort in enumerate(self.sort) if sort in sorts]

    def place_columns(self) -> None:
        """`base`, `axis`, `right`: left side, line and right side of the trunk. `step`: between
        lanes. `leaf_x`, `leaf_right`: the leaves' column.
        """
        self.brief = self.narrow or self.lanes > MOST_LANES
        widest = self.widest("left")
        half = (BRIEF if self.brief and widest else widest) // 2
        self.step = max(16, half + (4 if self.narrow else 8))
        constants = self.sizes.constant[0] + CONSTANT_GAP if "constant" in self.sort else 0
        margin = MARGIN // 2 if self.narrow else MARGIN
        self.lanes_end = margin + (half + self.lanes * self.step if self.lanes else 0)
        number = NUMBER if self.lanes and not self.large and not constants else 0
        self.base = self.lanes_end + (constants or number)
        (width, _), split = self.sizes.box, self.sizes.split
        # no label on the trunk lies over a bookmark
        tab = (
            self.sizes.tab and self.sizes.tab + TAB_GAP[self.narrow] + self.widest("straight") // 2
        )
        self.axis = self.base + (width // 2 if self.large else min(max(split, tab), width - 20))
        self.right = self.base + width
        beside = [self.size(item) for item in self.row if self.aside[item]]
        beside += [self.size(item) for item, side in enumerate(self.side) if side == "leaf"]
        # where several lines turn, they turn beside the numbers of their inputs
        stacked = any(len(ends) > 1 for ends in self.ends[1].values())
        self.turns, label = NUMBER if stacked else 5, self.widest("leaf", "right")
        self.head = HEAD - 2 * self.narrow
        gutter = GUTTER if self.large else 2 * self.head + label + NUMBER * stacked
        self.leaf_x = self.right + gutter
        self.leaf_right = max([self.right, *(self.leaf_x + width for width, _ in beside)])
        if self.narrow:
            label = self.axis + self.widest("straight") // 2
            self.leaf_right = max(self.right, label, self.base + self.sizes.leaf[0])

    def size(self, item: int) -> Point:
        width, height, _ = self.sizes.of(self.items[item], self.aside[item])
        return width, height

    def lane_x(self, index: int) -> int:
        if self.sort[index] == "left":
            return self.lanes_end - (self.lane[index] + 1) * self.step
        return self.leaf_right + RIGHT_LANE * (self.lane[index] + 1)

    def place_ends(self) -> None:
        """`ends`: what meets each item of the trunk at its left (-1) and at its right (1), from top
        to bottom.
        """
        self.ends: dict[int, dict[int, list[End]]] = {
            side: {item: [] for item in self.trunk if item is not None} for side in (-1, 1)
        }
        order = {"near in": 0, "leaf": 1, "right": 2, "near out": 3}
        found: dict[int, list[tuple[int, int, int | None]]] = defaultdict(list)
        lanes: dict[int, list[int]] = defaultdict(list)
        for index, (line, sort) in enumerate(zip(self.lines, self.sort)):
            if sort == "left":
                lanes[line.consumer].append(index)
            elif sort == "constant":
                self.ends[-1][line.consumer].append(((index,), line.producer))
            elif sort == "leaf":
                found[line.consumer].append((order["leaf"], index, line.producer))
            elif sort in ("near", "right"):
                for end in (line.producer, line.consumer):
                    if not self.side[end] and not self.aside[end]:
                        near = "near in" if end == line.consumer else "near out"
                        found[end].append((order[near if sort == "near" else sort], index, None))
        for item, entries in found.items():
            self.ends[1][item] = [
                ((index,), leaf) for _, index, leaf in sorted(entries, key=lambda e: e[:2])
            ]
        for item, constants in self.ends[-1].items():
            inner_first = sorted(lanes[item], key=lambda index: self.lane[index])
            out = tuple(index for index in self.outs[item] if self.sort[index] == "left")
            ends: list[End] = [((index,), None) for index in inner_first]
            self.ends[-1][item] = ends + [(out, None)] * bool(out) + constants

    # ---- down ------------------------------------------------------------------------------------

    def place_headlines(self) -> None:
        """`headline`: the source line of each row that begins one, `code`: where it begins. It
        stands between the label on the trunk and whatever comes from the right, or, where nothing
        comes down the trunk and it has no room there, right of the bookmark; in the narrow layout
        in a row of its own.
        """
        items = [] if self.large else [self.home.get(item, item) for item in self.trunk]
        nodes = [self.items[item].nodes[0] for item in items]
        lines = [self.trace.nodes[node].line for node in nodes]
        self.headline = {
            row: line
            for row, line in enumerate(lines)
            if self.trace.source and (not row or line != lines[row - 1])
        }
        straight = {self.row[self.lines[index].consumer] for index in self.lines_of("straight")}
        self.code: dict[int, int] = {}
        self.text: dict[int, list[str]] = {}
        beside, self.code_right = self.axis + self.widest("straight") // 2 + 10, 0
        for row, line in self.headline.items():
            if line is None:
                continue
            text = shorten(self.trace.source[line], MOST_CODE)
            self.text[row] = code_lines(text, CODE_LINE) if self.narrow else [text]
            width = max(map(code_width, self.text[row]))
            tab = tab_width(self.trace, nodes[row])
            room = beside + width <= self.leaf_right or row in straight
            aside = self.base + tab + 18 * bool(tab)
            self.code[row] = MARGIN if self.narrow else beside if room else aside
            self.code_right = max(self.code_right, self.code[row] + width)
        # no lane runs through code
        if self.rightmost:
            self.leaf_right = max(self.leaf_right, self.code_right)
        lanes = RIGHT_LANE * (self.rightmost + 1) if self.rightmost else 0
        self.inner_right = self.leaf_right + lanes

    def place_down(self) -> None:
        """`middle` of each row, `gap` above it where a label's centre is, top and bottom of each
        frame; `slot`, the height of what meets an item; `entry`, of each leaf and constant.
        """
        self.middle: list[int] = []
        self.gap: list[int] = []
        self.band_y: list[int] = []
        self.code_y: dict[int, int] = {}
        self.frame_y: dict[int, list[int]] = {}
        self.slot: dict[tuple[int, int], int] = {}
        self.entry: dict[int, int] = {}
        pilled = {
            self.row[self.lines[index].consumer]
            for index in self.lines_of("straight")
            if self.label(index)
        }
        y, around, band = 4 if self.headline else 10, [], AIRY if len(self.trunk) <= FEW else BAND
        for row, item in enumerate(self.trunk):
            frames = self.around(row)
            for frame in reversed([frame for frame in around if frame not in frames]):
                y += PAD
                self.frame_y[frame].append(y)
            if row in self.headline:
                y += band * bool(row)
                self.band_y.append(y)
                y += 2 + CODE_ROW * self.narrow * len(self.text.get(row, []))
            standing = [each for each in (item, self.beside[row]) if each is not None]
            first = self.items[standing[0]]
            saved = item is not None and not self.large and tab_width(self.trace, first.nodes[0])
            space = CLOSE if row else 0
            if row in pilled or saved or row in self.code:
                space = GAP
            elif first.kind == "dot":
                space = CLOSE - 4
            self.gap.append(y + space // 2)
            if row in self.code:
                above = CODE_ROW * len(self.text[row]) - CODE_ROW // 2
                self.code_y[row] = y - above if self.narrow else y + space // 2
            y += space
            for frame in [frame for frame in frames if frame not in around]:
                self.frame_y[frame] = [y]
                y += HEADER
            height = max(self.size(each)[1] for each in standing)
            if item is not None:
                height = max(height, *(self.stack(self.ends[side][item], side) for side in (-1, 1)))
            self.middle.append(y + height // 2)
            if item is not None:
                self.place_slots(item, y + height // 2)
            y, around = y + height, frames
        for frame in reversed(around):
            y += PAD
            self.frame_y[frame].append(y)
        self.bottom = y + 8

    def end_height(self, end: End, side: int) -> int:
        if end[1] is None:
            return SLOT if side > 0 else THIN if self.large else NUMBERED
        return self.size(end[1])[1] + STACK

    def stack(self, ends: list[End], side: int) -> int:
        """How high what meets an item at one side is."""
        return sum(self.end_height(end, side) for end in ends)

    def place_slots(self, item: int, middle: int) -> None:
        for side in (-1, 1):
            ends = self.ends[side][item]
            y = middle - self.stack(ends, side) // 2
            for end in ends:
                height = self.end_height(end, side)
                for index in end[0]:
                    self.slot[item, index] = y + height // 2
                if end[1] is not None:
                    self.entry[end[1]] = y + height // 2
                y += height

    def around(self, row: int) -> list[int]:
        """The frames around a row, outermost first."""
        item = self.trunk[row] if self.trunk[row] is not None else self.beside[row]
        frames, frame = [], self.items[item].frame
        while frame >= 0:
            frames.append(frame)
            frame = self.figure.frames[frame].outer
        return frames[::-1]

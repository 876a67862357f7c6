"""Where the items of a graph are drawn: one trunk, straight down the page, in the order of recording.

What an operation needs from further up comes down a lane at the left of the trunk, as residual
connections do; all that one item sends so far shares one lane. Leaves stand at the right of their
first consumer, constants at its left. So do, at the right, items that no gradient passes: what they
give to the trunk, and take from it, comes from the right. A frame is drawn around each open fold, a
band behind the rows of each source line, with the line above them. Rows, then lanes, then heights,
then lines: each is n log n in the number of lines."""

from collections import defaultdict
from math import isqrt

from .boxes import Band, Box, Layout
from .routes import Point, Route, corners
from .rows import Rows
from .sizes import (
    BRIEF,
    LETTER,
    MARGIN,
    NOTE_WIDTH,
    Sizes,
    code_of,
    tab_width,
)

GAP, CLOSE = 20, 14  # between two rows with a label, without
BAND, AIRY = 3, 12  # between a row and the next band; in a graph of at most FEW rows
FEW, STACK = 5, 6  # STACK: between what stands beside one item
HEADER, PAD = 42, 14  # above the first row of a frame; below its last
SLOT, THIN = 26, 10  # heights of a line between leaves, and between constants
HEAD = 12  # that a label leaves free at each end of its line, for the arrow
GUTTER = 94  # between the trunk and the leaves of a large graph
TURN, LAST_TURN = 7, 34  # between turns of lines to one item; the outermost
CONSTANT_GAP = 26  # for an arrow and the number of an input
RIGHT_LANE, NUMBER = 16, 12  # NUMBER: of an input
MOST_LANES = 6  # of which labels have room for their numbers
CELL = 12  # in which heights of labels on lanes are counted
CORNER = 5  # that stays free of lines at the corners of a box

# a line, or lines that leave together, and the leaf or constant that it comes from
End = tuple[tuple[int, ...], int | None]


def layout_of(sizes: Sizes) -> Layout:
    """Place a figure: a box for each item, then one for each frame; a route for each line."""
    return _Placement(sizes).placed()


class _Placement(Rows):
    """The layout in the making. Items, lines and frames are named by their places in the figure."""

    def __init__(self, sizes: Sizes):
        super().__init__(sizes.figure)
        self.sizes, self.large, self.trace = sizes, sizes.large, sizes.trace

    def placed(self) -> Layout:
        self.place_rows()
        self.sort_lines()
        self.place_lanes()
        self.place_ends()
        self.place_columns()
        self.place_headlines()
        self.place_down()
        return self.result()

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
        return min(room, BRIEF) if beside and self.sizes.slim > 1 else room

    def widest(self, *sorts: str) -> int:
        """The widest label on lines of these sorts."""
        return max((self.label(i) for i, sort in enumerate(self.sort) if sort in sorts), default=0)

    def place_columns(self) -> None:
        """`base`, `axis`, `right`: left side, line and right side of the trunk. `step`: between
        lanes. `leaf_x`, `leaf_right`: the leaves' column.
        """
        self.brief = self.sizes.slim > 0 or self.lanes > MOST_LANES
        widest = self.widest("left")
        half = (BRIEF if self.brief and widest else widest) // 2
        self.step = max(16, half + 8)
        constants = self.sizes.constant[0] + CONSTANT_GAP if "constant" in self.sort else 0
        self.lanes_end = MARGIN + (half + self.lanes * self.step if self.lanes else 0)
        number = NUMBER if self.lanes and not self.large and not constants else 0
        self.base = self.lanes_end + (constants or number)
        (width, _), split = self.sizes.box, self.sizes.split
        # no label on the trunk lies over a bookmark
        tab = self.sizes.tab and self.sizes.tab + 30 + self.widest("straight") // 2
        self.axis = self.base + (width // 2 if self.large else min(max(split, tab), width - 20))
        self.right = self.base + width
        beside = [self.size(item) for item in self.row if self.aside[item]]
        beside += [self.size(item) for item, side in enumerate(self.side) if side == "leaf"]
        # where several lines turn, they turn beside the numbers of their inputs
        stacked = any(len(ends) > 1 for ends in self.ends[1].values())
        self.turns, label = NUMBER if stacked else 5, self.widest("leaf", "right")
        self.head = HEAD - 2 * self.sizes.slim
        gutter = GUTTER if self.large else 2 * self.head + label + NUMBER * stacked
        self.leaf_x = self.right + gutter
        self.leaf_right = max([self.right, *(self.leaf_x + width for width, _ in beside)])

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
        comes down the trunk and it has no room there, right of the bookmark.
        """
        nodes = (
            [self.trace.nodes[self.items[item].nodes[0]] for item in self.trunk]
            if not self.large
            else []
        )
        lines = [node.line for node in nodes]
        self.headline = {
            row: line
            for row, line in enumerate(lines)
            if self.trace.source and (not row or line != lines[row - 1])
        }
        straight = {
            self.row[self.lines[index].consumer]
            for index, sort in enumerate(self.sort)
            if sort == "straight"
        }
        self.code: dict[int, int] = {}
        beside, self.code_right = self.axis + self.widest("straight") // 2 + 10, 0
        for row, line in self.headline.items():
            if line is None:
                continue
            width = round(LETTER * len(code_of(self.trace, line)))
            tab = tab_width(nodes[row].saved) + 18 if nodes[row].saved else 0
            room = beside + width <= self.leaf_right or row in straight
            self.code[row] = beside if room else self.base + tab
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
        self.frame_y: dict[int, list[int]] = {}
        self.slot: dict[tuple[int, int], int] = {}
        self.entry: dict[int, int] = {}
        pilled = {
            self.row[self.lines[i].consumer]
            for i, sort in enumerate(self.sort)
            if sort == "straight" and self.label(i)
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
                y += 2
            each = item if item is not None else self.beside[row]
            saved = (
                not self.large
                and item is not None
                and self.trace.nodes[self.items[item].nodes[0]].saved
            )
            dotted = self.items[each].kind == "dot" and row not in pilled
            space = (
                GAP
                if row in pilled or saved or row in self.code
                else CLOSE - 4
                if dotted
                else CLOSE
                if row
                else 0
            )
            self.gap.append(y + space // 2)
            y += space
            for frame in [frame for frame in frames if frame not in around]:
                self.frame_y[frame] = [y]
                y += HEADER
            height = max(
                self.size(each)[1] for each in (item, self.beside[row]) if each is not None
            )
            if item is not None:
                height = max(height, *(self.stack(self.ends[side][item], side) for side in (-1, 1)))
            self.middle.append(y + height // 2)
            if item is not None:
                self.place_slots(item, y + height // 2)
            y, around = y + height, frames
        for frame in reversed(around):
            y += PAD
            self.frame_y[frame].append(y)
        self.bottom = y + 4

    def end_height(self, end: End, side: int) -> int:
        if end[1] is None:
            return SLOT if side > 0 else THIN
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

    # ---- the result ------------------------------------------------------------------------------

    def result(self) -> Layout:
        self.boxes = [self.box(item) for item in range(len(self.items))]
        self.place_ports()
        routes = self.routes()
        depth = self.depths()
        deepest = max(depth, default=0)
        frames = []
        for frame, (top, bottom) in sorted(self.frame_y.items()):
            x = self.lanes_end - (self.frame_lane[frame] + 1) * self.step
            right = self.inner_right + PAD * (1 + deepest - depth[frame])
            frames.append(Box(x, top, right - x, bottom - top))
        start = self.start()
        right = max(
            [
                self.inner_right,
                self.code_right,
                *(frame.right for frame in frames),
                start[0] + NOTE_WIDTH if start else 0,
            ]
        )
        return Layout(
            right + MARGIN, self.bottom, (*self.boxes, *frames), routes, self.bands(), start
        )

    def bands(self) -> tuple[Band, ...]:
        ends = [*self.band_y[1:], self.bottom]
        return tuple(
            Band(y, end - y - 2, line, (self.code.get(row, 0), self.gap[row]))
            for (row, line), y, end in zip(self.headline.items(), self.band_y, ends)
        )

    def start(self) -> Point | None:
        """The upper right corner of the last item, if nothing stands beside it."""
        last = self.trunk[-1] if self.trunk else None
        if (
            last is None
            or self.ends[1][last]
            or self.beside[-1] is not None
            or self.items[last].frame >= 0
        ):
            return None
        return self.boxes[last].right, self.boxes[last].y

    def box(self, item: int) -> Box:
        width, height, split = self.sizes.of(self.items[item], self.aside[item])
        if self.side[item]:
            leaf = self.side[item] == "leaf"
            x = self.leaf_x if leaf else self.base - CONSTANT_GAP - width
            return Box(x, self.entry[item] - height // 2, width, height, split)
        small = self.items[item].kind in ("plus", "dot")
        x = self.leaf_x if self.aside[item] else self.axis - width // 2 if small else self.base
        return Box(x, self.middle[self.row[item]] - height // 2, width, height, split)

    def place_ports(self) -> None:
        """`port`: where a line meets an item's side; `turn`: where it leaves its port's height."""
        self.port: dict[tuple[int, int], Point] = {}
        self.turn: dict[tuple[int, int], int] = {}
        for side in (-1, 1):
            for item, ends in self.ends[side].items():
                slots = [self.slot[item, lines[0]] for lines, _ in ends]
                ports = self.spread(item, slots)
                by_way = sorted(zip(ends, slots, ports), key=lambda e: abs(e[1] - e[2]))
                for rank, ((lines, _), _, port) in enumerate(by_way):
                    for index in lines:
                        self.port[item, index] = self.on_side(item, port, side)
                        edge = self.right if side > 0 else self.base
                        self.turn[item, index] = edge + side * (
                            max(10, LAST_TURN - TURN * rank)
                            if self.large
                            else (self.turns if side > 0 else 5) + 3 * rank
                        )

    def spread(self, item: int, slots: list[int]) -> list[int]:
        """The heights at which lines from these heights meet the item's side: level where it is
        high enough.
        """
        box, kind, count = self.boxes[item], self.items[item].kind, len(slots)
        half = box.height // 2
        if kind == "dot":
            return [box.middle] * count
        if all(abs(slot - box.middle) <= half - CORNER for slot in slots):
            return slots
        if kind == "plus":
            return [
                box.middle + (2 * i + 1 - count) * box.height // (2 * count) for i in range(count)
            ]
        return [box.y + box.height * (i + 1) // (count + 1) for i in range(count)]

    def on_side(self, item: int, y: int, side: int) -> Point:
        """The point of the item's left (-1) or right (1) side at that height."""
        box, kind = self.boxes[item], self.items[item].kind
        below = y - box.middle
        half = isqrt((box.width // 2) ** 2 - below**2) if kind == "plus" else box.width // 2
        return (
            box.x + box.width // 2 + side * half if kind == "plus" else (box.x, box.right)[side > 0]
        ), y

    # ---- lines -----------------------------------------------------------------------------------

    def routes(self) -> tuple[Route, ...]:
        # (lane, height) of those beside the trunk
        self.labels: set[tuple[int, int]] = set()
        # how far down a shared lane has its labels
        self.passed: dict[tuple[int, int], int] = {}
        draw = {
            "straight": self.straight,
            "left": self.past,
            "right": self.around_right,
            "near": self.near,
            "leaf": self.to_leaf,
            "constant": self.to_constant,
        }
        self.crossed = self.crossings()
        order = sorted(
            range(len(self.lines)), key=lambda index: self.row[self.lines[index].consumer]
        )
        routes = {index: draw[self.sort[index]](index) for index in order}
        return tuple(routes[index] for index in range(len(self.lines)))

    def crossings(self) -> set[tuple[int, int]]:
        """(lane, height // CELL) where a line to an outer lane crosses one at the left."""
        return {
            (inner, self.slot[end, index] // CELL)
            for index, lane in self.lane.items()
            for end in (self.lines[index].producer, self.lines[index].consumer)
            if self.sort[index] == "left" and (end, index) in self.slot
            for inner in range(lane)
        }

    def number(self, index: int, x: int, y: int, anchor: str) -> tuple[int, int, str] | None:
        """Where the number of an input stands, if one could be taken for another."""
        ins = self.ins[self.lines[index].consumer]
        operations = [i for i in ins if not self.side[self.lines[i].producer]]
        several = not self.large and (len(operations) > 1 or len(ins) > 2)
        return (x, y, anchor) if several else None

    def straight(self, index: int) -> Route:
        line = self.lines[index]
        start, end = self.boxes[line.producer], self.boxes[line.consumer]
        x = end.x + end.width // 2 if self.aside[line.consumer] else self.axis
        room, y = self.label(index), self.gap[self.row[line.consumer]]
        number = self.number(index, x - room // 2 - 4, end.y - 6, "end")
        dots = tuple((x, y) for _ in line.dots)
        return Route(
            ((x, start.y + start.height), (x, end.y)),
            (x, y) if room else None,
            room,
            number,
            dots=dots,
        )

    def past(self, index: int) -> Route:
        line, x = self.lines[index], self.lane_x(index)
        start = self.leave(line.producer, index, x)
        points = corners(*start, *reversed(self.leave(line.consumer, index, x)))
        port, turn, y = self.bend(line.consumer, index)
        number = self.number(index, turn - 1 if y != port[1] else port[0] - 6, y - 3, "end")
        room = self.label(index)
        if not room:
            return Route(points, number=number)
        bus, top, bottom = (line.producer, self.lane[index]), start[-1][1], points[-2][1]
        above = self.passed.get(bus, top)
        self.passed[bus] = bottom
        # on its own part of the lane, or on any that it runs along
        y = self.free_height(self.lane[index], above, bottom)
        if y is None:
            y = self.free_height(self.lane[index], top, bottom)
        if y is None:
            y = (top + bottom) // 2
        return Route(points, (x, y), BRIEF if self.brief else room, number)

    def leave(self, item: int, index: int, x: int) -> list[Point]:
        """From the item's left side to the lane at `x`."""
        if self.side[item]:
            box = self.boxes[item]
            return [(box.x, box.middle), (x, box.middle)]
        port, turn, y = self.bend(item, index)
        return [port, (turn, port[1]), (turn, y), (x, y)]

    def free_height(self, lane: int, top: int, bottom: int) -> int | None:
        """The height nearest to the middle of these two where no label lies on this lane or on one
        beside it, and where no line crosses it.
        """
        first, room = (top + bottom) // 2 // CELL, (bottom - top) // 2 // CELL
        for distance in range(min(room, 24)):
            for place in (first - distance, first + distance):
                beside = {
                    (near, place + off)
                    for near in (lane - 1, lane, lane + 1)
                    for off in range(-2, 3)
                }
                lines = {(lane, place + off) for off in (-1, 0, 1)}
                if self.labels.isdisjoint(beside) and self.crossed.isdisjoint(lines):
                    self.labels.add((lane, place))
                    return place * CELL + CELL // 2
        return None

    def to_constant(self, index: int) -> Route:
        line, box = self.lines[index], self.boxes[self.lines[index].producer]
        port, turn, y = self.bend(line.consumer, index)
        points = corners((box.right, y), (turn, y), (turn, port[1]), port)
        return Route(points, number=self.number(index, box.right + 3, y - 3, "start"))

    def to_leaf(self, index: int) -> Route:
        line = self.lines[index]
        port, turn, y = self.bend(line.consumer, index)
        dots = tuple((self.leaf_x - 26 - 24 * place, y) for place in range(len(line.dots)))
        room = BRIEF if self.large and self.label(index) else self.label(index)
        label = (self.leaf_x - self.head - 24 * len(dots) - room // 2, y) if room else None
        points = corners((self.leaf_x, y), (turn, y), (turn, port[1]), port)
        number = self.number(index, port[0] + 3, port[1] - 3, "start")
        return Route(points, label, room, number, dots=dots)

    def near(self, index: int) -> Route:
        line = self.lines[index]
        inwards = self.aside[line.producer]
        item, other = (line.consumer, line.producer) if inwards else (line.producer, line.consumer)
        box, (port, turn, y) = self.boxes[other], self.bend(item, index)
        x = box.x + box.width // 2
        points = corners(
            (x, box.y + box.height if inwards else box.y), (x, y), (turn, y), (turn, port[1]), port
        )
        room = self.label(index)
        return Route(
            points if inwards else points[::-1], ((turn + x) // 2, y) if room else None, room
        )

    def around_right(self, index: int) -> Route:
        line, x, room = self.lines[index], self.lane_x(index), self.label(index)
        start, end = self.to_lane(line.producer, index, x), self.to_lane(line.consumer, index, x)
        points = corners(*start, *reversed(end))
        number = self.number(index, points[-1][0] + 3, points[-1][1] - 3, "start")
        if not room:
            return Route(points, number=number)
        y, beside = end[-1][1], (line.consumer, index) in self.slot
        if beside and self.large:
            return Route(points, ((self.right + LAST_TURN + x) // 2, y), room)
        if beside:
            return Route(points, (self.leaf_x - self.head - room // 2, y), room, number)
        return Route(points, (x, y - SLOT), BRIEF, number)

    def bend(self, item: int, index: int) -> tuple[Point, int, int]:
        """How a line leaves an item's side: its port, where it turns, and to which height."""
        return self.port[item, index], self.turn[item, index], self.slot[item, index]

    def to_lane(self, item: int, index: int, x: int) -> list[Point]:
        """From the item's right side to the lane at `x`."""
        if self.side[item] or self.aside[item]:
            box = self.boxes[item]
            return [(box.right, box.middle), (x, box.middle)]
        port, turn, y = self.bend(item, index)
        return [port, (turn, port[1]), (turn, y), (x, y)]

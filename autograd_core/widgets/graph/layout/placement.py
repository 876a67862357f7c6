"""Where the items of a graph are drawn: one trunk, straight down the page, in the order of recording.

What an operation needs from further up comes down a lane at the left of the trunk, as residual
connections do; all that one item sends so far shares one lane. Leaves stand at the right of their
first consumer, constants at its left. So do, at the right, items that no gradient passes: what they
give to the trunk, and take from it, comes from the right. A frame is drawn around each open fold, a
band behind the rows of each source line, with the line above them. Rows, then lanes, then heights,
then lines: each is n log n in the number of lines, but for lanes, where each line asks every gap
that it passes, and for where lines cross lanes, which is lines times lanes."""

from math import isqrt

from .boxes import Band, Box, Layout
from .columns import CONSTANT_GAP, PAD, SLOT, Columns
from .routes import HEAD as ARROWHEAD
from .routes import Point, Route, corners
from .sizes import BRIEF, MARGIN, NOTE_WIDTH, Sizes

TURN, LAST_TURN = 7, 34  # between turns of lines to one item; the outermost
CELL = 12  # in which heights of labels on lanes are counted
CORNER = 5  # that stays free of lines at the corners of a box


def layout_of(sizes: Sizes) -> Layout:
    """Place a figure: a box for each item, then one for each frame; a route for each line."""
    return _Placement(sizes).placed()


class _Placement(Columns):
    """The layout in the making. Items, lines and frames are named by their places in the figure."""

    def placed(self) -> Layout:
        self.place_rows()
        self.sort_lines()
        self.place_lanes()
        self.place_ends()
        self.place_columns()
        self.place_headlines()
        self.place_down()
        return self.result()

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
            Band(
                y,
                end - y - 2,
                line,
                (self.code.get(row, 0), self.code_y.get(row, 0)),
                tuple(self.text.get(row, ())),
            )
            for (row, line), y, end in zip(self.headline.items(), self.band_y, ends)
        )

    def start(self) -> Point | None:
        """The upper right corner of the last item, if nothing stands beside it."""
        last = self.trunk[-1] if self.trunk else None
        if (
            last is None
            or self.narrow
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
        small = self.items[item].kind not in ("node", "fold")
        x = self.leaf_x if self.aside[item] else self.base
        if small and not self.aside[item]:
            x = min(self.axis - width // 2, self.leaf_right - width)
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
        # (lane, height // CELL) of those beside the trunk, and of source lines, which stay free
        self.labels = {
            (lane, y // CELL + line)
            for row, y in self.code_y.items()
            for line in range(2 * len(self.text[row]) - 1)
            for lane in range(self.lanes * self.narrow)
        }
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
        """Where the number of an input stands, if one could be taken for another; in the narrow
        layout lines are too near each other for it.
        """
        ins = self.ins[self.lines[index].consumer]
        operations = [i for i in ins if not self.side[self.lines[i].producer]]
        several = not (self.large or self.narrow) and (len(operations) > 1 or len(ins) > 2)
        return (x, y, anchor) if several else None

    def straight(self, index: int) -> Route:
        line = self.lines[index]
        start, end = self.boxes[line.producer], self.boxes[line.consumer]
        x = end.x + end.width // 2 if self.aside[line.consumer] else self.axis
        room, y = self.label(index), self.gap[self.row[line.consumer]]
        # at the right, away from the bookmark, but where a source line stands there
        side, anchor = (-1, "end") if self.row[line.consumer] in self.code else (1, "start")
        number = self.number(index, x + side * (room // 2 + 4), end.y - 6, anchor)
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
        start = self.to_lane(line.producer, index, x)
        points = corners(*start, *reversed(self.to_lane(line.consumer, index, x)))
        port, turn, y = self.bend(line.consumer, index)
        number = self.number(index, min(turn - 1, port[0] - ARROWHEAD[0] - 1), y - 3, "end")
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
        """From the item's side to the lane at `x`."""
        if self.side[item] or self.aside[item]:
            box = self.boxes[item]
            return [(box.x if x < box.x else box.right, box.middle), (x, box.middle)]
        port, turn, y = self.bend(item, index)
        return [port, (turn, port[1]), (turn, y), (x, y)]

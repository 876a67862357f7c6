"""Where the items of a large graph are drawn: one trunk, straight down the page, in the order of
recording.

What an operation needs from further up comes down a lane at the left of the trunk, as residual
connections do; all that one item sends so far shares one lane. Leaves stand at the right of their
first consumer. So do items that no gradient passes: what they give to the trunk, and take from it,
comes from the right. A frame is drawn around each open fold. Rows, then lanes, then heights, then
lines: each is n log n in the number of lines."""

from collections import defaultdict
from math import isqrt

from ..figure import Figure
from .boxes import Box, Layout
from .large_rows import FIRST_LANE, LargeRows
from .routes import Point, Route, corners
from .sizes import MARGIN, NOTE_WIDTH

WIDTH, HEIGHT, SPLIT = 280, 40, 184
LEAF_WIDTH, LEAF_HEIGHT, LEAF_SPLIT = 206, 30, 132
ASIDE_WIDTH, ASIDE_SPLIT = 236, 152
PLUS, DOT = 26, 8  # diameters
# between rows with a label, without; between what stands beside one item
GAP, CLOSE, STACK = 36, 16, 6
HEADER, PAD = 42, 14  # above the first row of a frame; below its last
SLOT = 26  # height of a line between leaves
# from the trunk to the leaves; to the last turn of a line; between turns
GUTTER, JOG, TURN = 94, 34, 7
RIGHT_LANE = 16
# between labels on lanes that are side by side; from a lane to a label at a cut
LABEL, CUT_LEFT = 28, 50


def large_layout(figure: Figure) -> Layout:
    """Place `figure`: a box for each item, then one for each frame; a route for each line."""
    trunk = _LargeLayout(figure)
    trunk.place_rows()
    trunk.sort_lines()
    trunk.place_lanes()
    trunk.place_stacks()
    trunk.place_down()
    return trunk.result()


class _LargeLayout(LargeRows):
    """The layout in the making. Items, lines and frames are named by their places in the figure."""

    def place_stacks(self) -> None:
        """`stack`: what stands at the right of each item of the trunk, from top to bottom: (line,
        its leaf or None).
        """
        self.stack: list[list[tuple[int, int | None]]] = [[] for _ in self.trunk]
        order = {"near in": 0, "leaf": 1, "right": 2, "near out": 3}
        found: dict[int, list[tuple[int, int, int | None]]] = defaultdict(list)
        for index, line in enumerate(self.lines):
            if self.sort[index] == "leaf":
                found[self.row[line.consumer]].append((order["leaf"], index, line.producer))
            elif self.sort[index] in ("near", "right"):
                for end in (line.producer, line.consumer):
                    if not self.leaf[end] and not self.aside[end]:
                        near = "near in" if end == line.consumer else "near out"
                        sort = near if self.sort[index] == "near" else "right"
                        found[self.row[end]].append((order[sort], index, None))
        for row, entries in found.items():
            self.stack[row] = [
                (index, leaf) for _, index, leaf in sorted(entries, key=lambda entry: entry[:2])
            ]
        self.right = self.base + WIDTH
        self.leaf_x = self.right + GUTTER
        widths = [
            0,
            *(
                self.size(item)[0]
                for item in range(len(self.items))
                if self.leaf[item] or self.aside[item]
            ),
        ]
        self.leaf_right = self.leaf_x + max(widths) if any(widths) else self.right
        self.inner_right = self.leaf_right + (
            RIGHT_LANE * (self.rightmost + 1) if self.rightmost else 0
        )

    def lane_x(self, index: int) -> int:
        if self.sort[index] == "left":
            return self.base - FIRST_LANE - self.lane[index] * self.step
        return self.leaf_right + RIGHT_LANE * (self.lane[index] + 1)

    # ---- down ------------------------------------------------------------------------------------

    def size(self, item: int) -> Point:
        kind = self.items[item].kind
        if kind == "leaf":
            return LEAF_WIDTH, LEAF_HEIGHT
        if kind in ("plus", "dot"):
            side = PLUS if kind == "plus" else DOT
            return side, side
        return (ASIDE_WIDTH if self.aside[item] else WIDTH), HEIGHT

    def labelled(self, index: int) -> bool:
        """Whether a line has a label: a box with one consumer shows the number itself."""
        line = self.lines[index]
        if line.cut:
            return bool(self.cut_label(index))
        return not self.leaf[line.producer] and (
            self.items[line.producer].kind in ("fold", "plus") or len(self.outs[line.producer]) > 1
        )

    def place_down(self) -> None:
        """`middle` of each row, `gap` above it where a label's centre is, top and bottom of each
        frame.
        """
        self.middle: list[int] = []
        self.gap: list[int] = []
        self.frame_y: dict[int, list[int]] = {}
        self.slot: dict[tuple[int, int], int] = {}
        self.entry: dict[int, int] = {}
        pilled = {
            self.row[self.lines[i].consumer]
            for i in range(len(self.lines))
            if self.sort[i] == "straight" and self.labelled(i)
        }
        y, around = MARGIN // 2, []
        for row in range(len(self.trunk)):
            frames = self.around(row)
            for frame in reversed([frame for frame in around if frame not in frames]):
                y += PAD
                self.frame_y[frame].append(y)
            item = self.trunk[row] if self.trunk[row] is not None else self.beside[row]
            dotted = self.items[item].kind == "dot" and row not in pilled
            space = GAP if row in pilled else CLOSE - 4 if dotted else CLOSE if row else 0
            self.gap.append(y + space // 2)
            y += space
            for frame in [frame for frame in frames if frame not in around]:
                self.frame_y[frame] = [y]
                y += HEADER
            height = max(
                [
                    self.stack_height(row),
                    *(
                        self.size(each)[1]
                        for each in (self.trunk[row], self.beside[row])
                        if each is not None
                    ),
                ]
            )
            self.middle.append(y + height // 2)
            self.place_slots(row)
            y, around = y + height, frames
        for frame in reversed(around):
            y += PAD
            self.frame_y[frame].append(y)
        self.bottom = y + MARGIN // 2

    def place_slots(self, row: int) -> None:
        """`slot`: the height of each line that reaches the row's item from the right; `entry`: of
        each leaf.
        """
        y = self.middle[row] - self.stack_height(row) // 2
        for index, leaf in self.stack[row]:
            height = SLOT if leaf is None else LEAF_HEIGHT + STACK
            self.slot[self.trunk[row], index] = y + height // 2
            if leaf is not None:
                self.entry[leaf] = y + height // 2
            y += height

    def around(self, row: int) -> list[int]:
        """The frames around a row, outermost first."""
        item = self.trunk[row] if self.trunk[row] is not None else self.beside[row]
        frames, frame = [], self.items[item].frame
        while frame >= 0:
            frames.append(frame)
            frame = self.figure.frames[frame].outer
        return frames[::-1]

    def stack_height(self, row: int) -> int:
        return sum(SLOT if leaf is None else LEAF_HEIGHT + STACK for _, leaf in self.stack[row])

    # ---- the result ------------------------------------------------------------------------------

    def result(self) -> Layout:
        self.boxes = [self.box(item) for item in range(len(self.items))]
        self.place_ports()
        routes = self.routes()
        depth = self.depths()
        deepest = max(depth, default=0)
        frames = []
        for frame, (top, bottom) in sorted(self.frame_y.items()):
            x = self.base - FIRST_LANE - self.frame_lane[frame] * self.step
            right = self.inner_right + PAD * (1 + deepest - depth[frame])
            frames.append(Box(x, top, right - x, bottom - top, 0))
        start = self.start()
        right = max(
            [
                self.inner_right,
                *(frame.right for frame in frames),
                start[0] + NOTE_WIDTH if start else 0,
            ]
        )
        return Layout(right + MARGIN, self.bottom, (*self.boxes, *frames), routes, (), None, start)

    def start(self) -> Point | None:
        """The upper right corner of the last item, if nothing stands beside it."""
        last = self.trunk[-1] if self.trunk else None
        if (
            last is None
            or self.stack[-1]
            or self.beside[-1] is not None
            or self.items[last].frame >= 0
        ):
            return None
        return self.boxes[last].right, self.boxes[last].y

    def box(self, item: int) -> Box:
        width, height = self.size(item)
        if self.leaf[item]:
            return Box(self.leaf_x, self.entry[item] - height // 2, width, height, LEAF_SPLIT)
        x = self.leaf_x if self.aside[item] else self.base + (WIDTH - width) // 2
        kind = self.items[item].kind
        split = {"plus": 0, "dot": 0, "leaf": LEAF_SPLIT}.get(
            kind, ASIDE_SPLIT if self.aside[item] else SPLIT
        )
        return Box(x, self.middle[self.row[item]] - height // 2, width, height, split)

    def place_ports(self) -> None:
        """`left_port`, `right_port`: where a line meets an item's sides; `turn`: where it leaves
        its port's height.
        """
        self.left_port: dict[tuple[int, int], Point] = {}
        self.right_port: dict[tuple[int, int], Point] = {}
        self.turn: dict[tuple[int, int], int] = {}
        coming: dict[int, list[int]] = defaultdict(list)
        for index, sort in enumerate(self.sort):
            if sort == "left":
                coming[self.lines[index].consumer].append(index)
        sending = {line.producer for line, sort in zip(self.lines, self.sort) if sort == "left"}
        for item in {*coming, *sending}:
            inner_first = sorted(coming[item], key=lambda index: self.lane[index])
            places = self.spread(item, len(inner_first) + (item in sending))
            for index, place in zip(inner_first, places):
                self.left_port[item, index] = self.on_side(item, place, -1)
            for index in self.outs[item]:
                self.left_port[item, index] = self.on_side(item, places[-1], -1)
        for item, stack in zip(self.trunk, self.stack):
            if not stack:
                continue
            for (index, _), place in zip(stack, self.spread(item, len(stack))):
                self.right_port[item, index] = self.on_side(item, place, 1)
            far = sorted(
                stack, key=lambda e: abs(self.slot[item, e[0]] - self.right_port[item, e[0]][1])
            )
            for rank, (index, _) in enumerate(far):
                self.turn[item, index] = self.right + max(10, JOG - TURN * rank)

    def spread(self, item: int, count: int) -> list[int]:
        """How far below the item's middle each of `count` ports is."""
        kind, height = self.items[item].kind, self.boxes[item].height
        if kind in ("dot", "plus"):
            return [
                0 if kind == "dot" else (2 * i + 1 - count) * height // (2 * count)
                for i in range(count)
            ]
        return [height * (i + 1) // (count + 1) - height // 2 for i in range(count)]

    def on_side(self, item: int, below: int, side: int) -> Point:
        """The point of the item's left (-1) or right (1) side that far below its middle."""
        box, kind = self.boxes[item], self.items[item].kind
        half = isqrt((box.width // 2) ** 2 - below**2) if kind == "plus" else box.width // 2
        return box.x + box.width // 2 + side * half, box.y + box.height // 2 + below

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
        }
        order = sorted(
            range(len(self.lines)), key=lambda index: self.row[self.lines[index].consumer]
        )
        routes = {index: draw[self.sort[index]](index) for index in order}
        return tuple(routes[index] for index in range(len(self.lines)))

    def straight(self, index: int) -> Route:
        line = self.lines[index]
        start, end = self.boxes[line.producer], self.boxes[line.consumer]
        x = end.x + end.width // 2
        label = (x, self.gap[self.row[line.consumer]]) if self.labelled(index) else None
        dots = tuple((x, self.gap[self.row[line.consumer]]) for _ in line.dots)
        return Route(((x, start.y + start.height), (x, end.y)), label, dots=dots)

    def past(self, index: int) -> Route:
        line, x = self.lines[index], self.lane_x(index)
        start, end = self.left_port[line.producer, index], self.left_port[line.consumer, index]
        points = corners(start, (x, start[1]), (x, end[1]), end)
        if not self.labelled(index):
            return Route(points)
        brief = self.slim or bool(line.cut) and self.lane[index] > 0
        bus = line.producer, self.lane[index]
        above = self.passed.get(bus, start[1])
        self.passed[bus] = end[1]
        y = self.free_height(self.lane[index], (above + end[1]) // 2, (end[1] - above) // 2)
        return Route(points, (x - (CUT_LEFT if line.cut and not brief else 0), y), brief=brief)

    def free_height(self, lane: int, y: int, room: int) -> int:
        """The height nearest to `y` where no label lies on this lane or on one beside it, at most
        `room` away.
        """
        first = y // LABEL
        for distance in range(max(1, min(room // LABEL, 12))):
            for place in (first - distance, first + distance):
                beside = [
                    (near, place + off) for near in (lane - 1, lane, lane + 1) for off in (-1, 0, 1)
                ]
                if not any(each in self.labels for each in beside):
                    self.labels.add((lane, place))
                    return y + (place - first) * LABEL
        return y

    def to_leaf(self, index: int) -> Route:
        line = self.lines[index]
        port, turn, y = self.bend(line.consumer, index)
        dots = tuple((self.leaf_x - 26 - 24 * place, y) for place in range(len(line.dots)))
        label = (self.leaf_x - 20 - 24 * len(dots), y) if self.labelled(index) else None
        return Route(
            corners((self.leaf_x, y), (turn, y), (turn, port[1]), port),
            label,
            brief=True,
            dots=dots,
        )

    def near(self, index: int) -> Route:
        line = self.lines[index]
        inwards = self.aside[line.producer]
        item, other = (line.consumer, line.producer) if inwards else (line.producer, line.consumer)
        box, (port, turn, y) = self.boxes[other], self.bend(item, index)
        x = box.x + box.width // 2
        points = corners(
            (x, box.y + box.height if inwards else box.y), (x, y), (turn, y), (turn, port[1]), port
        )
        label = ((turn + x) // 2, y) if self.labelled(index) else None
        return Route(points if inwards else points[::-1], label)

    def around_right(self, index: int) -> Route:
        line, x = self.lines[index], self.lane_x(index)
        start, end = self.to_lane(line.producer, index, x), self.to_lane(line.consumer, index, x)
        label = None
        if self.labelled(index):
            y, beside = end[-1][1], (line.consumer, index) in self.slot
            label = ((self.right + JOG + x) // 2, y) if beside else (x, y - SLOT)
        return Route(
            corners(*start, *reversed(end)), label, brief=label is not None and label[0] == x
        )

    def bend(self, item: int, index: int) -> tuple[Point, int, int]:
        """How a line leaves an item's right side: its port, where it turns, and to which height."""
        return self.right_port[item, index], self.turn[item, index], self.slot[item, index]

    def to_lane(self, item: int, index: int, x: int) -> list[Point]:
        """From the item's right side to the lane at `x`."""
        if self.leaf[item] or self.aside[item]:
            box = self.boxes[item]
            y = box.y + box.height // 2
            return [(box.right, y), (x, y)]
        port, turn, y = self.bend(item, index)
        return [port, (turn, port[1]), (turn, y), (x, y)]

"""Where every box and every edge of a trace is drawn: a layered layout, one layer for each operation.

The page is read like the code, so the operations stand below each other in the order in which they were recorded. What
an operation needs from further up comes down a lane at its left; it stands to the right of the lanes that pass. A leaf
stands at the right of the first operation that uses it, a constant at the left. Rows, then lanes, then heights, then
edges: each is one pass over the graph, n log n together. Coordinates are whole pixels, so that a picture stays the same.
"""

from dataclasses import dataclass
from math import prod

from ..trace import Trace

BOX_HEIGHT, PORT = 46, 100          # PORT: from a box's left side to the edge that runs straight up and down
GAP = 34                            # between two rows; a pill fits in
LANE, INDENT = 16, 28               # between parallel lanes; from a box's left side to its first lane
GUTTER, STACK = 33, 8               # between operations and leaves; between two leaves of one operation
CONSTANT_WIDTH, CONSTANT_HEIGHT = 86, 36
PILL_HEIGHT, TAB_HEIGHT = 22, 18
MARGIN, CODE_WIDTH, LABEL_HEIGHT = 24, 132, 26
LARGE = 30                          # above so many nodes, norms stand for numbers


@dataclass(frozen=True)
class Box:
    """A node's rectangle. `split` is where its value ends and its gradient begins, from the left side; 0: no gradient."""

    x: int
    y: int
    width: int
    height: int
    split: int


@dataclass(frozen=True)
class Route:
    """An edge, from its producer to its consumer: the corners of an orthogonal line.

    `pill` is the centre of the contribution's label, `None` where a leaf's own box shows the same number.
    `number` is where the input's number stands (x, y, anchor), `None` where it needs none.
    """

    points: tuple[tuple[int, int], ...]
    pill: tuple[int, int] | None = None
    number: tuple[int, int, str] | None = None


@dataclass(frozen=True)
class Band:
    """The rows that one source line made: `line` is an index into `Trace.source`, or `None`."""

    y: int
    height: int
    line: int | None


@dataclass(frozen=True)
class Layout:
    """`boxes` by node, `routes` by edge. `legend` is the corner of a free place, or `None`."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    bands: tuple[Band, ...]
    legend: tuple[int, int] | None


def elements(shape: tuple | None) -> int:
    """How many numbers a tensor of this shape shows: up to three in full, else 1, its norm."""
    count = prod(shape or ())
    return count if count <= 3 else 1


def pill_width(shape: tuple | None) -> int:
    """The room that a contribution of this shape needs on its edge."""
    return (72, 72, 122, 172)[elements(shape)]


def layout(trace: Trace, narrow: bool = False) -> Layout:
    """Place `trace`. `narrow` is for 800 pixels: slimmer boxes, and source lines above their rows, not beside them."""
    return _Placement(trace, narrow).result()


class _Placement:
    """The layout in the making. A row is named by its number, an edge by its index in the trace."""

    def __init__(self, trace: Trace, narrow: bool):
        self.trace, self.narrow = trace, narrow
        nodes, edges = trace.nodes, trace.edges
        self.large = len(nodes) > LARGE
        self.ops = [i for i, node in enumerate(nodes) if node.kind == "operation"]
        self.row = {node: row for row, node in enumerate(self.ops)}
        self.leaf_uses: dict[int, list[int]] = {}                           # leaf -> its edges, topmost consumer first
        self.leaf_edges, self.constants, self.ins, self.outs = ([[] for _ in self.ops] for _ in range(4))
        for index, edge in sorted(enumerate(edges), key=lambda pair: (self.row[pair[1].consumer], pair[1].slot)):
            row, kind = self.row[edge.consumer], nodes[edge.producer].kind
            if kind == "leaf":
                self.leaf_uses.setdefault(edge.producer, []).append(index)
                self.leaf_edges[row].append(index)
            elif kind == "constant":
                self.constants[row].append(index)
            else:
                self.ins[row].append(index)
                self.outs[self.row[edge.producer]].append(index)
        self.home = {leaf: self.row[edges[uses[0]].consumer] for leaf, uses in self.leaf_uses.items()}
        self.leaves: list[list[int]] = [[] for _ in self.ops]
        for leaf, row in self.home.items():
            self.leaves[row].append(leaf)
        shown = max((elements(node.shape) for node in nodes if node.kind != "constant"), default=1)
        self.gradient_width = (82, 82, 114, 164)[1 if self.large else shown]
        self.width = self.gradient_width + ((134, 134, 136, 176) if narrow else (160, 160, 166, 200))[shown]
        self.lane_x: dict[int, int] = {}                                    # edge -> x of its vertical line
        self.pill: dict[int, tuple[int, int]] = {}                          # edge -> (gap, level), or (row, -1)

    def result(self) -> Layout:
        self.place_lanes()
        self.place_leaves()
        self.place_pills()
        self.place_rows()
        boxes = self.boxes()
        routes = tuple(self.route(index, boxes) for index in range(len(self.trace.edges)))
        bottom = self.top[-1] + self.height[-1] + MARGIN if self.ops else MARGIN
        right = max([self.leaf_x + self.width if self.leaves and any(self.leaves) else 0,
                     *(box.x + box.width for box in boxes)]) + MARGIN
        return Layout(right, bottom, boxes, routes, self.bands(bottom), self.legend())

    # ---- across ------------------------------------------------------------------------------------------------

    def span(self, index: int) -> tuple[int, int]:
        edge = self.trace.edges[index]
        return self.row[edge.producer], self.row[edge.consumer]

    def detour(self, row: int) -> int | None:
        """The edge that runs straight past the rows below `row`, if those may stand in the leaves' column instead."""
        for index in self.outs[row]:
            end = self.span(index)[1]
            between = range(row + 1, end)
            if (1 <= len(between) <= 3 and not any(self.leaves[r] for r in range(row, end + 1))
                    and not any(self.leaf_edges[r] for r in range(row, end + 1))
                    and all(self.span(e)[0] == r - 1 for r in between for e in self.ins[r])
                    and all(self.span(e)[1] == r + 1 for r in between for e in self.outs[r])
                    and len(self.outs[row]) == 2 and len(self.ins[end]) == 2):
                return index
        return None

    def place_lanes(self) -> None:
        """`left`: each operation's left side, right of every lane that passes. Outermost lanes reach furthest down."""
        base = MARGIN + (CONSTANT_WIDTH + LANE if any(self.constants) else 0)
        if self.trace.source and not self.narrow:
            base += CODE_WIDTH
        self.left = [base] * len(self.ops)
        self.aside: set[int] = set()                                        # rows that stand in the leaves' column
        passing: dict[int, int] = {}
        for row in range(len(self.ops)):
            for index in self.ins[row]:
                passing.pop(index, None)
            if row not in self.aside and passing:
                self.left[row] = max(base, max(passing.values()) + 14)
            straight = self.detour(row) if any(self.leaves) else None
            if straight is not None:
                self.aside.update(range(row + 1, self.span(straight)[1]))
                passing[straight] = self.lane_x[straight] = self.left[row] + PORT
                continue
            far = [e for e in self.outs[row] if self.span(e)[1] > row + 1]
            for lane, index in enumerate(sorted(far, key=lambda e: -self.span(e)[1])):
                passing[index] = self.lane_x[index] = self.left[row] + INDENT + lane * LANE
        for row in range(1, len(self.ops)):
            near = [e for e in self.ins[row] if self.span(e)[0] == row - 1]
            step = min(pill_width(self.trace.nodes[self.ops[row - 1]].shape) + 6, (self.width - PORT - 20) // max(1, len(near) - 1))
            for lane, index in enumerate(near):
                self.lane_x[index] = max(self.left[row], self.left[row - 1]) + PORT + lane * step

    def place_leaves(self) -> None:
        """The leaves' column, and the vertical lanes between it and the operations."""
        shared = [leaf for leaf, uses in self.leaf_uses.items() if len(uses) > 1]
        room = max((pill_width(self.trace.nodes[leaf].shape) + 24 for leaf in shared), default=0)
        stacked = max((len(leaves) for leaves in self.leaves), default=0)
        ends, self.bus = [], {}                                             # buses reuse a lane that has ended
        for leaf in sorted(shared, key=self.home.get):
            last = self.row[self.trace.edges[self.leaf_uses[leaf][-1]].consumer]
            lane = next((i for i, end in enumerate(ends) if end < self.home[leaf]), len(ends))
            ends[lane:lane + 1] = [last]
            self.bus[leaf] = lane
        lanes = max(0, stacked - 1) + len(ends)
        plain = [self.left[row] for row in range(len(self.ops)) if row not in self.aside]
        self.leaf_x = max(plain, default=MARGIN) + self.width + GUTTER + room + 12 * max(0, lanes - 1)
        for row in self.aside:
            self.left[row] = self.leaf_x
        for row in self.aside:
            for index in self.ins[row] + self.outs[row]:
                self.lane_x[index] = self.leaf_x + PORT
        self.bus = {leaf: self.leaf_x - 16 - 12 * (max(0, stacked - 1) + lane) for leaf, lane in self.bus.items()}

    # ---- down --------------------------------------------------------------------------------------------------

    def place_pills(self) -> None:
        """Each contribution's label gets a gap between rows, and a level in it where no other label is in the way."""
        self.levels = [[] for _ in self.ops]                                # levels[row]: in the gap above that row
        for index in sorted((e for edges in self.ins for e in edges), key=lambda e: self.span(e)[1] - self.span(e)[0]):
            start, end = self.span(index)
            if start + 1 in self.aside and end not in self.aside and end - start > 1:
                self.pill[index] = ((start + end + 1) // 2, -1)             # free rows: the label stands in the middle
                continue
            half = pill_width(self.trace.nodes[self.ops[start]].shape) // 2 + 3
            here = (self.lane_x[index] - half, self.lane_x[index] + half)
            gaps = sorted(range(start + 1, end + 1), key=lambda g: abs(2 * g - start - end - 1))[:8]
            gap, level = min(((g, self.free_level(g, here)) for g in gaps), key=lambda place: place[1])
            taken = self.levels[gap]
            taken.extend([] for _ in range(level + 1 - len(taken)))
            taken[level].append(here)
            self.pill[index] = (gap, level)

    def free_level(self, gap: int, here: tuple[int, int]) -> int:
        taken = self.levels[gap]
        return next((i for i, spans in enumerate(taken) if all(here[1] <= a or b <= here[0] for a, b in spans)),
                    len(taken))

    def place_rows(self) -> None:
        """`top` and `height` of each row's operation, with room above it for labels, below it for leaves."""
        self.ports = [self.right_ports(row) for row in range(len(self.ops))]
        self.top, self.height, y = [], [], 0
        lines = [self.trace.nodes[node].line for node in self.ops]
        for row, node in enumerate(self.ops):
            lift, below = self.stack(row)
            gap = GAP + 24 * max(0, len(self.levels[row]) - 1)
            tab = self.tab(row)
            if self.levels[row] and any(tab[0] < b and a < tab[1] for a, b in self.levels[row][-1]):
                gap += TAB_HEIGHT
            if self.narrow and self.trace.source and (row == 0 or lines[row] != lines[row - 1]):
                gap += LABEL_HEIGHT
            y += (gap if row else gap - 8) + lift
            self.top.append(y)
            self.height.append(BOX_HEIGHT)
            y += max(BOX_HEIGHT, below)

    def tab(self, row: int) -> tuple[int, int]:
        """From where to where bookmarks stand on top of the box."""
        saved = min(2, len(self.trace.nodes[self.ops[row]].saved))
        return self.left[row] + self.width - 14 - 66 * saved, self.left[row] + self.width - 10

    def right_ports(self, row: int) -> dict[int, int]:
        """Where the leaves' edges reach the operation's right side: their heights, spread about its middle."""
        edges = sorted(self.leaf_edges[row], key=lambda e: (self.home[self.trace.edges[e].producer] == row, e))
        roomy = any(len(self.leaf_uses[self.trace.edges[e].producer]) > 1 for e in edges)
        step = min(24 if roomy else 16, 34 // max(1, len(edges) - 1))
        first = BOX_HEIGHT // 2 - step * (len(edges) - 1) // 2
        return {edge: first + step * i for i, edge in enumerate(edges)}

    def stack(self, row: int) -> tuple[int, int]:
        """How far the leaves reach above the operation's top, and where they end below it."""
        leaves, constants = self.leaves[row], self.constants[row]
        rise = (len(constants) * (CONSTANT_HEIGHT + 6) - 6 - BOX_HEIGHT) // 2 if constants else 0
        if not leaves:
            return max(0, rise), BOX_HEIGHT + max(0, rise)
        first = [port for edge, port in self.ports[row].items() if self.trace.edges[edge].producer == leaves[0]]
        lift = BOX_HEIGHT // 2 - sum(first) // len(first)
        below = len(leaves) * (BOX_HEIGHT + STACK) - STACK - lift
        return max(0, lift, rise), max(BOX_HEIGHT + max(0, rise), below)

    def boxes(self) -> tuple[Box, ...]:
        boxes: list[Box | None] = [None] * len(self.trace.nodes)
        split = self.width - self.gradient_width
        for row, node in enumerate(self.ops):
            boxes[node] = Box(self.left[row], self.top[row], self.width, BOX_HEIGHT, split)
            if self.leaves[row]:
                first = [p for e, p in self.ports[row].items() if self.trace.edges[e].producer == self.leaves[row][0]]
                y = self.top[row] + sum(first) // len(first) - BOX_HEIGHT // 2
                for leaf in self.leaves[row]:
                    boxes[leaf] = Box(self.leaf_x, y, self.width, BOX_HEIGHT, split)
                    y += BOX_HEIGHT + STACK
            column = (self.left[row] if row in self.aside else min(self.left)) - LANE - CONSTANT_WIDTH
            y = self.top[row] + (BOX_HEIGHT - len(self.constants[row]) * (CONSTANT_HEIGHT + 6) + 6) // 2
            for index in self.constants[row]:
                constant = self.trace.edges[index].producer
                boxes[constant] = boxes[constant] or Box(column, y, CONSTANT_WIDTH, CONSTANT_HEIGHT, 0)
                y += CONSTANT_HEIGHT + 6
        return tuple(box or Box(MARGIN, MARGIN, CONSTANT_WIDTH, CONSTANT_HEIGHT, 0) for box in boxes)

    # ---- edges -------------------------------------------------------------------------------------------------

    def route(self, index: int, boxes: tuple[Box, ...]) -> Route:
        edge = self.trace.edges[index]
        end, start, row = boxes[edge.consumer], boxes[edge.producer], self.row[edge.consumer]
        inputs = len(self.ins[row]) + len(self.leaf_edges[row]) + len(self.constants[row])
        numbered = inputs > 2 or len(self.ins[row]) > 1
        kind = self.trace.nodes[edge.producer].kind
        if kind == "leaf":
            y = end.y + self.ports[row][index]
            number = (end.x + end.width + 7, y - 7, "start") if numbered else None
            return self.leaf_route(edge.producer, index, start, end, y, number)
        if kind == "constant":
            count = len(self.constants[row])
            y = end.y + BOX_HEIGHT // 2 + (self.constants[row].index(index) * 2 - count + 1) * 8
            middle, bend = start.y + start.height // 2, start.x + start.width + LANE // 2
            points = [(start.x + start.width, middle), (bend, middle), (bend, y), (end.x, y)]
            return Route(_corners(points), None, (end.x - 6, y - 12, "end") if numbered else None)
        x, middle = self.lane_x[index], end.y + BOX_HEIGHT // 2
        points = [(x, start.y + start.height)]
        if not start.x <= x <= start.x + start.width:                       # leaves its producer sideways
            side = start.x if x < start.x else start.x + start.width
            points = [(side, start.y + BOX_HEIGHT // 2), (x, start.y + BOX_HEIGHT // 2)]
        if end.x + 10 <= x <= end.x + end.width - 10:
            points.append((x, end.y))
            number = (x + 8, end.y - 9, "start")
        else:                                                               # enters its consumer sideways
            points += [(x, middle), (end.x if x < end.x else end.x + end.width, middle)]
            number = (end.x - 6, middle - 12, "end") if x < end.x else (end.x + end.width + 7, middle - 7, "start")
        return Route(_corners(points), self.pill_centre(index), number if numbered else None)

    def leaf_route(self, leaf: int, index: int, start: Box, end: Box, y: int, number: tuple | None) -> Route:
        """From a leaf's left side to its consumer's right side, down a lane between the two where they differ in height."""
        shared, right = len(self.leaf_uses[leaf]) > 1, end.x + end.width
        place = self.leaves[self.home[leaf]].index(leaf)
        if start.y + 6 <= y <= start.y + start.height - 6:
            points = [(start.x, y), (right, y)]
        else:
            far = self.home[leaf] != self.row[self.trace.edges[index].consumer]
            x = self.bus[leaf] if shared else start.x - 16 - 12 * (place - 1)
            leave = start.y + start.height // 2 + (12 if far else 0)
            points = [(start.x, leave), (x, leave), (x, y), (right, y)]
        half = pill_width(self.trace.nodes[leaf].shape) // 2
        return Route(_corners(points), (right + 20 + half, y) if shared else None, number)

    def pill_centre(self, index: int) -> tuple[int, int]:
        gap, level = self.pill[index]
        if level < 0:
            start, end = self.span(index)
            return self.lane_x[index], (self.top[start] + BOX_HEIGHT + self.top[end]) // 2 - 6
        tab = self.tab(gap)
        crowded = any(tab[0] < b and a < tab[1] for a, b in self.levels[gap][-1])
        return self.lane_x[index], self.top[gap] - (GAP // 2 + (TAB_HEIGHT if crowded else 0)
                                                    + 24 * (len(self.levels[gap]) - 1 - level))

    def bands(self, bottom: int) -> tuple[Band, ...]:
        """One band for each run of rows that the same line made."""
        if not self.trace.source:
            return ()
        lines = [self.trace.nodes[node].line for node in self.ops]
        starts = [row for row in range(len(lines)) if row == 0 or lines[row] != lines[row - 1]]
        label = LABEL_HEIGHT if self.narrow else 0
        edges = [self.top[row] - self.stack(row)[0] - 16 - label for row in starts] + [bottom - 8]
        return tuple(Band(y, end - y - 2, lines[row]) for row, y, end in zip(starts, edges, edges[1:]))

    def legend(self) -> tuple[int, int] | None:
        """Two free rows at the end of the leaves' column."""
        used = [row for row in range(len(self.ops)) if self.leaves[row] or row in self.aside]
        free = max(used, default=-1) + 2
        if used and free + 2 < len(self.ops) and self.leaf_x > self.left[free] + self.width:
            return self.leaf_x, self.top[free] - 6
        return None


def _corners(points: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The points without those that lie on a straight line between their neighbours."""
    kept = []
    for point in points:
        if kept and kept[-1] == point:
            continue
        if len(kept) > 1 and (kept[-2][0] == kept[-1][0] == point[0] or kept[-2][1] == kept[-1][1] == point[1]):
            kept.pop()
        kept.append(point)
    return tuple(kept)

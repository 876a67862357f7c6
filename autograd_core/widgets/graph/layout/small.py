"""Where every box and every edge of a trace is drawn: a layered layout, one layer for each
operation.

The page is read like the code, so the operations stand below each other in the order in which they
were recorded. What an operation needs from further up comes down a lane at its left; it stands to
the right of the lanes that pass. A leaf stands at the right of the first operation that uses it, a
constant at the left. Lanes, then leaves, then labels, then heights, then edges: each is one pass
over the graph, n log n together. Coordinates are whole pixels."""

from ....trace import Trace
from ..folds import is_operation
from .boxes import Band, Box, Layout
from .routes import Point, Route, corners, overlap
from .sizes import LANE, LEAVES, MARGIN, NOTE_WIDTH, PILL_STEP
from .small_columns import CODE_GAP, CODE_LEFT, CODE_WIDTHS, SLIM_MARGIN, Columns

BOX_HEIGHT, CONSTANT_HEIGHT = 46, 36
MIDDLE = BOX_HEIGHT // 2
GAP = 34  # between two rows; a pill fits in
STACK = 8  # between two leaves of one operation
NUMBER_HEIGHT = 14  # of the number that tells which input an edge is
TAB_HEIGHT, LABEL_HEIGHT = 18, 26  # of a bookmark; of a source line above its row
LEGEND_WIDTH = 256
# on a wide, a narrow and a slim page; where that is too little, lanes lie closer
ROOMS = 1000, 850, 630


def small_layout(trace: Trace, narrow: bool = False, slim: bool = False) -> Layout:
    """Place `trace`.

    `narrow` is for 1100 pixels: smaller boxes, and less room for the code's column. `slim` is for
    800: source lines stand above their rows, between the edges; a leaf has its own name alone;
    there is less room at the sides."""
    room = ROOMS[narrow + slim]
    for spread in (True, False):
        placed = _Placement(trace, narrow, slim, spread=spread).placed()
        if placed.width <= room:
            return placed
    return _Placement(trace, narrow, slim, tight=True).placed() if slim else placed


def free_room(y: int, right: int, routes: tuple[Route, ...]) -> Point:
    """Where a label above a row whose band begins at `y` has most room between the edges: from
    where, and how much.
    """
    lines = [line for route in routes for line in zip(route.points, route.points[1:])]
    crossing = [
        [min(ax, bx), max(ax, bx)]
        for (ax, ay), (bx, by) in lines
        if overlap((y, y + LABEL_HEIGHT), (min(ay, by) - 1, max(ay, by) + 1))
    ]
    starts = [SLIM_MARGIN, *(end + 8 for _, end in crossing)]
    rooms = [
        (
            min([right - SLIM_MARGIN, *(x - 8 for x, end in crossing if end + 8 > start)]) - start,
            -start,
        )
        for start in starts
    ]
    room, start = max(rooms)
    return -start, room


class _Placement(Columns):
    """The layout in the making."""

    def placed(self) -> Layout:
        self.place_lanes()
        self.place_leaves()
        self.place_pills()
        self.place_rows()
        return self.result()

    # ---- down ------------------------------------------------------------------------------------

    def place_pills(self) -> None:
        """Each contribution's label gets a gap between rows, and a level in it where no other label
        is in the way.
        """
        # levels[row]: of the gap above that row
        self.levels: list[list[list[Point]]] = [[] for _ in self.ops]
        # edge -> (gap, level); level -1: among rows
        self.pill: dict[int, Point] = {}
        for index in sorted(self.lane, key=lambda e: self.span(e)[1] - self.span(e)[0]):
            start, end = self.span(index)
            if start + 1 in self.aside and end - start > 1:
                # the rows it passes are free
                self.pill[index] = (end, -1)
                continue
            half, middle = self.pill_width(index) // 2 + 3, (start + end + 1) // 2
            here = (self.lane[index] - half, self.lane[index] + half)
            gaps = range(max(start + 1, middle - 4), min(end, middle + 4) + 1)
            gaps = sorted(gaps, key=lambda gap: abs(gap - middle))
            gap, level = min(
                ((gap, self.free_level(gap, here)) for gap in gaps), key=lambda place: place[1]
            )
            self.levels[gap].extend([] for _ in range(level + 1 - len(self.levels[gap])))
            self.levels[gap][level].append(here)
            self.pill[index] = (gap, level)

    def free_level(self, gap: int, here: Point) -> int:
        taken = self.levels[gap]
        return next(
            (i for i, spans in enumerate(taken) if not any(overlap(here, span) for span in spans)),
            len(taken),
        )

    def place_rows(self) -> None:
        """`top` of each row's operation. `clear`: how far above it the lowest label's centre is."""
        self.ports = [self.right_ports(row) for row in range(len(self.ops))]
        self.sides = [self.side_ports(row) for row in range(len(self.ops))]
        self.top, self.clear, y = [], [], -LANE // 2
        for row in range(len(self.ops)):
            label = LABEL_HEIGHT if self.slim and self.starts_line(row) else 0
            # no pill lies over a source line
            label += LABEL_HEIGHT // 2 if label and self.levels[row] else 0
            lowest = self.levels[row][-1] if self.levels[row] else []
            tab = TAB_HEIGHT if any(overlap(self.tab(row), span) for span in lowest) else 0
            pills = [e for e in self.ins[row] if self.pill_on_top(e)] if self.numbered(row) else []
            number = max(
                (NUMBER_HEIGHT - 9 - self.number_above(row, self.lane[e], 0)[1] for e in pills),
                default=0,
            )
            below = max(tab, label, number)
            rise, depth = self.reach(row)
            self.clear.append(GAP // 2 + below)
            y += GAP + below + PILL_STEP * max(0, len(self.levels[row]) - 1) + rise
            self.top.append(y)
            y += depth

    def pill_on_top(self, index: int) -> bool:
        """Whether an edge's label is right above the box that the edge enters."""
        (gap, level), row = self.pill[index], self.span(index)[1]
        return gap == row and level >= 0 and 0 <= self.lane[index] - self.left[row] <= self.width

    def right_ports(self, row: int) -> dict[int, int]:
        """How far down the operation's right side the edges of its leaves reach it; spread about
        the middle.
        """
        edges = sorted(
            self.leaf_edges[row], key=lambda e: (self.home[self.trace.edges[e].producer] == row, e)
        )
        step = self.port_step(row)
        return {
            edge: MIDDLE + step * i - step * (len(edges) - 1) // 2 for i, edge in enumerate(edges)
        }

    def side_ports(self, row: int) -> dict[int, int]:
        """How far down the operation's sides lines from lanes reach it, innermost first; at the
        left then constants.
        """
        left, right = self.left[row] + 10, self.left[row] + self.width - 10
        lanes = sorted(self.ins[row], key=self.lane.get)
        sides = (
            [*(e for e in reversed(lanes) if self.lane[e] < left), *self.constants[row]],
            [e for e in lanes if self.lane[e] > right],
        )
        return {
            e: MIDDLE + 8 * (2 * place - len(side) + 1)
            for side in sides
            for place, e in enumerate(side)
        }

    def first_leaf(self, row: int) -> int:
        """How far below the operation's top its first leaf's top is: the first leaf is level with
        its own edge.
        """
        edges, first = self.trace.edges, self.leaves[row][0]
        ports = [port for edge, port in self.ports[row].items() if edges[edge].producer == first]
        return sum(ports) // len(ports) - MIDDLE

    def reach(self, row: int) -> Point:
        """How far what stands beside the operation reaches above its top, and below it."""
        constants = len(self.constants[row]) * (CONSTANT_HEIGHT + 6) - 6
        rise = max(0, (constants - BOX_HEIGHT) // 2)
        if not self.leaves[row]:
            return rise, BOX_HEIGHT + rise
        first = self.first_leaf(row)
        return max(rise, -first), max(
            BOX_HEIGHT + rise, first + len(self.leaves[row]) * (BOX_HEIGHT + STACK) - STACK
        )

    # ---- the result ------------------------------------------------------------------------------

    def result(self) -> Layout:
        boxes = self.boxes()
        routes = tuple(self.route(index, boxes) for index in range(len(self.trace.edges)))
        legend, bottom = (
            self.legend(),
            (self.top[-1] + self.reach(len(self.ops) - 1)[1] if self.ops else 0) + MARGIN,
        )
        right = max(box.right for box in boxes) + self.margin
        bands = self.bands(bottom - LANE // 2, right, routes)
        return Layout(right, bottom, boxes, routes, bands, legend, self.start(boxes, routes))

    def boxes(self) -> tuple[Box, ...]:
        boxes: dict[int, Box] = {}
        for row, node in enumerate(self.ops):
            top, left = self.top[row], self.left[row]
            boxes[node] = Box(left, top, self.width, BOX_HEIGHT, self.split)
            for place, leaf in enumerate(self.leaves[row]):
                y = top + self.first_leaf(row) + place * (BOX_HEIGHT + STACK)
                boxes[leaf] = Box(self.leaf_x, y, self.leaf_width, BOX_HEIGHT, self.leaf_split)
            column = (
                (left if row in self.aside else self.base) - self.constant_gap - self.constant_width
            )
            y = top + MIDDLE - (len(self.constants[row]) * (CONSTANT_HEIGHT + 6) - 6) // 2
            for index in self.constants[row]:
                constant = Box(column, y, self.constant_width, CONSTANT_HEIGHT, 0)
                boxes.setdefault(self.trace.edges[index].producer, constant)
                y += CONSTANT_HEIGHT + 6
        return tuple(boxes[i] for i in range(len(self.trace.nodes)))

    def route(self, index: int, boxes: tuple[Box, ...]) -> Route:
        edge, row = self.trace.edges[index], self.row[self.trace.edges[index].consumer]
        start, end, kind = (
            boxes[edge.producer],
            boxes[edge.consumer],
            self.trace.nodes[edge.producer].kind,
        )
        several = self.numbered(row)
        if is_operation(kind):
            points, number = self.line_down(index, start, end), None
            x, y = points[-1]
            if y == end.y:
                number = self.number_above(row, x, y)
            else:
                number = self.number_at_left(row, x, y) if x == end.x else (x + 7, y - 7, "start")
            return Route(
                points, self.pill_centre(index), number if several else None, self.crowded(index)
            )
        if kind in LEAVES:
            points = self.line_from_leaf(index, start, end)
            x, y = points[-1]
            # labels closer than their height alternate
            column = list(self.ports[row]).index(index) % self.columns
            pill = x + 12 + column * self.pill_room + self.leaf_pill_width(edge.producer) // 2, y
            return Route(points, pill, (x + 3, y - 13, "start") if several else None, self.brief)
        bend, middle, y = (
            start.right + 6,
            start.y + start.height // 2,
            end.y + self.sides[row][index],
        )
        return Route(
            corners((start.right, middle), (bend, middle), (bend, y), (end.x, y)),
            None,
            self.number_at_left(row, end.x, y) if several else None,
        )

    def crowded(self, index: int) -> bool:
        """Whether an edge's label would lie over the line of another: it then has no room for its
        number.
        """
        gap, level = self.pill[index]
        near = (e for e in self.ins[gap] if self.span(e)[0] == gap - 1) if level >= 0 else ()
        half = self.pill_width(index) // 2
        lines = [*self.beside[gap], *(self.lane[e] for e in near)] if level >= 0 else []
        return any(0 < abs(x - self.lane[index]) < half for x in lines)

    def number_above(self, row: int, x: int, y: int) -> tuple[int, int, str]:
        """Where the number of a line stands that reaches the operation's top at `x`: beside a
        bookmark, or above it.
        """
        tab = self.tab(row) if self.trace.nodes[self.ops[row]].saved else (0, 0)
        if not overlap((x + 6, x + 18), tab):
            return x + 8, y - 9, "start"
        return (
            (x + 8, y - 9 - TAB_HEIGHT, "start")
            if overlap((x - 18, x - 6), tab)
            else (x - 8, y - 9, "end")
        )

    def number_at_left(self, row: int, x: int, y: int) -> tuple[int, int, str]:
        """Where the number of a line stands that reaches the left side: of all but the highest it
        is between two.
        """
        highest = self.top[row] + next(iter(self.sides[row].values()))
        return x - 6, y - (12 if y == highest else 4), "end"

    def line_down(self, index: int, start: Box, end: Box) -> tuple[Point, ...]:
        """Down the edge's lane; with one corner out of or into a box's side, where the lane passes
        beside the box.
        """
        x, points = self.lane[index], []
        if not start.x <= x <= start.right:
            points.append((start.x if x < start.x else start.right, start.y + MIDDLE))
        points.append((x, points[0][1] if points else start.y + BOX_HEIGHT))
        if end.x + 10 <= x <= end.right - 10:
            return corners(*points, (x, end.y))
        y = end.y + self.sides[self.span(index)[1]].get(index, MIDDLE)
        return corners(*points, (x, y), (end.x if x < end.x else end.right, y))

    def line_from_leaf(self, index: int, start: Box, end: Box) -> tuple[Point, ...]:
        """Level from the leaf's left side to its consumer's right side; by a lane between the two
        if heights differ.
        """
        edge = self.trace.edges[index]
        row, home = self.row[edge.consumer], self.home[edge.producer]
        y = end.y + self.ports[row][index]
        if start.y + 6 <= y <= start.y + BOX_HEIGHT - 6:
            return (start.x, y), (end.right, y)
        place = self.leaves[home].index(edge.producer)
        x = self.bus.get(edge.producer, start.x - self.lane_step - self.bus_step * (place - 1))
        leave = start.y + MIDDLE + (12 if row != home else 0)
        return corners((start.x, leave), (x, leave), (x, y), (end.right, y))

    def pill_centre(self, index: int) -> Point:
        gap, level = self.pill[index]
        if level < 0:
            start = self.span(index)[0]
            return self.lane[index], (self.top[start] + BOX_HEIGHT + self.top[gap]) // 2 - 6
        above = self.clear[gap] + PILL_STEP * (len(self.levels[gap]) - 1 - level)
        return self.lane[index], self.top[gap] - self.reach(gap)[0] - above

    def bands(self, bottom: int, right: int, routes: tuple[Route, ...]) -> tuple[Band, ...]:
        """One band for each run of rows that the same line made."""
        starts = [row for row in range(len(self.ops)) if self.starts_line(row)]
        label = LABEL_HEIGHT if self.slim else 0
        edges = [self.top[row] - self.reach(row)[0] - LANE - label for row in starts] + [bottom]
        lines = [self.trace.nodes[self.ops[row]].line for row in starts]
        column = (
            CODE_LEFT,
            CODE_WIDTHS[self.narrow] + self.margin - CODE_LEFT - CODE_GAP * self.narrow,
        )
        rooms = [free_room(y, right, routes) if self.slim else column for y in edges]
        return tuple(
            Band(y, end - y - 2, line, *room)
            for line, y, end, room in zip(lines, edges, edges[1:], rooms)
        )

    def legend(self) -> Point | None:
        """A free place of two rows in the leaves' column, below all leaves."""
        used = [row for row in range(len(self.ops)) if self.leaf_edges[row] or row in self.aside]
        free = max(used, default=0) + 2
        if not used or free + 2 >= len(self.ops) or min(self.width, self.leaf_width) < LEGEND_WIDTH:
            return None
        return self.leaf_x, self.top[free] - 6

    def start(self, boxes: tuple[Box, ...], routes: tuple[Route, ...]) -> Point | None:
        """The upper right corner of the last operation, if nothing stands or runs beside it."""
        if not self.ops:
            return None
        root = boxes[self.ops[-1]]
        across, down = (root.right, root.right + NOTE_WIDTH), (root.y, root.y + BOX_HEIGHT)
        lines = [line for route in routes for line in zip(route.points, route.points[1:])]
        taken = any(
            overlap(across, (b.x, b.right)) and overlap(down, (b.y, b.y + b.height)) for b in boxes
        ) or any(
            overlap(across, (min(ax, bx) - 1, max(ax, bx) + 1))
            and overlap(down, (min(ay, by) - 1, max(ay, by) + 1))
            for (ax, ay), (bx, by) in lines
        )
        return (
            None
            if taken or across[1] > max(box.right for box in boxes) + self.margin
            else (root.right, root.y)
        )

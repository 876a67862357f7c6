"""The positions of all boxes and lines of a graph, by data flow.

The path of the activations goes straight down the page. A fork opens columns, a join is centered
below them, and each source line has a panel around the items that it created. Leaves are to the right
of their first consumer. Each line that goes sideways between two rows has its own height, so that no
line crosses a box. See blocks.py and flow.py.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import isqrt

from ...kit.format import shorten
from .blocks import CIRCLE, CONSTANT_GAP, HEAD, RISE, Plan
from .boxes import Band, Box, Layout
from .flow import HEADER, PAD, Flow
from .routes import Point, Route, corners
from .rows import Link, Vertex
from .sizes import (
    CODE_LINE,
    CODE_ROW,
    LETTER,
    MARGIN,
    MOST_CODE,
    Sizes,
    code_lines,
    code_width,
    tab_width,
)

LABEL, TAB, ARROW, CLOSE = 24, 20, 15, 8  # gaps between rows: number, bookmark, arrow, nothing
STEP = 12  # the gap between lines that go sideways
BETWEEN = 4  # the gap between two bands
CODE_GAP = 16  # the gap between code and the items to its right
CODE_COLUMN, CODE_LEAST = 36, 16  # letters per line of code: left of items, least above them
LEGEND = 26  # the height of the row with the scale of the lines
TWIN = 6  # the distance from the center of two lines between the same two boxes
# on a screen of 1280: next to the panel in JupyterLab or on a page, and above the panel
LAB, BESIDE_PANEL, PAGE = 860, 1002, 1240
CLEAR = 8  # the gap between the middle of a level line and its number, at half the font size
BESIDE = 9  # the gap between a line and its number


def layout_of(sizes: Sizes) -> Layout:
    """Place a figure: one box for each item, one box for each frame, and one route for each line. A
    figure that is wider than a page gets smaller boxes.
    """
    placed = _Placement(sizes).placed()
    if sizes.narrow or sizes.large or placed.width <= LAB:
        return placed
    tried = []
    for level in (1, 2, 3):
        tried.append(_Placement(sizes.smaller(level)).placed())
        if tried[-1].width <= BESIDE_PANEL:
            return tried[-1]
    return tried[-1] if tried[0].width > PAGE else tried[0]


class _Placement(Plan):
    """Computes the positions of a figure."""

    def placed(self) -> Layout:
        flow = Flow(self, self.root, list(range(len(self.nets))))
        for index in set(range(len(self.lines))) - self.beside - self.high:
            self.low.add(index)
        flow.place_columns()
        self.boxes = [Box(0, 0, 0, 0)] * len(self.items)
        self.frames = [Box(0, 0, 0, 0)] * len(self.figure.frames)
        self.bands: list[Band] = []
        self.ways: dict[int, list[tuple[Point, ...]]] = defaultdict(list)
        self.labels: dict[int, Point] = {}
        self.place_down(flow)
        left = (MARGIN // 2 if self.narrow else MARGIN) + max(flow.left, self.code_left(flow))
        self.width = left + flow.right + (MARGIN // 2 if self.narrow else MARGIN)
        self.put(flow, left, LEGEND)
        note = (
            self.boxes[self.noted] if self.noted >= 0 and not self.spot[self.noted].right else None
        )
        routes = tuple(self.route(index) for index in range(len(self.lines)))
        return Layout(
            self.width,
            LEGEND + flow.height + 8,
            (*self.boxes, *self.frames),
            routes,
            tuple(beside_lines(band, routes) if self.narrow else band for band in self.bands),
            (note.right, note.y) if note else None,
            (self.width - MARGIN, LEGEND // 2),
            self.sizes.number,
            self.sizes.edge,
            self.sizes.glyph,
        )

    # ---- down ------------------------------------------------------------------------------------

    def place_down(self, flow: Flow) -> None:
        """Set `y` of each vertex in its block, and the heights of the blocks."""
        rows: dict[int, list[Vertex]] = defaultdict(list)
        for vertex in flow.vertices:
            rows[vertex.row].append(vertex)
            if vertex.flow and vertex.flow.block.is_band:
                vertex.flow.text = self.code(vertex.flow)
        for vertex in flow.vertices:
            if vertex.flow:
                # items of adjacent bands have the same height on the page
                texts = (each.flow.text for each in rows[vertex.row] if each.flow)
                vertex.flow.head = 0 if vertex.flow.alone else max(map(len, texts))
                self.place_down(vertex.flow)
                vertex.height = vertex.flow.height
            elif vertex.item >= 0:
                vertex.height = self.height(vertex.item)
        gaps: dict[int, list[Link]] = defaultdict(list)
        for link in flow.links:
            gaps[link.upper.row].append(link)
        y = HEADER - CLOSE if flow.block.frame >= 0 else 0
        if flow.head:
            y += 4 + CODE_ROW * flow.head
        for row in range(flow.last + 1):
            height = max((vertex.height for vertex in rows[row]), default=0)
            for vertex in rows[row]:
                if vertex.flow:
                    vertex.height = vertex.flow.height = height
                vertex.y = y if vertex.passes or vertex.flow else y + (height - vertex.height) // 2
                if vertex.passes:
                    vertex.height = height
            y += height
            if row < flow.last:
                y += self.place_gap(gaps[row], y, rows[row + 1], row + 1 == flow.last)
        flow.height = y + (PAD if flow.block.frame >= 0 else 0)

    def height(self, item: int) -> int:
        """The height of an item, including its leaves and constants."""
        spot = self.spot[item]
        above = self.sizes.constant[1] + RISE if spot.above is not None else 0
        return max(spot.height, self.stack(spot.right), self.stack(spot.left)) + above

    def code(self, flow: Flow) -> list[str]:
        """The source line of a band, wrapped into lines."""
        if flow.block.line is None:
            return []
        text = shorten(self.trace.source[flow.block.line], MOST_CODE)
        # the lines that come from above
        above = [x for (_, enters), x in flow.ports.items() if enters]
        if self.narrow:
            gaps = pairwise(sorted([-flow.left, *above, flow.right]))
            # letters stay readable in a picture that is made smaller
            room = 0.94 * max(right - left for left, right in gaps) - CODE_GAP
            lines = code_lines(text, CODE_LINE)
            fits = max(map(code_width, lines)) <= room
            return lines if fits else code_lines(text, max(CODE_LEAST, int(room / LETTER)))
        if flow.alone:
            return code_lines(text, CODE_COLUMN)
        room = flow.left + min(above, default=flow.right)
        return code_lines(text, max(CODE_LEAST, int((room - CODE_GAP) / LETTER)))

    def place_gap(self, links: list[Link], y: int, below: list[Vertex], ends: bool) -> int:
        """The height of the gap between two rows. Sets `track`, the y position, of sideways links."""
        numbers = [link for link in links if self.is_low(link)]
        tabs = any(
            tab_width(self.trace, self.items[vertex.item].nodes[0])
            for vertex in below
            if vertex.item >= 0 and not self.large
        )
        low = (
            LABEL
            if numbers
            else TAB
            if tabs or (links and self.large)
            else ARROW
            if links
            else CLOSE
        )
        if all(vertex.flow or vertex.passes for vertex in below):
            low = BETWEEN
        high = CLOSE if links else 0
        if any(link.upper.item >= 0 for link in links):
            high = LABEL if any(self.is_high(link) for link in links) else ARROW
        tracks = self.tracks([link for link in links if link.top != link.bottom])
        for link in links:
            link.track = y + high + STEP * link.track + STEP // 2
        if tracks:
            return high + STEP * tracks + low
        return high + low if numbers and high == LABEL else max(high, low)

    def tracks(self, links: list[Link]) -> int:
        """Set `track` of each link, counted from above, with few crossings. Returns their number."""
        right = sorted((each for each in links if each.bottom > each.top), key=lambda e: -e.top)
        left = sorted((each for each in links if each.bottom < each.top), key=lambda e: e.top)
        taken: list[list[tuple[int, int]]] = []
        for link in right + left:
            ends = min(link.top, link.bottom) - 8, max(link.top, link.bottom) + 8
            over = (
                track
                for track, spans in enumerate(taken)
                if any(a < ends[1] and ends[0] < b for a, b in spans)
            )
            link.track = 1 + max(over, default=-1)
            if link.track == len(taken):
                taken.append([])
            taken[link.track].append(ends)
        return len(taken)

    def is_low(self, link: Link) -> bool:
        """Whether a number is above the lower end of a link."""
        item = link.lower.item
        return item >= 0 and any(
            self.room[i] and i in self.low and self.lines[i].consumer == item for i in link.lines
        )

    def is_high(self, link: Link) -> bool:
        """Whether a number is below the upper end of a link."""
        return link.upper.item >= 0 and any(
            self.room[index] and index in self.high and index not in self.lanes
            for index in link.lines
        )

    # ---- across ----------------------------------------------------------------------------------

    def code_left(self, flow: Flow) -> int:
        """How far the code to the left of the items extends from the main column."""
        most = 0
        for vertex in flow.vertices:
            if vertex.flow and vertex.flow.block.is_band and vertex.flow.alone:
                room = max(map(code_width, vertex.flow.text), default=-CODE_GAP) + CODE_GAP
                most = max(most, room - self.free(flow, vertex))
        return most

    def free(self, flow: Flow, band: Vertex) -> int:
        """The left end of the leftmost vertex in the row of a band."""
        return min(each.x - each.left for each in flow.vertices if each.row == band.row)

    def put(self, flow: Flow, x: int, y: int) -> None:
        """Place a block, whose main column is at `x` and whose top is at `y`."""
        if flow.block.frame >= 0:
            left, right = x - flow.left, x + flow.right
            self.frames[flow.block.frame] = Box(left, y, right - left, flow.height)
        for vertex in flow.vertices:
            if vertex.flow:
                self.put(vertex.flow, x + vertex.x, y + vertex.y)
            elif vertex.item >= 0:
                self.put_item(vertex.item, x + vertex.x, y + vertex.y, vertex.height)
        if flow is not None and not flow.block.is_band and flow.block.frame < 0:
            self.put_bands(flow, x, y)
        for link in flow.links:
            self.put_link(flow, link, x, y)

    def put_item(self, item: int, x: int, y: int, height: int) -> None:
        spot = self.spot[item]
        top = y
        if spot.above is not None:
            constant = self.lines[spot.above].producer
            width, tall = self.size(spot.above)
            self.boxes[constant] = Box(x - width // 2, y, width, tall)
            top += tall + RISE
        middle = (top + y + height) // 2
        box = Box(x - spot.axis, middle - spot.height // 2, spot.width, spot.height, spot.split)
        self.boxes[item] = box
        for side, ends in ((1, spot.right), (-1, spot.left)):
            for index, off in zip(ends, self.ends(ends)):
                leaf = self.lines[index].producer
                width, tall, split = self.sizes.of(self.items[leaf])
                left = x + spot.leaf_x if side > 0 else box.x - CONSTANT_GAP - width
                self.boxes[leaf] = Box(left, middle + off - tall // 2, width, tall, split)

    def put_bands(self, flow: Flow, x: int, y: int) -> None:
        """Place the panels of each row side by side across the whole width."""
        rows: dict[int, list[Vertex]] = defaultdict(list)
        for vertex in flow.vertices:
            if vertex.flow and vertex.flow.block.is_band:
                rows[vertex.row].append(vertex)
        for row in rows.values():
            row.sort(key=lambda each: each.x)
            edges = [x + (a.x + a.right + b.x - b.left) // 2 for a, b in zip(row, row[1:])]
            for band, left, right in zip(row, [6, *edges], [*edges, self.width - 6]):
                inner, top = band.flow, y + band.y
                left, right = left + 2 * (left > 6), right - 2 * (right < self.width - 6)
                first = (left + 12, top + 12)
                if inner.alone:
                    first = (MARGIN, top + (band.height - CODE_ROW * (len(inner.text) - 1)) // 2)
                self.bands.append(
                    Band(
                        left,
                        top,
                        right - left,
                        band.height,
                        inner.block.line,
                        first,
                        tuple(inner.text),
                    )
                )

    def put_link(self, flow: Flow, link: Link, x: int, y: int) -> None:
        upper, lower = link.upper, link.lower
        start, end = y + upper.y + upper.height, y + lower.y
        top, bottom, track = x + link.top, x + link.bottom, y + link.track
        leaf, points = self.nets[link.net].leaf, []
        if upper.item >= 0 and leaf is not None:
            box = self.boxes[leaf]
            points = [(box.right if top > box.x else box.x, box.middle)]
            start = box.middle
        elif upper.item >= 0:
            start = self.edge(upper.item, top, 1)
        if lower.item >= 0:
            end = self.edge(lower.item, bottom, -1)
        if link.aside is not None:
            box = self.boxes[max(upper.item, lower.item)]
            side = box.x, box.middle + link.aside
            if lower.item >= 0:
                ways = (top, start), (top, side[1]), side
            else:
                ways = side, (top, side[1]), (top, end)
            for index in link.lines:
                self.ways[index].append(ways)
            return
        points += [(top, start), (top, track), (bottom, track), (bottom, end)]
        if top == bottom:
            points = [*points[:-3], points[-1]]
        for index in link.lines:
            self.ways[index].append(tuple(points))
            if not self.room[index]:
                continue
            room = self.room[index] // 2 + BESIDE
            if index in flow.labelled:
                lane = flow.labelled[index]
                if lane is lower:
                    self.labels[index] = (x + lane.x - room, y + lane.y + lane.height // 2)
            elif index in self.low and lower.item >= 0:
                side = -1 if self.is_hemmed_in(flow, link, bottom, 2 * room) else 1
                self.labels[index] = (bottom + side * room, end - 13)
            elif index in self.high and index not in self.lanes and upper.item >= 0:
                self.labels[index] = (top + room, start + 13)

    def is_hemmed_in(self, flow: Flow, link: Link, x: int, room: int) -> bool:
        """Whether a number has too little room right of a link at `x`, and enough to its left."""
        item = link.lower.item
        tab = self.boxes[item].x + 6 + tab_width(self.trace, self.items[item].nodes[0])
        others = (each.bottom - link.bottom for each in flow.links if each.lower is link.lower)
        return tab < x - room and any(0 < other < room for other in others)

    def edge(self, item: int, x: int, side: int) -> int:
        """Where a line at `x` meets the top (-1) or the bottom (1) of an item."""
        box = self.boxes[item]
        if self.items[item].kind == "plus":
            half, off = box.width // 2, x - box.x - box.width // 2
            return box.middle + side * isqrt(half**2 - off**2)
        return box.bottom if side > 0 else box.y

    # ---- lines -----------------------------------------------------------------------------------

    def route(self, index: int) -> Route:
        if index in self.beside:
            return self.route_beside(index)
        parts = sorted(self.ways[index], key=lambda points: (points[0][1], points[-1][1]))
        points = corners(*(point for part in parts for point in part))
        line, room = self.lines[index], self.room[index]
        dots = tuple((points[-1][0], points[-1][1] - 12) for _ in line.dots)
        return Route(points, self.labels.get(index), room, dots=dots)

    def route_beside(self, index: int) -> Route:
        """The route from a leaf or a constant to the item next to it."""
        line, room = self.lines[index], self.room[index]
        start, end = self.boxes[line.producer], self.boxes[line.consumer]
        if start.bottom < end.y:
            x = start.x + start.width // 2
            return Route(((x, start.bottom), (x, end.y)))
        if start.x < end.x:
            y = start.middle + TWIN * (index in self.twins)
            return Route(((start.right, y), (end.x, y)))
        twin = (1 if index in self.twins else -1) * (line.producer in self.twins.values())
        y = start.middle + TWIN * twin
        dots = tuple((end.right + HEAD + CIRCLE * place + 4, y) for place in range(len(line.dots)))
        label = None
        if room:
            head = 9 if self.sizes.compact else HEAD
            off = 0 if self.large else CLEAR + round(self.sizes.edge / 2)
            label = start.x - head - room // 2, y + off * (twin or -1)
        return Route(((start.x, y), (end.right, y)), label, room, dots=dots)


def beside_lines(band: Band, routes: Sequence[Route]) -> Band:
    """A band with its code to the right of the lines that run through it, if it has the room."""
    if not band.text:
        return band
    (left, y), width = band.code, max(map(code_width, band.text))
    bottom = y + CODE_ROW * (len(band.text) - 1)
    xs = {
        ax
        for route in routes
        for (ax, ay), (bx, by) in zip(route.points, route.points[1:])
        if ax == bx and min(ay, by) < bottom + CODE_ROW // 2 and max(ay, by) > y - CODE_ROW // 2
    }
    for x in sorted({left, *(x + BESIDE for x in xs if x > left)}):
        is_free = not any(x - BESIDE < line < x + width + 2 for line in xs)
        if is_free and x + width <= band.x + band.width:
            return replace(band, code=(x, y))
    return band

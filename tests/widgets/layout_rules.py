"""Check five rules for every layout, and describe each violation.

crossings   no line runs through a box that is not its own, nor through code or a bookmark
overlaps    no box, number, bookmark, code or note is over another
clearance   each line, at its largest width, is at least CLEAR pixels away from all letters and digits
columns     branches of a fork are in columns of their own, in the wide layout
order       an input is above the operation that uses it, as in forward
"""

from itertools import combinations, pairwise

from autograd_core.trace import Trace
from autograd_core.widgets.graph.changes import LEAST_WEIGHT, SPAN, Changes
from autograd_core.widgets.graph.drawn import plan_of
from autograd_core.widgets.graph.figure import Figure, figure
from autograd_core.widgets.graph.layout.boxes import Box, Layout
from autograd_core.widgets.graph.layout.placement import layout_of
from autograd_core.widgets.graph.layout.sizes import (
    BESIDE_LABEL,
    BRIEF,
    CODE_ROW,
    MARGIN,
    NOTE_WIDTH,
    PILL_HEIGHT,
    Sizes,
    code_width,
    tab_width,
)

CLEAR = 4
TAB_PADDING = 7  # in a bookmark, at least
DIGIT = 0.73  # the height of a digit, in sizes of the font
WIDEST = 66  # number in a large graph: "−1.2e−4"
Rectangle = tuple[str, int, int, int, int]


def placed_of(trace: Trace, drawing: Figure, narrow: bool = False) -> Layout:
    tracks = Changes(trace).of(plan_of(trace, drawing))
    return layout_of(Sizes(trace, drawing, tracks, narrow))


def faults_of(trace: Trace) -> list[str]:
    """The violations in all layouts that the view of a trace uses."""
    drawing = figure(trace)
    found = []
    for narrow in (False,) if drawing.large else (False, True):
        placed = placed_of(trace, drawing, narrow)
        name = "narrow" if narrow else "wide"
        found += [f"{name}: {each}" for each in broken(trace, drawing, placed, narrow)]
    return found


def broken(trace: Trace, drawing: Figure, placed: Layout, narrow: bool = False) -> list[str]:
    """The violations of all five rules in one layout. Numbers of a large graph may cover lines."""
    parts = rectangles(trace, drawing, placed)
    found = crossings(drawing, placed, parts, narrow) + overlaps(parts) + order(drawing, placed)
    if not drawing.large:
        found += clearance(placed, parts, narrow)
    return found if narrow else found + columns(drawing, placed)


def rectangles(trace: Trace, drawing: Figure, placed: Layout) -> list[Rectangle]:
    """Every box, bookmark, number, code and note, as (what, left, top, right, bottom)."""
    found = []
    for index, (item, box) in enumerate(zip(drawing.items, placed.boxes)):
        found.append((f"item {index}", box.x, box.y, box.right, box.bottom))
        tab = tab_width(trace, item.nodes[0]) if item.kind == "node" else 0
        if tab and not drawing.large:
            found.append((f"bookmark {index}", box.x + 6, box.y - 17, box.x + 6 + tab, box.y))
    for index, route in enumerate(placed.routes):
        if route.pill:
            (x, y), room = route.pill, route.room
            if drawing.large and room != BRIEF and not drawing.lines[index].cut:
                room = WIDEST
            half, high = room // 2, PILL_HEIGHT // 2
            found.append((f"number of line {index}", x - half, y - high, x + half, y + high))
    for number, band in enumerate(placed.bands):
        if band.line is not None and band.text:
            (x, y), width = band.code, max(map(code_width, band.text))
            end = y + 7 + CODE_ROW * (len(band.text) - 1)
            found.append((f"code of band {number}", x, y - 7, x + width, end))
    if placed.start:
        x, y = placed.start
        found.append(("note", x + 2, y + 8, x + NOTE_WIDTH, y + 36))
    return found


def overlaps(parts: list[Rectangle]) -> list[str]:
    return [
        f"{a} over {b}"
        for (a, *r), (b, *s) in combinations(parts, 2)
        if r[0] < s[2] and s[0] < r[2] and r[1] < s[3] and s[1] < r[3]
    ]


def crossings(
    drawing: Figure, placed: Layout, parts: list[Rectangle], narrow: bool = False
) -> list[str]:
    """In the narrow layout, a line may run beneath code that has no room between the lines, because
    code has a background."""
    solid = ("item", "bookmark", "code")
    parts = [part for part in parts if not (narrow and is_hemmed_in(part, placed))]
    found = []
    for number, (line, route) in enumerate(zip(drawing.lines, placed.routes)):
        own = {f"item {end}" for end in (line.producer, line.consumer)}
        for (ax, ay), (bx, by) in zip(route.points, route.points[1:]):
            left, right, top, bottom = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
            found += [
                f"line {number} through {name}"
                for name, *box in parts
                if name.startswith(solid)
                and name not in own
                and left < box[2]
                and box[0] < right + (left == right)
                and top < box[3]
                and box[1] < bottom + (top == bottom)
            ]
    return found


def clearance(placed: Layout, parts: list[Rectangle], narrow: bool = False) -> list[str]:
    """The letters and digits that are too near to the stroke of a line."""
    off = (LEAST_WEIGHT + SPAN) / 2 + CLEAR
    found = []
    for name, *box in parts:
        if name.startswith("item") or (narrow and is_hemmed_in((name, *box), placed)):
            continue
        left, top, right, bottom = map(float, box)
        if name.startswith("bookmark"):
            left, right = left + TAB_PADDING, right - TAB_PADDING
        if name.startswith("number"):
            middle, half = (top + bottom) / 2, DIGIT * placed.edge / 2
            left, right = left + BESIDE_LABEL / 2, right - BESIDE_LABEL / 2
            top, bottom = middle - half, middle + half
        found += [
            f"line {number} is near {name}"
            for number, route in enumerate(placed.routes)
            for (ax, ay), (bx, by) in pairwise(route.points)
            if left - off < max(ax, bx)
            and min(ax, bx) < right + off
            and top - off < max(ay, by)
            and min(ay, by) < bottom + off
        ]
    return found


def is_hemmed_in(part: Rectangle, placed: Layout) -> bool:
    """Whether `part` is code that is wider than each gap between the lines that pass it."""
    name, left, top, right, bottom = part
    if not name.startswith("code"):
        return False
    band = placed.bands[int(name.split()[-1])]
    passing = [
        ax
        for route in placed.routes
        for (ax, ay), (bx, by) in zip(route.points, route.points[1:])
        if ax == bx and min(ay, by) < bottom and top < max(ay, by)
    ]
    ends = sorted([band.x, band.x + band.width, *passing])
    return all(b - a < right - left + MARGIN for a, b in pairwise(ends))


def columns(drawing: Figure, placed: Layout) -> list[str]:
    """Operations that take nothing but the result of one other are side by side, unless a source line
    around one of them needs the other's.
    """
    bands = [band_of(placed, box) for box in placed.boxes]
    ins: list[set[int]] = [set() for _ in drawing.items]
    needs: dict[int, set[int]] = {}
    for line in drawing.lines:
        if drawing.items[line.producer].kind not in ("leaf", "constant"):
            ins[line.consumer].add(line.producer)
            first, second = bands[line.producer], bands[line.consumer]
            if first != second:
                needs.setdefault(second, set()).update({first, *needs.get(first, ())})
    found = []
    for a, b in combinations(range(len(ins)), 2):
        if len(ins[a]) != 1 or ins[a] != ins[b] or bands[a] in needs.get(bands[b], ()):
            continue
        first, second = placed.boxes[a], placed.boxes[b]
        if drawing.items[a].frame == drawing.items[b].frame and not (
            first.right <= second.x or second.right <= first.x
        ):
            found.append(f"branches {a} and {b} in one column")
    return found


def band_of(placed: Layout, box: Box) -> int:
    """The band around a box, or -1."""
    around = (
        i
        for i, band in enumerate(placed.bands)
        if band.x <= box.x < band.x + band.width and band.y <= box.y < band.y + band.height
    )
    return next(around, -1)


def order(drawing: Figure, placed: Layout) -> list[str]:
    found = []
    for line in drawing.lines:
        start, end = placed.boxes[line.producer], placed.boxes[line.consumer]
        beside = drawing.items[line.producer].kind in ("leaf", "constant")
        if start.y > end.bottom if beside else start.bottom > end.y:
            found.append(f"item {line.producer} is below item {line.consumer}, which uses it")
    return found

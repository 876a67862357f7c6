"""The lines between the boxes: upright or level, with rounded corners, from a producer to its
consumer.
"""

from dataclasses import dataclass

Point = tuple[int, int]

RADIUS = 8
HEAD = 9, 5  # an arrowhead's length, and half its width
TAIL = 10  # what an arrow covers of its line


@dataclass(frozen=True)
class Route:
    """A line: its corners, from its producer to its consumer.

    `pill` is the centre of its number, `None` if it has none, and `room` is how wide that may be.
    `dots` are the places of the nodes that only give a leaf another shape on its way.
    """

    points: tuple[Point, ...]
    pill: Point | None = None
    room: int = 0
    dots: tuple[Point, ...] = ()


def corners(*points: Point) -> tuple[Point, ...]:
    """The points without those that lie on a straight line between their neighbours."""
    kept: list[Point] = []
    for point in points:
        if kept and kept[-1] == point:
            continue
        if len(kept) > 1 and (
            kept[-2][0] == kept[-1][0] == point[0] or kept[-2][1] == kept[-1][1] == point[1]
        ):
            kept.pop()
        kept.append(point)
    return tuple(kept)


def shortened(points: tuple[Point, ...]) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """A line without its first pixels, where the head of a gradient's arrow is, and those pixels."""
    (x, y), (bx, by), *rest = points
    length = min(TAIL, abs(bx - x) + abs(by - y) - 1)
    start = x + length * _sign(bx - x), y + length * _sign(by - y)
    return (start, (bx, by), *rest), ((x, y), start)


def path(points: tuple[Point, ...]) -> str:
    """The line through `points` as an SVG path, which differs only in where it begins from one of
    the same shape.
    """
    (x, y), *rest = points
    text, before = f"M{x} {y}", 0
    for (bx, by), (cx, cy) in zip(rest, rest[1:]):
        r = min(RADIUS, (abs(bx - x) + abs(by - y)) // 2, (abs(cx - bx) + abs(cy - by)) // 2)
        (ax, ay), (dx, dy) = (_sign(bx - x), _sign(by - y)), (_sign(cx - bx), _sign(cy - by))
        text += f"l{bx - x - (r + before) * ax} {by - y - (r + before) * ay}"
        text += f"q{r * ax} {r * ay} {r * (ax + dx)} {r * (ay + dy)}"
        x, y, before = bx, by, r
    (cx, cy) = rest[-1]
    return text + f"l{cx - x - before * _sign(cx - x)} {cy - y - before * _sign(cy - y)}"


def arrowhead(points: tuple[Point, ...]) -> str:
    """The head at the last of `points` as an SVG path, relative to that point."""
    (ax, ay), (x, y) = points[-2:]
    dx, dy, (length, half) = _sign(x - ax), _sign(y - ay), HEAD
    first, second = 2 * half * dy, 2 * half * dx
    return f"M0 0l{-length * dx - half * dy} {-length * dy - half * dx}l{first} {second}z"


def head_size(weight: float) -> float:
    """The scale factor of the arrowhead for a line of width `weight`, in pixels."""
    return round(0.95 + weight / 10, 2)


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)

"""The lines between boxes: vertical and horizontal parts with rounded corners, from a producer to its
consumer.
"""

from dataclasses import dataclass

Point = tuple[int, int]

RADIUS = 8
HEAD = 9, 5  # the length of an arrowhead, and half its width
TAIL = 10  # the length of line under an arrow


@dataclass(frozen=True)
class Route:
    """The corners of a line, from its producer to its consumer.

    `pill` is the center of its number, or `None` without a number. `room` is the largest width of the
    number. `dots` are the positions of the transposes that are folded into the line.
    """

    points: tuple[Point, ...]
    pill: Point | None = None
    room: int = 0
    dots: tuple[Point, ...] = ()


def corners(*points: Point) -> tuple[Point, ...]:
    """The points, without points on a straight line between their neighbors."""
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
    """A line without its first pixels, which the gradient arrowhead covers, and those pixels."""
    (x, y), (bx, by), *rest = points
    length = min(TAIL, abs(bx - x) + abs(by - y) - 1)
    start = x + length * _sign(bx - x), y + length * _sign(by - y)
    return (start, (bx, by), *rest), ((x, y), start)


def path(points: tuple[Point, ...]) -> str:
    """The line through `points` as an SVG path. Paths of the same shape differ only in their first
    point.
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
    """The arrowhead at the last of `points` as an SVG path, relative to that point."""
    (ax, ay), (x, y) = points[-2:]
    dx, dy, (length, half) = _sign(x - ax), _sign(y - ay), HEAD
    first, second = 2 * half * dy, 2 * half * dx
    return f"M0 0l{-length * dx - half * dy} {-length * dy - half * dx}l{first} {second}z"


def head_size(weight: float) -> float:
    """The scale factor of the arrowhead for a line of width `weight`, in pixels."""
    return round(0.95 + weight / 10, 2)


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)

"""A still of the graph view: one event of a trace as the text of an SVG file, for previews and for print."""


def still(trace, event):
    return "<svg xmlns='http://www.w3.org/2000/svg'/>"


def path(points: tuple[tuple[int, int], ...], radius: int = 8) -> str:
    """A line through `points` as an SVG path, its corners rounded."""
    (x, y), *rest = points
    text = f"M{x} {y}"
    for (bx, by), (cx, cy) in zip(rest, rest[1:]):
        ax, ay = x, y
        r = min(radius, (abs(bx - ax) + abs(by - ay)) // 2, (abs(cx - bx) + abs(cy - by)) // 2)
        text += f"L{bx - r * _sign(bx - ax)} {by - r * _sign(by - ay)}Q{bx} {by} {bx + r * _sign(cx - bx)} {by + r * _sign(cy - by)}"
        x, y = bx, by
    return text + f"L{rest[-1][0]} {rest[-1][1]}"


def arrow(points: tuple[tuple[int, int], ...]) -> str:
    """The head at the last of `points`, as an SVG path."""
    (ax, ay), (x, y) = points[-2:]
    dx, dy = _sign(x - ax), _sign(y - ay)
    return f"M{x} {y}L{x - 9 * dx - 4 * dy} {y - 9 * dy - 4 * dx}L{x - 9 * dx + 4 * dy} {y - 9 * dy + 4 * dx}z"


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)

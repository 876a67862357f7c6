"""The loss as a curve over one weight, with a ball at the current weight."""

from collections.abc import Callable

import numpy as np

from ...widgets.kit.format import number
from ...widgets.kit.sheet import Sheet

REACH = 60  # pixels from the ball to an end of a line
WIDTH, FLOOR = 300, 150
HEIGHT = FLOOR + REACH + 2


def bowl(
    loss: Callable,
    least: float,
    greatest: float,
    rows: dict[str, list],
    live: bool = True,
    *,
    goal: tuple[float, float] | None = None,
    lr: float | None = None,
) -> tuple[Sheet, list]:
    """Return the picture from `least` to `greatest`, in which `goal` (a weight and a distance) is
    marked, and for each entry of `rows` (weights and gradients) the positions of these parts:

    ball        the weight.
    slope       a line with the slope of the loss.
    pile, negative    a line with the slope in `.grad`, positive or negative.
    wedge       between both lines, where they differ.
    next        where a step with `lr` would lead.

    An entry is False if the ball is outside the picture. The picture shows the first entry.
    """
    names = list(rows)
    wide, high = WIDTH / (greatest - least), (FLOOR - 10) / max(loss(least), loss(greatest))

    def place(w: float) -> tuple[float, float]:
        return round((w - least) * wide, 1), round(FLOOR - loss(w) * high, 1)

    def line(w: float, slope: float) -> dict[str, float]:
        reach = REACH / np.hypot(wide, slope * high)
        x, y = place(w)
        ends = [p for k in (-reach, reach) for p in (x + k * wide, y - k * slope * high)]
        return dict(zip(("x1", "y1", "x2", "y2"), np.round(ends, 1).tolist()))

    def circle(w: float) -> dict[str, float] | None:
        return dict(zip(("cx", "cy"), place(w))) if least <= w <= greatest else None

    at: list = []
    for w, grad in zip(*rows.values()):
        if w is None or not least <= w <= greatest:
            at.append(False)
            continue
        slope = (loss(w + 1e-4) - loss(w - 1e-4)) / 2e-4
        parts = {"ball": circle(w), "slope": line(w, slope)}
        if grad is not None and np.isfinite(grad):
            stored, true = line(w, grad), parts["slope"]
            ends = [each[key] for each in (true, stored) for key in ("x1", "y1", "x2", "y2")]
            corners = np.reshape(ends, (4, 2))[[0, 2, 3, 1]]
            if abs(grad - slope) > 1e-6:
                parts["wedge"] = {"points": " ".join(f"{x:g},{y:g}" for x, y in corners)}
            parts["negative" if grad < 0 else "pile"] = stored
            parts["next"] = None if lr is None else circle(w - lr * grad)
        at.append({key: value for key, value in parts.items() if value})
    first = next(iter(at), False) or {}
    sheet = Sheet(WIDTH, HEIGHT, live)
    if goal:
        middle = (goal[0] - least) * wide
        half = max(goal[1] * wide, 3)
        sheet.rect(middle - half, FLOOR + 4, 2 * half, 10, fill="value")
        sheet.text(number(goal[0]), middle, FLOOR + 28, "value", anchor="middle")
        for w in range(int(np.floor(least)) + 1, int(np.ceil(greatest))):
            if w != goal[0]:
                sheet.text(number(w), (w - least) * wide, FLOOR + 28, "text2", anchor="middle")
    path = "L".join("{} {}".format(*place(w)) for w in np.linspace(least, greatest, 41))
    sheet.add("path", d=f"M{path}", fill="none", stroke="value", stroke_width=2)
    dashes = {"stroke_dasharray": "4 4", "stroke_width": 1.5}
    looks = {
        "wedge": ("polygon", {"fill": "border-quiet"}),
        "slope": ("line", {"stroke": "text2", **dashes}),
        "pile": ("line", {"stroke": "gradient-solid", "stroke_width": 3}),
        "negative": ("line", {"stroke": "negative-solid", "stroke_width": 3}),
        "next": ("circle", {"r": 6, "fill": "card", "stroke": "value"}),
        "ball": ("circle", {"r": 7, "fill": "value"}),
    }
    for part, (shape, look) in looks.items():
        if live or part in first:
            sheet.add(shape, part=part, **look, **first.get(part, {}))
    sheet.text(f"solid: the slope in {names[1]}", WIDTH / 2, 12, "text", anchor="middle")
    sheet.text("dashed: the slope of the loss", WIDTH / 2, 28, "text2", anchor="middle")
    sheet.text("grey: the difference", WIDTH / 2, 44, "text2", anchor="middle")
    return sheet, at

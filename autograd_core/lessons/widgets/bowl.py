"""The loss over one weight, drawn as a bowl with a ball in it."""

from collections.abc import Callable

import numpy as np

from ...widgets.kit.sheet import Sheet

WIDTH, HEIGHT = 300, 190  # pixels
BALL, LINE = ("cx", "cy"), ("x1", "y1", "x2", "y2")
NOWHERE = {"ball": (), "slope": ()}


def bowl(
    loss: Callable, least: float, greatest: float, rows: dict[str, list], live: bool = True
) -> tuple[Sheet, list]:
    """The picture from `least` to `greatest`; and for each place in `rows`, the weight's numbers and
    its gradients, where the ball is and where lines of their slopes end, in pixels. There is False
    where no ball is to be seen. At first the ball is at the first of them."""
    names = list(rows)
    wide, high = WIDTH / (greatest - least), (HEIGHT - 50) / max(loss(least), loss(greatest))

    def place(w: float, value: float) -> tuple[float, float]:
        return round((w - least) * wide, 1), round(HEIGHT - 40 - value * high, 1)

    def ends(w: float, slope: float) -> list[float]:
        reach = 60 / np.hypot(wide, slope * high)
        return [p for k in (-reach, reach) for p in place(w + k, loss(w) + k * slope)]

    at: list = []
    for w, grad in zip(*rows.values()):
        inside = w is not None and least <= w <= greatest
        slope = inside and (loss(w + 1e-4) - loss(w - 1e-4)) / 2e-4
        pile = ends(w, grad) if inside and grad is not None and np.isfinite(grad) else None
        at.append(inside and {"ball": place(w, loss(w)), "pile": pile, "slope": ends(w, slope)})
    first = next(iter(at), False) or NOWHERE
    ball, slope = dict(zip(BALL, first["ball"])), dict(zip(LINE, first["slope"]))
    path = "L".join("{} {}".format(*place(w, loss(w))) for w in np.linspace(least, greatest, 41))
    sheet = Sheet(WIDTH, HEIGHT, live)
    sheet.add("path", d=f"M{path}", fill="none", stroke="value", stroke_width=2)
    sheet.add("line", stroke="gradient", part="pile", stroke_width=3)
    dashes = {"stroke_dasharray": "4 4", "stroke_width": 1.5}
    sheet.add("line", stroke="text2", part="slope", **dashes, **slope)
    sheet.add("circle", r=7, fill="value", part="ball", **ball)
    sheet.text(f"orange: the slope in {names[1]}", WIDTH / 2, 12, "gradient", anchor="middle")
    sheet.text("dashed: the slope of the loss", WIDTH / 2, 28, "text2", anchor="middle")
    return sheet, at

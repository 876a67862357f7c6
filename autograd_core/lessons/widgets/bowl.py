"""The loss over one weight, drawn as a bowl with a ball in it."""

from collections.abc import Callable

import numpy as np

from ...widgets.kit.sheet import Sheet

WIDTH, HEIGHT = 300, 190  # pixels


def bowl(
    loss: Callable, least: float, greatest: float, rows: dict[str, list], live: bool = True
) -> tuple[Sheet, list]:
    """The picture from `least` to `greatest`; and for each place in `rows`, the weight's numbers and
    its gradients, where "ball" is drawn, and "pile" and "slope", lines of these slopes. There is
    False where no ball is to be seen. At first all stand where the first of them are."""
    names = list(rows)
    wide, high = WIDTH / (greatest - least), (HEIGHT - 50) / max(loss(least), loss(greatest))

    def place(w: float, value: float) -> tuple[float, float]:
        return round((w - least) * wide, 1), round(HEIGHT - 40 - value * high, 1)

    def line(w: float, slope: float) -> dict[str, float]:
        reach = 60 / np.hypot(wide, slope * high)
        ends = [p for k in (-reach, reach) for p in place(w + k, loss(w) + k * slope)]
        return dict(zip(("x1", "y1", "x2", "y2"), ends))

    at: list = []
    for w, grad in zip(*rows.values()):
        if w is None or not least <= w <= greatest:
            at.append(False)
            continue
        slope = (loss(w + 1e-4) - loss(w - 1e-4)) / 2e-4
        pile = line(w, grad) if grad is not None and np.isfinite(grad) else None
        ball = dict(zip(("cx", "cy"), place(w, loss(w))))
        at.append({"ball": ball, "pile": pile, "slope": line(w, slope)})
    first = next(iter(at), False) or {"ball": {}, "slope": {}}
    path = "L".join("{} {}".format(*place(w, loss(w))) for w in np.linspace(least, greatest, 41))
    sheet = Sheet(WIDTH, HEIGHT, live)
    sheet.add("path", d=f"M{path}", fill="none", stroke="value", stroke_width=2)
    sheet.add("line", stroke="gradient", part="pile", stroke_width=3)
    dashes = {"stroke_dasharray": "4 4", "stroke_width": 1.5}
    sheet.add("line", stroke="text2", part="slope", **dashes, **first["slope"])
    sheet.add("circle", r=7, fill="value", part="ball", **first["ball"])
    sheet.text(f"orange: the slope in {names[1]}", WIDTH / 2, 12, "gradient", anchor="middle")
    sheet.text("dashed: the slope of the loss", WIDTH / 2, 28, "text2", anchor="middle")
    return sheet, at

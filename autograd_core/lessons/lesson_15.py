"""Lesson 15: a valley whose walls the steps climb."""

from collections.abc import Callable
from typing import Any

import contourpy
import numpy as np

from ..widgets.kit.sheet import Sheet
from .datasets import Surface
from .engines import ENGINES
from .lesson_12 import walks
from .widgets.race import Map, race

LOSS = "½(xy − 1)²"
HATCHED = f"{LOSS}, floor hatched where λ > 2/lr"
VALLEY = Surface(LOSS, HATCHED, lambda x, y: (x * y - 1) ** 2 / 2, start=(3.0, 0.4), minima=())
WALLS = 0.02, 0.1, 0.5, 2, 8  # losses above which the map is darker


class ValleyMap(Map):
    """The map of `VALLEY` with its floor, xy = 1. The floor is hatched where λ > 2 / `lr`."""

    view, top, names_ends = ((-1.5, 3.6), (-1.35, 2.293)), 10.0, False

    def ground(self, live: bool) -> Sheet:
        sheet = super().ground(live)
        x, y = (np.linspace(*ends, 80) for ends in self.view)
        generator = contourpy.contour_generator(x, y, self.surface.height(x, y[:, None]))
        for level in WALLS:
            walls, _ = generator.filled(level, np.inf)
            sheet.add("path", d=self.lines(walls), fill="value", fill_opacity=0.09)
        x = np.geomspace(0.4, 3.6, 400)
        steep = x**2 + 1 / x**2 > 2 / self.settings["lr"]
        for part in np.split(np.arange(400), np.flatnonzero(np.diff(steep)) + 1):
            hatched = {"stroke": "error", "stroke_width": 11, "stroke_dasharray": "2 3"}
            looks = hatched if steep[part[0]] else {"stroke": "value", "stroke_width": 4}
            floor = np.stack([x[part], 1 / x[part]], -1)
            sheet.add("path", d=self.lines([floor, -floor]), fill="none", **looks)
        for at, right, down, anchor in (1, -6, 20, "end"), (2, -6, 20, "end"), (3, 8, 34, "start"):
            column, row = self.place((at, 1 / at)).tolist()
            sheet.add("circle", cx=column, cy=row, r=4, fill="value")
            words = f"λ {at**2 + at**-2:.3g}"
            sheet.text(words, column + right, row + down, "text", anchor=anchor)
        column, row = self.place(self.start).tolist()
        sheet.text("start", column + 14, row - 8, "text2")
        return sheet


def valley() -> race:
    """60 steps of gradient descent in the valley, on both engines, with λ and 2 / lr."""

    def steps_on(T: Any) -> Callable[..., dict[str, list[dict[str, Any]]]]:
        def run(lr: float, **settings: Any) -> dict[str, list[dict[str, Any]]]:
            rows = walks(T)(lr=lr, **settings)["SGD"][:61]
            for row in rows:
                row["x² + y², 2/lr"] = [sum(each * each for each in row["position"]), 2 / lr]
            return {"SGD": rows}

        return run

    return race(
        *map(steps_on, ENGINES),
        surface=VALLEY,
        map_of=ValleyMap,
        lr=(0.24, 0.1, 0.45, 0.01),
        title="Steps in a valley",
    )

"""Line charts as SVG, in panels above each other. Lines show autograd_core's numbers, dots show
PyTorch's.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .format import number
from .sheet import Sheet
from .text import text_width

LEFT, RIGHT, TOP, BOTTOM, GAP = 64, 20, 30, 40, 18
HEIGHT = 110  # pixels of the plotted part of a panel
MOST_DOTS = 60
SERIES = ("text", "series-2", "series-3", "value", "frozen")
"""The colors of several lines in one panel, which have their names next to them. None is similar to
the violet of a negative gradient."""

STYLES: list[dict[str, Any]] = [
    {"stroke": colour, "stroke_dasharray": dashes} for dashes in (None, "7 4") for colour in SERIES
]
"""The looks of several lines in one panel. The sixth has the first color again and is dashed."""


@dataclass(frozen=True)
class Panel:
    """Lines that share a scale, by name: autograd_core's numbers, one or None for each step; and
    PyTorch's. `role` is the colour of a single line: "value" or "gradient", which is violet below
    0."""

    title: str
    lines: dict[str, list[Any]]
    others: dict[str, list[Any]]
    role: str = "value"


class Chart(Sheet):
    """The drawing of `panels`, each with `height` pixels for its lines, and at most `dots` on each; a
    step is called `x`. `places` tells where the steps are, in pixels, and how many."""

    def __init__(
        self,
        panels: list[Panel],
        x: str,
        width: int,
        live: bool = False,
        height: int = HEIGHT,
        dots: int = MOST_DOTS,
    ):
        bottom = len(panels) * (TOP + height + GAP) - GAP
        super().__init__(width, bottom + BOTTOM, live)
        self.x, self.plotted, self.dots = x, height, dots
        self.steps = max((len(row) for panel in panels for row in panel.lines.values()), default=0)
        self.right, self.middle = width - RIGHT, (LEFT + width - RIGHT) / 2
        self.places = {"left": LEFT, "right": self.right, "top": TOP, "bottom": bottom}
        self.places["steps"] = self.steps
        for at, panel in enumerate(panels):
            self._panel(panel, TOP + at * (TOP + height + GAP))
        for step in ticks(0, max(self.steps - 1, 1)):
            if step == int(step):
                place = round(self._x(int(step)), 1)
                self.text(number(step), place, bottom + 18, "text2", anchor="middle")
        self.text(x, self.middle, bottom + 34, "text2", anchor="middle")

    def _x(self, step: int) -> float:
        share = step / (self.steps - 1) if self.steps > 1 else 0.5
        return LEFT + (self.right - LEFT) * share

    def _panel(self, panel: Panel, top: float) -> None:
        several = len(panel.lines) > 1
        rows = *panel.lines.values(), *panel.others.values()
        values = [value for row in rows for value in row]
        ink = panel.role if panel.role == "value" and not several else "text"
        self.text(panel.title, LEFT, top - 10, ink, weight=700)
        # an empty panel has no scale
        if values and not any(map(_drawable, values)):
            none = all(value is None for value in values)
            text = f"None at every {self.x}" if none else "no finite number"
            self.text(text, self.middle, top + self.plotted / 2, "text2", anchor="middle")
            return
        low, high = range_of(values)

        def y(value: float) -> float:
            return top + self.plotted * (high - value) / (high - low)

        for tick in ticks(low, high):
            self.line(LEFT, self.right, y(tick), y(tick), "border-quiet")
            self.text(number(tick), LEFT - 8, y(tick) + 4, "text2", anchor="end")
        styles = STYLES * len(panel.lines) if several else [{"stroke": panel.role}]
        for style, (name, row) in zip(styles, panel.lines.items()):
            other = panel.others.get(name)
            if several or panel.role == "value" or low >= 0:
                self._line(row, other, style, y)
                continue
            zero = max(0, min(round(y(0)) + 2, self.height))
            for ink, a, b in (("gradient", 0, zero), ("negative", zero, self.height)):
                if a < b:
                    box = {"y": a, "width": self.width, "height": b - a}
                    with self.within("svg", **box, viewBox=f"0 {a} {self.width} {b - a}"):
                        self._line(row, other, {"stroke": ink}, y)
        right, named = self.right, list(zip(styles, panel.lines)) if several else []
        for style, name in reversed(named):
            self.text(name, right, top - 10, style["stroke"], anchor="end", weight=700)
            right = round(right - text_width(name, 12, bold=True) - 46)
            self.line(right + 22, right + 40, top - 14, top - 14, **style, stroke_width=2)

    def _line(
        self,
        values: list[Any],
        other: list[Any] | None,
        style: dict[str, Any],
        y: Callable[[float], float],
    ) -> None:
        def dot(step: int, values: list[Any], **looks: Any) -> None:
            x = round(self._x(step), 1)
            self.add("circle", cx=x, cy=round(y(values[step]), 1), **looks)

        shown = [False, *map(_drawable, values), False]
        path = "".join(
            f"{'L' if before else 'M'}{self._x(step):.1f} {y(value):.1f}"
            for step, (before, now, value) in enumerate(zip(shown, shown[1:], values))
            if now
        )
        self.add("path", d=path, fill="none", **style, stroke_width=2, stroke_linejoin="round")
        if other is None:
            for step in range(len(values)):
                # a point without neighbours has no line to be on
                if shown[step : step + 3] == [False, True, False]:
                    dot(step, values, r=2, fill=style["stroke"])
            return
        for step in range(0, len(other), math.ceil(len(other) / self.dots) or 1):
            if _drawable(other[step]):
                dot(step, other, r=3, fill="card", stroke=style["stroke"], stroke_width=1.5)


def _drawable(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def range_of(values: list[Any]) -> tuple[float, float]:
    """The ends of a scale for `values`: a little apart, and starting at 0 if 0 is near."""
    values = list(filter(_drawable, values)) or [0.0]
    low, high = min(values), max(values)
    level = math.isclose(low, high)  # the engines may differ in the last place
    if low >= 0 and (low <= high / 2 or level):
        return 0.0, 1.06 * high or 1.0
    margin = 0.5 * abs(high) if level else 0.06 * (high - low)
    return low - margin, high + margin


def ticks(low: float, high: float) -> list[float]:
    """Round numbers from `low` to `high`, three to six."""
    rough = (high - low) / 4
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough * 0.999)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [round(i * step, 12) for i in range(first, last + 1)]

"""Line charts as SVG: panels one above the other, one axis of steps. A line is autograd_core's,
dots PyTorch's.
"""

import math
from dataclasses import dataclass

from ...widgets.kit.format import number
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.text import text_width

LEFT, RIGHT, TOP, BOTTOM, GAP = 64, 20, 30, 40, 18
HEIGHT = 110
"""Of the plotted part of a panel, in pixels."""

MOST_DOTS = 60
SERIES = ("text", "series-1", "series-2", "series-3")
"""The colours of several lines in one panel, beside which their names stand."""

STYLES = [
    {"stroke": colour} | dashes for dashes in ({}, {"stroke_dasharray": "7 4"}) for colour in SERIES
]
"""How several lines in one panel are told apart: the fifth has the first colour, and is dashed."""


@dataclass(frozen=True)
class Line:
    """A named line. `values` are autograd_core's, one for each step, None where there is none;
    `other` PyTorch's.
    """

    name: str
    values: list
    other: list | None = None


@dataclass(frozen=True)
class Panel:
    """Lines that share a scale. `role` is the colour of a single line: "value" or "gradient"."""

    title: str
    lines: list[Line]
    role: str = "value"


@dataclass
class Chart:
    """The drawing. `places` tells where the steps are: {"left", "right", "top", "bottom", "steps"},
    in pixels.
    """

    panels: list[Panel]
    x: str
    width: int
    live: bool = False
    left: int = LEFT

    def svg(self, description: str) -> str:
        """The chart as the text of an SVG element. A live one takes its colours from the page, a
        still brings them.
        """
        self.sheet = Sheet(self.width, self.height, self.live)
        self.draw()
        return self.sheet.svg(description)

    def draw(self) -> None:
        """Put everything on the sheet."""
        for at, panel in enumerate(self.panels):
            self._panel(panel, TOP + at * (HEIGHT + TOP + GAP))
        self._steps()

    @property
    def height(self) -> int:
        return TOP + len(self.panels) * (HEIGHT + TOP + GAP) - TOP - GAP + BOTTOM

    @property
    def steps(self) -> int:
        return max((len(line.values) for panel in self.panels for line in panel.lines), default=0)

    @property
    def places(self) -> dict:
        return {
            "left": self.left,
            "right": self.width - RIGHT,
            "top": TOP,
            "bottom": self.height - BOTTOM,
            "steps": self.steps,
        }

    def _x(self, step: int) -> float:
        return self.left + (self.width - self.left - RIGHT) * (
            step / (self.steps - 1) if self.steps > 1 else 0.5
        )

    def _panel(self, panel: Panel, top: float) -> None:
        rows = [row for line in panel.lines for row in (line.values, line.other or ())]
        low, high = _range(rows)
        several = len(panel.lines) > 1

        def y(value: float) -> float:
            return top + HEIGHT * (high - value) / (high - low)

        self.sheet.add(
            "text",
            panel.title,
            x=self.left,
            y=top - 10,
            fill="text" if several else panel.role,
            font_weight=700,
        )
        values = [value for row in rows for value in row]
        # no scale for what is not there
        if values and not any(map(_drawable, values)):
            text = (
                f"None at every {self.x}"
                if all(value is None for value in values)
                else "no finite number"
            )
            self.sheet.add(
                "text",
                text,
                x=(self.left + self.width - RIGHT) / 2,
                y=top + HEIGHT / 2,
                fill="text2",
                text_anchor="middle",
            )
            return
        for tick in _ticks(low, high):
            self.sheet.add(
                "line",
                x1=self.left,
                x2=self.width - RIGHT,
                y1=y(tick),
                y2=y(tick),
                stroke="border-quiet",
            )
            self.sheet.add(
                "text",
                number(tick),
                x=self.left - 8,
                y=y(tick) + 4,
                fill="text2",
                text_anchor="end",
            )
        for style, line in zip(
            STYLES * len(panel.lines) if several else ({"stroke": panel.role},), panel.lines
        ):
            self._line(line, style, y)
        if several:
            self._legend(panel, top)

    def _line(self, line: Line, style: dict, y) -> None:
        colour, path, pen = style["stroke"], [], "M"
        for step, value in enumerate(line.values):
            if _drawable(value):
                path.append(f"{pen}{self._x(step):.1f} {y(value):.1f}")
            pen = "L" if _drawable(value) else "M"
        self.sheet.add(
            "path", d="".join(path), fill="none", **style, stroke_width=2, stroke_linejoin="round"
        )
        alone = (
            []
            if line.other is not None
            else [
                step
                for step, value in enumerate(line.values)
                if _drawable(value) and not any(map(_drawable, _beside(line.values, step)))
            ]
        )
        # a point without neighbours has no line to be on
        for step in alone:
            self.sheet.add(
                "circle",
                cx=round(self._x(step), 1),
                cy=round(y(line.values[step]), 1),
                r=2,
                fill=colour,
            )
        every = math.ceil(len(line.other or ()) / MOST_DOTS)
        for step in range(0, len(line.other or ()), every or 1):
            if _drawable(line.other[step]):
                self.sheet.add(
                    "circle",
                    cx=round(self._x(step), 1),
                    cy=round(y(line.other[step]), 1),
                    r=3,
                    fill="card",
                    stroke=colour,
                    stroke_width=1.5,
                )

    def _legend(self, panel: Panel, top: float) -> None:
        right = self.width - RIGHT
        for style, line in reversed(list(zip(STYLES * len(panel.lines), panel.lines))):
            self.sheet.add(
                "text",
                line.name,
                x=right,
                y=top - 10,
                fill=style["stroke"],
                text_anchor="end",
                font_weight=700,
            )
            right = round(right - text_width(line.name, 12, bold=True) - 46)
            self.sheet.add(
                "line",
                x1=right + 22,
                x2=right + 40,
                y1=top - 14,
                y2=top - 14,
                **style,
                stroke_width=2,
            )

    def _steps(self) -> None:
        bottom, last = self.height - BOTTOM, max(self.steps - 1, 1)
        for step in _ticks(0, last):
            if step == int(step):
                self.sheet.add(
                    "text",
                    number(step),
                    x=round(self._x(int(step)), 1),
                    y=bottom + 18,
                    fill="text2",
                    text_anchor="middle",
                )
        self.sheet.add(
            "text",
            self.x,
            x=(self.left + self.width - RIGHT) / 2,
            y=bottom + 34,
            fill="text2",
            text_anchor="middle",
        )


def _beside(values: list, step: int) -> list:
    """The values right before and right after a step."""
    return [*values[max(step - 1, 0) : step], *values[step + 1 : step + 2]]


def _drawable(value) -> bool:
    return value is not None and math.isfinite(value)


def _range(rows) -> tuple[float, float]:
    """The least and the greatest number of `rows`, a little apart; from 0 where that is near."""
    values = [value for row in rows for value in row if _drawable(value)] or [0.0]
    low, high = min(values), max(values)
    level = math.isclose(low, high)  # the engines may differ in the last place
    if low >= 0 and (low <= high / 2 or level):
        return 0.0, 1.06 * high or 1.0
    margin = 0.5 * abs(high) if level else 0.06 * (high - low)
    return low - margin, high + margin


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from `low` to `high`, three to six."""
    rough = (high - low) / 4
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough * 0.999)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [round(i * step, 12) for i in range(first, last + 1)]

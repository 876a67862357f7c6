"""The instruments of a training loop: its loss, its graph, and two maps with a row per parameter."""

import itertools
import math
from typing import Any

import numpy as np

from ..kit.format import number, shape_text
from ..kit.shade import LEVELS, shaded
from ..kit.sheet import Sheet
from ..kit.text import fit_path, text_width

WIDE, NARROW = 478, 344  # pixels
MAPS = {WIDE: (104, 222), NARROW: (82, 160)}  # the left end and the width of a map
CURVE, ROW, MOST_ROWS = 40, 17, 12
DECADES = 6  # powers of ten of a gradient's color, half of them above its first norms
LEAST = 1e-4  # the movement with the palest color
PALEST = 0.08


class InstrumentsSheet(Sheet):
    """The drawing of a `record`, which has `loss` and `nodes` for each backward pass, `gradient` and
    `moved` for each step ({parameter: number}), `heard`, `shapes` and `reference(name)`.
    `before` is the loss of another loop, drawn in gray.

    rows    the parameters, those with an alarm first
    places  where the steps and the rows are, in pixels, for the page's cursor"""

    def __init__(self, record: Any, before: list[float], width: int, live: bool = False):
        super().__init__(width, 0, live)
        self.left, self.span = MAPS[width]
        self.told = self.left + self.span + 6
        self.record, self.rows = record, rows_of(record)
        steps = max(len(record.gradient), len(record.loss), len(before), 1)
        self.column = self.span / steps
        self._curve(before)
        top = self._map("gradient", "gradient norm, × its first steps", CURVE + 50)
        self._legend(top + 12)
        second = top + 38
        self.height = (
            round(self._map("moved", "movement, × the length of the parameter", second)) + 4
        )
        self.places = {"left": self.left, "column": self.column, "steps": steps, "row": ROW}
        self.places |= {"tops": [CURVE + 50, second], "height": self.height}

    def _curve(self, before: list[float]) -> None:
        """The loss from 0 on, and the size of the graph."""
        loss, nodes = self.record.loss, [*map(_told_nodes, self.record.nodes)]
        high = max((v for v in (*loss, *before) if math.isfinite(v)), default=0) or 1.0
        for values, ink, pen in ((before, "border", 1), (loss, "text", 2)):
            spots = [
                f"{self.left + (i + 0.5) * self.column:.1f} {6 + CURVE * (1 - v / high):.1f}"
                for i, v in enumerate(values)
                if math.isfinite(v) and v >= 0
            ]
            path = f"M{'L'.join(spots)}h0" if spots else "M0 0"
            looks = {"fill": "none", "stroke": ink, "stroke_width": pen}
            self.add("path", d=path, **looks, stroke_linecap="round")
        right = self.left + self.span
        self.line(self.left, right, 6 + CURVE, 6 + CURVE, "border-quiet")
        self.text("loss", 0, 18, "text", weight=700)
        text = f"{number(loss[0])} → {number(loss[-1])}" if loss else "no backward()"
        self.text(text, self.told, 18, "text", weight=700)
        self.text("graph", 0, CURVE + 26, "text", weight=700)
        text = f"{nodes[0]} nodes" if nodes else ""
        text += " at every step" if len({*nodes}) == 1 else f" → {nodes[-1]}" if nodes else ""
        self.text(text, self.left, CURVE + 26, "text")

    def _map(self, kind: str, title: str, top: float) -> float:
        """A row for each parameter and a column for each step. Returns the lower end."""
        ink = "gradient" if kind == "gradient" else "value"
        solid = "gradient-solid" if kind == "gradient" else "value"
        self.text(title, self.left, top - 6, ink, weight=700)
        if not self.record.gradient:
            self.text("no step()", self.left, top + 12, "text2")
            return top + ROW
        numbers = np.array([self._numbers(kind, name) for name in self.rows], float)
        depths = np.array([*map(self._depths(kind), self.rows, numbers)])
        place = {"x": self.left, "y": top, "width": len(numbers[0]) * self.column}
        place["height"] = ROW * len(self.rows)
        if depths.any():
            self.parts.append(shaded(np.rint(LEVELS * depths), solid, **place, live=self.live))
        wrong = self._wrong(kind)
        self._stripes("masked", np.isnan(numbers) & ~wrong, top)
        self._stripes("error", wrong, top)
        dots = "".join(
            f"M{self.left + (step + 0.5) * self.column:.1f} {top + (row + 0.5) * ROW:.1f}h0"
            for row, step in np.argwhere(numbers == 0)
        )
        pen = {"stroke": "text3", "stroke_width": 2, "stroke_linecap": "round"}
        self.add("path", d=dots or "M0 0", **pen)
        for row, name in enumerate(self.rows):
            y = top + ROW * row
            self.line(self.left, self.left + place["width"], y, y, "card", stroke_width=2)
            self._names(name, y + 13, kind)
        self.rect(**place, fill="none", stroke="border-quiet")
        return top + place["height"]

    def _names(self, name: str, y: float, kind: str) -> None:
        text = fit_path(name, self.left - 6, 11)
        shape = f" {shape_text(self.record.shapes.get(name, ()))}"
        fits = kind == "gradient" and text_width(text + shape, 11) < self.left
        self.text(text + shape * fits, 0, y, "text", size=11)
        told = self._told(name) if kind == "gradient" else self._moved(name)
        self.text(told, self.told, y, "text2", size=11)

    def _told(self, name: str) -> str:
        first, last = self.record.reference(name), self.record.gradient[-1].get(name)
        if first is None or last is None:
            return "None" if first is None else f"{_short(first)} → None"
        times = f", ×{last / first:.2g}" if first and math.isfinite(last / first) else ""
        return f"{_short(first)} → {_short(last)}{times * (self.width == WIDE)}"

    def _moved(self, name: str) -> str:
        moved = [step.get(name, 0.0) for step in self.record.moved] or [0.0]
        return f"{_short(moved[0])} → {_short(moved[-1])}" if any(moved) else "0 at every step"

    def _numbers(self, kind: str, name: str) -> list[float | None]:
        return [step.get(name) for step in getattr(self.record, kind)]

    def _depths(self, kind: str) -> Any:
        """The depth of the color of each number in a row, from 0 to 1."""

        def depths(name: str, numbers: np.ndarray) -> np.ndarray:
            first = self.record.reference(name) or 1.0
            sizes = np.where(np.isfinite(numbers) & (numbers > 0), numbers, 0.0)
            with np.errstate(all="ignore"):
                place = 0.5 + np.log10(sizes / first) / DECADES
                if kind == "moved":
                    place = 1 - np.log10(sizes) / math.log10(LEAST)
            return np.where(sizes > 0, np.clip(np.nan_to_num(place), PALEST, 1), 0.0)

        return depths

    def _wrong(self, kind: str) -> np.ndarray:
        """Where a number is nan or inf."""
        rows = (self._numbers(kind, name) for name in self.rows)
        return np.array([[v is not None and not math.isfinite(v) for v in row] for row in rows])

    def _stripes(self, stripe: str, where: np.ndarray, top: float) -> None:
        """Stripes over the cells `where`, a rectangle for each run of them in a row."""
        fill = self.stripes(stripe, 0.6) if where.any() else ""
        for row, cells in enumerate(where):
            step = 0
            for is_there, run in itertools.groupby(cells):
                count = len([*run])
                if is_there:
                    x, width = self.left + step * self.column, count * self.column
                    self.rect(round(x, 2), top + ROW * row, round(width, 2), ROW, fill=fill)
                step += count

    def _legend(self, y: float) -> None:
        """What the colors of a gradient mean."""
        x = float(self.left)
        for depth, word in ((0.15, "÷ 100"), (0.5, "as at first"), (0.85, "× 100")):
            self.rect(x, y - 9, 11, 11, fill="gradient-solid", fill_opacity=depth)
            self.text(word, x + 15, y, "text2", size=11)
            x += 24 + text_width(word, 11)
        for stripe, word in (("masked", "None"), ("error", "nan")):
            self.rect(x, y - 9, 11, 11, fill=self.stripes(stripe, 0.6), stroke="border")
            self.text(word, x + 15, y, "text2", size=11)
            x += 24 + text_width(word, 11)
        self.rect(x, y - 9, 11, 11, fill="card", stroke="border")
        self.add("circle", cx=x + 5.5, cy=y - 3.5, r=1, fill="text3")
        self.text("0", x + 15, y, "text2", size=11)


def rows_of(record: Any) -> list[str]:
    """The parameters that are drawn: all, or those with an alarm and the first others."""
    names = [*(record.gradient[0] if record.gradient else record.shapes)]
    if len(names) <= MOST_ROWS:
        return names
    told = {name for _, heard in record.heard.values() for name in heard}
    return sorted(names, key=lambda name: name not in told)[:MOST_ROWS]


def readings_of(record: Any) -> list[list[str]]:
    """What is said of each row at each step."""
    return [
        [
            f"step {step}, {name}: gradient {_short(norms.get(name))};"
            f" movement {_short(moved.get(name))}"
            for step, (norms, moved) in enumerate(zip(record.gradient, record.moved))
        ]
        for name in rows_of(record)
    ]


def described(record: Any) -> str:
    """The instruments as text."""
    sheet = InstrumentsSheet(record, [], NARROW)
    rows = (f"{name}: gradient {sheet._told(name)}" for name in sheet.rows if record.gradient)
    loss, *_, last = *map(number, record.loss[:1]), "", *map(number, record.loss[-1:])
    loss = f"loss {loss} → {last}" if record.loss else "no loss"
    return "; ".join([loss, *rows])


def _told_nodes(nodes: int | None) -> str:
    return "more than 20,000" if nodes is None else str(nodes)


def _short(value: float | None) -> str:
    """A number with three digits."""
    if value is None:
        return "None"
    return f"{value:.3g}".replace("-", "−").replace("e−0", "e−").replace("e+0", "e")

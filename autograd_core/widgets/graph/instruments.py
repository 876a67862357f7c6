"""The instruments of a training loop: its loss, its graph, and two maps with a row per parameter."""

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
LEGEND = "÷ 100", "as at first", "× 100", "None", "nan", "0"


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
        first = CURVE + 50
        second = first + ROW * max(len(self.rows), 1) + 38
        self._map("gradient", "gradient norm, × its first steps", first)
        self._legend(second - 26)
        self._map("moved", "relative movement", second)
        self.height = 2 * second - first - 34
        self.places = {"left": self.left, "column": self.column, "row": ROW}
        self.places["tops"] = [first, second]

    def _curve(self, before: list[float]) -> None:
        """The loss from 0 on, and the size of the graph."""
        loss, nodes = self.record.loss, self.record.nodes
        high = max((v for v in (*loss, *before) if math.isfinite(v)), default=0) or 1.0
        for values, ink, pen in ((before, "border", 1), (loss, "text", 2)):
            spots = [
                f"{self.left + (i + 0.5) * self.column:.1f} {6 + CURVE * (1 - v / high):.1f}"
                for i, v in enumerate(values)
                if math.isfinite(v) and v >= 0
            ]
            path = f"M{'L'.join(spots or ['0 0'])}h0"
            looks = {"fill": "none", "stroke": ink, "stroke_width": pen}
            self.add("path", d=path, **looks, stroke_linecap="round")
        self.line(self.left, self.left + self.span, 6 + CURVE, 6 + CURVE, "border-quiet")
        told = f"{number(loss[0])} → {number(loss[-1])}" if loss else "no backward()"
        counts = ["over 20,000" if count is None else count for count in nodes[:1] + nodes[-1:]]
        grows = len({*nodes}) > 1
        size = (
            f"{counts[0]} nodes{f' → {counts[1]}' if grows else ' at every step'}" if nodes else ""
        )
        self.text("loss", 0, 18, "text", weight=700)
        self.text(told, self.told, 18, "text", weight=700)
        self.text("graph", 0, CURVE + 26, "text", weight=700)
        self.text(size, self.left, CURVE + 26, "text")

    def _map(self, kind: str, title: str, top: float) -> None:
        """A row for each parameter and a column for each step."""
        ink, solid = ("gradient", "gradient-solid") if kind == "gradient" else ("value",) * 2
        self.text(title, self.left, top - 6, ink, weight=700)
        if not self.record.gradient:
            self.text("no step()", self.left, top + 12, "text2")
            return
        steps = getattr(self.record, kind)
        numbers = np.array([[step.get(name) for step in steps] for name in self.rows], object)
        missing = np.equal(numbers, None)
        numbers = np.where(missing, 1.0, numbers).astype(float)
        place = {"x": self.left, "y": top, "width": len(steps) * self.column}
        place["height"] = ROW * len(self.rows)
        depths = np.where(missing, 0.0, self._depths(kind, numbers))
        if depths.any():
            self.parts.append(shaded(np.rint(LEVELS * depths), solid, **place, live=self.live))
        cell = f"v{ROW}h{self.column:.2f}v-{ROW}z"
        for stripe, where in (("masked", missing), ("error", ~np.isfinite(numbers))):
            if where.any():
                fill = self.stripes(stripe, 0.6)
                self.add("path", d=self._at(where, top, 0, cell), fill=fill)
        pen = {"stroke": "text3", "stroke_width": 2, "stroke_linecap": "round"}
        self.add("path", d=self._at(numbers == 0, top, 0.5, "h0") or "M0 0", **pen)
        for row, name in enumerate(self.rows):
            y = top + ROW * row
            self.line(self.left, self.left + place["width"], y, y, "card", stroke_width=2)
            shape = f" {shape_text(self.record.shapes.get(name, ()))}" * (kind == "gradient")
            text = fit_path(name, self.left - 6, 11)
            fits = text_width(text + shape, 11) < self.left
            self.text(text + shape * fits, 0, y + 13, "text", size=11)
            told = self.trend(name) if kind == "gradient" else _ends(numbers[row])
            self.text(told, self.told, y + 13, "text2", size=11)
        self.rect(**place, fill="none", stroke="border-quiet")

    def _at(self, where: np.ndarray, top: float, shift: float, drawn: str) -> str:
        """A path that draws `drawn` in each cell of `where`."""
        return "".join(
            f"M{self.left + (step + shift) * self.column:.2f} {top + (row + shift) * ROW:g}{drawn}"
            for row, step in np.argwhere(where)
        )

    def trend(self, name: str) -> str:
        """The first and the last norm of a gradient."""
        first, last = self.record.reference(name), self.record.gradient[-1].get(name)
        if first is None or last is None:
            return "None" if first is None else f"{_short(first)} → None"
        times = f", ×{last / first:.2g}" if first and math.isfinite(last / first) else ""
        return f"{_short(first)} → {_short(last)}{times * (self.width == WIDE)}"

    def _depths(self, kind: str, numbers: np.ndarray) -> np.ndarray:
        """The depth of the color of each number, from 0 to 1."""
        first = np.array([[self.record.reference(name) or 1.0] for name in self.rows])
        sizes = np.where(np.isfinite(numbers) & (numbers > 0), numbers, 0.0)
        with np.errstate(all="ignore"):
            place = 0.5 + np.log10(sizes / first) / DECADES
            if kind == "moved":
                place = 1 - np.log10(sizes) / math.log10(LEAST)
        return np.where(sizes > 0, np.clip(np.nan_to_num(place), PALEST, 1), 0.0)

    def _legend(self, y: float) -> None:
        """What the colors of a gradient mean."""
        fills = [("gradient-solid", depth) for depth in (0.15, 0.5, 0.85)]
        fills += [(self.stripes(stripe, 0.6), 1) for stripe in ("masked", "error")] + [("card", 1)]
        x = float(self.left)
        for (fill, depth), word in zip(fills, LEGEND, strict=True):
            self.rect(x, y - 9, 11, 11, fill=fill, fill_opacity=depth, stroke="border-quiet")
            self.text(word, x + 15, y, "text2", size=11)
            x += 24 + text_width(word, 11)


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
    rows = (f"{name}: gradient {sheet.trend(name)}" for name in sheet.rows if record.gradient)
    return "; ".join([f"loss {_ends(record.loss)}", *rows])


def _ends(values: Any) -> str:
    """The first and the last of some numbers."""
    if not any(values):
        return "0 at every step" if len(values) else "unknown"
    return f"{_short(values[0])} → {_short(values[-1])}"


def _short(value: float | None) -> str:
    """A number with three digits."""
    if value is None:
        return "None"
    return f"{value:.3g}".replace("-", "−").replace("e−0", "e−").replace("e+0", "e")

"""A text detector in training: a photo with the text that it finds, and its seven maps."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import traitlets

from ...widgets.kit.format import number
from ...widgets.kit.shade import address
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.theme import NARROW_FONT
from ..datasets import CurvedText
from .film import film
from .maps import MARGIN, WIDTH

MEASURES = ("total", "text", "line", "direction", "radius")
UNITS = dict(zip(MEASURES, ("loss ↓", "IoU ↑", "IoU ↑", "degrees ↓", "pixels ↓")))
ROW, AXIS = 30, 34  # heights of a row of the chart, and of its axis
LEFT, RIGHT, TOP = 34, 12, 22  # pixels around the rows; the table next to them has a caption
PAD = 4  # pixels above and below a curve in its row
SCORED = 64  # photos that the measures are taken on
APART = 4  # pixels from one disc on the line to the next
LARGEST = 16  # radius of a disc that is drawn, in pixels
STILL, BESIDE = 260, 350  # sides of the photo in a still, and of photos next to each other
LAYERS = {
    "region": {"stroke": "series-2", "stroke_width": 0.4},
    "line": {"fill": "series-2", "fill_opacity": 0.55},
    "discs": {"stroke": "series-2", "stroke_width": 0.3},
    "ticks": {"stroke": "text", "stroke_width": 0.5},
    "text": {"stroke": "value", "stroke_width": 0.5},
    "ignored": {"stroke": "masked", "stroke_width": 0.5, "stroke_dasharray": "0.5 0.5"},
}
"""The parts that are drawn on the photo, in its pixels: predictions first, then the truth."""
NOTES = {
    "none": "all five losses train",
    "text": "the maps not text and text get no gradient",
    "line": "the maps not line and line get no gradient",
    "sin": "its map still gets a gradient, from the loss cos",
    "cos": "its map still gets a gradient, from the loss sin",
    "radius": "the map radius gets no gradient",
}


class snake(film):
    """A film of a detector's training, next to one large photo with the text that it finds.

    run       see `film`; it gets `off`, the loss without which the detector was trained, or "none".
              Its "curves" are {measure: {step: number}} for MEASURES.
    crop      the photo of all frames, and what is true of it.
    heads     {loss: the names of the maps that it reads}
    constant  {measure: the score of the best constant map}
    """

    view = traitlets.Unicode("snake").tag(sync=True)
    called = "Watch it learn"

    def __init__(
        self, run: Callable, *, crop: CurvedText, heads: Mapping, constant: Mapping, **options: Any
    ):
        self.crop, self.heads, self.constant = crop, heads, constant
        self.whole: list[list[str]] = []  # the snakes with all losses
        options.setdefault("note", "recorded; “Train it” below trains the same network")
        words = {"off": "loss switched off"}
        truth = {"photo": crop.image[0]}
        super().__init__(run, truth=truth, words=words, **options)

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        steps = ours["at"][-1] + 1
        rows = {
            name: [row.get(step) for step in range(steps)] for name, row in ours["curves"].items()
        }
        self.snakes = [paths(maps) for maps in ours["output"]]
        self.whole = self.whole or self.snakes
        return super().draw({**ours, "curves": rows}, theirs)

    def _picture(self) -> dict:
        off, truth = self.settings["off"], self.crop
        return {
            **super()._picture(),
            "snakes": self.snakes,
            "whole": self.whole,
            "outlines": outlines(truth),
            "off": off,
            "silent": self.heads.get(off, []),
            "told": NOTES[off] if off == "none" else f"{off} is off: {NOTES[off]}",
            "units": [UNITS[name] for name in MEASURES],
            "scored": f"{SCORED} held-out photos",
            "constants": [self.constant.get(name) for name in MEASURES],
        }

    def scaled(self) -> np.ndarray:
        """The gradients of all steps except the first, where a few numbers are far larger."""
        return self.maps[1][1:]

    def chart(self, width: int) -> "Rows":
        return Rows([panel.lines[panel.title] for panel in self.panels], self.constant, width)

    def still(self) -> str:
        """The photo with the found text, the measures and the maps, at the first shown step."""
        maps = super().still()
        top = STILL + 2 * MARGIN
        sheet = Sheet(WIDTH, top + int(maps.partition('height="')[2].partition('"')[0]))
        add_photo(sheet, self.crop, self.snakes[self.opening], MARGIN, MARGIN)
        for place, panel in enumerate(self.panels):
            value = panel.lines[panel.title][self.at[self.opening]]
            text = f"{panel.title}: {number(round(value, 2))} {UNITS[panel.title]}"
            sheet.text(text, top, 40 + 24 * place, "text", weight=700, size=14)
        within = maps.replace("<svg ", f'<svg y="{top}" ', 1)
        return sheet.svg(repr(self), font=NARROW_FONT).removesuffix("</svg>") + within + "</svg>"

    def __repr__(self) -> str:
        at = self.at[self.opening]
        ends = (f"{p.title} {number(round(p.lines[p.title][at], 2))}" for p in self.panels)
        return f"{self.title}: at step {at}, {', '.join(ends)}"


class Rows(Sheet):
    """A row for each measure: its curve, and the best constant as a dashed line."""

    def __init__(self, curves: list[list], constant: Mapping[str, float], width: int):
        bottom = TOP + ROW * len(curves)
        super().__init__(width, bottom + AXIS, live=True)
        steps, key = len(curves[0]), "rows begin at 0 · dashed: best constant · ↑ ↓: better"
        self.text(key, width - RIGHT, TOP - 8, "text2", anchor="end", size=11)
        self.places = {"left": LEFT, "right": width - RIGHT, "top": TOP, "bottom": bottom}
        self.places["steps"] = steps
        for place, (name, curve) in enumerate(zip(MEASURES, curves)):
            level = constant.get(name, 0)
            self._row(TOP + ROW * place, curve, level)
        for step in range(0, steps, 40):
            looks = {"anchor": "middle", "size": 12}
            self.text(str(step), round(self._x(step), 1), bottom + 16, "text2", **looks)
        self.text("step", (LEFT + width - RIGHT) / 2, bottom + 30, "text2", anchor="middle")

    def _x(self, step: int) -> float:
        left, right, steps = (self.places[name] for name in ("left", "right", "steps"))
        return left + (right - left) * step / (steps - 1)

    def _row(self, top: float, curve: list, level: float) -> None:
        known = [(step, value) for step, value in enumerate(curve) if value is not None]
        # with a constant: the untrained network is often far off, so it doesn't set the scale
        most = max(level, *(value for _, value in (known[1:] if level else known)))
        left, right = self.places["left"], self.places["right"]

        def y(value: float) -> float:
            return round(top + ROW - PAD - (ROW - 2 * PAD) * value / most, 1)

        self.line(left, right, top + ROW, top + ROW, "border-quiet")
        text = {"anchor": "end", "size": 11}
        self.text(number(float(f"{most:.2g}")), left - 6, y(most) + 5, "text2", **text)
        for value in (0, most):
            self.line(left - 4, left, y(value), y(value), "border")
        if level:
            self.line(left, right, y(level), y(level), "text2", stroke_dasharray="4 3")
        path = "L".join(f"{self._x(step):.1f} {y(value)}" for step, value in entering(known, most))
        self.add("path", d=f"M{path}", fill="none", stroke="value", stroke_width=2)


def entering(known: list[tuple[float, float]], most: float) -> list[tuple[float, float]]:
    """The points of a curve. If its first one is above the scale, the curve enters at `most`."""
    (step, first), *rest = known
    if first <= most or not rest:
        return [(step, min(first, most)), *rest]
    then, second = rest[0]
    return [(step + (then - step) * (first - most) / (first - second), most), *rest]


class photos:
    """Draw a photo once for each of `found`, {name: seven maps}, with the text that the maps find."""

    def __init__(self, crop: CurvedText, found: Mapping[str, Any]):
        self.crop = crop
        self.snakes = {name: paths(maps) for name, maps in found.items()}

    def __repr__(self) -> str:
        counts = {name: line.count("M") for name, (_, line, *_) in self.snakes.items()}
        return "; ".join(f"{name}: a line of {count} pixels" for name, count in counts.items())

    def svg(self) -> str:
        """The figure as the text of an SVG file; in dark surroundings it turns dark."""
        sheet = Sheet(MARGIN + len(self.snakes) * (BESIDE + MARGIN), BESIDE + 3 * MARGIN)
        for place, (name, found) in enumerate(self.snakes.items()):
            left = MARGIN + place * (BESIDE + MARGIN)
            sheet.text(name, left, MARGIN + 2, "text", weight=700, size=14)
            add_photo(sheet, self.crop, found, left, 2 * MARGIN, BESIDE)
        return sheet.svg(repr(self), font=NARROW_FONT)

    def _repr_mimebundle_(self, **kwargs: object) -> dict:
        return {"text/plain": repr(self), "image/svg+xml": self.svg()}


def add_photo(
    sheet: Sheet, crop: CurvedText, found: list[str], left: float, top: float, side: int = STILL
) -> None:
    """Draw a photo with the outlines of the predicted and of the true text."""
    size = len(crop.tr_mask)
    box = {"x": left, "y": top, "width": side, "height": side}
    with sheet.within("svg", **box, viewBox=f"0 0 {size} {size}"):
        grey = np.clip((crop.image[0] + 1) / 4, 0, 1)
        looks = {"preserveAspectRatio": "none", "style": "image-rendering: pixelated"}
        place = {"x": 0, "y": 0, "width": size, "height": size}
        sheet.add("image", **place, href=address(np.rint(255 * (1 - grey)), 8), **looks)
        for (_, looks), path in zip(LAYERS.items(), [*found, *outlines(crop)]):
            sheet.add("path", d=path, **{"fill": "none", **looks})


def outlines(crop: CurvedText) -> list[str]:
    """The outlines of the true text and of the ignored text."""
    return [outline(crop.tr_mask & crop.train_mask), outline(~crop.train_mask)]


def outline(mask: np.ndarray) -> str:
    """The edges of a mask, as the path of an SVG, a pixel as wide as 1."""
    wide = np.pad(mask, 1)
    rows, columns = np.nonzero(wide[1:, 1:-1] != wide[:-1, 1:-1])
    path = "".join(f"M{x} {y}h1" for y, x in zip(rows, columns))
    rows, columns = np.nonzero(wide[1:-1, 1:] != wide[1:-1, :-1])
    return path + "".join(f"M{x} {y}v1" for y, x in zip(rows, columns))


def paths(maps: np.ndarray) -> list[str]:
    """The outline of the predicted text, its line, discs and ticks, each as the path of an SVG."""
    not_text, text, not_line, line, sin, cos, radius = np.asarray(maps)
    region = text > not_text
    on = np.argwhere(region & (line > not_line))
    squares = "".join(f"M{x} {y}h1v1h-1z" for y, x in on)
    kept: list[np.ndarray] = []
    for place in on:
        if not kept or np.hypot(*(np.array(kept) - place).T).min() >= APART:
            kept.append(place)
    discs, ticks = "", ""
    for y, x in kept:
        r = float(np.clip(radius[y, x], 0.3, LARGEST))
        angle, start = np.arctan2(sin[y, x], cos[y, x]), f"M{x + 0.5} {y + 0.5}"
        half = f"a{r:.2f} {r:.2f} 0 1 0 "
        discs += f"{start}m{-r:.2f} 0{half}{2 * r:.2f} 0{half}{-2 * r:.2f} 0"
        ticks += f"{start}l{r * np.cos(angle):.2f} {r * np.sin(angle):.2f}"
    return [outline(region), squares, discs, ticks]

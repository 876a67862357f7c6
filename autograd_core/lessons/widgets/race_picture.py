"""The map of the optimizers' race: contour lines, paths, and whose they are."""

import contourpy
import numpy as np

from ...widgets.kit.format import number
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.text import text_width

WIDTH, HEIGHT = 630, 450
VIEW = (-2.1, 2.1), (-1.35, 1.65)
"""What of x and y is shown; both have the same scale."""

GRID, LEVELS = 4, 13  # pixels between two heights; contour lines, closer together below
BEYOND = 2000  # pixels from the map's corner at most, so that numbers stay small
APART = 9  # pixels between two markers at least, so that they stay legible
LABEL, OFF = 10, 14  # half the height of a name; from the end of a path to its name
RECENT = 8  # steps of the paths on which no name stands
SIDES = [(1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, 1), (1, 1), (-1, -1)]
WAYS = np.concatenate([far * np.array(SIDES) for far in (1, 2, 3, 4, 6)])
"""Where a name may stand, seen from the end of its path: the nearest first."""

LOOKS = (
    {"colour": "text", "shape": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z"},
    {"colour": "series-1", "shape": "M0-5L5 0L0 5L-5 0Z"},
    {"colour": "series-2", "shape": "M-3.6-3.6H3.6V3.6H-3.6Z"},
    {"colour": "series-3", "shape": "M0-4.8L4.6 3.4H-4.6Z"},
    {"colour": "frozen", "shape": "M0 4.8L4.6-3.4H-4.6Z"},
)
"""Colour and marker of each optimizer, in their order; a marker is drawn around (0, 0)."""


class Map:
    """Where the numbers of `surface`, with its `height` and `minima`, stand on the picture."""

    size, view = (WIDTH, HEIGHT), VIEW

    def __init__(self, surface: object, start: tuple[float, float]):
        self.surface, self.start = surface, start

    def place(self, position: np.ndarray) -> np.ndarray:
        """(..., 2) numbers to pixels: x to the right, y upwards."""
        (left, right), (low, high) = VIEW
        x, y = np.moveaxis(np.asarray(position, np.float64), -1, 0)
        across, down = (x - left) / (right - left), (high - y) / (high - low)
        return np.stack([across * WIDTH, down * HEIGHT], -1)

    def path(self, positions: np.ndarray) -> list[list]:
        """The pixels of each step. A path that has left the map for good stays at the first place
        outside, and one without a number any more at the last that it had: what swings ever wider
        would cover the others."""
        pixels = np.clip(self.place(positions), -BEYOND, BEYOND)
        for step in np.flatnonzero(~np.isfinite(pixels).all(1)):
            pixels[step] = pixels[step - 1]
        within = np.flatnonzero(((pixels >= 0) & (pixels <= self.size)).all(1))
        gone = within[-1] + 1 if len(within) else 0
        pixels[gone:] = pixels[gone : gone + 1]
        return pixels.round(1).tolist()

    def marks(self, positions: np.ndarray) -> list[list]:
        """The steps that get a marker, each with its pixels: [step, x, y]."""
        marks = []
        for step, (x, y) in enumerate(self.path(positions)):
            if step and (not marks or np.hypot(x - marks[-1][1], y - marks[-1][2]) >= APART):
                marks.append([step, x, y])
        return marks

    def ground(self, live: bool) -> Sheet:
        """What lies under the paths."""
        sheet = Sheet(WIDTH, HEIGHT, live)
        x, y = (np.linspace(*ends, size // GRID + 1) for ends, size in zip(VIEW, (WIDTH, HEIGHT)))
        heights = self.surface.height(x[None, :], y[:, None])
        low, high = heights.min(), heights.max()
        generator = contourpy.contour_generator(x, y, heights)
        for level in low + (high - low) * (np.arange(1, LEVELS + 1) / (LEVELS + 1)) ** 2.5:
            lines = "".join(_path(self.place(line).tolist()) for line in generator.lines(level))
            sheet.add("path", d=lines, fill="none", stroke="border-quiet", stroke_width=1.2)
        for value in (-1, 0, 1):
            (column, _), (_, row) = self.place((value, 0)), self.place((0, value))
            sheet.text(number(value), column, HEIGHT - 8, "text3", anchor="middle")
            sheet.text(number(value), 10, row + 4, "text3")
        sheet.text("x", WIDTH - 14, HEIGHT - 8, "text3", anchor="middle")
        sheet.text("y", 10, 20, "text3")
        for column, row in self.place(self.surface.minima).tolist():
            cross = f"M{column - 7:g} {row:g}h14M{column:g} {row - 7:g}v14"
            sheet.add("path", d=cross, fill="none", stroke="text", stroke_width=2)
        column, row = self.place(self.start).tolist()
        sheet.add("circle", cx=column, cy=row, r=7, fill="card", stroke="text", stroke_width=2)
        return sheet

    def scene(self, runners: list[dict], description: str, live: bool, at: int) -> str:
        """The map after step `at`, as SVG text, with paths, markers and names of `runners`. In a
        live one "line 0", "mark 0", "end 0" and "label 0" of the first runner change from step to
        step."""
        sheet = self.ground(live)
        for i, runner in enumerate(runners):
            pen, path = {"stroke": runner["colour"]}, _path(runner["path"][: at + 1])
            looks = {"fill": "none", "stroke_width": 2, "stroke_linejoin": "round"}
            sheet.add("path", d=path, **looks, **pen, part=f"line {i}")
            for step, x, y in runner["marks"]:
                if live or step <= at:
                    mark = {"d": runner["shape"], "transform": f"translate({x} {y})"}
                    sheet.add(
                        "path", **mark, **pen, fill="card", stroke_width=1.5, part=f"mark {i}"
                    )
        for i, runner in enumerate(runners):
            x, y = runner["path"][at]
            ink = {"fill": runner["colour"]}
            sheet.add("circle", transform=f"translate({x} {y})", r=6, **ink, part=f"end {i}")
        for i, runner in enumerate(runners):
            (x, y), half, ink = runner["label"][at], _half(runner["name"]), runner["colour"]
            with sheet.within("g", transform=f"translate({x} {y})", part=f"label {i}"):
                sheet.rect(-half, -LABEL, 2 * half, 2 * LABEL, rx=4, fill="card", stroke=ink)
                sheet.text(runner["name"], 0, 4, ink, anchor="middle", weight=700)
        return sheet.svg(description)


def labels(names: list[str], paths: list[list]) -> list[list]:
    """For each name where it stands at each step, in pixels: beside the end of its path, on the
    side where it was before if it can; on no other name, and on no place where a path was lately.
    """
    ends, room = np.array(paths), np.array((WIDTH, HEIGHT))
    halves = np.array([(_half(name), LABEL) for name in names])
    ways, places = [0] * len(names), [[] for _ in names]
    for step in range(ends.shape[1]):
        taken = [*ends[:, max(0, step - RECENT) : step + 1].reshape(-1, 2)]
        sizes = [np.array((7, 7))] * len(taken)
        for i, half in enumerate(halves):
            spots = np.clip(ends[i, step], 0, room) + OFF * WAYS + half * np.sign(WAYS)
            spots = np.clip(spots, half, room - half)
            free = (abs(spots[:, None] - taken) >= half + sizes).any(2).all(1)
            before = ways[i] % len(SIDES)
            ways[i] = before if free[before] else int(free.argmax())
            taken.append(spots[ways[i]])
            sizes.append(half + 3)
            places[i].append(spots[ways[i]].round(1).tolist())
    return places


def _half(name: str) -> float:
    """Half the width of a name in its frame."""
    return round(text_width(name, 12, bold=True) / 2 + 10, 1)


def _path(places: list) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)

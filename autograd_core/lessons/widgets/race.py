"""Lesson 12's race of optimizers: a line is autograd_core's path, the markers on it PyTorch's."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import contourpy
import numpy as np
import traitlets

from ...widgets.kit.agreement import Agreement, compare
from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.text import text_width
from ..datasets import Surface

FAR = 1e3  # numbers beyond are compared as this: who is so far off is lost, however far
NUDGE, CALM = 1e-14, 1e-11
"""Steps are compared until a surface that is moved by NUDGE changes a number by more than CALM, or
by more than CALM times a number above 1: see `race`."""
ALWAYS = "position", ".grad", "loss"  # the keys of each step; the other keys are buffers
DIGITS = 9  # significant digits of the numbers that are sent to the page

WIDTH, HEIGHT = 630, 450
VIEW = (-2.1, 2.1), (-1.35, 1.65)
"""The ranges of x and y that the map shows, on the same scale."""

EDGE = 44  # pixels between a number on an axis and the end of the axis, at least
GRID, LEVELS = 4, 13  # pixels between two heights; contour lines, closer together below
BEYOND = 2000  # pixels from the map's corner at most, so that numbers stay small
APART = 9  # pixels between two markers at least, so that they stay legible
LABEL, OFF = 10, 14  # half the height of a name; from the end of a path to its name
RECENT = 8  # a name doesn't cover this many last steps of a path
PARTS = 0.2, 0.4, 0.6, 0.8  # places on the line of such a step, which a name doesn't cover
SIDES = [(1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, 1), (1, 1), (-1, -1)]
WAYS = np.concatenate([far * np.array(SIDES) for far in (1, 2, 3, 4, 6)])
"""The possible offsets of a name from the end of its path, the nearest first."""

LOOKS = {
    "SGD": {"colour": "text", "shape": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z"},
    "momentum": {"colour": "value", "shape": "M0-5L5 0L0 5L-5 0Z"},
    "RMSprop": {"colour": "series-2", "shape": "M-3.6-3.6H3.6V3.6H-3.6Z"},
    "Adam": {"colour": "series-3", "shape": "M0-4.8L4.6 3.4H-4.6Z"},
}
"""Colour and marker of each optimizer; a marker is drawn around (0, 0). Violet isn't used,
because it means a negative gradient."""


class race(Live):
    """Draw the paths that `run(height=..., start=..., **settings)` returns.

    run       gets the height as a function of x and y, and the (x, y) where all start. It returns
              {name of an optimizer: [a dict for each step]}, with names of LOOKS, else ValueError.
              Each dict has "position" and ".grad", pairs of numbers, "loss", a number, and what
              the optimizer remembers, pairs too.
    surface   a `datasets.Surface`.
    rates     {name of an optimizer: its learning rate}, which `run` gets as `lr` and the page shows.
              Without it, the reader sets one `lr`.
    map_of    a subclass of `Map`, for a surface that has a map of its own.
    step      the one that is shown first, and in the still; the last one if None.
    by_hand   whether the reader marks where the next steps of momentum end. `landed` is then a list
              of pairs: the step, and whether the mark was near enough.

    A path can be chaotic: an optimizer that swings around its minimum turns a difference in the
    sixteenth digit into one in the first, within a few dozen steps. So each run is repeated on a
    surface that is moved by almost nothing. Where even that leads elsewhere, the numbers of two
    engines are not compared, and the verdict says from which step on.
    """

    view = traitlets.Unicode("race").tag(sync=True)
    called = "Optimizer race"
    by_hand = traitlets.Bool().tag(sync=True)
    landed = traitlets.List().tag(sync=True)

    def __init__(
        self,
        run: Callable[..., dict],
        other: Callable[..., dict] | None = None,
        *,
        surface: Surface,
        rates: dict[str, float] | None = None,
        step: int | None = None,
        by_hand: bool = False,
        map_of: "type[Map] | None" = None,
        **options: Any,
    ):
        self.surface, self.start = surface, surface.start
        self.rates, self.step = rates or {}, step
        self.map_of = map_of or Map
        super().__init__(run, other, **options)
        self.by_hand = by_hand

    def arguments(self) -> dict:
        settings = {"height": self.surface.height, **self.settings, "start": self.start}
        return {**settings, "lr": self.rates} if self.rates else settings

    def set(self, name: str, value: object) -> None:
        """As in every widget; "start" is one too, (x, y)."""
        if name == "start":
            start = np.asarray(value, np.float64)
            if start.shape != (2,) or not np.isfinite(start).all():
                raise ValueError(f"a start is two numbers, x and y, not {value!r}")
            self.start = tuple(start.tolist())
        self.update() if name == "start" else super().set(name, value)

    @np.errstate(over="ignore", invalid="ignore")  # diverged runs end in inf or nan
    def update(self) -> None:
        super().update()

    def read(self, result: dict) -> dict[str, dict[str, np.ndarray]]:
        """{optimizer: {"loss": (steps,), "position": (steps, 2), ...}}; nan: no state yet."""
        if not result or not {*result} <= {*LOOKS}:
            raise ValueError(f"the run returns a dict of optimizers, of {', '.join(LOOKS)}")
        return {name: _table(steps) for name, steps in result.items()}

    def judge(self, ours: dict, theirs: dict) -> Agreement:
        """Compare all numbers up to where rounding alone leads elsewhere."""

        def nudged(x: object, y: object) -> object:
            return self.surface.height(x + NUDGE, y + NUDGE)

        calm = _calm(ours, self.read(self.run(**{**self.arguments(), "height": nudged})))
        known = [
            {
                name: {key: np.clip(rows[: calm[name]], -FAR, FAR) for key, rows in table.items()}
                for name, table in tables.items()
            }
            for tables in (ours, theirs)
        ]
        agreement = compare(*known)
        wild = [f"{name} from step {n}" for name, n in calm.items() if n < len(ours[name]["loss"])]
        if agreement.differs or not wild:
            return agreement
        why = f". Not compared, because rounding alone leads elsewhere: {', '.join(wild)}"
        return replace(agreement, text=agreement.text + why)

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        self.tables, self.map = ours, self.map_of(self.surface, self.start, self.settings)
        paths = [self.map.path(table["position"]) for table in ours.values()]
        runners = [
            {
                "name": name,
                **LOOKS[name],
                "path": path,
                "label": label,
                "marks": self.map.marks(theirs[name]["position"]) if theirs else [],
                "rate": self.rates.get(name),
                "loss": _sendable(table["loss"]),
                "rows": [[key, list(map(_sendable, table[key]))] for key in table if key != "loss"],
            }
            for (name, table), path, label in zip(ours.items(), paths, labels([*ours], paths))
        ]
        last = len(paths[0]) - 1
        lowest = min((self.surface.height(*each) for each in self.surface.minima), default=0.0)
        return {
            "svg": self.map.scene(runners, repr(self), live=True, at=last),
            "steps": last,
            "at": last if self.step is None else min(self.step, last),
            "note": self.surface.formula,
            "start": self.start,
            "view": self.map.view,
            "lowest": lowest,
            "top": self.map.top or max(table["loss"][0] for table in ours.values()) - lowest,
            "runners": runners,
        }

    def still(self) -> str:
        return self.map.scene(self.drawn["runners"], repr(self), live=False, at=self.drawn["at"])

    def __repr__(self) -> str:
        last = {name: number(table["loss"][-1]) for name, table in self.tables.items()}
        ends = "; ".join(f"{name} ends at {loss}" for name, loss in last.items())
        return f"{self.title} on {self.surface.name}: the loss of {ends}"


def _table(steps: list[dict]) -> dict[str, np.ndarray]:
    table = {name: [step[name] for step in steps] for name in ALWAYS}
    for key in dict.fromkeys(key for step in steps for key in step):
        table[key] = [step.get(key, (np.nan, np.nan)) for step in steps]
    return {key: np.array(rows, np.float64) for key, rows in table.items()}


def _calm(ours: dict, nudged: dict) -> dict[str, int]:
    """For each optimizer the number of steps before a moved surface shows."""
    calm = {}
    for name, table in ours.items():
        wild = np.zeros(len(table["loss"]), bool)
        for key in ALWAYS:
            here, there = (np.clip(each[key], -FAR, FAR) for each in (table, nudged[name]))
            apart = np.abs(here - there) > CALM * np.maximum(1, np.abs(here))
            wild |= apart.reshape(len(wild), -1).any(1)
        calm[name] = int(wild.argmax()) if wild.any() else len(wild)
    return calm


def _sendable(numbers: np.ndarray) -> list:
    return [float(f"{x:.{DIGITS}g}") if np.isfinite(x) else str(x) for x in numbers.tolist()]


# ---- the map ----


class Map:
    """The map of `surface`: it converts positions to pixels, and draws the contour lines."""

    view, names_ends = VIEW, True
    top = 0.0  # the upper end of the loss axis; 0: the greatest loss at the start

    def __init__(self, surface: object, start: tuple[float, float], settings: dict[str, Any]):
        self.surface, self.start, self.settings = surface, start, settings

    def place(self, position: np.ndarray) -> np.ndarray:
        """(..., 2) numbers to pixels: x to the right, y upwards."""
        (left, right), (low, high) = self.view
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
        within = np.flatnonzero(((pixels >= 0) & (pixels <= (WIDTH, HEIGHT))).all(1))
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

    def lines(self, lines: list[np.ndarray]) -> str:
        """Lines of positions as the `d` of one path."""
        return "".join(_path(self.place(line).tolist()) for line in lines)

    def ground(self, live: bool) -> Sheet:
        """The contour lines, which are drawn below the paths."""
        sheet = Sheet(WIDTH, HEIGHT, live)
        sizes = WIDTH // GRID + 1, HEIGHT // GRID + 1
        x, y = (np.linspace(*ends, size) for ends, size in zip(self.view, sizes))
        heights = self.surface.height(x[None, :], y[:, None])
        low, high = heights.min(), heights.max()
        generator = contourpy.contour_generator(x, y, heights)
        for level in low + (high - low) * (np.arange(1, LEVELS + 1) / (LEVELS + 1)) ** 2.5:
            d = self.lines(generator.lines(level))
            sheet.add("path", d=d, fill="none", stroke="border-quiet", stroke_width=1.2)
        for value in range(-5, 6):
            (column, _), (_, row) = self.place((value, 0)), self.place((0, value))
            if EDGE < column < WIDTH - EDGE:
                sheet.text(number(value), column, HEIGHT - 8, "text3", anchor="middle")
            if EDGE < row < HEIGHT - EDGE:
                sheet.text(number(value), 10, row + 4, "text3")
        sheet.text("x", WIDTH - 14, HEIGHT - 8, "text3", anchor="middle")
        sheet.text("y", 10, 20, "text3")
        for column, row in map(self.place, self.surface.minima):
            cross = f"M{column - 7:g} {row:g}h14M{column:g} {row - 7:g}v14"
            sheet.add("path", d=cross, fill="none", stroke="text", stroke_width=2)
        column, row = self.place(self.start).tolist()
        cross = f"M{column - 5:g} {row - 5:g}l10 10M{column - 5:g} {row + 5:g}l10-10"
        sheet.add("path", d=cross, fill="none", stroke="text", stroke_width=2)
        if self.names_ends:
            sheet.text("start", column, row - 12, "text2", anchor="middle")
        return sheet

    def scene(self, runners: list[dict], description: str, live: bool, at: int) -> str:
        """The map after step `at`, as SVG text, with paths, markers and names of `runners`. In a
        live one "line 0", "mark 0", "leader 0", "end 0" and "label 0" of the first runner change
        from step to step."""
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
        for i, runner in enumerate(runners if self.names_ends else ()):
            leader = _path([runner["path"][at], runner["label"][at]])
            sheet.add("path", d=leader, stroke=runner["colour"], part=f"leader {i}")
        for i, runner in enumerate(runners):
            x, y = runner["path"][at]
            end = {"d": runner["shape"], "transform": f"translate({x} {y})"}
            ink = {"fill": runner["colour"], "stroke": runner["colour"], "stroke_width": 4}
            sheet.add("path", **end, **ink, part=f"end {i}")
        for i, runner in enumerate(runners if self.names_ends else ()):
            (x, y), half, ink = runner["label"][at], _half(runner["name"]), runner["colour"]
            with sheet.within("g", transform=f"translate({x} {y})", part=f"label {i}"):
                sheet.rect(-half, -LABEL, 2 * half, 2 * LABEL, rx=4, fill="card", stroke=ink)
                sheet.text(runner["name"], 0, 4, ink, anchor="middle", weight=700)
        return sheet.svg(description)


def labels(names: list[str], paths: list[list]) -> list[list]:
    """The place of each name at each step, in pixels. A name is next to the end of its path, if
    possible on the same side as before, and covers no other name and no line of a recent step.
    """
    ends, room = np.array(paths), np.array((WIDTH, HEIGHT))
    halves = np.array([(_half(name), LABEL) for name in names])
    ways, places = [0] * len(names), [[] for _ in names]
    for step in range(ends.shape[1]):
        recent = ends[:, max(0, step - RECENT) : step + 1]
        between = [recent[:, :-1] + part * np.diff(recent, axis=1) for part in PARTS]
        taken = [*np.concatenate([recent, *between], axis=1).reshape(-1, 2)]
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

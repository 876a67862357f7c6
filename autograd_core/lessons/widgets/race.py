"""Lesson 12's race of optimizers: a line is autograd_core's path, the markers on it PyTorch's."""

from dataclasses import replace
from typing import Any

import numpy as np
import traitlets

from ...widgets.kit.agreement import Agreement, compare
from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from .race_picture import LOOKS, Map, labels

FAR = 1e3  # numbers beyond are compared as this: who is so far off is lost, however far
NUDGE, CALM = 1e-14, 1e-11
"""Steps are compared as long as a surface moved by NUDGE leads to numbers that are CALM apart at
most, or CALM of their size where they are above 1: see `Race`."""
ALWAYS = "position", ".grad", "loss"  # of each step; all else is what the optimizer remembers
DIGITS = 9  # significant ones, of what is sent to be read


class Race(Live):
    """Draw the paths that `run(surface=..., height=..., start=..., **settings)` returns.

    run       gets the name of a surface, its height as a function of x and y, and the (x, y) where
              all start. It returns {name of an optimizer: [a dict for each step]}, of five at most,
              else ValueError. Each dict has "position" and ".grad", pairs of numbers, "loss", a
              number, and what the optimizer remembers, pairs too.
    surfaces  what the reader may choose from, by name, as `datasets.SURFACES`.
    step      the one that is shown first, and in the still; the last one if None.

    A path can be chaotic: an optimizer that swings around its minimum turns a difference in the
    sixteenth digit into one in the first, within a few dozen steps. So each run is repeated on a
    surface that is moved by almost nothing. Where even that leads elsewhere, the numbers of two
    engines are not compared, and the verdict says from which step on.
    """

    view = traitlets.Unicode("race").tag(sync=True)
    called = "Optimizer race"

    def __init__(self, run, other=None, *, surfaces, step=None, **options):
        self.surfaces, self.step = surfaces, step
        self.start = next(iter(surfaces.values())).start
        super().__init__(run, other, surface=list(surfaces), **options)

    @property
    def surface(self) -> Any:
        return self.surfaces[self.settings["surface"]]

    def arguments(self) -> dict:
        return {"height": self.surface.height, "start": self.start, **self.settings}

    def set(self, name: str, value: object) -> None:
        """As in every widget; "start" is one too, (x, y). A surface brings its own start."""
        before = self.start
        if name == "start":
            start = np.asarray(value, np.float64)
            if start.shape != (2,) or not np.isfinite(start).all():
                raise ValueError(f"a start is two numbers, x and y, not {value!r}")
            self.start = tuple(start.tolist())
        elif name == "surface":
            self.start = self.surfaces[value].start
        try:
            self.update() if name == "start" else super().set(name, value)
        except Exception:
            self.start = before
            raise

    @np.errstate(over="ignore", invalid="ignore")  # diverged runs end in inf or nan
    def update(self) -> None:
        super().update()

    def read(self, result: dict) -> dict[str, dict[str, np.ndarray]]:
        """{optimizer: {"loss": (steps,), "position": (steps, 2), ...}}; nan: no state yet."""
        if not 0 < len(result) <= len(LOOKS):
            raise ValueError(f"the run returns a dict of one to {len(LOOKS)} optimizers")
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
        self.tables, self.map = ours, Map(self.surface, self.start)
        gaps = _gaps([table["loss"] for table in ours.values()], self.surface)
        paths = [self.map.path(table["position"]) for table in ours.values()]
        runners = [
            {
                "name": name,
                **look,
                "path": path,
                "label": label,
                "marks": self.map.marks(theirs[name]["position"]) if theirs else [],
                "loss": _sendable(table["loss"]),
                "rows": [[key, list(map(_sendable, table[key]))] for key in table if key != "loss"],
                "gap": gap,
            }
            for (name, table), look, gap, path, label in zip(
                ours.items(), LOOKS, gaps, paths, labels([*ours], paths)
            )
        ]
        last = len(gaps[0]) - 1
        return {
            "svg": self.map.scene(runners, repr(self), live=True, at=last),
            "steps": last,
            "at": last if self.step is None else min(self.step, last),
            "note": self.surface.formula,
            "start": self.start,
            "view": self.map.view,
            "runners": runners,
        }

    def still(self) -> str:
        return self.map.scene(self.drawn["runners"], repr(self), live=False, at=self.drawn["at"])

    def __repr__(self) -> str:
        last = {name: number(table["loss"][-1]) for name, table in self.tables.items()}
        ends = "; ".join(f"{name} ends at {loss}" for name, loss in last.items())
        return f"{self.title} on {self.settings['surface']}: the loss of {ends}"


race = Race


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


def _gaps(losses: list[np.ndarray], surface: object) -> list[list]:
    """How far each loss is above the lowest, on a log scale: 0 at a millionth, 1 at the start."""
    lowest = min(surface.height(*place) for place in surface.minima)
    floor, most = 1e-6, max(2e-6, *(losses[0][:1] - lowest))
    above = np.clip(np.stack(losses) - lowest, floor, 10 * most)
    share = np.log(above / floor) / np.log(most / floor)
    return [[None if np.isnan(x) else round(float(x), 3) for x in row] for row in share]


def _sendable(numbers: np.ndarray) -> list:
    return [float(f"{x:.{DIGITS}g}") if np.isfinite(x) else str(x) for x in numbers.tolist()]

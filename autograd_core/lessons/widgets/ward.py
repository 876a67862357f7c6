"""A ward of failing training loops: click the line with the bug, edit the loop, and compare its
`History`."""

import contextlib
import functools
import io
import re
import zlib

import traitlets

from ...parity.agreement_report import first_line
from ...trace import History
from ...widgets.graph.heat import SHOWN, HeatMap, above_each_other, grid_apart, grid_of
from ...widgets.kit.agreement import Agreement, compare
from ...widgets.kit.chart import Chart, Panel
from ...widgets.kit.live import Live
from ...widgets.kit.sheet import Sheet
from ..patients import HEALTHY, Parting, Patient, objection, parting

WIDTH, LOOP = 290, 460  # pixels: an instrument, and the loop next to the instruments in a still
NAMED = 100  # left of a map, with the names of parameters
APART = "apart, as a share of the larger"
KINDS = {"gradient": "gradient", "share": "update"}  # the numbers of a history that a map shows
ROUNDING = 1e-13  # relative to the largest gradient
FINGERS = 2  # the answer is shown after this many clicks
FIRST_SIGHT: dict[str, bool] = {}
"""For each failing loop of this kernel: whether the first click was right."""


class ward(Live):
    """The `patients` whose names are in `only`. A click on a line calls `point`, and the button calls
    `treat`.

    run    takes the source of a loop and a goal, which is an expression. It runs the loop and returns
           (its `History`, whether the goal is reached).
    other  the same function on the other engine. All numbers of both histories are compared.

    If a loop raises an error, the widget shows the error next to the pictures.
    """

    view = traitlets.Unicode("ward").tag(sync=True)
    called = "Ward"
    found = traitlets.Dict().tag(sync=True)  # the state of the clicks and of the edits

    def __init__(self, run, other, patients: dict[str, Patient], *, only=None, **options):
        self.patients = {name: patients[name] for name in only or patients}
        self.pointed: dict[str, list[int]] = {name: [] for name in self.patients}
        self.edited: dict[str, str] = {}
        # the history of each loop, which runs once
        self._history = functools.cache(lambda source: run(source, "True")[0])
        for name in self.patients:
            FIRST_SIGHT.pop(name, None)
        if len(self.patients) > 1:
            options["patient"] = list(self.patients)
        super().__init__(run, other, **options)

    @property
    def name(self) -> str:
        return self.settings.get("patient") or next(iter(self.patients))

    @property
    def patient(self) -> Patient:
        return self.patients[self.name]

    def point(self, line: int) -> str:
        """Record a click on `line`, counted from 0. Returns "right" or "other"."""
        right = line in self.patient.guilty
        if not self._known() and line not in self.pointed[self.name]:
            self.pointed[self.name].append(line)
            FIRST_SIGHT.setdefault(self.name, right)
        self._tell()
        return "right" if right else "other"

    def treat(self, source: str) -> bool:
        """Run `source` on both engines, draw its history, and check whether the loop is fixed."""
        self.edited[self.name] = source
        self.update()
        return self.cured

    def changed(self, content: dict) -> None:
        act = {"finger": self.point, "loop": self.treat}.get(content["name"])
        act(content["value"]) if act else super().changed(content)

    def arguments(self) -> dict:
        source = self.edited.get(self.name, self.patient.source)
        return {"source": source, "goal": self.patient.goal}

    def update(self) -> None:
        self.cure, self.cured, self.verdict, self.histories = "", False, {}, {}
        self.subtracted = None  # the first difference between the failing and the fixed loop
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                super().update()
        except KeyboardInterrupt:
            self.cure = "The loop was interrupted before it ended."
        except (Exception, SystemExit) as error:
            self.cure = f"The loop raises {first_line(error)}"
        if not self.histories:
            self.drawn = self._picture()
        self._tell()

    def judge(self, ours: tuple, theirs: tuple) -> Agreement:
        return compare(_sound(ours[0].data()), _sound(theirs[0].data()))

    def draw(self, ours: tuple, theirs: tuple | None) -> dict:
        history, reached = ours[0], ours[1] and (theirs is None or theirs[1])
        self.histories = {"healthy": self._history(HEALTHY), "patient": history}
        if self.name in self.edited:
            self._examine(history, reached)
        return self._picture()

    def _examine(self, history: History, reached: bool) -> None:
        """Set whether the loop with this history is fixed, and the text. For a fixed loop, the text
        names the first difference from the failing loop."""
        cures = (self._history(cure).data() for cure in self.patient.cures)
        told = objection(history.data(), cures) if reached else ""
        self.cured = reached and not told
        if self.cured:
            self.histories = {"cure": history, "patient": self._history(self.patient.source)}
            first = self._parting(history)
            self.subtracted = None if first.what in ("names", "steps") else first
            told = f"The first difference from the failing loop: {first.text}"
        said = "✓ Fixed:" if self.cured else "Not fixed, although" if reached else "Not fixed yet:"
        self.cure = f"{said} {self.patient.goal} is {reached}. {told}".strip()

    def _parting(self, mended: History) -> Parting:
        return parting(self._history(self.patient.source).data(), mended.data())

    def _known(self) -> bool:
        """Whether the learner has clicked the line with the bug, or as often as allowed."""
        fingers = self.pointed[self.name]
        return len(fingers) >= FINGERS or not self.patient.guilty.isdisjoint(fingers)

    def _tell(self) -> None:
        """Show the result of the last click, and the loop: first for clicks, then for edits."""
        fingers, known = self.pointed[self.name], self._known()
        text = "Read the instruments, then click the line with the bug. Your first click counts."
        if known:
            yes = "✓ Yes" if fingers[-1] in self.patient.guilty else "Not there"
            count = f"{sum(FIRST_SIGHT.values())} of {len(FIRST_SIGHT)} bugs"
            score = f"You found {count} with the first click, in all wards."
            text = f"{yes}: {self.patient.because}. Now fix the loop. {score}"
        elif fingers:
            first = self._parting(self._history(self.patient.cured))
            text = f"Not there. {first.text} Click once more."
        brought = self._history(self.patient.source)
        history = f"print(history) of the failing loop\n{brought!r}" if known else ""
        found = {"fingers": [*fingers], "known": known, "told": text, "history": history}
        self.found = {**found, "cure": self.cure}

    def _picture(self) -> dict:
        complaint, loop = f"Symptom: {self.patient.complaint}.", self.arguments()["source"]
        return {"complaint": complaint, "loop": loop, "instruments": self._instruments(live=True)}

    def _instruments(self, live: bool) -> list[str]:
        if not self.histories:
            return []
        drawn = [_curves(what, self.histories, live) for what in ("loss", "nodes")]
        drawn += [_maps(kind, self.histories, live, self.subtracted) for kind in KINDS.values()]
        # several widgets draw the same healthy loop, and ids of a hidden widget draw nothing
        mine = f"ac-{zlib.crc32(f'{self.title} {live}'.encode()):08x}-"
        return [re.sub(r"\bac-(?=[0-9a-f]{8}-)", mine, svg) for svg in drawn]

    def still(self) -> str:
        """The current complaint, loop and instruments."""
        sheet = Sheet(LOOP + 2 * WIDTH, 484)
        sheet.text(f"{self.title}, patient {self.name}: {self.patient.complaint}", 16, 26, "text")
        for row, line in enumerate(self.arguments()["source"].splitlines()):
            x = 16 + 7.2 * (len(line) - len(line.lstrip()))
            sheet.text(line.strip(), x, 64 + 20 * row, "text", font_family="monospace")
        for i, svg in enumerate(self._instruments(live=False)):
            place = f'x="{LOOP + i % 2 * WIDTH}" y="{40 + i // 2 * 184}"'
            sheet.parts.append(f"<svg {place}>{svg}</svg>")
        return sheet.svg(repr(self))

    def __repr__(self) -> str:
        complaints = [f"{name}, {each.complaint}" for name, each in self.patients.items()]
        return f"{self.title}: {'; '.join(complaints)}"


def _sound(data: dict) -> dict:
    """A history without the effects of a gradient that is only rounding error: its count of zeros,
    and the steps of an optimizer that divides by its size.
    """
    largest = {
        name: max((abs(norm) for norm in norms if norm is not None), default=0.0)
        for name, norms in data["gradient"].items()
    }
    least = ROUNDING * max(largest.values(), default=0.0)
    sound = [name for name, norm in largest.items() if not 0 < norm < least]
    return data | {kind: {name: data[kind][name] for name in sound} for kind in ("share", "zeros")}


def _curves(what: str, histories: dict[str, History], live: bool) -> str:
    panel = Panel(what, {name: history.data()[what] for name, history in histories.items()}, {})
    return Chart([panel], "step", WIDTH, live).svg(f"{what} of {' and '.join(histories)}")


def _maps(kind: str, histories: dict[str, History], live: bool, first: Parting | None) -> str:
    """The maps of the failing and the healthy loop, or one map of the difference to the fixed loop."""
    named = f"{SHOWN[kind]} of {' and '.join(reversed(histories))}"
    if first is None:
        grids = {name: grid_of(history, kind) for name, history in reversed(histories.items())}
        maps = {name: HeatMap(grid, WIDTH, live, NAMED) for name, grid in grids.items()}
        return above_each_other(maps, live).svg(named)
    difference = HeatMap(grid_apart(*histories.values(), kind), WIDTH, live, NAMED)
    frame = (first.step, first.name) if KINDS.get(first.what) == kind else None
    return above_each_other({APART: difference}, live, frame).svg(f"{named}, {APART}")

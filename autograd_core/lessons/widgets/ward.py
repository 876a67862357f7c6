"""The widgets of lesson 13: a training loop on the left, its instruments on the right."""

import contextlib
import inspect
import io
from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import Any

import numpy as np
import traitlets

from ...widgets.graph.instruments import NARROW, WIDE, InstrumentsSheet, described, readings_of
from ...widgets.kit.agreement import Agreement, compare
from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from ...widgets.kit.shade import LEVELS, shaded
from ...widgets.kit.sheet import Sheet
from ..engines import ENGINES
from ..failing_loops import LOOPS, WARDS
from ..fixes import Check, check_fix
from ..instruments import Record, measure, measure_own, points, slope

FOUND, EDITS, YOURS = "as found", ["edit A", "edit B"], "yours"
CODE = 580  # pixels of the loop in a still
ROUNDING = 1e-13  # relative to the largest gradient
FORMS = {"wide": WIDE, "narrow": NARROW}
NOTHING = {"goal": "", "because": "", "said": "", "faulty": [], "questions": [], "tests": []}


class Measured(Live):
    """A loop, with pictures of its record."""

    view = traitlets.Unicode("ward").tag(sync=True)

    def pictures(self, record: Record, before: list[float]) -> dict[str, Any]:
        """The instruments for the browser. `before` is the loss of the failing loop."""
        self.record = record
        sheets = {
            form: InstrumentsSheet(record, before, width, True) for form, width in FORMS.items()
        }
        return {
            **{form: sheet.svg(described(record)) for form, sheet in sheets.items()},
            "places": {form: sheet.places for form, sheet in sheets.items()},
            "readings": readings_of(record),
            "alarms": [f"step {step}: {text}" for step, text in sorted(record.alarms.values())],
            "error": f"line {record.line}: {record.error}" if record.error else "",
        }

    def still(self) -> str:
        lines = self.drawn["loop"].splitlines()
        picture = InstrumentsSheet(self.record, [], WIDE)
        height = max(picture.height, 24 * len(lines) + 20) + 60
        sheet = Sheet(CODE + WIDE + 16, height)
        sheet.text(self.title, 16, 26, "text", weight=700, size=16)
        for row, line in enumerate(lines):
            x = 16 + 7.2 * (len(line) - len(line.lstrip()))
            sheet.text(line.strip(), x, 64 + 22 * row, "text", font_family="monospace")
        sheet.insert(picture, CODE, 44, width=WIDE, height=picture.height)
        return sheet.svg(repr(self))

    def __repr__(self) -> str:
        return f"{self.title}: {described(self.record)}"


class ward(Measured):
    """The failing loops of the ward `name`, a key of `WARDS`. The browser handles the clicks on the
    lines. An edited loop runs on both engines, and a sentence says whether it is a fix."""

    def __init__(self, name: str):
        self.typed: dict[str, str] = {}  # the learner's edit of each loop
        self.found = {number: loop for number, loop in LOOPS.items() if loop.ward == name}
        options = {"loop": [*self.found], "edit": [FOUND, *EDITS]}
        if name == "I":
            options["rate"] = False
        runs = (partial(run, torch) for torch in ENGINES)
        title = WARDS[name] if name == "more" else f"Ward {name} · {WARDS[name]}"
        super().__init__(*runs, title=title, words={"rate": "learning rate ×1000"}, **options)

    @property
    def number(self) -> str:
        return str(self.settings["loop"])

    def set(self, name: str, value: object) -> None:
        if name == "loop":
            self._choose_edit(FOUND)
        elif name == "edit" and value != YOURS:
            self.typed.pop(self.number, None)
        super().set(name, value)

    def edit(self, source: str) -> None:
        """Run the learner's loop, and check it."""
        self.typed[self.number] = source
        with self.hold_sync():
            self._choose_edit(YOURS)
            self.update()

    def _choose_edit(self, value: str) -> None:
        choices = [FOUND, *EDITS] + [YOURS] * (value == YOURS)
        self.controls = [
            {**each, "value": value, "choices": choices} if each["name"] == "edit" else each
            for each in self.controls
        ]

    def changed(self, content: dict) -> None:
        if content["name"] == "source":
            self.edit(content["value"])
        else:
            super().changed(content)

    def arguments(self) -> dict:
        loop, edit = self.found[self.number], self.settings["edit"]
        sources = dict(zip((FOUND, *EDITS), (loop.source, *loop.edits)))
        source = sources.get(edit) or self.typed[self.number]
        if self.settings.get("rate") and edit == FOUND:
            source = source.replace("lr=0.05", "lr=50.0")
        return {"number": self.number, "source": source, "edited": edit != FOUND}

    def judge(self, ours: Check, theirs: Check) -> Agreement:
        return compare(_sound(ours.record), _sound(theirs.record))

    def draw(self, ours: Check, theirs: Check) -> dict:
        loop, is_found = self.found[self.number], self.settings["edit"] == FOUND
        tested = loop.ward == "III" and not ours.record.error
        source = self.arguments()["source"]
        return {
            **{"loop": source, "because": loop.because, "questions": loop.questions},
            "goal": f"Meant loss: {loop.goal}",
            "faulty": [line - 1 for line in loop.faulty] + [-1] * loop.missing,
            "loops": len(self.found),
            "said": "" if is_found else _said(ours),
            "tests": _tests(source) if tested else [],
            **self.pictures(ours.record, [] if is_found else measure(loop.source, ENGINES[0]).loss),
        }


class own(Measured):
    """Call the function `loop` once, and show what the instruments measure in it."""

    def __init__(self, loop: Callable[[], object]):
        if not isinstance(getattr(loop, "__code__", None), CodeType):
            raise TypeError("own takes a function, without calling it: own(my_loop)")
        self.loop = loop
        super().__init__(lambda: measure_own(loop), title="Your loop")

    def draw(self, ours: Record, theirs: None) -> dict:
        try:
            source = inspect.getsource(self.loop)
        except OSError:
            source = f"{self.loop.__name__}()"
        if not ours.gradient and not ours.error:
            ours.error = "no optimizer called step(), so nothing could be measured"
        return {**NOTHING, "loop": source, **self.pictures(ours, [])}


def run(torch: Any, number: str, source: str, edited: bool) -> Check:
    """Measure a loop on one engine, and check an edited one."""
    with contextlib.redirect_stdout(io.StringIO()):
        return check_fix(number, source, torch) if edited else Check(measure(source, torch), "")


def _said(check: Check) -> str:
    """The verdict on an edited loop."""
    if check.reason:
        return f"Not fixed: {check.reason}"
    times = f" Your gradients are {check.factor:.3g} times those of the meant loss, at every step."
    return "✓ Fixed." + times * (abs(check.factor - 1) > 1e-6)


def _tests(source: str) -> list[list[str]]:
    """The slope check and the points of a loop: (name, sentence, picture)."""
    measured, grad = slope(source, ENGINES[0])
    told = f"finite difference {number(measured)}, .grad {number(grad)}"
    if grad is not None:
        equal = abs(measured - grad) < 1e-5 * abs(measured)
        told += ": equal" if equal else f": a factor of {abs(grad / measured):.2g}"
    pulls = np.array(points(source, ENGINES[0]))
    some = pulls[pulls > 0]
    ends = f", from {number(some.min())} to {number(some.max())}" if some.size else ""
    text = f"{some.size} of {pulls.size} points have a gradient{ends}."
    told = f"Slope of the last bias [0]: {told}."
    return [["Slope check", told, ""], ["Points", text, _grid(pulls)]]


def _grid(pulls: np.ndarray) -> str:
    """A cell for each point, with a column for each class; the darkest has the largest gradient."""
    if pulls.size != 100:
        return ""
    sheet, place = Sheet(152, 136, True), {"x": 44, "y": 20, "width": 100, "height": 100}
    depths = np.rint(LEVELS * pulls.reshape(10, 10) / max(pulls.max(), 1e-300))
    sheet.parts.append(shaded(depths, "gradient-solid", **place, live=True))
    sheet.rect(**place, fill="none", stroke="border")
    sheet.text("class", 0, 14, "text2", size=11)
    for k in range(10):
        sheet.text(str(k), 49 + 10 * k, 14, "text2", anchor="middle", size=11)
    return sheet.svg("The norm of the gradient at each point")


def _sound(record: Record) -> dict:
    """The numbers of a record, without the updates of gradients that are only rounding error: Adam
    divides by their size."""
    norms = {name: [norm or 0.0 for norm in record.row(name)] for name in record.shapes}
    largest = max((max(row, default=0.0) for row in norms.values()), default=0.0)
    sound = [
        name for name, row in norms.items() if not 0 < max(row, default=0.0) < ROUNDING * largest
    ]
    moved = {name: [step.get(name, 0.0) for step in record.moved] for name in sound}
    return {"loss": record.loss, "gradient": norms, "moved": moved}

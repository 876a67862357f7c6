"""A ward of broken training loops: point at the guilty line, edit the loop, and its `History` is
drawn beside `healthy`.

    ward(run, on_torch.run, PATIENTS, only=["1", "2", "3"], title="Ward I")

Standard widgets of ipywidgets: what a learner sees here, they can build too.
"""

import contextlib
import html
import io
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace

import ipywidgets

from ...parity.report import first_line
from ...trace import History
from ...widgets.graph.heat import HeatMap, grid_of
from ...widgets.kit.agreement import compare
from ..patients import HEALTHY, Patient, objection, parting
from .chart import LEFT, Chart, Line, Panel

WIDTH = 330
"""Of the pictures of one loop, in pixels."""
FINGERS = 2
"""So often a learner points before what is wrong is told."""
FIRST_SIGHT: dict[str, bool] = {}
"""Of all wards of this kernel: whether the first finger on a patient was right."""


class Ward(ipywidgets.VBox):
    """See `ward`. `point` and `treat` are what the two buttons do."""

    def __init__(
        self, run: Callable, other: Callable | None, patients: Mapping[str, Patient], title: str
    ):
        self.run, self.other, self.patients, self.title = run, other, patients, title
        self.pointed: dict[str, list[int]] = {}
        self._cures: dict[str, dict] = {}
        self.edited: dict[str, str] = {}
        self.healed: set[str] = set()
        self.said: dict[str, str] = {}
        self.choice = ipywidgets.ToggleButtons(options=list(patients), description="patient")
        self.complaint = ipywidgets.HTML()
        self.lines = ipywidgets.Select(layout={"width": "98%"})
        self.pointing = ipywidgets.Button(description="It is this line", button_style="")
        self.told = ipywidgets.HTML()
        self.editor = ipywidgets.Textarea(layout={"width": "98%"}, continuous_update=False)
        self.running = ipywidgets.Button(description="Run it")
        self.pictures = ipywidgets.HTML(), ipywidgets.HTML()
        self.verdict = ipywidgets.HTML()
        loop = ipywidgets.VBox(
            [self.lines, self.pointing, self.told, self.editor, self.running, self.verdict],
            layout={"flex": "1 1 400px"},
        )
        beside = ipywidgets.HBox([loop, *self.pictures], layout={"flex_flow": "row wrap"})
        super().__init__([self.choice, self.complaint, beside])
        self.add_class("ac-ward")
        for name in patients:
            FIRST_SIGHT.pop(name, None)
        self.healthy = self._examined(HEALTHY, "True")
        self.pictures[1].value = self._drawn(self.healthy, "healthy")
        self.choice.observe(lambda _: self._admit(), "value")
        self.pointing.on_click(lambda _: self.point(self.lines.index))
        self.running.on_click(lambda _: self.treat(self.editor.value))
        self._admit()

    @property
    def patient(self) -> Patient:
        return self.patients[self.choice.value]

    def point(self, line: int) -> str:
        """The learner's finger is on `line`, counted from 0. What it is, "right" or "other", is
        returned.
        """
        name = self.choice.value
        fingers, right = self.pointed.setdefault(name, []), line in self.patient.guilty
        if not self._known(name):
            fingers.append(line)
            FIRST_SIGHT.setdefault(name, right)
        self._tell()
        self._unlock(name)
        return "right" if right else "other"

    def treat(self, source: str) -> bool:
        """Run `source` on both engines, draw its history beside the healthy one, and tell whether
        it is cured.
        """
        self.edited[self.choice.value] = source
        examined = self._examined(source, self.patient.goal)
        if isinstance(examined, str):
            self.verdict.value = _say(examined)
            return False
        history, reached, agreement = examined
        self.pictures[0].value = self._drawn(examined, f"patient {self.choice.value}")
        wrong = objection(history.data(), map(self._data, self.patient.cures)) if reached else ""
        cured = reached and not wrong
        if cured:
            self.healed.add(self.choice.value)
            before = self._parting()
            wrong = before and f"Before the cure: {before}"
        said = "✓ Cured" if cured else "Not cured, and yet" if reached else "Not cured yet"
        self.verdict.value = _say(f"{said}: {self.patient.goal} is {reached}. {wrong} {agreement}")
        return cured

    def _parting(self) -> str:
        """Where the patient, as it was brought in, parts from the mended loop."""
        return parting(self._data(self.patient.source), self._data(self.patient.cured))

    def _data(self, source: str) -> dict:
        """The numbers of a loop, which is run once."""
        if source not in self._cures:
            self._cures[source] = self.run(source, "True")[0].data()
        return self._cures[source]

    def _known(self, name: str) -> bool:
        """Whether the learner has pointed often enough, or at the right line."""
        fingers = self.pointed.get(name, [])
        return len(fingers) >= FINGERS or any(
            line in self.patients[name].guilty for line in fingers
        )

    def _admit(self) -> None:
        """Show the patient that was chosen."""
        name = self.choice.value
        self.complaint.value = _say(f"The complaint: {self.patient.complaint}.")
        numbered = self.patient.source.splitlines()
        self.lines.options, self.lines.rows = (
            [
                # spaces as wide as digits
                f"{i + 1:\u2007>2}  {line}"
                for i, line in enumerate(numbered)
            ],
            len(numbered),
        )
        self.editor.rows = len(numbered) + 1
        self.editor.value = self.edited.get(name, self.patient.source)
        examined = self._examined(self.editor.value, "True")
        if name not in self.said and not isinstance(examined, str):
            self.said[name] = (
                "<pre style='word-break:"
                f" normal'>print(history)\n{html.escape(repr(examined[0]))}</pre>"
            )
        self._tell()
        self._unlock(name)
        self.verdict.value = ""
        self.pictures[0].value = self._drawn(examined, f"patient {name}")

    def _unlock(self, name: str) -> None:
        known = self._known(name)
        for widgets, shown in (
            ((self.lines, self.pointing), not known),
            ((self.editor, self.running), known),
        ):
            # one loop at a time: to point at, then to edit
            for widget in widgets:
                widget.disabled, widget.layout.display = not shown, None if shown else "none"

    def _tell(self) -> None:
        name = self.choice.value
        if name not in self.pointed:
            self.told.value = _say("Read the instruments, then point. Your first answer counts.")
            return
        if not self._known(name):
            where = (
                self._parting() or "All its steps are those of the mended loop. Look beyond them."
            )
            self.told.value = _say(f"Not there. {where} Point once more.")
            return
        right = self.pointed[name][-1] in self.patient.guilty
        self.told.value = _say(
            f"{'✓ Yes' if right else 'Not there'}: {self.patient.because}. Now mend it."
            f" ({sum(FIRST_SIGHT.values())} of {len(FIRST_SIGHT)} found at first sight, in all"
            " wards)"
        ) + self.said.get(name, "")

    def _examined(self, source: str, goal: str) -> tuple | str:
        """(the history, whether the goal is reached, how both engines agree); or a sentence on what
        went wrong.
        """
        results = []
        for engine in filter(None, (self.run, self.other)):
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    results.append(engine(source, goal))
            except KeyboardInterrupt:
                return "The loop was interrupted before it ended."
            except (Exception, SystemExit) as error:
                return f"The loop raises {first_line(error)}"
        numbers = [history.data() for history, _ in results]
        agreement = compare(*numbers).verdict if self.other else ""
        return results[0][0], all(reached for _, reached in results), agreement

    def _drawn(self, examined: tuple | str, name: str) -> str:
        if isinstance(examined, str):
            return _say(examined)
        # wards draw the same healthy loop: where one
        mine = f"ac-{zlib.crc32(f'{self.title} {name}'.encode()):08x}-"
        # is hidden, its ids draw nothing
        drawn = re.sub(r"\bac-(?=[0-9a-f]{8}-)", mine, pictures(examined[0], name))
        return f"<b>{html.escape(name)}</b>{drawn}"

    def __repr__(self) -> str:
        return f"{self.title}: " + "; ".join(
            f"{name}, {patient.complaint}" for name, patient in self.patients.items()
        )

    def _repr_mimebundle_(self, **options) -> dict:
        """The live widgets; and for a preview without a kernel, each loop and its complaint."""
        data = super()._repr_mimebundle_(**options)
        data["text/plain"] = repr(self)
        data["text/html"] = "".join(
            f"<p><b>{name}</b> {html.escape(patient.complaint)}</p>"
            f"<pre>{html.escape(patient.source)}</pre>"
            for name, patient in self.patients.items()
        )
        return data


def ward(
    run: Callable,
    other: Callable | None = None,
    patients: Mapping[str, Patient] | None = None,
    *,
    only: list[str] | None = None,
    title: str = "Ward",
) -> Ward:
    """A ward of `patients`, of those in `only`.

    run    takes the text of a loop and a goal, an expression; runs the loop and returns (its
           `History`, whether the goal is reached).
    other  the same function on the other engine; all numbers of both histories are compared.

    Nothing is raised for what goes wrong in a loop: it is told beside the pictures.
    """
    patients = dict(patients or {})
    return Ward(run, other, {name: patients[name] for name in only or patients}, title)


def pictures(history: History, name: str) -> str:
    """Loss and nodes as curves, gradients and updates as heat maps. What is surprising is left for
    the learner to see.
    """
    logged = history.data()
    curves = Chart(
        [Panel(title, [Line(title, logged[title])]) for title in ("loss", "nodes")], "step", WIDTH
    )
    maps = [
        HeatMap(replace(grid_of(history, shown), surprises=()), WIDTH, left=LEFT)
        for shown in ("gradient", "update")
    ]
    return "".join(
        f"<br>{picture.svg(f'{what} of {name}')}"
        for what, picture in zip(("loss and nodes", "gradients", "updates"), (curves, *maps))
    )


def _say(text: str) -> str:
    return f"<div style='line-height: 1.4'>{html.escape(text)}</div>"

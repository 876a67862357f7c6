"""A ward of broken training loops: point at the guilty line, edit the loop, compare its `History`.

    ward(run, on_torch.run, PATIENTS, only=["1", "2", "3"], title="Ward I")

Standard widgets of ipywidgets: what a learner sees here, they can build too."""

import contextlib
import functools
import html
import io
import re
import zlib
from dataclasses import replace

import ipywidgets

from ...parity.report import first_line
from ...trace import History
from ...widgets.graph.heat import HeatMap, grid_of
from ...widgets.kit.agreement import compare
from ..patients import HEALTHY, Patient, objection, parting
from .chart import LEFT, Chart, Panel

WIDTH = 330  # of the pictures of one loop, in pixels
FINGERS = 2  # so often a learner points before what is wrong is told
FIRST_SIGHT: dict[str, bool] = {}
"""Of all wards of this kernel: whether the first finger on a patient was right."""


class Ward(ipywidgets.VBox):
    """A ward of `patients`, of those in `only`. `point` and `treat` are what the two buttons do.

    run    takes the text of a loop and a goal, an expression; runs the loop and returns (its
           `History`, whether the goal is reached).
    other  the same function on the other engine; all numbers of both histories are compared.

    Nothing is raised for what goes wrong in a loop: it is told beside the pictures.
    """

    def __init__(self, run, other, patients: dict[str, Patient], *, only=None, title="Ward"):
        self.run, self.other, self.title = run, other, title
        self.patients = {name: patients[name] for name in only or patients}
        self.pointed: dict[str, list[int]] = {}
        # the numbers of a loop, which is run once
        self._data = functools.cache(lambda source: run(source, "True")[0].data())
        self.edited: dict[str, str] = {}
        self.said: dict[str, str] = {}
        self.choice = ipywidgets.ToggleButtons(options=list(self.patients), description="patient")
        self.lines = ipywidgets.Select(layout={"width": "98%"})
        self.pointing = ipywidgets.Button(description="It is this line")
        self.editor = ipywidgets.Textarea(layout={"width": "98%"}, continuous_update=False)
        self.running = ipywidgets.Button(description="Run it")
        self.complaint, self.told, self.verdict, *self.pictures = (
            ipywidgets.HTML() for _ in range(5)
        )
        parts = self.lines, self.pointing, self.told, self.editor, self.running, self.verdict
        loop = ipywidgets.VBox(parts, layout={"flex": "1 1 400px"})
        beside = ipywidgets.HBox([loop, *self.pictures], layout={"flex_flow": "row wrap"})
        super().__init__([self.choice, self.complaint, beside])
        self.add_class("ac-ward")
        for name in self.patients:
            FIRST_SIGHT.pop(name, None)
        self.pictures[1].value = self._drawn(self._examined(HEALTHY, "True"), "healthy")
        self.choice.observe(lambda _: self._admit(), "value")
        self.pointing.on_click(lambda _: self.point(self.lines.index))
        self.running.on_click(lambda _: self.treat(self.editor.value))
        self._admit()

    @property
    def patient(self) -> Patient:
        return self.patients[self.choice.value]

    def point(self, line: int) -> str:
        """The learner's finger is on `line`, counted from 0: "right" or "other"."""
        name = self.choice.value
        fingers, right = self.pointed.setdefault(name, []), line in self.patient.guilty
        if not self._known():
            fingers.append(line)
            FIRST_SIGHT.setdefault(name, right)
        self._tell()
        return "right" if right else "other"

    def treat(self, source: str) -> bool:
        """Run `source` on both engines, draw its history, and tell whether it is cured."""
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
            before = self._parting()
            wrong = before and f"Before the cure: {before}"
        said = "✓ Cured" if cured else "Not cured, and yet" if reached else "Not cured yet"
        self.verdict.value = _say(f"{said}: {self.patient.goal} is {reached}. {wrong} {agreement}")
        return cured

    def _parting(self) -> str:
        """Where the patient, as it was brought in, parts from the mended loop."""
        return parting(self._data(self.patient.source), self._data(self.patient.cured))

    def _known(self) -> bool:
        """Whether the learner has pointed often enough, or at the right line."""
        fingers = self.pointed.get(self.choice.value, [])
        return len(fingers) >= FINGERS or not self.patient.guilty.isdisjoint(fingers)

    def _admit(self) -> None:
        """Show the patient that was chosen."""
        name = self.choice.value
        self.complaint.value = _say(f"The complaint: {self.patient.complaint}.")
        lines = self.patient.source.splitlines()
        # spaces as wide as digits
        self.lines.options = [f"{i:\u2007>2}  {line}" for i, line in enumerate(lines, 1)]
        self.lines.rows, self.editor.rows = len(lines), len(lines) + 1
        self.editor.value = self.edited.get(name, self.patient.source)
        examined = self._examined(self.editor.value, "True")
        if name not in self.said and not isinstance(examined, str):
            printed = f"print(history)\n{html.escape(repr(examined[0]))}"
            self.said[name] = f"<pre style='word-break: normal'>{printed}</pre>"
        self._tell()
        self.verdict.value = ""
        self.pictures[0].value = self._drawn(examined, f"patient {name}")

    def _tell(self) -> None:
        """Say how the pointing stands; show the loop to point at, and then to edit."""
        name, known = self.choice.value, self._known()
        for widget in (self.lines, self.pointing):
            widget.disabled, widget.layout.display = known, "none" if known else None
        for widget in (self.editor, self.running):
            widget.disabled, widget.layout.display = not known, None if known else "none"
        if known:
            right = self.pointed[name][-1] in self.patient.guilty
            count = f"{sum(FIRST_SIGHT.values())} of {len(FIRST_SIGHT)} found at first sight"
            text = f"{self.patient.because}. Now mend it. ({count}, in all wards)"
            found = _say(f"{'✓ Yes' if right else 'Not there'}: {text}")
            self.told.value = found + self.said.get(name, "")
        elif name in self.pointed:
            alike = "All its steps are those of the mended loop. Look beyond them."
            self.told.value = _say(f"Not there. {self._parting() or alike} Point once more.")
        else:
            text = "Read the instruments, then point. Your first answer counts."
            self.told.value = _say(text)

    def _examined(self, source: str, goal: str) -> tuple | str:
        """(history, whether the goal is reached, how both engines agree), or what went wrong."""
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
        # wards draw the same healthy loop: where one is hidden, its ids draw nothing
        mine = f"ac-{zlib.crc32(f'{self.title} {name}'.encode()):08x}-"
        drawn = re.sub(r"\bac-(?=[0-9a-f]{8}-)", mine, pictures(examined[0], name))
        return f"<b>{html.escape(name)}</b>{drawn}"

    def __repr__(self) -> str:
        complaints = [f"{name}, {each.complaint}" for name, each in self.patients.items()]
        return f"{self.title}: {'; '.join(complaints)}"

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


ward = Ward


def pictures(history: History, name: str) -> str:
    """Loss and nodes as curves, gradients and updates as heat maps, with no surprise pointed out."""
    logged = history.data()
    panels = [Panel(title, {title: logged[title]}, {}) for title in ("loss", "nodes")]
    shown = {"loss and nodes": Chart(panels, "step", WIDTH)}
    for what, kind in (("gradients", "gradient"), ("updates", "update")):
        grid = replace(grid_of(history, kind), surprises=())
        shown[what] = HeatMap(grid, WIDTH, left=LEFT)
    return "".join(f"<br>{each.svg(f'{what} of {name}')}" for what, each in shown.items())


def _say(text: str) -> str:
    return f"<div style='line-height: 1.4'>{html.escape(text)}</div>"

"""A ward of broken training loops: point at the guilty line, edit the loop, and its `History` is drawn beside `healthy`.

    ward(run, on_torch.run, PATIENTS, only=["1", "2", "3"], title="Ward I")

Standard widgets of ipywidgets: what a learner sees here, they can build too.
"""

import contextlib
import html
import io
from collections.abc import Callable, Mapping
from dataclasses import replace

import ipywidgets

from ...parity.report import first_line
from ...trace import History
from ...widgets.graph.heat import HeatMap, grid_of
from ...widgets.kit.agreement import compare
from ..patients import HEALTHY, Patient
from .chart import LEFT, Chart, Line, Panel

WIDTH = 440
"""Of the pictures of one loop, in pixels."""


class Ward(ipywidgets.VBox):
    """See `ward`. `point` and `treat` are what the two buttons do."""

    def __init__(self, run: Callable, other: Callable | None, patients: Mapping[str, Patient], title: str):
        self.run, self.other, self.patients, self.title = run, other, patients, title
        self.pointed: dict[str, int] = {}
        self.edited: dict[str, str] = {}
        self.healed: set[str] = set()
        self.said: dict[str, str] = {}
        self.choice = ipywidgets.ToggleButtons(options=list(patients), description="patient")
        self.complaint = ipywidgets.HTML()
        self.lines = ipywidgets.Select(description="guilty line", layout={"width": "98%"})
        self.pointing = ipywidgets.Button(description="It is this line", button_style="")
        self.told = ipywidgets.HTML()
        self.editor = ipywidgets.Textarea(description="the loop", layout={"width": "98%"}, continuous_update=False)
        self.running = ipywidgets.Button(description="Run it")
        self.pictures = ipywidgets.HTML(), ipywidgets.HTML()
        self.verdict = ipywidgets.HTML()
        super().__init__([self.choice, self.complaint, self.lines, self.pointing, self.told, self.editor, self.running,
                          self.verdict, ipywidgets.HBox(self.pictures, layout={"flex_flow": "row wrap"})])
        self.add_class("ac-ward")
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
        """The learner's finger is on `line`, counted from 0. The first answer counts; what is told is returned."""
        name = self.choice.value
        first = self.pointed.setdefault(name, line)
        self._tell()
        self._unlock(name)
        return "right" if first in self.patient.guilty else "other"

    def treat(self, source: str) -> bool:
        """Run `source` on both engines, draw its history beside the healthy one, and tell whether it is cured."""
        self.edited[self.choice.value] = source
        examined = self._examined(source, self.patient.goal)
        if isinstance(examined, str):
            self.verdict.value = _say(examined)
            return False
        _, reached, agreement = examined
        self.pictures[0].value = self._drawn(examined, f"patient {self.choice.value}")
        if reached:
            self.healed.add(self.choice.value)
        self.verdict.value = _say(f"{'✓ Cured' if reached else 'Not cured yet'}: {self.patient.goal} is {reached}. "
                                  f"{agreement}")
        return reached

    def _admit(self) -> None:
        """Show the patient that was chosen."""
        name = self.choice.value
        self.complaint.value = _say(f"The complaint: {self.patient.complaint}.")
        numbered = self.patient.source.splitlines()
        self.lines.options, self.lines.rows = [
            f"{i + 1:\u2007>2}  {line}" for i, line in enumerate(numbered)], len(numbered)        # spaces as wide as digits
        self.editor.rows = len(numbered) + 1
        self.editor.value = self.edited.get(name, self.patient.source)
        examined = self._examined(self.editor.value, "True")
        if name not in self.said and not isinstance(examined, str):
            self.said[name] = f"<pre>print(history)\n{html.escape(repr(examined[0]))}</pre>"
        self._tell()
        self._unlock(name)
        self.verdict.value = ""
        self.pictures[0].value = self._drawn(examined, f"patient {name}")

    def _unlock(self, name: str) -> None:
        pointed = name in self.pointed
        self.lines.disabled = self.pointing.disabled = pointed
        self.editor.disabled = self.running.disabled = not pointed

    def _tell(self) -> None:
        name = self.choice.value
        if name not in self.pointed:
            self.told.value = _say("Read the instruments, then point. Your first answer counts.")
            return
        right = self.pointed[name] in self.patient.guilty
        count = sum(line in self.patients[known].guilty for known, line in self.pointed.items())
        self.told.value = _say(f"{'✓ Yes' if right else 'Not there'}: {self.patient.because}. Now mend it. "
                               f"({count} of {len(self.pointed)} found at first sight)") + self.said.get(name, "")

    def _examined(self, source: str, goal: str) -> tuple | str:
        """(the history, whether the goal is reached, how both engines agree); or a sentence on what went wrong."""
        results = []
        for engine in filter(None, (self.run, self.other)):
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    results.append(engine(source, goal))
            except KeyboardInterrupt:
                return "The loop was interrupted before it ended."
            except (Exception, SystemExit) as error:
                return f"The loop raises {first_line(error)}"
        histories, agreement = [history for history, _ in results], ""
        if self.other:
            found = compare(*(history.data() for history in histories))
            agreement = f"{'The engines differ' if found.differs else '✓ both engines agree'}: {found.text}"
        return histories[0], all(reached for _, reached in results), agreement

    def _drawn(self, examined: tuple | str, name: str) -> str:
        if isinstance(examined, str):
            return _say(examined)
        return f"<b>{html.escape(name)}</b>{pictures(examined[0], name)}"

    def __repr__(self) -> str:
        return f"{self.title}: " + "; ".join(f"{name}, {patient.complaint}" for name, patient in self.patients.items())

    def _repr_mimebundle_(self, **options) -> dict:
        """The live widgets; and for a preview without a kernel, each loop and its complaint."""
        data = super()._repr_mimebundle_(**options)
        data["text/plain"] = repr(self)
        data["text/html"] = "".join(f"<p><b>{name}</b> {html.escape(patient.complaint)}</p>"
                                    f"<pre>{html.escape(patient.source)}</pre>" for name, patient in self.patients.items())
        return data


def ward(run: Callable, other: Callable | None = None, patients: Mapping[str, Patient] | None = None, *,
         only: list[str] | None = None, title: str = "Ward") -> Ward:
    """A ward of `patients`, of those in `only`.

    run    takes the text of a loop and a goal, an expression; runs the loop and returns (its `History`, whether the goal
           is reached).
    other  the same function on the other engine; all numbers of both histories are compared.

    Nothing is raised for what goes wrong in a loop: it is told beside the pictures.
    """
    patients = dict(patients or {})
    return Ward(run, other, {name: patients[name] for name in only or patients}, title)


def pictures(history: History, name: str) -> str:
    """Loss and nodes as curves, gradients and updates as heat maps. What is surprising is left for the learner to see."""
    logged = history.data()
    curves = Chart([Panel(title, [Line(title, logged[title])]) for title in ("loss", "nodes")], "step", WIDTH)
    maps = [HeatMap(replace(grid_of(history, shown), surprises=()), WIDTH, left=LEFT) for shown in ("gradient", "update")]
    return "".join(f"<br>{picture.svg(f'{what} of {name}')}" for what, picture in zip(
        ("loss and nodes", "gradients", "updates"), (curves, *maps)))


def _say(text: str) -> str:
    return f"<div>{html.escape(text)}</div>"

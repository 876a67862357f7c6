"""What the lessons' own widgets have in common: settings above, a picture that follows them, the verdict below.

A function of the learner's is run on both engines at every change, and the results are compared before they are drawn.
"""

from collections.abc import Callable
from typing import Any

import traitlets

from .agreement import Agreement, compare
from .bundle import BundledWidget
from .format import shorten
from .settings import Control

Run = Callable[..., Any]
"""A function of the learner's: what it returns is compared with what the other engine's returns, and drawn."""


class Live(BundledWidget):
    """A widget around `run(**settings)`. A subclass says in `draw` what the browser gets of the result.

    run, other  the same function on autograd_core and on the other engine; `other` may be None.
    title, note the heading, and a few words beside it.
    settings    the controls, from `settings_of`.
    measured    keys of the result that hold measurements, times for example: not compared.

    What `run` raises at first is raised; later it is shown in the widget, which goes on.
    """

    controls = traitlets.List(traitlets.Dict()).tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    note = traitlets.Unicode().tag(sync=True)
    verdict = traitlets.Dict().tag(sync=True)               # {"text": ..., "differs": ...}
    drawn = traitlets.Dict().tag(sync=True)

    def __init__(self, run: Run, other: Run | None = None, *, title: str, note: str = "",
                 settings: list[Control] | None = None, measured: tuple[str, ...] = (), **traits: object):
        self.run, self.other, self.measured = run, other, measured
        super().__init__(title=title, note=note, controls=settings or [], **traits)
        self.update()
        self.on_msg(self._received)

    @property
    def settings(self) -> dict[str, Any]:
        """What is set now, by name."""
        return {control["name"]: control["value"] for control in self.controls}

    def set(self, name: str, value: object) -> None:
        """Change a setting, as the reader does, and run again. Raises what `run` raises; the setting stays."""
        if name not in self.settings:
            raise ValueError(f"there is no setting {name!r}; there are {', '.join(self.settings)}")
        with self.hold_sync():
            self.controls = [{**each, "value": value} if each["name"] == name else each for each in self.controls]
            self.update()

    def update(self) -> None:
        """Run on both engines, compare, draw. Raises what `run` raises; the other is asked then too."""
        try:
            ours = self.run(**self.arguments())
        except Exception as error:
            self.verdict = self._verdict_on(error)
            raise
        theirs = None if self.other is None else self.other(**self.arguments())
        self.agreement = None if theirs is None else compare(*map(self.compared, (ours, theirs)))
        self.verdict = _verdict(self.agreement)
        self.drawn = self.draw(ours, theirs)

    def arguments(self) -> dict[str, Any]:
        """What `run` is called with."""
        return self.settings

    def draw(self, ours: Any, theirs: Any) -> dict[str, Any]:
        """The picture of a result, as data for the browser."""
        raise NotImplementedError

    def compared(self, result: Any) -> Any:
        """What of a result must be the same on both engines: all but the measurements."""
        return {key: value for key, value in result.items() if key not in self.measured} if self.measured else result

    def changed(self, content: dict[str, Any]) -> None:
        """A message of kind "change": the reader moved a control. A subclass may know more of them."""
        self.set(content["name"], content["value"])

    def _verdict_on(self, error: Exception) -> dict[str, Any]:
        """The verdict on a run that raised: the other engine must raise the same kind of error."""
        if self.other is None:
            return {}
        ours, theirs = type(error).__name__, "nothing"
        try:
            self.other(**self.arguments())
        except Exception as other:
            theirs = type(other).__name__
        if ours == theirs:
            return {"text": f"✓ both engines raise {ours}", "differs": False}
        return {"text": f"The engines differ: {ours} is raised here, {theirs} in PyTorch", "differs": True}

    def _received(self, _widget: object, content: dict[str, Any], _buffers: list[bytes]) -> None:
        """A message from the browser. Whatever fails is shown in the widget: nobody looks at a kernel's log."""
        if content.get("kind") != "change":
            return
        error = ""
        try:
            self.changed(content)
        except (Exception, KeyboardInterrupt) as problem:       # who interrupts wants an answer too
            error = shorten(f"{type(problem).__name__}: {problem}", 300)
        self.send({"kind": "answer", "error": error})


def _verdict(agreement: Agreement | None) -> dict[str, Any]:
    if agreement is None:
        return {}
    verdict = "The engines differ" if agreement.differs else "✓ both engines agree"
    return {"text": f"{verdict}: {agreement.text}", "differs": agreement.differs}

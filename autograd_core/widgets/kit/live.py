"""The base of the lessons' widgets: settings above, a picture that follows them, and a verdict below.

At every change, a function runs on both engines, and its results are compared before they are
drawn."""

import itertools
import os
import pathlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import ipywidgets
import traitlets

from .agreement import Agreement, compare
from .bundle import BundledWidget
from .files import write_whole
from .format import shorten
from .page import page
from .settings import countable, settings_of

Run = Callable[..., Any]
"""A function whose result is compared with the result on the other engine, and drawn."""


class Live(BundledWidget):
    """A widget around `run(**settings)`. The method `draw` of a subclass prepares the result for the
    browser.

    run, other  the same function on autograd_core and on the other engine; `other` may be None.
    title, note the heading, and a few words next to it.
    words       the labels of settings whose name isn't a good label.
    settings    the settings that the reader can change, see `settings_of`.

    Raises ValueError for an impossible setting, and the error of the first `run`. The widget shows
    later errors.
    """

    called = ""  # the default heading
    wanted: tuple[str, ...] = ()  # the names of the results of a run

    controls = traitlets.List(traitlets.Dict()).tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    note = traitlets.Unicode().tag(sync=True)
    verdict = traitlets.Dict().tag(sync=True)  # {"text": ..., "differs": ...}
    drawn = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        run: Run,
        other: Run | None = None,
        *,
        title: str = "",
        note: str = "",
        words: Mapping[str, str] = MappingProxyType({}),
        **settings: Any,
    ):
        self.run, self.other = run, other
        self.title, self.note = title or self.called, note
        self.controls = [
            {**each, "label": words.get(each["name"], each["name"])}
            for each in settings_of(**settings)
        ]
        self.update()
        super().__init__()
        self.on_msg(self._received)

    @property
    def settings(self) -> dict[str, Any]:
        """The present settings by name."""
        return {control["name"]: control["value"] for control in self.controls}

    def set(self, name: str, value: object) -> None:
        """Change a setting, as a reader does, and run again. Raises the error of `run`; the setting
        stays changed.
        """
        if name not in self.settings:
            raise ValueError(f"there is no setting {name!r}; there are {', '.join(self.settings)}")
        with self.hold_sync():
            self.controls = [
                {**each, "value": _of_kind(each, value)} if each["name"] == name else each
                for each in self.controls
            ]
            self.update()

    def update(self) -> None:
        """Run on both engines, compare, and draw.

        Raises the error of `run`, after the other engine has also run. The verdict is then about the
        error, so no verdict on earlier settings remains.
        """
        with self.hold_sync():
            self.verdict = {}
            try:
                ours = self.read(self.run(**self.arguments()))
            except Exception as error:
                self.verdict = self._verdict_on(error)
                raise
            theirs = None if self.other is None else self.read(self.other(**self.arguments()))
            self.agreement = found = None if theirs is None else self.judge(ours, theirs)
            self.verdict = {"text": found.verdict, "differs": found.differs} if found else {}
            self.drawn = self.draw(ours, theirs)

    def read(self, result: Any) -> Any:
        """The result of a run in the form that is compared and drawn. Raises TypeError if it isn't
        a dict with the names in `wanted`.
        """
        if self.wanted and not (isinstance(result, dict) and {*self.wanted} <= {*result}):
            raise TypeError(f"the run returns a dict with {', '.join(map(repr, self.wanted))}")
        return result

    def judge(self, ours: Any, theirs: Any) -> Agreement:
        """Compare two results."""
        return compare(ours, theirs)

    def arguments(self) -> dict[str, Any]:
        """The arguments of `run`."""
        return self.settings

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the widget as one HTML file, in which settings with a few values still work.

        All combinations of their values, at most 64, are run now. The other controls, and those for
        typing, drawing or dragging, say in the page that they need a running notebook.

        Raises ValueError if the name doesn't end in .html.
        """
        path = pathlib.Path(path)
        if path.suffix != ".html":
            raise ValueError(
                f"this widget is saved as .html: give it a name such as {path.stem}.html"
            )
        stops, before, state = countable(self.controls), self.settings, self._shown()
        changes = {}
        for places in itertools.product(*(range(len(values)) for values in stops.values())):
            wanted = {
                name: values[at] for (name, values), at in zip(stops.items(), places, strict=True)
            }
            if self._settled(wanted):
                changes[",".join(map(str, places))] = self._shown()
        self._settled(before)
        varying = [
            name for name in state if any(each[name] != state[name] for each in changes.values())
        ]
        controls = [{**each, "fixed": each["name"] not in stops} for each in self.controls]
        answers = {
            "stops": stops,
            "changes": {
                places: {name: each[name] for name in varying} for places, each in changes.items()
            },
        }
        write_whole(
            path,
            page(
                self.view,
                {**state, "controls": controls},
                title=self.title,
                still=self.still(),
                answers=answers,
            ),
        )

    def _shown(self) -> dict[str, Any]:
        """The state that a saved page needs, without the controls."""
        others = {*ipywidgets.Box.class_trait_names(), "bundle", "controls"}
        state: dict[str, Any] = self.get_state([name for name in self.keys if name not in others])
        return state

    def _settled(self, wanted: dict[str, Any]) -> bool:
        """Set all of these, and return whether the run raised nothing."""
        try:
            for name, value in wanted.items():
                if self.settings[name] != value:
                    self.set(name, value)
        # the page lacks such a setting, and says so
        except Exception:
            return False
        return True

    def draw(self, ours: Any, theirs: Any) -> dict[str, Any]:
        """The picture of a result, as data for the browser."""
        raise NotImplementedError

    def changed(self, content: dict[str, Any]) -> None:
        """Handle the message "change": the reader moved a control. A subclass may handle others."""
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
        return {
            "text": f"The engines differ: {ours} is raised here, {theirs} in PyTorch",
            "differs": True,
        }

    def _received(self, _widget: object, content: dict[str, Any], _buffers: list[bytes]) -> None:
        """Handle a message from the browser. The widget shows every error, because readers don't look
        at a kernel's log.
        """
        if content.get("kind") != "change":
            return
        error = ""
        try:
            self.changed(content)
        except (Exception, KeyboardInterrupt) as problem:  # an interrupt also needs an answer
            error = shorten(f"{type(problem).__name__}: {problem}", 300)
        self.send({"kind": "answer", "error": error})


def _of_kind(control: dict[str, Any], value: Any) -> Any:
    """`value` with the type of `control`, because a browser sends a whole float as an int."""
    is_float = isinstance(control.get("max"), float) and isinstance(value, int)
    return float(value) if is_float else value

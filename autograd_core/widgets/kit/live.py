"""What the lessons' own widgets have in common: settings above, a picture that follows them, the
verdict below.

A function of the learner's is run on both engines at every change, and the results are compared
before they are drawn."""

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
"""A function of the learner's: what it returns is compared with what the other engine's returns,
and drawn.
"""


class Live(BundledWidget):
    """A widget around `run(**settings)`. A subclass says in `draw` what the browser gets of the
    result.

    run, other  the same function on autograd_core and on the other engine; `other` may be None.
    title, note the heading, and a few words beside it.
    words       the labels of settings whose name isn't a good label.
    settings    what the reader may change, see `settings_of`.

    Raises ValueError for a setting that cannot be, and what `run` raises at first; later that is
    shown in the widget, which goes on.
    """

    called = ""  # the heading where none is given
    wanted: tuple[str, ...] = ()  # what the run returns, by name

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
        """What is set now, by name."""
        return {control["name"]: control["value"] for control in self.controls}

    def set(self, name: str, value: object) -> None:
        """Change a setting, as the reader does, and run again. Raises what `run` raises; the
        setting stays.
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

        Raises what `run` raises, after it has run the other engine too. The verdict then is about the
        error: no verdict on earlier settings remains.
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
        """What a run returned, as it is compared and drawn. Raises TypeError if it is no dict with
        what is `wanted`.
        """
        if self.wanted and not (isinstance(result, dict) and {*self.wanted} <= {*result}):
            raise TypeError(f"the run returns a dict with {', '.join(map(repr, self.wanted))}")
        return result

    def judge(self, ours: Any, theirs: Any) -> Agreement:
        """Compare two results."""
        return compare(ours, theirs)

    def arguments(self) -> dict[str, Any]:
        """What `run` is called with."""
        return self.settings

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the widget as one HTML file, in which settings go on working wherever their values
        can be counted.

        For each combination of them, 64 at most, the run is made now. A control beyond that, and
        one for what is typed, drawn or dragged, says in the page that it needs a running notebook,
        and the picture stays.

        Raises ValueError for a name that does not end in .html.
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
        """Set all of these; whether the run went well with them."""
        try:
            for name, value in wanted.items():
                if self.settings[name] != value:
                    self.set(name, value)
        # such a setting is not in the page, which then says so
        except Exception:
            return False
        return True

    def draw(self, ours: Any, theirs: Any) -> dict[str, Any]:
        """The picture of a result, as data for the browser."""
        raise NotImplementedError

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
        return {
            "text": f"The engines differ: {ours} is raised here, {theirs} in PyTorch",
            "differs": True,
        }

    def _received(self, _widget: object, content: dict[str, Any], _buffers: list[bytes]) -> None:
        """A message from the browser. Whatever fails is shown in the widget: nobody looks at a
        kernel's log.
        """
        if content.get("kind") != "change":
            return
        error = ""
        try:
            self.changed(content)
        except (Exception, KeyboardInterrupt) as problem:  # an interrupt needs an answer too
            error = shorten(f"{type(problem).__name__}: {problem}", 300)
        self.send({"kind": "answer", "error": error})


def _of_kind(control: dict[str, Any], value: Any) -> Any:
    """`value` as `control` has it: a browser sends a whole float as an int."""
    is_float = isinstance(control.get("max"), float) and isinstance(value, int)
    return float(value) if is_float else value

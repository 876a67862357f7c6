"""Curves over repeated steps, with settings: change one and the run is made again, on both engines.

    curves(run, on_torch.run, backward=True, zero_grad=["to None", "never"], lr=(0.1, 0.01, 2.0))

A line is what `run` returned, the dots on it are the other engine's. They are compared at every change.
"""

from collections.abc import Callable

import anywidget
import numpy as np
import traitlets

from .chart import Chart, Line, Panel
from .numerals import number, shorten
from .settings import settings_of
from .theme import module, stylesheet

CLOSE = 1e-10
"""How far the engines may be apart, in units of the largest number of a curve: float64 is expected."""

STILL_WIDTH = 720


class Curves(anywidget.AnyWidget):
    """Runs, and draws, what `curves` describes."""

    _esm = module("graph_numbers.js", "graph_controls.js", "curves.js")
    _css = stylesheet("graph_view.css") + stylesheet("curves.css")

    controls = traitlets.List().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    note = traitlets.Unicode().tag(sync=True)
    width = traitlets.Int(STILL_WIDTH).tag(sync=True)
    drawn = traitlets.Dict().tag(sync=True)                 # the SVG, where its steps are, what to read at each

    def __init__(self, run: Callable, other: Callable | None, title: str, note: str, x: str, measured: tuple, controls: list):
        self.run, self.other, self.x, self.measured = run, other, x, measured
        super().__init__(controls=controls, title=title, note=note)
        self._run()
        self.on_msg(self._received)

    @property
    def settings(self) -> dict:
        """What is set now, by name."""
        return {control["name"]: control["value"] for control in self.controls}

    def set(self, name: str, value: object) -> None:
        """Change a setting, as the reader does, and run again. Raises what `run` raises; the setting stays."""
        if name not in self.settings:
            raise ValueError(f"there is no setting {name!r}; there are {', '.join(self.settings)}")
        with self.hold_sync():
            self.controls = [{**each, "value": value} if each["name"] == name else each for each in self.controls]
            self._run()

    def _run(self) -> None:
        ours = _rows(self.run(**self.settings))
        theirs = _rows(self.other(**self.settings)) if self.other else None
        self.panels = [
            Panel(title, [Line(name, row, theirs[title].get(name) if theirs else None) for name, row in rows.items()],
                  "gradient" if "grad" in title else "value")
            for title, rows in ours.items()]
        self.difference = difference(ours, theirs, self.measured) if theirs else ""
        self.verdict = self.difference or (_agreement(ours, theirs, self.measured) if theirs else "")
        self._draw()

    @traitlets.observe("width")
    def _draw(self, _change: object = None) -> None:
        chart = Chart(self.panels, self.x, max(self.width, 320), live=True)
        self.drawn = {
            "svg": chart.svg(str(self)), "places": chart.places, "x": self.x,
            "differs": bool(self.difference), "verdict": self.verdict,
            "lines": [{"panel": panel.title, "name": line.name, "role": panel.role, "values": _plain(line.values),
                       "other": None if line.other is None else _plain(line.other)}
                      for panel in self.panels for line in panel.lines]}

    def _received(self, _widget: object, content: dict, _buffers: list) -> None:
        """A message from the browser. Whatever fails is shown in the widget: nobody looks at a kernel's log."""
        if content.get("kind") != "change":
            return
        error = ""
        try:
            self.set(content["name"], content["value"])
        except Exception as problem:
            error = shorten(f"{type(problem).__name__}: {problem}", 300)
        self.send({"kind": "answer", "error": error})

    def __str__(self) -> str:
        ends = [f"{line.name if line.name == panel.title else f'{panel.title}, {line.name}'} ends at "
                f"{number(line.values[-1]) if line.values else 'nothing'}" for panel in self.panels for line in panel.lines
                if panel.title not in self.measured]
        return f"{self.title}: {'; '.join(ends)}"

    __repr__ = __str__

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        shown = [panel for panel in self.panels if panel.title not in self.measured]
        return {**(data or {}), "image/svg+xml": Chart(shown, self.x, STILL_WIDTH).svg(str(self))}, metadata


def curves(run: Callable, other: Callable | None = None, *, title: str = "Step by step", note: str = "", x: str = "step",
           measured: tuple[str, ...] = (), **settings: object) -> Curves:
    """Draw what `run(**settings)` returns, again at every change of a setting.

    run       returns {title of a panel: numbers}, one number or None for each step; or, for several lines in a
              panel, {title: {name: numbers}}. A panel with "grad" in its title has the colour of gradients.
    other     the same function on the other engine, drawn as dots and compared.
    measured  titles of panels that hold measurements, times for example: drawn for both, not compared, and left out
              of the still.
    settings  what the reader may change, see `settings_of`.

    Raises ValueError for a setting that cannot be, TypeError for another kind of result, and what `run` raises.
    """
    return Curves(run, other, title, note, x, measured, settings_of(**settings))


def _rows(result: object) -> dict[str, dict[str, list]]:
    """{title: {name: numbers}}, with tensors and arrays read as numbers."""
    if not isinstance(result, dict):
        raise TypeError(f"the run returns a dict of lists of numbers, not {type(result).__name__}")
    return {title: {name: [None if x is None else float(x) for x in row]
                    for name, row in (rows if isinstance(rows, dict) else {title: rows}).items()}
            for title, rows in result.items()}


def difference(ours: dict, theirs: dict, measured: tuple[str, ...] = ()) -> str:
    """The first place where two runs differ, as a sentence; "" if they agree."""
    for title, rows in ours.items():
        if title in measured:
            continue
        for name, row in rows.items():
            other = theirs.get(title, {}).get(name)
            if other is None or len(other) != len(row):
                return f"{name} has {len(row)} steps here, {'none' if other is None else len(other)} in PyTorch"
            largest = max((abs(x) for x in (*row, *other) if x is not None and np.isfinite(x)), default=0)
            for step, (x, y) in enumerate(zip(row, other)):
                if not _close(x, y, CLOSE * max(largest, 1)):
                    return f"{name} at {step} is {number(x)} here, {number(y)} in PyTorch"
    return ""


def _close(x: float | None, y: float | None, tolerance: float) -> bool:
    if x is None or y is None:
        return x is y
    return x == y or (np.isnan(x) and np.isnan(y)) or abs(x - y) <= tolerance


def _agreement(ours: dict, theirs: dict, measured: tuple[str, ...]) -> str:
    pairs = [(x, y) for title, rows in ours.items() if title not in measured
             for name, row in rows.items() for x, y in zip(row, theirs[title][name])]
    largest = max((abs(x - y) for x, y in pairs if x is not None and np.isfinite(x)), default=0.0)
    return f"{len(pairs)} numbers; {'no difference' if largest == 0 else f'largest difference {largest:.0e}'}"


def _plain(row: list) -> list:
    return [x if x is None or np.isfinite(x) else str(x) for x in row]

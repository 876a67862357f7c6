"""Curves over repeated steps, with settings: change one and the run is made again, on both engines.

A line shows the numbers that `run` returned. The dots on it are the numbers of the other engine.
"""

from dataclasses import replace

import numpy as np
import traitlets

from ...widgets.kit.agreement import Agreement, compare
from ...widgets.kit.chart import Chart, Panel
from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from .bowl import bowl

STILL_WIDTH = 720


class curves(Live):
    """Draw what `run(**settings)` returns, lines over steps, again at every change of a setting.

    run       returns {title of a panel: numbers}, one number or None for each step; or, for several
              lines in a panel, {title: {name: numbers}}. A panel with "grad" in its title has the
              colour of gradients.
    x         the name of a step.
    engine    the name of the engine on which `run` runs, or of what it does.
    against   the same of `other`. The verdict is about loops if it isn't PyTorch.
    bowl      (loss, least, greatest): a function of the weight in the first panel, drawn between
              these two weights. A dot marks the weight at the selected step. The slope of the line
              through the dot is the gradient in the second panel.
    opens     the step that is selected at first. None selects the last one.
    """

    view = traitlets.Unicode("curves").tag(sync=True)
    called = "Step by step"

    width = traitlets.Int(STILL_WIDTH).tag(sync=True)
    engine = traitlets.Unicode("autograd_core").tag(sync=True)
    against = traitlets.Unicode("PyTorch").tag(sync=True)

    def __init__(self, run, other=None, *, x="step", bowl=None, opens=None, **options):
        self.x, self.bowl, self.opens = x, bowl, opens
        self.engine = options.pop("engine", self.engine)
        self.against = options.pop("against", self.against)
        self.width -= 130 if bowl else 0  # the bowl is to the right of the curves
        super().__init__(run, other, **options)

    def judge(self, ours: dict, theirs: dict) -> Agreement:
        compared = "engines" if self.against == "PyTorch" else "loops"
        return replace(compare(ours, theirs), compared=compared)

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        rows, others = rows_of(ours), rows_of(theirs or {})
        self.panels = [
            Panel(title, lines, others.get(title, {}), "gradient" if "grad" in title else "value")
            for title, lines in rows.items()
        ]
        return self._picture()

    @traitlets.observe("width")
    def _resized(self, _change: object) -> None:
        if hasattr(self, "panels"):
            self.drawn = self._picture()

    def chart(self, width: int) -> Chart:
        """Return the chart for the page, where the numbers are in the table next to it."""
        return Chart(self.panels, self.x, width, live=True)

    def _picture(self) -> dict:
        chart = self.chart(max(self.width, 320))
        return {
            "svg": chart.svg(repr(self)),
            "places": chart.places,
            "x": self.x,
            "bowl": self.bowl and self._bowl(),
            "opens": self.opens,
            "lines": [
                {
                    "panel": panel.title,
                    "name": name,
                    "role": panel.role,
                    "values": _plain(values),
                    "other": _plain(panel.others[name]) if name in panel.others else None,
                }
                for panel in self.panels
                for name, values in panel.lines.items()
            ],
        }

    def _bowl(self) -> dict:
        rows = {panel.title: next(iter(panel.lines.values())) for panel in self.panels[:2]}
        (sheet, at), (name, *_) = bowl(*self.bowl, rows), rows
        label = f"The loss as a bowl over {name}, with a ball at the step that is read"
        return {"svg": sheet.svg(label), "at": at}

    def still(self) -> str:
        return Chart(self.panels, self.x, STILL_WIDTH).svg(repr(self))

    def __repr__(self) -> str:
        ends = []
        for panel in self.panels:
            for name, values in panel.lines.items():
                where = name if name == panel.title else f"{panel.title}, {name}"
                ends.append(f"{where} ends at {number(values[-1]) if values else 'nothing'}")
        return f"{self.title}: {'; '.join(ends)}"


def rows_of(result: object) -> dict[str, dict[str, list]]:
    """{title: {name: numbers}}, with tensors and arrays read as numbers."""
    return {
        title: {
            name: [None if x is None else float(x) for x in row]
            for name, row in (rows if isinstance(rows, dict) else {title: rows}).items()
        }
        for title, rows in result.items()
    }


def _plain(row: list) -> list:
    return [x if x is None or np.isfinite(x) else str(x) for x in row]

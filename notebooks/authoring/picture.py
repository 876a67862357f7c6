"""The pictures in the README: the step view of which `moving_picture` makes a film, and two views
that the notebook of the day after has saved.

    python -m notebooks.authoring.picture           writes notebooks/nan.svg and vanishing.svg
"""

from pathlib import Path

import nbformat

import autograd_core as T
from autograd_core.trace import Tape, names_in, trace
from autograd_core.widgets import GraphView

NOTEBOOKS = Path(__file__).parents[1]
DAY_AFTER = NOTEBOOKS / "the_day_after.ipynb"
SAVED = {"nan.svg": "## 1.", "vanishing.svg": "## 3."}
"""Each shows the first view under a heading of the day after."""
EVENT = 7
"""The event of 12 at which one of the two gradients has arrived at `u`."""


def view() -> GraphView:
    """Lesson 02's first experiment, recorded and ready to be drawn."""
    tape = Tape()
    with tape.recording():
        a, b, c = (T.tensor(value, requires_grad=True) for value in (2.0, -0.5, 0.3))
        u = a * b
        v = T.sigmoid(u + c)
        loss = u * v
        loss.backward()
    return GraphView(trace(loss, names_in(locals()), tape), event=EVENT)


def saved(heading: str) -> str:
    """The first view that the day after shows under the heading that begins so, as an SVG file."""
    cells = iter(nbformat.read(DAY_AFTER, as_version=4).cells)
    next(cell for cell in cells if cell.source.startswith(heading))
    return next(
        output.data["image/svg+xml"]
        for cell in cells
        for output in cell.get("outputs", ())
        if "image/svg+xml" in output.get("data", {})
    )


if __name__ == "__main__":
    for name, heading in SAVED.items():
        (NOTEBOOKS / name).write_text(saved(heading), encoding="utf-8", newline="\n")

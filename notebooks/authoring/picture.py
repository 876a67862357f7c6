"""The picture in the README and on top of lesson 00: the step view when one of two gradients has arrived.

    python -m notebooks.authoring.picture           writes notebooks/step_view.svg
"""

from pathlib import Path

import autograd_core as T
from autograd_core.trace import Tape, names_in, trace
from autograd_core.widgets import GraphView

PICTURE = Path(__file__).parents[1] / "step_view.svg"
EVENT = 7
"""Of 12: one contribution has arrived at `u`, the other is on its way. Lesson 02 asks what becomes of the two."""


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


if __name__ == "__main__":
    view().save(PICTURE)

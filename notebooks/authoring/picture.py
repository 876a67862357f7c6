"""The picture in the README: the step view at the moment when two gradients meet.

    python -m notebooks.authoring.picture           writes notebooks/step_view.svg
"""

from pathlib import Path

import autograd_core as T
from autograd_core.trace import Tape, names_in, trace
from autograd_core.widgets import GraphView

PICTURE = Path(__file__).parents[1] / "step_view.svg"
EVENT = 10
"""Of 12: both contributions have arrived at `u`, and its node runs."""


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

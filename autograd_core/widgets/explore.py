"""Lesson 01's widget: type an expression, move its leaves, and watch the graph being made again.

    explore("a * b + sin(a)", a=2.0, b=-1.0)
"""

from dataclasses import replace

import autograd_core

from ..trace import Tape, Trace, names_in, trace
from .expression import parse
from .graph_view import GraphView

FIRST_VALUE = 1.0
"""Of a leaf that comes in while typing."""

REACH, STEP = 3.0, 0.1
"""A slider runs from -REACH to REACH, or to twice its value where that is farther."""

EXPRESSION = "the expression"
"""The name of the text field: no leaf can be called so."""


class _Explorer:
    """The expression that was last understood, and the value of every leaf that was ever named."""

    def __init__(self, text: str, values: dict[str, float]):
        self.expression = parse(text)
        unknown = [name for name in values if name not in self.expression.names]
        if unknown:
            raise ValueError(f"{unknown[0]} does not occur in {text!r}; its leaves are {', '.join(self.expression.names)}")
        self.values = {name: float(value) for name, value in values.items()}
        first = self.trace()
        self.view = GraphView(
            first, title="Expression", controls=self.controls(), event=len(first.events), on_change=self.changed
        )

    def trace(self) -> Trace:
        """Compute the expression from leaves of its own, record that, and walk back."""
        T = autograd_core
        tape = Tape()
        with tape.recording():
            leaves = {
                name: T.tensor(self.values.get(name, FIRST_VALUE), dtype=T.float64, requires_grad=True)
                for name in self.expression.names
            }
            result = self.expression.evaluate(T, leaves)
        taken = trace(result, names_in({"result": result, **leaves}), tape)
        unplaced = tuple(replace(node, line=None) for node in taken.nodes)  # the statement that ran is this file's
        return replace(taken, nodes=unplaced, source=())

    def controls(self) -> list[dict]:
        sliders = []
        for name in self.expression.names:
            value = self.values.setdefault(name, FIRST_VALUE)
            reach = max(REACH, 2 * abs(value))
            slider = {"kind": "slider", "name": name, "label": name, "value": value}
            sliders.append({**slider, "min": -reach, "max": reach, "step": STEP})
        return [{"kind": "text", "name": EXPRESSION, "label": "expression", "value": self.expression.text}, *sliders]

    def changed(self, name: str, value: str | float) -> Trace:
        """The learner typed or dragged. What cannot be computed raises, and leaves everything as it was.

        Raises `ValueError`, which also says which expression is still drawn.
        """
        before = self.expression, dict(self.values)
        try:
            if name == EXPRESSION:
                self.expression = parse(value)
            else:
                self.values[name] = float(value)
            new = self.trace()
        except Exception as problem:
            self.expression, self.values = before
            raise ValueError(f"{problem}. The picture shows {self.expression.text}") from problem
        if self.expression.names != before[0].names:
            self.view.controls = self.controls()
        return new


def explore(text: str, **values: float) -> GraphView:
    """Show the graph of the expression `text`, with a slider for each leaf; a leaf without a value starts at 1.

    What may be typed is described in `autograd_core.widgets.expression`. A mistyped expression keeps the last good
    graph and says what is wrong. Raises `ExpressionError`, a `ValueError`, when `text` itself is wrong, and
    `ValueError` when a value is given for a name that is not in it.
    """
    return _Explorer(text, values).view

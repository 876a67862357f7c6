"""Move what a loss is made from, and watch its graph being made again.

explore("a * b + sin(a)", a=2.0, b=-1.0)            an expression, which may be typed anew:
lesson 01
explore(loss, w=(0.5, -2, 2), b=0.0)                any function of the learner's
"""

from collections.abc import Callable
from dataclasses import replace

import autograd_core

from ...trace import Tape, Trace, names_in, trace
from .expression import parse
from .sliders import Bound, slider
from .view import GraphView

FIRST_VALUE = 1.0
"""Of a leaf that comes in while typing."""

EXPRESSION = "the expression"
"""The name of the text field: no leaf can be called so."""


class _Explorer:
    """The expression that was last understood, and the value of every leaf that was ever named."""

    def __init__(self, text: str, values: dict[str, float]):
        self.expression = parse(text)
        unknown = [name for name in values if name not in self.expression.names]
        if unknown:
            raise ValueError(
                f"{unknown[0]} does not occur in {text!r}; "
                f"its leaves are {', '.join(self.expression.names)}"
            )
        self.values = {name: float(value) for name, value in values.items()}
        first = self.trace()
        self.view = GraphView(
            first,
            title="Expression",
            controls=self.controls(),
            event=len(first.events),
            on_change=self.changed,
        )

    def trace(self) -> Trace:
        """Compute the expression from leaves of its own, record that, and walk back."""
        T = autograd_core
        tape = Tape()
        with tape.recording():
            leaves = {
                name: T.tensor(
                    self.values.get(name, FIRST_VALUE), dtype=T.float64, requires_grad=True
                )
                for name in self.expression.names
            }
            result = self.expression.evaluate(T, leaves)
        taken = trace(result, names_in({"result": result, **leaves}), tape)
        # the statement that ran is this file's
        unplaced = tuple(replace(node, line=None) for node in taken.nodes)
        return replace(taken, nodes=unplaced, source=())

    def controls(self) -> list[dict]:
        sliders = [
            slider(name, self.values.setdefault(name, FIRST_VALUE)).control()
            for name in self.expression.names
        ]
        return [
            {
                "kind": "text",
                "name": EXPRESSION,
                "label": "expression",
                "value": self.expression.text,
            },
            *sliders,
        ]

    def changed(self, name: str, value: str | float) -> Trace:
        """The learner typed or dragged. What cannot be computed raises, and leaves everything as it
        was.

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


def explore(what: str | Callable, /, *, numbers: tuple[str, ...] = (), **values) -> GraphView:
    """Show the graph of an expression or of a function's result, with a slider for each leaf,
    redrawn while dragging.

    what     text: what may be typed is described in `autograd_core.widgets.expression`; a mistyped
             expression keeps the last good graph and says what is wrong. A function: called with
             one keyword argument for each slider, it returns a loss of either engine, or a `Trace`.
             What it raises is shown, and the view goes on.
    values   a number for each leaf (a leaf of an expression without one starts at 1); for a
             function also (number, low, high), (number, low, high, step), and in place of the
             number a tensor of one element, which is handed over in its own engine and element
             type. A leaf without one is autograd_core's, in float64.
    numbers  the names of the arguments of a function that are handed over as plain numbers: a
             learning rate, a seed.

    Raises `ExpressionError`, a `ValueError`, when a text is wrong, `ValueError` when a value is
    given for a name that is not in it, TypeError for anything but text or a function, and what the
    function raises when it is called first."""
    if isinstance(what, str):
        return _Explorer(what, values).view
    if not callable(what):
        raise TypeError(
            f"explore() takes an expression as text, or a function, not {type(what).__name__}"
        )
    bound = Bound(what, values, numbers)
    first = bound.trace()
    return GraphView(
        first,
        title=bound.name,
        controls=bound.controls(),
        event=len(first.events),
        on_change=bound.changed,
    )

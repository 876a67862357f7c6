"""Move what a loss is made from, and watch its graph being made again.

explore("a * b + sin(a)", a=2.0, b=-1.0)            an expression, which may be typed anew:
lesson 01
explore(loss, w=(0.5, -2, 2), b=0.0)                any function of the learner's
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import autograd_core

from ...trace import Trace
from .expression import parse
from .sliders import Program, slider
from .view import GraphView

FIRST_VALUE = 1.0
"""Of a leaf that comes in while typing."""

Nudge = float | tuple[float, ...] | None

EXPRESSION = "the expression"
"""The name of the text field: no leaf can be called so."""


class _Typed(Program):
    """An expression that may be typed anew. A slider stays as it is until its name is typed again."""

    def __init__(self, text: str, values: dict[str, float], nudge: Nudge):
        names = parse(text).names
        unknown = [name for name in values if name not in names]
        if unknown:
            raise ValueError(
                f"{unknown[0]} does not occur in {text!r}; its leaves are {', '.join(names)}"
            )
        self.nudge = nudge
        self.known = {
            name: slider(name, float(value), nudge=nudge) for name, value in values.items()
        }
        self.read(text)

    def read(self, text: str) -> None:
        expression = parse(text)
        for name in expression.names:
            self.known.setdefault(name, slider(name, FIRST_VALUE, nudge=self.nudge))
        self.text = expression.text
        sliders = {name: self.known[name] for name in expression.names}
        super().__init__(partial(expression.evaluate, autograd_core), sliders)
        self.name = "loss"

    def controls(self) -> list[dict]:
        typed = {"kind": "text", "name": EXPRESSION, "label": "expression", "value": self.text}
        return [typed, *super().controls()]

    def trace(self) -> Trace:
        taken = super().trace()
        # the statement that ran is this package's
        nodes = tuple(replace(node, line=None) for node in taken.nodes)
        return replace(taken, nodes=nodes, source=(), places=(), called=())

    def changed(self, name: str, value: str | float) -> Trace:
        """The learner typed or dragged. What cannot be computed raises, and leaves everything as it
        was.

        Raises `ValueError`, which also says which expression is still drawn.
        """
        if name != EXPRESSION:
            return super().changed(name, float(value))
        before = self.text
        try:
            self.read(value)
            return self.trace()
        except Exception as problem:
            self.read(before)
            self.trace()
            raise ValueError(f"{problem}. The picture shows {before}") from problem


class _Explored(GraphView):
    """The view of a program's latest trace, with its slopes beside its sliders."""

    def __init__(self, program: Program, title: str):
        self.program, first = program, program.trace()
        self.slopes = program.slopes()
        super().__init__(
            first,
            title=title,
            controls=program.controls(),
            event=len(first.events),
            on_change=self.moved,
        )

    def moved(self, name: str, value: str | float) -> Trace:
        names = [*self.program.sliders]
        taken = self.program.changed(name, value)
        if [*self.program.sliders] != names:
            self.controls = self.program.controls()
        return taken

    def _received(self, _widget: object, content: dict, _buffers: list) -> None:
        super()._received(_widget, content, _buffers)
        # asked for when the graph's numbers are painted: they need not wait for the curves
        if content.get("kind") == "slopes":
            self.slopes = self.program.slopes()


def explore(
    what: str | Callable,
    /,
    *,
    nudge: Nudge = None,
    **values,
) -> GraphView:
    """Show the graph of an expression or of a function's result, with a slider for each leaf,
    redrawn while dragging. Above the slider of a leaf are the curve of the loss along it and a
    tangent, whose slope is the leaf's `.grad`. All plots share both axes.

    what     text: what may be typed is described in `autograd_core.widgets.graph.expression`; a
             mistyped one keeps the last good graph and says what is wrong. A function: called with
             one keyword argument for each slider, it returns a loss of either engine.
             What it raises is shown, and the view goes on. For each curve it is called 42 times
             more, and once to see whether it gives its loss again: what it changes outside of
             itself, it changes as often.
    values   a number for each leaf (a leaf of an expression without one starts at 1); for a
             function also (number, low, high), (number, low, high, step), and in place of the
             number a tensor of one element, which is handed over in its own engine and element
             type. A leaf without one is autograd_core's, in float64.
    nudge    how far the buttons next to each slider move its leaf: a whole number of the slider's
             steps, or a tuple of such numbers, the largest first; 0.5, or about that, if it is
             None.

    Raises `ExpressionError`, a `ValueError`, when a text is wrong, `ValueError` when a value is
    given for a name that is not in it, TypeError for anything but text or a function, and what the
    function raises when it is called first."""
    if isinstance(what, str):
        return _Explored(_Typed(what, values, nudge), "Expression")
    if not callable(what):
        raise TypeError(
            f"explore() takes an expression as text, or a function, not {type(what).__name__}"
        )
    if not values:
        raise TypeError(
            "a function needs a slider for each of its arguments, such as x=0.0 or x=(0.0, -3, 3)"
        )
    sliders = {name: slider(name, each, nudge) for name, each in values.items()}
    program = Program(what, sliders)
    return _Explored(program, program.name)

"""Change the inputs of a loss with sliders, and watch its graph change.

explore("a * b + sin(a)", a=2.0, b=-1.0)            an expression, which the learner may change
explore(loss, w=(0.5, -2, 2), b=0.0)                a function that returns a loss
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

import autograd_core

from ...trace import Trace
from .drawn import drawn_of
from .expression import parse
from .sliders import Program, slider
from .view import GraphView

FIRST_VALUE = 1.0
"""The slider of a leaf that appears while the learner types."""

Nudge = float | tuple[float, ...] | None

EXPRESSION = "the expression"
"""The name of the text field. It can't be the name of a leaf."""


class _Typed(Program):
    """An expression that the learner may change. The slider of a removed name keeps its value."""

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
        # the statement that ran belongs to this package
        nodes = tuple(replace(node, line=None) for node in taken.nodes)
        return replace(taken, nodes=nodes, source=(), places=(), called=())

    def changed(self, name: str, value: str | float) -> Trace:
        """Handle a change by the learner. If the loss can't be computed, nothing changes.

        Raises ValueError, whose message also says which expression is still drawn.
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
    """The view of a program's latest trace, with its curves next to its sliders."""

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

    def show(self, trace: Trace, other: Trace | None = None) -> None:
        before = self.structure
        super().show(trace, other)
        if self.structure is not before:  # boxes for the longest numbers of the sliders
            sliders, wide = self.program.sliders, np.array(-8.888)
            nodes = [replace(n, value=wide) if n.label in sliders else n for n in trace.nodes]
            self.drawn = drawn_of(replace(trace, nodes=tuple(nodes)))

    def moved(self, name: str, value: str | float) -> Trace:
        names = [*self.program.sliders]
        taken = self.program.changed(name, value)
        if [*self.program.sliders] != names:
            self.controls = self.program.controls()
        return taken

    def _received(self, _widget: object, content: dict, _buffers: list) -> None:
        super()._received(_widget, content, _buffers)
        # requested after the graph's numbers are painted, so that these don't wait for the curves
        if content.get("kind") == "slopes":
            self.slopes = self.program.slopes()


def explore(
    what: str | Callable,
    /,
    *,
    nudge: Nudge = None,
    **values,
) -> GraphView:
    """Show the graph of an expression or of a function's result, with a slider for each leaf. The
    graph is redrawn while a slider moves. Above each slider is the curve of the loss along its leaf,
    with a tangent whose slope is the leaf's `.grad`. All plots share both axes.

    what     a text (its rules are in `autograd_core.widgets.graph.expression`), or a function. If
             the text is wrong, the view keeps the last good graph and shows the error. The function
             is called with one keyword argument for each slider and returns a loss of either engine.
             If it raises, the view shows the error. For each curve it is called 42 more times, and
             once to check that it returns the same loss again. If it changes anything outside of
             itself, this happens at each call.
    values   a number for each leaf. Without it, a leaf of an expression starts at 1. A function's
             leaf may also have (number, low, high) or (number, low, high, step). The number may be
             a tensor of one element: then the leaf has its engine and its dtype. Other leaves are
             float64 tensors of autograd_core.
    nudge    how far the buttons next to each slider move its leaf: a whole number of the slider's
             steps, or a tuple of such numbers, the largest first. The default is about 0.5.

    Raises `ExpressionError`, a ValueError, if the text is wrong, ValueError if a value has the name
    of no leaf, TypeError if `what` is neither text nor a function, and the error of the function's
    first call."""
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

"""The sliders of `explore(function, x=(0.0, -3, 3))`, one for each argument, and the loss along each
of them.
"""

import contextlib
import io
import math
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import autograd_core

from ...trace import Tape, Trace, names_in, trace
from ..kit.format import shorten
from .tensors import plain

REACH, STEP, NUDGE = 3.0, 0.01, 0.5
"""A slider runs from -REACH to REACH, or to twice its value if that is outside. Its buttons move it
by NUDGE, because a smaller move doesn't show that the curve leaves its tangent.
"""

POINTS = 41
"""The number of points of a curve, from one end of its slider to the other."""

MOST_SECONDS = 0.5
"""Seconds for all curves together. A slower program gets no curves."""


@dataclass
class Slider:
    """One argument. `start` is a tensor of either engine with one element, or None: the leaf is
    autograd_core's own.
    """

    name: str
    value: float
    low: float
    high: float
    step: float
    start: object = None
    nudges: tuple[float, ...] = (NUDGE,)

    def control(self) -> dict:
        """The slider as `GraphView` draws it."""
        return {
            "kind": "slider",
            "name": self.name,
            "label": self.name,
            "value": self.value,
            "min": self.low,
            "max": self.high,
            "step": self.step,
            "nudges": list(self.nudges),
        }

    def argument(self) -> object:
        """The value as it is passed to the function: a new leaf that requires a gradient."""
        if self.start is None:
            return autograd_core.tensor(self.value, dtype=autograd_core.float64, requires_grad=True)
        return (self.start.detach() * 0 + self.value).requires_grad_()


def slider(name: str, given: object, nudge: float | tuple[float, ...] | None = None) -> Slider:
    """The slider for `given`: a number or a tensor with one element, (number, low, high) or (number,
    low, high, step). Its buttons move it by `nudge`, one number or several. The default is the
    multiple of its step nearest to NUDGE.

    Raises TypeError for anything else, and ValueError if the value is outside of the limits or
    a nudge isn't a whole number of steps.
    """
    start, *limits = given if isinstance(given, tuple) else (given,)
    tensor = start if hasattr(start, "requires_grad_") else None
    if tensor is not None and tensor.numel() != 1:
        raise ValueError(f"{name} has {tensor.numel()} elements; a slider moves one number")
    value = start.item() if tensor is not None else start
    if len(limits) not in (0, 2, 3) or not all(_is_number(x) for x in (value, *limits)):
        raise TypeError(
            f"{name} is given as {shorten(repr(given))}; give a number, or (number, low, high), or "
            "(number, low, high, step)"
        )
    reach = REACH if abs(value) < REACH else 2 * abs(value)
    low, high = limits[:2] or (-reach, reach)
    step = limits[2] if len(limits) == 3 else STEP
    if not low <= value <= high or step <= 0:
        raise ValueError(
            f"{name} starts at {value}, but its slider runs from {low} to {high} in steps of {step}"
        )
    if nudge is None:
        nudge = max(1, round(NUDGE / step)) * step
    nudges = nudge if isinstance(nudge, tuple) else (nudge,)
    for each in nudges:
        steps = each / step if _is_number(each) else 0
        if steps < 1 or not math.isclose(steps, round(steps)):
            raise ValueError(f"nudge={each!r} isn't a whole number of the steps of {name}, {step}")
    return Slider(name, value, low, high, step, tensor, nudges)


def _is_number(x: object) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool)


@contextlib.contextmanager
def _variables_of(function):
    """A dict that gets the variables of `function` when its outermost call returns. They are names
    for its results. It stays empty under a profiler that Python can't restore.
    """
    code, before, variables = getattr(function, "__code__", None), sys.getprofile(), {}
    frames = []

    def profile(frame, event, argument):
        if event == "call" and frame.f_code is code:
            frames.append(frame)
            # its inner calls aren't observed, because that is too slow for a slider
            sys.setprofile(before)

    if code and (before is None or callable(before)):
        sys.setprofile(profile)
    try:
        yield variables
    finally:
        if sys.getprofile() is profile:
            sys.setprofile(before)
        for frame in frames:
            variables.update(frame.f_locals)


class Program:
    """A function with a slider for each argument. `trace` calls it, `changed` moves one slider and
    calls it again, and `slopes` is the loss along each leaf.
    """

    def __init__(self, function: Callable, sliders: dict[str, Slider]):
        self.function, self.sliders = function, sliders
        name = getattr(function, "__name__", "")
        self.name = name if name.isidentifier() else "result"
        self.gradients: dict[str, float] = {}  # `.grad` of the leaves that got a gradient
        self.why = ""  # the reason why there are no curves

    def controls(self) -> list[dict]:
        return [each.control() for each in self.sliders.values()]

    def arguments(self) -> dict[str, object]:
        return {name: each.argument() for name, each in self.sliders.items()}

    def trace(self) -> Trace:
        """Call the function, record its operations, and return the trace of its loss."""
        arguments = self.arguments()
        tape = Tape()
        with tape.recording(), _variables_of(self.function) as variables:
            result = self.function(**arguments)
        if not hasattr(result, "grad_fn"):
            raise TypeError(
                f"{self.name} returned {shorten(repr(result), 40)}; let it return its loss, a tensor"
            )
        names = names_in({**variables, self.name: result, **arguments})
        taken = trace(result, names)
        came = {taken.nodes[e.node].label: e.after for e in taken.events if e.kind == "accumulate"}
        labels = {name: names.tensors.get(id(leaf)) for name, leaf in arguments.items()}
        self.loss = result.item()
        self.gradients = {
            name: came[label].item() for name, label in labels.items() if label in came
        }
        return taken

    def changed(self, name: str, value: float) -> Trace:
        """The reader moved the slider `name`. If the call fails, all sliders keep their values.

        Raises RuntimeError with the values at which the function failed, and with its error.
        """
        before, self.sliders[name].value = self.sliders[name].value, value
        try:
            return self.trace()
        except Exception as problem:
            values = ", ".join(f"{each.name}={each.value:g}" for each in self.sliders.values())
            self.sliders[name].value = before
            raise RuntimeError(
                f"{self.name}({values}) raised {type(problem).__name__}: {problem}. "
                f"The picture shows {name}={before:g}"
            ) from problem

    # ---- the loss along each slider --------------------------------------------------------------

    def slopes(self) -> list[dict]:
        """For each leaf: "at", its value; "loss", the loss there; "grad", its `.grad` from the
        backward pass, or None; and "curve", the loss at POINTS places from "low" to "high", the ends
        of its slider, with the other leaves unchanged. A point is None if its loss isn't finite or
        the function raised.

        There is no curve if the loss may depend on anything but these numbers, and "why" says so.
        Output of the function and warnings of NumPy are not shown during these calls.
        """
        end = time.perf_counter() + MOST_SECONDS
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            self.why = self.why or self._why_no_curve()
            curves = [self._curve(each, end) for each in self.sliders.values()]
        grads = {name: plain(gradient) for name, gradient in self.gradients.items()}
        return [
            {
                "name": each.name,
                "low": each.low,
                "high": each.high,
                "at": each.value,
                "loss": _finite(self.loss),
                "grad": grads.get(each.name),
                "curve": [] if self.why else curve,
                "why": self.why,
            }
            for each, curve in zip(self.sliders.values(), curves)
        ]

    def _why_no_curve(self) -> str:
        """Why further calls can't give the loss along a slider, or "" if they can."""
        states, again = _states_of_generators(), self._loss()
        if _states_of_generators() != states:
            return f"{self.name} draws random numbers"
        return "" if again == _finite(self.loss) else f"{self.name} returns another loss each time"

    def _curve(self, along: Slider, end: float) -> list[float | None]:
        before, losses = along.value, []
        try:
            for along.value in np.linspace(along.low, along.high, POINTS).tolist():
                if time.perf_counter() > end:
                    self.why = self.why or f"{self.name} takes too long"
                losses.append(None if self.why else self._loss())
            # at the present values, the loss must not depend on chance
            if not self.why and self._loss() != losses[-1]:
                self.why = f"{self.name} returns another loss each time"
        finally:
            along.value = before
        known = [x for x in losses if x is not None]
        span = max(known, default=0) - min(known, default=0)
        # as precise as a pixel, and shorter
        digits = 5 - math.floor(math.log10(span)) if 0 < span < math.inf else 17
        return [x if x is None else round(x, digits) for x in losses]

    def _loss(self) -> float | None:
        """The loss at the present values, or None if it isn't finite."""
        try:
            return _finite(self.function(**self.arguments()).item())
        except Exception:
            return None


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None


def _states_of_generators() -> list:
    """The states of all global random generators that a program may use."""
    torch = sys.modules.get("torch")
    _, words, *rest = np.random.get_state()
    return [
        autograd_core.random.default_generator.get_state().tobytes(),
        torch and torch.get_rng_state().numpy().tobytes(),
        words.tobytes(),
        rest,
        random.getstate(),
    ]

"""Sliders bound to the arguments of a function: what `explore(function, x=(0.0, -3, 3))` is made
of.
"""

import contextlib
import sys
from dataclasses import dataclass

import autograd_core

from ...trace import Tape, Trace, names_in, trace
from ..kit.format import shorten

REACH, STEP = 3.0, 0.1
"""A slider runs from -REACH to REACH, or to twice its value where that is farther."""


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
    plain: bool = False

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
        }

    def argument(self) -> object:
        """The value as it is handed to the function: a plain number, or a new leaf that requires a
        gradient.
        """
        if self.plain:
            return round(self.value) if isinstance(self.step, int) else self.value
        if self.start is None:
            return autograd_core.tensor(self.value, dtype=autograd_core.float64, requires_grad=True)
        return (self.start.detach() * 0 + self.value).requires_grad_()


def slider(name: str, given: object, plain: bool = False) -> Slider:
    """The slider for `given`: a number or a tensor with one element, (it, low, high) or (it, low,
    high, step).

    Raises TypeError for anything else, ValueError for limits that do not hold the value.
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
    reach = max(REACH, 2 * abs(value))
    low, high = limits[:2] or (-reach, reach)
    whole = plain and all(isinstance(x, int) for x in (value, *limits))
    step = limits[2] if len(limits) == 3 else 1 if whole else STEP
    if not low <= value <= high or step <= 0:
        raise ValueError(
            f"{name} starts at {value}, but its slider runs from {low} to {high} in steps of {step}"
        )
    return Slider(name, value, low, high, step, tensor, plain)


def _is_number(x: object) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool)


@contextlib.contextmanager
def _variables_of(function):
    """The variables that `function` has when it returns, as a dict that is filled then: they name
    its results.
    """
    code, before, variables = getattr(function, "__code__", None), sys.getprofile(), {}

    def profile(frame, event, argument):
        if event == "return" and frame.f_code is code:
            variables.update(frame.f_locals)

    sys.setprofile(profile)
    try:
        yield variables
    finally:
        sys.setprofile(before)


class Bound:
    """A function whose arguments stand under sliders: `trace` calls it, `changed` moves one of them
    and calls again.
    """

    def __init__(self, function, given: dict[str, object], numbers: tuple[str, ...]):
        unknown = [name for name in numbers if name not in given]
        if unknown:
            raise ValueError(
                f"numbers names {unknown[0]}, which has no slider: give {unknown[0]}=(start, low,"
                " high)"
            )
        if not given:
            raise TypeError(
                "a function needs a slider for each of its arguments, such as x=0.0 or x=(0.0,"
                " -3, 3)"
            )
        self.function = function
        name = getattr(function, "__name__", "")
        self.name = name if name.isidentifier() else "result"
        self.sliders = {name: slider(name, each, name in numbers) for name, each in given.items()}

    def controls(self) -> list[dict]:
        return [each.control() for each in self.sliders.values()]

    def trace(self) -> Trace:
        """Call the function, with what it does recorded, and take the trace of the loss that it
        returns.
        """
        arguments = {name: each.argument() for name, each in self.sliders.items()}
        tape = Tape()
        with tape.recording(), _variables_of(self.function) as variables:
            result = self.function(**arguments)
        if isinstance(result, Trace):
            return result
        if not hasattr(result, "grad_fn"):
            raise TypeError(
                f"{self.name} returned {shorten(repr(result), 40)}; let it return its loss, a"
                " tensor, or a Trace"
            )
        return trace(result, names_in({**variables, **arguments, self.name: result}))

    def changed(self, name: str, value: float) -> Trace:
        """The reader moved the slider `name`. A call that fails leaves all sliders' values as they
        were.

        Raises RuntimeError, which says with which values the function failed, and how.
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

"""References of exercises that ask for a function: its arguments, its right results, and how wrong
functions are recognized."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

import numpy as np
import torch

from ... import Tensor, from_numpy
from ...parity.results import as_array
from .conduct import Conduct, kind_of

TRIALS = 5  # random inputs that a learner's function is run on


class Refused(Exception):
    """Why an answer is refused: the end of a sentence that begins with the reference's `subject`."""


def pytorch_tensor(argument: torch.Tensor) -> torch.Tensor:
    """A copy of `argument` that requires no gradient."""
    return argument.detach().clone()


def own_tensor(argument: torch.Tensor) -> Tensor:
    """A copy of `argument` as a tensor of autograd_core."""
    return from_numpy(array_of(argument))


def array_of(argument: torch.Tensor) -> np.ndarray:
    """A copy of the numbers of `argument`."""
    return as_array(argument).copy()


@dataclass(frozen=True)
class Function:
    """A reference for a function: `reference` computes the right result for random inputs and for
    each of `cases`.

    inputs    for each argument its shape (standard normal numbers, float64), or a function of a
              `torch.Generator` that makes the tensor.
    cases     inputs that are tried after the `random` ones, where other answers would differ.
              Tensors of PyTorch, or numbers and lists of them.
    conduct   takes a `Conduct` and returns a sentence if a right result was computed in a way that
              the exercise forbids, otherwise "".
    slips     {a part of the message of an error: the end of a sentence that begins with
              `subject`}.
    mistakes  {sentence: a wrong function}. A learner's function with the same results gets this
              sentence. A list holds several wrong functions that get the same sentence.

    The learner's function is called with PyTorch's tensors. If it isn't right and makes no mistake of
    the table, it is called again with autograd_core's tensors (`engines`).
    """

    reference: Callable
    inputs: Mapping[str, tuple | Callable]
    cases: Sequence[Sequence] = ()
    _: KW_ONLY
    random: int = TRIALS
    conduct: Callable[[Conduct], str] = lambda seen: ""
    slips: Mapping[str, str] = field(default_factory=dict)
    mistakes: Mapping[str, Callable | list] = field(default_factory=dict)
    engines: ClassVar[Sequence[Callable]] = (pytorch_tensor, own_tensor)
    subject: ClassVar[str] = "Your function"

    def trials(self, generator: torch.Generator) -> Iterator[list]:
        """The inputs of each trial, as tensors of PyTorch."""
        for _ in range(self.random):
            yield [
                make(generator)
                if callable(make)
                else torch.randn(make, generator=generator, dtype=torch.float64)
                for make in self.inputs.values()
            ]
        for case in self.cases:
            yield [_tensor(given) for given in case]

    def trial(self, generator: torch.Generator, arguments: list) -> tuple[list, list, list[str]]:
        """One trial: (the learner's arguments, the expected results, the name of each result)."""
        expected = self.reference(*arguments)
        if not isinstance(expected, tuple):
            return arguments, [expected], ["the result"]
        return arguments, list(expected), [f"result {number}" for number in range(len(expected))]

    def call(self, function: Callable, given: list) -> object:
        """Call `function` with the arguments `given`: one result, or a tuple of them."""
        before = [array_of(argument) for argument in given]
        results = function(*given)
        for position, (argument, old) in enumerate(zip(given, before, strict=True), 1):
            if not np.array_equal(as_array(argument), old, equal_nan=True):
                caller = "which belongs to its caller: make a new tensor"
                raise Refused(f"writes into argument {position}, {caller}")
        return results

    def praise(self, seen: Conduct, tolerance: float) -> str:
        """The sentence for a right answer."""
        return f"The same as PyTorch on {seen.calls} inputs, within {tolerance:g}."

    def wrong_functions(self) -> list[tuple[str, Callable]]:
        """(the sentence for the learner, a wrong function) for each mistake."""
        return [
            (words, way)
            for words, ways in self.mistakes.items()
            for way in (ways if isinstance(ways, list) else [ways])
        ]


class BackwardRule(Function):
    """A reference for a backward rule: `reference` is the *forward*, which PyTorch differentiates.
    The learner's `rule(gradient, *inputs)` returns one gradient for each input."""

    def trial(self, generator, arguments):
        leaves = leaves_of(arguments)
        out = self.reference(*leaves)
        gradient = torch.randn(out.shape, generator=generator, dtype=out.dtype)
        expected = torch.autograd.grad(out, leaves, gradient)
        return [gradient, *leaves], list(expected), [f"the gradient of {n}" for n in self.inputs]


class Loss(Function):
    """A reference for a loss: its value and the gradient of each input. None differs from 0."""

    def trial(self, generator, arguments):
        names = ["the value", *(f"the gradient of {name}" for name in self.inputs)]
        return arguments, list(Loss.call(self, self.reference, arguments)), names

    def call(self, function, given):
        leaves = leaves_of(given)
        loss = function(*leaves)
        if loss is ... or loss is None:
            return loss
        if not hasattr(loss, "backward"):
            kind = kind_of(loss)
            raise Refused(f"returns {kind}, not a tensor: nothing can go back through it")
        if not loss.requires_grad:
            raise Refused("returns a tensor without a graph: no path leads from it to the inputs")
        loss.backward()
        return loss, *(leaf.grad for leaf in leaves)


def leaves_of(tensors: Iterable) -> list:
    """The tensors as new leaves. A boolean mask requires no gradient."""
    detached = [tensor.detach() for tensor in tensors]
    return [each.requires_grad_() if each.is_floating_point() else each for each in detached]


def _tensor(given: object) -> torch.Tensor:
    made = given if isinstance(given, torch.Tensor) else torch.from_numpy(np.array(given))
    return made.clone() if made.dtype == torch.bool else made.to(torch.float64, copy=True)

"""References for what a learner writes as a function: how it is called, and what it is compared with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ... import from_numpy
from ...parity.compare import as_array


class Mistake(Exception):
    """A wrong way that the check has seen. Its text is told to the learner as it stands: one or two sentences."""


@dataclass(frozen=True)
class Function:
    """A reference for a function: what `reference` returns on random inputs.

    `inputs` maps each argument's name to its shape (standard normal numbers, float64), or to a function of a
    `torch.Generator` that makes the tensor. The learner's function is called with autograd_core tensors, in that order.
    `mistakes` maps what to say to a wrong function: it is said where the learner's returns the same on every input.
    """

    reference: Callable
    inputs: dict[str, tuple | Callable]
    mistakes: Mapping[str, Callable] = field(default_factory=dict, kw_only=True)

    def trial(self, torch, generator):
        """One case: (the learner's arguments, the expected results, what to call each result)."""
        arguments = self.arguments(torch, generator)
        expected = self.reference(*arguments)
        if not isinstance(expected, tuple):
            return arguments, [expected], ["the result"]
        return arguments, list(expected), [f"result {number}" for number in range(len(expected))]

    def call(self, function, arguments):
        """What the learner's `function` returns for `arguments`, tensors of PyTorch: one result or a tuple of them."""
        return function(*map(_ours, arguments))

    def arguments(self, torch, generator):
        """Random inputs, as tensors of PyTorch."""
        return [make(generator) if callable(make) else torch.randn(make, generator=generator, dtype=torch.float64)
                for make in self.inputs.values()]


@dataclass(frozen=True)
class BackwardRule(Function):
    """A reference for a backward rule: `reference` is the *forward*, and PyTorch's autograd differentiates it.

    The learner's rule is called as `rule(gradient, *inputs)` and returns one gradient for each input.
    """

    def trial(self, torch, generator):
        arguments = [argument.requires_grad_() for argument in self.arguments(torch, generator)]
        out = self.reference(*arguments)
        gradient = torch.randn(out.shape, generator=generator, dtype=out.dtype)
        expected = torch.autograd.grad(out, arguments, gradient)
        return [gradient, *arguments], list(expected), [f"the gradient of {name}" for name in self.inputs]


@dataclass(frozen=True)
class Loss(Function):
    """A reference for a loss: its value and the gradient of each input. No gradient (`None`) is not a gradient of 0."""

    def trial(self, torch, generator):
        arguments = [argument.requires_grad_() for argument in self.arguments(torch, generator)]
        loss = self.reference(*arguments)
        loss.backward()
        return arguments, [loss, *(argument.grad for argument in arguments)], [
            "the value", *(f"the gradient of {name}" for name in self.inputs)]

    def call(self, function, arguments):
        leaves = [_ours(argument).requires_grad_() for argument in arguments]
        loss = function(*leaves)
        if loss is ... or loss is None:
            return loss
        if not all(leaf.requires_grad for leaf in leaves):
            raise Mistake("Your function changes requires_grad of what it was given. Leave its inputs as they are.")
        if not hasattr(loss, "backward"):
            raise Mistake(f"Your function returns {type(loss).__name__}; a tensor with a graph is asked for.")
        if any(leaf.grad is not None for leaf in leaves):
            raise Mistake("Your function calls backward() itself. Return the loss; the check calls backward().")
        if not loss.requires_grad:
            raise Mistake("Your loss has no graph, so it cannot train anything. A tensor made of a plain number, "
                          "detach() or item() cuts it off.")
        loss.backward()
        return loss, *(leaf.grad for leaf in leaves)


def _ours(tensor):
    """A tensor of PyTorch as one of autograd_core, with memory of its own."""
    return from_numpy(as_array(tensor).copy())

"""Lesson 15, gradients of gradients: what PyTorch answers to its exercises."""

import torch

import autograd_core

from ..check import function_exercise
from ..conduct import kind_of
from ..references import Function, Refused, leaves_of


def _loss(w):
    return (w.exp() * w.sum()).sum()


def _from(result):
    """A function of `w` and `v` that returns `result(g, v, d)`. Here, g is the gradient, and d
    differentiates a number."""

    def product(w, v):
        w = w.detach().requires_grad_()
        (gradient,) = torch.autograd.grad(_loss(w), w, create_graph=True)
        return result(gradient, v, lambda number: torch.autograd.grad(number, w)[0]).detach()

    return product


NO_GRAPH = (
    "differentiates a gradient that has no graph. Record the first pass with `create_graph=True`, and"
    " differentiate the number with respect to `w`"
)


def _two_passes(seen):
    # PyTorch's `hvp` makes a third pass: it differentiates the second one by its vector
    made = seen.passes - min(seen.differentiated, seen.calls)
    more = "a pass for each row computes the whole Hessian. Two passes are enough"
    return more if made > 2 * seen.calls else ""


WRONG_PRODUCTS = {
    "that is the gradient times `v`, differentiated once": _from(lambda g, v, d: g * v),
    "that is g · v, a number. Differentiate it": _from(lambda g, v, d: g @ v),
    "`v` comes too late: put it into the number that you differentiate": _from(
        lambda g, v, d: d(g.sum()) * v
    ),
    "`v` is missing": _from(lambda g, v, d: d(g.sum())),
    "that is the gradient itself": _from(lambda g, v, d: g),
    "that is the gradient of |g|²: differentiate g · v": _from(lambda g, v, d: d(g @ g)),
    "that is g + H v: `.grad` still contained g": _from(lambda g, v, d: g + d(g @ v)),
}

function_exercise(
    "15.1",
    product=Function(
        lambda w, v: torch.autograd.functional.hvp(_loss, w, v)[1],
        {"w": (4,), "v": (4,)},
        [torch.randn(2, n, generator=torch.Generator().manual_seed(n)) for n in (1, 2, 7)],
        conduct=_two_passes,
        slips={"does not require grad": NO_GRAPH},
        mistakes=WRONG_PRODUCTS,
    ),
)


class AsAHook(Function):
    """A hook, which lets the gradient through by returning nothing."""

    def call(self, function, arguments):
        result = super().call(function, arguments)
        if result is None:
            return arguments[0]
        if result is not ... and not isinstance(result, (autograd_core.Tensor, torch.Tensor)):
            must = "A hook must return a tensor or None, or PyTorch raises TypeError"
            raise Refused(f"returns {kind_of(result)}. {must}")
        return result


UNIT = torch.tensor([0.6, 0.0, -0.8], dtype=torch.float64)
GRADIENTS = [
    *((size * UNIT,) for size in (0.9, 0.99, 1.01, 1.1, 1.3, 0.0, 0.3, 30.0)),
    *((torch.full(shape, 0.9),) for shape in ((1,), ())),
    ([[0.9, -0.3], [0.6, 1.2]],),
]


def _by(length):
    """A hook that divides by `length(gradient)`, but at least by 1."""
    return lambda g: g / length(g).clamp(min=1)


OWN = "is scaled by its own length. Use the length of the whole gradient"

WRONG_HOOKS = {
    "a shorter gradient is made longer. Leave it as it is": [
        lambda g: g / g.norm(),
        lambda g: g / g.norm().clamp(min=1e-12),
        lambda g: torch.nn.functional.normalize(g, dim=0),
        lambda g: torch.nn.functional.normalize(g, dim=-1),
    ],
    "each number is cut on its own, so the direction turns": [
        lambda g: g.clamp(-1, 1),
        lambda g: g.clamp(max=1),
    ],
    "the length is the root of the sum of the squares of all numbers": [
        _by(lambda g: g.abs().sum()),
        _by(lambda g: g.abs().max()),
        _by(lambda g: (g**2).mean().sqrt()),
    ],
    "that is the squared length: a root is missing": _by(lambda g: (g**2).sum()),
    "every gradient stays as it is": lambda g: g,
    "you divide by at most 1, so a long gradient stays long": lambda g: g / g.norm().clamp(max=1),
    f"each row {OWN}": _by(lambda g: g.norm(dim=-1, keepdim=True)),
    f"each column {OWN}": _by(lambda g: g.norm(dim=0, keepdim=True)),
}

function_exercise(
    "15.2",
    tolerance=1e-5,
    hook=AsAHook(_by(torch.norm), {"gradient": (3,)}, GRADIENTS, mistakes=WRONG_HOOKS),
)


class Twice(Function):
    """A square: its value, and the first two derivatives of r⁴ computed with it."""

    def trial(self, generator, arguments):
        names = ["the value", "the first derivative of r⁴", "its second derivative"]
        return arguments, list(self.call(self.reference, arguments)), names

    def call(self, function, given):
        (r,) = leaves_of(given)
        value = function(r)
        if value is ... or value is None:
            return value
        (first,) = torch.autograd.grad((value**2).sum(), r, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), r, materialize_grads=True)
        return value, first, second


def _detached(r):
    value = r * r
    value.register_hook(lambda gradient: gradient.detach())
    return value


WRONG_SQUARES = {
    "the first derivative is right, but `2 * r` is a constant for the second pass. Compute it in"
    " `backward`, from the saved input": lambda r: 2 * r.detach() * r - r.detach() ** 2,
    "a part of the second derivative is missing: the incoming gradient is detached": _detached,
}

function_exercise("15.3", square=Twice(lambda r: r * r, {"r": (3,)}, mistakes=WRONG_SQUARES))

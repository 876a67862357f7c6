"""Lesson 15, gradients of gradients: what PyTorch answers to its exercises."""

import torch

from ..check import function_exercise
from ..references import Function, leaves_of


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

function_exercise("15.2", square=Twice(lambda r: r * r, {"r": (3,)}, mistakes=WRONG_SQUARES))

"""Lesson 15, gradients of gradients: what PyTorch answers to its exercises."""

import torch

import autograd_core

from ..check import exercise, function_exercise
from ..references import Function, Refused


def _loss(w):
    return (w.exp() * w.sum()).sum()


def _gradient(w, create_graph=False):
    """`w` as a leaf, and the gradient of the loss."""
    w = w.detach().requires_grad_()
    return w, torch.autograd.grad(_loss(w), w, create_graph=create_graph)[0]


def _second(number_of):
    """A function that differentiates `number_of(g, v)`, where g is the gradient."""

    def product(w, v):
        w, gradient = _gradient(w, create_graph=True)
        return torch.autograd.grad(number_of(gradient, v), w)[0]

    return product


_of_the_sum = _second(lambda g, v: g.sum())

MORE = "a pass for each row computes the whole Hessian. Two passes are enough"
NO_GRAPH = (
    "differentiates a gradient that has no graph. Record the first pass with `create_graph=True`, and"
    " differentiate the number with respect to `w`"
)


def _two_passes(seen):
    # PyTorch's `hvp` makes a third pass: it differentiates the second one by its vector
    made = seen.passes - min(seen.differentiated, seen.calls)
    return MORE if made > 2 * seen.calls else ""


WRONG_PRODUCTS = {
    "that is the gradient times `v`, differentiated once": lambda w, v: _gradient(w)[1] * v,
    "that is g · v, a number. Differentiate it": lambda w, v: _gradient(w)[1] @ v,
    "`v` comes too late: put it into the number that you differentiate": lambda w, v: (
        _of_the_sum(w, v) * v
    ),
    "`v` is missing": _of_the_sum,
    "that is the gradient itself": lambda w, v: _gradient(w)[1],
    "that is the gradient of |g|²: differentiate g · v": _second(lambda g, v: (g * g).sum()),
    "that is g + H v: `.grad` still contained g": lambda w, v: (
        _gradient(w)[1] + _second(lambda g, v: g @ v)(w, v)
    ),
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
    """A hook, which lets the gradient through by returning nothing, and may not write into it."""

    def call(self, function, arguments):
        (gradient,) = arguments
        result = function(gradient)
        if gradient._version:
            raise Refused("changes the gradient in place. Others may hold it: return a new tensor")
        if result is None:
            return gradient
        if result is not ... and not isinstance(result, (autograd_core.Tensor, torch.Tensor)):
            kind = f"returns a value of type `{type(result).__name__}`"
            raise Refused(
                f"{kind}. A hook must return a tensor or None, or PyTorch raises TypeError"
            )
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


def _normalized_if_long(dim):
    return lambda g: torch.where(g.norm() > 1, torch.nn.functional.normalize(g, dim=dim), g)


OWN = "is scaled by its own length. Use the length of the whole gradient"

WRONG_HOOKS = {
    "a shorter gradient is made longer. Leave it as it is": [
        lambda g: g / g.norm(),
        lambda g: g / g.norm().clamp(min=1e-12),
        lambda g: torch.nn.functional.normalize(g, dim=0),
        lambda g: torch.nn.functional.normalize(g, dim=-1),
    ],
    "each number is cut on its own, so the direction turns": lambda g: g.clamp(-1, 1),
    "that is the squared length: a root is missing": _by(lambda g: (g**2).sum()),
    "every gradient stays as it is": lambda g: g,
    "negative numbers are not limited; a length has no sign": lambda g: g.clamp(max=1),
    "a length is the root of a sum of squares, not a sum of sizes": _by(lambda g: g.abs().sum()),
    "the length is that of all numbers together, not the largest of them": _by(
        lambda g: g.abs().max()
    ),
    "that is the root of the mean of the squares. A length has their sum": _by(
        lambda g: (g**2).mean().sqrt()
    ),
    "you divide by at most 1, so a long gradient stays long": lambda g: g / g.norm().clamp(max=1),
    f"each row {OWN}": [_by(lambda g: g.norm(dim=-1, keepdim=True)), _normalized_if_long(-1)],
    f"each column {OWN}": [_by(lambda g: g.norm(dim=0, keepdim=True)), _normalized_if_long(0)],
}

function_exercise(
    "15.2",
    tolerance=1e-5,
    hook=AsAHook(_by(torch.norm), {"gradient": (3,)}, GRADIENTS, mistakes=WRONG_HOOKS),
)


@exercise(
    "15.3",
    mistakes={
        "That one is known. There is another": 0.0,
        "The wrong way round: 3x² = 2x": 1.5,
        "That is where x² and 3x meet. The two rules are 3x² and 2x": 3.0,
        "Half of it": 1 / 3,
        "0.6666 is cut off. Rounded it ends with a 7": 0.6666,
        "Which `x` solves 3x² = 2x?": 2.0,
    },
)
def where_two_rules_agree():
    low, high = torch.tensor([0.1, 1.0], dtype=torch.float64)
    for _ in range(60):
        middle = (low + high) / 2
        x = middle.clone().requires_grad_()
        (slope,) = torch.autograd.grad(x**3, x)
        low, high = (low, middle) if slope > 2 * middle else (middle, high)
    return {"x": middle}

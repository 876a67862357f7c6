"""Lesson 15, gradients of gradients: what PyTorch answers to its exercises."""

import torch

import autograd_core

from ..check import Function, Refused, exercise, function_exercise
from . import clipped


def _loss(w):
    return (w.exp() * w.sum()).sum()


MORE = "a pass for each row makes the whole Hessian. Two passes are enough"
NO_GRAPH = (
    "differentiates what has no graph. The first pass has to be recorded, `detach()` cuts that off,"
    " and the second differentiates with respect to `w`"
)


@function_exercise(
    "15.1",
    product=Function(
        lambda w, v: torch.autograd.functional.hvp(_loss, w, v)[1],
        {"w": (4,), "v": (4,)},
        [torch.randn(2, n, generator=torch.Generator().manual_seed(n)) for n in (1, 2, 7)],
        conduct=lambda seen: MORE if seen.passes > 2 * seen.calls else "",
        slips={"does not require grad": NO_GRAPH},
    ),
)
def wrong_products(w, v):
    w = w.detach().clone().requires_grad_()
    (recorded,) = torch.autograd.grad(_loss(w), w, create_graph=True)
    g = recorded.detach()

    def second(number):
        return torch.autograd.grad(number, w, retain_graph=True)[0]

    once = "That is the gradient times v, element by element: nothing was differentiated twice"
    late = "`v` comes too late: it must be in the number that is differentiated"
    return {
        once: g * v,
        "That is g · v, a number. Its gradient is asked for": (g * v).sum(),
        late: second(recorded.sum()) * v,
        "`v` is missing": second(recorded.sum()),
        "That is the gradient itself": g,
        "That is the gradient of |g|²: the number is g · v": second((recorded * recorded).sum()),
        "That is g + H v: `.grad` still held g": g + second(recorded @ v),
    }


class AsAHook(Function):
    """A hook, which lets the gradient through by returning nothing, and may not write into it."""

    def call(self, function, arguments):
        gradient = autograd_core.from_numpy(arguments[0].numpy().copy())
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


@function_exercise(
    "15.2",
    tolerance=1e-5,
    hook=AsAHook(lambda gradient: clipped(gradient)[0], {"gradient": (3,)}, GRADIENTS),
)
def wrong_hooks(g):
    def by(length):
        return g / length.clamp(min=1)

    largest = "The length is that of all numbers together, not the largest of them"
    mean = "That is the root of the mean of the squares. A length has their sum"
    own = "is scaled by its own length. Use the length of the whole gradient"
    normalized = {dim: torch.nn.functional.normalize(g, dim=dim) for dim in (0, -1)}

    def each_along(dim):
        return [by(g.norm(dim=dim, keepdim=True)), torch.where(g.norm() > 1, normalized[dim], g)]

    return {
        "A shorter gradient is made longer. It should stay as it is": [
            g / g.norm(),
            g / g.norm().clamp(min=1e-12),
            *normalized.values(),
        ],
        "Each number is cut on its own, so the direction turns": g.clamp(-1, 1),
        "That is the squared length: a root is missing": by((g**2).sum()),
        "Every gradient is let through": g,
        "Only upwards is limited; a length has no sign": g.clamp(max=1),
        "The length is the root of the sum of squares, not the sum of sizes": by(g.abs().sum()),
        largest: by(g.abs().max()),
        mean: by(g.pow(2).mean().sqrt()),
        "Divided by 1 at most, a long gradient stays long": g / g.norm().clamp(max=1),
        f"Each row {own}": each_along(-1),
        f"Each column {own}": each_along(0),
    }


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

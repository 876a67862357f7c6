"""Lesson 15, gradients of gradients: what PyTorch answers to its exercises."""

import autograd_core

from ..check import Function, _Refused, exercise


def _loss(w):
    return (w.exp() * w.sum()).sum()


def _gradient_at(w):
    import torch

    w = w.detach().clone().requires_grad_()
    (g,) = torch.autograd.grad(_loss(w), w, create_graph=True)
    return w, g


def _second(w, number_of):
    import torch

    w, g = _gradient_at(w)
    return torch.autograd.grad(number_of(g), w)[0]


@exercise(
    "15.1",
    mistakes={
        "That is the gradient times v, element by element: nothing was differentiated twice": (
            lambda w, v: _gradient_at(w)[1].detach() * v
        ),
        "That is g · v, a number. Its gradient is asked for": (
            lambda w, v: (_gradient_at(w)[1].detach() * v).sum()
        ),
        "`v` comes too late: it must be in the number that is differentiated": lambda w, v: (
            _second(w, lambda g: g.sum()) * v
        ),
        "`v` is missing": lambda w, v: _second(w, lambda g: g.sum()),
        "That is the gradient itself": lambda w, v: _gradient_at(w)[1].detach(),
        "That is the gradient of |g|²: the number is g · v": lambda w, v: _second(
            w, lambda g: (g * g).sum()
        ),
        "That is g + H v: `.grad` still held g": lambda w, v: (
            _gradient_at(w)[1].detach() + _second(w, lambda g: g @ v)
        ),
    },
)
def hessian_times_vector(torch):
    def product(w, v):
        return torch.autograd.functional.hvp(lambda w: (torch.exp(w) * w.sum()).sum(), w, v)[1]

    def two_passes(seen):
        return (
            ""
            if seen.passes <= 2 * seen.calls
            else "a pass for each row makes the whole Hessian. Two passes are enough"
        )

    cases = [
        torch.randn(2, n, dtype=torch.float64, generator=torch.Generator().manual_seed(n))
        for n in (1, 2, 7)
    ]
    return {
        "product": Differentiated(product, {"w": (4,), "v": (4,)}, conduct=two_passes, cases=cases)
    }


class Differentiated(Function):
    """A function that differentiates twice. Where the first gradient has no graph, that is said."""

    def call(self, function, arguments):
        try:
            return super().call(function, arguments)
        except RuntimeError as error:
            if "does not require grad" in str(error):
                raise _Refused(
                    "differentiates what has no graph. The first pass has to be recorded,"
                    " `detach()` cuts that off, and the second differentiates with respect to `w`"
                ) from None
            raise


@exercise(
    "15.2",
    tolerance=1e-5,
    mistakes={
        "A shorter gradient is made longer. It should stay as it is": lambda g: g / g.norm(),
        "Each number is cut on its own, so the direction turns": lambda g: g.clamp(-1, 1),
        "That is the squared length: a root is missing": lambda g: g / (g**2).sum().clamp(min=1),
        "Every gradient is let through": lambda g: g,
        "Only upwards is limited; a length has no sign": lambda g: g.clamp(max=1),
        "The length is the root of the sum of squares, not the sum of sizes": lambda g: (
            g / g.abs().sum().clamp(min=1)
        ),
        "The length is that of all numbers together, not the largest of them": lambda g: (
            g / g.abs().max().clamp(min=1)
        ),
        "That is the root of the mean of the squares. A length has their sum": lambda g: (
            g / g.pow(2).mean().sqrt().clamp(min=1)
        ),
        "Divided by 1 at most, a long gradient stays long": lambda g: g / g.norm().clamp(max=1),
        "Each row is cut by its own length. It is the length of all rows together": (
            lambda g: g / g.norm(dim=-1, keepdim=True).clamp(min=1)
        ),
    },
)
def a_hook_that_scales_down(torch):
    def passed_on(gradient):
        parameter = torch.zeros_like(gradient)
        parameter.grad = gradient.clone()
        torch.nn.utils.clip_grad_norm_([parameter], 1.0)
        return parameter.grad

    lengths = iter([0.3, 30.0, 0.8, 15.0, 0.1])  # one for each trial, on both sides of 1

    def some(generator):
        gradient = torch.randn(3, generator=generator, dtype=torch.float64)
        return gradient / gradient.norm() * next(lengths)

    unit = torch.tensor([0.6, 0.0, -0.8], dtype=torch.float64)
    lengths_nearby = [(size * unit,) for size in (0.9, 0.99, 1.01, 1.1, 1.3, 0.0)]
    others = [(torch.full(shape, 0.9, dtype=torch.float64),) for shape in ((1,), (2, 2), ())]
    return {"hook": AsAHook(passed_on, {"gradient": some}, cases=[*lengths_nearby, *others])}


class AsAHook(Function):
    """A hook. One that returns nothing lets the gradient through. It may not write into the tensor
    that it is handed.
    """

    def call(self, function, arguments):
        gradient = autograd_core.from_numpy(arguments[0].numpy().copy())
        result = function(gradient)
        if gradient._version:
            raise _Refused("changes the gradient in place. Others may hold it: return a new tensor")
        return gradient if result is None else result


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
def where_two_rules_agree(torch):
    low, high = torch.tensor([0.1, 1.0], dtype=torch.float64)
    for _ in range(60):
        middle = (low + high) / 2
        x = middle.clone().requires_grad_()
        (slope,) = torch.autograd.grad(x**3, x)
        low, high = (low, middle) if slope > 2 * middle else (middle, high)
    return {"x": middle}

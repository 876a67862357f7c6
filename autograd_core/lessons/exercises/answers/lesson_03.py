"""Lesson 03, accumulate and step: what PyTorch answers to its exercises."""

import torch

from ..check import function_exercise
from ..references import Function
from . import after_steps, gradient_of


def _gradient(w, x):
    return gradient_of(lambda w: ((x @ w) ** 2).mean(), w)


def _halves(seen):
    if (8, 3) in seen.shapes:
        return "the gradient is right, but the whole batch went through at once"
    both = seen.passes >= 2 * seen.calls
    return "" if both else "the gradient is right, but two backward passes are asked for"


BATCHES = [
    (torch.linspace(-1, 1, width), torch.linspace(-2, 3, count * width).reshape(count, width) ** 2)
    for count, width in ((12, 3), (6, 1), (10, 4))
]


@function_exercise(
    "03.1", gradient=Function(_gradient, {"w": (3,), "x": (8, 3)}, BATCHES, conduct=_halves)
)
def wrong_gradients(w, x):
    whole = _gradient(w, x)
    first, second = (_gradient(w, half) for half in x.chunk(2))
    of_four = (_gradient(w, x[:4]) + _gradient(w, x[4:])) / 2
    return {
        "twice too much: each half is a mean over 4, and the whole is a mean over 8": 2 * whole,
        "that is the first half alone": first,
        "that is the second half alone": second,
        "that is the second half alone, divided by 2": second / 2,
        "that is the first half alone, divided by 2": first / 2,
        "4 examples are one half of 8 alone; batches of other lengths are tried too": of_four,
        "that is `w`; its gradient is asked for": w,
        "too small: each half counts for one half, not for less": whole / 4,
    }


SEVERAL = torch.arange(6.0).reshape(2, 3)
WEIGHTS = [
    (-2.0, -6.0),
    (SEVERAL, SEVERAL),
    (SEVERAL, 0 * SEVERAL),
    (0 * SEVERAL, SEVERAL),
    (300 * SEVERAL, SEVERAL),
]


@function_exercise(
    "03.2",
    step=Function(
        lambda w, gradient: after_steps(w, gradient, weight_decay=0.01),
        {"w": (3,), "gradient": (3,)},
        WEIGHTS,
    ),
)
def wrong_steps(w, g):
    plain, taken = w - 0.1 * g, g + 0.01 * w
    return {
        "the decay is missing": plain,
        "the decay is added before it is multiplied with `lr`": plain - 0.01 * w,
        "the decay pulls `w` towards 0, with the sign of the gradient": w - 0.1 * (g - 0.01 * w),
        "`lr` is missing": w - taken,
        "a step goes against the gradient": w + 0.1 * taken,
        "the decay is taken from the weight before the step, not from the moved one": plain * 0.999,
        "a bracket is missing: `lr` multiplies the sum": plain + 0.01 * w,
        "that is what is subtracted; the new weight is asked for": 0.1 * taken,
        "that is the change; the new weight is asked for": -0.1 * taken,
        "the decay is a part of the weight, not a number for all": plain - 0.001,
        "the decay is a part of `w`, not of the gradient": w - 0.1 * (g + 0.01 * g),
    }

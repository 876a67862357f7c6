"""Lesson 02, backward step by step: what PyTorch answers to its exercises."""

import torch

from ..check import exercise, function_exercise
from ..references import BackwardRule, Function
from ..you_run import YouRun

exercise("02.1")(lambda: {"run": YouRun(events=8)})  # three paths

PAIRS = [
    (1.5, -0.5),
    ([0.0, 2.0], [1.0, 0.0]),
    ([[1.0, -1.0], [3.0, 0.5]], [[0.0, 1.0], [2.0, -2.0]]),
]


@function_exercise(
    "02.2", rule=BackwardRule(lambda a, b: a * torch.exp(b), {"a": (3,), "b": (3,)}, PAIRS)
)
def wrong_rules(g, a, b):
    e = b.exp()
    right, other = g * e, g * a * e
    return {
        "`g` is missing: each slope is multiplied by what has arrived": (e, a * e),
        "`g` is missing in what goes to `b`": (right, a * e),
        "`g` is missing in what goes to `a`": (e, other),
        "the two are swapped": (other, right),
        "what goes to `a` is right; the slope in `b` has the factor `a`": (right, right),
        "what arrived is multiplied, not added": (g + e, g + a * e),
        "that is the rule of `a * b`: the exponential is missing": (g * b, g * a),
        "that is the value, not a slope": (a * e, a * e),
        "the slope of `exp(b)` is `exp(b)`: it is missing in what goes to `b`": (right, g * a),
        "the slope in `b` is that of `a * exp(b)`; yours has `b` as a factor": (right, other * b),
    }


def f(x):
    """The function of exercise 02.3."""
    return x.exp() * x.flip(0)


def _jacobian(x):
    return torch.autograd.functional.jacobian(f, x)


def _row(*v):
    """A function that computes `v` times the Jacobian of `f`."""

    def row(x):
        x = x.detach().requires_grad_()
        f(x).backward(torch.tensor(v, dtype=x.dtype))
        return x.grad

    return row


def _one_pass(seen):
    each = seen.passes / seen.calls
    return "" if each == 1 else f"the row is right, but it took {each:g} backward passes; use one"


WRONG_ROWS = {
    "that is the first row": _row(1, 0, 0),
    "that is the second row": _row(0, 1, 0),
    "that is the last column: a row belongs to one output": lambda x: _jacobian(x)[:, -1],
    "that is the sum of all rows. Which `v` chooses the last one?": _row(1, 1, 1),
    "that is the whole Jacobian": _jacobian,
    "that is `f(x)`, not a derivative": f,
    "that is three times the last row: `v` needs a single 1": _row(0, 0, 3),
}

function_exercise(
    "02.3",
    last_row=Function(
        lambda x: _jacobian(x)[-1],
        {"x": (3,)},
        [([0.0, 0.0, 0.0],), ([2.0, -1.0, 2.0],), ([-1.0, 0.0, 3.0],)],
        conduct=_one_pass,
        mistakes=WRONG_ROWS,
    ),
)

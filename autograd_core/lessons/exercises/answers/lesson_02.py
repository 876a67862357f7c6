"""Lesson 02, backward step by step: what PyTorch answers to its exercises."""

import torch

from ..check import BackwardRule, Function, exercise, function_exercise
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


def _f(x):
    return x.exp() * x.flip(0)


def _table(x):
    return torch.autograd.functional.jacobian(_f, x)


def _one_pass(seen):
    each = seen.passes / seen.calls
    more = f"the row is right, but it took {each:g} backward passes, and one is asked for"
    return "" if each == 1 else more


@function_exercise(
    "02.3",
    last_row=Function(
        lambda x: _table(x)[-1],
        {"x": (3,)},
        [([0.0, 0.0, 0.0],), ([2.0, -1.0, 2.0],), ([-1.0, 0.0, 3.0],)],
        conduct=_one_pass,
    ),
)
def wrong_rows(x):
    table = _table(x)
    return {
        "that is the first row": table[0],
        "that is the row in the middle": table[1],
        "that is the last column: backward computes v times J, not J times v": table[:, -1],
        "that is the sum of all rows": table.sum(0),
        "that is the whole table": table,
        "that is `f(x)`, and not a slope": _f(x),
        "the last row, scaled: v is all 0 but for a single 1": table[-1] * 3,
    }

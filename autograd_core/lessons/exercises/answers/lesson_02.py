"""Lesson 02, backward step by step: what PyTorch answers to its exercises."""

import torch

from ..check import BackwardRule, Function, exercise


@exercise(
    "02.1",
    tolerance=1e-3,
    mistakes={
        "two paths of three: the new one is missing": -0.05505,
        "one path of three: the other two still lead to `u`": -0.5,
        "the path through the sigmoid is missing: `v` depends on `u` as well": -0.66591,
        "the path straight from the product is missing": -0.38914,
        "that is the gradient at `u`; `a` is one step further": 1.1101,
        "that is what goes to `b`": 2.2202,
        "the new part is added, with its own sign": 0.44495,
        "the sign is that of `b`": 0.55505,
        "a `.grad` that was not empty has been added to: begin with fresh leaves (lesson 03 says why)": (
            -0.6101
        ),
        "that is the 1 and the old `a.grad`: it arrives at `u`, so add it there, and multiply by `b` then": (
            0.94495
        ),
        "that is the old `a.grad` less 1: the 1 arrives at `u`, so add it there, and multiply by `b` then": (
            -1.05505
        ),
        "that is the gradient at `u` before the third path": 0.1101,
        "the gradient at `u` is multiplied by `b`, not by its sign alone": -1.1101,
    },
)
def a_third_path(torch):
    a, b, c = (torch.tensor(value, requires_grad=True) for value in (2.0, -0.5, 0.3))
    u = a * b
    (u * torch.sigmoid(u + c) + u).backward()
    return {"a_grad": a.grad}


@exercise(
    "02.2",
    mistakes={
        "`g` is missing: each slope is multiplied by what has arrived": lambda g, a, b: (
            b.exp(),
            a * b.exp(),
        ),
        "`g` is missing in what goes to `b`": lambda g, a, b: (g * b.exp(), a * b.exp()),
        "`g` is missing in what goes to `a`": lambda g, a, b: (b.exp(), g * a * b.exp()),
        "the two are swapped": lambda g, a, b: (g * a * b.exp(), g * b.exp()),
        "what goes to `a` is right; the slope in `b` has the factor `a`": lambda g, a, b: (
            g * b.exp(),
            g * b.exp(),
        ),
        "what arrived is multiplied, not added": lambda g, a, b: (g + b.exp(), g + a * b.exp()),
        "that is the rule of `a * b`: the exponential is missing": lambda g, a, b: (g * b, g * a),
        "that is the value, not a slope": lambda g, a, b: (a * b.exp(), a * b.exp()),
        "what goes to `a` is right; the slope of `exp(b)` is `exp(b)`, and it is missing in what goes to `b`": lambda g, a, b: (
            g * b.exp(),
            (g * a).expand(b.shape),
        ),
        "the slope in `b` is that of `a * exp(b)`; yours has `b` as a factor": lambda g, a, b: (
            g * b.exp(),
            g * a * b * b.exp(),
        ),
    },
)
def rule_of_a_times_exp_b(torch):
    cases = [
        tuple(torch.tensor(part, dtype=torch.float64) for part in pair)
        for pair in (
            (1.5, -0.5),
            ([0.0, 2.0], [1.0, 0.0]),
            ([[1.0, -1.0], [3.0, 0.5]], [[0.0, 1.0], [2.0, -2.0]]),
        )
    ]
    return {
        "rule": BackwardRule(lambda a, b: a * torch.exp(b), {"a": (3,), "b": (3,)}, cases=cases)
    }


def _f(x):
    return x.exp() * x.flip(0)


def _table(x):
    return torch.autograd.functional.jacobian(_f, x)


def _passes(seen):
    each = seen.passes / seen.calls
    return (
        ""
        if each == 1
        else f"the row is right, but it took {each:g} backward passes, and one is asked for"
    )


@exercise(
    "02.3",
    mistakes={
        "that is the first row": lambda x: _table(x)[0],
        "that is the row in the middle": lambda x: _table(x)[1],
        "that is the last column: backward computes v times J, not J times v": lambda x: _table(x)[
            :, -1
        ],
        "that is the sum of all rows": lambda x: _table(x).sum(0),
        "that is the whole table": _table,
        "that is `f(x)`, and not a slope": _f,
        "the last row, scaled: v is all 0 but for a single 1": lambda x: _table(x)[-1] * 3,
    },
)
def one_row_of_a_jacobian(torch):
    cases = [
        (torch.tensor(x, dtype=torch.float64),)
        for x in ([0.0, 0.0, 0.0], [2.0, -1.0, 2.0], [-1.0, 0.0, 3.0])
    ]
    return {
        "last_row": Function(lambda x: _table(x)[-1], {"x": (3,)}, conduct=_passes, cases=cases)
    }

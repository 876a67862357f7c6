"""Lesson 08, many heads and one loss: what PyTorch answers to its exercises."""

import torch

from ..check import exercise, function_exercise
from ..references import BackwardRule, Function
from ..you_run import YouRun


@exercise("08.1")
def two_heads_by_hand():
    return {"run": YouRun(events=11)}


def _drawn(*shape):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator, dtype=torch.float64)


SIZES = [(7, 16, 1), (7, 16, 16), (3, 3, 3), (1, 4, 2)]


WRONG_RULES = {
    "the two are swapped": lambda g, w, h: (w.T @ g, g @ h.T),
    "`gradient` is missing in the first": lambda g, w, h: (torch.ones_like(g) @ h.T, w.T @ g),
    "`gradient` is missing in the second": lambda g, w, h: (g @ h.T, w.T @ torch.ones_like(g)),
    "the rule adds over the pixels: don't divide": lambda g, w, h: (g @ h.T / h.shape[1], w.T @ g),
    "the rule adds over the kernels: don't divide": lambda g, w, h: (g @ h.T, w.T @ g / len(w)),
    "the first is transposed: it needs the shape of `weight`": lambda g, w, h: (h @ g.T, w.T @ g),
}

function_exercise(
    "08.2",
    rule=BackwardRule(
        lambda weight, h: weight @ h,
        {"weight": (7, 16), "h": (16, 5)},
        [(_drawn(n, k), _drawn(k, m)) for n, k, m in SIZES],
        mistakes=WRONG_RULES,
    ),
)


ARROWS = [
    ([1.0, 0.0], [-1.0, 1.0]),
    ([1.0, 0.0], [1.0, 1.0]),
    ([1.0, 0.0], [0.0, 2.0]),
    ([2.0, 0.0, 0.0], [-3.0, 4.0, 0.0]),
    ([0.5, 0.5, -0.5], [-0.1, -0.1, 0.1]),
    ([3.0, 4.0], [-4.0, 2.9]),
    ([3.0, 4.0], [-4.0, 3.1]),
    ([-2.0], [0.5]),
    ([-2.0], [-0.5]),
]


def _without_conflict(a, b):
    return b - (a @ b).clamp(max=0) / (a @ a) * a


@function_exercise("08.3", gradient=Function(_without_conflict, {"a": (5,), "b": (5,)}, ARROWS))
def wrong_parts(a, b):
    against, product, right = (a @ b).clamp(max=0), a @ b, _without_conflict(a, b)
    part = product / (a @ a) * a
    cosine, kept = b - against / a.norm() / b.norm() * a, b * (product >= 0)
    takes_the_cosine = (
        "that takes the cosine for the length of the part: it lacks the length of `b`, and `a` is"
        " not of length 1"
    )
    by_number = b - part if (a * b < 0).any() else b
    other_way = b - product.clamp(min=0) / (a @ a) * a
    return {
        "right in conflict; where there is none, `b` is to stay as it is": b - part,
        "the other way round: the part is taken away where there is no conflict": other_way,
        "`b` is never changed": b,
        "the part is taken out of `a`; it should be taken out of `b`": a - against / (b @ b) * b,
        "divide by `a @ a`, the square of the length": b - against / a.norm() * a,
        "the division is missing: `a` is not of length 1": b - against * a,
        "the part is added; it should be taken away": 2 * b - right,
        "that is the part along `a`; it should be taken away from `b`": part if product < 0 else b,
        "divided by `b @ b`; the part is one along `a`": b - against / (b @ b) * a,
        takes_the_cosine: cosine,
        "conflict is the sign of the whole `a @ b`, not of one of its numbers": by_number,
        "only `b` is asked for, not the sum of both": a + right,
        "the part along `a` is taken away twice": 2 * right - b,
        "number by number; conflict is a matter of the whole arrows": b * (a * b >= 0),
        "turned round in conflict; only the part along `a` should go": -b if product < 0 else b,
        "all of `b` is thrown away in conflict; only its part along `a` should go": kept,
    }

"""Lesson 08, many heads and one loss: what PyTorch answers to its exercises."""

import torch

from ..check import BackwardRule, Function, exercise, function_exercise


@exercise(
    "08.1",
    mistakes={
        "that is the table as it was: now three maps are scaled together": [2, 2, 2, 2, 1],
        "the radius is scaled too now: its loss reads what the other two read": [2, 2, 3, 3, 1],
        "softmax couples as well: each cross-entropy reads two maps": [1, 1, 3, 3, 3],
        "every loss reads more than its own map here": [1, 1, 1, 1, 1],
        "not all seven: a loss reaches only what it has read": [7, 7, 7, 7, 7],
        "`sin` and `cos` are scaled with the radius too: three maps each": [2, 2, 2, 2, 3],
        "that is without any scaling": [2, 2, 1, 1, 1],
    },
)
def kernels_that_a_loss_reaches():
    torch.manual_seed(0)
    heads = torch.nn.Conv2d(16, 7, 1)
    maps = heads(torch.randn(1, 16, 8, 8))[0]
    scaled = maps[4:7] / maps[4:7].norm(dim=0)
    target = torch.zeros(1, 8, 8, dtype=torch.long)
    pairs = [torch.nn.functional.cross_entropy(maps[None, k : k + 2], target) for k in (0, 2)]
    gradients = [
        torch.autograd.grad(loss, heads.weight, retain_graph=True)[0].flatten(1)
        for loss in (*pairs, *(each.mean() for each in scaled))
    ]
    return {"kernels_reached": [int(gradient.any(dim=1).sum()) for gradient in gradients]}


def _drawn(*shape):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator, dtype=torch.float64)


SIZES = [(7, 16, 1), (7, 16, 16), (3, 3, 3), (1, 4, 2)]


@function_exercise(
    "08.2",
    rule=BackwardRule(
        lambda weight, h: weight @ h,
        {"weight": (7, 16), "h": (16, 5)},
        [(_drawn(n, k), _drawn(k, m)) for n, k, m in SIZES],
    ),
)
def wrong_rules(g, weight, h):
    first, second, ones = g @ h.T, weight.T @ g, torch.ones_like(g)
    kernels, pixels = weight.shape[0], h.shape[1]
    return {
        "the two are swapped": (second, first),
        "what arrived is missing in the first": (ones @ h.T, second),
        "what arrived is missing in the second": (first, weight.T @ ones),
        "divided by the number of pixels; the rule adds over them": (first / pixels, second),
        "divided by the number of kernels; the rule adds over them": (first, second / kernels),
        "the first has the shape of `weight` turned round": (h @ g.T, second),
    }


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

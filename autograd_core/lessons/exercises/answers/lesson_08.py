"""Lesson 08, many heads and one loss: what PyTorch answers to its exercises."""

import torch

from ..check import BackwardRule, Function, exercise


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
def kernels_that_a_loss_reaches(torch):
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


@exercise(
    "08.2",
    mistakes={
        "the two are swapped": lambda g, weight, h: (weight.T @ g, g @ h.T),
        "what arrived is missing in the first": lambda g, weight, h: (
            torch.ones_like(g) @ h.T,
            weight.T @ g,
        ),
        "what arrived is missing in the second": lambda g, weight, h: (
            g @ h.T,
            weight.T @ torch.ones_like(g),
        ),
        "divided by the number of pixels; the rule adds over them": lambda g, weight, h: (
            g @ h.T / h.shape[1],
            weight.T @ g,
        ),
        "divided by the number of kernels; the rule adds over them": lambda g, weight, h: (
            g @ h.T,
            weight.T @ g / weight.shape[0],
        ),
        "the first has the shape of `weight` turned round": lambda g, weight, h: (
            h @ g.T,
            weight.T @ g,
        ),
    },
)
def rule_of_kernels_of_one_pixel(torch):
    def drawn(*shape):
        return torch.randn(
            shape, generator=torch.Generator().manual_seed(sum(shape)), dtype=torch.float64
        )

    return {
        "rule": BackwardRule(
            lambda weight, h: weight @ h,
            {"weight": (7, 16), "h": (16, 5)},
            cases=[
                (drawn(7, 16), drawn(16, 1)),
                (drawn(7, 16), drawn(16, 16)),
                (drawn(3, 3), drawn(3, 3)),
                (drawn(1, 4), drawn(4, 2)),
            ],
        )
    }


@exercise(
    "08.3",
    mistakes={
        "right in conflict; where there is none, `b` is to stay as it is": lambda a, b: (
            b - (a @ b) / (a @ a) * a
        ),
        "the other way round: the part is taken away where there is no conflict": lambda a, b: (
            b - (a @ b).clamp(min=0) / (a @ a) * a
        ),
        "`b` is never changed": lambda a, b: b,
        "the part is taken out of `a`; it should be taken out of `b`": lambda a, b: (
            a - (a @ b).clamp(max=0) / (b @ b) * b
        ),
        "divide by `a @ a`, the square of the length": lambda a, b: (
            b - (a @ b).clamp(max=0) / a.norm() * a
        ),
        "the division is missing: `a` is not of length 1": lambda a, b: (
            b - (a @ b).clamp(max=0) * a
        ),
        "the part is added; it should be taken away": lambda a, b: (
            b + (a @ b).clamp(max=0) / (a @ a) * a
        ),
        "that is the part along `a`; it should be taken away from `b`": lambda a, b: (
            (a @ b) / (a @ a) * a if a @ b < 0 else b
        ),
        "divided by `b @ b`; the part is one along `a`": lambda a, b: (
            b - (a @ b).clamp(max=0) / (b @ b) * a
        ),
        "that takes the cosine for the length of the part: it lacks the length of `b`, and `a` is not of length 1": lambda a, b: (
            b - (a @ b).clamp(max=0) / a.norm() / b.norm() * a
        ),
        "conflict is the sign of the whole `a @ b`, not of one of its numbers": lambda a, b: (
            b - (a @ b) / (a @ a) * a if (a * b < 0).any() else b
        ),
        "only `b` is asked for, not the sum of both": lambda a, b: (
            a + b - (a @ b).clamp(max=0) / (a @ a) * a
        ),
        "the part along `a` is taken away twice": lambda a, b: (
            b - 2 * (a @ b).clamp(max=0) / (a @ a) * a
        ),
        "number by number; conflict is a matter of the whole arrows": lambda a, b: b * (a * b >= 0),
        "turned round in conflict; only the part along `a` should go": lambda a, b: (
            -b if a @ b < 0 else b
        ),
        "all of `b` is thrown away in conflict; only its part along `a` should go": lambda a, b: (
            b * float(a @ b >= 0)
        ),
    },
)
def the_part_of_a_gradient_that_is_not_against_another(torch):
    def without_conflict(a, b):
        return b - (a @ b).clamp(max=0) / (a @ a) * a

    pairs = [
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
    return {
        "gradient": Function(
            without_conflict,
            {"a": (5,), "b": (5,)},
            cases=[
                tuple(torch.tensor(each, dtype=torch.float64) for each in pair) for pair in pairs
            ],
        )
    }

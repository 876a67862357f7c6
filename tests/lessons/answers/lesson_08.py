"""Lesson 08: right answers written otherwise, inputs on which wrong ones differ, and changes that
are no mistake.
"""

import torch

import autograd_core as T
from autograd_core.nn import functional as F
from tests.lessons.answer_mutants import right, wide


def drawn(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


@right("08.2")
def turned_round(gradient, weight, h):
    return (h @ gradient.T).T, (gradient.T @ weight).T


@right("08.2")
def with_matmul(gradient, weight, h):
    of_weight = T.matmul(gradient, h.transpose(0, 1))
    of_h = T.matmul(weight.transpose(0, 1), gradient)
    return of_weight, of_h


@right("08.2")
def row_by_row(gradient, weight, h):
    rows = [h @ row for row in gradient]
    columns = [weight.T @ column for column in gradient.T]
    return T.stack(rows), T.stack(columns, 1)


@right("08.2")
def pixel_by_pixel(gradient, weight, h):
    of_weight, of_h = T.zeros_like(weight), T.zeros_like(h)
    for n in range(h.shape[1]):
        of_weight = of_weight + gradient[:, n, None] * h[None, :, n]
        of_h[:, n] = weight.T @ gradient[:, n]
    return of_weight, of_h


@right("08.2")
def by_broadcasting(gradient, weight, h):
    return (gradient[:, None, :] * h[None, :, :]).sum(2), (
        weight[:, :, None] * gradient[:, None, :]
    ).sum(0)


wide(
    "08.2",
    lambda generator: [
        (drawn(generator, k, c), drawn(generator, c, n))
        for k, c, n in (
            (7, 16, 5),
            (7, 16, 1),
            (1, 1, 1),
            (2, 3, 4),
            (4, 3, 2),
            (5, 5, 5),
            (7, 7, 3),
            (3, 1, 6),
        )
    ],
)


@right("08.3")
def with_a_branch(a, b):
    if (a * b).sum() >= 0:
        return b
    unit = a / a.norm()
    return b - (b @ unit) * unit


@right("08.3")
def with_clamp(a, b):
    return b - (a @ b).clamp(max=0) / (a @ a) * a


@right("08.3")
def with_relu(a, b):
    return b + F.relu(-(a @ b)) / (a @ a) * a


@right("08.3")
def with_where(a, b):
    along = (a * b).sum() / (a**2).sum()
    return T.where(along < 0, b - along * a, b)


@right("08.3")
def with_the_angle(a, b):
    cosine = F.cosine_similarity(a, b, dim=0)
    if cosine < 0:
        b = b - cosine * b.norm() / a.norm() * a
    return b


@right("08.3")
def with_min(a, b):
    share = min((a @ b).item(), 0.0) / (a @ a).item()
    return b - share * a


def pairs(generator):
    """In conflict, not in conflict, and at a right angle; of many lengths."""
    found = [
        (a * drawn(generator, size), b * drawn(generator, size))
        for size in (1, 2, 3, 5, 5, 20)
        for a, b in ((1, 1), (0.1, 3), (5, 0.2))
    ]
    a = drawn(generator, 4)
    b = drawn(generator, 4)
    return found + [
        (a, -2 * a),
        (a, 3 * a),
        (a, b - (a @ b) / (a @ a) * a - 0.001 * a),
        (a, b - (a @ b) / (a @ a) * a + 0.001 * a),
        (torch.tensor([1.0, 0], dtype=torch.float64), torch.tensor([0, 1.0], dtype=torch.float64)),
    ]


wide("08.3", pairs)

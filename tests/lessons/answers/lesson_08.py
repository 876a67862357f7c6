"""Right answers to the exercises of lesson 08."""

import autograd_core as T
from autograd_core.nn import functional as F
from tests.lessons.right_answers import right


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

"""Right answers to the exercises of lesson 09."""

import autograd_core as T
from tests.lessons.right_answers import right

# 09.1: the mean over a mask


@right("09.1")
def by_its_length(each, mask):
    chosen = each[mask]
    return chosen.sum() / max(len(chosen), 1)


@right("09.1")
def with_where(each, mask):
    count = mask.sum().clamp(min=1)
    return T.where(mask, each, 0.0).sum() / count


@right("09.1")
def with_masked_select(each, mask):
    return T.masked_select(each, mask).sum() / max(mask.sum().item(), 1)


@right("09.1")
def with_a_fill(each, mask):
    kept = each.masked_fill(~mask, 0)
    return kept.sum() / mask.double().sum().clamp(min=1)


@right("09.1")
def with_an_if(each, mask):
    chosen = each[mask]
    if mask.any():
        return chosen.mean()
    return chosen.sum()


@right("09.1")
def one_by_one(each, mask):
    total, count = each[mask].sum() * 0, 0
    for loss, counts in zip(each.flatten(), mask.flatten()):
        if counts:
            total = total + loss
            count += 1
    return total / (count or 1)


# 09.2: scaling to the circle


@right("09.2")
def with_the_jacobian(gradient, pairs):
    length = pairs.norm(dim=1)[:, None, None]
    unit = pairs[:, :, None] / length
    jacobian = (T.eye(2, dtype=T.float64) - unit @ unit.transpose(1, 2)) / length
    return (jacobian @ gradient[:, :, None])[:, :, 0]


@right("09.2")
def along_the_perpendicular(gradient, pairs):
    length = (pairs**2).sum(1, keepdim=True).sqrt()
    across = T.stack([-pairs[:, 1], pairs[:, 0]], dim=1) / length
    return across * (across * gradient).sum(1, keepdim=True) / length


@right("09.2")
def by_autograd(gradient, pairs):
    leaf = pairs.detach().requires_grad_()
    unit = leaf / leaf.norm(dim=1, keepdim=True)
    return T.autograd.grad(unit, leaf, gradient)[0]


@right("09.2")
def row_by_row(gradient, pairs):
    rows = []
    for g, r in zip(gradient, pairs):
        unit = r / r.norm()
        rows.append((g - unit * (unit @ g)) / r.norm())
    return T.stack(rows)


@right("09.2")
def as_a_quotient(gradient, pairs):
    squared = (pairs**2).sum(dim=1, keepdim=True)
    along = (pairs * gradient).sum(dim=1, keepdim=True) / squared
    return (gradient - along * pairs) / squared.sqrt()


@right("09.2")
def two_terms(gradient, pairs):
    length = pairs.norm(dim=1, keepdim=True)
    dot = (pairs * gradient).sum(dim=1, keepdim=True)
    return gradient / length - pairs * dot / length**3

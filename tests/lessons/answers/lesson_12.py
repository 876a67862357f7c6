"""Right answers to the exercises of lesson 12."""

import autograd_core as T
from tests.lessons.right_answers import right

# 12.1: two steps with momentum


@right("12.1")
def with_a_loop(w, g1, g2):
    buffer = 0
    for g in (g1, g2):
        buffer = 0.9 * buffer + g
        w = w - 0.1 * buffer
    return w


@right("12.1")
def in_one_line(w, g1, g2):
    return w - 0.1 * (1.9 * g1 + g2)


@right("12.1")
def of_the_engine(w, g1, g2):
    w = w.clone().requires_grad_()
    optimizer = T.optim.SGD([w], lr=0.1, momentum=0.9)
    for g in (g1, g2):
        w.grad = g
        optimizer.step()
    return w.detach()


@right("12.1")
def with_a_velocity(w, g1, g2):
    velocity = -0.1 * g1
    w = w + velocity
    velocity = 0.9 * velocity - 0.1 * g2
    return w + velocity


@right("12.1")
def in_place_on_a_copy(w, g1, g2, lr=0.1, momentum=0.9):
    b = T.zeros_like(w)
    w = w.clone()
    for g in [g1, g2]:
        b.mul_(momentum).add_(g)
        w -= lr * b
    return w


@right("12.1")
def with_none_at_first(w, g1, g2):
    b = None
    for g in (g1, g2):
        b = g.clone() if b is None else 0.9 * b + g
        w = w - 0.1 * b
    return w


# 12.2: micro-batches with masks


def loss_of(w, x):
    return (w - x) ** 2


@right("12.2")
def by_index(w, x, mask):
    w = w.detach().clone().requires_grad_()
    for i in range(len(x)):
        each = loss_of(w, x[i])
        loss = each[mask[i]].sum() / mask.sum()
        loss.backward()
    return w.grad


@right("12.2")
def mask_as_factor(w, x, mask):
    w = w.detach().requires_grad_()
    valid = mask.sum().item()
    for row, kept in zip(x, mask):
        ((loss_of(w, row) * kept).sum() / valid).backward()
    return w.grad


@right("12.2")
def divided_at_the_end(w, x, mask):
    w = w.detach().requires_grad_()
    for row, kept in zip(x, mask):
        loss_of(w, row)[kept].sum().backward()
    return w.grad / mask.sum()


@right("12.2")
def by_shares_of_the_means(w, x, mask):
    w = w.detach().requires_grad_()
    for row, kept in zip(x, mask):
        share = kept.sum() / mask.sum()
        if kept.any():
            (share * loss_of(w, row)[kept].mean()).backward()
    return w.grad


@right("12.2")
def counted_by_hand(w, x, mask):
    w = w.detach().requires_grad_()
    count = sum(int(kept.sum()) for kept in mask)
    for row, kept in zip(x, mask):
        loss = T.where(kept, loss_of(w, row), T.zeros_like(row)).sum()
        (loss / count).backward()
    return w.grad


@right("12.2")
def slices_of_one_row(w, x, mask):
    w = w.detach().requires_grad_()
    total = mask.sum()
    for row, kept in zip(x.split(1), mask.split(1)):
        (loss_of(w, row)[kept].sum() / total).backward()
    return w.grad


@right("12.2")
def summed_by_hand(w, x, mask):
    w = w.detach().requires_grad_()
    gradient = T.zeros_like(w)
    for row, kept in zip(x, mask):
        loss = (loss_of(w, row)[kept]).sum() / mask.sum()
        gradient = gradient + T.autograd.grad(loss, w)[0]
    return gradient


# 12.3: clipping by the common norm


@right("12.3")
def with_an_if(g1, g2):
    norm = ((g1**2).sum() + (g2**2).sum()).sqrt()
    if norm > 1:
        return g1 / norm, g2 / norm
    return g1, g2


@right("12.3")
def factor_at_most_one(g1, g2):
    norm = ((g1**2).sum() + (g2**2).sum()).sqrt()
    factor = (1 / norm).clamp(max=1.0)
    return g1 * factor, g2 * factor


@right("12.3")
def of_both_norms(g1, g2):
    norm = (g1.norm() ** 2 + g2.norm() ** 2) ** 0.5
    return g1 / norm.clamp(min=1), g2 / norm.clamp(min=1)


@right("12.3")
def one_long_vector(g1, g2):
    together = T.cat([g1.flatten(), g2.flatten()])
    norm = together.norm()
    factor = 1.0 if norm <= 1 else 1 / norm
    return g1 * factor, g2 * factor


@right("12.3")
def with_python_numbers(g1, g2):
    squares = (g1 * g1).sum().item() + (g2 * g2).sum().item()
    norm = max(squares**0.5, 1.0)
    return g1 / norm, g2 / norm


@right("12.3")
def of_the_engine_too(g1, g2):
    weights = [T.zeros_like(g).requires_grad_() for g in (g1, g2)]
    for weight, g in zip(weights, (g1, g2)):
        weight.grad = g.clone()
    T.nn.utils.clip_grad_norm_(weights, 1.0)
    return weights[0].grad, weights[1].grad


@right("12.3")
def in_place_on_copies(g1, g2):
    squares = sum((g**2).sum() for g in (g1, g2))
    a, b = g1.clone(), g2.clone()
    if squares > 1:
        for g in (a, b):
            g /= squares.sqrt()
    return a, b


@right("12.3")
def with_where(g1, g2):
    norm = T.sqrt((g1**2).sum() + (g2**2).sum())
    factor = T.where(norm > 1, 1 / norm, T.ones_like(norm))
    return factor * g1, factor * g2

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

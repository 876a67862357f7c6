"""Right answers to the exercises of lesson 05."""

import autograd_core as T
from autograd_core.nn import functional as F
from tests.lessons.right_answers import right

# 05.1: a state that is cut


@right("05.1")
def detached_where_it_is_used(w):
    h, total = T.zeros((), dtype=w.dtype), 0.0
    for _ in range(4):
        h = T.tanh(w * h.detach() + 1)
        total = total + h**2
    return total


@right("05.1")
def with_a_list(w):
    h, losses = T.zeros_like(w).detach(), []
    for _ in range(4):
        h = T.tanh(h * w + 1)
        losses.append(h * h)
        h = h.detach()
    return T.stack(losses).sum()


@right("05.1")
def with_python_numbers(w):
    h, total = 0.0, 0.0
    for _ in range(4):
        h = T.tanh(w * h + 1)
        total += h**2
        h = h.item()
    return total


@right("05.1")
def detached_in_place(w):
    h = T.tensor(0.0, dtype=w.dtype)
    total = T.tensor(0.0, dtype=w.dtype)
    for _ in range(4):
        h = (w * h + 1).tanh()
        total = total + h.pow(2)
        h = h.data
    return total


@right("05.1")
def states_first(w):
    states = [T.zeros((), dtype=w.dtype)]
    with T.no_grad():
        for _ in range(3):
            states.append(T.tanh(w * states[-1] + 1))
    return (T.tanh(w * T.stack(states) + 1) ** 2).sum()


@right("05.1")
def unrolled(w):
    a = T.tanh(w * 0 + 1)
    b = T.tanh(w * a.detach() + 1)
    c = T.tanh(w * b.detach() + 1)
    d = T.tanh(w * c.detach() + 1)
    return a**2 + b**2 + c**2 + d**2


# 05.2: a block that writes in place


@right("05.2")
def with_where(x):
    h = T.sigmoid(x) + x
    h = T.where(h < 0.5, 0.0, h)
    return h.sum()


@right("05.2")
def cloned_first(x):
    h = T.sigmoid(x).clone()
    h += x
    h[h < 0.5] = 0
    return T.sum(h)


@right("05.2")
def by_a_mask(x):
    h = x.sigmoid() + x
    keep = h >= 0.5
    return (h * keep).sum()


@right("05.2")
def filled(x):
    h = F.sigmoid(x).add(x)
    h = h.masked_fill(h < 0.5, 0.0)
    return h.sum()


@right("05.2")
def by_index(x):
    h = T.sigmoid(x) + x
    return h[h >= 0.5].sum()


@right("05.2")
def filled_in_place(x):
    h = x + T.sigmoid(x)
    h.masked_fill_(h < 0.5, 0)
    return h.flatten().sum(0)


@right("05.2")
def written_out(x):
    h = x + 1 / (1 + T.exp(-x))
    low = (h < 0.5).detach()
    return ((1.0 - low.to(h.dtype)) * h).sum()

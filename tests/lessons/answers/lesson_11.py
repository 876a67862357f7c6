"""Right answers to the exercises of lesson 11."""

import autograd_core as T
from autograd_core.nn import functional as F
from tests.lessons.right_answers import right

# 11.2: through a network that gets nothing


@right("11.2")
def with_a_name(w, second):
    frozen = second.detach()
    out = w * frozen
    return (out * out).sum()


@right("11.2")
def with_data(w, second):
    return (w * second.data).pow(2).sum()


@right("11.2")
def under_no_grad(w, second):
    with T.no_grad():
        copy = second.clone()
    return ((w * copy) ** 2).sum()


@right("11.2")
def mean_squared_error(w, second):
    out = w * second.detach()
    return F.mse_loss(out, T.zeros_like(out), reduction="sum")


@right("11.2")
def squares_apart(w, second):
    weights = (second**2).detach()
    return (w**2 * weights).sum()


@right("11.2")
def only_where_not_recorded(w, second):
    with T.set_grad_enabled(False):
        kept = second * 1
    return T.sum(T.square(kept * w))


# 11.3: every sample counts the same


@right("11.3")
def by_shares(a, b):
    total = len(a) + len(b)
    return a.mean() * len(a) / total + b.mean() * len(b) / total


@right("11.3")
def with_numel(a, b):
    n, m = a.numel(), b.numel()
    return (n * a.mean() + m * b.mean()) / (n + m)


@right("11.3")
def with_a_share(a, b):
    share = a.shape[0] / (a.shape[0] + b.shape[0])
    return share * a.mean() + (1 - share) * b.mean()


@right("11.3")
def with_a_loop(a, b):
    loss = 0
    for part in (a, b):
        loss = loss + len(part) * part.mean()
    return loss / (len(a) + len(b))


@right("11.3")
def as_a_correction(a, b):
    return a.mean() + (b.mean() - a.mean()) * len(b) / (len(a) + len(b))


@right("11.3")
def named(a, b):
    mean_a, mean_b = T.mean(a), T.mean(b)
    size_a, size_b = a.size(0), b.size(0)
    return (mean_a * size_a + mean_b * size_b) / (size_a + size_b)


@right("11.3")
def as_a_product(a, b):
    shares = T.tensor([len(a), len(b)], dtype=T.float64) / (len(a) + len(b))
    return T.stack([a.mean(), b.mean()]) @ shares


@right("11.3")
def as_a_weighted_sum(a, b):
    sizes = T.tensor([len(a), len(b)], dtype=T.float64)
    return (T.stack([T.mean(a), T.mean(b)]) * sizes).sum() / sizes.sum()


@right("11.3")
def with_a_dim(a, b):
    n, m = len(a), len(b)
    return T.cat([n * a.mean(0, keepdim=True), m * b.mean(dim=0, keepdim=True)]).sum() / (n + m)

"""Right answers to the exercises of lesson 13."""

import autograd_core as T
from tests.lessons.right_answers import right, right_values

# 13.1: which loops move the weight

right_values(
    "13.1",
    ["stays", "moves", "nan", "stays"],
    ("stays", "moves", "nan", "stays"),
    ["Stays", "Moves", "NaN", "stays"],
)


# 13.2: two loaders that weigh the same


@right("13.2")
def with_sums(common, rare):
    return common.sum() / 64 + rare.sum() / 8


@right("13.2")
def with_a_stack(common, rare):
    return T.stack([common.mean(), rare.mean()]).mean()


@right("13.2")
def with_weights(common, rare):
    losses = T.cat([common, rare])
    weights = T.cat([T.ones(32), T.full((4,), 8.0)])
    return (losses * weights).sum() / weights.sum()


@right("13.2")
def with_their_numbers(common, rare):
    total = 0
    for losses in (common, rare):
        total = total + losses.sum() / len(losses)
    return total / 2


@right("13.2")
def with_a_share(common, rare, share=0.5):
    return (1 - share) * common.mean() + share * rare.mean()


@right("13.2")
def eight_times_the_rare(common, rare):
    return (common.sum() + 8 * rare.sum()) / (len(common) + 8 * len(rare))


# 13.3: how far a step goes


@right("13.3")
def as_a_loop_would(w, gradient):
    before = w.clone()
    w = w - 0.1 * gradient
    return (w - before).norm() / before.norm()


@right("13.3")
def with_roots(w, gradient):
    return 0.1 * (gradient**2).sum().sqrt() / (w**2).sum().sqrt()


@right("13.3")
def with_the_rate_named(w, gradient, lr=0.1):
    step = lr * gradient
    return step.norm(p=2) / w.norm(p=2)


@right("13.3")
def of_the_engine(w, gradient):
    moved = w.clone().requires_grad_()
    moved.grad = gradient
    T.optim.SGD([moved], lr=0.1).step()
    return (moved.detach() - w).norm() / w.norm()


@right("13.3")
def one_root(w, gradient):
    return (((0.1 * gradient) ** 2).sum() / (w * w).sum()) ** 0.5

"""Right answers to the exercises of lesson 03."""

import autograd_core as T
from tests.lessons.right_answers import right

# 03.1: a batch in two halves


def loss_of(w, x):
    return ((x @ w) ** 2).mean()


@right("03.1")
def by_slices(w, x):
    w = w.detach().requires_grad_()
    half = len(x) // 2
    (loss_of(w, x[:half]) / 2).backward()
    (loss_of(w, x[half:]) / 2).backward()
    return w.grad


@right("03.1")
def by_sums(w, x):
    w = w.detach().requires_grad_()
    for half in x.chunk(2):
        (((half @ w) ** 2).sum() / len(x)).backward()
    return w.grad


@right("03.1")
def divided_at_the_end(w, x):
    w = w.detach().requires_grad_()
    for half in x.split(len(x) // 2):
        loss_of(w, half).backward()
    return w.grad / 2


@right("03.1")
def a_gradient_of_one_half(w, x):
    w = w.detach().requires_grad_()
    for half in x.chunk(2):
        loss_of(w, half).backward(T.tensor(0.5, dtype=x.dtype))
    return w.grad


@right("03.1")
def every_second_example(w, x):
    w = w.detach().clone().requires_grad_()
    for start in range(2):
        loss = loss_of(w, x[start::2])
        loss = loss / 2
        loss.backward()
    return w.grad


@right("03.1")
def with_grad(w, x):
    w = w.detach().requires_grad_()
    gradients = [T.autograd.grad(loss_of(w, half), w)[0] for half in x.chunk(2)]
    return (gradients[0] + gradients[1]) / 2


@right("03.1")
def one_example_at_a_time(w, x):
    w = w.detach().requires_grad_()
    for row in x:
        ((row @ w) ** 2 / len(x)).backward()
    return w.grad


# 03.2: a step with weight decay


@right("03.2")
def in_two_lines(w, gradient):
    lr, decay = 0.1, 0.01
    total = gradient + decay * w
    return w - lr * total


@right("03.2")
def shrunk_first(w, gradient):
    lr, decay = 0.1, 0.01
    return (1 - lr * decay) * w - lr * gradient


@right("03.2")
def in_place_on_a_copy(w, gradient):
    lr, decay = 0.1, 0.01
    w = w.clone()
    gradient = gradient + decay * w
    w -= lr * gradient
    return w


@right("03.2")
def of_the_engine(w, gradient):
    w = w.clone().requires_grad_()
    w.grad = gradient.clone()
    T.optim.SGD([w], lr=0.1, weight_decay=0.01).step()
    return w.detach()


@right("03.2")
def as_a_change(w, gradient):
    change = -0.1 * gradient - 0.1 * 0.01 * w
    return w + change


@right("03.2")
def with_add(w, gradient):
    return w.add(gradient.add(w, alpha=0.01), alpha=-0.1)

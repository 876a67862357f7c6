"""Right answers to the exercises of lesson 04."""

import autograd_core as T
from tests.lessons.right_answers import right, right_values

# 04.1: what exp and sin save

right_values("04.1", 8000, 8e3, 1000 * 8, T.tensor(8000), 7999.999999)


# 04.2: a border, and two branches that are finished early


@right("04.2")
def with_a_loop(x):
    x = x.detach().requires_grad_()
    h = T.tanh(x)
    border = h.detach().requires_grad_()
    for branch in (T.exp, T.sin):
        branch(border).sum().backward()
    h.backward(border.grad)
    return x.grad


@right("04.2")
def two_borders(x):
    x = x.detach().clone().requires_grad_()
    h = T.tanh(x)
    first, second = h.detach().requires_grad_(), h.detach().requires_grad_()
    T.exp(first).sum().backward()
    T.sin(second).sum().backward()
    h.backward(first.grad + second.grad)
    return x.grad


@right("04.2")
def with_grad(x):
    x = x.detach().requires_grad_()
    h = T.tanh(x)
    border = h.detach().clone().requires_grad_()
    (of_exp,) = T.autograd.grad(T.exp(border).sum(), border)
    (of_sin,) = T.autograd.grad(T.sin(border).sum(), border)
    (gradient,) = T.autograd.grad(h, x, of_exp + of_sin)
    return gradient


@right("04.2")
def a_product_with_what_was_left(x):
    x = x.detach().requires_grad_()
    h = T.tanh(x)
    border = h.detach().requires_grad_(True)
    loss = border.exp().sum()
    loss.backward()
    loss = border.sin().sum()
    loss.backward()
    (h * border.grad).sum().backward()
    return x.grad


@right("04.2")
def the_trunk_as_a_network(x):
    x = x.detach().requires_grad_()
    h = x.tanh()
    border = h.detach()
    border.requires_grad_()
    losses = []
    for k in range(2):
        out = T.exp(border) if k == 0 else T.sin(border)
        losses.append(out.sum())
        losses[-1].backward()
    T.autograd.backward(h, border.grad)
    return x.grad


@right("04.2")
def sin_first(x):
    x = x.detach().requires_grad_()
    h = T.tanh(x)
    border = h.detach().requires_grad_()
    T.sin(border).backward(T.ones_like(border))
    T.exp(border).backward(T.ones_like(border))
    h.backward(gradient=border.grad)
    return x.grad

"""Right answers to the exercises of lesson 02."""

import autograd_core as T
from tests.lessons.right_answers import right

# 02.2: the rule of a * exp(b)


@right("02.2")
def with_the_output(g, a, b):
    exp = T.exp(b)
    y = a * exp
    return g * exp, g * y


@right("02.2")
def one_from_the_other(g, a, b):
    of_a = T.exp(b) * g
    of_b = of_a * a
    return of_a, of_b


@right("02.2")
def as_a_list(g, a, b):
    return [T.mul(g, b.exp()), T.mul(g * a, b.exp())]


@right("02.2")
def with_autograd(g, a, b):
    a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
    y = a * b.exp()
    return T.autograd.grad(y, (a, b), g)


@right("02.2")
def with_backward(g, a, b):
    a = a.detach().clone().requires_grad_()
    b = b.detach().clone().requires_grad_()
    (a * T.exp(b)).backward(g)
    return a.grad, b.grad


@right("02.2")
def slopes_first(g, a, b):
    slopes = {"a": b.exp(), "b": a * b.exp()}
    gradients = []
    for name in ("a", "b"):
        gradients.append(slopes[name] * g)
    return tuple(gradients)


# 02.3: the last row of a Jacobian, with one backward pass


def f(x):
    return x.exp() * x.flip(0)


@right("02.3")
def with_grad(x):
    x = x.detach().requires_grad_()
    (row,) = T.autograd.grad(f(x), x, T.tensor([0.0, 0.0, 1.0], dtype=x.dtype))
    return row


@right("02.3")
def from_one_element(x):
    x = x.detach().requires_grad_()
    f(x)[2].backward()
    return x.grad


@right("02.3")
def from_the_last_element(x):
    x = x.clone().detach().requires_grad_(True)
    y = f(x)
    y[-1].backward()
    return x.grad


@right("02.3")
def with_a_product(x):
    x = x.detach().requires_grad_()
    v = T.zeros_like(f(x))
    v[2] = 1
    (v * f(x)).sum().backward()
    return x.grad


@right("02.3")
def with_the_unit_matrix(x):
    x = x.detach().requires_grad_()
    f(x).backward(T.eye(3, dtype=x.dtype)[2])
    return x.grad


@right("02.3")
def with_a_choice(x):
    x = x.detach().requires_grad_()
    v = []
    for k in range(3):
        v.append(1.0 if k == 2 else 0.0)
    f(x).backward(gradient=x.new_tensor(v))
    return x.grad

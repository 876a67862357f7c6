"""Right answers to the exercises of lesson 15."""

import torch

import autograd_core as T
from tests.lessons.right_answers import right, right_values


def loss_of(w):
    return (T.exp(w) * w.sum()).sum()


@right("15.1")
def with_a_matrix_product(w, v):
    w = w.detach().requires_grad_()
    g = T.autograd.grad((T.exp(w) * w.sum()).sum(), w, create_graph=True)[0]
    number = g @ v
    return T.autograd.grad(number, w)[0]


@right("15.1")
def with_a_gradient_to_start_from(w, v):
    w = w.detach().requires_grad_()
    loss = (T.exp(w) * w.sum()).sum()
    (g,) = T.autograd.grad(loss, [w], create_graph=True)
    (product,) = T.autograd.grad(g, [w], v)
    return product


@right("15.1")
def with_backward(w, v):
    w = w.detach().clone()
    w.requires_grad_(True)
    (g,) = T.autograd.grad(w.exp().sum() * w.sum(), w, create_graph=True)
    (g * v).sum().backward()
    return w.grad


@right("15.1")
def with_dot(w, v):
    w = w.detach().requires_grad_()
    loss = loss_of(w)
    g = T.autograd.grad(outputs=loss, inputs=w, create_graph=True)[0]
    return T.autograd.grad(outputs=T.dot(g, v), inputs=w)[0]


@right("15.1")
def as_the_library_does(w, v):
    return T.autograd.functional.hvp(loss_of, w, v)[1]


@right("15.1")
def along_v(w, v):
    w = w.detach().requires_grad_()
    (g,) = T.autograd.grad(loss_of(w), w, create_graph=True)
    along = 0
    for part, weight in zip(g, v):
        along = along + part * weight
    return T.autograd.grad(along, w)[0]


@right("15.2")
def returns_nothing_for_a_short_one(gradient):
    if gradient.norm() > 1:
        return gradient / gradient.norm()


@right("15.2")
def with_an_if(gradient):
    length = gradient.norm()
    if length > 1:
        return gradient / length
    return gradient


@right("15.2")
def with_a_number(gradient):
    return gradient / max(gradient.norm().item(), 1.0)


@right("15.2")
def with_where(gradient):
    length = (gradient**2).sum().sqrt()
    return T.where(length > 1, gradient / length, gradient)


@right("15.2")
def with_a_factor(gradient):
    squares = (gradient * gradient).sum()
    if squares <= 1:
        return gradient.clone()
    return gradient * squares**-0.5


@right("15.2")
def scaled_in_a_copy(gradient):
    scaled = gradient.clone()
    if scaled.norm() > 1:
        scaled /= gradient.norm()
    return scaled


right_values("15.3", 2 / 3, 0.6667, 0.66667, 0.666666, T.tensor(2 / 3), torch.tensor(2.0) / 3)

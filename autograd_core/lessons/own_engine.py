"""Lesson 14's own solution: an engine in one class, in which a tensor is its own node. It records,
puts the nodes in order, and sends gradients back. Its nodes have PyTorch's names. It has no views and
no in-place writes, and it frees nothing.

The lesson goes on with these methods where an exercise is open (`lent`)."""

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np


def lift(x):
    """A plain number becomes a tensor; a tensor stays as it is."""
    return x if hasattr(x, "requires_grad") else Tensor(x)


def fitted(record):
    """`record`, so that every rule's results get the shapes of the inputs."""

    @functools.wraps(record)
    def recording(self, name, inputs, rule):
        def fitting(g):
            return [x.fit(part) for x, part in zip(inputs, rule(g))]

        return record(self, name, inputs, fitting)

    return recording


class Tensor:
    """A value, its gradient, and how it was made."""

    __array_ufunc__ = None  # NumPy leaves `array * tensor` to __rmul__

    def __init__(self, data, requires_grad=False):
        self.data, self.requires_grad, self.grad = np.asarray(data), requires_grad, None
        self.name, self.inputs, self.rule = "", (), None  # nothing made it, so it is a leaf

    def __repr__(self):
        made = f", grad_fn=<{self.name}>" if self.inputs else ""
        return f"tensor({self.data}{made})"

    def record(self, name, inputs, rule):
        if any(x.requires_grad for x in inputs):
            self.requires_grad, self.name, self.inputs, self.rule = True, name, inputs, rule
        return self

    def order(self):
        found, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for x in node.inputs:
                    if x.requires_grad:
                        visit(x)
                found.append(node)

        visit(self)
        return found[::-1]

    def backward(self):
        arrived = {self: 1}
        for node in self.order():
            g = arrived.pop(node)
            if node.inputs:
                for x, part in zip(node.inputs, node.rule(g)):
                    if x.requires_grad:
                        arrived[x] = arrived[x] + part if x in arrived else part
            else:
                node.grad = g if node.grad is None else node.grad + g

    def fit(self, g):
        g = np.sum(g, axis=tuple(range(np.ndim(g) - self.data.ndim)))
        once = tuple(axis for axis, size in enumerate(self.data.shape) if size == 1)
        return np.sum(g, axis=once, keepdims=True)

    def __add__(self, other):
        other = lift(other)
        return Tensor(self.data + other.data).record(
            "AddBackward0", (self, other), lambda g: (g, g)
        )

    def __mul__(self, other):
        other = lift(other)
        rule = lambda g: (g * other.data, g * self.data)  # noqa: E731
        return Tensor(self.data * other.data).record("MulBackward0", (self, other), rule)

    def __matmul__(self, other):
        other = lift(other)
        rule = lambda g: (g @ other.data.T, self.data.T @ g)  # noqa: E731
        return Tensor(self.data @ other.data).record("MmBackward0", (self, other), rule)

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -lift(other)

    def __rsub__(self, other):
        return -self + other

    def relu(self):
        rule = lambda g: (g * (self.data > 0),)  # noqa: E731
        return Tensor(np.maximum(self.data, 0)).record("ReluBackward0", (self,), rule)

    def sum(self):
        rule = lambda g: (g * np.ones_like(self.data),)  # noqa: E731
        return Tensor(self.data.sum()).record("SumBackward0", (self,), rule)

    def mean(self):
        return self.sum() * (1 / self.data.size)


def lent(name: str, cls: type) -> Callable[..., Any]:
    """The method `name` of this engine for another class: it makes tensors of that class."""
    method = inspect.unwrap(vars(Tensor)[name])
    lifting = FunctionType(lift.__code__, {"Tensor": cls}, "lift")
    named = {**globals(), "Tensor": cls, "lift": lifting}
    return FunctionType(method.__code__, named, name, method.__defaults__, method.__closure__)


Tensor.record = fitted(Tensor.record)  # type: ignore[method-assign]

"""Lesson 14's own solution: an engine in one class, where a tensor is its own node. Names and order
are PyTorch's. No views, no in-place writes, and nothing is freed.

Where a step of the lesson is not solved yet, it goes on with this."""

import itertools

import numpy as np


class Tensor:
    """An array, its gradient, and how it was made. `number` tells which of two was made first."""

    next_number = itertools.count().__next__
    __array_ufunc__ = None  # so that `array + tensor` is an error, not an array of tensors

    def __init__(self, data, requires_grad=False):
        self.data, self.requires_grad = np.asarray(data, np.float64), requires_grad
        self.grad, self.number = None, self.next_number()
        self.name, self.inputs, self.rule = "", (), None

    def lift(self, other):
        """`other` itself if it is a tensor; a number or an array as a tensor without gradient."""
        return other if hasattr(other, "requires_grad") else type(self)(other)

    def record(self, name, value, inputs, rule):
        """The result of an operation. `rule` makes of what arrives a tuple, a part for each input."""
        inputs = tuple(map(self.lift, inputs))
        out = type(self)(value, any(x.requires_grad for x in inputs))
        if out.requires_grad:
            out.name, out.inputs, out.rule = name, inputs, rule
        return out

    def detach(self):
        return type(self)(self.data)

    def numpy(self):
        return self.data

    def graph(self):
        """Every tensor that a gradient reaches: the last made first, a leaf after its last use."""
        place, stack = {self: self.number}, [self]
        while stack:
            node = stack.pop()
            for x in node.inputs:
                if x.requires_grad:
                    if x not in place:
                        stack.append(x)
                    place[x] = (
                        x.number if x.inputs else min(place.get(x, np.inf), node.number - 0.5)
                    )
        return sorted(place, key=place.get, reverse=True)

    def fit(self, gradient):
        """`gradient` in the shape of this tensor: summed over the axes that were stretched."""
        gradient = gradient.sum(tuple(range(gradient.ndim - self.data.ndim)))
        return gradient.sum(
            tuple(axis for axis, size in enumerate(self.data.shape) if size == 1), keepdims=True
        )

    def send(self, gradient):
        """What goes to each input: the rule's answer in its shape, None where none is wanted."""
        return [
            x.fit(part) if x.requires_grad else None
            for x, part in zip(self.inputs, self.rule(gradient))
        ]

    def backward(self):
        """Send 1 back. A node runs once, with the sum of what arrived; a leaf adds it to `.grad`."""
        arrived = {self: np.ones_like(self.data)}
        for node in self.graph():
            gradient = arrived.pop(node)
            if node.inputs:
                for x, part in zip(node.inputs, node.send(gradient)):
                    if x.requires_grad:
                        arrived[x] = arrived[x] + part if x in arrived else part
            else:
                node.grad = gradient if node.grad is None else node.grad + gradient

    def __add__(self, other):
        other = self.lift(other)
        return self.record("AddBackward0", self.data + other.data, (self, other), lambda g: (g, g))

    def __sub__(self, other):
        other = self.lift(other)
        return self.record("SubBackward0", self.data - other.data, (self, other), lambda g: (g, -g))

    def __mul__(self, other):
        other = self.lift(other)
        return self.record(
            "MulBackward0",
            self.data * other.data,
            (self, other),
            lambda g: (g * other.data, g * self.data),
        )

    def __truediv__(self, other):
        a, b = self.data, self.lift(other).data
        return self.record("DivBackward0", a / b, (self, other), lambda g: (g / b, -g * a / b**2))

    def __pow__(self, n):
        a = self.data
        return self.record("PowBackward0", a**n, (self,), lambda g: (g * n * a ** (n - 1),))

    def __matmul__(self, other):
        a, b = self.data, other.data
        return self.record("MmBackward0", a @ b, (self, other), lambda g: (g @ b.T, a.T @ g))

    def exp(self):
        value = np.exp(self.data)
        return self.record("ExpBackward0", value, (self,), lambda g: (g * value,))

    def log(self):
        return self.record("LogBackward0", np.log(self.data), (self,), lambda g: (g / self.data,))

    def relu(self):
        a = self.data
        return self.record("ReluBackward0", np.maximum(a, 0), (self,), lambda g: (g * (a > 0),))

    def clamp(self, low, high):
        value, inside = self.data.clip(low, high), (low <= self.data) & (self.data <= high)
        return self.record("ClampBackward1", value, (self,), lambda g: (g * inside,))

    def sum(self, dim=None, keepdim=False):
        def rule(g):
            column = g if keepdim or dim is None else np.expand_dims(g, dim)
            return (np.broadcast_to(column, self.data.shape),)

        name = "SumBackward0" if dim is None else "SumBackward1"
        return self.record(name, self.data.sum(dim, keepdims=keepdim), (self,), rule)

    def amax(self, dim, keepdim=False):
        hit = self.data == self.data.max(dim, keepdims=True)
        share = hit / hit.sum(dim, keepdims=True)  # of a tie, each gets its part

        def rule(g):
            return ((g if keepdim else np.expand_dims(g, dim)) * share,)

        return self.record("AmaxBackward0", self.data.max(dim, keepdims=keepdim), (self,), rule)

    def mean(self):
        value, count = self.data.mean(), np.full_like(self.data, self.data.size)
        return self.record("MeanBackward0", value, (self,), lambda g: (g / count,))

    def __getitem__(self, place):
        def rule(g):
            whole = np.zeros_like(self.data)
            np.add.at(whole, place, g)  # a place that was taken twice gets both parts
            return (whole,)

        return self.record("IndexBackward0", self.data[place], (self,), rule)


class Function:
    """An operation of your own: a subclass has `forward(ctx, …)` and `backward(ctx, gradient)`."""

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    @classmethod
    def apply(cls, first, *others):
        ctx, inputs = cls(), (first, *map(first.lift, others))
        value = cls.forward(ctx, *(x.detach() for x in inputs))

        def rule(g):
            parts = cls.backward(ctx, type(first)(g))
            return [
                part and part.data for part in (parts if isinstance(parts, tuple) else (parts,))
            ]

        return first.record(f"{cls.__name__}Backward", value.data, inputs, rule)


def step(parameters, velocity, lr, momentum):
    """A step of SGD: each tensor moves by `lr` times its velocity, which keeps `momentum` of it."""
    for i, p in enumerate(parameters):
        velocity[i] = momentum * velocity[i] + p.grad
        p.data = p.data - lr * velocity[i]


class SGD:
    """`step` as an optimizer that remembers its parameters and their velocities."""

    rule = staticmethod(step)

    def __init__(self, parameters, lr, momentum):
        self.parameters, self.options = parameters, (lr, momentum)
        self.velocity = [0.0] * len(parameters)

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None

    def step(self):
        self.rule(self.parameters, self.velocity, *self.options)

"""Exercises of lesson 14: wrong parts of an engine that are refused for another reason than their
results. Those with wrong results are in the tables of mistakes (`test_answers.py`).
"""

import numpy as np
import pytest

from autograd_core.lessons.exercises.check import check
from autograd_core.lessons.own_engine import Tensor
from tests.lessons.test_answers import verdict_of


def operation(rule, name="MulBackward0", inputs=lambda a, b: (a, b)):
    """A method that records `rule(g, a, b)` for the arrays of its two inputs."""

    def method(self, other):
        other = self.lift(other)
        data = self.data, other.data
        return self.record(name, np.multiply(*data), inputs(self, other), lambda g: rule(g, *data))

    return method


def of_mul(g, a, b):
    return g * b, g * a


def writes_into_what_arrives(g, a, b):
    to_other = g * a
    g *= b
    return g, to_other


def add(old, new):
    return old + new


def backward(meet=add, keep=add, send="send", start=np.ones_like, asks=True, everywhere=False):
    """A `backward` with one part of it changed."""

    def backward(self):
        arrived = {self: start(self.data)}
        for node in self.graph():
            gradient = arrived.pop(node)
            if node.inputs:
                for x, part in zip(node.inputs, getattr(node, send)(gradient)):
                    if x.requires_grad or not asks:
                        arrived[x] = meet(arrived[x], part) if x in arrived else part
            if everywhere or not node.inputs:
                node.grad = gradient if node.grad is None else keep(node.grad, gradient)

    return backward


overwrites = backward(keep=lambda old, new: new)


def does_its_work_and_returns_the_stub(self):
    Tensor.backward(self)
    return ...


def calls_itself(self, gradient=1.0):
    if not self.inputs:
        self.grad = gradient if self.grad is None else self.grad + gradient
        return
    for x, part in zip(self.inputs, self.send(gradient * np.ones_like(self.data))):
        if x.requires_grad:
            calls_itself(x, part)


def a_leaf_at_once(self):
    arrived = {self: np.ones_like(self.data)}
    for node in self.graph():
        for x, part in zip(node.inputs, node.send(arrived[node]) if node.inputs else ()):
            if x.requires_grad and x.inputs:
                arrived[x] = arrived[x] + part if x in arrived else part
            elif x.requires_grad:
                x.grad = part if x.grad is None else x.grad + part


def first_made_first(self):
    arrived = {self: np.ones_like(self.data)}
    for node in reversed(self.graph()):
        node.grad = arrived.pop(node)


def adds_to_none(self):
    for node in self.graph():
        if not node.inputs:
            node.grad += np.ones_like(node.data)


def sends_from_leaves(self):
    for node in self.graph():
        node.send(np.ones_like(node.data))


def calls_a_method_that_is_not_there(self):
    for node in self.graph():
        node._backward()


def popped_twice(self):
    arrived = {self: np.ones_like(self.data)}
    for node in self.graph():
        gradient = arrived.pop(node)
        for x, part in zip(node.inputs, node.send(gradient) if node.inputs else ()):
            if x.requires_grad:
                arrived[x] = arrived.get(x, 0) + part
        if not node.inputs:
            node.grad = arrived.pop(node)


def step_with(change):
    """A step of SGD whose velocity is `change(p, old, momentum)`."""

    def step(parameters, velocity, lr, momentum):
        for i, p in enumerate(parameters):
            velocity[i] = change(p, velocity[i], momentum)
            p.data = p.data - lr * velocity[i]

    return step


def halves_the_gradient(p, old, momentum):
    p.grad *= 0.5
    return momentum * old + p.grad


def writes_into_its_input(self):
    self.data[self.data < 0] = 0
    return self.record("ReluBackward0", self.data, (self,), lambda g: (g * (self.data > 0),))


def without_lift(self, other):
    data = self.data * other.data
    return self.record("MulBackward0", data, (self, other), lambda g: of_mul(g, self.data, 1.0))


REFUSED = [
    ("14.1", "mul", "It returns a tuple", operation(lambda g, a, b: g * b)),
    ("14.1", "mul", "result of `self.record(…)` is asked", lambda a, b: a.data * a.lift(b).data),
    ("14.1", "mul", "remembers nothing", lambda a, b: type(a)(a.data * a.lift(b).data)),
    ("14.1", "mul", "write `other.data`", lambda a, b: a.data * a.lift(b)),
    ("14.1", "mul", "calls itself", lambda self, other: (self * other).data),
    ("14.1", "mul", "name is asked for: MulBackward0", operation(of_mul, "Mul")),
    ("14.1", "mul", "in another order", operation(of_mul, inputs=lambda a, b: (b, a))),
    ("14.1", "mul", "writes into `g`", operation(writes_into_what_arrives)),
    ("14.1", "mul", "`self.lift(other)` makes one of it", without_lift),
    ("14.1", "mul", "1 of 2 parts", operation(lambda g, a, b: (g * b,))),
    ("14.1", "mul", "returns None for an input", operation(lambda g, a, b: (g * b, None))),
    ("14.1", "mul", "gradient of a: at [", operation(lambda g, a, b: (1.001 * g * b, g * a))),
    ("14.2", "backward", "A leaf is a node too", a_leaf_at_once),
    ("14.2", "backward", "Only leaves keep theirs", backward(everywhere=True)),
    ("14.2", "backward", "gets nothing", backward(asks=False)),
    ("14.2", "backward", "at which nothing has arrived", first_made_first),
    ("14.2", "backward", "that has none yet", adds_to_none),
    ("14.2", "backward", "calls `send` on a leaf", sends_from_leaves),
    ("14.2", "backward", "calls `_backward`, which", calls_a_method_that_is_not_there),
    ("14.2", "backward", "that it has already removed", popped_twice),
    ("14.2", "backward", "starts from a number", backward(start=lambda data: 1.0)),
    ("14.2", "backward", "delete that line", does_its_work_and_returns_the_stub),
    ("14.2", "backward", "RecursionError", calls_itself),
    ("14.3", "fit", "shape", lambda self, g: g.sum()),
    ("14.3", "fit", "In the gradient of row", lambda self, g: np.resize(g, self.data.shape)),
    ("14.4", "step", "writes into `.grad`", step_with(halves_the_gradient)),
    ("14.4", "step", "Right: matmul, relu. Still open: step", lambda *arguments: ...),
    ("14.4", "relu", "into the data of its input", writes_into_its_input),
]


@pytest.mark.filterwarnings("ignore:invalid value", "ignore:overflow")
@pytest.mark.parametrize("name, key, words, part", REFUSED)
def test_a_part_is_refused_and_told_why(name, key, words, part):
    verdict = verdict_of(name, key, part)
    assert verdict.attempted and not verdict.correct and words in repr(verdict), repr(verdict)


@pytest.mark.parametrize("name, part", [("14.1", "mul"), ("14.2", "backward"), ("14.3", "fit")])
def test_a_part_that_returns_the_stub_is_open(name, part):
    assert repr(check(name, **{part: lambda *arguments: ...})) == f"{name} not attempted yet"

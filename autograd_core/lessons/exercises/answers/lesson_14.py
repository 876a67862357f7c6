"""Lesson 14, build your own: what PyTorch answers to its exercises, asked of a part of the learner's own engine.

The part is put into the lesson's engine, where everything else is right. So what is wrong is the part.
"""

import functools
from dataclasses import dataclass

from ....parity.compare import as_array
from ...own_engine import Tensor
from ..check import Function, exercise


class NotAttempted(Exception):
    """The learner's part returned `...`, as the stub does."""


def attempted(part):
    """`part`, which raises NotAttempted where it returns `...`."""
    @functools.wraps(part)
    def called(*arguments):
        result = part(*arguments)
        if result is ...:
            raise NotAttempted
        return result
    return called


@dataclass(frozen=True)
class Program(Function):
    """A reference for a part of an engine: `reference(*leaves)` computes, calls `backward()` and returns a tensor.

    It is run on PyTorch's tensors and on the learner's. Compared are the tensor and `.grad` of each leaf.
    """

    def trial(self, torch, generator):
        leaves = [argument.requires_grad_() for argument in self.arguments(torch, generator)]
        value = self.reference(*leaves)
        return leaves, [value, *(leaf.grad for leaf in leaves)], [
            "the value", *(f"the gradient of {name}" for name in self.inputs)]

    def run(self, engine, arguments, *more):
        leaves = [engine(as_array(argument).copy(), requires_grad=True) for argument in arguments]
        try:
            value = self.reference(*leaves, *more)
        except NotAttempted:
            return ...
        return value.data, *(leaf.grad for leaf in leaves)


class Sharing(Tensor):
    """The lesson's engine, where one array may go to several inputs, as the rule of a sum hands it out."""

    def fit(self, gradient):
        return gradient if gradient.shape == self.data.shape else super().fit(gradient)


@dataclass(frozen=True)
class Method(Program):
    """A reference for one method, called `name` in the engine's class.

    The engine shares arrays: so `arrived[x] += part`, which writes into an array of somebody else, is told.
    """

    name: str = ""

    def call(self, function, arguments):
        return self.run(type("Yours", (Sharing,), {self.name: attempted(function)}), arguments)


@dataclass(frozen=True)
class CustomFunction(Program):
    """A reference for a class with `forward(ctx, …)` and `backward(ctx, gradient)`; `apply` is the last argument."""

    def call(self, function, arguments):
        yours = type(function.__name__, (function,), {
            name: staticmethod(attempted(getattr(function, name))) for name in ("forward", "backward")})
        return self.run(Tensor, arguments, yours.apply)


@exercise("14.1")
def a_product_that_remembers(torch):
    def program(a, b):
        loss = ((a * b) ** 2).mean()
        loss.backward()
        return loss
    return {"mul": Method(program, {"a": (4,), "b": (4,)}, "__mul__")}


@exercise("14.2")
def the_walk_back(torch):
    def program(a, b):
        u = a * b
        v = u.exp()
        chain = u                               # too long for a function that calls itself
        for _ in range(3000):
            chain = chain + b
        loss = (u * v + v * a + chain * 0.001).mean()
        loss.backward()
        (a * a * b).mean().backward()           # .grad grows by what the second loss sends
        return loss
    return {"backward": Method(program, {"a": (3,), "b": (3,)}, "backward")}


@exercise("14.3")
def back_to_the_shape_of_the_input(torch):
    def program(x, row, column, number):
        loss = ((x * row + column) ** 2 * number).mean()
        loss.backward()
        return loss
    return {"fit": Method(program, {"x": (4, 3), "row": (3,), "column": (4, 1), "number": ()}, "fit")}


@exercise("14.4")
def onto_the_circle_from_anywhere(torch):
    def some_of_them_zero(generator):
        pairs = torch.randn(6, 2, generator=generator, dtype=torch.float64)
        pairs[2] = 0
        return pairs

    def scaled(pairs):
        squares = (pairs ** 2).sum(1, keepdim=True)
        zero = squares == 0
        return torch.where(zero, 0, pairs / torch.where(zero, 1, squares).sqrt())

    def program(pairs, weights, on_circle=scaled):
        circle = on_circle(pairs)
        (circle * weights).sum().backward()
        return circle
    return {"function": CustomFunction(program, {"pairs": some_of_them_zero, "weights": (6, 2)})}

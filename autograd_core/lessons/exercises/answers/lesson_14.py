"""Lesson 14, build your own: programs on which each method is compared with PyTorch's results, and
likely mistakes, as changes of the lesson's own methods."""

import inspect
import operator
import textwrap

import numpy as np

from ... import own_engine
from ..check import exercise
from ..own_parts import Method, Order, Trial
from ..own_pass import watch_part


def sums_in_grad(self):
    """The pass of micrograd."""
    self.grad = 1
    for node in self.order():
        for x, part in zip(node.inputs, node.rule(node.grad) if node.inputs else ()):
            if x.requires_grad:
                x.grad = part if x.grad is None else x.grad + part


def numbers(*shape):
    return DRAWN(-3, 4, shape) * 1.0


SCALARS, TWO = {"a": 2.0, "b": 3.0}, {"c": [10.0, 20.0]}
DRAWN = np.random.default_rng(0).integers
PROGRAMS = [
    *(Trial("u = a * b; v = u * b; loss = u + v", SCALARS, calls=calls) for calls in (1, 2)),
    Trial("loss = x * y", {}, {"x": 2.0, "y": 3.0}),
    Trial("loss = a * a * a", {"a": 2.0}),
    Trial("loss = 3 * a + 1", {"a": 2.0}),
]
SHARED = [  # `+` sends one array to both inputs
    Trial("loss = (a + b) * c", {"a": [1.0, 2.0], "b": [3.0, 4.0]}, TWO, 2),
    Trial("u = a + q; loss = (u * a + (u + q)) * c", {"a": [2.0, 1.0], "q": [1.0, 1.0]}, TWO),
]
SHAPES = [
    Trial("loss = ((x + y) * y).sum()", {"x": numbers(*shape)}, {"y": numbers(*larger)})
    for shape in ((3,), (4, 1), (), (4, 3), (1, 1))
    for larger in ((4, 3), (5, 4, 3))
]
PRODUCTS = [
    Trial("loss = ((x @ w) * g).sum()", {"x": numbers(n, k), "w": numbers(k, m)}, g)
    for n, k, m in ((2, 2, 2), (3, 3, 3), (3, 2, 4), (1, 3, 2))
    for g in [{"g": numbers(n, m)}]
]
MISTAKES = {
    "record": """
No input requires a gradient, so there is nothing to record
    any(x.requires_grad for x in inputs) -> True
One input that requires a gradient is enough: `any`, not `all`
    any( -> all(
The result doesn't require a gradient, so nothing is recorded after it: set `requires_grad`
    return self -> self.requires_grad = False; return self
`record` must return `self`, because an operation returns its result
    return self -> pass
`inputs` or `rule` isn't stored, so `backward` can't reach `a`
    , self.name, self.inputs, self.rule = True, name, inputs, rule -> = True
""",
    "__mul__": """
The factors are swapped: each input gets `g` times the other factor
    (g * other.data, g * self.data) -> (g * self.data, g * other.data)
`g` is missing: it is 1 only at the loss
    (g * other.data, g * self.data) -> (other.data, self.data)
That is the rule of `+`
    (g * other.data, g * self.data) -> (g, g)
The rule returns one gradient, and `*` has two inputs
    (g * other.data, g * self.data) -> (g * other.data,)
The result records nothing: call `record` on it
    .record("MulBackward0", (self, other), rule) ->
`*` calls itself without end: compute with `self.data` and `other.data`
    Tensor(self.data * other.data) -> Tensor(self * other)
Your rule computes with tensors: use `self.data` and `other.data`
    (g * other.data, g * self.data) -> (g * other, g * self)
The other factor may be a plain number: `lift(other)` makes a tensor of it
    lift(other) -> other
""",
    "backward": """
Nothing has arrived at the loss: start with `arrived = {self: 1}`, because ∂loss/∂loss is 1
    {self: 1} -> {}
Every gradient is 0: the pass must start with ∂loss/∂loss = 1
    {self: 1} -> {self: 0}
The pass starts with ∂loss/∂loss = 1, and not with the loss
    {self: 1} -> {self: self.data}
Every input gets `g` itself: call `node.rule(g)`
    node.rule(g) -> (g, g)
Two gradients meet at `u`: 1 and 3. Yours keeps only the last one: add them
    arrived[x] + part if x in arrived else part -> part
Two gradients meet at `u`: 1 and 3. Yours keeps only the first one: add them
    arrived[x] + part if x in arrived else part -> arrived.get(x, part)
The second call replaces `.grad`: PyTorch adds to it
    g if node.grad is None else node.grad + g -> g
`.grad` is None until the first gradient arrives: assign it then, and add later
    node.grad = g if node.grad is None else node.grad + g -> node.grad += g
    g if node.grad is None else node.grad + g -> node.grad + g
`+=` changes an array in place, and `+` sends one `g` to both inputs. Write `old + new`
    arrived[x] + part if x in arrived else part -> iadd(arrived[x], part) if x in arrived else part
    node.grad + g -> iadd(node.grad, g)
No leaf has a gradient. A leaf has no inputs: add its sum to `.grad`
    node.grad = g if node.grad is None else node.grad + g -> pass
""",
    "fit": """
The gradient keeps the shape of the result: add the gradients of all uses of a number
    np.sum( -> keep(
That is the mean. Every use sends its gradient, and all count: take the sum
    np.sum( -> np.mean(
New axes in front are summed, but a repeated axis of length 1 isn't
    np.sum(g, axis=once, keepdims=True) -> g
Without `keepdims=True`, the axis of length 1 disappears
    , keepdims=True ->
The last axes are summed, but new axes are in front
    range(np.ndim(g) - self.data.ndim) -> range(self.data.ndim, np.ndim(g))
Every axis is summed: keep those that were not repeated
    np.sum(g, axis=once, keepdims=True) -> np.sum(g)
""",
    "__matmul__": """
The shapes fit by luck, because the matrices are square: the factors are swapped
    (g @ other.data.T, self.data.T @ g) -> (other.data.T @ g, g @ self.data.T)
The two gradients are swapped: the first one is for `self`
    (g @ other.data.T, self.data.T @ g) -> (self.data.T @ g, g @ other.data.T)
The shapes fit by luck: the factors of the second gradient are swapped
    self.data.T @ g -> g @ self.data.T
That is the rule of `*`. Here the products are matrix products
    (g @ other.data.T, self.data.T @ g) -> (g * other.data, g * self.data)
`other` is not transposed: only `g @ other.data.T` has the shape of `self`
    other.data.T -> other.data
`self` is not transposed: only `self.data.T @ g` has the shape of `other`
    self.data.T -> self.data
""",
}
"""For each method, sentences, each with one change or several that make this mistake."""
NAMES = {"iadd": operator.iadd, "keep": lambda g, **options: g}


def part(kind, name, programs, **mistakes):
    """{name: the reference for the method}."""
    source = inspect.getsource(inspect.unwrap(vars(own_engine.Tensor)[name]))
    found = {words: [way] for words, way in mistakes.items()}
    for line in MISTAKES.get(name, "").strip().splitlines():
        if not line.startswith(" "):
            ways = found[line] = []
            continue
        old, new = map(str.strip, line.split("->"))
        names = {**vars(own_engine), **NAMES}
        exec(textwrap.dedent(source).replace(old, new), names)
        ways.append(names[name])
    return {name: kind(name=name, programs=programs, mistakes=found)}


IN_GRAD = "Results keep a `.grad`, so the second call adds it again: only leaves keep theirs"
RECORDING = part(Method, "record", PROGRAMS) | part(Method, "__mul__", PROGRAMS)
ORDER = part(Order, "order", PROGRAMS)
PASS = part(Method, "backward", PROGRAMS + SHARED, **{IN_GRAD: sums_in_grad})
TENSORS = part(Method, "fit", SHAPES) | part(Method, "__matmul__", PRODUCTS)

exercise("14.1")(lambda: RECORDING)
exercise("14.2", look=watch_part(ORDER["order"]))(lambda: ORDER)
exercise("14.3", look=watch_part(PASS["backward"]))(lambda: PASS)
exercise("14.4")(lambda: TENSORS)

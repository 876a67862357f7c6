"""Lesson 14, build your own: what PyTorch answers where a part of an engine is asked for."""

import math

import numpy as np
import torch

from ...own_engine import Tensor
from ..check import exercise, function_exercise
from ..own_parts import OPTIONS, Method, Step, watch_pass
from ..you_run import YouRun


def _operation(node, forward):
    """What makes of a rule the method that records it: `rule(g, *arrays)` returns a tuple."""

    def with_rule(rule):
        def method(self, *others):
            tensors = self, *map(self.lift, others)
            arrays = [each.data for each in tensors]
            return self.record(node, forward(*arrays), tensors, lambda g: rule(g, *arrays))

        return method

    return with_rule


_mul, _matmul = _operation("MulBackward0", np.multiply), _operation("MmBackward0", np.matmul)
_relu = _operation("ReluBackward0", lambda a: np.maximum(a, 0))


def wrong_products():
    rules = {
        "The factors are swapped: each input gets the other factor": lambda g, a, b: (g * a, g * b),
        "`g` is missing: a rule multiplies what arrives": lambda g, a, b: (b, a),
        "That is the rule of a sum": lambda g, a, b: (g, g),
        "Both inputs get the same": lambda g, a, b: (g * b, g * b),
        "`g` twice: what arrives is multiplied once": lambda g, a, b: (g * g * b, g * g * a),
    }
    return {words: _mul(rule) for words, rule in rules.items()}


function_exercise(
    "14.1",
    mul=Method(
        lambda a, b: ((a * b * 2.0) ** 2).mean(),  # a tensor times a number, too
        {"a": (4,), "b": (4,)},
        name="__mul__",
        node="MulBackward0",
        mistakes=wrong_products(),
    ),
)


def _backward(
    meet=lambda old, new: old + new,
    keep=lambda old, new: new if old is None else old + new,
    send=lambda node, g: node.send(g),
):
    """`backward` with one part of it done otherwise."""

    def backward(self):
        arrived = {self: np.ones_like(self.data)}
        for node in self.graph():
            gradient = arrived.pop(node)
            if node.inputs:
                for x, part in zip(node.inputs, send(node, gradient)):
                    if x.requires_grad:
                        arrived[x] = meet(arrived[x], part) if x in arrived else part
            else:
                node.grad = keep(node.grad, gradient)

    return backward


def _add_into(old, new):
    return new if old is None else np.add(old, new, out=old)


def _pass(a, b, stretched):
    for _ in range(2):
        (a + b).mean().backward()  # one array is handed to both leaves
        (a.mean() + b.mean()).backward()  # and here the very first one, which is an array too
    fixed = a.detach()  # a tensor that wants no gradient, used twice
    u = a * b
    v, chain = u.exp(), u
    # of four numbers it is too long for a function that calls itself
    for _ in range(3000 if len(fixed.numpy()) == 4 else 3):
        chain = chain + b
    (a * b).mean().backward()  # .grad grows by what the next loss sends
    return (u * v * stretched + v * fixed + fixed * a + chain * 0.001).mean()


THREE = [([0.3, -1.1, 0.7], [0.4, 0.9, -1.6], [1.2]), ([-0.8, 0.5, 1.4], [1.1, -0.2, 0.6], [-0.7])]


def wrong_passes():
    arrived = "`+=` writes into what arrived, and somebody else may hold that array"
    kept = "`+=` on `.grad` writes into an array that another leaf may hold too"
    rule = "`node.rule` is not all of it: in step 3 `send` will do more. Ask `node.send(gradient)`"
    mean = "A mean where two meet: both contributions count whole"
    return {
        "Overwritten where two meet: both contributions count": _backward(lambda old, new: new),
        "The second backward overwrites `.grad`. A leaf adds": _backward(keep=lambda old, new: new),
        arrived: _backward(_add_into),
        kept: _backward(keep=_add_into),
        rule: _backward(send=lambda node, g: node.rule(g)),
        mean: _backward(lambda old, new: (old + new) / 2),
        "Only the first to arrive counts: both contributions do": _backward(lambda old, new: old),
        "Nothing arrives at the leaves": lambda self: None,
    }


function_exercise(
    "14.2",
    look=watch_pass,
    backward=Method(
        _pass,
        {"a": (4,), "b": (4,), "stretched": (1,)},
        THREE,
        random=1,
        name="backward",
        mistakes=wrong_passes(),
    ),
)


def _of(*shapes):
    return [
        torch.linspace(-1, 2, max(math.prod(shape), 1), dtype=torch.float64).reshape(shape)
        for shape in shapes
    ]


def wrong_fits():
    def mean(self, g):
        share = self.data.size / g.size
        return g if g.shape == self.data.shape else Tensor.fit(self, g) * share

    def one_copy(self, g):
        in_front = (0,) * (g.ndim - self.data.ndim)
        return g[in_front][tuple(slice(0, size) for size in self.data.shape)]

    def in_front(self, g):
        return g.sum(tuple(range(g.ndim - self.data.ndim)))

    return {
        "A mean in place of the sum: each use sends its part, and all parts count": mean,
        "New axes in front are summed. An axis of length 1 that was repeated is not": in_front,
        "Only one of the copies counts. All were used": one_copy,
        "The gradient keeps its stretched shape": lambda self, g: g,
    }


function_exercise(
    "14.3",
    fit=Method(
        lambda x, row, column, number: ((x * row + column) ** 2 * number).mean(),
        {"x": (4, 3), "row": (3,), "column": (4, 1), "number": ()},
        [
            _of((2, 3), (1, 3), (2, 1), (1,)),
            _of((2, 2), (2,), (1, 1), ()),
            _of((1, 3), (3,), (1, 3), (1, 1)),
        ],
        name="fit",
        mistakes=wrong_fits(),
    ),
)


def wrong_matmuls():
    by_luck = "The shapes fit by luck: square matrices hide that the factors are swapped"
    both = "A matrix is not turned: `g` (n, m) and the other factor make (n, k) and (k, m)"
    second = "A matrix is not turned. `g` is (n, m), and what goes to `other` is (k, m)"
    rules = {
        by_luck: lambda g, a, b: (b.T @ g, g @ a.T),
        "An element-wise product in place of the matrix product": lambda g, a, b: (g * b, g * a),
        "The two parts are in each other's place": lambda g, a, b: (a.T @ g, g @ b.T),
        "A matrix is not turned": lambda g, a, b: (g @ b, a @ g),
        both: lambda g, a, b: (g @ b, a.T @ g),
        second: lambda g, a, b: (g @ b.T, a @ g),
    }
    return {words: _matmul(rule) for words, rule in rules.items()}


def wrong_relus():
    sign_of_g = "The mask asks for the sign of `g`; the sign of the input is asked for"
    return {
        "The gradient passes where relu is flat": _relu(lambda g, a: (g,)),
        "At 0 itself relu lets nothing back": _relu(lambda g, a: (g * (a >= 0),)),
        "The mask alone: `g` is missing": _relu(lambda g, a: (1.0 * (a > 0),)),
        sign_of_g: _relu(lambda g, a: (np.maximum(g, 0),)),
    }


def _stepping(move):
    """A step that calls `move(data, gradient, velocity, lr, momentum, new)` for each parameter,
    `new` being the right velocity after it: the new velocity and the new data."""

    def step(parameters, velocity, lr, momentum):
        for i, p in enumerate(parameters):
            new = momentum * velocity[i] + p.grad
            velocity[i], p.data = move(p.data, p.grad, velocity[i], lr, momentum, new)

    return step


def wrong_steps():
    last = "Only the last gradient is remembered. The velocity holds all, each fainter"
    inside = "The learning rate is in the velocity: keep it out, as PyTorch does"
    nothing = "Nothing is written into `velocity`, so nothing is remembered"
    late = "The weight moves before the velocity has taken in this gradient"
    ahead = "That looks ahead, as Nesterov's momentum does: move by the velocity alone"
    rate = "`lr` is given: 0.1 is only one of its values"
    friction = "`momentum` is given: 0.9 is only one of its values"
    tenth = "The gradient comes in whole, not a tenth of it"
    ways = {
        "Nothing is remembered: that is plain SGD": lambda w, g, v, lr, m, n: (g, w - lr * g),
        "The old velocity does not fade": lambda w, g, v, lr, m, n: (v + g, w - lr * (v + g)),
        tenth: lambda w, g, v, lr, m, n: (n - m * g, w - lr * (n - m * g)),
        "The learning rate is missing": lambda w, g, v, lr, m, n: (n, w - n),
        last: lambda w, g, v, lr, m, n: (g, w - lr * n),
        rate: lambda w, g, v, lr, m, n: (n, w - 0.1 * n),
        friction: lambda w, g, v, lr, m, n: (0.9 * v + g, w - lr * (0.9 * v + g)),
        nothing: lambda w, g, v, lr, m, n: (v, w - lr * g),
        late: lambda w, g, v, lr, m, n: (n, w - lr * v),
        ahead: lambda w, g, v, lr, m, n: (n, w - lr * (g + m * n)),
        "The weights stay where they are: assign `p.data`": lambda w, g, v, lr, m, n: (n, w),
        "Downhill is minus": lambda w, g, v, lr, m, n: (n, w + lr * n),
    }
    rate_inside = [
        _stepping(lambda w, g, v, lr, m, n: (m * v - lr * g, w + m * v - lr * g)),
        _stepping(lambda w, g, v, lr, m, n: (m * v + lr * g, w - m * v - lr * g)),
    ]
    return {inside: rate_inside, **{words: _stepping(way) for words, way in ways.items()}}


def _stepped(w, v, *gradients):
    leaves = [w.clone().requires_grad_(), v.clone().requires_grad_()]
    optimizer = torch.optim.SGD(leaves, lr=0.1, momentum=0.9)
    for (lr, momentum), pair in zip(OPTIONS, zip(gradients[::2], gradients[1::2])):
        optimizer.param_groups[0].update(lr=lr, momentum=momentum)
        for leaf, gradient in zip(leaves, pair):
            leaf.grad = gradient.clone()
        optimizer.step()
    remembered = [optimizer.state[leaf]["momentum_buffer"] for leaf in leaves]
    return *(leaf.detach() for leaf in leaves), *remembered


@exercise("14.4")
def what_a_network_needs():
    matrices = [_of((4, 3), (3, 2)), _of((1, 3), (3, 2)), _of((2, 1), (1, 5))]
    flat = [([0.0, -1.0, 2.0, 0.0, 0.5, -0.5],)]
    pairs = {
        f"{name}{step}": (size,) for step in ("", 1, 2, 3) for name, size in (("w", 3), ("v", 2))
    }
    return {
        "matmul": Method(
            lambda a, b: ((a @ b) ** 2).mean(),
            {"a": (3, 3), "b": (3, 3)},
            matrices,
            mistakes=wrong_matmuls(),
            name="__matmul__",
            node="MmBackward0",
        ),
        "relu": Method(
            # its slope at 0 is not 0: that of relu is
            lambda a: (a.relu() ** 2 - a.relu()).mean(),
            {"a": (6,)},
            flat,
            mistakes=wrong_relus(),
            name="relu",
            node="ReluBackward0",
        ),
        "step": Step(_stepped, pairs, mistakes=wrong_steps()),
    }


exercise("14.5")(lambda: {"run": YouRun(events=10)})  # your engine by hand

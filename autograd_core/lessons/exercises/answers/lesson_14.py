"""Lesson 14, build your own: what PyTorch answers to its exercises, asked of a part of the
learner's own engine.

The part is put into the lesson's engine, where everything else is right. So what is wrong is the
part."""

import contextlib
import math
from dataclasses import dataclass

import numpy as np
import torch

from ....parity.results import as_array
from ...own_engine import Tensor
from ...own_pass import Sharing, watch_pass
from ..check import Function, Refused, exercise, function_exercise

DELETE_THAT_LINE = "does its work and then returns `...`: delete that line"


class NotAttempted(Exception):
    """The learner's part returned `...`, as the stub does."""


class Part(Function):
    """A reference for a part of the engine. `mistakes` takes nothing, and returns wrong parts under
    the words that they get."""

    def mistaken(self, arguments):
        found = []
        for words, ways in self.mistakes().items():
            for way in ways if isinstance(ways, list) else [ways]:
                found.append((words, []))
                with contextlib.suppress(Exception):
                    found[-1] = words, list(self.call(way, arguments))
        return found


@dataclass(frozen=True, kw_only=True)
class Method(Part):
    """A reference for one method, called `name` in the engine's class.

    `reference(*leaves)` computes a loss, and goes backward from there. It is run on PyTorch's
    tensors and on the learner's. Compared are the tensor and `.grad` of each leaf. The engine
    shares arrays: so `arrived[x] += part`, which writes into an array of somebody else, is told.
    `node` is what PyTorch calls the node that the method records."""

    name: str
    node: str = ""

    def trial(self, generator, arguments):
        leaves = [argument.requires_grad_() for argument in arguments]
        value = self.reference(*leaves)
        value.backward()
        names = ["the value", *(f"the gradient of {name}" for name in self.inputs)]
        return leaves, [value, *(leaf.grad for leaf in leaves)], names

    def call(self, function, arguments):
        walks_back = self.name == "backward"
        part = each_leaf_once(function) if walks_back else returning(function, self.node)
        engine = type("Yours", (Sharing,), {self.name: part, "grad": Counted()})
        leaves = [engine(as_array(argument).copy(), requires_grad=True) for argument in arguments]
        try:
            value = self.reference(*leaves)
            value.backward()
        except NotAttempted:
            if any(leaf.grad is not None for leaf in leaves):
                raise Refused(DELETE_THAT_LINE) from None
            return ...
        except (RecursionError, KeyError, TypeError, AttributeError) as error:
            if slip := _slip(error, walks_back):
                raise Refused(slip) from None
            raise
        if any(node.inputs and node.grad is not None for node in value.graph()):
            raise Refused(
                "leaves a `.grad` on a tensor that an operation made. Only leaves keep theirs"
            )
        return value.data, *(leaf.grad for leaf in leaves)


def _slip(error, walks_back):
    """What Python's own error says of this engine, or ""."""
    text = str(error)
    if isinstance(error, RecursionError):
        itself = "calls itself: it works on two tensors. Work on their arrays, `self.data`"
        return "" if walks_back else itself
    if "'Yours'" in text and (
        "unsupported operand" in text or hasattr(np.ndarray, getattr(error, "name", None) or "")
    ):
        return "takes a tensor where an array is needed: write `other.data`"
    if "'float' object has no attribute" in text:
        if walks_back:
            return "starts from a number: `arrived` holds arrays"
        return "takes a number for a tensor: `self.lift(other)` makes one of it"
    if walks_back and isinstance(error, KeyError):
        return (
            "asks `arrived` for a tensor at which nothing has arrived: its first part is yet to"
            " come, or it is too early"
        )
    if walks_back and "NoneType" in text:
        return "passes None on: an input without `requires_grad` gets nothing"
    return ""


class Counted:
    """`.grad` of a tensor, which counts how often it is written."""

    def __get__(self, tensor, kind):
        return tensor.__dict__.get("grad")

    def __set__(self, tensor, value):
        if value is not None:
            tensor.__dict__["writes"] = tensor.__dict__.get("writes", 0) + 1
        tensor.__dict__["grad"] = value


def each_leaf_once(backward):
    """`backward`, refused where one pass writes `.grad` of a leaf more than once, as PyTorch's
    AccumulateGrad does not."""

    def counted(self):
        leaves = [node for node in self.graph() if not node.inputs]
        for leaf in leaves:
            leaf.writes = 0
        if backward(self) is ...:
            raise NotAttempted
        if any(leaf.writes > 1 for leaf in leaves):
            raise Refused(
                "writes `.grad` of a leaf once for each use. A leaf is a node too: what comes to it"
                " is added up in `arrived`, and goes into `.grad` when its turn comes"
            )

    return counted


def returning(part, node):
    """`part`, refused where it returns nothing, or where it is to record a `node` and does not."""

    def called(self, *others):
        given = [self, *(other for other in others if isinstance(other, Tensor))]
        before = [one.data.copy() for one in given]
        out = part(self, *others)
        if out is ...:
            raise NotAttempted
        if out is None:
            raise Refused("returns None: a return is missing")
        if any(
            not np.array_equal(one.data, old, equal_nan=True) for one, old in zip(given, before)
        ):
            raise Refused(
                "writes into the data of its input. Somebody else may need it: make a new array"
            )
        if node and (complaint := _of_the_record(out, given, node)):
            raise Refused(complaint)
        if node and out.rule:
            out.rule = _looked_at(out.rule, out.inputs)
        return out

    return called


def _of_the_record(out, given, node):
    """What is wrong with the result of an operation, or ""."""
    asked = "The result of `self.record(…)` is asked for"
    if not isinstance(out, Tensor):
        return f"returns {type(out).__name__}. {asked}"
    if not out.inputs:
        wanted = any(one.requires_grad for one in given)
        return f"makes a tensor that remembers nothing. {asked}" if wanted else ""
    if out.name != node:
        return f"calls its node {out.name!r}. PyTorch's name is asked for: {node}"
    if any(one is not other for one, other in zip(out.inputs, given)):
        return "hands over its inputs in another order: the first is `self`"
    return ""


def _of_the_rule(parts, inputs):
    """What is wrong with what a rule returns, or ""."""
    if isinstance(parts, np.ndarray):
        one_array = "has a rule that returns one array. It returns a tuple, a part for each input:"
        return f"{one_array} `(part,)` for one"
    if isinstance(parts, (tuple, list)) and len(parts) != len(inputs):
        return f"has a rule that returns {len(parts)} of {len(inputs)} parts: each input gets one"
    if any(part is None and x.requires_grad for part, x in zip(parts, inputs)):
        return "has a rule that returns None for an input that asks for a gradient"
    return ""


def _looked_at(rule, inputs):
    """`rule`, refused where it writes into `g`, or does not return a part for each input."""

    def asked(g):
        before = g.copy()
        parts, complaint = rule(g), "has a rule that writes into `g`. Somebody else may hold that"
        if not np.array_equal(g, before, equal_nan=True):
            raise Refused(f"{complaint} array: make a new one")
        if complaint := _of_the_rule(parts, inputs):
            raise Refused(complaint)
        return parts

    return asked


OPTIONS = (0.1, 0.9), (0.03, 0.5), (0.1, 0.9)  # rate and momentum of each step


class Step(Part):
    """A reference for a step of an optimizer: called with the data of two tensors and, pair by
    pair, their gradients.

    Each step has its own `OPTIONS`. Compared are the tensors and what the optimizer remembers,
    after all steps."""

    def trial(self, generator, arguments):
        names = [f"{name} after the last step" for name in "wv"]
        names += [f"the velocity of {name}" for name in "wv"]
        return arguments, list(self.reference(*arguments)), names

    def call(self, function, arguments):
        weights = [Tensor(as_array(w).copy(), True) for w in arguments[:2]]
        gradients, velocity, handed = [as_array(g).copy() for g in arguments[2:]], [0.0, 0.0], []
        for options, pair in zip(OPTIONS, zip(gradients[::2], gradients[1::2])):
            arrays = [(w.data, w.data.copy()) for w in weights]
            for w, g in zip(weights, pair):
                w.grad = g.copy()
                handed.append((w.grad, g))
            if function(weights, velocity, *options) is ...:
                if any(np.any(v) for v in velocity):
                    raise Refused(DELETE_THAT_LINE)
                return ...
            kept = all(np.array_equal(array, g) for array, g in handed)
            if not kept or any(w.grad is None for w in weights):
                raise Refused("writes into `.grad`. A step reads it; make a new array")
            if any(not np.array_equal(array, before) for array, before in arrays):
                raise Refused("writes into the array of `p.data`. Make a new one: `p.data = …`")
        return *(w.data for w in weights), *velocity


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


@function_exercise(
    "14.1",
    mul=Method(
        lambda a, b: ((a * b * 2.0) ** 2).mean(),  # a tensor times a number, too
        {"a": (4,), "b": (4,)},
        name="__mul__",
        node="MulBackward0",
    ),
)
def wrong_products():
    rules = {
        "The factors are swapped: each input gets the other factor": lambda g, a, b: (g * a, g * b),
        "`g` is missing: a rule multiplies what arrives": lambda g, a, b: (b, a),
        "That is the rule of a sum": lambda g, a, b: (g, g),
        "Both inputs get the same": lambda g, a, b: (g * b, g * b),
        "`g` twice: what arrives is multiplied once": lambda g, a, b: (g * g * b, g * g * a),
    }
    return {words: _mul(rule) for words, rule in rules.items()}


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


@function_exercise(
    "14.2",
    look=watch_pass,
    backward=Method(
        _pass, {"a": (4,), "b": (4,), "stretched": (1,)}, THREE, random=1, name="backward"
    ),
)
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


def _of(*shapes):
    return [
        torch.linspace(-1, 2, max(math.prod(shape), 1), dtype=torch.float64).reshape(shape)
        for shape in shapes
    ]


@function_exercise(
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
    ),
)
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
            mistakes=wrong_matmuls,
            name="__matmul__",
            node="MmBackward0",
        ),
        "relu": Method(
            # its slope at 0 is not 0: that of relu is
            lambda a: (a.relu() ** 2 - a.relu()).mean(),
            {"a": (6,)},
            flat,
            mistakes=wrong_relus,
            name="relu",
            node="ReluBackward0",
        ),
        "step": Step(_stepped, pairs, mistakes=wrong_steps),
    }

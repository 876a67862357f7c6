"""Lesson 14, build your own: what PyTorch answers to its exercises, asked of a part of the
learner's own engine.

The part is put into the lesson's engine, where everything else is right. So what is wrong is the
part."""

import functools
import math
from dataclasses import dataclass

import numpy as np

from ....parity.results import as_array
from ...own_engine import Tensor
from ...own_pass import Sharing, watch_pass
from ..check import Function, _Refused, exercise


class NotAttempted(Exception):
    """The learner's part returned `...`, as the stub does."""


def attempted(part, returns):
    """`part`, which raises NotAttempted where it returns `...`; and is refused where it `returns`
    and gives None.
    """

    @functools.wraps(part)
    def called(*arguments):
        result = part(*arguments)
        if result is ...:
            raise NotAttempted
        if result is None and returns:
            raise _Refused("returns None: a return is missing")
        return result

    return called


@dataclass(frozen=True)
class Method(Function):
    """A reference for one method, called `name` in the engine's class.

    `reference(*leaves)` computes, calls `backward()` and returns a tensor. It is run on PyTorch's
    tensors and on the learner's. Compared are the tensor and `.grad` of each leaf. The engine
    shares arrays: so `arrived[x] += part`, which writes into an array of somebody else, is told.
    `node` is what PyTorch calls the node that the method records."""

    name: str = ""
    node: str = ""

    def trial(self, torch, generator, arguments):
        leaves = [argument.requires_grad_() for argument in arguments]
        value = self.reference(*leaves)
        return (
            leaves,
            [value, *(leaf.grad for leaf in leaves)],
            ["the value", *(f"the gradient of {name}" for name in self.inputs)],
        )

    def call(self, function, arguments):
        part = attempted(function, self.name != "backward")
        part = (
            recorded(part, self.node)
            if self.node
            else _each_leaf_once(part)
            if self.name == "backward"
            else part
        )
        engine = type("Yours", (Sharing,), {self.name: part, "grad": Counted()})
        leaves = [engine(as_array(argument).copy(), requires_grad=True) for argument in arguments]
        try:
            value = self.reference(*leaves)
        except NotAttempted:
            if any(leaf.grad is not None for leaf in leaves):
                raise _Refused("does its work and then returns `...`: delete that line") from None
            return ...
        except RecursionError:
            if self.name != "backward":
                raise _Refused(
                    "calls itself: it works on two tensors. Work on their arrays, `self.data`"
                ) from None
            raise
        except (KeyError, TypeError, AttributeError) as error:
            slip = _slip(error, self.name == "backward")
            if slip:
                raise _Refused(slip) from None
            raise
        _only_leaves_keep(value)
        return value.data, *(leaf.grad for leaf in leaves)

    def mistaken(self, wrong, arguments):
        try:
            return list(self.call(wrong, arguments))
        except Exception:
            return []


def _slip(error, walks_back):
    """What Python's own error says of this engine, or ""."""
    text = str(error)
    if "'Yours'" in text and (
        "unsupported operand" in text or hasattr(np.ndarray, getattr(error, "name", None) or "")
    ):
        return "takes a tensor where an array is needed: write `other.data`"
    if "'float' object has no attribute" in text:
        return (
            "starts from a number: `arrived` holds arrays"
            if walks_back
            else "takes a number for a tensor: `self.lift(other)` makes one of it"
        )
    if not walks_back:
        return ""
    if isinstance(error, KeyError):
        return (
            "asks `arrived` for a tensor at which nothing has arrived: its first part is yet to"
            " come, or it is too early"
        )
    return (
        "passes None on: an input without `requires_grad` gets nothing"
        if "NoneType" in text
        else ""
    )


class Counted:
    """`.grad` of a tensor, which counts how often it is written."""

    def __get__(self, tensor, kind):
        return tensor.__dict__.get("grad")

    def __set__(self, tensor, value):
        if value is not None:
            tensor.__dict__["writes"] = tensor.__dict__.get("writes", 0) + 1
        tensor.__dict__["grad"] = value


def _each_leaf_once(backward):
    """`backward`, refused where one pass writes `.grad` of a leaf more than once, as PyTorch's
    AccumulateGrad does not.
    """

    @functools.wraps(backward)
    def counted(self):
        leaves = [node for node in self.graph() if not node.inputs]
        for leaf in leaves:
            leaf.writes = 0
        result = backward(self)
        if any(leaf.writes > 1 for leaf in leaves):
            raise _Refused(
                "writes `.grad` of a leaf once for each use. A leaf is a node too: what comes to it"
                " is added up in `arrived`, and goes into `.grad` when its turn comes"
            )
        return result

    return counted


def recorded(part, node):
    """`part`, refused where what it records is not called `node`, has other inputs, or has a rule
    that writes into `g`.
    """

    @functools.wraps(part)
    def looked_at(self, *others):
        given = [self, *(other for other in others if isinstance(other, Tensor))]
        before = [one.data.copy() for one in given]
        out = part(self, *others)
        if not isinstance(out, Tensor):
            raise _Refused(
                f"returns {type(out).__name__}. The result of `self.record(…)` is asked for"
            )
        if any(
            not np.array_equal(one.data, old, equal_nan=True) for one, old in zip(given, before)
        ):
            raise _Refused(
                "writes into the data of its input. Somebody else may need it: make a new array"
            )
        if not out.inputs and any(one.requires_grad for one in given):
            raise _Refused(
                "makes a tensor that remembers nothing. The result of `self.record(…)` is asked for"
            )
        if out.inputs and out.name != node:
            raise _Refused(f"calls its node {out.name!r}. PyTorch's name is asked for: {node}")
        if out.inputs and any(one is not other for one, other in zip(out.inputs, given)):
            raise _Refused("hands over its inputs in another order: the first is `self`")
        out.rule = out.rule and _leaves_what_arrives(out.rule, out.inputs)
        return out

    return looked_at


def _leaves_what_arrives(rule, inputs):
    def asked(g):
        before = g.copy()
        parts = rule(g)
        if not np.array_equal(g, before, equal_nan=True):
            raise _Refused(
                "has a rule that writes into `g`. Somebody else may hold that array: make a new one"
            )
        if isinstance(parts, np.ndarray):
            raise _Refused(
                "has a rule that returns one array. It returns a tuple, a part for each input:"
                " `(part,)` for one"
            )
        if isinstance(parts, (tuple, list)) and len(parts) != len(inputs):
            raise _Refused(
                f"has a rule that returns {len(parts)} of {len(inputs)} parts: each input gets one"
            )
        if any(part is None and x.requires_grad for part, x in zip(parts, inputs)):
            raise _Refused("has a rule that returns None for an input that asks for a gradient")
        return parts

    return asked


def _only_leaves_keep(value):
    """Refuse a graph in which a tensor that an operation made has `.grad`."""
    met, stack = set(), [value]
    while stack:
        node = stack.pop()
        if node.inputs and node.grad is not None:
            raise _Refused(
                "leaves a `.grad` on a tensor that an operation made. Only leaves keep theirs"
            )
        new = [x for x in node.inputs if id(x) not in met]
        met |= {id(x) for x in new}
        stack += new


OPTIONS = (0.1, 0.9), (0.03, 0.5), (0.1, 0.9)  # rate and momentum of each step


@dataclass(frozen=True)
class Step(Function):
    """A reference for a step of an optimizer: called with the data of two tensors and, pair by
    pair, their gradients.

    Each step has its own `OPTIONS`. Compared are the tensors and what the optimizer remembers,
    after all steps."""

    def trial(self, torch, generator, arguments):
        return (
            arguments,
            list(self.reference(*arguments)),
            [
                "w after the last step",
                "v after the last step",
                "the velocity of w",
                "the velocity of v",
            ],
        )

    def call(self, function, arguments):
        weights = [Tensor(as_array(w).copy(), True) for w in arguments[:2]]
        gradients, velocity, handed = [as_array(g).copy() for g in arguments[2:]], [0.0, 0.0], []
        for options, pair in zip(OPTIONS, zip(gradients[::2], gradients[1::2])):
            arrays = [(w.data, w.data.copy()) for w in weights]
            for w, g in zip(weights, pair):
                w.grad = g.copy()
                handed.append((w.grad, g))
            result = function(weights, velocity, *options)
            if result is ...:
                if any(np.any(v) for v in velocity):
                    raise _Refused("does its work and then returns `...`: delete that line")
                return ...
            if any(w.grad is None for w in weights) or any(
                not np.array_equal(array, g) for array, g in handed
            ):
                raise _Refused("writes into `.grad`. A step reads it; make a new array")
            if any(not np.array_equal(array, before) for array, before in arrays):
                raise _Refused("writes into the array of `p.data`. Make a new one: `p.data = …`")
        return *(w.data for w in weights), *velocity

    def mistaken(self, wrong, arguments):
        try:
            return list(self.call(wrong, arguments))
        except Exception:
            return []


def _mul(rule):
    def mul(self, other):
        other = self.lift(other)
        return self.record(
            "MulBackward0",
            self.data * other.data,
            (self, other),
            lambda g: rule(g, self.data, other.data),
        )

    return mul


@exercise(
    "14.1",
    mistakes={
        "The factors are swapped: each input gets the other factor": _mul(
            lambda g, a, b: (g * a, g * b)
        ),
        "`g` is missing: a rule multiplies what arrives": _mul(lambda g, a, b: (b, a)),
        "That is the rule of a sum": _mul(lambda g, a, b: (g, g)),
        "Both inputs get the same": _mul(lambda g, a, b: (g * b, g * b)),
        "`g` twice: what arrives is multiplied once": _mul(lambda g, a, b: (g * g * b, g * g * a)),
    },
)
def a_product_that_remembers(torch):
    def program(a, b):
        loss = ((a * b * 2.0) ** 2).mean()  # a tensor times a number, too
        loss.backward()
        return loss

    return {"mul": Method(program, {"a": (4,), "b": (4,)}, name="__mul__", node="MulBackward0")}


def _backward(
    meet=lambda old, new: old + new,
    keep=lambda old, new: new if old is None else old + new,
    asks=True,
    send=lambda node, g: node.send(g),
):
    """`backward` with one part of it done otherwise."""

    def backward(self):
        arrived = {self: np.ones_like(self.data)}
        for node in self.graph():
            gradient = arrived.pop(node)
            if node.inputs:
                for x, part in zip(node.inputs, send(node, gradient)):
                    if x.requires_grad or not asks:
                        arrived[x] = meet(arrived[x], part) if x in arrived else part
            else:
                node.grad = keep(node.grad, gradient)

    return backward


@exercise(
    "14.2",
    mistakes={
        "Overwritten where two meet: both contributions count": _backward(
            meet=lambda old, new: new
        ),
        "The second backward overwrites `.grad`. A leaf adds": _backward(keep=lambda old, new: new),
        "`+=` writes into what arrived, and somebody else may hold that array": _backward(
            meet=lambda old, new: np.add(old, new, out=old)
        ),
        "`+=` on `.grad` writes into an array that another leaf may hold too": _backward(
            keep=lambda old, new: new if old is None else np.add(old, new, out=old)
        ),
        "`node.rule` is not all of it: in step 3 `send` will do more. Ask `node.send(gradient)`": (
            _backward(send=lambda node, g: node.rule(g))
        ),
        "A mean where two meet: both contributions count whole": _backward(
            meet=lambda old, new: (old + new) / 2
        ),
        "Only the first to arrive counts: both contributions do": _backward(
            meet=lambda old, new: old
        ),
        "Nothing arrives at the leaves": lambda self: None,
    },
    look=watch_pass,
)
def the_walk_back(torch):
    def program(a, b, stretched):
        for _ in range(2):
            (a + b).mean().backward()  # one array is handed to both leaves
            (a.mean() + b.mean()).backward()  # and here the very first one, which is an array too
        fixed = a.detach()  # a tensor that wants no gradient, used twice
        u = a * b
        v = u.exp()
        # of four numbers it is too long for a function that calls itself
        chain = u
        for _ in range(3000 if len(fixed.numpy()) == 4 else 3):
            chain = chain + b
        loss = (u * v * stretched + v * fixed + fixed * a + chain * 0.001).mean()
        loss.backward()
        (a * a * b).mean().backward()  # .grad grows by what the second loss sends
        return loss

    made = []

    def numbers(generator):  # four in the first trial, then three
        made.append(
            torch.randn(4 if len(made) < 2 else 3, generator=generator, dtype=torch.float64)
        )
        return made[-1]

    return {
        "backward": Method(
            program, {"a": numbers, "b": numbers, "stretched": (1,)}, name="backward"
        )
    }


@exercise(
    "14.3",
    mistakes={
        "A mean in place of the sum: each use sends its part, and all parts count": (
            lambda self, g: (
                g if (g.shape == self.data.shape) else Tensor.fit(self, g) * self.data.size / g.size
            )
        ),
        "New axes in front are summed. An axis of length 1 that was repeated is not": (
            lambda self, g: g.sum(tuple(range(g.ndim - self.data.ndim)))
        ),
        "Only one of the copies counts. All were used": lambda self, g: g[
            (0,) * (g.ndim - self.data.ndim)
        ][tuple(slice(0, size) for size in self.data.shape)],
        "The gradient keeps its stretched shape": lambda self, g: g,
    },
)
def back_to_the_shape_of_the_input(torch):
    def program(x, row, column, number):
        loss = ((x * row + column) ** 2 * number).mean()
        loss.backward()
        return loss

    def of(*shapes):
        return [
            torch.linspace(-1, 2, max(math.prod(shape), 1), dtype=torch.float64).reshape(shape)
            for shape in shapes
        ]

    return {
        "fit": Method(
            program,
            {"x": (4, 3), "row": (3,), "column": (4, 1), "number": ()},
            name="fit",
            cases=[
                of((2, 3), (1, 3), (2, 1), (1,)),
                of((2, 2), (2,), (1, 1), ()),
                of((1, 3), (3,), (1, 3), (1, 1)),
            ],
        )
    }


def _matmul(rule):
    def matmul(self, other):
        return self.record(
            "MmBackward0",
            self.data @ other.data,
            (self, other),
            lambda g: rule(g, self.data, other.data),
        )

    return matmul


def _relu(rule):
    def relu(self):
        return self.record(
            "ReluBackward0", np.maximum(self.data, 0), (self,), lambda g: (rule(g, self.data),)
        )

    return relu


def _step(velocity_of, moves=lambda lr, v, g: lr * v):
    def step(parameters, velocity, lr, momentum):
        for i, p in enumerate(parameters):
            velocity[i] = velocity_of(velocity[i], p.grad, momentum)
            p.data = p.data - moves(lr, velocity[i], p.grad)

    return step


def _last_gradient(parameters, velocity, lr, momentum):
    for i, p in enumerate(parameters):
        p.data = p.data - lr * (momentum * velocity[i] + p.grad)
        velocity[i] = p.grad


def _rate_inside(parameters, velocity, lr, momentum):
    for i, p in enumerate(parameters):
        velocity[i] = momentum * velocity[i] - lr * p.grad
        p.data = p.data + velocity[i]


def _rate_inside_downhill(parameters, velocity, lr, momentum):
    for i, p in enumerate(parameters):
        velocity[i] = momentum * velocity[i] + lr * p.grad
        p.data = p.data - velocity[i]


def _nesterov(parameters, velocity, lr, momentum):
    for i, p in enumerate(parameters):
        velocity[i] = momentum * velocity[i] + p.grad
        p.data = p.data - lr * (p.grad + momentum * velocity[i])


def _late(parameters, velocity, lr, momentum):
    for i, p in enumerate(parameters):
        p.data = p.data - lr * velocity[i]
        velocity[i] = momentum * velocity[i] + p.grad


@exercise(
    "14.4",
    mistakes={
        "The shapes fit by luck: with square matrices the factors can be swapped unnoticed": (
            _matmul(lambda g, a, b: (b.T @ g, g @ a.T))
        ),
        "An element-wise product in place of the matrix product": _matmul(
            lambda g, a, b: (g * b, g * a)
        ),
        "The two parts are in each other's place": _matmul(lambda g, a, b: (a.T @ g, g @ b.T)),
        "A matrix is not turned": _matmul(lambda g, a, b: (g @ b, a @ g)),
        "A matrix is not turned: `g` (n, m) and the other factor make (n, k) and (k, m)": _matmul(
            lambda g, a, b: (g @ b, a.T @ g)
        ),
        "A matrix is not turned. `g` is (n, m), and what goes to `other` is (k, m)": _matmul(
            lambda g, a, b: (g @ b.T, a @ g)
        ),
        "The gradient passes where relu is flat": _relu(lambda g, a: g),
        "At 0 itself relu lets nothing back": _relu(lambda g, a: g * (a >= 0)),
        "The mask alone: `g` is missing": _relu(lambda g, a: 1.0 * (a > 0)),
        "The mask asks for the sign of `g`; the sign of the input is asked for": _relu(
            lambda g, a: np.maximum(g, 0)
        ),
        "Nothing is remembered: that is plain SGD": _step(lambda v, g, momentum: g),
        "The old velocity does not fade": _step(lambda v, g, momentum: v + g),
        "The gradient comes in whole, not a tenth of it": _step(
            lambda v, g, momentum: momentum * v + (1 - momentum) * g
        ),
        "The learning rate is missing": _step(
            lambda v, g, momentum: momentum * v + g, lambda lr, v, g: v
        ),
        "Only the last gradient is remembered. The velocity holds all, each fainter than the next": (
            _last_gradient
        ),
        "The learning rate is in the velocity: keep it out, as PyTorch does": (
            _rate_inside,
            _rate_inside_downhill,
        ),
        "`lr` is given: 0.1 is only one of its values": _step(
            lambda v, g, momentum: momentum * v + g, lambda lr, v, g: 0.1 * v
        ),
        "`momentum` is given: 0.9 is only one of its values": _step(
            lambda v, g, momentum: 0.9 * v + g
        ),
        "Nothing is written into `velocity`, so nothing is remembered": _step(
            lambda v, g, momentum: v, lambda lr, v, g: lr * g
        ),
        "The weight moves before the velocity has taken in this gradient": _late,
        "That looks ahead, as Nesterov's momentum does: move by the velocity alone": _nesterov,
        "The weights stay where they are: assign `p.data`": _step(
            lambda v, g, momentum: momentum * v + g, lambda lr, v, g: 0 * v
        ),
        "Downhill is minus": _step(
            lambda v, g, momentum: momentum * v + g, lambda lr, v, g: -lr * v
        ),
    },
)
def what_a_network_needs(torch):
    def product(a, b):
        loss = ((a @ b) ** 2).mean()
        loss.backward()
        return loss

    def bent(a):
        loss = (a.relu() ** 2 - a.relu()).mean()  # its slope at 0 is not 0: that of relu is
        loss.backward()
        return loss

    def stepped(w, v, *gradients):
        leaves = [w.clone().requires_grad_(), v.clone().requires_grad_()]
        optimizer = torch.optim.SGD(leaves, lr=0.1, momentum=0.9)
        for (lr, momentum), pair in zip(OPTIONS, zip(gradients[::2], gradients[1::2])):
            optimizer.param_groups[0].update(lr=lr, momentum=momentum)
            for leaf, gradient in zip(leaves, pair):
                leaf.grad = gradient.clone()
            optimizer.step()
        remembered = [optimizer.state[leaf]["momentum_buffer"] for leaf in leaves]
        return *(leaf.detach() for leaf in leaves), *remembered

    def matrices(n, k, m):
        return torch.linspace(-1.0, 2.0, n * k).double().reshape(n, k), torch.linspace(
            0.5, -1.5, k * m
        ).double().reshape(k, m)

    flat = torch.tensor([0.0, -1.0, 2.0, 0.0, 0.5, -0.5], dtype=torch.float64)
    return {
        "matmul": Method(
            product,
            {"a": (3, 3), "b": (3, 3)},
            name="__matmul__",
            node="MmBackward0",
            cases=[matrices(4, 3, 2), matrices(1, 3, 2), matrices(2, 1, 5)],
        ),
        "relu": Method(bent, {"a": (6,)}, name="relu", node="ReluBackward0", cases=[(flat,)]),
        "step": Step(
            stepped,
            {
                f"{name}{step}": (size,)
                for step in ("", 1, 2, 3)
                for name, size in (("w", 3), ("v", 2))
            },
        ),
    }

"""References for a part of the learner's own engine, lesson 14's: `Method` and `Step`. The part is
put into the lesson's engine, so what is wrong is the part."""

import contextlib
from dataclasses import dataclass

import numpy as np

from ...parity.results import as_array
from ..own_engine import Tensor
from ..own_pass import Sharing
from .check import Function, Refused, each_way

DELETE_THAT_LINE = "does its work and then returns `...`: delete that line"


class NotAttempted(Exception):
    """The learner's part returned `...`, as the stub does."""


class Part(Function):
    """A reference for a part of the engine: its `mistakes` take nothing, and are wrong parts."""

    def mistaken(self, arguments):
        found = []
        for words, way in each_way(self.mistakes()):
            found.append((words, []))
            with contextlib.suppress(Exception):
                found[-1] = words, list(self.call(way, arguments))
        return found


@dataclass(frozen=True, kw_only=True)
class Method(Part):
    """A reference for one method, called `name` in the engine's class.

    `reference(*leaves)` computes a loss of PyTorch's tensors and of the learner's. Compared are the
    loss and `.grad` of each leaf. The engine shares arrays: so `arrived[x] += part`, which writes
    into an array of somebody else, is told. `node` is PyTorch's name of what the method records."""

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
        engine = type("Yours", (Counting,), {self.name: part})
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
            made = "a tensor that an operation made"
            raise Refused(f"leaves a `.grad` on {made}. Only leaves keep theirs")
        return value.data, *(leaf.grad for leaf in leaves)


def _slip(error, walks_back):
    """What Python's own error says of this engine, or ""."""
    text = str(error)
    if isinstance(error, RecursionError):
        itself = "calls itself: it works on two tensors. Work on their arrays, `self.data`"
        return "" if walks_back else itself
    asks_an_array = hasattr(np.ndarray, getattr(error, "name", None) or "")
    if "'Yours'" in text and (asks_an_array or "unsupported operand" in text):
        return "takes a tensor where an array is needed: write `other.data`"
    if "'float' object has no attribute" in text:
        if walks_back:
            return "starts from a number: `arrived` holds arrays"
        return "takes a number for a tensor: `self.lift(other)` makes one of it"
    if walks_back and isinstance(error, KeyError):
        nothing = "asks `arrived` for a tensor at which nothing has arrived"
        return f"{nothing}: its first part is yet to come, or it is too early"
    if walks_back and "NoneType" in text:
        return "passes None on: an input without `requires_grad` gets nothing"
    return ""


class Counting(Sharing):
    """The lesson's engine, which counts how often `.grad` is written."""

    writes = 0

    def __setattr__(self, name, value):
        if name == "grad" and value is not None:
            self.writes += 1
        super().__setattr__(name, value)


def each_leaf_once(backward):
    """`backward`, refused where one pass writes `.grad` of a leaf more than once."""

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
        for one, old in zip(given, before):
            if not np.array_equal(one.data, old, equal_nan=True):
                needed = "Somebody else may need it: make a new array"
                raise Refused(f"writes into the data of its input. {needed}")
        if node:
            _look_at_the_record(out, given, node)
            if out.rule:
                out.rule = _looked_at(out.rule, out.inputs)
        return out

    return called


def _look_at_the_record(out, given, node):
    """Refuse what is not the result of an operation that was recorded as `node`."""
    asked = "The result of `self.record(…)` is asked for"
    if not isinstance(out, Tensor):
        raise Refused(f"returns {type(out).__name__}. {asked}")
    if not out.inputs:
        if any(one.requires_grad for one in given):
            raise Refused(f"makes a tensor that remembers nothing. {asked}")
    elif out.name != node:
        raise Refused(f"calls its node {out.name!r}. PyTorch's name is asked for: {node}")
    elif any(one is not other for one, other in zip(out.inputs, given)):
        raise Refused("hands over its inputs in another order: the first is `self`")


def _looked_at(rule, inputs):
    """`rule`, refused where it writes into `g`, or does not return a part for each input."""

    def asked(g):
        before, parts, has = g.copy(), rule(g), "has a rule that"
        if not np.array_equal(g, before, equal_nan=True):
            raise Refused(
                f"{has} writes into `g`. Somebody else may hold that array: make a new one"
            )
        if isinstance(parts, np.ndarray):
            tuple_of = "It returns a tuple, a part for each input: `(part,)` for one"
            raise Refused(f"{has} returns one array. {tuple_of}")
        if isinstance(parts, (tuple, list)) and len(parts) != len(inputs):
            count = f"{len(parts)} of {len(inputs)} parts"
            raise Refused(f"{has} returns {count}: each input gets one")
        if any(part is None and x.requires_grad for part, x in zip(parts, inputs)):
            raise Refused(f"{has} returns None for an input that asks for a gradient")
        return parts

    return asked


OPTIONS = (0.1, 0.9), (0.03, 0.5), (0.1, 0.9)  # rate and momentum of each step


class Step(Part):
    """A reference for a step of an optimizer: called with the data of two tensors and, pair by
    pair, their gradients. Each step has its own `OPTIONS`. Compared are the tensors and what the
    optimizer remembers, after all steps."""

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

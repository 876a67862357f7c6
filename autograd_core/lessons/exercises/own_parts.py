"""References for a part of the learner's own engine, lesson 14's: `Method` and `Step`. The part is
put into the lesson's engine, so what is wrong is the part. `watch_pass` shows a wrong `backward`."""

import contextlib
import dis
import io
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from ...parity.agreement_report import first_line
from ...trace.data import Event, Trace
from ...widgets import GraphView
from ...widgets.kit.format import tensor_text
from ..own_engine import Tensor
from ..own_trace import TraceBuilder
from .conduct import few_lines
from .references import Function, Refused, array_of

DELETE_THAT_LINE = "does its work and then returns `...`: delete that line"


class NotAttempted(Exception):
    """The learner's part returned `...`, as the stub does."""


class Part(Function):
    """A reference for a part of the engine. It is called with arrays."""

    engines = (array_of,)


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
        engine = type("Yours", (Watched,), {self.name: part})
        leaves = [engine(argument, requires_grad=True) for argument in arguments]
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
    return _slip_of_a_pass(error, text) if walks_back else ""


def _slip_of_a_pass(error, text):
    """The cause of an error in a `backward`, or ""."""
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    if frame.f_code is Tensor.send.__code__ and not frame.f_locals["self"].inputs:
        return "calls `send` on a leaf. A leaf has no rule: it adds its gradient to `.grad`"
    if getattr(error, "name", None) == "_backward":
        return (
            "calls `_backward`, which these tensors don't have. Call `node.send(gradient)`: it returns"
            " a gradient for each of `node.inputs`"
        )
    if frame.f_code in (Tensor.send.__code__, Tensor.fit.__code__):
        return ""
    if "and 'NoneType'" in text:
        return "passes None on: an input without `requires_grad` gets nothing"
    if "'NoneType' and" in text and _reads_grad(frame.f_code, line):
        return (
            "adds to the `.grad` of a tensor that has none yet: `.grad` is None until a gradient is"
            " assigned to it"
        )
    return ""


def _reads_grad(code, line):
    """Whether a line of a function reads `.grad`."""
    return any(
        step.opname == "LOAD_ATTR" and step.argval == "grad"
        for step in dis.get_instructions(code)
        if step.positions and step.positions.lineno == line
    )


def _was_removed(backward, tensor):
    """Whether `backward` asks a dict for a key that was in a dict before. `backward` runs once more,
    without its prints, and at each line the keys of the dicts in its variables are noted."""
    seen = set()

    def note(frame, event, _):
        if frame.f_code is not backward.__code__:
            return None
        for value in frame.f_locals.values():
            if type(value) is dict:
                seen.update(value)
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            backward(tensor)
    except KeyError as error:
        return bool(error.args) and error.args[0] in seen
    finally:
        sys.settrace(before)
    return False


class Watched(Tensor):
    """The lesson's engine, where one array may go to several inputs, as a sum's rule hands it out;
    it counts how often `.grad` is written."""

    writes = 0

    def fit(self, gradient):
        return gradient if gradient.shape == self.data.shape else super().fit(gradient)

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
        try:
            returned = backward(self)
        except KeyError:
            if hasattr(backward, "__code__") and _was_removed(backward, self):
                raise Refused(
                    "asks `arrived` for a tensor that it has already removed. `pop` removes the"
                    " tensor: call it once for each node, and keep the gradient"
                ) from None
            raise
        if returned is ...:
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
        weights = [Tensor(w, True) for w in arguments[:2]]
        gradients, velocity, handed = arguments[2:], [0.0, 0.0], []
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


# ---- a pass that is not right, seen on a small graph ----

ALL_RIGHT = (
    "On this small graph every number of your pass is right: no step of it shows what the check"
    " says."
)


def program(a: Any, b: Any) -> dict[str, Any]:
    """Named tensors: two fan-outs, one at a leaf, and a sum, whose inputs may get one array."""
    u = a * b
    v = u.exp()
    w = u + b
    p = v * w
    return {"a": a, "b": b, "u": u, "v": v, "w": w, "p": p, "loss": p.mean()}


def trace_pass(backward: Callable) -> tuple[Trace, BaseException | None]:
    """What `backward`, a method, does on the graph of `program`, whose leaves hold a `.grad` of an
    earlier pass; and what it raised."""
    engine: Any = type("Yours", (Watched,), {"backward": backward})
    a, b = engine([0.5], requires_grad=True), engine([-2.0], requires_grad=True)
    a.grad, b.grad = np.array([10.0]), np.array([20.0])
    names, error = program(a, b), None
    builder = TraceBuilder(names["loss"], names, is_fresh=False)
    try:
        with few_lines():
            builder.run()
    except (Exception, KeyboardInterrupt) as raised:
        error = raised
    return builder.trace(), error


def watch_pass(backward: Callable) -> GraphView:
    """The graph with the learner's pass in it, at the first event that is not as in the right pass."""
    mine, error = trace_pass(backward)
    right, _ = trace_pass(Tensor.backward)
    pairs = [*zip_longest(mine.events, right.events)]
    place = next((i for i, pair in enumerate(pairs) if not same(*pair)), None)
    notice, event = ALL_RIGHT, len(mine.events)
    if place is not None:
        notice, event = departure(mine, right, pairs[place], error), min(place + 1, event)
    view = GraphView(mine, title="Your pass", note="a small graph", notice=notice, event=event)
    events = [*view.structure["events"]]
    for i, words in not_added(mine).items():
        events[i] = {**events[i], "text": [("", words)]}
    view.structure = {**view.structure, "events": events}
    return view


def not_added(trace: Trace) -> dict[int, str]:
    """A sentence for each event at which a tensor does not hold the sum of what came to it."""
    came: dict[int, Any] = {}
    words = {}
    for i, event in enumerate(trace.events):
        name, before = called(trace, event), tensor_text(event.before)
        sum_of = came.get(event.node)
        if event.kind == "backward" and sum_of is not None and not near(event.before, sum_of):
            all_of_it = f"What has come to it adds up to {tensor_text(sum_of)}."
            words[i] = f"{name} passes on {before}. {all_of_it}"
        if event.kind == "accumulate":
            total = came.pop(event.node, 0.0) + (0.0 if event.before is None else event.before)
            if not near(event.after, total):
                now, sum_of = tensor_text(event.after), tensor_text(total)
                was = f"{name}.grad was {before} and is now {now}"
                words[i] = f"{was}. With what came it would be {sum_of}."
        for edge, part in event.sent:
            producer = trace.edges[edge].producer
            came[producer] = came.get(producer, 0.0) + part
    return words


def departure(mine: Trace, right: Trace, pair: tuple, error: BaseException | None) -> str:
    """A sentence on the first pair of events that are not the same: None where a pass has ended."""
    one, other = pair
    if one is None:
        stop = f"raises {first_line(error).rstrip('.')}" if error else "ends"
        return f"Your pass {stop} here. Next would be {called(right, other)}."
    if other is None:
        return f"The right pass has ended here. Yours goes on to {called(mine, one)}."
    if (one.kind, one.node) != (other.kind, other.node):
        if not any(event.kind == "backward" for event in mine.events):
            way = "its way through the graph cannot be shown"
            return f"Your pass does not call `node.send`, so {way}."
        return f"Your pass goes to {called(mine, one)} here. Next would be {called(right, other)}."
    name, before = called(mine, one), tensor_text(one.before)
    if one.kind == "accumulate":
        here, there = tensor_text(one.after), tensor_text(other.after)
        becomes = f"It becomes {here} here, and {there} in the right pass"
        return f".grad of {name} was {before}. {becomes}."
    if not near(one.before, other.before):
        arrived = f"In the right pass {tensor_text(other.before)} has arrived there"
        return f"{name} passes on what it holds: {before}. {arrived}."
    return f"What {name} sends differs from the right pass here."


def same(one: Event | None, other: Event | None) -> bool:
    """Whether two events say the same."""
    if one is None or other is None or (one.kind, one.node) != (other.kind, other.node):
        return False
    edges = [[edge for edge, _ in event.sent] for event in (one, other)]
    numbers = [[e.before, e.after, *(part for _, part in e.sent)] for e in (one, other)]
    return edges[0] == edges[1] and all(map(near, *numbers))


def near(one: Any, other: Any) -> bool:
    """Whether two values are the same, None included, up to rounding."""
    if one is None or other is None:
        return one is other
    return np.shape(one) == np.shape(other) and np.allclose(one, other, rtol=1e-9, atol=1e-12)


def called(trace: Trace, event: Event) -> str:
    """The tensor of an event by its name; without one, its operation."""
    node = trace.nodes[event.node]
    return node.label or node.name.removesuffix("Backward0")

"""The learner's own `backward` on a small graph: the view stands where it departs from the right."""

from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import numpy as np

from ..parity.report import first_line
from ..trace.data import Event, Trace
from ..widgets import GraphView
from ..widgets.kit.format import tensor_text
from .exercises.conduct import few_lines
from .own_engine import Tensor
from .own_trace import TraceBuilder

ALL_RIGHT = (
    "On this small graph every number of your pass is right: no step of it shows what the check"
    " says."
)


class Sharing(Tensor):
    """The lesson's engine, where one array may go to several inputs, as a sum's rule hands it out."""

    def fit(self, gradient):
        return gradient if gradient.shape == self.data.shape else super().fit(gradient)


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
    errors: list[BaseException] = []

    def outermost() -> None:
        del loss.backward  # a pass that calls itself calls the method
        try:
            with few_lines():
                loss.backward()
        except (Exception, KeyboardInterrupt) as error:
            errors.append(error)

    engine: Any = type("Yours", (Sharing,), {"backward": backward})
    a, b = engine([0.5], requires_grad=True), engine([-2.0], requires_grad=True)
    a.grad, b.grad = np.array([10.0]), np.array([20.0])
    names = program(a, b)
    loss = names["loss"]
    loss.backward = outermost
    trace = TraceBuilder(loss, names, is_fresh=False).trace()
    return trace, next(iter(errors), None)


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

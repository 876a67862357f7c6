"""The learner's own pass in the step view, at the first event that differs from the right pass."""

from collections.abc import Callable, Mapping
from itertools import zip_longest
from typing import Any

from ...parity.agreement_report import first_line
from ...trace.data import Event, Trace
from ...widgets import GraphView
from ...widgets.kit.format import tensor_text
from ..own_engine import lent
from ..own_trace import trace_own
from .own_parts import Method, class_of, completed, is_stub, program, text_of, using

ALL_RIGHT = "On this graph, every number of your pass is right."


def watch_part(reference: Method) -> Callable:
    """A function from a wrong `order` or `backward` to the picture of its pass."""

    def watch(function: Callable) -> GraphView | None:
        cls = class_of(function)
        with completed(cls):
            names = program(cls)
            # after an earlier pass, or else without one
            names["a"].grad, names["b"].grad = 10.0, 20.0
            for is_fresh in () if is_stub(function) else (False, True):
                view = watch_pass(names["loss"], names, reference.methods(function), is_fresh)
                if view.notice != ALL_RIGHT:
                    return view
        return None

    return watch


def watch_pass(
    loss: Any, names: Mapping[str, Any], methods: Mapping[str, Any], is_fresh: bool = True
) -> GraphView:
    """The graph of `loss` with the pass of other `methods` in it."""
    cls: Any = type(loss)
    with using(cls, **methods):
        mine, error = trace_own(loss, names, is_fresh)
    with using(cls, **{name: lent(name, cls) for name in methods}):
        right, _ = trace_own(loss, names, is_fresh)
    pairs = [*zip_longest(mine.events, right.events)]
    place = next((i for i, pair in enumerate(pairs) if not same(*pair)), None)
    notice, event = ALL_RIGHT, len(mine.events)
    if place is not None:
        notice, event = departure(mine, right, pairs[place], error), min(place + 1, event)
    view = GraphView(mine, title="Your pass", notice=notice, event=event)
    events = [*view.structure["events"]]
    after = [f"{called(mine, each)}, in this order." for each in mine.events[1:]]
    after.append("Nothing: this is the last event.")
    # the view's own words say what a right pass does
    for i in range(event - 2, len(mine.events)):
        events[i] = {**events[i], "next": [("", after[i])]}
    for i, each in enumerate(mine.events[event - 1 :], event - 1):
        name, before = called(mine, each), tensor_text(each.before)
        words = f"{name} passes on {before}."
        if each.kind == "accumulate":
            words = f"{name}.grad was {before} and is now {tensor_text(each.after)}."
        events[i] = {**events[i], "text": [("", words)]}
    view.structure = {**view.structure, "events": events}
    return view


def departure(mine: Trace, right: Trace, pair: tuple, error: BaseException | None) -> str:
    """A sentence on the first pair of events that differ; None where a pass has ended."""
    one, other = pair
    if one is None:
        stop = f"raises {first_line(error).rstrip('.')}" if error else "ends"
        return f"Your pass {stop} here. Next would be {called(right, other)}."
    name, here = called(mine, one), tensor_text(one.before)
    if other is None:
        return f"The right pass has ended here. Yours goes on to {name}."
    if not any(event.kind == "backward" for event in mine.events):
        return "Your pass doesn't call `node.rule`, so the picture can't show its way."
    at = [event for event in right.events if (event.kind, event.node) == (one.kind, one.node)]
    if one.kind == "accumulate":
        becomes = f"It becomes {tensor_text(one.after)} here"
        return (
            f"{name}.grad was {here}. {becomes}, and {tensor_text(at[0].after)} in the right pass."
        )
    first = "" if one.node == other.node else f" runs {called(right, other)} first, and there it"
    there = tensor_text(at[0].before) if at else here
    return f"{name} passes on {here} here. The right pass{first} passes on {there}."


def same(one: Event | None, other: Event | None) -> bool:
    """Whether two events say the same."""
    if one is None or other is None or (one.kind, one.node) != (other.kind, other.node):
        return False
    numbers = [[e.before, e.after, *(part for _, part in e.sent)] for e in (one, other)]
    return [*map(text_of, numbers[0])] == [*map(text_of, numbers[1])]


def called(trace: Trace, event: Event) -> str:
    """The tensor of an event by its name; without one, its operation."""
    node = trace.nodes[event.node]
    return node.label or node.name.removesuffix("Backward0")

"""The state of every node after each event: its value, its gradient, and the contributions that
have arrived.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ...trace import Summary, Trace
from ...trace.summary import Value


@dataclass
class State:
    """The state of a node after an event."""

    value: Value | None
    gradient: Value | None
    arrived: int = 0
    expected: int = 0
    done: bool = False
    recorded: bool = True


def added(values: list) -> Value | None:
    """The sum of contributions; None if only a summary of one of several was kept."""
    if len(values) == 1:
        return values[0]
    if not values or any(isinstance(each, Summary) for each in values):
        return None
    return sum(values[1:], values[0])


def walk(trace: Trace) -> Iterator[tuple[int, list[State], set[int]]]:
    """(k, the states after event k, the nodes whose state or place in time has changed), from k = 0,
    before the first event, when all values are shown. The states are the same objects each time.
    """
    states = [State(node.value, node.grad) for node in trace.nodes]
    runs = {event.node: event for event in reversed(trace.events) if event.kind == "backward"}
    later = {event.node for event in trace.events if event.kind == "forward"}
    came: dict[int, list] = {}
    # `.grad` of a leaf before its first event
    for event in reversed(trace.events):
        if event.kind in ("accumulate", "zero_grad"):
            states[event.node].gradient = event.before
        for edge, _ in event.sent:
            states[trace.edges[edge].producer].expected += 1
    yield 0, states, set(range(len(states)))
    touched = later
    for node in later:
        states[node].recorded = False
    for k, event in enumerate(trace.events, 1):
        state, touched = states[event.node], touched | {event.node}
        if event.kind == "forward":
            state.recorded = True
        elif event.kind == "backward":
            state.done, state.gradient = True, event.before
        elif event.kind in ("accumulate", "zero_grad"):
            state.gradient = event.after
        elif event.kind == "step":
            state.value = event.after
        for edge, gradient in event.sent:
            producer = trace.edges[edge].producer
            receiver = states[producer]
            receiver.arrived += 1
            touched.add(producer)
            if trace.nodes[producer].kind == "operation":
                known = came.setdefault(producer, [])
                known.append(gradient)
                whole = receiver.arrived == receiver.expected and producer in runs
                receiver.gradient = runs[producer].before if whole else added(known)
        yield k, states, touched
        touched = {event.node} if event.kind == "backward" else set()  # it no longer runs


def states(trace: Trace, at: int) -> list[State]:
    """The state of every node after event number `at`. 0 is before the first event, when all values
    are shown.
    """
    return next(known for k, known, _ in walk(trace) if k == at)

"""The traces that `follow(..., keep=n)` keeps: of every nth step and each surprise, within bounds."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .data import Trace
from .summary import Summary, Value, summary_of

MOST_REGULAR = 16  # traces; where there would be more, every other one goes
MOST_SURPRISES = 8  # the first ones
VIEW_BYTES = 4_000_000  # of whole arrays in each; of the largest ones the summary is kept


class KeptTraces:
    """Traces by their step: those of every nth step, and those of surprises."""

    def __init__(self, every: int):
        self.every = every
        self.regular: dict[int, Trace] = {}
        self.surprises: dict[int, Trace] = {}

    def wanted(self, step: int, surprising: bool) -> bool:
        """Whether a trace of this step would be kept."""
        return step % self.every == 0 or surprising and len(self.surprises) < MOST_SURPRISES

    def add(self, step: int, trace: Trace, surprising: bool) -> None:
        """Keep a trace; as a regular one where there is no room for a surprise."""
        if surprising and len(self.surprises) < MOST_SURPRISES:
            self.surprises[step] = lean(trace)
            return
        self.regular[step] = lean(trace)
        while len(self.regular) > MOST_REGULAR:
            self.every *= 2
            for each in [each for each in self.regular if each % self.every]:
                del self.regular[each]

    def all(self) -> dict[int, Trace]:
        """Every trace that is kept, by its step, in order."""
        return dict(sorted({**self.regular, **self.surprises}.items()))


def lean(trace: Trace, most: int = VIEW_BYTES) -> Trace:
    """The trace with summaries in place of its largest arrays, beyond `most` bytes of the others."""
    small: dict[int, Value] = {}
    arrays = {id(value): value for value in _values(trace) if isinstance(value, np.ndarray)}
    for array in sorted(arrays.values(), key=lambda array: array.nbytes):
        most -= array.nbytes
        own = array if array.base is None else np.array(array)
        small[id(array)] = own if most >= 0 else summary_of(array)
    if not any(isinstance(value, Summary) for value in small.values()):
        return trace

    def of(value: Any) -> Any:
        return small.get(id(value), value)

    nodes = tuple(replace(node, value=of(node.value), grad=of(node.grad)) for node in trace.nodes)
    events = []
    for event in trace.events:
        sent = tuple((edge, of(value)) for edge, value in event.sent)
        events.append(replace(event, before=of(event.before), after=of(event.after), sent=sent))
    return replace(trace, nodes=nodes, events=tuple(events))


def _values(trace: Trace) -> Iterator[Value | None]:
    for node in trace.nodes:
        yield from (node.value, node.grad)
    for event in trace.events:
        yield from (event.before, event.after, *(value for _, value in event.sent))

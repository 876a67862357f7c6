"""The steps of a training of which `follow(..., keep=n)` keeps a trace: every nth and each
surprise, within a bound.
"""

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .backward import FREED
from .data import Trace
from .nodes import walk
from .summary import Summary, Value, summary_of

MOST_REGULAR = 16  # traces; where there would be more, every other one goes
MOST_SURPRISES = 8  # the first ones
COMPILED_NODE = "CompiledFunctionBackward"
# of whole arrays in each trace; of the largest ones the summary is kept
VIEW_BYTES = 4_000_000


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
            self.regular = {
                step: kept for step, kept in self.regular.items() if step % self.every == 0
            }

    def all(self) -> dict[int, Trace]:
        """Every trace that is kept, by its step, in order."""
        return dict(sorted({**self.regular, **self.surprises}.items()))


def lean(trace: Trace, most: int = VIEW_BYTES) -> Trace:
    """The trace with summaries in place of its largest arrays, so that the others take at most
    `most` bytes.
    """
    arrays = {id(value): value for value in _values(trace) if isinstance(value, np.ndarray)}
    small: dict[int, Value] = {}
    room = most
    for array in sorted(arrays.values(), key=lambda array: array.nbytes):
        room -= array.nbytes
        small[id(array)] = (
            (array if array.base is None else np.array(array)) if room >= 0 else summary_of(array)
        )
    if not any(isinstance(value, Summary) for value in small.values()):
        return trace

    def of(value: Value | None) -> Value | None:
        return small.get(id(value), value)

    def sent(pairs: tuple[tuple[int, Value], ...]) -> tuple[tuple[int, Value], ...]:
        return tuple((edge, small.get(id(value), value)) for edge, value in pairs)

    nodes = tuple(replace(node, value=of(node.value), grad=of(node.grad)) for node in trace.nodes)
    events = tuple(
        replace(event, before=of(event.before), after=of(event.after), sent=sent(event.sent))
        for event in trace.events
    )
    return replace(trace, nodes=nodes, events=events)


def _values(trace: Trace) -> Iterator[Value | None]:
    for node in trace.nodes:
        yield from (node.value, node.grad)
    for event in trace.events:
        yield from (event.before, event.after, *(value for _, value in event.sent))


# ---- letting a graph go --------------------------------------------------------------------------


def release(loss: Any) -> None:
    """Free what the graph of `loss` saved, as `backward()` without `retain_graph` does; a second
    backward raises then.
    """
    for node in walk(loss.grad_fn):
        if hasattr(node, "free"):
            node.free()
        kind: Any = type(node)
        for name in _raw_names(kind):
            try:
                saved = getattr(node, name)
                for each in saved if isinstance(saved, (tuple, list)) else (saved,):
                    each.register_hooks(lambda tensor: None, _freed)
            # None was saved; or it is freed, or somebody else packs it
            except RuntimeError:
                continue


def runs_back_once(loss: Any) -> bool:
    """Whether a part of the graph was compiled by PyTorch, which lends buffers to the only backward
    pass that it foresees.
    """
    return any(node.name() == COMPILED_NODE for node in walk(loss.grad_fn))


@functools.cache
def _raw_names(node_type: Any) -> list[str]:
    """What PyTorch's nodes of this type keep, as `SavedTensor`."""
    return [name for name in dir(node_type) if name.startswith("_raw_saved_")]


def _freed(packed: Any) -> Any:
    raise RuntimeError(
        f"Trying to {FREED}: history.backward(loss) has freed what the graph saved, as"
        " loss.backward() does"
    )

"""The first nan and the first inf in the values and gradients of a trace."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .data import Event, Trace
from .summary import Summary, Value, summary_of

PHASES = {"loss": "forward", "accumulate": "backward"}  # for other events, their kind


@dataclass(frozen=True)
class Finding:
    """A nan or an inf (the `word`) that first appears in event number `event` (from 1) at `node`, in
    `phase`. `origin` is the input of `node`, a leaf or a constant, that already contains it, or None.
    """

    word: str
    event: int
    node: int
    phase: str
    origin: int | None = None


class Values:
    def __init__(self, trace: Trace):
        self.trace = trace

    @cached_property
    def masks(self) -> list[int]:
        """The nodes with an intended inf, a mask: all their consumers turn it to finite numbers in
        the forward pass, and to finite gradients in the backward pass if they get finite ones.
        """
        found: set[int] = set()
        for number in reversed(range(len(self.trace.nodes))):
            node = self.trace.nodes[number]
            takers = [edge.consumer for edge in self.trace.outputs.get(number, {}).values()]
            if node.value is None or is_finite(node.value) or summary_of(node.value).nan:
                continue
            meant = (n in found or is_finite(self.trace.nodes[n].value) for n in takers)
            if takers and self._born_back.isdisjoint({number, *takers}) and all(meant):
                found.add(number)
        return sorted(found)

    @cached_property
    def _born_back(self) -> set[int]:
        """The operations that turned a finite gradient to a nan or an inf."""
        return {
            event.node
            for event in self.trace.events
            if event.kind == "backward" and (event.before is None or is_finite(event.before))
            if not all(is_finite(gradient) for _, gradient in event.sent)
        }

    @cached_property
    def firsts(self) -> list[Finding]:
        """The first inf and the first nan, in the order of events. An inf in a mask doesn't count."""
        found: dict[str, Finding] = {}
        masks = set(self.masks)
        for number, event in enumerate(self.trace.events, 1):
            is_mask = event.kind == "forward" and event.node in masks
            for word in self._words(event):
                if word not in found and not (word == "inf" and is_mask):
                    phase, origin = PHASES.get(event.kind, event.kind), self._origin(word, event)
                    found[word] = Finding(word, number, event.node, phase, origin)
        return list(found.values())

    def _words(self, event: Event) -> Iterator[str]:
        values = [event.before, event.after, *(gradient for _, gradient in event.sent)]
        found = [
            summary_of(value) for value in values if value is not None and not is_finite(value)
        ]
        if any(summary.nan for summary in found):
            yield "nan"
        if any(summary.inf for summary in found):
            yield "inf"

    def _origin(self, word: str, event: Event) -> int | None:
        """The input of the event's node that isn't the result of an operation and contains `word`."""
        for edge in self.trace.inputs.get(event.node, {}).values():
            producer = self.trace.nodes[edge.producer]
            if producer.kind not in ("operation", "severed") and producer.value is not None:
                summary = summary_of(producer.value)
                if summary.nan if word == "nan" else summary.inf:
                    return edge.producer
        return None


def is_finite(value: Value | None) -> bool:
    """Whether no number is nan or inf; False for None."""
    if isinstance(value, Summary):
        return value.finite
    return value is not None and bool(np.isfinite(value).all())

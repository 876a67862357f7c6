"""What travelled back through a trace: along which edges, from where on it was 0, and what made it
so small.
"""

from collections import ChainMap
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from .data import Edge, Trace
from .nodes import walk
from .summary import Summary, Value, summary_of

GATE = 1e-3  # no number of a parameter that is "next to 0" is larger
FADED = 1e-6  # a gradient's norm that is smaller, as a share of the largest one, is as good as gone


class Flow:
    """The backward pass of a trace; edges and nodes are places in `trace.edges` and `.nodes`."""

    def __init__(self, trace: Trace):
        self.trace = trace
        self.root = next((event.node for event in trace.events if event.kind == "loss"), 0)

    @cached_property
    def of_leaves(self) -> set[int]:
        """The leaves, and what only turns one: the transpose of a weight, say."""
        found: set[int] = set()
        for number, node in enumerate(self.trace.nodes):
            before = [edge.producer for edge in self.trace.inputs.get(number, {}).values()]
            if node.kind in ("leaf", "frozen") or len(before) == 1 and before[0] in found:
                found.add(number)
        return found

    @cached_property
    def known(self) -> bool:
        """Whether a backward pass is."""
        return any(event.kind == "backward" for event in self.trace.events)

    @cached_property
    def sent(self) -> dict[int, Value]:
        """{edge: the gradient that went along it}"""
        return {edge: gradient for event in self.trace.events for edge, gradient in event.sent}

    @cached_property
    def received(self) -> dict[int, Value]:
        """{operation: the sum of gradients that arrived there}"""
        return {
            event.node: event.before
            for event in self.trace.events
            if event.kind == "backward" and event.before is not None
        }

    @cached_property
    def gradients(self) -> dict[int, Summary]:
        """{leaf: summary of what this backward pass brought it}"""
        found: dict[int, Summary] = {}
        for event in self.trace.events if self.known else ():
            arrived = event.after if event.arrived is None else event.arrived
            if event.kind == "accumulate" and arrived is not None:
                found.setdefault(event.node, summary_of(arrived))
        return found

    @cached_property
    def largest(self) -> float:
        """The largest norm of a leaf's gradient that is finite."""
        return max((each.norm for each in self.gradients.values() if each.finite), default=0.0)

    def silent(self, leaf: int) -> list[int]:
        """The operations that ran and sent nothing towards a leaf at which nothing arrived."""
        outputs, ran = self.trace.outputs, self.received

        def idle(node: int) -> Iterator[int]:
            takers = (edge.consumer for edge in outputs.get(node, {}).values())
            return (taker for taker in takers if taker not in ran)

        edges = (edge for node in walk(leaf, below=idle) for edge in outputs.get(node, {}).items())
        return sorted({e.consumer for k, e in edges if e.consumer in ran and k not in self.sent})

    @cached_property
    def zero_from(self) -> dict[int, dict[int, int | None]]:
        """{node: {node at which what arrives there becomes 0: the edge on which it is 0 from there
        on}}; None where what arrives at that node itself is 0, and was sent as something else.
        """
        found: dict[int, dict[int, int | None]] = {}
        for node in reversed(range(len(self.trace.nodes))):
            origins: list[dict[int, int | None]] = []
            for number, edge in self.trace.outputs.get(node, {}).items():
                if number not in self.sent:
                    continue
                taker = edge.consumer
                if not is_zero(self.sent[number]):
                    origins.append({node: None})
                elif taker == self.root or not is_zero(self.received[taker]):
                    origins.append({taker: number})
                else:
                    origins.append(found[taker])
            found[node] = origins[0] if len(origins) == 1 else dict(ChainMap(*origins))
        return found

    def cancels(self, node: int) -> bool:
        """Whether something that is not 0 was sent to a node, and 0 arrived there."""
        arrived = self.gradients.get(node) or self.received.get(node)
        edges = self.trace.outputs.get(node, ())
        some = any(edge in self.sent and not is_zero(self.sent[edge]) for edge in edges)
        return some and arrived is not None and is_zero(arrived)

    def gate(self, edge: int) -> str:
        """The name of a parameter by which the gradient on this edge was multiplied, that is next
        to 0 and gets a gradient itself: a residual branch that begins at 0 has one. "" for none.
        """
        names = self._names
        for leaf in self._factors(self.trace.edges[edge]):
            value, gradient = self.trace.nodes[leaf].value, self.gradients.get(leaf)
            if leaf in names and value is not None and gradient is not None:
                moves = gradient.norm > FADED * self.largest
                if moves and largest_of(value) <= GATE:
                    return names[leaf]
        return ""

    @cached_property
    def _names(self) -> dict[int | None, str]:
        """{leaf: name of its parameter}"""
        return {p.node: p.name for p in self.trace.parameters}

    def _factors(self, edge: Edge) -> Iterator[int]:
        """The leaves by which an operation multiplied its input on this edge, also turned ones: a
        factor is saved for the way back, and is no bias.
        """
        taker = self.trace.nodes[edge.consumer]
        arguments = [name for name, _ in taker.rules] or ["input", "weight", "bias"]
        saved = {saved.name for saved in taker.saved} - {"bias"}
        for argument, other in zip(arguments, self.trace.inputs[edge.consumer].values()):
            if argument not in saved or other.slot == edge.slot:
                continue
            node, before = other.producer, [other]
            while self.trace.nodes[node].kind == "operation" and len(before) == 1:
                before = [*self.trace.inputs.get(node, {}).values()]
                node = before[0].producer if len(before) == 1 else node
            if self.trace.nodes[node].kind == "leaf":
                yield node

    @cached_property
    def ungated(self) -> set[int]:
        """The nodes that a gradient reaches on some way without a gate."""
        reached = {self.root}
        for event in self.trace.events:
            if event.kind == "backward" and event.node in reached:
                edges = (edge for edge, _ in event.sent if not self.gate(edge))
                reached |= {self.trace.edges[edge].producer for edge in edges}
        return reached


def is_zero(value: Value) -> bool:
    """Whether there are numbers, and all are 0."""
    if isinstance(value, Summary):
        return value.zeros == value.size > 0
    return bool(value.size) and not value.any()


def largest_of(value: Value) -> float:
    """The largest absolute value; inf where there is none."""
    found = summary_of(value)
    return np.inf if found.nan or not found.size else max(abs(found.min), abs(found.max))

"""The gradients of a backward pass: their edges, and the places at which they became 0."""

from collections import ChainMap
from collections.abc import Iterator
from functools import cached_property

from .data import Edge, Trace
from .nodes import walk
from .summary import Summary, Value, summary_of

GATE = 1e-3  # the largest absolute value in a parameter that counts as "close to 0"
FADED = 1e-6  # a gradient has vanished if its norm is below this fraction of a larger one's


class Flow:
    """The backward pass of a trace. Edges and nodes are indices into `trace.edges` and `.nodes`."""

    def __init__(self, trace: Trace):
        self.trace = trace
        self.root = next((event.node for event in trace.events if event.kind == "loss"), 0)

    @cached_property
    def leaf_of(self) -> dict[int, int]:
        """{node: its leaf} of leaves and of nodes computed from a single leaf, like a transpose."""
        found: dict[int, int] = {}
        for number, node in enumerate(self.trace.nodes):
            before = [edge.producer for edge in self.trace.inputs.get(number, {}).values()]
            if node.kind in ("leaf", "frozen"):
                found[number] = number
            elif len(before) == 1 and before[0] in found:
                found[number] = found[before[0]]
        return found

    @cached_property
    def known(self) -> bool:
        return any(event.kind == "backward" for event in self.trace.events)

    @cached_property
    def sent(self) -> dict[int, Value]:
        """{edge: the gradient that went along it}"""
        return {edge: gradient for event in self.trace.events for edge, gradient in event.sent}

    @cached_property
    def received(self) -> dict[int, Value]:
        """{operation: the sum of its incoming gradients}"""
        return {
            event.node: event.before
            for event in self.trace.events
            if event.kind == "backward" and event.before is not None
        }

    @cached_property
    def gradients(self) -> dict[int, Summary]:
        """{leaf: summary of the gradient that this backward pass added to its `.grad`}"""
        found: dict[int, Summary] = {}
        for event in self.trace.events if self.known else ():
            arrived = event.after if event.arrived is None else event.arrived
            if event.kind == "accumulate" and arrived is not None:
                found.setdefault(event.node, summary_of(arrived))
        return found

    @cached_property
    def largest(self) -> float:
        """The largest norm among the finite gradients that arrived at leaves."""
        return max((each.norm for each in self.gradients.values() if each.finite), default=0.0)

    def silent(self, leaf: int) -> list[int]:
        """The operations that ran but sent no gradient towards `leaf`, which got none."""
        outputs, ran = self.trace.outputs, self.received

        def idle(node: int) -> Iterator[int]:
            takers = (edge.consumer for edge in outputs.get(node, {}).values())
            return (taker for taker in takers if taker not in ran)

        edges = (edge for node in walk(leaf, below=idle) for edge in outputs.get(node, {}).items())
        return sorted({e.consumer for k, e in edges if e.consumer in ran and k not in self.sent})

    @cached_property
    def zero_from(self) -> dict[int, dict[int, int | None]]:
        """{node: {origin: edge}}. The origin is the operation that turned the gradient to 0 and sent
        it along `edge`. If nonzero gradients are sent to a node but their sum is 0, the node is the
        origin, with None as its edge.
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
        """Whether nonzero gradients were sent to a node, but their sum there is 0."""
        arrived = self.gradients.get(node) or self.received.get(node)
        edges = self.trace.outputs.get(node, ())
        some = any(edge in self.sent and not is_zero(self.sent[edge]) for edge in edges)
        return some and arrived is not None and is_zero(arrived)

    def gate(self, edge: int) -> str:
        """The name of a parameter that multiplied the gradient on this edge, is close to 0, and gets
        a gradient itself, as in a residual branch that starts at 0. "" if there is none.
        """
        names = self._names
        for leaf in self._factors(self.trace.edges[edge]):
            value, gradient = self.trace.nodes[leaf].value, self.gradients.get(leaf)
            if leaf in names and value is not None and gradient is not None:
                moves, x = gradient.norm > FADED * self.largest, summary_of(value)
                if moves and x.size and not x.nan and max(abs(x.min), abs(x.max)) <= GATE:
                    return names[leaf]
        return ""

    @cached_property
    def _names(self) -> dict[int | None, str]:
        return {p.node: p.name for p in self.trace.parameters}

    def _factors(self, edge: Edge) -> Iterator[int]:
        """The leaves, possibly transposed, by which an operation multiplied its input on this edge.
        A factor is a saved argument other than the bias.
        """
        taker = self.trace.nodes[edge.consumer]
        arguments = [name for name, _ in taker.rules] or ["input", "weight", "bias"]
        saved = {saved.name for saved in taker.saved} - {"bias"}
        for argument, other in zip(arguments, self.trace.inputs[edge.consumer].values()):
            if argument not in saved or other.slot == edge.slot:
                continue
            if other.producer in self.leaf_of:
                yield self.leaf_of[other.producer]


def is_zero(value: Value) -> bool:
    """Whether the tensor isn't empty and all its numbers are 0."""
    if isinstance(value, Summary):
        return value.zeros == value.size > 0
    return bool(value.size) and not value.any()

"""The verdicts on a backward pass: where gradients became 0, the first nan and inf, and the status of
each parameter. They use only summaries, so they don't depend on which arrays were kept. If something
isn't known, the verdict is "cannot tell".
"""

from collections import ChainMap
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .data import Edge, Event, Parameter, Trace
from .listing import leaf_names
from .nodes import walk
from .sentences import WHY
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


@dataclass(frozen=True)
class ParameterStatus:
    """The `status` of a parameter:

    trained       this backward pass brought a finite gradient that is larger than rounding errors
    nan           it brought a gradient that contains nan or inf
    only rounding it brought a gradient that is 0 except for rounding errors
    zero          it brought a gradient that is 0 everywhere
    cut           the path to the loss ends at a known place, or an operation sent no gradient
    unused        no recorded operation used it, or no recorded path leads from its uses to the loss
    unregistered  it got a gradient, and no model has it
    frozen        it has requires_grad=False
    cannot tell   no backward pass is known, or the end of the path wasn't recorded

    `origins` are the nodes where the gradient first became 0 or only rounding, or that sent none.
    `waits` is the name of a parameter that is close to 0 and moves, if the gradient is multiplied by
    this parameter at all `origins`.
    """

    parameter: Parameter
    status: str
    reason: str = ""
    gradient: Summary | None = None
    origins: tuple[int, ...] = ()
    waits: str = ""


def short_names(parameters: Collection[Parameter]) -> dict[str, str]:
    """{name: name without the variable of the model}, if all parameters belong to one model."""
    models = {parameter.model for parameter in parameters}
    redundant = f"{models.pop()}." if len(models) == 1 and len(parameters) > 1 else ""
    return {p.name: p.name.removeprefix(redundant) for p in parameters}


def parameters_in(trace: Trace) -> tuple[Parameter, ...]:
    """The parameters of a trace, or its leaves if it lists no parameters."""
    return trace.parameters or tuple(_leaves(trace))


def _leaves(trace: Trace) -> Iterator[Parameter]:
    leaves = {i: node for i, node in enumerate(trace.nodes) if node.kind in ("leaf", "frozen")}
    names = leaf_names([i for i, node in leaves.items() if not node.label])
    for i, node in leaves.items():
        why = (WHY["frozen"], "frozen") if node.kind == "frozen" else ()
        yield Parameter(node.label or names[i], node.shape or (), i, *why)


class Verdicts:
    def __init__(self, trace: Trace):
        self.trace, self.flow, self.values = trace, Flow(trace), Values(trace)
        self.parameters = parameters_in(trace)

    @cached_property
    def statuses(self) -> tuple[ParameterStatus, ...]:
        """The status of each parameter, in the order of `parameters`."""
        return tuple(map(self._status_of, self.parameters))

    def having(self, *statuses: str) -> list[ParameterStatus]:
        return [each for each in self.statuses if each.status in statuses]

    def _status_of(self, parameter: Parameter) -> ParameterStatus:
        node, flow = parameter.node, self.flow
        if parameter.ending:
            return ParameterStatus(parameter, parameter.ending, parameter.reason)
        if not flow.known or node is None:
            return ParameterStatus(parameter, "cannot tell", WHY["cannot tell, no pass"])
        gradient = flow.gradients.get(node)
        if gradient is None:
            silent = tuple(flow.silent(node))
            status = "cut" if silent else "cannot tell"
            return ParameterStatus(parameter, status, WHY["cut, not sent"], origins=silent)
        if is_zero(gradient):
            origins = flow.zero_from[node]
            gates = ["" if edge is None else flow.gate(edge) for edge in origins.values()]
            waits = gates[0] if gates and all(gates) else ""
            return ParameterStatus(parameter, "zero", WHY["zero"], gradient, (*origins,), waits)
        if not gradient.finite:
            return ParameterStatus(parameter, "nan", WHY["nan"], gradient)
        if node in self.trace.rounding:
            begun = tuple(origin.node for origin in self.trace.rounding[node])
            return ParameterStatus(parameter, "only rounding", WHY["rounding"], gradient, begun)
        if parameter.loose:
            return ParameterStatus(parameter, "unregistered", parameter.loose, gradient)
        return ParameterStatus(parameter, "trained", "", gradient)

    @cached_property
    def frozen(self) -> set[int]:
        """The operations that pass no gradient only because all parameters before them are frozen."""
        found: set[int] = set()

        def only_frozen(edge: Edge) -> bool:
            kind, uncut = self.trace.nodes[edge.producer].kind, ("", "requires_grad=False")
            return edge.cut in uncut and (edge.producer in found or kind in ("frozen", "constant"))

        for number, node in enumerate(self.trace.nodes):
            before = self.trace.inputs.get(number)
            if node.kind == "severed" and before and all(map(only_frozen, before.values())):
                found.add(number)
        return found

    @cached_property
    def range(self) -> tuple[float, float] | None:
        """The smallest and the largest norm among the finite gradients of parameters, or None."""
        found = (each.gradient for each in self.statuses if each.gradient)
        norms = [gradient.norm for gradient in found if gradient.finite]
        return (min(norms), max(norms)) if norms else None

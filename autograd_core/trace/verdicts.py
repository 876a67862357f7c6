"""What a trace says of a model: who is trained, frozen or cut off, where gradients vanish, where
the first nan is born; read from summaries, so the same whatever could be kept whole.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np

from .cuts import IS_FROZEN as FROZEN
from .cuts import NO_PATH, NOT_USED
from .data import Edge, Event, Parameter, Trace
from .summary import Summary, Value, summary_of

VANISHED = 1e-6  # of the gradient's norm in the layer nearest to the loss
EXPLODED = 1e4  # times the norm of the layer's weights, or 1 if that is larger
DEAD = 0.99  # share of zeros in what a ReLU gives
FEWEST_VANISHED = 2  # layers
RELUS = "relu", "threshold", "relu_"
# What turns -inf into a number: exp(-inf) is 0, and a maximum passes it by.
CONSUMES = re.compile(
    r"softmax|logsumexp|scaled_?dot_?product|^_?exp(backward|$)|^a?max(backward|$)", re.IGNORECASE
)
PHASES = {"loss": "forward", "accumulate": "backward"}  # of other events: their kind


@dataclass(frozen=True)
class Finding:
    """A nan or an inf, `word`, that appears at event number `event` (from 1) at `node`, in `phase`;
    `origin` is the leaf or the constant that holds it from the start and hands it on, or None.
    """

    word: str
    event: int
    node: int
    phase: str
    origin: int | None = None


@dataclass(frozen=True)
class Fate:
    """What becomes of a parameter: `status` is "trained", "frozen", "cut" or "unused", which is one
    that the loss does not reach, without a known place where a path ends; `gradient` its summary.
    """

    parameter: Parameter
    status: str
    gradient: Summary | None = None


# ---- which parameters a trace is about -----------------------------------------------------------


def listed(trace: Trace) -> tuple[Parameter, ...]:
    """The parameters, without those of `others`; where no module has a part, the leaves."""
    strangers = others(trace)
    mine = tuple(p for p in trace.parameters if _model(p) not in strangers)
    # where nobody saw the forward any of them may belong to it
    belong = (p.node is not None or p.optimizer or p.reason in ("", NO_PATH) for p in mine)
    return mine if any(belong) else tuple(_leaves(trace)) or trace.parameters


def _leaves(trace: Trace) -> Iterator[Parameter]:
    """The leaves as parameters; several that have no name are numbered."""
    leaves = [(i, node) for i, node in enumerate(trace.nodes) if node.kind in ("leaf", "frozen")]
    alone, numbers = sum(not node.label for _, node in leaves) == 1, count(1)
    for i, node in leaves:
        name = node.label or ("a leaf" if alone else f"leaf {next(numbers)}")
        yield Parameter(name, node.shape or (), i, FROZEN if node.kind == "frozen" else "")


def others(trace: Trace) -> list[str]:
    """The variables of models that have no part in the trace: a notebook holds many.

    What an optimizer holds along with what this loss trains has a part, or has been forgotten.
    Where no optimizer is known and parts of several variables are in the trace, one that is not may
    have been forgotten too, and is not told apart. A model that no variable holds shows by leaves
    without a name.
    """
    parts = {_model(parameter) for parameter in trace.parameters if _has_part(parameter)}
    optimizer = any(parameter.optimizer for parameter in trace.parameters)
    if not optimizer and len(parts) + has_unnamed(trace) != 1:
        return []
    models = dict.fromkeys(map(_model, trace.parameters))
    return [model for model in models if model not in parts]


def has_unnamed(trace: Trace) -> bool:
    """Whether gradients arrive at leaves that nothing the caller has a name for holds."""
    return any(node.kind == "leaf" and not node.label for node in trace.nodes)


def _model(parameter: Parameter) -> str:
    return parameter.name.partition(".")[0]


def _has_part(parameter: Parameter) -> bool:
    """Whether this forward used it, or an optimizer holds it along with what the loss trains."""
    drawn = parameter.node is not None or parameter.cut is not None
    return drawn or parameter.reason not in (FROZEN, NO_PATH, NOT_USED)


def short_names(parameters: Iterable[Parameter]) -> dict[str, str]:
    """{name: name without what all names begin with, the variable of the model}"""
    names = [parameter.name for parameter in parameters]
    begins = {name.partition(".")[0] + "." for name in names}
    prefix = begins.pop() if len(begins) == 1 and len(names) > 1 else ""
    return {name: name.removeprefix(prefix) for name in names}


# ---- verdicts ------------------------------------------------------------------------------------


class Verdicts:
    """The verdicts on one trace, each worked out when it is asked for."""

    def __init__(self, trace: Trace):
        self.trace = trace
        self.parameters = listed(trace)
        self.names = short_names(self.parameters)

    @cached_property
    def gradients(self) -> dict[int, Summary]:
        """{leaf: summary of what this backward pass brought it; of `.grad` where none was seen}"""
        found: dict[int, Summary] = {}
        arrived = defaultdict[int, list[Value]](list)
        for event in self.trace.events:
            for edge, gradient in event.sent:
                arrived[self.trace.edges[edge].producer].append(gradient)
            if event.kind == "accumulate" and event.after is not None and event.node not in found:
                parts = arrived[event.node]
                alone = event.before is not None and len(parts) == 1
                found[event.node] = summary_of(parts[0] if alone else event.after)
        if not any(event.kind == "backward" for event in self.trace.events):
            for number, node in enumerate(self.trace.nodes):
                if node.grad is not None:
                    found.setdefault(number, summary_of(node.grad))
        return found

    @cached_property
    def fates(self) -> tuple[Fate, ...]:
        """Each parameter's, in model order."""
        return tuple(
            Fate(p, _status(p), None if p.node is None else self.gradients.get(p.node))
            for p in self.parameters
        )

    def having(self, status: str) -> list[Fate]:
        return [fate for fate in self.fates if fate.status == status]

    @cached_property
    def _measured(self) -> list[tuple[Parameter, int, float]]:
        """(parameter, its node, its gradient's norm), where a gradient that is finite arrived."""
        return [
            (fate.parameter, fate.parameter.node, fate.gradient.norm)
            for fate in self.having("trained")
            if fate.gradient and fate.gradient.finite and fate.parameter.node is not None
        ]

    @cached_property
    def range(self) -> tuple[float, float] | None:
        """The smallest and the largest norm of a parameter's gradient that is finite, if any is."""
        norms = [norm for _, _, norm in self._measured]
        return (min(norms), max(norms)) if norms else None

    @cached_property
    def layers(self) -> list[tuple[str, float, float]]:
        """(path of a module, the largest norm of its parameters' gradients, that of its
        parameters), in order of use.

        A parameter of no known module is a layer of its own.
        """
        in_modules = {*self.trace.parameters}
        found: dict[str, tuple[int, float, float]] = {}
        for parameter, node, norm in self._measured:
            name = self.names[parameter.name]
            path = name.rpartition(".")[0] if parameter in in_modules else name
            used = [edge.consumer for edge in self.trace.outputs.get(node, ())]
            value = self.trace.nodes[node].value
            size = 0.0 if value is None else summary_of(value).norm
            first, largest, weight = found.get(path, (len(self.trace.nodes), 0.0, 0.0))
            found[path] = min([first, *used]), max(largest, norm), max(weight, size)
        ordered = sorted(found.items(), key=lambda item: item[1][0])
        return [(path, norm, size) for path, (_, norm, size) in ordered]

    @cached_property
    def vanishing(self) -> str:
        """The layer below which, nearer to the input, gradients have vanished; "" for none."""
        norms = [norm for _, norm, _ in self.layers]
        reference = next((norm for norm in reversed(norms) if norm), 0.0)
        alive = next((place for place, norm in enumerate(norms) if norm > VANISHED * reference), 0)
        return self.layers[alive][0] if alive >= FEWEST_VANISHED else ""

    @cached_property
    def exploding(self) -> str:
        """The layer nearest to the loss whose gradient is out of proportion to its weights; or ""."""
        large = [path for path, norm, size in self.layers if norm > EXPLODED * max(1.0, size)]
        return large[-1] if large else ""

    # ---- values ----------------------------------------------------------------------------------

    @cached_property
    def dead(self) -> dict[int, Summary]:
        """{node: summary} of the ReLUs that give nothing but zeros, or nearly."""
        relus = {
            number: summary_of(node.value)
            for number, node in enumerate(self.trace.nodes)
            if node.value is not None and node.name.lower().removesuffix("backward0") in RELUS
        }
        return {n: s for n, s in relus.items() if s.size > 1 and s.zeros >= DEAD * s.size}

    @cached_property
    def masks(self) -> list[int]:
        """The nodes with nothing but -inf that is meant: all that takes it makes numbers of it."""
        found: set[int] = set()
        for number in reversed(range(len(self.trace.nodes))):
            value = self.trace.nodes[number].value
            if value is None or _finite(value):
                continue
            summary, takers = summary_of(value), self.trace.outputs.get(number)
            if takers and not summary.nan and summary.max < np.inf:
                if all(edge.consumer in found or self._consumes(edge.consumer) for edge in takers):
                    found.add(number)
        return sorted(found)

    def _consumes(self, number: int) -> bool:
        name, value = self.trace.nodes[number].name, self.trace.nodes[number].value
        return CONSUMES.search(name) is not None and value is not None and _finite(value)

    @cached_property
    def frozen(self) -> set[int]:
        """The operations that pass no gradient only because all parameters before them are frozen."""
        found: set[int] = set()

        def only_frozen(edge: Edge) -> bool:
            kind, uncut = self.trace.nodes[edge.producer].kind, ("", "requires_grad=False")
            return edge.cut in uncut and (edge.producer in found or kind in ("frozen", "constant"))

        for number, node in enumerate(self.trace.nodes):
            before = self.trace.inputs.get(number)
            if node.kind == "severed" and before and all(map(only_frozen, before)):
                found.add(number)
        return found

    # ---- nan and inf -----------------------------------------------------------------------------

    @cached_property
    def firsts(self) -> list[Finding]:
        """The first inf and the first nan, in the order of events. A mask of -inf is none."""
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
        """ "nan" and "inf", as far as this event shows them."""
        values = [event.before, event.after, *(gradient for _, gradient in event.sent)]
        found = [summary_of(value) for value in values if value is not None and not _finite(value)]
        if event.kind == "forward":
            found += self.trace.nodes[event.node].others
        if any(summary.nan for summary in found):
            yield "nan"
        if any(summary.inf for summary in found):
            yield "inf"

    def _origin(self, word: str, event: Event) -> int | None:
        """The input of the event's node that is no result of an operation and holds this word."""
        for edge in self.trace.inputs.get(event.node, ()):
            producer = self.trace.nodes[edge.producer]
            if producer.kind not in ("operation", "severed") and producer.value is not None:
                summary = summary_of(producer.value)
                if summary.nan if word == "nan" else summary.inf:
                    return edge.producer
        return None


def _status(parameter: Parameter) -> str:
    if not parameter.reason:
        return "trained"
    if parameter.reason == FROZEN:
        return "frozen"
    return "unused" if parameter.cut is None else "cut"


def _finite(value: Value) -> bool:
    return value.finite if isinstance(value, Summary) else bool(np.isfinite(value).all())

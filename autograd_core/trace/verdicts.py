"""What a trace says of a model: who is trained, frozen or cut off, where gradients vanish, where
the first nan is born.

All of it is read from summaries, so it is the same whatever could be kept whole.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .cuts import NO_PATH, NOT_USED
from .data import Event, Parameter, Trace
from .summary import Summary, Value, summary_of

FROZEN = "It has requires_grad=False."
VANISHED = 1e-6  # of the gradient's norm in the layer nearest to the loss
EXPLODED = 1e4  # times the norm of the layer's weights, or 1 if that is larger
DEAD = 0.99  # share of zeros in what a ReLU gives
FEWEST_VANISHED = 2  # layers
# What turns -inf into a number: exp(-inf) is 0, and a maximum passes it by.
CONSUMES = re.compile(
    r"softmax|logsumexp|scaled_?dot_?product|^_?exp(backward|$)|^a?max(backward|$)", re.IGNORECASE
)


@dataclass(frozen=True)
class Finding:
    """A nan or an inf, `word`, that appears at event number `event` (from 1) at `node`, forward or
    backward.

    `origin` is the leaf or the constant that holds it from the start and hands it to that node, or
    None."""

    word: str
    event: int
    node: int
    phase: str
    origin: int | None = None


@dataclass(frozen=True)
class Fate:
    """What becomes of a parameter: `status` is "trained", "frozen", "cut" or "unused"; `gradient`
    its summary.

    "unused" is one that the loss does not reach, without a known place where a path ends.
    """

    parameter: Parameter
    status: str
    gradient: Summary | None = None


def listed(trace: Trace) -> tuple[Parameter, ...]:
    """The parameters, without those of `others`; where the trace has nothing to do with any module,
    its leaves.
    """
    strangers = others(trace)
    mine = tuple(parameter for parameter in trace.parameters if _model(parameter) not in strangers)
    if any(_belongs(parameter) for parameter in mine):
        return mine
    found = [index for index, node in enumerate(trace.nodes) if node.kind in ("leaf", "frozen")]
    unnamed = [index for index in found if not trace.nodes[index].label]
    called = {
        index: f"leaf {place}" if len(unnamed) > 1 else "a leaf"
        for place, index in enumerate(unnamed, 1)
    }
    return (
        tuple(
            Parameter(
                called.get(index, trace.nodes[index].label),
                trace.nodes[index].shape or (),
                index,
                FROZEN * (trace.nodes[index].kind == "frozen"),
            )
            for index in found
        )
        or trace.parameters
    )


def others(trace: Trace) -> list[str]:
    """The variables of models that have no part in the trace: a notebook holds many.

    What an optimizer holds along with what this loss trains has a part, or has been forgotten.
    Where no optimizer is known and parts of several variables are in the trace, one that is not may
    have been forgotten too, and is not told apart. A model that no variable holds shows by leaves
    without a name."""
    models = dict.fromkeys(map(_model, trace.parameters))
    parts = {
        _model(parameter)
        for parameter in trace.parameters
        if parameter.node is not None
        or parameter.cut is not None
        or parameter.reason not in (FROZEN, NO_PATH, NOT_USED)
    }
    known = (
        any(parameter.optimizer for parameter in trace.parameters)
        or len(parts) + has_unnamed(trace) == 1
    )
    return [model for model in models if model not in parts] if known else []


def has_unnamed(trace: Trace) -> bool:
    """Whether gradients arrive at leaves that no variable of the caller, and no model in one,
    holds.
    """
    return any(node.kind == "leaf" and not node.label for node in trace.nodes)


def _model(parameter: Parameter) -> str:
    return parameter.name.partition(".")[0]


def _belongs(parameter: Parameter) -> bool:
    """Whether it is part of this trace, or may be: nobody saw the forward, or where its path ends
    is known.
    """
    return (
        parameter.node is not None
        or parameter.cut is not None
        or parameter.reason in ("", NO_PATH)
        or bool(parameter.optimizer)
    )


def short_names(parameters: Iterable[Parameter]) -> dict[str, str]:
    """{name: name without what all names begin with, the variable of the model}"""
    names = [parameter.name for parameter in parameters]
    begins = {name.partition(".")[0] + "." for name in names}
    prefix = begins.pop() if len(begins) == 1 and len(names) > 1 else ""
    return {name: name.removeprefix(prefix) for name in names}


class Verdicts:
    """The verdicts on one trace, each worked out when it is asked for."""

    def __init__(self, trace: Trace):
        self.trace = trace
        self.parameters = listed(trace)
        self.names = short_names(self.parameters)

    # ---- parameters ------------------------------------------------------------------------------

    @cached_property
    def gradients(self) -> dict[int, Summary]:
        """{node of a leaf: the summary of what this backward pass brought it}; of `.grad` where
        none was seen.
        """
        found: dict[int, Summary] = {}
        into: dict[int, list[Value]] = {}
        for event in self.trace.events:
            for edge, gradient in event.sent:
                into.setdefault(self.trace.edges[edge].producer, []).append(gradient)
            if event.kind == "accumulate" and event.after is not None and event.node not in found:
                parts = into.get(event.node, [])
                found[event.node] = summary_of(
                    parts[0] if event.before is not None and len(parts) == 1 else event.after
                )
        for number, node in enumerate(self.trace.nodes):
            if node.grad is not None and not any(
                event.kind == "backward" for event in self.trace.events
            ):
                found.setdefault(number, summary_of(node.grad))
        return found

    @cached_property
    def fates(self) -> tuple[Fate, ...]:
        """Each parameter's, in model order."""
        return tuple(
            Fate(
                parameter,
                _status(parameter),
                None if parameter.node is None else self.gradients.get(parameter.node),
            )
            for parameter in self.parameters
        )

    def having(self, status: str) -> list[Fate]:
        return [fate for fate in self.fates if fate.status == status]

    # ---- gradients -------------------------------------------------------------------------------

    @cached_property
    def range(self) -> tuple[float, float] | None:
        """The smallest and the largest norm of a parameter's gradient that is finite; None where
        there is none.
        """
        norms = [
            fate.gradient.norm
            for fate in self.having("trained")
            if fate.gradient and fate.gradient.finite
        ]
        return (min(norms), max(norms)) if norms else None

    @cached_property
    def layers(self) -> list[tuple[str, float, float]]:
        """(path of a module, the largest norm of its parameters' gradients, that of its
        parameters), in order of use.

        A parameter of no known module is a layer of its own.
        """
        owned = {*self.trace.parameters}
        first: dict[int, int] = {}
        for edge in self.trace.edges:
            first[edge.producer] = min(edge.consumer, first.get(edge.producer, edge.consumer))
        found: dict[str, tuple[int, float, float]] = {}
        for fate in self.having("trained"):
            if fate.gradient is None or not fate.gradient.finite or fate.parameter.node is None:
                continue
            name = self.names[fate.parameter.name]
            path = name.rpartition(".")[0] if fate.parameter in owned else name
            value = self.trace.nodes[fate.parameter.node].value
            place, norm, size = found.get(path, (len(self.trace.nodes), 0.0, 0.0))
            found[path] = (
                min(place, first.get(fate.parameter.node, place)),
                max(norm, fate.gradient.norm),
                max(size, 0.0 if value is None else summary_of(value).norm),
            )
        return [
            (path, norm, size)
            for path, (_, norm, size) in sorted(found.items(), key=lambda item: item[1][0])
        ]

    @cached_property
    def vanishing(self) -> str:
        """The layer below which, nearer to the input, gradients have vanished; "" where they have
        not.
        """
        norms = [norm for _, norm, _ in self.layers]
        reference = next((norm for norm in reversed(norms) if norm), 0.0)
        alive = next((place for place, norm in enumerate(norms) if norm > VANISHED * reference), 0)
        return self.layers[alive][0] if alive >= FEWEST_VANISHED else ""

    @cached_property
    def exploding(self) -> str:
        """The layer nearest to the loss whose gradient is out of all proportion to its weights; ""
        where none is.
        """
        return next(
            (
                path
                for path, norm, size in reversed(self.layers)
                if norm > EXPLODED * max(1.0, size)
            ),
            "",
        )

    # ---- values ----------------------------------------------------------------------------------

    @cached_property
    def dead(self) -> dict[int, Summary]:
        """{node: summary} of the ReLUs that give nothing but zeros, or nearly."""
        found = {}
        for number, node in enumerate(self.trace.nodes):
            if (
                node.name.lower().removesuffix("backward0") in ("relu", "threshold", "relu_")
                and node.value is not None
            ):
                summary = summary_of(node.value)
                if summary.size > 1 and summary.zeros >= DEAD * summary.size:
                    found[number] = summary
        return found

    @cached_property
    def masks(self) -> list[int]:
        """The nodes whose only infinities are -inf that is meant: everything that takes it makes
        numbers of it.
        """
        consumers: dict[int, list[int]] = {}
        for edge in self.trace.edges:
            consumers.setdefault(edge.producer, []).append(edge.consumer)
        found: set[int] = set()
        for number in reversed(range(len(self.trace.nodes))):
            value = self.trace.nodes[number].value
            if value is None or _finite(value):
                continue
            summary = summary_of(value)
            if (
                not summary.nan
                and summary.max < np.inf
                and number in consumers
                and all(next in found or self._consumes(next) for next in consumers[number])
            ):
                found.add(number)
        return sorted(found)

    @cached_property
    def frozen(self) -> set[int]:
        """The operations through which no gradient passes because all parameters before them are
        frozen, nothing else.
        """
        found: set[int] = set()
        inputs: dict[int, list[tuple[int, str]]] = {}
        for edge in self.trace.edges:
            inputs.setdefault(edge.consumer, []).append((edge.producer, edge.cut))
        for number, node in enumerate(self.trace.nodes):
            before = inputs.get(number, [])
            if (
                node.kind == "severed"
                and before
                and all(
                    cut in ("", "requires_grad=False")
                    and (
                        producer in found
                        or self.trace.nodes[producer].kind in ("frozen", "constant")
                    )
                    for producer, cut in before
                )
            ):
                found.add(number)
        return found

    def _consumes(self, number: int) -> bool:
        node = self.trace.nodes[number]
        return (
            CONSUMES.search(node.name) is not None
            and node.value is not None
            and _finite(node.value)
        )

    @cached_property
    def firsts(self) -> list[Finding]:
        """Where the first inf and the first nan appear, in the order of events. A mask of -inf is
        none.
        """
        found: dict[str, Finding] = {}
        meant = set(self.masks)
        for number, event in enumerate(self.trace.events, 1):
            for word in self._words(event):
                if word not in found and not (
                    word == "inf" and event.kind == "forward" and event.node in meant
                ):
                    phase = (
                        event.kind
                        if event.kind in ("step", "zero_grad")
                        else ("forward" if event.kind in ("forward", "loss") else "backward")
                    )
                    found[word] = Finding(
                        word, number, event.node, phase, self._origin(word, event.node)
                    )
        return list(found.values())

    def first(self, word: str) -> Finding | None:
        return next((finding for finding in self.firsts if finding.word == word), None)

    def _words(self, event: Event) -> Iterator[str]:
        """ "nan" and "inf", as far as this event shows them."""
        values: list[Value | None] = [
            event.before,
            event.after,
            *(gradient for _, gradient in event.sent),
        ]
        others = self.trace.nodes[event.node].others if event.kind == "forward" else ()
        found = [
            *(summary_of(value) for value in values if value is not None and not _finite(value)),
            *others,
        ]
        if any(summary.nan for summary in found):
            yield "nan"
        if any(summary.inf for summary in found):
            yield "inf"

    def _origin(self, word: str, node: int) -> int | None:
        """The input of a node that is no result of an operation and holds this word."""
        for edge in self._inputs.get(node, ()):
            producer = self.trace.nodes[edge]
            if producer.kind not in ("operation", "severed") and producer.value is not None:
                summary = summary_of(producer.value)
                if summary.nan if word == "nan" else summary.inf:
                    return edge
        return None

    @cached_property
    def _inputs(self) -> dict[int, list[int]]:
        inputs: dict[int, list[int]] = {}
        for edge in self.trace.edges:
            inputs.setdefault(edge.consumer, []).append(edge.producer)
        return inputs


def _status(parameter: Parameter) -> str:
    if not parameter.reason:
        return "trained"
    if parameter.reason == FROZEN:
        return "frozen"
    return "unused" if parameter.cut is None else "cut"


def _finite(value: Value) -> bool:
    return value.finite if isinstance(value, Summary) else bool(np.isfinite(value).all())

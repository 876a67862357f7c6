"""Mistakes in a loss that its recorded graph shows: one function for each kind of cause.

A cause is reported only if it is certain. A bias, a mask, attention, or a value that was replaced on
purpose looks similar and is right.
"""

import functools
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from .data import Edge, Trace, TraceNode
from .nodes import walk
from .sentences import CAUSES, FIXES
from .summary import summary_of

FUSED = {"MseLoss", "SmoothL1Loss", "HuberLoss"}
WEIGHTS = {"Mul", "Div"}
REDUCTIONS = {"Sum", "Mean"}
ELEMENTWISE = {"Pow", "Abs", "Neg", "Add", "Sub", "Rsub", "Sqrt", "Clamp", "ClampMin", "Relu"}
ELEMENTWISE |= {"Where", "ToCopy", *WEIGHTS}
VIEWS = {"View", "UnsafeView", "ReshapeAlias", "Transpose", "T", "Permute", "Squeeze", "Unsqueeze"}
VIEWS |= {"Select", "Slice", "Index", "Clone", "ToCopy", "Alias", "Expand"}
OWN = {"LogSoftmax": "softmax", "BinaryCrossEntropyWithLogits": "sigmoid", "LogSigmoid": "sigmoid"}
LISTS = {"Stack", "Cat"}
TERMS = {"Add", "Sub", *LISTS}  # their inputs are terms of the loss
SCALES = {"Neg", *WEIGHTS, *REDUCTIONS, *VIEWS}
STEPS = {"Round", "Sign", "Floor", "Ceil", "Trunc"}  # their derivative is 0 everywhere


class Cause(NamedTuple):
    """`line` is the index into `Trace.source` of the statement at fault, and `node` its index."""

    node: int
    kind: str
    sentence: str
    fix: str
    module: str
    line: int | None


def causes_of(trace: Trace) -> list[Cause]:
    """The causes that a trace shows. Equal ones at one statement count once."""
    finders = broadcasts, double_softmax, batch_softmax, dead_terms, drifting_buffers
    found = [cause for find in finders for cause in find(trace)]
    return list({cause[1:]: cause for cause in reversed(found)}.values())[::-1]


def _cause(trace: Trace, kind: str, at: int, line: int | None = None, **words: object) -> Cause:
    node, sentence, fix = trace.nodes[at], CAUSES[kind], FIXES[kind]
    line = node.line if line is None else line
    return Cause(at, kind, sentence.format(**words), fix.format(**words), node.module, line)


def broadcasts(trace: Trace) -> Iterator[Cause]:
    """A prediction [N, 1] and a target or a weight [N], or the reverse, that become an [N, N]."""
    for number, node, name in _operations(trace, {"Sub", "Rsub", *WEIGHTS, *FUSED}):
        edges = sorted(trace.inputs[number].values(), key=lambda e: not _has_graph(trace, e))
        if [_has_graph(trace, edge) for edge in edges] != [True, False]:
            continue
        met, target = (trace.nodes[edge.producer] for edge in edges)
        made = trace.nodes[_before(trace, edges[0].producer, {"Expand"})]
        to = (met if name in FUSED else node).shape or ()
        shapes = {to[:1], (*to[:1], 1)}
        others = shapes - {made.shape} | ({to} if made is not met else set())  # expanded by a loss
        meant = made.kind == "leaf" or _name(made.name) == "Unsqueeze" or _is_constant(target)
        if (
            (to == to[:1] * 2 and to not in ((), (1, 1)) and not meant)
            and (made.shape in shapes and target.shape in others)
            and _is_reduced(trace, number)
        ):
            other = "weight" if name in WEIGHTS else "target"
            yield _cause(trace, "broadcast", number, of=[*made.shape], to=[*to], other=other)


def double_softmax(trace: Trace) -> Iterator[Cause]:
    """A softmax or a sigmoid whose result goes to a loss that applies its own."""
    for number, _, name in _operations(trace, OWN):
        before = _before(trace, number, {name, *VIEWS})
        first = _name(trace.nodes[before].name)
        if first in ("Softmax", "Sigmoid"):
            yield _cause(trace, "softmax", before, first=first.lower(), second=OWN[name])


def batch_softmax(trace: Trace) -> Iterator[Cause]:
    """A log_softmax over dimension 0, from which each row then gives the entry of its label."""
    for number, node, _ in _operations(trace, {"LogSoftmax"}):
        rows, *others = node.shape or (0,)
        dim, picked = dict(node.numbers).get("dim"), {"Index": (rows,), "Gather": (rows, 1)}
        if not others or rows == others[0] or dim not in (0, -1 - len(others)):
            continue
        for edge in trace.outputs.get(number, {}).values():
            reader = trace.nodes[edge.consumer]
            name = _name(reader.name)
            if name.startswith("NllLoss") or picked.get(name) == reader.shape:
                yield _cause(trace, "batch axis", number)


def dead_terms(trace: Trace) -> Iterator[Cause]:
    """A term of the loss that depends on a parameter and sends it no gradient, for certain."""
    nodes, alive = trace.nodes, _alive(trace)
    terms, dead = [event.node for event in trace.events if event.kind == "loss"], list[Edge]()
    for number in terms:  # grows in this loop
        name = _name(nodes[number].name)
        edges = [e for e in trace.inputs.get(number, {}).values() if _is_term(nodes[e.producer])]
        live = [e for e in edges if _has_graph(trace, e) and e.producer in alive]
        if name in TERMS or name in SCALES and len(live) == 1:
            terms += [edge.producer for edge in live]
            dead += [edge for edge in edges if name in TERMS and edge not in live]

    def upstream(edge: Edge) -> Iterable[Edge]:
        return () if edge.producer in alive else trace.inputs.get(edge.producer, {}).values()

    paths = [walk(edge, below=upstream) for edge in dead]
    # a value that is replaced, and not the gradient: surrogate + (value - surrogate).detach()
    if any(edge.producer in terms for path in paths for edge in path):
        return
    for path in paths:
        yield from list(_ends(trace, path))[:1]


def drifting_buffers(trace: Trace) -> Iterator[Cause]:
    """BatchNorms whose parameters are frozen, and which change their running statistics."""
    found: dict[str, int] = {}
    for number, node in enumerate(trace.nodes):
        if trace.drifting.isdisjoint(node.calls[-1:]) or "Backward" in node.name:
            continue
        kinds = {trace.nodes[e.producer].kind for e in trace.inputs.get(number, {}).values()}
        if "frozen" in kinds and "leaf" not in kinds:
            found.setdefault(node.module, number)
    which = f"{len(found)} frozen BatchNorms are" if len(found) > 1 else "A frozen BatchNorm is"
    for number in list(found.values())[:1]:
        where = ", first" if len(found) > 1 else ""
        yield _cause(trace, "buffers", number, which=which, where=where)


@functools.cache
def _name(node_name: str) -> str:
    """ "Mean" for "MeanBackward0"."""
    return node_name.partition("Backward")[0]


def _operations(trace: Trace, names: Collection[str]) -> Iterator[tuple[int, TraceNode, str]]:
    for number, node in enumerate(trace.nodes):
        if node.kind == "operation" and (name := _name(node.name)) in names:
            yield number, node, name


def _has_graph(trace: Trace, edge: Edge) -> bool:
    return not edge.cut and trace.nodes[edge.producer].kind in ("operation", "leaf")


def _before(trace: Trace, number: int, names: Collection[str]) -> int:
    """The node itself, or the first one upstream, along first inputs, that has none of these names."""
    while _name(trace.nodes[number].name) in names:
        edges = [e for e in trace.inputs[number].values() if not e.slot and _has_graph(trace, e)]
        if not edges:
            break
        number = edges[0].producer
    return number


def _is_constant(node: TraceNode) -> bool:
    """Whether all its numbers are equal, so that its shape doesn't matter."""
    numbers = None if node.value is None else summary_of(node.value)
    return numbers is not None and numbers.known and numbers.min == numbers.max


def _is_reduced(trace: Trace, start: int) -> bool:
    """Whether only elementwise operations lead from a node to sums and means of its elements."""
    weighted = _name(trace.nodes[start].name) in WEIGHTS
    through = ELEMENTWISE if weighted else ELEMENTWISE | REDUCTIONS  # of rows

    def below(number: int) -> Iterator[int]:
        if number == start or _name(trace.nodes[number].name) in through:
            yield from (edge.consumer for edge in trace.outputs.get(number, {}).values())

    after = (trace.nodes[number] for number in walk(start, below=below) if number != start)
    ends = (node for node in after if _name(node.name) not in through)
    return all(_name(node.name) in REDUCTIONS and not node.shape for node in ends)


def _is_term(node: TraceNode) -> bool:
    return node.shape is not None and {*node.shape} <= {1} or _name(node.name) in LISTS


def _alive(trace: Trace) -> set[int]:
    """The nodes from which gradients can reach a leaf without passing an operation of STEPS."""
    found = set[int]()
    for number, node in enumerate(trace.nodes):
        edges = trace.inputs.get(number, {}).values() if node.kind == "operation" else ()
        passes = any(edge.producer in found and _has_graph(trace, edge) for edge in edges)
        if node.kind == "leaf" or passes and _name(node.name) not in STEPS:
            found.add(number)
    return found


def _ends(trace: Trace, path: list[Edge]) -> Iterator[Cause]:
    for edge in path:
        name = _name(trace.nodes[edge.producer].name)
        if edge.cut not in ("", "requires_grad=False"):
            yield _cause(trace, "dead term", edge.consumer, edge.line, end=edge.cut)
        elif name in STEPS:
            end = f"{name.lower()}(), whose derivative is 0"
            yield _cause(trace, "dead term", edge.producer, end=end)

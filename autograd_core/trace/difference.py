"""Compare two traces event by event."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .data import Edge, Trace, TraceNode
from .summary import Summary, summary_of


def difference(first: Trace, second: Trace, close: Callable[[Any, Any], Any]) -> str | None:
    """The first difference between two traces as a sentence; None if they are equal.

    close  a function of two arrays that returns whether they count as equal. Kind, order, node,
           shape and every gradient are compared, and values and labels if both traces have them.
           Operations upstream of a cut aren't compared, because the engines name them differently.
    """
    return next(_differing(_without_severed(first), _without_severed(second), close), None)


def _differing(first: Trace, second: Trace, close: Callable[[Any, Any], Any]) -> Iterator[str]:
    def differ(what: str, here: Any, there: Any) -> str:
        return f"{what} {here} in {first.engine}, {there} in {second.engine}"

    def counts(what: str) -> Iterator[str]:
        here, there = len(getattr(first, what)), len(getattr(second, what))
        if here != there:
            yield f"{first.engine} has {here} {what}, {second.engine} has {there}"

    for i, (m, n) in enumerate(zip(first.nodes, second.nodes)):
        if (m.kind, m.name) != (n.kind, n.name) or m.label and n.label and m.label != n.label:
            yield differ(f"node {i} is", _called(m), _called(n))
        if m.value is not None and n.value is not None and not equal(m.value, n.value, close):
            yield differ(f"node {i}, {_called(m)}, has value", m.value, n.value)
    yield from counts("nodes")
    for here, there in zip(first.edges, second.edges):
        if here != there:
            yield differ("edges differ:", here, there)
    yield from counts("edges")
    for i, (a, b) in enumerate(zip(first.events, second.events), 1):
        at, other = _called(first.nodes[a.node]), _called(second.nodes[b.node])
        if (a.kind, a.node) != (b.kind, b.node):
            yield differ(f"event {i} is", f"{a.kind} at {at}", f"{b.kind} at {other}")
        where, parts = f"event {i}, {a.kind} at {at}:", [*zip(a.sent, b.sent)]
        along = [[edge for edge, _ in event.sent] for event in (a, b)]
        if along[0] != along[1]:
            yield differ(f"{where} sent along edges", *along)
        values = ((a.before, b.before), (a.after, b.after), *((x, y) for (_, x), (_, y) in parts))
        for x, y in values:
            if not equal(x, y, close):
                yield differ(where, x, y)
    yield from counts("events")


def _without_severed(trace: Trace) -> Trace:
    """`trace` without the severed nodes, and without the nodes that only these use."""
    severed = {i for i, node in enumerate(trace.nodes) if node.kind == "severed"}
    kept = [i for i, edge in enumerate(trace.edges) if not {edge.consumer, edge.producer} & severed]
    used = {trace.edges[i].producer for i in kept}
    nodes = [i for i, node in enumerate(trace.nodes) if node.kind == "operation" or i in used]
    node_at, edge_at = ({old: new for new, old in enumerate(left)} for left in (nodes, kept))
    edges = (
        Edge(node_at[e.consumer], e.slot, node_at[e.producer], e.output)
        for e in (trace.edges[i] for i in kept)
    )
    events = (
        replace(e, node=node_at[e.node], sent=tuple((edge_at[i], g) for i, g in e.sent))
        for e in trace.events
        if e.node in node_at
    )
    return replace(
        trace, nodes=tuple(trace.nodes[i] for i in nodes), edges=tuple(edges), events=tuple(events)
    )


def _called(node: TraceNode) -> str:
    return (node.name or "a constant") + (f" ({node.label})" if node.label else "")


def equal(x: Any, y: Any, close: Callable[[Any, Any], Any]) -> bool:
    """Whether two values have equal shape and dtype, and numbers or summaries that are `close`."""
    if x is None or y is None:
        return x is y
    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    if not isinstance(x, Summary) and not isinstance(y, Summary):
        return bool(close(x, y))
    a, b = summary_of(x), summary_of(y)
    precision = "float64" if x.dtype == "float64" else "float32"
    sizes = (np.array([each.norm, each.min, each.max], precision) for each in (a, b))
    return (a.nan, a.inf) == (b.nan, b.inf) and bool(close(*sizes))

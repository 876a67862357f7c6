"""Two traces compared, event by event."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .data import Edge, Trace, TraceNode
from .summary import Summary, summary_of


def difference(first: Trace, second: Trace, close: Callable[[Any, Any], Any]) -> str | None:
    """The first place where two traces differ, as a sentence; None if they are equal event by
    event.

    close  a function of two arrays: whether they count as equal. Kind, order, node, shape and every
           gradient are compared; values and labels too, where both have them. What lies behind a
           cut is not: there the engines may name their steps differently.
    """
    first, second = _without_severed(first), _without_severed(second)
    for i, (m, n) in enumerate(zip(first.nodes, second.nodes)):
        if (m.kind, m.name) != (n.kind, n.name) or m.label and n.label and m.label != n.label:
            return f"node {i} is {_called(m)} in {first.engine}, {_called(n)} in {second.engine}"
        if m.value is not None and n.value is not None and not equal(m.value, n.value, close):
            return (
                f"node {i}, {_called(m)}, has value {m.value} in {first.engine}, {n.value} in"
                f" {second.engine}"
            )
    if len(first.nodes) != len(second.nodes):
        return (
            f"{first.engine} has {len(first.nodes)} nodes, {second.engine} has {len(second.nodes)}"
        )
    for here, there in zip(first.edges, second.edges):
        if here != there:
            return f"edges differ: {here} in {first.engine}, {there} in {second.engine}"
    if len(first.edges) != len(second.edges):
        return (
            f"{first.engine} has {len(first.edges)} edges, {second.engine} has {len(second.edges)}"
        )
    for i, (a, b) in enumerate(zip(first.events, second.events)):
        where = f"event {i + 1}, {a.kind} at {_called(first.nodes[a.node])}"
        if (a.kind, a.node) != (b.kind, b.node):
            return (
                f"{where} in {first.engine} is {b.kind} at {_called(second.nodes[b.node])} in"
                f" {second.engine}"
            )
        if [e for e, _ in a.sent] != [e for e, _ in b.sent]:
            return (
                f"{where}: sent along edges {[e for e, _ in a.sent]} and {[e for e, _ in b.sent]}"
            )
        for x, y in (
            (a.before, b.before),
            (a.after, b.after),
            *((g, h) for (_, g), (_, h) in zip(a.sent, b.sent)),
        ):
            if not equal(x, y, close):
                return f"{where}: {x} in {first.engine}, {y} in {second.engine}"
    if len(first.events) != len(second.events):
        return (
            f"{first.engine} has {len(first.events)} events, {second.engine} has"
            f" {len(second.events)}"
        )
    return None


def _without_severed(trace: Trace) -> Trace:
    """`trace` without what lies behind cuts: the severed nodes, and what only they use."""
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
    return f"{node.name or 'a constant'}{f' ({node.label})' if node.label else ''}"


def equal(x: Any, y: Any, close: Callable[[Any, Any], Any]) -> bool:
    """Whether two values are equal in form and, as `close` sees it, in numbers: in their summaries
    where these are all.
    """
    if x is None or y is None:
        return x is y
    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    if isinstance(x, Summary) or isinstance(y, Summary):
        known = [
            (found.nan, found.inf, np.array([found.norm, found.min, found.max], _precision(x)))
            for found in (summary_of(x), summary_of(y))
        ]
        return known[0][:2] == known[1][:2] and bool(close(known[0][2], known[1][2]))
    return bool(close(x, y))


def _precision(x: Any) -> str:
    return "float64" if x.dtype == "float64" else "float32"

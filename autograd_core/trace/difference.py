"""Two traces compared, event by event."""

from dataclasses import replace

from .data import Edge


def difference(first, second, close):
    """The first place where two traces differ, as a sentence; None if they are equal event by event.

    close  a function of two arrays: whether they count as equal. Kind, order, node, shape and every gradient are
           compared; values and labels too, where both have them. What lies behind a cut is not: there the engines may
           name their steps differently.
    """
    first, second = _without_severed(first), _without_severed(second)
    for i, (a, b) in enumerate(zip(first.nodes, second.nodes)):
        if (a.kind, a.name) != (b.kind, b.name) or a.label and b.label and a.label != b.label:
            return f"node {i} is {_called(a)} in {first.engine}, {_called(b)} in {second.engine}"
        if a.value is not None and b.value is not None and not _equal(a.value, b.value, close):
            return f"node {i}, {_called(a)}, has value {a.value} in {first.engine}, {b.value} in {second.engine}"
    if len(first.nodes) != len(second.nodes):
        return f"{first.engine} has {len(first.nodes)} nodes, {second.engine} has {len(second.nodes)}"
    if first.edges != second.edges:
        wrong = next((p for p in zip(first.edges, second.edges) if p[0] != p[1]), ("more edges", "fewer edges"))
        return f"edges differ: {wrong[0]} in {first.engine}, {wrong[1]} in {second.engine}"
    for i, (a, b) in enumerate(zip(first.events, second.events)):
        where = f"event {i + 1}, {a.kind} at {_called(first.nodes[a.node])}"
        if (a.kind, a.node) != (b.kind, b.node):
            return f"{where} in {first.engine} is {b.kind} at {_called(second.nodes[b.node])} in {second.engine}"
        if [e for e, _ in a.sent] != [e for e, _ in b.sent]:
            return f"{where}: sent along edges {[e for e, _ in a.sent]} and {[e for e, _ in b.sent]}"
        for x, y in ((a.before, b.before), (a.after, b.after), *((g, h) for (_, g), (_, h) in zip(a.sent, b.sent))):
            if not _equal(x, y, close):
                return f"{where}: {x} in {first.engine}, {y} in {second.engine}"
    if len(first.events) != len(second.events):
        return f"{first.engine} has {len(first.events)} events, {second.engine} has {len(second.events)}"
    return None


def _without_severed(trace):
    """`trace` without what lies behind cuts: the severed nodes, and what only they use."""
    severed = {i for i, node in enumerate(trace.nodes) if node.kind == "severed"}
    kept = [i for i, edge in enumerate(trace.edges) if not {edge.consumer, edge.producer} & severed]
    used = {trace.edges[i].producer for i in kept}
    nodes = [i for i, node in enumerate(trace.nodes) if node.kind == "operation" or i in used]
    node_at, edge_at = ({old: new for new, old in enumerate(left)} for left in (nodes, kept))
    edges = (Edge(node_at[e.consumer], e.slot, node_at[e.producer], e.output)
             for e in (trace.edges[i] for i in kept))
    events = (replace(e, node=node_at[e.node], sent=tuple((edge_at[i], g) for i, g in e.sent))
              for e in trace.events if e.node in node_at)
    return replace(trace, nodes=tuple(trace.nodes[i] for i in nodes), edges=tuple(edges), events=tuple(events))


def _called(node):
    return f"{node.name or 'a constant'}{f' ({node.label})' if node.label else ''}"


def _equal(x, y, close):
    if x is None or y is None:
        return x is y
    return x.shape == y.shape and x.dtype == y.dtype and bool(close(x, y))

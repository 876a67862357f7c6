"""Two traces compared, event by event."""


def difference(first, second, close):
    """The first place where two traces differ, as a sentence; None if they are equal event by event.

    close  a function of two arrays: whether they count as equal. Kind, order, node, shape and every gradient are
           compared; values and labels too, where both have them.
    """
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


def _called(node):
    return f"{node.name or 'a constant'}{f' ({node.label})' if node.label else ''}"


def _equal(x, y, close):
    if x is None or y is None:
        return x is y
    return x.shape == y.shape and x.dtype == y.dtype and bool(close(x, y))

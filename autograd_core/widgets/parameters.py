"""The panel that lists every parameter: its gradient, or why there is none and where its path ends."""

from ..trace import Parameter, Trace
from .numerals import shorten


def listed(trace: Trace) -> tuple[Parameter, ...]:
    """The parameters of the trace; where it knows of no module, its leaves."""
    return trace.parameters or tuple(
        Parameter(node.label or "a leaf", node.shape or (), index, "It has requires_grad=False." * (node.kind == "frozen"))
        for index, node in enumerate(trace.nodes) if node.kind in ("leaf", "frozen"))


def parameters_of(trace: Trace) -> list[dict]:
    """Each parameter as JSON. `short` is the reason as it stands in its row, `cut` and `source` the place of the cut."""
    out = []
    for parameter in listed(trace):
        edge = None if parameter.cut is None else trace.edges[parameter.cut]
        line = None if edge is None else edge.line
        ends = f"path ends at {edge.cut}" if edge else parameter.reason[:1].lower() + parameter.reason[1:].rstrip(".")
        out.append({
            "name": shorten(parameter.name, 200), "shape": list(parameter.shape), "node": parameter.node,
            "reason": shorten(parameter.reason, 300), "short": shorten(f"None: {ends}", 80),
            "path": [shorten(word, 60) for word in parameter.path],
            "cut": edge.cut if edge else "", "source": "" if line is None else shorten(trace.source[line], 300)})
    return out

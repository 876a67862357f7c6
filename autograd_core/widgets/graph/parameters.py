"""The panel that lists every parameter: its gradient, or why there is none and where its path ends."""

from ...trace import Parameter, Trace
from ...trace.cuts import NO_PATH
from ..kit.format import shorten

FROZEN = "requires_grad=False"


def listed(trace: Trace) -> tuple[Parameter, ...]:
    """The parameters of the trace; where it has nothing to do with any module, its leaves."""
    if any(_belongs(parameter) for parameter in trace.parameters):
        return trace.parameters
    leaves = tuple(
        Parameter(node.label or "a leaf", node.shape or (), index, f"It has {FROZEN}." * (node.kind == "frozen"))
        for index, node in enumerate(trace.nodes) if node.kind in ("leaf", "frozen"))
    return leaves or trace.parameters


def _belongs(parameter: Parameter) -> bool:
    """Whether it is part of this trace, or may be: nobody saw the forward, or where its path ends is known."""
    return parameter.node is not None or parameter.cut is not None or parameter.reason in ("", NO_PATH)


def parameters_of(trace: Trace) -> list[dict]:
    """Each parameter as JSON. `short` is the reason as it stands in its row, `cut` and `source` the place of the cut.

    `name` leaves out what all names begin with, the variable of the model; `whole` does not.
    """
    out, parameters = [], listed(trace)
    begins = {parameter.name.partition(".")[0] + "." for parameter in parameters}
    prefix = begins.pop() if len(begins) == 1 and len(parameters) > 1 else ""
    for parameter in parameters:
        edge = None if parameter.cut is None else trace.edges[parameter.cut]
        line = None if edge is None else edge.line
        ends = parameter.reason[:1].lower() + parameter.reason[1:].rstrip(".")
        if edge and edge.cut:
            ends = edge.cut if edge.cut == FROZEN else f"path ends at {edge.cut}"
        name = parameter.name.removeprefix(prefix)
        path = tuple(name if word == parameter.name else word for word in parameter.path)
        out.append({
            "name": shorten(name, 200), "whole": shorten(parameter.name, 200), "shape": list(parameter.shape),
            "node": parameter.node, "reason": shorten(parameter.reason, 300), "short": shorten(f"None: {ends}", 80),
            "path": [shorten(word, 60) for word in path],
            "cut": edge.cut if edge else "", "source": "" if line is None else shorten(trace.source[line], 300)})
    return out

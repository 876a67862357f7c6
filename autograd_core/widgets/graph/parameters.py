"""The panel that lists every parameter: its gradient, or why there is none and where its path ends."""

from ...trace import Trace
from ...trace.rows import place_of
from ...trace.verdicts import parameters_in, short_names
from ..kit.format import shorten


def parameters_of(trace: Trace) -> list[dict]:
    """Each parameter as JSON. `short` is the reason as it stands in its row, `cut`, `source` and
    `place` are what cuts, its statement, and where that stands.

    `name` leaves out what all names begin with, the variable of the model; `whole` does not.
    """
    out, parameters = [], parameters_in(trace)
    names = short_names(parameters)
    for parameter in parameters:
        edge = None if parameter.cut is None else trace.edges[parameter.cut]
        ends = parameter.reason[:1].lower() + parameter.reason[1:].rstrip(".")
        if edge and edge.cut:
            ends = edge.cut if parameter.ending == "frozen" else f"path ends at {edge.cut}"
        name = names[parameter.name]
        path = tuple(name if word == parameter.name else word for word in parameter.path)
        out.append(
            {
                "name": shorten(name, 200),
                "whole": shorten(parameter.name, 200),
                "shape": list(parameter.shape),
                "node": parameter.node,
                "reason": shorten(parameter.reason, 300),
                "short": shorten(f"None: {ends}", 80),
                "loose": shorten(parameter.loose, 300),
                "frozen": parameter.ending == "frozen",
                "path": [shorten(word, 60) for word in path],
                "cut": edge.cut if edge else "",
                "source": shorten(trace.statement(edge.line), 300) if edge else "",
                "place": place_of(trace, edge.line) if edge else "",
            }
        )
    return out

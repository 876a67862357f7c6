"""One forward and backward pass as plain data, taken from either engine.

A trace holds NumPy arrays, strings and integers, nothing that is alive: it keeps no graph, no tensor and no hook.
Everything drawn in the lessons is drawn from one.

    data        what a trace is: nodes, edges, events
    nodes       what is asked of a node of either engine
    tape        what happens while a tape is recording
    take        `trace(loss)`
    difference  two traces compared
    size        how large a graph is that is alive
"""

from .data import Edge, Event, Parameter, Saved, Trace, TraceNode
from .difference import difference
from .take import names_in, trace
from .size import graph_size
from .tape import Tape

__all__ = ["Edge", "Event", "Parameter", "Saved", "Tape", "Trace", "TraceNode", "difference", "graph_size",
           "names_in", "trace"]

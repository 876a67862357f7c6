"""One forward and backward pass of either engine as plain data, without graph, tensors or hooks.

`trace(loss)` takes a `Trace`, `report(loss)` tells what is wrong with it, and `follow` records a
training. `trace_own(loss)`, for an engine that the learner wrote, is in `lessons.own_trace`.
"""

from .build import trace
from .data import Edge, Event, Parameter, Saved, Stale, Trace, TraceNode
from .difference import difference
from .history import History, follow
from .listing import Names, names_in
from .nodes import graph_size
from .report import report
from .summary import Summary
from .tape import Tape

__all__ = ["Edge", "Event", "Parameter", "Saved", "Stale", "Trace", "TraceNode"]
__all__ += ["History", "Names", "Summary", "Tape"]
__all__ += ["difference", "follow", "graph_size", "names_in", "report", "trace"]

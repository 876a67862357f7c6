"""One forward and backward pass as plain data, of either engine: no graph, no tensor, no hook.

Its files, each of which imports those before it only: files, nodes, summary, data, difference,
names, modules, statements, provenance, backward, tape, cuts, formula, size, build, verdicts, report,
surprises, kept, history, saved; the first line of each says what it holds.

`trace_own(loss)`, of an engine that the learner wrote, is in `autograd_core.lessons.own_trace`."""

from .build import trace
from .data import Edge, Event, Parameter, Saved, Trace, TraceNode
from .difference import difference
from .history import History, follow
from .names import Names, names_in
from .report import Report, report
from .saved import load_trace, save_trace
from .size import graph_size
from .summary import Summary, summary_of
from .tape import Tape

__all__ = [
    "Edge",
    "Event",
    "History",
    "Names",
    "Parameter",
    "Report",
    "Saved",
    "Summary",
    "Tape",
    "Trace",
    "TraceNode",
    "difference",
    "follow",
    "graph_size",
    "load_trace",
    "names_in",
    "report",
    "save_trace",
    "summary_of",
    "trace",
]

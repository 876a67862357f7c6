"""One forward and backward pass as plain data, of either engine: no graph, no tensor, no hook.

Each file imports those above it only.

    files       a file written whole or not at all
    nodes       what is asked of a node of either engine
    summary     a tensor's summary, and the budget for whole arrays
    data        what a trace is: nodes, edges, events, parameters
    difference  two traces compared
    names       what the learner calls things
    statements  which statement is running
    provenance  the operations of a forward, and where each of their inputs came from
    inplace     saved tensors that were written into, and what wrote
    backward    a backward pass as it happens
    tape        forward, backward, step and zero_grad while a tape is recording
    listing     which parameters a trace tells of
    sentences   every sentence of the report and of follow, by its status
    cuts        where gradients stop, and why
    formula     a rule of the engine as the text that the view shows
    size        how large a graph is that is alive
    asked       what is wrong with a loss that somebody asks about
    flow        what travelled back, and from where on it was 0
    build       `trace(loss)`
    values      where the first nan is born, which inf is meant, which ReLU is dead
    verdicts    who is trained, frozen or cut off, where gradients vanish and explode
    rows        the words of a report's rows
    report      `report(loss)`: the verdicts as text and as data
    measure     how large a parameter and its gradient are, and how far a step moved them
    optimizers  the optimizers of a loop, and what each of them moves
    surprises   the first nan, a jump, a leap, found as the steps come
    missing     gradients that no step found
    arrivals    what backward passes bring between two steps, and what is used twice
    history     `follow(model, optimizer)`: what each step of a training did to each parameter
    saved       a trace as a JSON file, and read back

`trace_own(loss)`, of an engine that the learner wrote, is in `autograd_core.lessons.own_trace`."""

from .build import trace
from .data import Edge, Event, Parameter, Saved, Stale, Trace, TraceNode
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
    "Stale",
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

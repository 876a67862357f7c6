"""One forward and backward pass of either engine as plain data, without graph, tensors or hooks.

Each file imports only files above it.

    nodes       one interface to the nodes and tensors of both engines
    summary     the summary of a tensor, and the budget for whole arrays
    rounding    gradients of a running pass that are only rounding errors
    data        the parts of a trace: nodes, edges, events, parameters
    difference  compare two traces
    names       the names of the learner's variables
    statements  which statement is running
    provenance  the operations of a forward pass, and the sources of their inputs
    inplace     saved tensors that were modified in place, and the operation that did it
    backward    record a backward pass while it runs
    tape        record forward, backward, step and zero_grad
    listing     which parameters a trace lists
    sentences   every sentence of the report and of follow, by its status
    crossing    why no backward pass can run through a graph
    cuts        where gradients stop, and why
    formula     a backward rule as the text that the view shows
    size        how large a graph is
    asked       check a loss before it is traced
    flow        the gradients of a backward pass, and where they became 0
    build       `trace(loss)`
    values      the origin of the first nan, infs that are masks, dead ReLUs
    verdicts    which parameters are trained, frozen or cut off; vanishing, exploding gradients
    rows        the text of a report's rows
    causes      mistakes in a loss that its graph shows
    report      `report(loss)`: the verdicts as text and as data
    measure     how large a parameter and its gradient are, and how far a step moved them
    surprises   the first nan, a jump or a leap, detected during training
    missing     steps and parameters without a gradient
    arrivals    the gradients that arrive between two steps, and those that are used twice
    history     `follow(model, optimizer)`: what each training step did to each parameter

`trace_own(loss)`, for an engine that the learner wrote, is in `autograd_core.lessons.own_trace`."""

from .build import trace
from .data import Edge, Event, Parameter, Saved, Stale, Trace, TraceNode
from .difference import difference
from .history import History, follow
from .names import Names, names_in
from .report import report
from .size import graph_size
from .summary import Summary
from .tape import Tape

__all__ = [
    "Edge",
    "Event",
    "History",
    "Names",
    "Parameter",
    "Saved",
    "Stale",
    "Summary",
    "Tape",
    "Trace",
    "TraceNode",
    "difference",
    "follow",
    "graph_size",
    "names_in",
    "report",
    "trace",
]

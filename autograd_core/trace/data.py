"""One forward and backward pass as plain data: nodes, edges, and events in order of time."""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .rounding import Origin
from .summary import Value

BY_HAND = "a tensor"  # the name of a tensor that the learner's own Function has saved


@dataclass(frozen=True)
class Saved:
    """A tensor that a node keeps for its backward rule.

    `name` is the name of the argument (`other`), or `result`. `label` is the learner's own name for
    that tensor, or "". `value` is None for a large tensor, of which only `shape` and `dtype` are
    known, and for a stale one, which was modified in place after it was saved.
    """

    name: str
    label: str
    value: np.ndarray | None
    shape: tuple[int, ...] = ()
    dtype: str = ""

    @property
    def what(self) -> str:
        """ "its own result", "its argument other"."""
        if self.name == BY_HAND:
            return self.name
        return "its own result" if self.name.startswith("result") else f"its argument {self.name}"


@dataclass(frozen=True)
class TraceNode:
    """A node that is drawn as a box. Its `kind`:

    operation  it created a node of the graph; gradients pass through it
    leaf       an `AccumulateGrad`, which adds to `.grad`
    constant   an input without gradient: a tensor, or a plain number
    frozen     a parameter with `requires_grad=False`
    severed    an operation whose value reaches the loss, but through which no gradient passes

    name    PyTorch's node name, "MulBackward0"; the function's name, "argmax", for a severed
            operation without a node; "" for a constant or a frozen parameter
    label   the learner's variable or parameter name, or ""
    value   the result of the operation; None if it wasn't recorded
    rules   for each differentiable input its name and its derivative: ("input", "g * other")
    line    the index into `Trace.source` of the statement that created it, or None
    module  the path of the innermost module call around it, "encoder.layers.0.ff", or ""
    grad    `.grad` of a leaf when the trace was taken, or None
    numbers (argument, plain number or None) that the node keeps for its backward rule
    calls   (path, number) of every module call around it, outermost first. The number is 2 for the
            second call of that module in this graph.
    """

    kind: str
    name: str
    label: str
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    value: Value | None = None
    saved: tuple[Saved, ...] = ()
    rules: tuple[tuple[str, str], ...] = ()
    line: int | None = None
    module: str = ""
    grad: Value | None = None
    calls: tuple[tuple[str, int], ...] = ()
    numbers: tuple[tuple[str, int | float | None], ...] = ()


@dataclass(frozen=True)
class Edge:
    """Input number `slot` of node `consumer` is output number `output` of node `producer` (indices
    into `nodes`).

    If the gradient stops at this edge, `cut` is the reason ("detach()", "no_grad",
    "requires_grad=False", "argmax is not differentiable"), and `line` is the index into
    `Trace.source` of the statement that cut, or None.
    """

    consumer: int
    slot: int
    producer: int
    output: int = 0
    cut: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Event:
    """Something that happened at the node `node`.

    | kind       | before           | after              | sent |
    | ---------- | ---------------- | ------------------ | ---- |
    | forward    | None             | the value computed |      |
    | loss       | None             | the loss           |      |
    | backward   | the sum received | None               | (edge index, gradient), where one was sent |
    | accumulate | `.grad` before   | `.grad` after      |      |
    | step       | parameter before | parameter after    |      |
    | zero_grad  | `.grad` before   | `.grad` after      |      |

    `arrived` is the gradient that an accumulation added to `.grad`, unless it equals `after`.
    """

    kind: str
    node: int
    before: Value | None = None
    after: Value | None = None
    sent: tuple[tuple[int, Value], ...] = ()
    arrived: Value | None = None


@dataclass(frozen=True)
class Parameter:
    """A parameter of a module, and whether the loss reaches it.

    node    its leaf's index into `nodes`, or None if it is not drawn
    model   the name of its model, "net" or "self.model"; "" if it belongs to no model
    line    the index into `Trace.source` of the statement where its path ends, or where it was used;
            or None
    ending  "" if its path reaches the loss, or one of `ParameterStatus`: "frozen", "cut", "unused",
            "cannot tell"
    reason  a sentence that explains `ending`, or ""
    cut     the index into `edges` of the cut where its path ends, or None if unknown
    path    the names from the parameter to that cut: ("pos.weight", "EmbeddingBackward0", "detach()")
    loose   a sentence if it was used inside a model that doesn't register it, or ""
    """

    name: str
    shape: tuple[int, ...]
    node: int | None = None
    reason: str = ""
    ending: str = ""
    cut: int | None = None
    path: tuple[str, ...] = ()
    loose: str = ""
    model: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Stale:
    """A tensor that node number `node` saved as `name` at `version`. It was modified in place since
    then, and is at version `now`. The first operation that modified it:

    writer  its index into `nodes`, None if it isn't drawn
    by      its name, "relu_ in net.2"; "" if it wasn't recorded
    line    the index into `Trace.source` of its statement, or None
    """

    node: int
    name: str
    version: int
    now: int
    writer: int | None = None
    by: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Trace:
    """Nodes in recording order (inputs before their consumer), edges by consumer and slot, events
    in order of time.

    source      the statements that created the nodes
    modules     (path, class name) in model order
    parameters  the parameters of the models that computed the loss, in model order, and the leaves
                that no model registers
    note        what is missing and why, or ""
    recorded    whether the whole forward pass is known
    asked       whether the caller passed the models whose parameters are listed
    places      the place of each statement in `source`, as in `Statement.place`, or "" if unknown
    called      the place where the outermost module was called, if another statement called it; or ""
    drifting    (path, number) of each call of a BatchNorm that changed its running statistics
    stale       starts with the tensor nearest to the loss. If it isn't empty, no backward pass can
                run, so the trace has no backward events.
    rounding    {node that received a gradient of only rounding: where it begins}
    """

    engine: str
    nodes: tuple[TraceNode, ...]
    edges: tuple[Edge, ...]
    events: tuple[Event, ...]
    source: tuple[str, ...] = ()
    modules: tuple[tuple[str, str], ...] = ()
    parameters: tuple[Parameter, ...] = ()
    note: str = ""
    recorded: bool = False
    asked: bool = False
    places: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    stale: tuple[Stale, ...] = ()
    rounding: dict[int, tuple[Origin, ...]] = field(default_factory=dict)
    drifting: frozenset[tuple[str, int]] = frozenset()

    @cached_property
    def size(self) -> int:
        """The number of nodes without constants."""
        return sum(node.kind != "constant" for node in self.nodes)

    @cached_property
    def inputs(self) -> dict[int, dict[int, Edge]]:
        """{index of a node: {index of an edge: an edge to its inputs}}"""
        return _by("consumer", self.edges)

    @cached_property
    def outputs(self) -> dict[int, dict[int, Edge]]:
        """{index of a node: {index of an edge: an edge to its consumers}}"""
        return _by("producer", self.edges)

    def statement(self, line: int | None) -> str:
        """The statement at this index in `source`; "" for None."""
        return "" if line is None else self.source[line]


def _by(end: str, edges: tuple[Edge, ...]) -> dict[int, dict[int, Edge]]:
    found: dict[int, dict[int, Edge]] = defaultdict(dict)
    for number, edge in enumerate(edges):
        found[getattr(edge, end)][number] = edge
    return dict(found)

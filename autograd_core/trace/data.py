"""One forward and backward pass as plain data: nodes, edges, and events as they happened."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .summary import Value

BY_HAND = "a tensor"  # the name of what a Function of the learner's own has saved


@dataclass(frozen=True)
class Saved:
    """A tensor that a node keeps for its backward rule.

    `name` is the argument it was (`other`), or `result`; `label` the learner's own name for that
    tensor, or "". `value` is None for a large one, of which only `shape` and `dtype` are known, and
    for a stale one, into which something was written since.
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
    """A box of the graph. Its `kind`:

    operation  made a node of the graph; gradients pass through it
    leaf       an `AccumulateGrad`, which keeps `.grad`
    constant   an input without gradient: a tensor, or a plain number
    frozen     a parameter with `requires_grad=False`
    severed    an operation whose value reaches the loss, but through which no gradient passes

    name    PyTorch's node name, "MulBackward0"; "" for what is no operation; a severed operation
            that made no node has its function's name, "argmax"
    label   the learner's variable or parameter name, or ""
    value   what the operation computed, None where the forward was not recorded
    rules   for each differentiable input its name and its derivative: ("input", "g * other")
    line    the index into `Trace.source` of the statement that made it, or None
    module  the path of the innermost module call that made it, "encoder.layers.0.ff"; "" for none
    grad    `.grad` of a leaf when the trace was taken, or None
    calls   (path, number) of every module call around it, outermost first: 2 for the second call of
            that module in this graph; () where nobody was recording
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


@dataclass(frozen=True)
class Edge:
    """Input number `slot` of node `consumer` is output number `output` of node `producer` (indices
    into `nodes`).

    `cut` says why no gradient passes here, where the reason stands: "detach()", "no_grad",
    "requires_grad=False", "argmax is not differentiable". `line` is the index into `Trace.source`
    of the statement that cut, or None.
    """

    consumer: int
    slot: int
    producer: int
    output: int = 0
    cut: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Event:
    """Something that happened, at node `node`.

    | kind       | before           | after              | sent |
    | ---------- | ---------------- | ------------------ | ---- |
    | forward    | None             | the value computed |      |
    | loss       | None             | the loss           |      |
    | backward   | the sum received | None               | (edge index, gradient), where one was sent |
    | accumulate | `.grad` before   | `.grad` after      |      |
    | step       | parameter before | parameter after    |      |
    | zero_grad  | `.grad` before   | `.grad` after      |      |

    `arrived` is what was added to `.grad` in an accumulation, where `after` does not tell it.
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

    node       its leaf's index into `nodes`, or None if it is not drawn
    model      what the model is called that has it: "net", "self.model"; "" for a leaf of none
    line       the index into `Trace.source` of the statement where its path ends, or where it was
               used last, or None
    ending     "" where its path reaches the loss; else how it ends, as in `ParameterStatus`:
               "frozen", "cut", "unused" or "cannot tell"
    reason     a sentence on that, or ""
    cut        the index into `edges` of the place where its path ends, where that is known
    path       the words from the parameter to there: ("pos.weight", "EmbeddingBackward0",
               "detach()")
    optimizer  what an optimizer is called that holds it, and something to which this loss sends a
               gradient; or ""
    loose      a sentence where it was used inside of a model that does not register it, and no
               optimizer that is known holds it; or ""
    """

    name: str
    shape: tuple[int, ...]
    node: int | None = None
    reason: str = ""
    ending: str = ""
    cut: int | None = None
    path: tuple[str, ...] = ()
    optimizer: str = ""
    loose: str = ""
    model: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Stale:
    """A tensor that node number `node` saved as `name`, at `version`, and that is at version `now`,
    since something wrote into it.

    writer  the index into `nodes` of what wrote first, None where it made none that is drawn
    by      what that was, "relu_ in net.2"; "" where nobody saw it
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
    """Nodes in the order of recording (inputs before their consumer), edges by consumer and slot,
    events in time.

    `source` holds the statements that made the nodes; `modules` (path, class name) in model order,
    () if unknown; `parameters` those of the models that the loss was made by, in model order, and
    leaves that no model registers. `note` says what is missing, and why, or is "". `recorded` is
    whether the whole forward is known, `asked` whether the caller has named the models whose
    parameters are listed.
    `places` says of each statement in `source` where it stands: "net.py:33", "models/net.py:33" in
    a package, "In[9]:3" in a notebook, "" if unknown. `called` says where the outermost module was
    called from, and is "" where none was, or in this statement itself. Both are () if unknown.
    Where something is `stale`, nearest to the loss first, no pass can run back: there are no events
    of one.
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

    @cached_property
    def size(self) -> int:
        """How many nodes the graph has: a constant is none."""
        return sum(node.kind != "constant" for node in self.nodes)

    @cached_property
    def inputs(self) -> dict[int, dict[int, Edge]]:
        """{index of a node: the edges that lead to it, by their indices}"""
        return _by("consumer", self.edges)

    @cached_property
    def outputs(self) -> dict[int, dict[int, Edge]]:
        """{index of a node: the edges that leave it, by their indices}"""
        return _by("producer", self.edges)

    def statement(self, line: int | None) -> str:
        """The statement at this place in `source`; "" for None."""
        return "" if line is None else self.source[line]


def _by(end: str, edges: tuple[Edge, ...]) -> dict[int, dict[int, Edge]]:
    found: dict[int, dict[int, Edge]] = defaultdict(dict)
    for number, edge in enumerate(edges):
        found[getattr(edge, end)][number] = edge
    return dict(found)

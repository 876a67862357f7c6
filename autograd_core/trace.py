"""One forward and backward pass as plain data: nodes, edges, and events in the order in which they happened.

A trace holds NumPy arrays, strings and integers, nothing that is alive: it keeps no graph, no tensor and no hook.
Everything drawn in the lessons is drawn from one. `trace(loss)` takes it through the names both engines share
(`grad_fn`, `next_functions`, `register_prehook`, `register_hook`, `variable`), so a PyTorch loss gives one too.
"""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Saved:
    """A tensor that a node keeps for its backward rule.

    `name` is the argument it was (`other`), or `result`; `label` the learner's own name for that tensor, or "".
    """

    name: str
    label: str
    value: np.ndarray


@dataclass(frozen=True)
class TraceNode:
    """A box of the graph.

    `kind` is "operation", "leaf" (an `AccumulateGrad`, which keeps `.grad`), or "constant" (an input without gradient:
    a tensor, or a plain number). `name` is PyTorch's node name, "MulBackward0" ("" for a constant).
    `label` is the learner's variable or parameter name, or "". `value` is what the operation computed, `None` where
    the forward was not recorded. `line` is the index into `Trace.source` of the line that made it, or `None`.
    `rules` holds, per differentiable input, its name and its derivative as text: `("input", "g * other")`.
    """

    kind: str
    name: str
    label: str
    shape: tuple | None = None
    dtype: str = ""
    value: np.ndarray | None = None
    saved: tuple[Saved, ...] = ()
    rules: tuple[tuple[str, str], ...] = ()
    line: int | None = None


@dataclass(frozen=True)
class Edge:
    """Input number `slot` of node `consumer` is output number `output` of node `producer` (indices into `nodes`)."""

    consumer: int
    slot: int
    producer: int
    output: int = 0


@dataclass(frozen=True)
class Event:
    """Something that happened, at node `node`.

    | kind       | before           | after              | sent                                                    |
    | ---------- | ---------------- | ------------------ | ------------------------------------------------------- |
    | forward    | None             | the value computed |                                                         |
    | loss       | None             | the loss           |                                                         |
    | backward   | the sum received | None               | (edge index, gradient) for each edge that was sent one  |
    | accumulate | `.grad` before   | `.grad` after      |                                                         |
    | step       | parameter before | parameter after    |                                                         |
    | zero_grad  | `.grad` before   | `.grad` after      |                                                         |
    """

    kind: str
    node: int
    before: np.ndarray | None = None
    after: np.ndarray | None = None
    sent: tuple[tuple[int, np.ndarray], ...] = ()


@dataclass(frozen=True)
class Trace:
    """Nodes in the order of recording (inputs before their consumer), edges by consumer and slot, events in time."""

    engine: str
    nodes: tuple[TraceNode, ...]
    edges: tuple[Edge, ...]
    events: tuple[Event, ...]
    source: tuple[str, ...] = field(default=())

"""The recorded operations of a forward pass, and the source of each of their inputs.

The key of an operation that created a node is the node's key. An operation that created none (inside
`no_grad`, or because it isn't differentiable) is kept if it depends on a parameter, so that a path can
be followed from the parameter to its end. Nothing here keeps a tensor alive.
"""

import weakref
from dataclasses import dataclass
from typing import Any, NamedTuple

from .statements import Statement
from .summary import Value

# what a number depends on: only data, also frozen parameters, also trainable tensors
NOTHING, FROZEN, TRAINED = range(3)


class Source(NamedTuple):
    """Where a tensor came from.

    producer   the key of the operation that created it, the id of a leaf, or for data a unique
               number
    output     the index among the results of that operation
    depends    NOTHING, FROZEN or TRAINED
    cut        "detach()", "detach_()" or ".data", if `statement` detached it; or ""
    """

    producer: int
    output: int = 0
    depends: int = NOTHING
    cut: str = ""
    statement: Statement | None = None


class Input(NamedTuple):
    """An input of an operation. A plain number has no `source`, and only data has a `value`."""

    source: Source | None
    shape: tuple[int, ...]
    dtype: str
    value: Value | None = None
    in_graph: bool = False


@dataclass(eq=False)
class Call:
    """A call of the module at `path` in `root`, the module of the outermost running call. The
    learner's statement `called` called `root`.
    """

    root: weakref.ref[Any]
    path: str
    class_name: str
    called: Statement | None = None


@dataclass
class Operation:
    """One operation of the forward pass. Everything but its name may be unknown.

    mode       "no_grad" or "inference_mode" if recording was off, else ""
    switch     the statement that switched recording off
    calls      the running calls of modules, outermost first
    node_name  the name of the node that it created, or ""; `name` is PyTorch's function name
    after      the sequence number of the latest node at that time, which may be its own
    """

    name: str
    inputs: tuple[Input, ...] = ()
    mode: str = ""
    switch: Statement | None = None
    statement: Statement | None = None
    calls: tuple[Call, ...] = ()
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    value: Value | None = None
    node_name: str = ""
    after: int = -1


class Write(NamedTuple):
    """`operation` modified `memory` in place, which was at `version` before."""

    memory: int
    version: int
    operation: Operation


def memory_of(tensor: Any) -> tuple[int, int]:
    """(a number that identifies the memory of a tensor, its version: how often it was modified in
    place); (0, 0) if versions aren't counted. Views share both.
    """
    if hasattr(tensor, "_version_counter"):
        return id(tensor._version_counter()), tensor._version
    try:
        return tensor.untyped_storage()._cdata, tensor._version
    except (NotImplementedError, RuntimeError):  # a sparse tensor, or one of inference mode
        return 0, 0

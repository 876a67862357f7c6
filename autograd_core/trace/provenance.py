"""What a tape knows of the forward: each operation, and where each of its inputs came from.

An operation that made a node is known by its sequence number. One that made none (inside `no_grad`,
or because it is not differentiable) is kept too where its numbers come from a parameter: that is
how a path that ends can be followed from the parameter to its end. Other operations outside the
graph only prepare data; their results are constants. Nothing here keeps a tensor alive.
"""

import weakref
from dataclasses import dataclass
from typing import Any, NamedTuple

from .statements import Statement
from .summary import Value

# what a number depends on: data alone, also frozen parameters, also others
NOTHING, FROZEN, TRAINED = range(3)


class Source(NamedTuple):
    """Where a tensor came from.

    producer   key of the operation that made it, id of the leaf that it is, or a number of its own
               (data)
    output     which result of that operation
    depends    NOTHING, FROZEN or TRAINED
    cut        "detach()", "detach_()" or ".data", if that took it out of the graph, in `statement`
    """

    producer: int
    output: int = 0
    depends: int = NOTHING
    cut: str = ""
    statement: Statement | None = None


class Input(NamedTuple):
    """One input of an operation: its source, None for a plain number; its numbers, if it is data."""

    source: Source | None
    shape: tuple[int, ...]
    dtype: str
    value: Value | None = None
    in_graph: bool = False


@dataclass(eq=False)
class Call:
    """A call of a module, which has `path` below the outermost one that is being called, `root`.
    That one was called by the learner's statement `called`.
    """

    root: weakref.ref[Any]
    path: str
    class_name: str
    called: Statement | None = None


@dataclass
class Operation:
    """One operation of the forward. All but its name may be unknown.

    mode       "no_grad" or "inference_mode" if recording was off, else ""
    switch     the statement that switched it off
    calls      the calls of modules that were going on, outermost first
    node_name  of the node that it made, "" if it made none; `name` is only PyTorch's function name
    after      the sequence number of the last node made by then, which may be its own
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
    """`operation` wrote in place into `memory`, which it found at `version`."""

    memory: int
    version: int
    operation: Operation


def memory_of(tensor: Any) -> tuple[int, int]:
    """(what tells the memory of a tensor from all other that is there, how often it was written to:
    its version); (0, 0) where versions are not counted. Views share both.
    """
    if hasattr(tensor, "_version_counter"):
        return id(tensor._version_counter()), tensor._version
    try:
        return tensor.untyped_storage()._cdata, tensor._version
    except (NotImplementedError, RuntimeError):  # a sparse tensor, or one of inference mode
        return 0, 0

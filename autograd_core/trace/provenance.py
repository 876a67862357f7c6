"""What a tape knows of the forward: each operation, and where each of its inputs came from.

An operation that made a node is known by its sequence number. One that made none (inside `no_grad`,
or because it is not differentiable) is kept too where its numbers come from a parameter: that is
how a path that ends can be followed from the parameter to its end. Other operations outside the
graph only prepare data; their results are constants. Nothing here keeps a tensor alive.
"""

import contextlib
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .nodes import in_graph, node_of, numbers_of, shape_and_type
from .statements import statement_now
from .summary import Budget, Kept, Summary, summary_of

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
    statement: str = ""


class Input(NamedTuple):
    """One input of an operation: its source, None for a plain number; its numbers, if it is data."""

    source: Source | None
    shape: tuple[int, ...]
    dtype: str
    value: Kept | None = None
    in_graph: bool = False


@dataclass(eq=False)
class Call:
    """A call of a module, which has `path` below the outermost one that is being called, `root`."""

    root: weakref.ref[Any]
    path: str
    class_name: str


@dataclass
class Operation:
    """One operation of the forward. All but its name may be unknown.

    mode       "no_grad" if recording was off, else ""
    calls      the calls of modules that were going on, outermost first
    node_name  of the node that it made, "" if it made none; `name` is only PyTorch's function name
    after      the sequence number of the last node made before it
    others     the summaries of its further results, where these have a nan or an inf
    """

    name: str
    inputs: tuple[Input, ...] = ()
    mode: str = ""
    statement: str = ""
    calls: tuple[Call, ...] = ()
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    value: Kept | None = None
    node_name: str = ""
    after: int = -1
    others: tuple[Summary, ...] = ()


class Provenance:
    """The operations of a forward pass, in order, by key; the oldest forgotten beyond `limit`."""

    def __init__(self, engine: Any, limit: int, budget: Budget):
        self.engine, self.limit, self.budget = engine, limit, budget
        self.forward: dict[int, Operation] = {}
        self.forgotten = 0  # how many were
        # id -> leaf or frozen parameter; id -> tensor outside the graph, and -> its Source
        self.leaves = weakref.WeakValueDictionary[int, Any]()
        self._outside = weakref.WeakValueDictionary[int, Any]()
        self._sources: dict[int, Source] = {}
        # keys of the latest operation in the graph, and outside of it
        self._latest, self._outermost = -1, 0
        self._calls: tuple[Call, ...] = ()  # of modules, that are going on, outermost first

    # ---- where a tensor came from ----------------------------------------------------------------

    def source_of(self, tensor: Any) -> Source:
        """The Source of a tensor; one outside the graph that was never seen before is data."""
        taking, node = in_graph(tensor), node_of(tensor)
        if taking and node is not None:
            return Source(node._sequence_nr(), tensor.output_nr, TRAINED)
        if taking or isinstance(tensor, self.engine.nn.Parameter):
            self.leaves[id(tensor)] = tensor
            return Source(id(tensor), 0, TRAINED if taking else FROZEN)
        if self._outside.get(id(tensor)) is not tensor:
            self.set_source(tensor, Source(self._new_key()))
        return self._sources[id(tensor)]

    def set_source(self, tensor: Any, source: Source) -> None:
        """Note where a tensor outside the graph, or an array that is an index, came from."""
        self._outside[id(tensor)], self._sources[id(tensor)] = tensor, source
        if len(self._sources) > 4 * self.limit:
            self._sources = {key: self._sources[key] for key in self._outside}

    def names_of(self, names: Mapping[Any, str]) -> dict[tuple[int, int], str]:
        """{(producer, output): name} of results outside the graph, from {id: name}."""
        named = ((self._sources[key], name) for key, name in names.items() if key in self._outside)
        return {(source.producer, source.output): name for source, name in named if not source.cut}

    def cut_of(self, tensor: Any, how: str) -> Source:
        """The Source of what is `tensor` outside the graph; `how` is the call that takes it out."""
        source = self.source_of(tensor)
        if not in_graph(tensor):
            return source
        return source._replace(cut=how, statement=statement_now())

    def overwritten(self, tensor: Any, result: Any) -> None:
        """`tensor`, outside the graph, has the numbers of `result` from now on."""
        for changed in (tensor, tensor._base):
            if changed is not None and not in_graph(changed) and not in_graph(result):
                self.set_source(changed, self.source_of(result))

    def _new_key(self) -> int:
        self._outermost -= 1
        return self._outermost

    # ---- operations ------------------------------------------------------------------------------

    def begin(self, name: str, inputs: Iterable[Any], indices: Iterable[Any] = ()) -> Operation:
        """An Operation that is being computed from `inputs`: tensors and numbers, in order, None
        for none.

        indices  tensors or arrays that choose entries, None for a whole axis. They count as inputs
                 where they depend on a parameter.
        """
        mode = "" if self.engine.is_grad_enabled() else "no_grad"
        given = [self._input(x) for x in inputs if x is not None]
        for x in indices:
            if x is not None and self._outside.get(id(x)) is x and self._sources[id(x)].depends:
                given.append(Input(self._sources[id(x)], *shape_and_type(x)))
        return Operation(name, tuple(given), mode, statement_now(), self._calls)

    def _input(self, x: Any) -> Input:
        if not hasattr(type(x), "grad_fn"):
            number = np.asarray(x)
            return Input(None, (), str(number.dtype), Kept(number))
        taking, source = in_graph(x), self.source_of(x)
        made = taking or source.producer in self.forward or source.producer in self.leaves
        return Input(source, *shape_and_type(x), None if made else self.budget.keep(x), taking)

    def end(self, operation: Operation, outs: Sequence[Any], node: Any) -> None:
        """`operation` gave `outs` and made `node`, or none. It is kept if a path can lead through."""
        depends = max((x.source.depends for x in operation.inputs if x.source), default=NOTHING)
        if node is not None:
            key = self._latest = node._sequence_nr()
            operation.node_name = node.name()
        elif depends is NOTHING or all(map(in_graph, outs)):
            return
        else:
            key = self._new_key()
        operation.shape, operation.dtype = shape_and_type(outs[0])
        operation.value, operation.after = self.budget.keep(outs[0]), self._latest
        further = [summary_of(numbers_of(x)[0]) for x in outs[1:]]
        operation.others = tuple(found for found in further if not found.finite)
        self.forward.pop(key, None)
        self.forward[key] = operation
        for number, out in enumerate(outs):
            if not in_graph(out):
                self.set_source(out, Source(key, number, depends))
        while len(self.forward) > self.limit:
            del self.forward[next(iter(self.forward))]
            self.forgotten += 1

    @contextlib.contextmanager
    def during_call(self, module: Any) -> Iterator[None]:
        """While `module` is being called it is known which one is."""
        outer = self._calls
        if not outer:
            self._root = weakref.ref(module)
            self._paths = {id(inner): path for path, inner in module.named_modules()}
        path = self._paths.get(id(module))
        if path is not None:  # else it is held in a list, say: part of what calls it
            self._calls = (*outer, Call(self._root, path, type(module).__name__))
        try:
            yield
        finally:
            self._calls = outer

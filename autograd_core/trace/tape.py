"""A tape records forward passes, backward passes, steps and cleared gradients.

A tape subscribes to the events of autograd_core. The PyTorch tape in `parity` calls the same
methods from PyTorch's hooks. A tape keeps arrays and leaves, but never a graph.
"""

import contextlib
import itertools
import sys
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any

import numpy as np

from ..core.recording import recording
from .backward import BackwardRecord, watching_nodes
from .data import Event
from .measure import holds_numbers
from .nodes import (
    ALIAS,
    engine_of,
    in_graph,
    is_leaf,
    key_of,
    node_of,
    shape_and_type,
    walk,
)
from .provenance import (
    FROZEN,
    NOTHING,
    TRAINED,
    Call,
    Input,
    Operation,
    Source,
    Statement,
    Write,
    call_now,
    memory_of,
    statement_now,
)
from .summary import Budget, Value

_tapes: "weakref.WeakValueDictionary[int, Tape]" = weakref.WeakValueDictionary()  # by id


def tape_of(loss: Any, graph: Iterable[Any]) -> "Tape | None":
    """The tape that recorded most nodes of `graph`, the graph of `loss`, or None. For a `loss`
    without a graph, the tape that recorded it, or else the latest tape.
    """
    keys = {key_of(node) for node in graph if not is_leaf(node)}
    # a copy, because another thread may begin a tape
    tapes = [tape for tape in [*_tapes.values()] if tape.engine.__name__ == engine_of(loss)]
    for each in tapes:
        each.catch_up()
    known = [
        (len(keys & each.forward.keys()) + (each._outside.get(id(loss)) is loss), each)
        for each in tapes
    ]
    most, tape = max(known, key=lambda pair: pair[0], default=(0, None))
    return tape if most else known[-1][1] if known and loss.grad_fn is None else None


def operation_of(node: Any) -> Operation:
    """The recorded operation that created a node, from any tape."""
    found = (tape.forward.get(key_of(node)) for tape in [*_tapes.values()])
    return next(filter(None, found), Operation(""))


def _tensors_in(data: Any) -> Iterator[Any]:
    if isinstance(data, list | tuple):
        for each in data:
            yield from _tensors_in(each)
    elif hasattr(type(data), "grad_fn"):
        yield data


class Tape:
    """A recording of `engine`: autograd_core itself, or torch for the subclass in `parity`.

    `forward` has the latest `limit` operations of forward passes in order, by key; `forgotten`
    counts the dropped ones. `records` has the latest backward passes, steps and cleared gradients in
    order, with at most `limit` events together. `budget` limits the kept numbers.
    """

    limit = 20_000

    def __init__(self, engine: Any = None, budget: Budget | None = None):
        self.engine = engine or sys.modules["autograd_core"]
        self.budget = budget or Budget()
        self.forward: dict[int, Operation] = {}
        self.forgotten = 0
        self.writes = deque[Write](maxlen=self.limit)  # the latest writes in place
        # id -> leaf or frozen parameter; id -> tensor outside the graph, and -> its Source
        self.leaves = weakref.WeakValueDictionary[int, Any]()
        self.retaining = weakref.WeakValueDictionary[int, Any]()  # results with retain_grad()
        self._outside = weakref.WeakValueDictionary[int, Any]()
        self._sources: dict[int, Source] = {}
        self._latest = -1  # sequence number of the latest operation in the graph
        self._begun = Operation("")  # the latest operation, in the graph or outside
        self._new_keys = itertools.count(-1, -1)  # keys for operations outside the graph, and data
        self._calls: tuple[Call, ...] = ()  # the running calls of modules, outermost first
        self._paths: dict[int, str] = {}  # {id of a module in the outermost call: its path}
        self._switch: Statement | None = None  # the statement that switched recording off, if off
        self._items: dict[float, Source] = {}  # numbers that were taken since the latest backward
        self.records: list[BackwardRecord] = []
        self._no_pass_runs = True  # neither a backward pass nor a step
        self._events = 0  # the number of events in the records
        # id of a leaf that the latest pass reached -> the leaf, its `.grad` then, its version
        self._with_grad: dict[int, tuple[Any, Value, int]] = {}
        _tapes[id(self)] = self

    @contextlib.contextmanager
    def recording(self) -> "Iterator[Tape]":
        """Record everything that happens inside this `with` block."""
        with recording.subscribed(self), self.begun():
            yield self

    @contextlib.contextmanager
    def begun(self) -> Iterator[None]:
        self._no_pass_runs, self._calls = True, ()
        try:
            yield
        finally:
            self.notice_cleared()

    def catch_up(self) -> None:
        """Record the operation that has just ended, if the tape waits for its node."""

    # ---- where a tensor came from ----------------------------------------------------------------

    def source_of(self, tensor: Any) -> Source:
        """The Source of a tensor. An unknown tensor without a graph is data."""
        taking, node = in_graph(tensor), node_of(tensor)
        if taking and node is not None:
            output = tensor.output_nr
            while node.name() == ALIAS and key_of(node) not in self.forward:
                ((node, output),) = node.next_functions
            if is_leaf(node):
                self.leaves[id(node.variable)] = node.variable
            return Source(key_of(node), output, TRAINED)
        if taking or isinstance(tensor, self.engine.nn.Parameter):
            self.leaves[id(tensor)] = tensor
            return Source(id(tensor), 0, TRAINED if taking else FROZEN)
        if self._outside.get(id(tensor)) is not tensor:
            self.set_source(tensor, Source(next(self._new_keys)))
        return self._sources[id(tensor)]

    def set_source(self, tensor: Any, source: Source) -> None:
        """Record the source of a tensor without a graph, or of an array that is used as an index."""
        self._outside[id(tensor)], self._sources[id(tensor)] = tensor, source
        if len(self._sources) > 4 * self.limit:
            self._sources = {key: self._sources[key] for key in self._outside}

    def names_of(self, names: Mapping[Any, str]) -> dict[tuple[int, int], str]:
        """{(producer, output): name} of results without a graph, from {id: name}."""
        named = ((self._sources[key], name) for key, name in names.items() if key in self._outside)
        return {(source.producer, source.output): name for source, name in named if not source.cut}

    def on_leave(self, tensor: Any, out: Any, how: str) -> None:
        """Record that the call `how` detached `tensor`, and that `out` is the result."""
        source = self.source_of(tensor)
        if in_graph(tensor):
            source = source._replace(cut=how, statement=self.statement_now())
        self.set_source(out, source)

    def on_take(self, data: Any, how: str, number: Any = None) -> None:
        """Record that the call `how` takes the numbers of the tensors in `data` out of the graph, and
        returns `number` if it takes a single one.
        """
        taken = [x for x in _tensors_in(data) if self.source_of(x).depends is TRAINED]
        if taken and self.in_forward:
            self.forward[next(self._new_keys)] = self.begin(how, taken)
        if taken and type(number) is float:
            source = self.source_of(taken[0])
            self._items[number] = source._replace(cut=how, statement=self.statement_now())

    def _source_of_number(self, number: Any) -> Source | None:
        """The Source of a number that was taken, or that the same statement made of such a number.
        A number with few digits may be the learner's own.
        """
        if not self._items or type(number) is not float or number == round(number, 4):
            return None
        latest = next(reversed(self._items.values()))
        same = latest if latest.statement == self.statement_now() else None
        return self._items.get(number, same)

    def on_write(self, tensor: Any, result: Any) -> None:
        """Record that the operation that has just ended is about to write `result` into `tensor`."""
        operation = self._begun if self.in_forward else self._beside("a write")
        self.writes.append(Write(*memory_of(tensor), operation))
        self.written(tensor, result)

    def _beside(self, name: str) -> Operation:
        """An Operation for a call that isn't part of a forward pass."""
        where = self.statement_now(), self._calls
        return Operation(name, (), "", None, *where, after=self._latest)

    def written(self, tensor: Any, result: Any) -> None:
        """Record that `tensor`, which has no graph, now has the numbers of `result`."""
        for changed in (tensor, tensor._base):
            if changed is not None and not in_graph(changed) and not in_graph(result):
                self.set_source(changed, self.source_of(result))

    def on_index(self, tensor: Any, array: Any) -> None:
        self.set_source(array, self.source_of(tensor))

    # ---- operations ------------------------------------------------------------------------------

    off_by = "no_grad"  # the mode of operations while recording is off

    @property
    def in_forward(self) -> bool:
        """Whether a forward pass runs now, and neither a step nor an ordinary backward pass."""
        return self._no_pass_runs or self.engine.is_grad_enabled()

    def on_operation(
        self, operation: Any, node: Any, args: Sequence[Any], outs: Sequence[Any]
    ) -> None:
        if not self.in_forward:
            return
        inputs, slots = args[0] if operation.variadic else args, operation.slots
        if not operation.variadic:
            inputs = [a for i, a in enumerate(args) if i in slots or hasattr(a, "grad_fn")]
        indices = [index for a in args if isinstance(a, tuple) for index in a]
        begun = self.begin(operation.__name__, inputs, indices)
        self.end(begun, outs, node)

    def begin(self, name: str, inputs: Iterable[Any], indices: Iterable[Any] = ()) -> Operation:
        """An Operation that is computed from `inputs`: tensors, numbers or None, in order.

        indices  tensors or arrays that choose entries, None for a whole axis. They count as inputs
                 if they depend on a parameter.
        """
        mode = "" if self.engine.is_grad_enabled() else self.off_by
        given = [self._input(x) for x in inputs if x is not None]
        for x in indices:
            if x is not None and self._outside.get(id(x)) is x and self._sources[id(x)].depends:
                given.append(Input(self._sources[id(x)], *shape_and_type(x)))
        where = self._switch if mode else None, self.statement_now(), self._calls
        self._begun = Operation(name, tuple(given), mode, *where, after=self._latest)
        return self._begun

    def statement_now(self, within: CodeType | None = None) -> Statement | None:
        return statement_now(self._calls[0].called if self._calls else None, within)

    def _input(self, x: Any) -> Input:
        if not hasattr(type(x), "grad_fn"):
            number = np.asarray(x)
            return Input(self._source_of_number(x), (), str(number.dtype), number)
        taking, source = in_graph(x), self.source_of(x)
        made = taking or source.producer in self.forward or source.producer in self.leaves
        return Input(source, *shape_and_type(x), None if made else self.budget.keep(x), taking)

    def end(self, operation: Operation, outs: Sequence[Any], node: Any) -> None:
        """Record that `operation` returned `outs` and created `node` (or no node).

        The operation is kept if a path to a parameter can lead through it.
        """
        sources = [x.source for x in operation.inputs if x.source]
        depends = max((source.depends for source in sources), default=NOTHING)
        # a result may have become a leaf since then; a tensor modified in place was a leaf before
        written = {source.producer for source in sources}
        outside = [not in_graph(x) or node_of(x) is None and id(x) not in written for x in outs]
        if node is not None:
            key, self._latest = key_of(node), node._sequence_nr()
            operation.node_name = node.name()
        elif depends is NOTHING or not any(outside):
            return
        else:
            key = next(self._new_keys)
        operation.shape, operation.dtype = shape_and_type(outs[0])
        operation.value, operation.after = self.budget.keep(outs[0]), self._latest
        self.forward.pop(key, None)
        self.forward[key] = operation
        for number, (out, is_outside) in enumerate(zip(outs, outside)):
            if is_outside:
                self.set_source(out, Source(key, number, depends))
        while len(self.forward) > self.limit:
            del self.forward[next(iter(self.forward))]
            self.forgotten += 1

    @contextlib.contextmanager
    def during_call(self, module: Any) -> Iterator[None]:
        outer = self._calls
        if outer:
            root, called = outer[0].root, outer[0].called
        else:
            root, called = weakref.ref(module), call_now()
            self._paths = {id(inner): path for path, inner in module.named_modules()}
        path = self._paths.get(id(module))
        if path is not None:  # if it isn't registered, its call counts as part of the caller
            self._calls = (*outer, Call(root, path, type(module).__name__, called))
        try:
            yield
        finally:
            self._calls = outer

    @contextlib.contextmanager
    def during_switch(self, _switch: Any, begins: bool = True) -> Iterator[None]:
        """Record a change of grad mode in this block, where a `no_grad` or similar begins or ends."""
        was_on = self.engine.is_grad_enabled()
        yield
        is_on = self.engine.is_grad_enabled()
        if is_on != was_on:
            self._switch = self.statement_now() if begins and not is_on else None

    def made_from(self, leaf: Any) -> Source | None:
        """The Source of a leaf that was a result, None for any other leaf."""
        return self._sources[id(leaf)] if self._outside.get(id(leaf)) is leaf else None

    # ---- backward --------------------------------------------------------------------------------

    @contextlib.contextmanager
    def during_backward(self, roots: Sequence[Any], accumulates: bool) -> Iterator[None]:
        self.notice_cleared()
        self._items.clear()
        nodes = [root.grad_fn for root in roots if root.grad_fn is not None]
        record = BackwardRecord(self.budget, tuple(map(key_of, nodes)), after=self._latest)
        before, self._no_pass_runs = self._no_pass_runs, False
        try:
            with watching_nodes(walk(*nodes) if accumulates else (), record):
                yield
        finally:
            self._no_pass_runs = before
        if accumulates:
            self._keep(record)
            leaves = {id(leaf): leaf for leaf in record.leaves}
            self._with_grad = {
                event.node: (leaves[event.node], event.after, leaves[event.node].grad._version)
                for event in record.events
                if event.kind == "accumulate" and event.after is not None
                if leaves[event.node].grad is not None
            }

    def backward_of(self, loss: Any) -> BackwardRecord | None:
        """The first backward pass that started only at `loss`, or None."""
        roots = (key_of(loss.grad_fn),)
        return next((record for record in self.records if record.roots == roots), None)

    def after(self, record: BackwardRecord) -> Iterator[BackwardRecord]:
        """The steps and cleared gradients between a backward pass and the next one."""
        seen = itertools.dropwhile(lambda each: each is not record, self.records)
        return itertools.takewhile(lambda each: not each.roots, itertools.islice(seen, 1, None))

    def _keep(self, record: BackwardRecord) -> None:
        self.records.append(record)
        self._events += len(record.events)
        while self._events > self.limit and len(self.records) > 1:
            self._events -= len(self.records.pop(0).events)

    # ---- step and zero_grad ----------------------------------------------------------------------

    @contextlib.contextmanager
    def during_step(self, optimizer: Any, closure: Any) -> Iterator[None]:
        self.notice_cleared()
        pass_runs = self._no_pass_runs
        self._no_pass_runs = closure is not None  # a closure contains a forward pass
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        before = [(p, self.budget.keep(p), memory_of(p)) for p in parameters if p.grad is not None]
        operation = self._beside("step")
        try:
            yield
        finally:
            self._no_pass_runs = pass_runs
            leaves = [p for p, *_ in before]
            events = [Event("step", id(p), was, self.budget.keep(p)) for p, was, _ in before]
            self.writes += [Write(*at, operation) for p, _, at in before if memory_of(p) != at]
            self._keep(BackwardRecord(self.budget, events=events, leaves=leaves))
            stepped = {id(p): self._with_grad[id(p)] for p in leaves if id(p) in self._with_grad}
            self._with_grad = stepped | self._with_grad

    def notice_cleared(self) -> None:
        """Record which gradients of the latest pass were cleared since. PyTorch has no hook for it."""
        cleared = []
        for key, (leaf, before, version) in self._with_grad.items():
            grad = leaf.grad
            if grad is None or grad._version != version and not holds_numbers(grad):
                cleared.append((key, before, self.budget.keep_grad(leaf)))
        for key, *_ in cleared:
            del self._with_grad[key]
        if cleared:
            events = [Event("zero_grad", *found) for found in cleared]
            self._keep(BackwardRecord(self.budget, events=events))

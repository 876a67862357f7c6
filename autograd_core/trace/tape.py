"""What happens while a tape is recording: forward values and lines, backward passes, steps,
zeroing.

    tape = Tape()
    with tape.recording():
        loss = ...
        loss.backward()
    trace(loss, tape=tape)

A tape subscribes to what autograd_core publishes. PyTorch publishes less, so the PyTorch tape in
`parity` calls the same methods in its own way. A tape holds arrays and leaves, never a graph.
"""

import contextlib
import itertools
import sys
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..core.recording import recording
from .backward import BackwardRecord, RecordedEvent, watching_nodes
from .nodes import engine_of, is_leaf, key_of, walk
from .provenance import Provenance
from .summary import Budget, Kept

LIMIT = 20_000  # operations that a tape remembers, and events

_tapes: "weakref.WeakSet[Tape]" = weakref.WeakSet()


def tape_of(loss: Any, graph: Iterable[Any]) -> "Tape | None":
    """The tape that knows most of `graph`, the nodes behind `loss`; None if none knows any of it."""
    keys = {key_of(node) for node in graph if not is_leaf(node)}
    known = [
        (len(keys & tape.provenance.forward.keys()), tape)
        for tape in _tapes
        if tape.engine.__name__ == engine_of(loss)
    ]
    most, tape = max(known, key=lambda pair: pair[0], default=(0, None))
    return tape if most else None


class Tape:
    """A recording of `engine`: autograd_core itself, or torch for the subclass in `parity`.

    `provenance` is what is known of the latest `limit` operations of the forward; `records` are the
    backward passes, steps and zeroings, in order: the latest ones, as long as they have at most
    `limit` events together. What is kept of numbers stays within `budget`.
    """

    def __init__(self, engine: Any = None, limit: int = LIMIT, budget: Budget | None = None):
        self.engine, self.limit = engine or sys.modules["autograd_core"], limit
        self.budget = budget or Budget()
        self.provenance = Provenance(self.engine, limit, self.budget)
        self.records: list[BackwardRecord] = []
        self.optimizers = weakref.WeakSet[Any]()  # that stepped, or cleared gradients
        self._forward = True  # not inside of a backward pass or a step
        self._events = 0  # how many the records have
        _tapes.add(self)

    @contextlib.contextmanager
    def recording(self) -> "Iterator[Tape]":
        """Record everything that happens inside this `with` block."""
        with recording.subscribed(self):
            self._forward = True
            yield self

    # ---- forward ---------------------------------------------------------------------------------

    @property
    def hears(self) -> bool:
        """Whether what runs now is of a forward: not of a step, nor of an ordinary backward."""
        return self._forward or self.engine.is_grad_enabled()

    def on_operation(
        self, operation: Any, node: Any, args: Sequence[Any], outs: Sequence[Any]
    ) -> None:
        if not self.hears:
            return
        inputs, slots = args[0] if operation.variadic else args, operation.slots
        if not operation.variadic:
            inputs = [a for i, a in enumerate(args) if i in slots or hasattr(a, "grad_fn")]
        indices = [index for a in args if isinstance(a, tuple) for index in a]
        begun = self.provenance.begin(operation.__name__, inputs, indices)
        self.provenance.end(begun, outs, node)

    def on_leave(self, tensor: Any, out: Any, how: str) -> None:
        self.provenance.set_source(out, self.provenance.cut_of(tensor, how))

    def on_write(self, tensor: Any, result: Any) -> None:
        self.provenance.overwritten(tensor, result)

    def on_index(self, tensor: Any, array: Any) -> None:
        self.provenance.set_source(array, self.provenance.source_of(tensor))

    def during_call(self, module: Any) -> contextlib.AbstractContextManager[None]:
        return self.provenance.during_call(module)

    # ---- backward --------------------------------------------------------------------------------

    @contextlib.contextmanager
    def during_backward(self, roots: Sequence[Any], accumulates: bool) -> Iterator[None]:
        nodes = [root.grad_fn for root in roots if root.grad_fn is not None]
        record = BackwardRecord(self.budget, tuple(node._sequence_nr() for node in nodes))
        before, self._forward = self._forward, False
        try:
            with watching_nodes(walk(*nodes) if accumulates else (), record):
                yield
        finally:
            self._forward = before
        if accumulates:
            self._keep(record)

    def backward_of(self, loss: Any) -> BackwardRecord | None:
        """The first backward pass that started at `loss`, or None."""
        key = loss.grad_fn._sequence_nr()
        return next((record for record in self.records if key in record.roots), None)

    def after(self, record: BackwardRecord) -> Iterator[BackwardRecord]:
        """What followed a backward pass, up to the next one: steps and zeroings."""
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
        self.step_begins(optimizer, closure)
        try:
            yield
        finally:
            self._forward = True
        self.step_ended()

    def step_begins(self, optimizer: Any, closure: Any) -> None:
        self.optimizers.add(optimizer)
        self._forward = closure is not None  # which holds a forward of its own
        self._moving = [(p, self.budget.keep(p)) for p in _parameters_with_grad(optimizer)]

    def step_ended(self) -> None:
        self._forward = True
        self._changed("step", [(p, before, self.budget.keep(p)) for p, before in self._moving])

    @contextlib.contextmanager
    def during_zero_grad(self, owner: Any) -> Iterator[None]:
        if hasattr(owner, "param_groups"):
            self.optimizers.add(owner)
        zeroed = [(p, self.budget.keep_grad(p)) for p in _parameters_with_grad(owner)]
        yield
        self._changed("zero_grad", [(p, before, self.budget.keep_grad(p)) for p, before in zeroed])

    def _changed(self, kind: str, changes: list[tuple[Any, Kept | None, Kept | None]]) -> None:
        """Parameters were changed, from what to what."""
        events = [RecordedEvent(kind, id(p), before, after) for p, before, after in changes]
        leaves = [p for p, _, _ in changes]
        self._keep(BackwardRecord(self.budget, events=events, leaves=leaves))


def _parameters_with_grad(owner: Any) -> list[Any]:
    """Those of a module or an optimizer that have a `.grad`."""
    if hasattr(owner, "parameters"):
        return [p for p in owner.parameters() if p.grad is not None]
    return [p for group in owner.param_groups for p in group["params"] if p.grad is not None]

"""Record a backward pass while it runs, by hooks on each node."""

import contextlib
import sys
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .data import Event, Saved
from .inplace import REFUSED, TWICE, StaleSave, is_freed, stale_in
from .nodes import argument, engine_of, is_leaf, key_of, saved_in, shape_and_type
from .rounding import Rounding
from .summary import Budget, Value, norm, seen_of

SAVED_IN_FULL = 4_096  # numbers; only shape and dtype of a larger saved tensor are recorded
OWN_PASS = "CheckpointFunctionBackward"
# {words of the error of a pass that can't run: the note that replaces the error}
NOTES = {
    TWICE: "",
    "modified by an inplace operation": (
        "No pass can run back through this graph: a saved tensor was modified in place, and PyTorch"
        " does not tell which ({})."
    ),
    # buffers that a compiled graph gives to its backward pass, so the pass can run only once
    "donated buffers": (
        "This graph was compiled, and runs back only once: no pass is run on the side. Call"
        " loss.backward() inside watching(), or set torch._functorch.config.donated_buffer = False"
        " before compiling."
    ),
    "torch.utils.checkpoint is incompatible": (
        "A checkpoint with use_reentrant=True runs back only in loss.backward(): no pass is run on the"
        " side. Call loss.backward() inside watching(), or use use_reentrant=False (the day after)."
    ),
}

# the saved tensors of a node, still without labels, and pairs (argument, number or None)
SavedValues = tuple[tuple[Saved, ...], tuple[tuple[str, int | float | None], ...]]
NOT_SEEN: tuple[Any, int, Any, float] = None, 0, None, 0.0


@dataclass
class BackwardRecord:
    """A backward pass, a step, or a clearing of gradients. `budget` limits the kept numbers.

    events       here `Event.node` is a key, and an edge is an index into `next_functions`
    saved        {key of a node: its saved tensors and numbers}
    leaf_values  {id of a leaf: its numbers at that time}
    leaves       the leaves themselves, so that no other tensor gets their ids
    note         the reason why there are no events or why some aren't recorded, or ""
    after        the sequence number of the latest node before the pass
    stale        {key of a node: its saved tensors that were modified later}, if the pass failed
    rounding     the rounding errors in the gradients
    freed        the nodes whose saved tensors were freed, if the pass failed
    """

    budget: Budget
    roots: tuple[int, ...] = ()
    events: list[Event] = field(default_factory=list)
    saved: dict[int, SavedValues] = field(default_factory=dict)
    leaf_values: dict[int, Value] = field(default_factory=dict)
    leaves: list[Any] = field(default_factory=list)
    note: str = ""
    after: int = -1
    stale: dict[int, list[StaleSave]] = field(default_factory=dict)
    freed: set[Any] = field(default_factory=set)
    rounding: Rounding = field(default_factory=Rounding)
    # {id of a gradient: (the gradient, its version, the kept numbers, their norm)}
    _seen: dict[int, tuple[Any, int, Value, float]] = field(default_factory=dict)

    def keep(self, gradient: Any) -> Value:
        """The gradient's current numbers. A gradient that one node sends and the next node receives
        unchanged is read only once.
        """
        return self._look(gradient)[0]

    def norm(self, gradient: Any) -> float:
        return self._look(gradient)[1]

    def _look(self, gradient: Any) -> tuple[Value, float]:
        known, version, kept, size = self._seen.get(id(gradient), NOT_SEEN)
        if known and known() is gradient and version == gradient._version:
            return kept, size
        kept = self.budget.keep(gradient)
        size = norm(kept)
        self._seen[id(gradient)] = weakref.ref(gradient), gradient._version, kept, size
        return kept, size


def dry_run_backward(
    loss: Any, nodes: Sequence[Any], budget: Budget, retaining: Iterable[Any]
) -> BackwardRecord:
    """Run a backward pass through `nodes`, the graph of `loss`, and record it. It changes no `.grad`,
    like `autograd.grad`: `backward` would use up the gradient buckets of DistributedDataParallel.
    Afterwards, restore `.grad` of the results that are `retaining` it. Anomaly mode is off meanwhile.

    Hooks that may change a gradient are called. If the graph has released its saved tensors, or one
    of them was modified in place, the pass can't run. Then the record has no events, and its `note`
    or `stale` gives the reason.
    """
    record = BackwardRecord(budget, (key_of(loss.grad_fn),))
    autograd = sys.modules[engine_of(loss)].autograd
    leaves = [n.variable for n in nodes if is_leaf(n) and n.variable.requires_grad]
    with contextlib.ExitStack() as afterwards:
        afterwards.enter_context(autograd.set_detect_anomaly(False))
        for result in retaining:
            afterwards.callback(setattr, result, "grad", result.grad)
        for hooks in filter(None, (getattr(node, "hooks", None) for node in nodes)):
            afterwards.callback(hooks.retain.update, dict(hooks.retain))
            hooks.retain.clear()
        if (torch := sys.modules.get("torch")) is not None:  # a checkpoint may draw again
            afterwards.callback(torch.set_rng_state, torch.get_rng_state())
        try:
            with watching_nodes(nodes, record, accumulates=False):
                autograd.grad(loss, leaves, retain_graph=True, allow_unused=True)
        except RuntimeError as error:
            _explain(error, nodes, record)
    return record


def _explain(error: RuntimeError, nodes: Sequence[Any], record: BackwardRecord) -> None:
    """Note in the record why its pass can't run. Any other error is raised again."""
    found = REFUSED.search(str(error))
    notes = [note for words, note in NOTES.items() if words in str(error)]
    if not notes:
        raise error
    stale = ((key_of(node), [*stale_in(node)]) for node in nodes)
    record.stale = {key: saves for key, saves in stale if saves}
    record.freed = {node for node in nodes if TWICE in str(error) and is_freed(node)}
    record.events = []
    record.note = "" if record.stale else notes[0].format(found and found[0])


@contextlib.contextmanager
def watching_nodes(
    nodes: Iterable[Any], record: BackwardRecord, accumulates: bool = True
) -> Iterator[None]:
    """Record the gradients that pass through `nodes`. The hooks are removed after the block."""
    with contextlib.ExitStack() as hooks:
        for node in nodes:
            watch = _watch_leaf if is_leaf(node) else _watch_operation
            for handle in watch(node, key_of(node), record, accumulates):
                hooks.enter_context(handle)
        yield


def _watch_leaf(node: Any, key: int, record: BackwardRecord, accumulates: bool) -> Sequence[Any]:
    variable, budget = node.variable, record.budget
    record.leaves.append(variable)
    record.leaf_values[key] = budget.keep(variable)
    begun: list[tuple[Value | None, Value | None]] = []  # (`.grad` before, the gradient)

    def arrives(arrived: Any) -> None:
        gradient = None if arrived is None else record.keep(arrived)
        record.rounding.share_in(key, 0.0 if arrived is None else record.norm(arrived))
        if accumulates:
            begun.append((budget.keep_grad(variable), gradient))
        else:
            record.events.append(Event("accumulate", key, None, gradient, arrived=gradient))

    def ran(sent: Any, arrived: Any) -> None:
        before, gradient = begun.pop()
        after = budget.keep_grad(variable)
        record.events.append(Event("accumulate", key, before, after, arrived=gradient))

    if accumulates:
        return node.register_prehook(lambda arrived: arrives(arrived[0])), node.register_hook(ran)
    return [variable.register_hook(arrives)] if variable.requires_grad else []


def _watch_operation(node: Any, key: int, record: BackwardRecord, _: bool) -> Sequence[Any]:
    record.saved[key] = _saved_values(node)

    def ran(sent: Any, sums: Any) -> None:
        total = next((record.keep(g) for g in sums if g is not None), None)
        parts = tuple((k, record.keep(g)) for k, g in enumerate(sent) if g is not None)
        record.rounding.ran(node, sums, sent, record.norm)
        record.events.append(Event("backward", key, total, None, parts))

    return [node.register_hook(ran)]


def _saved_values(node: Any) -> SavedValues:
    tensors, plain = [], []
    for name, value in saved_in(node):
        if hasattr(value, "grad_fn"):
            seen = seen_of(value) if value.numel() <= SAVED_IN_FULL else None
            numbers = np.array(seen) if isinstance(seen, np.ndarray) else None
            tensors.append(Saved(argument(name), "", numbers, *shape_and_type(value)))
        elif value is None or type(value) in (int, float):
            # PyTorch keeps dim=-1 as 2 ** 64 - 1
            plain.append((name, value - 2**64 if value and value >= 2**63 else value))
    return tuple(sorted(tensors, key=lambda tensor: tensor.name)), tuple(plain)

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
}
OWN_PASS_NOTE = (
    "A checkpoint with use_reentrant=True runs a forward and a backward pass of its own. The"
    " gradients of that pass are not seen here; with use_reentrant=False they are."
)

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


# ---- dry run -------------------------------------------------------------------------------------


def dry_run_backward(
    loss: Any, nodes: Sequence[Any], budget: Budget, known: Iterable[Any]
) -> BackwardRecord:
    """Run a backward pass through `nodes`, the graph of `loss`, and record it. Afterwards, restore
    `.grad` of the leaves and of the `known` tensors. Anomaly mode is off during the pass.

    PyTorch computes it like `autograd.grad`, because `backward` would use up the gradient buckets of
    DistributedDataParallel. Only a reentrant checkpoint needs `backward`.

    Hooks of `register_post_accumulate_grad_hook` aren't called, but hooks that may change a gradient
    are called. If the graph has released its saved tensors, or one of them was modified in place,
    the pass can't run. Then the record has no events, and its `note` or `stale` gives the reason.
    """
    record = BackwardRecord(budget, (key_of(loss.grad_fn),))
    notes: list[str] = []
    has_own_pass = any(node.name() == OWN_PASS for node in nodes)
    accumulates = has_own_pass or engine_of(loss) != "torch"
    with _left_as_they_were(loss, nodes if accumulates else (), known):
        try:
            with watching_nodes(nodes, record, accumulates):
                if accumulates:
                    loss.backward(retain_graph=True)
                else:
                    _send_to_leaves(loss, nodes)
        except RuntimeError as error:
            found = REFUSED.search(str(error))
            known = [note for words, note in NOTES.items() if words in str(error)]
            notes = [note.format(found and found[0]) for note in known]
            if not notes:
                raise
            record.events = []
            stale = ((key_of(node), [*stale_in(node)]) for node in nodes)
            record.stale = {key: saves for key, saves in stale if saves}
            record.freed = {node for node in nodes if TWICE in str(error) and is_freed(node)}
            notes = [] if record.stale else notes
    if has_own_pass:
        notes.append(OWN_PASS_NOTE)
    record.note = " ".join(notes)
    return record


def _send_to_leaves(loss: Any, nodes: Sequence[Any]) -> None:
    """Run a backward pass of PyTorch that changes no `.grad` of a leaf."""
    autograd = sys.modules["torch"].autograd
    edges = [autograd.graph.GradientEdge(node, 0) for node in nodes if is_leaf(node)]
    autograd.grad(loss, edges, retain_graph=True, allow_unused=True)


@contextlib.contextmanager
def _left_as_they_were(loss: Any, nodes: Sequence[Any], known: Iterable[Any]) -> Iterator[None]:
    """In this block, `.grad` starts as None, and hooks that run after accumulation aren't called.
    Anomaly mode is off.

    Besides leaves, a pass may write `.grad` of `known` tensors: results that retain their gradient,
    and leaves that the learner's Function or a checkpoint reaches by a nested backward pass.
    """
    leaves = [node.variable for node in nodes if is_leaf(node)]
    if not nodes:  # no leaf's `.grad` is written
        known = [tensor for tensor in known if not tensor.is_leaf]
    with contextlib.ExitStack() as afterwards:
        engine = sys.modules[engine_of(loss)]
        afterwards.enter_context(engine.autograd.set_detect_anomaly(False))
        for tensor in {id(tensor): tensor for tensor in (*leaves, *known)}.values():
            afterwards.callback(setattr, tensor, "grad", tensor.grad)
            tensor.grad = None
        for hooks in (hooks for node in nodes for hooks in _hooks_on_grad(node)):
            afterwards.callback(hooks.update, dict(hooks))
            hooks.clear()
        if (torch := sys.modules.get("torch")) is not None:  # a checkpoint may draw again
            afterwards.callback(torch.set_rng_state, torch.get_rng_state())
        yield


def _hooks_on_grad(node: Any) -> list[dict[Any, Any]]:
    """The hooks that write `.grad` of a result, or that run after a leaf's `.grad` was accumulated."""
    if hasattr(node, "hooks"):
        return [node.hooks.retain, node.hooks.accumulated] if node.hooks else []
    hooks = getattr(node.variable, "_post_accumulate_grad_hooks", None) if is_leaf(node) else None
    return [hooks] if hooks else []


# ---- watching ------------------------------------------------------------------------------------


@contextlib.contextmanager
def watching_nodes(
    nodes: Iterable[Any], record: BackwardRecord, accumulates: bool = True
) -> Iterator[None]:
    """Record the gradients that pass through `nodes`. The hooks are removed after the block."""
    of_leaf = _watch_leaf if accumulates else _watch_arrival
    with contextlib.ExitStack() as hooks:
        for node in nodes:
            watch = of_leaf if is_leaf(node) else _watch_operation
            for handle in watch(node, key_of(node), record):
                hooks.enter_context(handle)
        yield


def _watch_leaf(node: Any, key: int, record: BackwardRecord) -> Sequence[Any]:
    variable, budget = node.variable, record.budget
    record.leaves.append(variable)
    record.leaf_values[key] = budget.keep(variable)
    begun: list[tuple[Value | None, Value | None]] = []  # (`.grad` before, the gradient)

    def runs_now(arrived: Any) -> None:
        gradient = None if arrived[0] is None else record.keep(arrived[0])
        record.rounding.share_in(key, 0.0 if gradient is None else norm(gradient))
        begun.append((budget.keep_grad(variable), gradient))

    def ran(sent: Any, arrived: Any) -> None:
        before, gradient = begun.pop()
        after = budget.keep_grad(variable)
        record.events.append(Event("accumulate", key, before, after, arrived=gradient))

    return node.register_prehook(runs_now), node.register_hook(ran)


def _watch_arrival(node: Any, key: int, record: BackwardRecord) -> Sequence[Any]:
    """Like `_watch_leaf`, in a pass that doesn't add the gradient to `.grad`."""
    variable = node.variable
    record.leaves.append(variable)
    record.leaf_values[key] = record.budget.keep(variable)

    def arrives(gradient: Any) -> None:
        arrived = None if gradient is None else record.keep(gradient)
        record.rounding.share_in(key, 0.0 if gradient is None else record.norm(gradient))
        record.events.append(Event("accumulate", key, None, arrived, arrived=arrived))

    return [variable.register_hook(arrives)] if variable.requires_grad else []


def _watch_operation(node: Any, key: int, record: BackwardRecord) -> Sequence[Any]:
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

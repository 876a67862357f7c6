"""Record a backward pass while it runs, by hooks on each node."""

import contextlib
import sys
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .data import Event, Saved
from .inplace import REFUSED, StaleSave, stale_in
from .nodes import argument, is_leaf, key_of, saved_in, shape_and_type
from .summary import Budget, Value, seen_of

SAVED_IN_FULL = 4_096  # numbers; only shape and dtype of a larger saved tensor are recorded
OWN_PASS = "CheckpointFunctionBackward"
# {words of the error of a pass that can't run: the note that replaces the error}
NOTES = {
    "backward through the graph a second time": (
        "A backward pass has run on this graph and released what it saved, so the numbers along its"
        " edges are gone. Each leaf shows its .grad, whatever brought it there. For all numbers look"
        " before loss.backward(), or call it inside watching(), or with retain_graph=True."
    ),
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


@dataclass
class BackwardRecord:
    """A backward pass, a step, or a clearing of gradients. `budget` limits the kept numbers.

    events       here `Event.node` is a key, and an edge is an index into `next_functions`
    saved        {key of a node: its saved tensors and numbers}
    leaf_values  {id of a leaf: its numbers at that time}
    leaves       the leaves themselves, so that no other tensor gets their ids
    note         the reason why there are no events or why some aren't recorded, or ""
    stale        {key of a node: its saved tensors that were modified later}, if the pass failed
    """

    budget: Budget
    roots: tuple[int, ...] = ()
    events: list[Event] = field(default_factory=list)
    saved: dict[int, SavedValues] = field(default_factory=dict)
    leaf_values: dict[int, Value] = field(default_factory=dict)
    leaves: list[Any] = field(default_factory=list)
    note: str = ""
    stale: dict[int, list[StaleSave]] = field(default_factory=dict)
    # {id of a gradient: (the gradient, its version, the kept numbers)}
    _seen: dict[int, tuple[Any, int, Value]] = field(default_factory=dict)

    def keep(self, gradient: Any) -> Value:
        """The gradient's current numbers. A gradient that one node sends and the next node receives
        unchanged is read only once.
        """
        known, version = self._seen.get(id(gradient)), gradient._version
        if known and known[0]() is gradient and known[1] == version:
            return known[2]
        kept = self.budget.keep(gradient)
        self._seen[id(gradient)] = weakref.ref(gradient), version, kept
        return kept


# ---- dry run -------------------------------------------------------------------------------------


def dry_run_backward(
    loss: Any, nodes: Sequence[Any], budget: Budget, known: Iterable[Any]
) -> BackwardRecord:
    """Run a backward pass through `nodes`, the graph of `loss`, and record it. Afterwards, restore
    `.grad` of the leaves and of the `known` tensors.

    Hooks of `register_post_accumulate_grad_hook` aren't called, but hooks that may change a gradient
    are called. If the graph has released its saved tensors, or one of them was modified in place,
    the pass can't run. Then the record has no events, and its `note` or `stale` gives the reason.
    """
    record = BackwardRecord(budget, (key_of(loss.grad_fn),))
    notes: list[str] = []
    with _left_as_they_were(nodes, known):
        try:
            with watching_nodes(nodes, record):
                loss.backward(retain_graph=True)
        except RuntimeError as error:
            found = REFUSED.search(str(error))
            known = [note for words, note in NOTES.items() if words in str(error)]
            notes = [note.format(found and found[0]) for note in known]
            if not notes:
                raise
            record.events = []
            stale = ((key_of(node), [*stale_in(node)]) for node in nodes)
            record.stale = {key: saves for key, saves in stale if saves}
            notes = [] if record.stale else notes
    if any(node.name() == OWN_PASS for node in nodes):
        notes.append(OWN_PASS_NOTE)
    record.note = " ".join(notes)
    return record


@contextlib.contextmanager
def _left_as_they_were(nodes: Sequence[Any], known: Iterable[Any]) -> Iterator[None]:
    """In this block, `.grad` starts as None, and hooks that run after accumulation aren't called.

    Besides leaves, a pass may write `.grad` of `known` tensors: results that retain their gradient,
    and leaves that the learner's Function or a checkpoint reaches by a nested backward pass.
    """
    leaves = [node.variable for node in nodes if is_leaf(node)]
    with contextlib.ExitStack() as afterwards:
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
def watching_nodes(nodes: Iterable[Any], record: BackwardRecord) -> Iterator[None]:
    """Record the gradients that pass through `nodes`. The hooks are removed after the block."""
    with contextlib.ExitStack() as hooks:
        for node in nodes:
            watch = _watch_leaf if is_leaf(node) else _watch_operation
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
        begun.append((budget.keep_grad(variable), gradient))

    def ran(sent: Any, arrived: Any) -> None:
        before, gradient = begun.pop()
        after = budget.keep_grad(variable)
        record.events.append(Event("accumulate", key, before, after, arrived=gradient))

    return node.register_prehook(runs_now), node.register_hook(ran)


def _watch_operation(node: Any, key: int, record: BackwardRecord) -> Sequence[Any]:
    record.saved[key] = _saved_values(node)

    def ran(sent: Any, sums: Any) -> None:
        total = next((record.keep(g) for g in sums if g is not None), None)
        parts = tuple((k, record.keep(g)) for k, g in enumerate(sent) if g is not None)
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

"""One backward pass, or one step or zeroing, as it happens: hooks on each node write down what passes through."""

import contextlib
import gc
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .data import Event
from .nodes import copy, is_leaf, key_of, saved_in, walk

FREED = "backward through the graph a second time"
NOTE = ("backward() has run on this graph and released what it saved, so the numbers along its edges are gone. Each "
        "leaf shows its .grad. For all numbers call watch(loss) before loss.backward(), or call "
        "loss.backward(retain_graph=True).")

# What `_saved_values` returns.
SavedValues = tuple[tuple[tuple[str, np.ndarray], ...], tuple[tuple[str, int | float | None], ...]]


@dataclass
class BackwardRecord:
    """A backward pass, a step or a zeroing. In its events a node is told by its key, an edge by its place there."""

    roots: tuple[int, ...] = ()
    events: list[Event] = field(default_factory=list)
    saved: dict[int, SavedValues] = field(default_factory=dict)         # key of a node -> what `_saved_values` says
    leaf_values: dict[int, np.ndarray] = field(default_factory=dict)    # id of a leaf -> its numbers at that time
    keep: list[Any] = field(default_factory=list)       # the leaves themselves, so that their ids stay theirs
    note: str = ""                                      # why there are no events, if there are none

    def size(self) -> int:
        """How many numbers are kept for it."""
        arrays: list[np.ndarray | None] = [
            *self.leaf_values.values(), *(array for arrays, _ in self.saved.values() for _, array in arrays)]
        for event in self.events:
            arrays += event.before, event.after, *(array for _, array in event.sent)
        return sum(np.size(array) for array in arrays if array is not None)


def dry_run_backward(loss: Any, gradient: Any = None) -> BackwardRecord:
    """A backward pass on the side: afterwards `.grad` of every tensor is what it was.

    What the learner wants done after a leaf's accumulation (`register_post_accumulate_grad_hook`) is not done. A graph
    that has released its saved tensors cannot run again; the record has no events then, and its `note` says why.
    """
    nodes = walk(loss.grad_fn)
    record = BackwardRecord((loss.grad_fn._sequence_nr(),))
    with _left_as_they_were(nodes):
        try:
            with watching_nodes(nodes, record):
                loss.backward(gradient, retain_graph=True)
        except RuntimeError as error:
            if FREED not in str(error):
                raise
            record.events, record.note = [], NOTE
    return record


@contextlib.contextmanager
def _left_as_they_were(nodes: Sequence[Any]) -> Iterator[None]:
    """Inside the block `.grad` is None at first, and hooks that act on a grown `.grad` are not called."""
    with contextlib.ExitStack() as afterwards:
        for tensor in (*(node.variable for node in nodes if is_leaf(node)), *_retaining(nodes)):
            afterwards.callback(setattr, tensor, "grad", tensor.grad)
            tensor.grad = None
        for hooks in (hooks for node in nodes for hooks in _hooks_on_grad(node)):
            afterwards.callback(hooks.update, dict(hooks))
            hooks.clear()
        yield


def _hooks_on_grad(node: Any) -> list[dict[Any, Any]]:
    """The dictionaries of hooks that write `.grad` of a result, or act on that of a leaf once it has grown."""
    if hasattr(node, "hooks"):
        return [node.hooks.retain, node.hooks.accumulated] if node.hooks else []
    return [getattr(node.variable, "_post_accumulate_grad_hooks", None) or {}] if is_leaf(node) else []


def _retaining(nodes: Iterable[Any]) -> list[Any]:
    """PyTorch's results that keep their gradient. No graph tells them, so all tensors that are alive are looked at."""
    torch, nodes = sys.modules.get("torch"), {node for node in nodes if not hasattr(node, "hooks")}
    if not torch or not nodes:
        return []
    types, new = set(), [torch.Tensor]
    while new:
        types.add(kind := new.pop())
        new += kind.__subclasses__()
    alive = [x for x in gc.get_objects() if type(x) in types]
    return [x for x in alive if x.retains_grad and x.grad_fn in nodes]


@contextlib.contextmanager
def watching_nodes(nodes: Iterable[Any], record: BackwardRecord) -> Iterator[None]:
    """Write what passes through `nodes` during a backward pass into `record`. The hooks go when the block ends."""
    with contextlib.ExitStack() as hooks:
        for node in nodes:
            watch = _watch_leaf if is_leaf(node) else _watch_operation
            for handle in watch(node, key_of(node), record):
                hooks.enter_context(handle)
        yield


def _watch_leaf(node: Any, key: int, record: BackwardRecord) -> Sequence[Any]:
    variable = node.variable
    record.keep.append(variable)
    record.leaf_values[key] = copy(variable)
    before: list[np.ndarray | None] = []
    return (node.register_prehook(lambda arrived: before.append(copy(variable.grad))),
            node.register_hook(lambda sent, arrived: record.events.append(
                Event("accumulate", key, before.pop(), copy(variable.grad)))))


def _watch_operation(node: Any, key: int, record: BackwardRecord) -> Sequence[Any]:
    record.saved[key] = _saved_values(node)

    def ran(sent: Any, sums: Any) -> None:
        total = next((copy(g) for g in sums if g is not None), None)
        parts = tuple((k, copy(g)) for k, g in enumerate(sent) if g is not None)
        record.events.append(Event("backward", key, total, None, parts))
    return [node.register_hook(ran)]


def _saved_values(node: Any) -> SavedValues:
    """What a node has saved, as pairs: ((argument, numbers of a tensor), ...), ((argument, number or None), ...)."""
    values = list(saved_in(node))
    arrays = {"input" if name == "self" else name: copy(value) for name, value in values if hasattr(value, "grad_fn")}
    plain = (pair for pair in values if pair[1] is None or type(pair[1]) in (int, float))
    return tuple(sorted(arrays.items())), tuple(plain)

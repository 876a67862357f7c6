"""One backward pass, or one step or zeroing, as it happens: hooks on each node write down what
passes through.
"""

import contextlib
import gc
import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .nodes import copy, is_leaf, key_of, saved_in, shape_and_type, walk
from .summary import Budget, Kept

FREED = "backward through the graph a second time"
# what a compiled graph lends to its backward pass, which runs only once
COMPILED = "donated buffers"
OWN_PASS = "CheckpointFunctionBackward"
NOTE = (
    "backward() has run on this graph and released what it saved, so the numbers along its edges"
    " are gone. Each leaf shows its .grad. For all numbers call watch(loss) before loss.backward(),"
    " or call loss.backward(retain_graph=True)."
)

# numbers; of a larger tensor that a node keeps only its form is written down
SAVED_IN_FULL = 4_096


class SavedTensor(NamedTuple):
    """A tensor that a node keeps for its rule, under the name of an argument; the numbers of a
    small one.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    value: np.ndarray | None


COMPILED_NOTE = (
    "This graph was compiled, and runs back only once: no pass is run on the side. Call"
    " loss.backward() inside of watching(), or set torch._functorch.config.donated_buffer = False"
    " before compiling."
)
OWN_PASS_NOTE = (
    "A checkpoint with use_reentrant=True runs a forward and a backward pass of its own while this"
    " one runs back. What that brings to its parameters is not seen here; with use_reentrant=False"
    " it is."
)

# What `_saved_values` returns.
SavedValues = tuple[tuple[SavedTensor, ...], tuple[tuple[str, int | float | None], ...]]


class RecordedEvent(NamedTuple):
    """An `Event` of which a tape knows: `node` is the node's key, an edge in `sent` is told by its
    place there.
    """

    kind: str
    node: int
    before: Kept | None = None
    after: Kept | None = None
    sent: tuple[tuple[int, Kept], ...] = ()


@dataclass
class BackwardRecord:
    """A backward pass, a step or a zeroing. The numbers it sees are kept within `budget`."""

    budget: Budget
    roots: tuple[int, ...] = ()
    events: list[RecordedEvent] = field(default_factory=list)
    # key of a node -> what `_saved_values` says
    saved: dict[int, SavedValues] = field(default_factory=dict)
    # id of a leaf -> its numbers at that time
    leaf_values: dict[int, Kept] = field(default_factory=dict)
    leaves: list[Any] = field(default_factory=list)  # so that their ids stay theirs
    note: str = ""  # why there are no events, if there are none


def dry_run_backward(loss: Any, gradient: Any, budget: Budget) -> BackwardRecord:
    """A backward pass on the side: afterwards `.grad` of every tensor is what it was.

    What the learner wants done after a leaf's accumulation (`register_post_accumulate_grad_hook`)
    is not done. A graph that has released its saved tensors cannot run again; the record has no
    events then, and its `note` says why."""
    nodes = walk(loss.grad_fn)
    record = BackwardRecord(budget, (loss.grad_fn._sequence_nr(),))
    with _left_as_they_were(nodes):
        try:
            with watching_nodes(nodes, record):
                loss.backward(gradient, retain_graph=True)
        except RuntimeError as error:
            if FREED not in str(error) and COMPILED not in str(error):
                raise
            record.events, record.note = [], NOTE if FREED in str(error) else COMPILED_NOTE
    if any(node.name() == OWN_PASS for node in nodes):
        record.note = " ".join(filter(None, [record.note, OWN_PASS_NOTE]))
    return record


@contextlib.contextmanager
def _left_as_they_were(nodes: Sequence[Any]) -> Iterator[None]:
    """Inside the block `.grad` is None at first, and hooks that act on a grown `.grad` are not
    called.
    """
    with contextlib.ExitStack() as afterwards:
        for tensor in (
            *(node.variable for node in nodes if is_leaf(node)),
            *_retaining(nodes),
            *_beyond(nodes),
        ):
            afterwards.callback(setattr, tensor, "grad", tensor.grad)
            tensor.grad = None
        for hooks in (hooks for node in nodes for hooks in _hooks_on_grad(node)):
            afterwards.callback(hooks.update, dict(hooks))
            hooks.clear()
        yield


def _hooks_on_grad(node: Any) -> list[dict[Any, Any]]:
    """The dictionaries of hooks that write `.grad` of a result, or act on that of a leaf once it
    has grown.
    """
    if hasattr(node, "hooks"):
        return [node.hooks.retain, node.hooks.accumulated] if node.hooks else []
    return (
        [getattr(node.variable, "_post_accumulate_grad_hooks", None) or {}] if is_leaf(node) else []
    )


def _retaining(nodes: Iterable[Any]) -> list[Any]:
    """PyTorch's results that keep their gradient. No graph tells them, so all tensors that are
    alive are looked at; their nodes are not: see `check_bearable`.
    """
    return (
        [x for x in _alive() if x.retains_grad]
        if any(not hasattr(node, "hooks") for node in nodes)
        else []
    )


def _beyond(nodes: Iterable[Any]) -> list[Any]:
    """What a backward pass within this one may reach, that a Function of the learner's or a
    checkpoint runs: any leaf.
    """
    inner = any(hasattr(node, "saved_tensors") and not hasattr(node, "hooks") for node in nodes)
    return [x for x in _alive() if x.is_leaf and x.requires_grad] if inner else []


def _alive() -> list[Any]:
    """All tensors of PyTorch."""
    torch = sys.modules.get("torch")
    types: set[Any] = set()
    new: list[Any] = [torch.Tensor] if torch else []
    while new:
        types.add(kind := new.pop())
        new += kind.__subclasses__()
    objects = gc.get_objects()  # several 100,000
    return list(itertools.compress(objects, map(types.__contains__, map(type, objects))))


@contextlib.contextmanager
def watching_nodes(nodes: Iterable[Any], record: BackwardRecord) -> Iterator[None]:
    """Write what passes through `nodes` during a backward pass into `record`. The hooks go when the
    block ends.
    """
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
    before: list[Kept | None] = []
    return (
        node.register_prehook(lambda arrived: before.append(budget.keep_grad(variable))),
        node.register_hook(
            lambda sent, arrived: record.events.append(
                RecordedEvent("accumulate", key, before.pop(), budget.keep_grad(variable))
            )
        ),
    )


def _watch_operation(node: Any, key: int, record: BackwardRecord) -> Sequence[Any]:
    record.saved[key], keep = _saved_values(node), record.budget.keep

    def ran(sent: Any, sums: Any) -> None:
        total = next((keep(g) for g in sums if g is not None), None)
        parts = tuple((k, keep(g)) for k, g in enumerate(sent) if g is not None)
        record.events.append(RecordedEvent("backward", key, total, None, parts))

    return [node.register_hook(ran)]


def _saved_values(node: Any) -> SavedValues:
    """What a node has saved: its tensors, and pairs (argument, number or None)."""
    values = list(saved_in(node))
    tensors = {
        "input" if name == "self" else name: value
        for name, value in values
        if hasattr(value, "grad_fn")
    }
    plain = (pair for pair in values if pair[1] is None or type(pair[1]) in (int, float))
    return tuple(
        SavedTensor(
            name, *shape_and_type(tensor), copy(tensor) if tensor.numel() <= SAVED_IN_FULL else None
        )
        for name, tensor in sorted(tensors.items(), key=lambda pair: pair[0])
    ), tuple(plain)

"""Stale saves: tensors that were modified in place after a node saved them, so no pass can run."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..core.graph import FREED, Node
from .data import BY_HAND
from .nodes import argument, saved_names
from .provenance import Operation, Write, memory_of

REFUSED = re.compile(r"is at version (\d+); expected version (\d+)")
OF_A_FUNCTION = "saved_tensors"  # where the learner's own Function keeps its saved tensors
TWICE = "backward through the graph a second time"


class StaleSave(NamedTuple):
    """A tensor that a node saved as `name` at `version`, and that is at version `now`. `memory` has
    the identity of its memory, or of several memories if the node doesn't tell which.
    """

    name: str
    version: int
    now: int
    memory: tuple[int, ...]


def stale_in(node: Any) -> Iterator[StaleSave]:
    """The stale saves of a node of either engine, which would raise an error when used."""
    if hasattr(node, "versions"):
        node = getattr(node, "change", None) or node  # a CopySlices has a `change`
        saves = getattr(getattr(node, "operation", None), "saves", ())
        for place, (counter, version) in enumerate(node.versions):
            if counter[0] != version:
                name = saves[place].name if saves else BY_HAND
                yield StaleSave(name, version, counter[0], (id(counter),))
        return
    for name, error in _unreadable(node):
        if found := REFUSED.search(str(error)):
            now, version = map(int, found.groups())
            raw = getattr(node, f"_raw_{name.removeprefix('_')}", ())
            kept = [getattr(x, "data", None) for x in (raw if type(raw) is tuple else (raw,))]
            memory = [memory_of(x)[0] for x in kept if getattr(x, "_version", None) == now]
            name = BY_HAND if name == OF_A_FUNCTION else argument(name.removeprefix("_saved_"))
            if memory:  # if a hook packed it, the hook's error may be about another node
                yield StaleSave(name, version, now, tuple(memory))


def writer_of(stale: StaleSave, node: Any, writes: Iterable[Write]) -> Operation | None:
    """The first operation that modified the tensor that `node` saved; None if it wasn't recorded.

    The node keeps that memory alive, so no other tensor had the same memory since then.
    """
    found = (
        write.operation
        for write in writes
        if write.memory in stale.memory
        and write.version == stale.version
        and write.operation.after >= node._sequence_nr()
    )
    return next(found, None)


def is_freed(node: Any) -> bool:
    """Whether a backward pass has released what a node of either engine saved. A node that saved no
    tensor doesn't tell.
    """
    if isinstance(node, Node):
        return node.saved is FREED
    return any(TWICE in str(error) for _, error in _unreadable(node))


def _unreadable(node: Any) -> Iterator[tuple[str, RuntimeError]]:
    """(attribute, error) of each saved tensor of a PyTorch node that can't be read."""
    kind: Any = type(node)
    for name in (*(f"_saved_{name}" for name in saved_names(kind)), OF_A_FUNCTION):
        try:
            getattr(node, name, None)
        except RuntimeError as error:
            yield name, error

"""Saved tensors that were written to since: what saved them, and what wrote. No pass can run back
through such a node.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .data import BY_HAND, Trace
from .nodes import argument, memory_of, saved_names, shape_and_type
from .provenance import Operation, Write

REFUSED = re.compile(r"is at version (\d+); expected version (\d+)")
OF_A_FUNCTION = "saved_tensors"  # where a Function of the learner's own keeps what it saves
MOST_TOLD = 3
UNKNOWN = "cannot tell what wrote into it, outside of watching()"
OUT_OF_PLACE = (
    "Compute out of place (h = h + 1, not h += 1; ReLU() without inplace=True), or write into a"
    " clone()."
)
AFTER_STEP = (
    "A graph runs back with the parameters that it was computed from: call backward() before the"
    " step, or compute the loss anew after it."
)


class StaleSave(NamedTuple):
    """What a node has saved as `name`, at `version`, is at version `now`.

    memory  what tells its memory from all other that is there; of several it is one, of none
            nothing is known
    """

    name: str
    version: int
    now: int
    memory: tuple[int, ...]
    shape: tuple[int, ...] = ()
    dtype: str = ""


def stale_in(node: Any) -> Iterator[StaleSave]:
    """What a node of either engine has saved and would refuse to use."""
    if hasattr(node, "versions"):
        node = getattr(node, "change", None) or node  # of a CopySlices
        saves = getattr(getattr(node, "operation", None), "saves", ())
        for place, (counter, version) in enumerate(node.versions):
            if counter[0] != version:
                name = saves[place].name if saves else BY_HAND
                form = shape_and_type(node.saved[place])
                yield StaleSave(name, version, counter[0], (id(counter),), *form)
        return
    for name in (*(f"_saved_{name}" for name in saved_names(type(node))), OF_A_FUNCTION):
        try:
            getattr(node, name, None)
        except RuntimeError as error:
            if found := REFUSED.search(str(error)):
                now, version = map(int, found.groups())
                raw = getattr(node, f"_raw_{name.removeprefix('_')}", ())
                kept = (getattr(x, "data", None) for x in (raw if type(raw) is tuple else (raw,)))
                known = [x for x in kept if x is not None and x._version == now]
                form = shape_and_type(known[0]) if len(known) == 1 else ((), "")
                memory = tuple(filter(None, (memory_of(x)[0] for x in known)))
                called = BY_HAND if name == OF_A_FUNCTION else name.removeprefix("_saved_")
                yield StaleSave(argument(called), version, now, memory, *form)


def writer_of(stale: StaleSave, key: int, writes: Iterable[Write]) -> Operation | None:
    """What was first to write into what the node with this key has saved; None if nobody saw it.

    The node keeps that memory: nothing that was written to since had its place before.
    """
    found = (
        write.operation
        for write in writes
        if write.memory in stale.memory
        and write.version == stale.version
        and write.operation.after >= key
    )
    return next(found, None)


def in_words(stale: StaleSave, writer: Operation | None, module: str, made: str) -> str:
    """ "at version 0; h += 1 wrote into it: it is at version 1".

    module, made  the module that wrote, or ""; the statement that made the node
    """
    if writer is None:
        return f"at version {stale.version}; it is at version {stale.now}: {UNKNOWN}"
    by, statement = writer.node_name or writer.name, " ".join(writer.statement.split())
    if module or writer.statement == made:
        by += f" in {module}" * bool(module) + f" ({statement})" * bool(statement)
    else:
        by = statement or by
    return f"at version {stale.version}; {by} wrote into it: it is at version {stale.now}"


def note_of(trace: Trace, by_step: bool) -> str:
    """What no pass can run back through, a line each, nearest to the loss first, and what mends it:
    that depends on whether a step of an optimizer wrote.
    """
    lines = []
    nodes = (trace.nodes[number] for number in dict.fromkeys(saver for saver, _ in trace.stale))
    for node, saved in ((node, saved) for node in nodes for saved in node.saved if saved.stale):
        where, statement = f" in {node.module}" * bool(node.module), trace.statement(node.line)
        made = f" ({' '.join(statement.split())})" * bool(statement)
        lines.append(f"{node.name}{where} saved {saved.what}{made} {saved.stale}.")
    if more := len(lines[MOST_TOLD:]):
        lines[MOST_TOLD:] = [f"And {more} more saved tensors are stale."]
    mend = AFTER_STEP if by_step else OUT_OF_PLACE
    return "\n".join([*lines, f"So no pass can run back, and no gradient is shown. {mend}"])

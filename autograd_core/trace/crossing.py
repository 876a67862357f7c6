"""Why no backward pass can run through a graph: an earlier pass has freed a part of it, or a saved
tensor was modified in place. Often a tensor carries the graph of an earlier step into the loss.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .backward import BackwardRecord
from .inplace import StaleSave, holds_tensors, writer_of
from .names import attributes_of, names_in
from .nodes import OF_VIEWS, is_a, is_leaf, key_of, node_of, walk
from .provenance import Operation, memory_of
from .sentences import FIXES, REFUSED
from .statements import nearest_frame
from .tape import Tape, operation_of

MOST_NAMED = 3


def why_refused(graph: list[Any], record: BackwardRecord, tape: Tape) -> str:
    """Why a pass can't run through `graph`, and what to do; "" if the reason isn't known. `graph` is
    in recording order, and `record` is the attempt.
    """
    if record.stale:
        return _sentence(*_modified(graph, record.stale, tape))
    return _sentence(*_freed(graph, record.freed, tape)) if record.freed else ""


def _sentence(cause: str, words: Mapping[str, str]) -> str:
    text = f"{REFUSED[cause]} {FIXES[cause]}".format(**words)
    return text.replace("the result", "The result", 1) if text.startswith("the") else text


def _freed(graph: list[Any], freed: Set[Any], tape: Tape) -> tuple[str, dict[str, str]]:
    """(the cause, the words of its sentence) if a pass has freed a part of the graph."""
    keys = {*map(key_of, freed)}
    passes = [r for r in tape.records if r.roots and any(e.node in keys for e in r.events)]
    unrecorded = _unrecorded(graph, tape)
    if passes:
        crossing = Crossing(graph, _until(graph, max(record.after for record in passes)))
        if crossing.bridges:
            return "carried" if crossing.carries else "once", crossing.words
        ran = {event.node for record in passes for event in record.events}
        crossing = Crossing(graph, {node for node in graph if key_of(node) in ran})
        return ("shared", crossing.words) if crossing.bridges else ("through", {})
    if freed <= unrecorded:
        crossing = Crossing(graph, unrecorded)
        return "carried" if crossing.carries else "once", crossing.words
    crossing = Crossing(graph, set(walk(*freed)))
    if not any(map(holds_tensors, graph)):
        return "again", {}
    return "carried" if crossing.carries else "shared", crossing.words


def _modified(
    graph: list[Any], stale: dict[int, list[StaleSave]], tape: Tape
) -> tuple[str, dict[str, str]]:
    """(the cause, the words of its sentence) if a saved tensor was modified in place."""
    nodes = [node for node in reversed(graph) if key_of(node) in stale]
    node, (save, *_) = nodes[0], stale[key_of(nodes[0])]
    writer = writer_of(save, node, tape.writes)
    leaves = [each.variable for each in graph if is_leaf(each)]
    is_parameter = any(memory_of(leaf)[0] in save.memory for leaf in leaves)
    if not is_parameter and (writer is None or writer.name != "step"):
        return "unseen" if writer is None else "relu" if "relu" in writer.name else "in place", {}
    if writer is None:
        crossing = Crossing(graph, _unrecorded(graph, tape) or set(walk(*nodes)))
        return ("carried, step", crossing.words) if crossing.carries else ("outside", {})
    crossing, is_step = Crossing(graph, _until(graph, writer.after)), writer.name == "step"
    if crossing.bridges and (crossing.carries or is_step):
        return "carried, step" if crossing.carries else "once, step", crossing.words
    since = node._sequence_nr()
    between = any(r.roots and since <= r.after <= writer.after for r in tape.records)
    by = " ".join(str(writer.statement or "").split()) or "an in-place operation"
    return "between" if between else "early", {"by": by}


def _until(graph: list[Any], latest: int) -> set[Any]:
    """The nodes up to this sequence number."""
    return {node for node in graph if not is_leaf(node) and node._sequence_nr() <= latest}


def _unrecorded(graph: list[Any], tape: Tape) -> set[Any]:
    """The nodes that `tape` hasn't recorded, if it has recorded others."""
    made = [node for node in graph if not is_leaf(node) and node.name() not in OF_VIEWS]
    found = {node for node in made if key_of(node) not in tape.forward}
    return found if len(found) < len(made) else set()


@dataclass
class Crossing:
    """The place where the newer nodes of a graph use results of its `old` nodes."""

    graph: list[Any]
    old: Set[Any]

    @cached_property
    def bridges(self) -> dict[tuple[Any, int], Any]:
        """{(old node, number of its result): the first newer node that uses this result}"""
        found: dict[tuple[Any, int], Any] = {}
        for node in self.graph:
            if node not in self.old and not is_leaf(node):
                for producer, output in node.next_functions:
                    if producer in self.old and not is_leaf(producer):
                        found.setdefault((producer, output), node)
        return found

    @property
    def carries(self) -> bool:
        """Whether old and newer nodes use the same leaf, as two steps of one model do."""
        used = [set[Any](), set[Any]()]
        for node in self.graph:
            used[node in self.old] |= {p for p, _ in node.next_functions if p and is_leaf(p)}
        return not used[0].isdisjoint(used[1])

    @property
    def words(self) -> dict[str, str]:
        """The tensors that cross, the statement that computed or uses the first one, and how to
        detach them.
        """
        (node, _), user = next(iter(self.bridges.items()))
        names = list(self._names())
        more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
        *first, last = [*names[:MOST_NAMED], *more] or [f"the result of {node.name()}"]
        what = f"{', '.join(first)} and {last}" if first else last
        at = _at("computed", operation_of(node)) or _at("used", operation_of(user))
        name, part, _ = (names or ["h"])[0].partition("[")
        how = f"tuple(t.detach() for t in {name})" if part else f"{name}.detach()"
        carry = "carry" if names[1:] else "carries"
        return {"what": what, "at": at, "how": f"{name} = {how}", "carry": carry}

    def _names(self) -> Iterable[str]:
        """The names of the tensors that cross. If no variable holds one any more, the names of
        variables that hold the same result of a later step.
        """
        found: dict[bool, dict[int, str]] = {True: {}, False: {}}
        for name, tensor in _variables():
            node = node_of(tensor)
            if (node, tensor.output_nr) in self.bridges:
                found[True].setdefault(id(tensor), name)
            elif self._succeeds(node, tensor.output_nr):
                found[False].setdefault(id(tensor), name)
        return (found[True] or found[False]).values()

    def _succeeds(self, node: Any, output: int) -> bool:
        """Whether this is the same result as one that crosses, and computed from it."""
        alike = {p for p, k in self.bridges if (p.name(), k) == (node.name(), output)}
        return bool(alike) and node not in self.old and not alike.isdisjoint(walk(node))


def _at(verb: str, operation: Operation) -> str:
    statement = operation.statement
    text = " ".join(str(statement or "").split())
    return f", {verb} in {text} ({statement.place})," if text and statement else ""


def _variables() -> Iterator[tuple[str, Any]]:
    """(name, tensor) of the tensors with a graph in the variables around the learner's running
    statement, in their lists, and in the attributes of `self` and of modules.
    """
    frame = nearest_frame()
    space = {} if frame is None else {**frame.f_globals, **frame.f_locals}
    spaces = [("", space), ("self.", attributes_of(space.get("self")))]
    spaces += [(f"{path}.", attributes_of(module)) for path, module in names_in(space).modules]
    for prefix, each in spaces:
        for name, value in each.items():
            several = type(value) in (list, tuple)
            for number, part in enumerate(value if several else [value]):
                if is_a(part, "Tensor") and node_of(part) is not None:
                    yield f"{prefix}{name}[{number}]" if several else prefix + name, part

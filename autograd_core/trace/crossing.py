"""Why no backward pass can run through a graph: an earlier pass has freed a part of it, or a saved
tensor was modified in place. Often a tensor carries the graph of an earlier step into the loss.
"""

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .backward import BackwardRecord
from .inplace import writer_of
from .listing import attributes_of, names_in
from .nodes import OF_VIEWS, is_a, is_leaf, key_of, node_of, saved_in, walk
from .provenance import Operation, memory_of, nearest_frame
from .sentences import FIXES, REFUSED
from .tape import Tape, operation_of


def why_refused(graph: list[Any], record: BackwardRecord, tape: Tape) -> str:
    """Why a pass can't run through `graph`, and what to do; "" if the reason isn't known. `graph` is
    in recording order, and `record` is the attempt.
    """
    if not record.stale and not record.freed:
        return ""
    cause, words = (_modified if record.stale else _freed)(graph, record, tape)
    return f"{REFUSED[cause]} {FIXES[cause]}".format(**words)


def _freed(graph: list[Any], record: BackwardRecord, tape: Tape) -> tuple[str, dict[str, str]]:
    """(the cause, the words of its sentence) if a pass has freed a part of the graph."""
    keys = {*map(key_of, record.freed)}
    passes = [r for r in tape.records if r.roots and any(e.node in keys for e in r.events)]
    if passes:
        crossing = Crossing(graph, _until(graph, max(r.after for r in passes)))
        if not crossing.bridges:
            ran = {event.node for each in passes for event in each.events}
            crossing = Crossing(graph, {node for node in graph if key_of(node) in ran})
            return ("shared", crossing.words) if crossing.bridges else ("through", {})
    else:
        old = _unrecorded(graph, tape)
        crossing = Crossing(graph, old if record.freed <= old else {*walk(*record.freed)})
        if not any(hasattr(x, "grad_fn") for node in graph for _, x in saved_in(node)):
            return "again", {}
    return "carried" if crossing.carries else "once", crossing.words


def _modified(graph: list[Any], record: BackwardRecord, tape: Tape) -> tuple[str, dict[str, str]]:
    nodes = [node for node in reversed(graph) if key_of(node) in record.stale]
    save = record.stale[key_of(nodes[0])][0]
    writer = writer_of(save, nodes[0], tape.writes)
    is_step, by = bool(writer and writer.name == "step"), _text(writer or Operation(""))
    leaves = [memory_of(node.variable)[0] for node in graph if is_leaf(node)]
    if not is_step and not {*leaves} & {*save.memory}:
        return "unseen" if writer is None else "relu" if "relu" in writer.name else "in place", {}
    if writer is None:
        crossing = Crossing(graph, _unrecorded(graph, tape) or {*walk(*nodes)})
        return ("carried, step", crossing.words) if crossing.carries else ("outside", {})
    crossing = Crossing(graph, _until(graph, writer.after))
    if crossing.bridges and crossing.carries:
        return "carried, step", crossing.words
    since = nodes[0]._sequence_nr()
    between = any(r.roots and since <= r.after <= writer.after for r in tape.records)
    return "between" if between else "early", {"by": by or "a write"}


def _until(graph: list[Any], latest: int) -> set[Any]:
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
        made, used = _text(operation_of(node)), _text(operation_of(user))
        at = f", computed by {made}" if made else f", used by {used}" if used else ""
        names = [*self._names()]
        name, part, _ = (names or ["h"])[0].partition("[")
        how = f"tuple(t.detach() for t in {name})" if part else f"{name}.detach()"
        what = " and ".join(names) or f"the result of {node.name()}"
        return {"what": what, "at": at, "how": f"{name} = {how}"}

    def _names(self) -> Iterable[str]:
        """The names of the tensors that cross, or else of the same results of a later step."""
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


def _text(operation: Operation) -> str:
    """Its statement and the place: "h = rnn(h) (net.py:7)"; "" if unknown."""
    statement = operation.statement
    text = " ".join(str(statement or "").split())
    return f"{text} ({statement.place})" if statement and statement.place else text


def _variables() -> Iterator[tuple[str, Any]]:
    """(name, tensor) of the tensors with a graph in the learner's variables, lists and attributes."""
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

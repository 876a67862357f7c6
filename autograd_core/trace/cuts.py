"""The cuts at which gradients stop: the operations upstream of them, and each parameter's ending."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .backward import OWN_PASS
from .data import Parameter, Trace
from .listing import Listed
from .nodes import shape_and_type, walk
from .provenance import FROZEN, NOTHING, TRAINED, Input, Operation, Statement
from .sentences import WHY, ends
from .tape import Tape

MOST_SEVERED = 500  # operations upstream of cuts that are drawn, those nearest to the loss first


def severed(forward: dict[int, Operation], live: Collection[int]) -> set[int]:
    """The keys of recorded operations whose values reach the loss but that get no gradient. `live`
    has the keys of the nodes in the loss's graph.
    """
    reached = [key for key in live if key in forward]
    known, begun = {*reached}, len(reached)
    for key in reached:  # grows in this loop
        for x in forward[key].inputs:
            before = x.source.producer if x.source and x.source.depends is not NOTHING else key
            if before in forward and before not in known and len(known) < begun + MOST_SEVERED:
                known.add(before)
                reached.append(before)
    return set(reached[begun:])


def why_cut(
    forward: dict[int, Operation], consumer: Operation, given: Input
) -> tuple[str, Statement | None]:
    """(why `consumer` sends no gradient to its input `given`, the statement that cut); ("", None) if
    this input is not the reason.
    """
    source = given.source
    if source is None or source.depends is NOTHING:
        return "", None
    if source.cut:
        return source.cut, source.statement
    if given.in_graph:
        if consumer.node_name or consumer.mode:
            return "", None
        return f"{consumer.name} is not differentiable", consumer.statement
    made_by = forward.get(source.producer)
    if made_by is None:
        return ("requires_grad=False" if source.depends is FROZEN else ""), None
    if made_by.mode and not consumer.mode and source.depends is TRAINED:
        return made_by.mode, made_by.switch or made_by.statement
    if not made_by.node_name:
        return "", None
    kind = {"bool": "boolean result", "int": "integer result", "uint": "integer result"}
    why = kind.get(given.dtype.rstrip("0123456789"), "a result that is not differentiable")
    return why, made_by.statement


@dataclass
class Reachability:
    """Which parameters a loss reaches, and why not the others. The `trace` has no parameters yet;
    `places` are indices into `trace.nodes` by id, and `leaves` the leaves of the loss's graph by id.
    """

    trace: Trace
    places: Mapping[Any, int]
    leaves: Mapping[int, Any]
    tape: Tape
    line_of: Callable[[Statement | None], int | None]
    begins: bool  # whether the loss has a graph

    def of(self, listed: Iterable[Listed]) -> Iterator[Parameter]:
        has_own_pass = any(node.name == OWN_PASS for node in self.trace.nodes)
        for each in listed:
            tensor, node = each.tensor, self.places.get(id(each.tensor))
            found = Parameter(
                each.name, shape_and_type(tensor)[0], node, loose=each.loose, model=each.model
            )
            found = self._ended(found, tensor)
            if found.ending not in ("", "frozen") and has_own_pass:
                why = WHY["cannot tell, checkpoint"]
                found = replace(found, ending="cannot tell", reason=why, line=None)
            elif found.ending in ("unused", "cannot tell") and not self.begins:
                if not self.trace.recorded and not found.path:
                    found = replace(found, ending="cut", reason=WHY["cut, no graph"])
                else:
                    found = replace(found, ending="cut" if found.path else "unused")
            elif found.ending not in ("", "frozen") and not self.trace.recorded:
                found = replace(found, ending="cannot tell")
            if each.loose and (used := self.takers.get(id(tensor))):
                line = self.line_of(self.tape.forward[used[0]].statement)
                found = replace(found, line=line)
            yield found

    @cached_property
    def takers(self) -> dict[int, list[int]]:
        """{key of an operation, or id of a leaf: the keys of the operations that used it}"""
        found: dict[int, list[int]] = defaultdict(list)
        for key, operation in self.tape.forward.items():
            for x in operation.inputs:
                if x.source:
                    found[x.source.producer].append(key)
        return found

    def _ended(self, parameter: Parameter, tensor: Any) -> Parameter:
        """The parameter with the reason why no gradient arrives, and with the end of its path."""
        if id(tensor) in self.leaves:
            frozen = replace(parameter, ending="frozen", reason=WHY["frozen"])
            return parameter if tensor.requires_grad else frozen
        path, cut = self._to_the_cut(parameter.node)
        if not tensor.requires_grad:
            path = (parameter.name, "requires_grad=False")
            return replace(parameter, ending="frozen", reason=WHY["frozen"], path=path, cut=cut)
        if cut is not None:
            reason, line = WHY["cut"].format(at=ends(path[-1])), self.trace.edges[cut].line
            path = (parameter.name, *path)
            return replace(parameter, ending="cut", reason=reason, path=path, cut=cut, line=line)
        if self.begins and not self.trace.recorded:
            return replace(parameter, ending="cannot tell", reason=WHY["cannot tell"])
        if self.tape.leaves.get(id(tensor)) is tensor:
            return self._lost(parameter, id(tensor))
        return replace(parameter, ending="unused", reason=WHY["unused"])

    def _lost(self, parameter: Parameter, key: int) -> Parameter:
        """The parameter with the cut after which a new graph starts, or with its last use, if any."""
        forward = self.tape.forward
        known = {*walk(key, below=lambda each: self.takers.get(each, ()))}
        for leaf in self.leaves.values():
            source = self.tape.made_from(leaf)
            if source is not None and source.producer in known:
                made_by = forward.get(source.producer, Operation(""))
                why = source.cut or made_by.mode or "requires_grad_()"
                line = self.line_of(source.statement or made_by.switch or made_by.statement)
                reason = WHY["cut, new graph"].format(at=ends(why))
                path = (parameter.name, why)
                return replace(parameter, ending="cut", reason=reason, path=path, line=line)
        last = next((forward[each] for each in reversed(forward) if each in known), None)
        if last is None:
            return replace(parameter, ending="unused", reason=WHY["unused"])
        path, line = (parameter.name, last.node_name or last.name), self.line_of(last.statement)
        kind = "unused, taken" if last.name.endswith("()") else "unused, lost"
        reason = WHY[kind].format(how=last.name)
        return replace(parameter, ending="unused", reason=reason, path=path, line=line)

    def _to_the_cut(self, start: int | None) -> tuple[tuple[str, ...], int | None]:
        """(the names from the consumer to the nearest cut, the edge of the cut)"""
        reached: list[Any] = [start]
        words: dict[Any, tuple[str, ...]] = {start: ()}  # {node: the names before it}
        for node in reached:  # grows in this loop
            for number, edge in self.trace.outputs.get(node, {}).items():
                if edge.cut:
                    return (*words[node], edge.cut), number
                if edge.consumer not in words:
                    words[edge.consumer] = (*words[node], self.trace.nodes[edge.consumer].name)
                    reached.append(edge.consumer)
        return (), None

"""Where gradients stop: what lies behind a cut, why it is one, and what becomes of every parameter."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from .data import Parameter, Trace
from .listing import Listed
from .provenance import FROZEN, NOTHING, TRAINED, Input, Operation
from .statements import Statement
from .tape import Tape

# Why no gradient arrives at a parameter, where no cut is known; in its `reason`.
IS_FROZEN = "It has requires_grad=False."
NO_PATH = "No path from the loss reaches it."  # all that a graph alone tells
NOT_SEEN = (
    "What was computed with it was not seen to reach the loss. Numbers taken by item(), tolist() or"
    " numpy() are not followed."
)
NOT_USED = "No operation of this forward used it."
MOST_SEVERED = 500  # operations behind cuts that are drawn, those nearest to the loss first


def severed(forward: dict[int, Operation], live: Collection[int]) -> set[int]:
    """The keys of recorded operations whose numbers reach the loss, but no gradient; `live` are
    those of the nodes of its graph.
    """
    reached = [key for key in live if key in forward]
    known, begun = {*reached}, len(reached)
    for key in reached:  # which grows on the way
        for x in forward[key].inputs:
            before = x.source.producer if x.source and x.source.depends is not NOTHING else key
            if before in forward and before not in known and len(known) < begun + MOST_SEVERED:
                known.add(before)
                reached.append(before)
    return set(reached[begun:])


def why_cut(
    forward: dict[int, Operation], consumer: Operation, given: Input
) -> tuple[str, Statement | None]:
    """(why no gradient passes back from `given`, an input of `consumer`; the statement that cut);
    ("", None) where this input is not the reason.
    """
    source = given.source
    if source is None or source.depends is NOTHING:
        return "", None
    if source.cut:
        return source.cut, source.statement
    if given.in_graph:
        cuts = not consumer.node_name and not consumer.mode
        return (
            (f"{consumer.name} is not differentiable", consumer.statement) if cuts else ("", None)
        )
    made_by = forward.get(source.producer)
    if made_by is None:
        return ("requires_grad=False" if source.depends is FROZEN else ""), None
    if made_by.mode and not consumer.mode and source.depends is TRAINED:
        return made_by.mode, made_by.switch or made_by.statement
    if not made_by.node_name:
        return "", None
    why = "a result that is not differentiable" if "float" in given.dtype else "integer result"
    return why, made_by.statement


@dataclass
class Reachability:
    """Which parameters a loss reaches, and why not, in a trace that has no parameters yet.

    places    {id of a leaf or parameter: its index into `trace.nodes`}
    leaves    {id: leaf} of the loss's graph
    complete  whether the whole forward is on the tape
    line_of   gives the place of a statement in `trace.source`
    """

    trace: Trace
    places: Mapping[Any, int]
    leaves: Mapping[int, Any]
    tape: Tape
    complete: bool
    line_of: Callable[[Statement | None], int | None]

    def of(self, listed: Iterable[Listed]) -> Iterator[Parameter]:
        """A `Parameter` for each that is listed."""
        for each in listed:
            parameter, optimizer = each.tensor, each.optimizer
            node = self.places.get(id(parameter))
            if node is None and each.drawn:
                continue
            end = self._end(parameter)
            reason = end.reason
            if optimizer and reason and end.cut is None and parameter.requires_grad:
                reason += f" But {optimizer} holds it, along with what this loss trains."
            used = self.takers.get(id(parameter)) if each.loose else None
            yield Parameter(
                each.name,
                tuple(parameter.shape),
                node,
                reason,
                end.cut,
                (each.name, *end.path) if end.path else (),
                optimizer,
                each.loose,
                each.model,
                self.line_of(self.tape.forward[used[0]].statement) if used else end.line,
            )

    @cached_property
    def takers(self) -> dict[int, list[int]]:
        """{key of an operation, or id of a leaf: the keys of the operations that used it}"""
        found: dict[int, list[int]] = defaultdict(list)
        for key, operation in self.tape.forward.items():
            for x in operation.inputs:
                if x.source:
                    found[x.source.producer].append(key)
        return found

    def _end(self, parameter: Any) -> "_End":
        key = id(parameter)
        if key in self.leaves:
            return _End()
        path, cut, why = self._to_the_cut(self.places.get(key))
        if not parameter.requires_grad:
            return _End(IS_FROZEN, ("requires_grad=False",), cut)
        if cut is not None:
            line = self.trace.edges[cut].line
            return _End(f"Its path to the loss ends at {why}.", path, cut, line)
        if not self.complete:
            return _End(NO_PATH)
        if self.tape.leaves.get(key) is parameter and key in self.takers:
            return self._lost(key)
        return _End(NOT_USED)

    def _lost(self, key: int) -> "_End":
        """Of what was computed with a parameter the last, or that with which a graph begins anew."""
        forward, known = self.tape.forward, {key: None}
        for each in (reached := [key]):  # which grows on the way
            for taker in self.takers.get(each, ()):
                if taker not in known:
                    known[taker] = None
                    reached.append(taker)
        for leaf in self.leaves.values():
            source = self.tape.made_from(leaf)
            if source is not None and source.producer in known:
                made_by = forward[source.producer]
                why = source.cut or made_by.mode or "requires_grad_()"
                line = self.line_of(source.statement or made_by.switch or made_by.statement)
                return _End(
                    f"Its path to the loss ends at {why}: a graph begins anew.", (), None, line
                )
        last = max((k for k in known if k in forward), key=[*forward].index)
        name = forward[last].node_name or forward[last].name
        return _End(NOT_SEEN, (name,), None, self.line_of(forward[last].statement))

    def _to_the_cut(self, start: int | None) -> tuple[tuple[str, ...], int | None, str]:
        """(the names from the consumer to the nearest cut, the edge of the cut, why it is one)."""
        reached: list[Any] = [start]
        words: dict[Any, tuple[str, ...]] = {start: ()}  # of each node the names before it
        for node in reached:  # which grows on the way
            for edge in self.trace.outputs.get(node, ()):
                if edge.cut:
                    return (*words[node], edge.cut), self.trace.edges.index(edge), edge.cut
                if edge.consumer not in words:
                    words[edge.consumer] = (*words[node], self.trace.nodes[edge.consumer].name)
                    reached.append(edge.consumer)
        return (), None, ""


class _End(NamedTuple):
    """Why no gradient arrives, the path from the consumer to its end, the edge of the cut, and the
    place of the statement there.
    """

    reason: str = ""
    path: tuple[str, ...] = ()
    cut: int | None = None
    line: int | None = None

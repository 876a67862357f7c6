"""Where gradients stop: what lies behind a cut, why it is one, and what becomes of every parameter."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

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
    live      the ids of the leaves of the loss's graph
    complete  whether the whole forward is on the tape
    """

    trace: Trace
    places: Mapping[Any, int]
    live: Collection[int]
    tape: Tape
    complete: bool

    @cached_property
    def used(self) -> dict[int, str]:
        """{id of a leaf or parameter: the operation of the forward that used it last}"""
        return {
            x.source.producer: operation.node_name or operation.name
            for operation in self.tape.forward.values()
            for x in operation.inputs
            if x.source
        }

    def of(self, listed: Iterable[Listed]) -> Iterator[Parameter]:
        """A `Parameter` for each that is listed."""
        for name, parameter, model, optimizer, loose, drawn in listed:
            node = self.places.get(id(parameter))
            if node is None and drawn:
                continue
            reason, path, cut = self._reason(parameter)
            if optimizer and reason and cut is None and parameter.requires_grad:
                reason += f" But {optimizer} holds it, along with what this loss trains."
            words = (name, *path) if path else ()
            shape = tuple(parameter.shape)
            yield Parameter(name, shape, node, reason, cut, words, optimizer, loose, model)

    def _reason(self, parameter: Any) -> tuple[str, tuple[str, ...], int | None]:
        """(why no gradient arrives, the path from its consumer to its end, the edge of the cut)."""
        key = id(parameter)
        if key in self.live:
            return "", (), None
        path, cut, why = self._to_the_cut(self.places.get(key))
        if not parameter.requires_grad:
            return IS_FROZEN, ("requires_grad=False",), cut
        if cut is not None:
            return f"Its path to the loss ends at {why}.", path, cut
        if not self.complete:
            return NO_PATH, (), None
        if self.tape.leaves.get(key) is parameter and key in self.used:
            return NOT_SEEN, (self.used[key],), None
        return NOT_USED, (), None

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

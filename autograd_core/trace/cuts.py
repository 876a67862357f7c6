"""Where gradients stop: what lies behind a cut, why it is one, and what becomes of every parameter."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .data import Edge, Parameter, TraceNode
from .provenance import FROZEN, NOTHING, TRAINED, Input, Operation, Provenance

NO_PATH = "No path from the loss reaches it."  # all that a graph alone tells
NOT_SEEN = (
    "What was computed with it was not seen to reach the loss. Numbers taken by item(), tolist() or"
    " numpy() are not followed."
)
NOT_USED = "No operation of this forward used it."
# operations behind cuts that are drawn, those nearest to the loss first
MOST_SEVERED = 500


def severed(forward: dict[int, Operation], live: Collection[int]) -> set[int]:
    """The keys of recorded operations whose numbers reach the loss, but no gradient: a set.

    forward  {key: Operation} of a tape
    live     the keys of the nodes of the loss's graph
    """
    found: dict[int, None] = {}
    layer = [key for key in live if key in forward]
    while layer and len(found) < MOST_SEVERED:
        below = {
            x.source.producer: None
            for key in layer
            for x in forward[key].inputs
            if x.source and x.source.depends is not NOTHING
        }
        layer = [key for key in below if key in forward and key not in live and key not in found]
        found.update(dict.fromkeys(layer[: MOST_SEVERED - len(found)]))
    return set(found)


def why_cut(forward: dict[int, Operation], consumer: Operation, given: Input) -> tuple[str, str]:
    """(why no gradient passes from an input back, the statement that cut), ("", "") where this
    input is not the reason.

    consumer  the Operation
    given     its Input
    """
    source = given.source
    if source is None or source.depends is NOTHING:
        return "", ""
    if source.cut:
        return source.cut, source.statement
    if given.in_graph:
        cuts = not consumer.node_name and not consumer.mode
        return (f"{consumer.name} is not differentiable", consumer.statement) if cuts else ("", "")
    made_by = forward.get(source.producer)
    if made_by is None:
        return ("requires_grad=False", "") if source.depends is FROZEN else ("", "")
    if made_by.mode and not consumer.mode and source.depends is TRAINED:
        return made_by.mode, made_by.statement
    if made_by.node_name:
        integer = "float" not in given.dtype
        return (
            "integer result" if integer else "a result that is not differentiable",
            made_by.statement,
        )
    return "", ""


def parameter_status(
    parameters: Iterable[tuple[str, Any]],
    leaves: Mapping[Hashable, int],
    live: Collection[int],
    nodes: Sequence[TraceNode],
    edges: Sequence[Edge],
    provenance: Provenance,
    complete: bool,
    held: Mapping[int, str],
) -> Iterator[Parameter]:
    """A `Parameter` for each (name, parameter): whether the loss reaches it, and if not, as far as
    is known, why.

    leaves    {id of a leaf or parameter: its index into nodes}
    live      the ids of the leaves of the loss's graph
    complete  whether the whole forward is on the tape, so that it can be said what happened to a
              parameter
    held      {id of a parameter: what the optimizer is called that holds it along with what this
              loss trains}
    """
    # index of a node -> indices of the edges that leave it
    outgoing: dict[int, list[int]] = {}
    for number, edge in enumerate(edges):
        outgoing.setdefault(edge.producer, []).append(number)
    used = {
        x.source.producer: operation
        for operation in provenance.forward.values()
        for x in operation.inputs
        if x.source
    }
    for name, parameter in parameters:
        key = id(parameter)
        node = leaves.get(key)
        path, cut = ((), None) if key in live else _to_the_cut(node, nodes, edges, outgoing)
        if key in live:
            reason = ""
        elif not parameter.requires_grad:
            reason, path = "It has requires_grad=False.", ("requires_grad=False",)
        elif cut is not None:
            reason = f"Its path to the loss ends at {edges[cut].cut}."
        elif not complete:
            reason = NO_PATH
        elif provenance.leaves.get(key) is parameter and key in used:
            reason = NOT_SEEN
            path = (used[key].node_name or used[key].name,)
        else:
            reason = NOT_USED
        optimizer = held.get(key, "")
        if optimizer and reason and cut is None and parameter.requires_grad:
            reason += f" But {optimizer} holds it, along with what this loss trains."
        yield Parameter(
            name,
            tuple(parameter.shape),
            node,
            reason,
            cut,
            (name, *path) if path else (),
            optimizer,
        )


def _to_the_cut(
    start: int | None,
    nodes: Sequence[TraceNode],
    edges: Sequence[Edge],
    outgoing: Mapping[int, Sequence[int]],
) -> tuple[tuple[str, ...], int | None]:
    """(the names from a leaf's consumer to the nearest cut, the edge of the cut); ((), None) if
    there is none.
    """
    before: dict[int | None, Any] = {start: None}
    reached: list[Any] = [start]
    for node in reached:  # which grows on the way
        for number in outgoing.get(node, ()):
            edge = edges[number]
            if edge.cut:
                words = [edge.cut]
                while node != start:
                    words.append(nodes[node].name)
                    node = before[node]
                return tuple(reversed(words)), number
            if edge.consumer not in before:
                before[edge.consumer] = node
                reached.append(edge.consumer)
    return (), None

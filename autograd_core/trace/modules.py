"""Which module made a node, where nobody was recording: told by the parameters that nodes use."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from .nodes import key_of

# Nodes that only turn a parameter round, or pick a part of it, before the operation that uses it.
_TURNING = re.compile(
    "(T|Transpose|Permute|View|Expand|Unsqueeze|Squeeze|Select|Slice|Split|ToCopy)Backward0"
)


def infer_modules(
    operations: Sequence[Any], parameters: Iterable[tuple[str, Any]]
) -> dict[int, str]:
    """{key of a node: path of its module} for nodes in the order of recording, as far as the graph
    tells it.

    parameters  (path, parameter) of the learner's modules

    A node that uses a parameter belongs to the module that has it. So does each node between the
    first and the last node of one call of that module; a call is over when a parameter is used
    again. Nodes between the children of a module belong to it. Where modules overlap, the one with
    the narrowest range has the node.
    """
    owners = {id(parameter): path.rpartition(".")[0] for path, parameter in parameters}
    spans, alone = _calls(operations, owners)
    for path, calls in list(spans.items()):
        while path := path.rpartition(".")[0]:
            inner = [*spans.get(path, ()), *calls]
            spans[path] = [(min(first for first, _ in inner), max(last for _, last in inner))]
    ranges = [(first, last, path) for path, calls in spans.items() for first, last in calls]
    ranges += [(place, place, path) for place, path in alone]
    # the narrowest, innermost last
    ranges.sort(key=lambda found: (found[0] - found[1], found[2].count(".")))
    made_by = [""] * len(operations)
    for first, last, path in ranges:
        made_by[first : last + 1] = [path] * (last + 1 - first)
    return {key_of(node): path for node, path in zip(operations, made_by)}


def _calls(
    operations: Sequence[Any], owners: dict[int, str]
) -> tuple[dict[str, list[tuple[int, int]]], list[tuple[int, str]]]:
    """({path of a module: [(first node, last node) of each call]}, [(node that uses the parameters
    of one module alone, path of that)]); a node also uses what was turned round for it.
    """
    calls: dict[str, list[tuple[int, int]]] = {}
    alone: list[tuple[int, str]] = []
    seen: dict[str, set[int]] = {}
    turned: dict[int, set[int]] = {}
    for place, node in enumerate(operations):
        producers = {key_of(p) for p, _ in node.next_functions if p is not None}
        direct = producers & owners.keys()
        used = direct.union(*(turned.get(key, ()) for key in producers))
        if _TURNING.fullmatch(node.name()):
            turned[key_of(node)] = used
        paths = {owners[parameter] for parameter in used}
        for path in paths:
            taken = {parameter for parameter in direct if owners[parameter] == path}
            if path not in calls or taken & seen[path]:
                calls.setdefault(path, []).append((place, place))
                seen[path] = set()
            calls[path][-1] = (calls[path][-1][0], place)
            seen[path] |= taken
        if len(paths) == 1:
            alone.append((place, paths.pop()))
    return calls, alone

"""Which module made a node, where nobody was recording: told by the parameters that nodes use."""

import re
from collections.abc import Iterable, Sequence
from os.path import commonprefix
from typing import Any

from .nodes import key_of

# Nodes that only turn a parameter round, or pick a part of it, before the operation that uses it.
_TURNING = re.compile(
    "(T|Transpose|Permute|View|Expand|Unsqueeze|Squeeze|Select|Slice|Split|ToCopy)Backward0"
)


def infer_modules(
    operations: Sequence[Any], parameters: Iterable[tuple[str, Any]]
) -> dict[int, str]:
    """{key of a node: path of its module, or ""} for nodes in the order of recording.

    parameters  (path, parameter) of the learner's modules

    A node that uses a parameter, or one that was turned round for it, belongs to the module that has
    it. Nodes between two such nodes belong to the innermost module around both; where the second one
    uses a parameter again it is another call of the same module, and they are of the one around.
    """
    owners = {id(parameter): path.rpartition(".")[0] for path, parameter in parameters}
    made_by = {key_of(node): "" for node in operations}
    turned: dict[int, set[int]] = {}  # key of a node that turns -> the parameters that it turns
    between: list[int] = []  # since the latest node that uses a parameter
    latest, taken = "", set[int]()  # its module, and what this call of the module has used
    for node in operations:
        producers = {key_of(p) for p, _ in node.next_functions if p is not None}
        direct = producers & owners.keys()
        used = direct.union(*(turned.get(key, ()) for key in producers))
        if _TURNING.fullmatch(node.name()):
            turned[key_of(node)] = used
        if not used:
            between.append(key_of(node))
            continue
        module = _around(owners[parameter] for parameter in used)
        again = module == latest and bool(direct & taken)
        around = module.rpartition(".")[0] if again else _around((latest, module))
        made_by |= dict.fromkeys(between, around) | {key_of(node): module}
        taken = taken | direct if module == latest and not again else direct
        latest, between = module, []
    return made_by


def _around(paths: Iterable[str]) -> str:
    """The path of the innermost module around these."""
    return ".".join(commonprefix([path.split(".") for path in paths]))

"""The folds of a large graph: modules, or source lines if no modules are known, or else runs of
nodes.

A fold is a run of operations in recording order, so that folds never wait for each other in a
circle. A module that is called twice has two folds: "layer", "layer (call 2)". Folds are nested like
modules. A fold that is too small for its own box is omitted.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, wraps
from itertools import chain, groupby
from typing import TypeVar

from ...trace import Trace
from ..kit.format import shorten
from .formulas import split_name

LARGE = 30  # nodes; a larger graph is folded, and shows norms instead of numbers
LEAVES = ("leaf", "frozen")  # kinds of nodes that keep their gradient
SMALLEST = 8  # nodes in a fold that is inside another one
INSIDE = 60  # loose operations in a fold that are shown when it opens
RUN = 12  # nodes in a fold that is neither a module nor a source line
# are never called themselves
CONTAINERS = {"ModuleList", "ModuleDict"}

Made = TypeVar("Made")
Part = "Fold | int"
# a module's path, and the number of the call, or 0 if it is unknown
Call = tuple[str, int]
LOOSE = None, 0  # the "call" of operations outside of all modules


def once(make: Callable[[Trace], Made]) -> Callable[[Trace], Made]:
    """The value for each trace, which is computed once."""
    name = f"{make.__module__}.{make.__qualname__}"

    @wraps(make)
    def made(trace: Trace) -> Made:
        known = vars(trace)
        if name not in known:
            known[name] = make(trace)
        return known[name]

    return made


@dataclass(frozen=True)
class Fold:
    """Some operations drawn as one box, or as a frame around them.

    `key` is unique in its trace. `parts` are its operations, as indices into `Trace.nodes`, and its
    inner folds. `own` is the number of its nodes, with leaves.
    """

    key: str
    name: str
    kind: str
    parts: tuple[Part, ...]
    own: int

    @cached_property
    def operations(self) -> tuple[int, ...]:
        """The operations in it, in the order of recording."""
        inside = (part.operations if isinstance(part, Fold) else (part,) for part in self.parts)
        return tuple(chain.from_iterable(inside))


def is_large(trace: Trace) -> bool:
    """Whether the trace is folded and shows norms instead of numbers."""
    return trace.size > LARGE


def is_operation(kind: str) -> bool:
    """Whether a node of this kind computed something."""
    return kind in ("operation", "severed")


@once
def folds_of(trace: Trace) -> tuple[Part, ...]:
    """The operations of `trace` in recording order, with all folds closed."""
    return _Folding(trace).parts()


def keys_of_stale(trace: Trace) -> list[str]:
    """The keys of the folds around the nodes that saved a modified tensor, and around the
    operations that modified it.
    """
    marked = {node for stale in trace.stale for node in (stale.node, stale.writer)}

    def keys(parts: tuple[Part, ...]) -> Iterator[str]:
        for part in parts:
            if isinstance(part, Fold) and not marked.isdisjoint(part.operations):
                yield from (part.key, *keys(part.parts))

    return [*keys(folds_of(trace))] if is_large(trace) else []


class _Folding:
    """The folds of one trace. `weight` is the number of nodes that an operation counts for: itself,
    and the leaves that it uses first.
    """

    def __init__(self, trace: Trace):
        self.trace, self.kinds, self.keys = trace, dict(trace.modules), Counter()
        self.operations = [i for i, node in enumerate(trace.nodes) if is_operation(node.kind)]
        self.weight = Counter(self.operations)
        self.weight.update(
            min(edge.consumer for edge in edges.values())
            for node, edges in trace.outputs.items()
            if trace.nodes[node].kind in LEAVES
        )

    def parts(self) -> tuple[Part, ...]:
        """All operations, folded."""
        paths = {i: self.path(i) for i in self.operations}
        inside = [path for path in paths.values() if path]
        shared = 0
        while inside and all(
            len(path) > shared and path[shared][0] == inside[0][shared][0] for path in inside
        ):
            # the model itself isn't a fold
            shared += 1
        self.outermost = inside[0][shared - 1][0] + "." if shared else ""
        paths = {i: path[shared:] for i, path in paths.items()}
        parts = self.by_module(self.operations, paths, 0)
        if any(isinstance(part, Fold) for part in parts):
            return self.short(parts, LARGE)
        return self.short(self.by_line(self.operations, least=2), LARGE)

    def path(self, node: int) -> tuple[Call, ...]:
        """The module calls around a node, outermost first."""
        calls = dict(self.trace.nodes[node].calls)
        names = self.trace.nodes[node].module.split(".") if self.trace.nodes[node].module else []
        paths = (".".join(names[: i + 1]) for i in range(len(names)))
        return tuple(
            (path, calls.get(path, 0))
            for path in paths
            if not self.kinds or self.kinds.get(path, "ModuleList") not in CONTAINERS
        )

    def by_module(
        self, operations: list[int], paths: dict[int, tuple[Call, ...]], depth: int
    ) -> list[Part]:
        """One fold for each run of operations of the same call of a module. Operations outside of
        modules are folded by source line.
        """
        parts: list[Part] = []
        for (path, call), run in groupby(
            operations, key=lambda i: paths[i][depth] if len(paths[i]) > depth else LOOSE
        ):
            run = list(run)
            own = sum(self.weight[i] for i in run)
            if path is None:
                parts += run if depth else self.by_line(run, least=3)
            elif own < (SMALLEST if depth else 2):
                parts += run
            else:
                outer = paths[run[0]][depth - 1][0] + "." if depth else self.outermost
                inner = self.short(self.by_module(run, paths, depth + 1))
                # a module whose only part is another module
                if len(inner) == 1 and isinstance(inner[0], Fold):
                    inner = inner[0].parts
                name = path.removeprefix(outer) + (f" (call {call})" if call > 1 else "")
                parts.append(self.fold(path, name, self.kinds.get(path, ""), inner, own))
        return parts

    def by_line(self, operations: list[int], least: int) -> list[Part]:
        """One fold for each run of at least `least` operations that the same source line made."""
        parts: list[Part] = []
        for line, run in groupby(operations, key=lambda i: self.trace.nodes[i].line):
            run = list(run)
            if line is None or len(run) < least or len(run) == len(self.operations):
                parts += run
                continue
            # the loss has the learner's name for it
            root = run[-1] == self.operations[-1] and self.trace.nodes[run[-1]].label
            name = root or _named_by(self.trace.source[line])
            parts.append(
                self.fold(
                    f"line {line}", name, "", self.short(run), sum(self.weight[i] for i in run)
                )
            )
        return parts

    def short(self, parts: list[Part], most: int = INSIDE) -> tuple[Part, ...]:
        """`parts`, in which runs of loose operations are folded if there are more than `most`."""
        if sum(not isinstance(part, Fold) for part in parts) <= most:
            return tuple(parts)
        size = max(RUN, -(-len(parts) // LARGE))
        out: list[Part] = []
        for loose, run in groupby(parts, key=lambda part: not isinstance(part, Fold)):
            run = list(run)
            if not loose or len(run) < RUN:
                out += run
                continue
            for start in range(0, len(run), size):
                piece = run[start : start + size]
                if len(piece) == 1:
                    out += piece
                    continue
                first, last = (
                    split_name(self.trace.nodes[i].name)[0] for i in (piece[0], piece[-1])
                )
                key = f"nodes {piece[0]} to {piece[-1]}"
                own = sum(self.weight[i] for i in piece)
                out.append(self.fold(key, f"{first} … {last}", "", self.short(piece), own))
        return tuple(out)

    def fold(self, path: str, name: str, kind: str, parts: tuple[Part, ...], own: int) -> Fold:
        self.keys[path] += 1
        call = self.keys[path]
        return Fold(path if call == 1 else f"{path} #{call}", name, kind, tuple(parts), own)


def _named_by(statement: str) -> str:
    """The last function that a statement calls, "cross_entropy"; or else the shortened statement."""
    try:
        value = getattr(ast.parse(statement.strip()).body[0], "value", None)
    except (SyntaxError, IndexError):
        value = None
    if not isinstance(value, ast.Call):
        return shorten(statement, 24)
    return (
        getattr(value.func, "attr", None)
        or getattr(value.func, "id", None)
        or shorten(statement, 24)
    )

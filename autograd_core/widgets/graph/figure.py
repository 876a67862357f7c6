"""The items and lines in the picture of a graph.

In a graph of at most 30 nodes, each node is an item and each edge a line, except that the transpose
of a weight is a circle on the weight's line. In a large graph, the items are the closed folds and
the nodes outside of them. A node that only changes a shape is a dot there, and a sum of two results
is a round sign. Constants are omitted.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from ...trace import Trace, TraceNode
from ..kit.format import shorten
from .folds import Fold, Part, folds_of, is_large, is_operation, once
from .formulas import split_name

SHAPE_ONLY = {
    "View",
    "UnsafeView",
    "Reshape",
    "ReshapeAlias",
    "T",
    "Transpose",
    "Permute",
    "Expand",
    "Unsqueeze",
    "Squeeze",
    "Alias",
}

TRANSPOSES = {"T", "Transpose"}  # the transpose of a weight is a circle on the weight's line
KINDS = {"operation": "node", "severed": "node", "frozen": "leaf"}


@dataclass(frozen=True)
class Item:
    """A box of the picture: `kind` is "node", "leaf", "constant", "plus", "dot" or "fold".

    `nodes` are indices into `Trace.nodes`, leaves last; `frame` the place of the innermost open
    fold in `Figure.frames`, or -1. No gradient passes a `severed` item.
    """

    kind: str
    nodes: tuple[int, ...]
    frame: int = -1
    severed: bool = False
    fold: Fold | None = None


@dataclass(frozen=True)
class Frame:
    """An open fold, with the frame around it: `outer` is its place in `Figure.frames`, or -1."""

    fold: Fold
    outer: int


@dataclass(frozen=True)
class Line:
    """All edges from one item to another, by index. `dots` are nodes that only give a leaf another
    shape on its way.

    `cut` says why no gradient passes: "severed" if none passes its ends; "" if a gradient passes.
    """

    producer: int
    consumer: int
    edges: tuple[int, ...]
    cut: str = ""
    dots: tuple[int, ...] = ()


@dataclass(frozen=True)
class Figure:
    """`items` in recording order, each leaf before its first consumer. `place` has the item of each
    node in the picture.
    """

    items: tuple[Item, ...]
    frames: tuple[Frame, ...]
    lines: tuple[Line, ...]
    folds: tuple[Part, ...]
    place: dict[int, int] = field(compare=False)
    large: bool = True


def figure(trace: Trace, opened: Iterable[str] = ()) -> Figure:
    """The picture of `trace` when the folds with these keys are open."""
    if is_large(trace):
        return _Drawing(trace, frozenset(opened)).figure()
    way = {
        node: leaf
        for node, (leaf, *more) in _shapes_on_the_way(trace).items()
        if len(more) == 1 and short_name(trace.nodes[node].name) in TRANSPOSES
    }
    shown = [index for index in range(len(trace.nodes)) if index not in way]
    place = {node: item for item, node in enumerate(shown)}
    items = []
    for node in shown:
        kind = trace.nodes[node].kind
        items.append(Item(KINDS.get(kind, kind), (node,), severed=kind == "severed"))
    lines = []
    for index, edge in enumerate(trace.edges):
        if edge.consumer in place:
            cut = cut_of(trace, index)
            dots = (edge.producer,) if edge.producer in way else ()
            first = place[way.get(edge.producer, edge.producer)]
            lines.append(Line(first, place[edge.consumer], (index,), cut, dots))
    place |= {node: place[leaf] for node, leaf in way.items()}
    return Figure(tuple(items), (), tuple(lines), (), place, large=False)


def name_of(trace: Trace, leaf: TraceNode) -> str:
    """The text of a leaf: "ff.0.weight", without the name of the model if there is only one."""
    name, paths = leaf.label, [path for path, _ in trace.modules]
    if paths and all(f"{path}.".startswith(f"{paths[0]}.") for path in paths):
        name = name.removeprefix(f"{paths[0]}.")
    return shorten(name, 200) or "leaf"


@cache
def short_name(name: str) -> str:
    """The bold part of a node's name, with a capital letter: "T" for "t" and "TBackward0"."""
    short = "".join(word.capitalize() for word in split_name(name)[0].split("_"))
    return short if name[:1].islower() else split_name(name)[0]


def dot_name(trace: Trace, node: int) -> str:
    """The text next to a dot, PyTorch's name of the function: "view", "t", "unsafe_view"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", short_name(trace.nodes[node].name)).lower()


def cut_of(trace: Trace, index: int, consumer: int | None = None) -> str:
    """Why no gradient passes an edge: "severed" if none passes one of its ends; "" if one passes.

    If nodes that only change a shape are in between, `consumer` is the node at the end of the line.
    """
    edge = trace.edges[index]
    last = edge.consumer if consumer is None else consumer
    ends = edge.producer, edge.consumer, last
    stops = any(trace.nodes[end].kind in ("severed", "frozen") for end in ends)
    return edge.cut or ("severed" if stops else "")


@once
def _ends(trace: Trace) -> tuple[list[list[int]], list[list[int]]]:
    """The edges that lead to each node (except from constants), and the edges that leave it."""
    ins: list[list[int]] = [[] for _ in trace.nodes]
    outs: list[list[int]] = [[] for _ in trace.nodes]
    for index, edge in enumerate(trace.edges):
        if trace.nodes[edge.producer].kind != "constant":
            ins[edge.consumer].append(index)
            outs[edge.producer].append(index)
    return ins, outs


@once
def _shapes_on_the_way(trace: Trace) -> dict[int, tuple[int, ...]]:
    """{node: its leaf, and the nodes from the leaf to it} for each node that only changes the shape
    of a leaf, and that has one consumer.
    """
    way: dict[int, tuple[int, ...]] = {}
    for node, (ins, outs) in enumerate(zip(*_ends(trace))):
        if len(ins) == len(outs) == 1 and _only_shape(trace.nodes[node]):
            producer = trace.edges[ins[0]].producer
            if not is_operation(trace.nodes[producer].kind):
                way[node] = (producer, node)
            elif producer in way:
                way[node] = (*way[producer], node)
    return way


@once
def _leaves(trace: Trace) -> list[list[tuple[int, int]]]:
    """For each node: (the producer of an edge to it, the leaf whose numbers this edge brings)."""
    way, found = _shapes_on_the_way(trace), []
    for edges in _ends(trace)[0]:
        producers = [trace.edges[edge].producer for edge in edges]
        brought = [(p, way[p][0] if p in way else p) for p in producers]
        found.append([(p, x) for p, x in brought if not is_operation(trace.nodes[x].kind)])
    return found


def _only_shape(node: TraceNode) -> bool:
    return is_operation(node.kind) and short_name(node.name) in SHAPE_ONLY


class _Drawing:
    """A figure in the making. `ins` and `outs` are each node's edges."""

    def __init__(self, trace: Trace, opened: frozenset[str]):
        self.trace, self.opened, self.folds = trace, opened, folds_of(trace)
        self.ins, self.outs = _ends(trace)
        self.items: list[Item] = []
        self.frames: list[Frame] = []
        self.place: dict[int, int] = {}
        self.way, self.leaves = _shapes_on_the_way(trace), _leaves(trace)

    def figure(self) -> Figure:
        self.add(self.folds, -1)
        lines = self.lines()
        for dot, (leaf, *_) in self.way.items():
            self.place.setdefault(dot, self.place[leaf])
        return Figure(tuple(self.items), tuple(self.frames), lines, self.folds, self.place)

    def kind(self, node: int) -> str:
        return self.trace.nodes[node].kind

    def is_sum(self, node: int) -> bool:
        """Whether a node only adds two results of operations."""
        producers = [self.trace.edges[e].producer for e in self.ins[node]]
        return (
            short_name(self.trace.nodes[node].name) == "Add"
            and len(producers) == 2
            and all(is_operation(self.kind(p)) for p in producers)
        )

    # ---- items -----------------------------------------------------------------------------------

    def add(self, parts: tuple[Part, ...], frame: int) -> None:
        for part in parts:
            if not isinstance(part, Fold):
                self.add_node(part, frame)
            elif part.key in self.opened:
                self.frames.append(Frame(part, frame))
                self.add(part.parts, len(self.frames) - 1)
            else:
                leaves = dict.fromkeys(
                    leaf for node in part.operations for leaf in self.new_leaves(node)
                )
                severed = all(self.kind(node) == "severed" for node in part.operations)
                self.append(Item("fold", (*part.operations, *leaves), frame, severed, part))

    def add_node(self, node: int, frame: int) -> None:
        consumer = self.trace.edges[self.outs[node][0]].consumer if self.outs[node] else None
        if node in self.way and consumer is not None and self.way[node][0] not in self.place:
            # a dot on its leaf's line
            return
        for leaf in self.new_leaves(node):
            self.append(Item("leaf", (leaf,), frame, self.kind(leaf) == "frozen"))
        kind = (
            "plus"
            if self.is_sum(node)
            else "dot"
            if _only_shape(self.trace.nodes[node])
            else "node"
        )
        self.append(Item(kind, (node,), frame, self.kind(node) == "severed"))

    def new_leaves(self, node: int) -> Iterable[int]:
        """The leaves that reach `node`, directly or through changes of shape, and that have no item
        yet.
        """
        return dict.fromkeys(
            leaf
            for producer, leaf in self.leaves[node]
            if producer not in self.place and leaf not in self.place
        )

    def append(self, item: Item) -> None:
        self.place.update((node, len(self.items)) for node in item.nodes)
        self.items.append(item)

    # ---- lines -----------------------------------------------------------------------------------

    def lines(self) -> tuple[Line, ...]:
        edges: dict[tuple[int, int, str, tuple[int, ...]], list[int]] = {}
        for index, edge in enumerate(self.trace.edges):
            if self.kind(edge.producer) == "constant" or edge.consumer not in self.place:
                continue
            producer, index, dots = edge.producer, index, ()
            # a dot: the line begins at its leaf
            if producer not in self.place:
                producer, *dots = self.way[producer]
                index = self.ins[dots[0]][0]
            ends = self.place[producer], self.place[edge.consumer]
            if ends[0] != ends[1]:
                edges.setdefault(
                    (*ends, cut_of(self.trace, index, edge.consumer), tuple(dots)), []
                ).append(index)
        return tuple(
            Line(producer, consumer, tuple(same), cut, dots)
            for (producer, consumer, cut, dots), same in edges.items()
        )

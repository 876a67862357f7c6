"""The picture of a trace for the browser, as JSON: boxes, lines, and their places.

It depends on the open folds. The words and the numbers of a trace don't, so they are sent separately.
In a graph of at most 30 nodes, each node has a box, next to the source line that created it.
"""

from collections.abc import Iterable

from ...trace import Trace
from ..kit.format import shorten
from .changes import Changes
from .figure import SHAPE_ONLY, Figure, Item, dot_name, figure, name_of, short_name
from .folds import Fold, Part, is_operation, once
from .layout.placement import layout_of
from .layout.sizes import BIG, Sizes, cut_text
from .scene import Scene
from .tensors import verdicts_of

TRANSPOSED = "T"


def drawn_of(trace: Trace, opened: Iterable[str] = (), changes: Changes | None = None) -> dict:
    """Boxes, lines and layouts of `trace` when the folds with the keys `opened` are open.

    There is a wide and a narrow layout; a large graph has only the wide one. Each layout contains
    its picture as SVG."""
    drawing = figure(trace, opened)
    drawn = plan_of(trace, drawing)
    tracks = (changes or Changes(trace)).of(drawn)
    layouts = []
    for narrow in (False,) if drawing.large else (False, True):
        placed = layout_of(Sizes(trace, drawing, tracks, narrow))
        layouts.append(
            {
                "width": placed.width,
                "height": placed.height,
                "big": placed.number == BIG,
                "svg": Scene(trace, drawn, placed).svg(),
                "boxes": [[box.x, box.y, box.width, box.height, box.split] for box in placed.boxes],
            }
        )
    return {**drawn, "layouts": layouts}


def plan_of(trace: Trace, drawing: Figure) -> dict:
    """The boxes and lines of a figure of `trace`."""
    frozen = verdicts_of(trace).frozen
    boxes = [_box(trace, item, frozen) for item in drawing.items]
    boxes += [
        {**_fold(trace, frame.fold), "kind": "frame", "nodes": []} for frame in drawing.frames
    ]
    # a dot on a line belongs to its leaf
    for node, item in drawing.place.items():
        if node not in drawing.items[item].nodes:
            boxes[item]["nodes"].append(node)
    lines = [
        {
            "from": line.producer,
            "to": line.consumer,
            "edges": list(line.edges),
            "cut": line.cut,
            "label": cut_text(line.cut),
            "dots": [
                [node, dot_name(trace, node) if drawing.large else TRANSPOSED] for node in line.dots
            ],
        }
        for line in drawing.lines
    ]
    parts, groups = _groups(trace) if drawing.large else ([], [])
    return {
        "large": drawing.large,
        "parts": parts,
        "groups": groups,
        "boxes": boxes,
        "lines": lines,
        "folds": keys_of(drawing.folds),
        "open": [frame.fold.key for frame in drawing.frames],
    }


def keys_of(parts: Iterable[Part]) -> list[str]:
    """The keys of all folds in `parts`, outer ones first."""
    return [
        key for part in parts if isinstance(part, Fold) for key in (part.key, *keys_of(part.parts))
    ]


@once
def _groups(trace: Trace) -> tuple[list[str], list[int]]:
    """The names of the outermost folds and of the nodes outside of them, and for each node the index
    of its name, or -1.
    """
    names, groups, drawing = [], [-1] * len(trace.nodes), figure(trace)
    for number, part in enumerate(drawing.folds):
        if isinstance(part, Fold):
            names.append(part.name)
        # the item of a dot may be a fold: the one of its leaf
        else:
            is_plus = drawing.items[drawing.place[part]].kind == "plus"
            names.append("+" if is_plus else short_name(trace.nodes[part].name))
        for node in part.operations if isinstance(part, Fold) else (part,):
            groups[node] = number
    for edge in sorted(trace.edges, key=lambda edge: edge.consumer):
        if groups[edge.producer] < 0:
            groups[edge.producer] = groups[edge.consumer]
    return [shorten(name) for name in names], groups


def _box(trace: Trace, item: Item, frozen: set[int]) -> dict:
    """The box of an item, of the kind "rest" if only frozen parameters stop its gradient."""
    known, key = _boxes(trace), (item.kind, item.nodes)
    if key not in known:
        known[key] = _new_box(trace, item, frozen)
    return {**known[key], "nodes": list(item.nodes)}


@once
def _boxes(trace: Trace) -> dict[tuple[str, tuple[int, ...]], dict]:
    """The pictures that were drawn before."""
    return {}


def _new_box(trace: Trace, item: Item, frozen: set[int]) -> dict:
    box = {"kind": item.kind, "nodes": list(item.nodes)}
    if item.kind == "leaf":
        return {**box, "name": name_of(trace, trace.nodes[item.nodes[0]])}
    if item.kind == "dot":
        return {**box, "name": dot_name(trace, item.nodes[0])}
    operations = [i for i in item.nodes if is_operation(trace.nodes[i].kind)]
    if operations and operations[-1] in frozen:
        box["rest"] = True
    if item.fold is not None:
        box |= _fold(trace, item.fold)
        box |= {"exit": operations[-1], "severed": item.severed}
    return box


def _fold(trace: Trace, fold: Fold) -> dict:
    flat = sum(short_name(trace.nodes[i].name) in SHAPE_ONLY for i in fold.operations)
    return {
        "key": fold.key,
        "name": shorten(fold.name, 200),
        "type": shorten(fold.kind, 200),
        "count": fold.own,
        "flat": flat,
    }

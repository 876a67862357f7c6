"""What the browser draws of a trace, as JSON: boxes, the lines between them, and where they are.

It depends on which folds are open; the words and the numbers of a trace do not, and are sent apart.
Up to 30 nodes each node is a box of its own, beside the source line that made it.
"""

from collections.abc import Iterable

from ...trace import Trace
from ...trace.verdicts import Verdicts
from ..kit.format import shorten
from .figure import SHAPE_ONLY, Figure, Item, cut_of, dot_name, figure, short_name
from .folds import Fold, Part, is_operation, leaf_name
from .layout.boxes import Layout
from .layout.large import large_layout
from .layout.sizes import LARGE, cut_text
from .layout.small import small_layout
from .scene import Scene

# wide, narrow and slim ones: what a small layout is asked for
PAGES = (False, False), (True, False), (True, True)


def is_large(trace: Trace) -> bool:
    """Whether the trace is folded, and norms stand for numbers."""
    return len(trace.nodes) > LARGE


def drawn_of(trace: Trace, opened: Iterable[str] = ()) -> dict:
    """Boxes, lines and layouts of `trace`, where the folds with the keys `opened` are open.

    `layouts` are for wide, for narrow and for slim pages; a large graph has one for all. Each has
    its picture as SVG."""
    drawn, drawing = plan_of(trace, opened)
    placed = [placed_of(trace, drawing, page) for page in (PAGES[:1] if drawing else PAGES)]
    return {
        **drawn,
        "layouts": [
            {
                "width": each.width,
                "height": each.height,
                "svg": Scene(trace, drawn, each, slim).svg(),
                "boxes": [[box.x, box.y, box.width, box.height, box.split] for box in each.boxes],
            }
            for each, (_, slim) in zip(placed, PAGES)
        ],
    }


def placed_of(trace: Trace, drawing: Figure | None, page: tuple[bool, bool] = PAGES[0]) -> Layout:
    """Where the boxes and lines of `plan_of` are."""
    return large_layout(drawing) if drawing else small_layout(trace, *page)


def plan_of(trace: Trace, opened: Iterable[str] = ()) -> tuple[dict, Figure | None]:
    """The boxes and lines of `trace`; of a large graph also its figure."""
    if is_large(trace):
        drawing = figure(trace, opened)
        return _folded(trace, drawing), drawing
    boxes = [{"kind": "node", "nodes": [i], **_rest(trace, i)} for i in range(len(trace.nodes))]
    lines = [
        _line(edge.producer, edge.consumer, [i], cut_of(trace, i))
        for i, edge in enumerate(trace.edges)
    ]
    return {"large": False, "boxes": boxes, "lines": lines, "folds": [], "open": []}, None


def _rest(trace: Trace, node: int) -> dict:
    """{"rest": True} for an operation that no gradient passes for frozen parameters alone."""
    return (
        {"rest": True}
        if trace.nodes[node].kind == "severed" and node in Verdicts(trace).frozen
        else {}
    )


def keys_of(parts: Iterable[Part]) -> list[str]:
    """The keys of all folds in `parts`, outer ones first."""
    return [
        key for part in parts if isinstance(part, Fold) for key in (part.key, *keys_of(part.parts))
    ]


def _folded(trace: Trace, drawing: Figure) -> dict:
    boxes = [_box(trace, item) for item in drawing.items]
    boxes += [
        {**_fold(trace, frame.fold), "kind": "frame", "nodes": []} for frame in drawing.frames
    ]
    # what is a dot on a line belongs to its leaf
    for node, item in drawing.place.items():
        if node not in drawing.items[item].nodes:
            boxes[item]["nodes"].append(node)
    lines = [
        _line(
            line.producer,
            line.consumer,
            list(line.edges),
            line.cut,
            [[node, dot_name(trace, node)] for node in line.dots],
        )
        for line in drawing.lines
    ]
    parts, groups = _groups(trace, drawing)
    return {
        "large": True,
        "parts": parts,
        "groups": groups,
        "boxes": boxes,
        "lines": lines,
        "folds": keys_of(drawing.folds),
        "open": [frame.fold.key for frame in drawing.frames],
    }


def _groups(trace: Trace, drawing: Figure) -> tuple[list[str], list[int]]:
    """The names of the outermost folds and of the nodes outside of them; which of these each node
    belongs to, or -1.
    """
    names, groups = [], [-1] * len(trace.nodes)
    for number, part in enumerate(drawing.folds):
        if isinstance(part, Fold):
            names.append(part.name)
        # a dot's item may be a fold: its leaf's
        else:
            is_plus = drawing.items[drawing.place[part]].kind == "plus"
            names.append("+" if is_plus else short_name(trace.nodes[part].name))
        for node in part.operations() if isinstance(part, Fold) else (part,):
            groups[node] = number
    for edge in sorted(trace.edges, key=lambda edge: edge.consumer):
        if groups[edge.producer] < 0:
            groups[edge.producer] = groups[edge.consumer]
    return [shorten(name) for name in names], groups


def _box(trace: Trace, item: Item) -> dict:
    box = {"kind": item.kind, "nodes": list(item.nodes)}
    if item.kind == "leaf":
        return {**box, "name": shorten(leaf_name(trace, trace.nodes[item.nodes[0]].label), 200)}
    if item.kind == "dot":
        return {**box, "name": dot_name(trace, item.nodes[0])}
    if item.fold is None:
        return {**box, **_rest(trace, item.nodes[0])}
    operations = [i for i in item.nodes if is_operation(trace.nodes[i].kind)]
    return {
        **box,
        **_fold(trace, item.fold),
        "exit": operations[-1],
        "severed": item.severed,
        **_rest(trace, operations[-1]),
    }


def _fold(trace: Trace, fold: Fold) -> dict:
    flat = sum(short_name(trace.nodes[i].name) in SHAPE_ONLY for i in fold.operations())
    return {
        "key": fold.key,
        "name": shorten(fold.name, 200),
        "type": shorten(fold.kind, 200),
        "count": fold.own,
        "flat": flat,
    }


def _line(
    producer: int, consumer: int, edges: list[int], cut: str, dots: list | None = None
) -> dict:
    return {
        "from": producer,
        "to": consumer,
        "edges": edges,
        "cut": cut,
        "label": cut_text(cut),
        "dots": dots or [],
    }

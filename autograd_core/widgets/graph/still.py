"""A still of the graph view: one event of a trace as the text of an SVG file, for previews and for
print.

It is the picture of the view itself with all changes up to the event in it, on its own card, in the
theme of the reader's system: in light colours, which a style turns dark. The same trace gives the
same text."""

from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

from ...trace import Event, Trace
from ..kit.format import shorten, tensor_text
from ..kit.svg import dark_style, tag
from ..kit.theme import NARROW_FONT
from . import describe
from .changes import Changes
from .drawn import plan_of
from .figure import figure
from .layout.placement import layout_of
from .layout.sizes import Sizes
from .looks import painted
from .scene import Scene
from .states import State, states


def still(trace: Trace, at: int, opened: Iterable[str] = ()) -> str:
    """The trace after event number `at`, as SVG, with a title and a description in words.

    Of a large graph the folds with the keys `opened` are open, as in the view.
    """
    drawing, event = figure(trace, opened), trace.events[at - 1] if at else None
    drawn = plan_of(trace, drawing)
    tracks = Changes(trace).of(drawn)
    placed = layout_of(Sizes(trace, drawing, tracks))
    title = (
        f"{trace.size} nodes, {'before the first' if event is None else f'event {at}'} of"
        f" {len(trace.events)} events"
    )
    boxes = [
        (box.get("exit", box["nodes"][0]), box.get("name", "") if box["kind"] == "fold" else "")
        for box in drawn["boxes"]
        if box["kind"] != "frame"
    ]
    picture = painted(Scene(trace, drawn, placed, tracks, at).svg())
    width, height = placed.width, placed.height
    ground = tag("rect", width=width, height=height, fill="card")
    body = "\n".join(
        [
            tag("title", title),
            tag("desc", description(trace, states(trace, at), event, boxes)),
            tag("style", dark_style(ground + picture)),
            ground,
            picture,
        ]
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0'
        f' {width} {height}" role="img" font-family={quoteattr(NARROW_FONT)}>\n{body}\n</svg>'
    )


def description(
    trace: Trace, known: list[State], event: Event | None, boxes: list[tuple[int, str]]
) -> str:
    """The picture in words: what happened; each of `boxes`, (node, its own name or ""), with its
    two numbers.
    """
    sentences = []
    if event:
        title = describe.event_title(trace, event, describe.titles_of(trace))
        words = (tensor_text(event.after) if style == "nv" else text for style, text in title)
        sentences.append("".join(words) + ".")
    for index, own in boxes:
        node, state = trace.nodes[index], known[index]
        name = own or node.label or describe.split_name(node.name)[0] or "constant"
        value = tensor_text(state.value) if state.value is not None else "not recorded"
        gradient = (
            ""
            if node.kind == "constant"
            else f", gradient {tensor_text(state.gradient, gradient=True)}"
        )
        sentences.append(f"{shorten(name, 24)}: {value}{gradient}.")
    return " ".join(sentences)

"""A still of the graph view: one event of a trace as the text of an SVG file, for previews and for
print.

It is the picture of the view itself with all changes up to the event in it, on its own card, in the
theme of the reader's system: in light colours, which a style turns dark. The same trace gives the
same text."""

from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

from ...trace import Trace
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
from .states import states


def still(trace: Trace, at: int, opened: Iterable[str] = (), changes: Changes | None = None) -> str:
    """The trace after event number `at`, as SVG, with a title and a description in words.

    Of a large graph the folds with the keys `opened` are open, as in the view.
    """
    drawing = figure(trace, opened)
    drawn = plan_of(trace, drawing)
    tracks = (changes or Changes(trace)).of(drawn)
    placed = layout_of(Sizes(trace, drawing, tracks))
    when = f"event {at}" if at else "before the first"
    picture = painted(Scene(trace, drawn, placed, tracks, at).svg())
    width, height = placed.width, placed.height
    ground = tag("rect", width=width, height=height, fill="card")
    body = "\n".join(
        [
            tag("title", f"{trace.size} nodes, {when} of {len(trace.events)} events"),
            tag("desc", description(trace, at, drawn["boxes"])),
            tag("style", dark_style(ground + picture)),
            ground,
            picture,
        ]
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0'
        f' {width} {height}" role="img" font-family={quoteattr(NARROW_FONT)}>\n{body}\n</svg>'
    )


def description(trace: Trace, at: int, boxes: list[dict]) -> str:
    """The picture in words: what happened; each of `boxes` but frames, with its two numbers."""
    sentences, known = [], states(trace, at)
    if at:
        event = trace.events[at - 1]
        title = describe.event_title(trace, event, describe.titles_of(trace))
        words = (tensor_text(event.after) if style == "nv" else text for style, text in title)
        sentences.append("".join(words) + ".")
    for box in boxes:
        if box["kind"] == "frame":
            continue
        index = box.get("exit", box["nodes"][0])
        node, state = trace.nodes[index], known[index]
        own = box["name"] if box["kind"] == "fold" else node.label
        name = own or describe.split_name(node.name)[0] or "constant"
        sentence = f"{shorten(name, 24)}: "
        sentence += tensor_text(state.value) if state.value is not None else "not recorded"
        if node.kind != "constant":
            sentence += f", gradient {tensor_text(state.gradient, gradient=True)}"
        sentences.append(sentence + ".")
    return " ".join(sentences)

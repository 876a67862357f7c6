"""A still of the graph view: one event of a trace as the text of an SVG file, for previews and for print.

It is drawn from the layout and the palette of the view itself, on its own card, in the theme of the reader's system:
in light colours, which a style turns dark. The same trace gives the same text.
"""

from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

import numpy as np

from ...trace import Event, Trace
from ..kit.format import shorten, tensor_text
from ..kit.svg import dark_style, stripes, tag
from ..kit.theme import FONT
from . import describe
from .drawn import is_large
from .layout.small import small_layout
from .still_folds import FoldedDrawing
from .still_nodes import Drawing, State


def states(trace: Trace, at: int) -> list[State]:
    """The state of every node after event number `at`; 0 is before the first, with all values shown."""
    recorded = {event.node for event in trace.events[:at] if event.kind == "forward"}
    later = {event.node for event in trace.events if event.kind == "forward"} - recorded if at else set()
    expected = [0] * len(trace.nodes)
    out = [State(node.value, node.grad, 0, 0, False, i not in later) for i, node in enumerate(trace.nodes)]
    for event in reversed(trace.events):                                    # what a leaf held before its first event
        if event.kind in ("accumulate", "zero_grad"):
            out[event.node].gradient = event.before
        for edge, _ in event.sent:
            expected[trace.edges[edge].producer] += 1
    for event in trace.events[:at]:
        state = out[event.node]
        if event.kind == "backward":
            state.done, state.gradient = True, event.before
        elif event.kind in ("accumulate", "zero_grad"):
            state.gradient = event.after
        elif event.kind == "step":
            state.value = event.after
        for edge, gradient in event.sent:
            producer = trace.edges[edge].producer
            out[producer].arrived += 1
            if trace.nodes[producer].kind == "operation":
                known = out[producer].gradient
                whole = isinstance(gradient, np.ndarray) and isinstance(known, np.ndarray)
                out[producer].gradient = known + gradient if whole else gradient if out[producer].arrived == 1 else None
    for state, count in zip(out, expected):
        state.expected = count
    return out


def still(trace: Trace, at: int, opened: Iterable[str] = ()) -> str:
    """The trace after event number `at`, as SVG, with a title and a description in words.

    Of a large graph the folds with the keys `opened` are open, as in the view.
    """
    known, event = states(trace, at), trace.events[at - 1] if at else None
    large = is_large(trace)
    draw = FoldedDrawing(trace, known, at, opened) if large else Drawing(trace, small_layout(trace), known, at)
    graph = sum(node.kind != "constant" for node in trace.nodes)
    title = f"{graph} nodes, {'before the first' if event is None else f'event {at}'} of {len(trace.events)} events"
    draw.draw()
    width, height = draw.placed.width, draw.placed.height
    pattern = [stripes()] if draw.striped else []
    text = description(trace, known, event, draw.described())
    body = "\n".join([tag("title", title), tag("desc", text), tag("style", dark_style()), *pattern,
                      tag("rect", width=width, height=height, fill="card"), *draw.parts, *draw.pills])
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f"role=\"img\" font-family={quoteattr(FONT)}>\n{body}\n</svg>")


def description(trace: Trace, known: list[State], event: Event | None, boxes: list[tuple[int, str]]) -> str:
    """The picture in words: what happened; each of `boxes`, (node, its own name or ""), with its two numbers."""
    sentences = []
    if event:
        title = describe.filled(trace, event, describe.event_title(trace, event, describe.titles_of(trace)))
        sentences.append("".join(text for _, text in title) + ".")
    for index, own in boxes:
        node, state = trace.nodes[index], known[index]
        name = own or node.label or describe.split_name(node.name)[0] or "constant"
        value = tensor_text(state.value) if state.value is not None else "not recorded"
        gradient = "" if node.kind == "constant" else f", gradient {tensor_text(state.gradient, gradient=True)}"
        sentences.append(f"{shorten(name, 24)}: {value}{gradient}.")
    return " ".join(sentences)

"""A still of the graph view: one event of a trace as the text of an SVG file, for previews and for print.

It is drawn from the layout and the palette of the view itself, always in the light theme, on its own card. The same
trace gives the same text.
"""

from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from ..trace import Event, Trace
from . import words
from .layout import Box, Layout, layout
from .routes import arrowhead, path
from .rows import shapes_of
from .sizes import code_lines
from .theme import FONT, LIGHT, MONO

BOOKMARK = "M0 0h8v10l-4-3.2-4 3.2z"
NARROW_LETTERS = set("ijlI.,:;'|[]()!↑ ft")


@dataclass
class State:
    """What is known of a node after an event."""

    value: np.ndarray | None
    gradient: np.ndarray | None
    arrived: int
    expected: int
    done: bool
    recorded: bool


def states(trace: Trace, at: int) -> list[State]:
    """The state of every node after event number `at`; 0 is before the first, with all values shown."""
    recorded = {event.node for event in trace.events[:at] if event.kind == "forward"}
    later = {event.node for event in trace.events if event.kind == "forward"} - recorded if at else set()
    expected = [0] * len(trace.nodes)
    out = [State(node.value, None, 0, 0, False, i not in later) for i, node in enumerate(trace.nodes)]
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
                out[producer].gradient = gradient if known is None else known + gradient
    for state, count in zip(out, expected):
        state.expected = count
    return out


def still(trace: Trace, at: int) -> str:
    """The trace after event number `at`, as SVG, with a title and a description in words."""
    placed, known = layout(trace), states(trace, at)
    event = trace.events[at - 1] if at else None
    draw = _Drawing(trace, placed, known, event)
    graph = sum(node.kind != "constant" for node in trace.nodes)
    title = f"{graph} nodes, {'before the first' if event is None else f'event {at}'} of {len(trace.events)} events"
    body = [draw.bands(), *(draw.edge(i, at) for i in range(len(trace.edges))),
            *(draw.node(i) for i in range(len(trace.nodes))), *draw.pills]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{placed.width}" height="{placed.height}" '
        f'viewBox="0 0 {placed.width} {placed.height}" role="img" font-family={quoteattr(FONT)}>',
        f"<title>{escape(title)}</title>", f"<desc>{escape(describe(trace, known, event))}</desc>",
        f'<rect width="{placed.width}" height="{placed.height}" fill="{LIGHT["card"]}"/>', *filter(None, body), "</svg>"])


def describe(trace: Trace, known: list[State], event: Event | None) -> str:
    """The picture in words: what happened, then each node with its value and its gradient."""
    said = ["".join(text for _, text in words.event_title(trace, event)) + "."] if event else []
    for node, state in zip(trace.nodes, known):
        name = node.label or words.split_name(node.name)[0] or "constant"
        value = words.tensor_text(state.value) if state.value is not None else "not recorded"
        gradient = "" if node.kind == "constant" else f", gradient {words.tensor_text(state.gradient, gradient=True)}"
        said.append(f"{words.shorten(name, 24)}: {value}{gradient}.")
    return " ".join(said)


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide `text` is: a still has no browser to measure with."""
    letters = sum(0.3 if c in NARROW_LETTERS else 0.7 if c.isupper() or c in "mw" else 0.56 for c in text)
    return letters * size * (1.05 if bold else 1)


def fit(text: str, room: float, size: float, bold: bool = False) -> str:
    """`text`, cut with an ellipsis where it would be wider than `room`."""
    if text_width(text, size, bold) <= room:
        return text
    while text and text_width(text + "…", size, bold) > room:
        text = text[:-1]
    return text + "…"


def _text(x: float, y: float, text: str, colour: str, size: float = 12.5, bold: bool = False, anchor: str = "start",
          more: str = "") -> str:
    weight = ' font-weight="700"' if bold else ""
    place = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{LIGHT[colour]}"{weight}{place}{more}>{escape(text)}</text>'


class _Drawing:
    """The parts of a still, each as SVG text."""

    def __init__(self, trace: Trace, placed: Layout, known: list[State], event: Event | None):
        self.trace, self.placed, self.known, self.event = trace, placed, known, event
        self.shapes, self.pills = shapes_of(trace), []

    def bands(self) -> str:
        out = []
        for band in self.placed.bands:
            out.append(f'<rect x="12" y="{band.y}" width="{self.placed.width - 24}" height="{band.height}" rx="6" fill="{LIGHT["page"]}"/>')
            if band.line is not None:
                for place, line in enumerate(code_lines(self.trace.source[band.line], False, band.height)):
                    out.append(_text(26, band.y + 26 + 19 * place, line, "text2", 13, more=f' xml:space="preserve" font-family={quoteattr(MONO)}'))
        return "\n".join(out)

    def edge(self, index: int, at: int) -> str:
        route = self.placed.routes[index]
        sent = next(((number, dict(event.sent)[index]) for number, event in enumerate(self.trace.events[:at], 1)
                     if index in dict(event.sent)), None)
        colour, width = (LIGHT["gradient-solid"], 2.2) if sent else (LIGHT["border"], 1.4)
        head = arrowhead(route.points[::-1] if sent else route.points)
        out = [f'<path d="{path(route.points)}" fill="none" stroke="{colour}" stroke-width="{width}"/>', f'<path d="{head}" fill="{colour}"/>']
        if route.number:
            x, y, anchor = route.number
            out.append(_text(x, y, str(self.trace.edges[index].slot), "text2", 11, anchor=anchor))
        if sent and route.pill:
            text = f"↑ {words.tensor_text(sent[1], gradient=True)}"
            half, (x, y), now = round(text_width(text, 12, True) / 2) + 10, route.pill, sent[0] == at
            self.pills.append(
                f'<rect x="{x - half}" y="{y - 11}" width="{2 * half}" height="22" rx="11" fill="{LIGHT["gradient-solid" if now else "card"]}" '
                f'stroke="{LIGHT["gradient-solid"]}"/>' + _text(x, y + 4, text, "gradient-on-solid" if now else "gradient", 12, True, "middle"))
        return "\n".join(out)

    def node(self, index: int) -> str:
        node, box, state = self.trace.nodes[index], self.placed.boxes[index], self.known[index]
        if not state.recorded:
            return f'<rect x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}" rx="8" fill="none" stroke="{LIGHT["border-quiet"]}"/>'
        return self.constant(index, box) if node.kind == "constant" else self.box(index, box, state)

    def constant(self, index: int, box: Box) -> str:
        node, middle = self.trace.nodes[index], box.x + box.width / 2
        small = node.value is not None and node.value.size <= 3
        value = words.tensor_text(node.value) if small else f"{words.shape_text(node.shape or ())} · no grad"
        out = [f'<rect x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}" rx="6" fill="{LIGHT["card"]}" '
               f'stroke="{LIGHT["border"]}" stroke-dasharray="5 4"/>',
               _text(middle, box.y + (15 if node.label else 22), fit(node.label or value, box.width - 10, 13, True), "value", 13, True, "middle")]
        if node.label:
            out.append(_text(middle, box.y + 29, fit(value, box.width - 6, 11.5), "text2", 11.5, anchor="middle"))
        return "\n".join(out)

    def box(self, index: int, box: Box, state: State) -> str:
        node, leaf, x, y = self.trace.nodes[index], self.trace.nodes[index].kind == "leaf", box.x, box.y
        current, r, has = self.event is not None and self.event.node == index, 23 if leaf else 8, state.gradient is not None
        right, split = x + box.width, x + box.split
        out = []
        if current:
            ring = {"backward": "gradient-solid", "accumulate": "gradient-solid", "step": "text2", "zero_grad": "text2"}.get(self.event.kind, "value")
            out.append(f'<rect x="{x - 5}" y="{y - 5}" width="{box.width + 10}" height="{box.height + 10}" rx="{r + 4}" fill="none" '
                       f'stroke="{LIGHT[ring]}" stroke-width="3"/>')
        tint, line = ("gradient-tint", "gradient-solid") if has else ("page", "border-quiet")
        out += [f'<path d="M{split} {y}H{right - r}a{r} {r} 0 0 1 {r} {r}V{y + box.height - r}a{r} {r} 0 0 1 {-r} {r}H{split}z" '
                f'fill="{LIGHT[tint]}" stroke="{LIGHT[line]}"/>',
                f'<path d="M{split} {y}H{x + r}a{r} {r} 0 0 0 {-r} {r}V{y + box.height - r}a{r} {r} 0 0 0 {r} {r}H{split}" '
                f'fill="{LIGHT["card"]}" stroke="{LIGHT["text2" if leaf else "border"]}" stroke-width="{2 if leaf else 1.2}"/>',
                f'<circle cx="{x + 23.5:g}" cy="{y + 23}" r="14" fill="{LIGHT["value-tint"]}" stroke="{LIGHT["value"]}" stroke-opacity="0.5"/>',
                _text(x + 23.5, y + 28, words.sign(node), "value", 10.5 if len(words.sign(node)) > 2 else 13, True, "middle")]
        name, rest = ("AccumulateGrad", "") if leaf else words.split_name(node.name)
        shown = words.shape_text(self.shapes[index]) if state.value is None and self.shapes[index] is not None else None
        value = shown or ("not recorded" if state.value is None else words.tensor_text(state.value))
        value = f"{words.shorten(node.label, 24)} = {value}" if node.label else value
        room = box.split - 50
        title = fit(name, room, 13.5, True)
        rest = fit(rest, room - text_width(title, 13.5, True), 12.5) if title == name and rest else ""
        out.append(f'<text x="{x + 45}" y="{y + 20}" font-size="13.5" fill="{LIGHT["text"]}"><tspan font-weight="700">{escape(title)}</tspan>'
                   f'<tspan font-size="12.5" fill="{LIGHT["text3"]}">{escape(rest if len(rest) > 1 else "")}</tspan></text>')
        out.append(_text(x + 45, y + 37, fit(value, room, 12.5), "value"))
        caption = ".grad" if leaf else "∂ loss"
        if not leaf and state.arrived and (not state.done or current):
            caption = f"{'Σ ' if state.arrived == state.expected > 1 else ''}{state.arrived} of {state.expected} arrived"
        middle, colour = (split + right) / 2 - (3 if leaf else 0), "gradient" if has else "text3"
        gradient = words.tensor_text(state.gradient, gradient=True) if has or leaf else "not yet"
        out += [_text(middle, y + 19, caption, colour, 11.5, anchor="middle"),
                _text(middle, y + 36, fit(gradient, right - split - 4, 12.5, has), colour, 12.5, has, "middle")]
        if node.saved:
            out.append(self.tab(node.saved, right, y, released=state.done and not current))
        return "\n".join(out)

    def tab(self, saved: tuple, right: int, y: int, released: bool) -> str:
        label = fit("saved " + ", ".join(words.shorten(each.label, 24) or each.name for each in saved), 100, 12)
        width = round(text_width(label, 12)) + 27
        x, colour = right - 10 - width, "text3" if released else "value"
        fill, more = (LIGHT["card"], ' stroke-dasharray="4 3"') if released else (LIGHT["value-tint"], "")
        return (f'<rect x="{x}" y="{y - 18}" width="{width}" height="19" rx="3" fill="{fill}" stroke="{LIGHT[colour]}" stroke-opacity="0.5"{more}/>'
                f'<path d="{BOOKMARK}" transform="translate({x + 7} {y - 14})" fill="{"none" if released else LIGHT["value"]}" stroke="{LIGHT[colour]}"/>'
                + _text(x + 19, y - 5, label, colour, 12, more=' text-decoration="line-through"' if released else ""))

"""A still of the graph view: one event of a trace as the text of an SVG file, for previews and for print.

It is drawn from the layout and the palette of the view itself, on its own card, in the theme of the reader's system:
in light colours, which a style turns dark. The same trace gives the same text.
"""

from dataclasses import dataclass, replace
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from ..trace import Event, Trace, TraceNode
from . import words
from .boxes import Box, Layout
from .layout import layout
from .numerals import shape_text, shorten, tensor_text
from .routes import Point, arrowhead, path
from .rows import shapes_of
from .sizes import LONG_LABEL, code_lines, fit, tab_text, tab_width, text_width
from .theme import DARK, FONT, LIGHT, MONO

BOOKMARK = "M0 0h8v10l-4-3.2-4 3.2z"
RINGS = {"forward": "value", "loss": "value", "backward": "gradient-solid", "accumulate": "gradient-solid"}


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
    draw.bands()
    for index in range(len(trace.edges)):
        draw.edge(index, at)
    for index in range(len(trace.nodes)):
        draw.node(index)
    width, height = placed.width, placed.height
    body = "\n".join([_tag("title", title), _tag("desc", describe(trace, known, event)), _tag("style", _dark_style()),
                      _tag("rect", width=width, height=height, fill="card"), *draw.parts, *draw.pills])
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f"role=\"img\" font-family={quoteattr(FONT)}>\n{body}\n</svg>")


def describe(trace: Trace, known: list[State], event: Event | None) -> str:
    """The picture in words: what happened, then each node with its value and its gradient."""
    said = []
    if event:
        title = words.filled(trace, event, words.event_title(trace, event, words.titles_of(trace)))
        said.append("".join(text for _, text in title) + ".")
    for node, state in zip(trace.nodes, known):
        name = node.label or words.split_name(node.name)[0] or "constant"
        value = tensor_text(state.value) if state.value is not None else "not recorded"
        gradient = "" if node.kind == "constant" else f", gradient {tensor_text(state.gradient, gradient=True)}"
        said.append(f"{shorten(name, 24)}: {value}{gradient}.")
    return " ".join(said)


def _tag(name: str, content: str = "", **attributes) -> str:
    """An SVG element. `fill` and `stroke` are names of the palette; `font_size` stands for `font-size`."""
    pairs = [(key.replace("_", "-"), LIGHT.get(value, value) if key in ("fill", "stroke") else value)
             for key, value in attributes.items()]
    written = [(key, f"{value:g}" if isinstance(value, float) else str(value)) for key, value in pairs]
    text = "".join(f" {key}={quoteattr(value)}" for key, value in written)
    return f"<{name}{text}>{escape(content)}</{name}>" if content else f"<{name}{text}/>"


def _dark_style() -> str:
    """Each light colour as the dark one of the same name. Text on a solid ground is the one that shares a light colour."""
    rules = [f'[{key}="{LIGHT[name]}"] {{ {key}: {DARK[name]} }}'
             for name in DARK if name != "gradient-on-solid" for key in ("fill", "stroke")]
    rules.append(f'text[fill="{LIGHT["gradient-on-solid"]}"] {{ fill: {DARK["gradient-on-solid"]} }}')
    return "@media (prefers-color-scheme: dark) { " + " ".join(rules) + " }"


class _Drawing:
    """The parts of a still, each as SVG text; `pills` lie above all others."""

    def __init__(self, trace: Trace, placed: Layout, known: list[State], event: Event | None):
        self.trace, self.placed, self.known, self.event = trace, placed, known, event
        self.shapes, self.root = shapes_of(trace), words.root_name(trace)
        self.parts: list[str] = []
        self.pills: list[str] = []

    def add(self, name: str, content: str = "", **attributes) -> None:
        self.parts.append(_tag(name, content, **attributes))

    def text(self, x: float, y: float, text: str, fill: str, size: float = 12.5, bold: bool = False, **more) -> None:
        if text:
            weight = {"font_weight": 700} if bold else {}
            self.add("text", text, x=x, y=y, font_size=size, fill=fill, **weight, **more)

    def bands(self) -> None:
        for band in self.placed.bands:
            self.add("rect", x=12, y=band.y, width=self.placed.width - 24, height=band.height, rx=6, fill="page")
            lines = [] if band.line is None else code_lines(self.trace.source[band.line], False, band.height)
            for place, line in enumerate(lines):
                self.text(26, band.y + 26 + 19 * place, line, "text2", 13, font_family=MONO, style="white-space: pre")

    def edge(self, index: int, at: int) -> None:
        route, number, gradient = self.placed.routes[index], 0, None
        for when, event in enumerate(self.trace.events[:at], 1):
            for edge, what in event.sent:
                if edge == index:
                    number, gradient = when, what
        colour = "gradient-solid" if number else "border"
        self.add("path", d=path(route.points), fill="none", stroke=colour, stroke_width=2.2 if number else 1.4)
        self.add("path", d=arrowhead(route.points[::-1] if number else route.points), fill=colour)
        if route.number:
            x, y, anchor = route.number
            self.text(x, y, str(self.trace.edges[index].slot), "text2", 11, text_anchor=anchor)
        if number and route.pill:
            self.pill(route.pill, "↑" if route.brief else f"↑ {tensor_text(gradient, gradient=True)}", now=number == at)

    def pill(self, centre: Point, text: str, now: bool) -> None:
        (x, y), half = centre, round(text_width(text, 12, True) / 2) + 10
        fill, ink = ("gradient-solid", "gradient-on-solid") if now else ("card", "gradient")
        around = {"x": x - half, "y": y - 11, "width": 2 * half, "height": 22, "rx": 11}
        self.pills += [_tag("rect", **around, fill=fill, stroke="gradient-solid"),
                       _tag("text", text, x=x, y=y + 4, font_size=12, fill=ink, font_weight=700, text_anchor="middle")]

    def node(self, index: int) -> None:
        node, box, state = self.trace.nodes[index], self.placed.boxes[index], self.known[index]
        if not state.recorded:
            around = {"x": box.x, "y": box.y, "width": box.width, "height": box.height}
            self.add("rect", **around, rx=8, fill="none", stroke="border-quiet")
        elif node.kind == "constant":
            self.constant(node, box)
        else:
            self.box(node, box, state, current=self.event is not None and self.event.node == index)
            self.names(node, box, state, self.shapes[index])

    def constant(self, node: TraceNode, box: Box) -> None:
        middle, small = box.x + box.width / 2, node.value is not None and node.value.size <= 3
        value = tensor_text(node.value) if small else f"{shape_text(node.shape or ())} · no grad"
        self.add("rect", x=box.x, y=box.y, width=box.width, height=box.height, rx=6, fill="card", stroke="border",
                 stroke_dasharray="5 4")
        name = fit(node.label or value, box.width - 10, 13, True)
        self.text(middle, box.y + (15 if node.label else 22), name, "value", 13, True, text_anchor="middle")
        if node.label:
            self.text(middle, box.y + 29, fit(value, box.width - 6, 11.5), "text2", 11.5, text_anchor="middle")

    def box(self, node: TraceNode, box: Box, state: State, current: bool) -> None:
        """The outline, the gradient's compartment and what stands in it, and the bookmark."""
        leaf, has, x, y = node.kind == "leaf", state.gradient is not None, box.x, box.y
        r, split, low = 23 if leaf else 8, box.x + box.split, box.y + box.height
        if current:
            self.add("rect", x=x - 5, y=y - 5, width=box.width + 10, height=box.height + 10, rx=r + 4, fill="none",
                     stroke=RINGS.get(self.event.kind, "text2"), stroke_width=3)
        right = f"M{split} {y}H{box.right - r}a{r} {r} 0 0 1 {r} {r}V{low - r}a{r} {r} 0 0 1 {-r} {r}H{split}z"
        left = f"M{split} {y}H{x + r}a{r} {r} 0 0 0 {-r} {r}V{low - r}a{r} {r} 0 0 0 {r} {r}H{split}"
        tint, line, ink = ("gradient-tint", "gradient-solid", "gradient") if has else ("page", "border-quiet", "text3")
        self.add("path", d=right, fill=tint, stroke=line)
        self.add("path", d=left, fill="card", stroke="text2" if leaf else "border", stroke_width=2 if leaf else 1.2)
        caption = ".grad" if leaf else fit(f"∂ {self.root}", box.right - split - 8, 11.5)
        if not leaf and state.arrived and (not state.done or current):
            caption = f"{state.arrived} of {state.expected} arrived"
            if state.arrived == state.expected > 1:
                caption = f"Σ {caption}"
        gradient = tensor_text(state.gradient, gradient=True) if has or leaf else "not yet"
        middle, room = (split + box.right) / 2 - (3 if leaf else 0), box.right - split - 4
        self.text(middle, y + 19, caption, ink, 11.5, text_anchor="middle")
        self.text(middle, y + 36, fit(gradient, room, 12.5, has), ink, 12.5, has, text_anchor="middle")
        if node.saved:
            self.tab(node, box, released=state.done and not current)

    def names(self, node: TraceNode, box: Box, state: State, shape: tuple | None) -> None:
        """The sign, the name and the value."""
        x, y, sign, room = box.x, box.y, words.sign(node), box.split - 50
        self.add("circle", cx=x + 23.5, cy=y + 23, r=14, fill="value-tint", stroke="value", stroke_opacity=0.5)
        self.text(x + 23.5, y + 28, sign, "value", 10.5 if len(sign) > 2 else 13, True, text_anchor="middle")
        strong, rest = words.split_name(node.name)
        apart = node.kind == "leaf" and len(node.label) > LONG_LABEL
        name = fit(node.label if apart else strong, room, 13.5, True)
        spans = _tag("tspan", name, font_weight=700)
        if rest and text_width(name, 13.5, True) + text_width(rest, 12.5) <= room:
            spans += _tag("tspan", rest, font_size=12.5, fill="text3")
        self.parts.append(f'<text x="{x + 45}" y="{y + 20}" font-size="13.5" fill="{LIGHT["text"]}">{spans}</text>')
        value = words.value_line(replace(node, label="") if apart else node, state.value, shape)
        self.text(x + 45, y + 37, fit(value, room, 12.5), "value")

    def tab(self, node: TraceNode, box: Box, released: bool) -> None:
        label, width, y = tab_text(node), tab_width(node), box.y
        x, fill, ink = box.right - 10 - width, "card" if released else "value-tint", "text3" if released else "value"
        outline, struck = ({"stroke_dasharray": "4 3"}, {"text_decoration": "line-through"}) if released else ({}, {})
        around = {"x": x, "y": y - 18, "width": width, "height": 19, "rx": 3}
        place = f"translate({x + 7} {y - 14})"
        self.add("rect", **around, fill=fill, stroke=ink, stroke_opacity=0.5, **outline)
        self.add("path", d=BOOKMARK, transform=place, fill="none" if released else ink, stroke=ink)
        self.text(x + 19, y - 5, label, ink, 12, **struck)

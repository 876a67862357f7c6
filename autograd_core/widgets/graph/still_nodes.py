"""A still of a small graph: every node a box of its own, beside the source line that made it."""

from dataclasses import dataclass, replace

import numpy as np

from ...trace import Summary, Trace, TraceNode
from ...trace.summary import Value, norm
from ..kit.format import number, shape_text, tensor_text
from ..kit.svg import STRIPED, tag
from ..kit.text import fit, fit_path, text_width
from ..kit.theme import LIGHT, MONO
from . import describe
from .drawn import code_of
from .figure import cut_of
from .layout.boxes import Box, Layout
from .layout.routes import Point, Route, arrowhead, path
from .layout.sizes import LEAVES, cut_text, cut_width, tab_text, tab_width
from .layout.small_rows import shapes_of

BOOKMARK = "M0 0h8v10l-4-3.2-4 3.2z"
SCISSORS = "M1.2 10.8a2.2 2.2 0 1 1 3.4-1.3l8.2-6.6M4.6 4.5a2.2 2.2 0 1 0-3.4-1.3 2.2 2.2 0 0 0 3.4 1.3l8.2 6.6"
RINGS = {"forward": "value", "loss": "value", "backward": "gradient-solid", "accumulate": "gradient-solid"}
CUT_STYLES = {"severed": ("masked-tint", "border"), "frozen": ("frozen-tint", "frozen")}
DASHED = {"stroke_dasharray": "5 4"}
CUT_ROOM = 28                       # of the label at a cut that has no room for its words
LONG_LABEL = 8                      # letters; a leaf with a longer label shows it in place of "AccumulateGrad"


@dataclass
class State:
    """What is known of a node after an event."""

    value: Value | None
    gradient: Value | None
    arrived: int
    expected: int
    done: bool
    recorded: bool


def finite(value: Value | None) -> bool:
    """Whether nothing in it is nan or inf."""
    return value is None or (value.finite if isinstance(value, Summary) else bool(np.isfinite(value).all()))


class Drawing:
    """The parts of a still, each as SVG text; `pills` lie above all others."""

    def __init__(self, trace: Trace, placed: Layout, known: list[State], at: int):
        self.trace, self.placed, self.known, self.at = trace, placed, known, at
        self.event = trace.events[at - 1] if at else None
        self.shapes, self.root = shapes_of(trace), describe.root_name(trace)
        self.sent = {edge: (number, gradient) for number, event in enumerate(trace.events[:at], 1)
                     for edge, gradient in event.sent}
        self.parts: list[str] = []
        self.pills: list[str] = []
        self.striped = False

    def draw(self) -> None:
        self.bands()
        for index in range(len(self.trace.edges)):
            self.edge(index)
        for index in range(len(self.trace.nodes)):
            self.node(index)

    def add(self, name: str, content: str = "", **attributes) -> None:
        self.parts.append(tag(name, content, **attributes))

    def text(self, x: float, y: float, text: str, fill: str, size: float = 12.5, bold: bool = False, **more) -> None:
        if text:
            weight = {"font_weight": 700} if bold else {}
            self.add("text", text, x=x, y=y, font_size=size, fill=fill, **weight, **more)

    def described(self) -> list[tuple[int, str]]:
        """What stands for each box in words: a node, and a name of its own or ""."""
        return [(i, "") for i in range(len(self.trace.nodes))]

    def bands(self) -> None:
        for band in self.placed.bands:
            self.add("rect", x=12, y=band.y, width=self.placed.width - 24, height=band.height, rx=6, fill="page")
            for place, line in enumerate(code_of(band, self.trace.source)):
                self.text(band.code, band.y + 26 + 19 * place, line, "text2", 13, font_family=MONO, style="white-space: pre")

    def edge(self, index: int) -> None:
        route, (number, gradient) = self.placed.routes[index], self.sent.get(index, (0, None))
        cut = cut_of(self.trace, index)
        self.line(route, bool(number), cut)
        if route.number:
            x, y, anchor = route.number
            self.text(x, y, str(self.trace.edges[index].slot), "text2", 11, text_anchor=anchor)
        if number and route.pill:
            text = "↑" if route.brief else f"↑ {tensor_text(gradient, gradient=True)}"
            self.pill(route.pill, text, now=number == self.at)
        elif route.pill and cut_text(cut):
            self.scissors(route, cut)

    def line(self, route: Route, ran: bool, cut: str, heads: bool = True) -> None:
        colour, dashes = "gradient-solid" if ran else "border", DASHED if cut else {}
        self.add("path", d=path(route.points), fill="none", stroke=colour, stroke_width=2.2 if ran else 1.4, **dashes)
        if heads and not cut:
            self.add("path", d=arrowhead(route.points[::-1] if ran else route.points), fill=colour)

    def scissors(self, route: Route, cut: str) -> None:
        """The label at a cut: scissors and why, or the scissors alone."""
        (x, y), label = route.pill, "" if route.brief else cut_text(cut)
        width = cut_width(cut) if label else CUT_ROOM
        left = x - width // 2
        self.pills += [tag("rect", x=left, y=y - 11, width=width, height=22, rx=11, fill="error-tint", stroke="error"),
                       tag("path", d=SCISSORS, fill="none", stroke="error", stroke_width=1.5,
                           transform=f"translate({left + 12 if label else x - 7} {y - 7})")]
        if label:
            self.pills.append(tag("text", label, x=x + 10, y=y + 4, font_size=12, fill="error", font_weight=700,
                                  text_anchor="middle"))

    def pill(self, centre: Point, text: str, now: bool) -> None:
        (x, y), half = centre, round(text_width(text, 12, True) / 2) + 10
        fill, ink = ("gradient-solid", "gradient-on-solid") if now else ("card", "gradient")
        around = {"x": x - half, "y": y - 11, "width": 2 * half, "height": 22, "rx": 11}
        self.pills += [tag("rect", **around, fill=fill, stroke="gradient-solid"),
                       tag("text", text, x=x, y=y + 4, font_size=12, fill=ink, font_weight=700, text_anchor="middle")]

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
            value = value if text_width(value, 11.5) <= box.width - 6 else value.removesuffix(" · no grad")
            self.text(middle, box.y + 29, fit(value, box.width - 6, 11.5), "text2", 11.5, text_anchor="middle")

    def box(self, node: TraceNode, box: Box, state: State, current: bool) -> None:
        """The outline, the gradient's compartment and what stands in it, and the bookmark."""
        leaf, has, x, y = node.kind in LEAVES, state.gradient is not None, box.x, box.y
        r, split, low = 23 if leaf else 8, box.x + box.split, box.y + box.height
        if current:
            self.add("rect", x=x - 5, y=y - 5, width=box.width + 10, height=box.height + 10, rx=r + 4, fill="none",
                     stroke=RINGS.get(self.event.kind, "text2"), stroke_width=3)
        right = f"M{split} {y}H{box.right - r}a{r} {r} 0 0 1 {r} {r}V{low - r}a{r} {r} 0 0 1 {-r} {r}H{split}z"
        left = f"M{split} {y}H{x + r}a{r} {r} 0 0 0 {-r} {r}V{low - r}a{r} {r} 0 0 0 {r} {r}H{split}"
        ink = self.ground(node, state, left, right)
        caption = ".grad" if leaf else fit(f"∂ {self.root}", box.right - split - 8, 11.5)
        if not leaf and state.arrived and (not state.done or current):
            caption = f"{state.arrived} of {state.expected} arrived"
            if state.arrived == state.expected > 1:
                caption = f"Σ {caption}"
        gradient = tensor_text(state.gradient, gradient=True) if has else self.nothing(node)
        middle, room = (split + box.right) / 2 - (3 if leaf else 0), box.right - split - 4
        if has and state.gradient.size > 1 and text_width(gradient, 12.5) > room:    # numbers are not cut
            gradient = f"norm {number(norm(state.gradient))}"
        bold = has and text_width(gradient, 12.5, True) <= room
        self.text(middle, y + 19, caption, ink, 11.5, text_anchor="middle")
        self.text(middle, y + 36, fit(gradient, room, 12.5, bold), ink, 12.5, bold, text_anchor="middle")
        if node.saved:
            self.tab(node, box, released=state.done and not current)

    def ground(self, node: TraceNode, state: State, left: str, right: str) -> str:
        """Fill the two parts of a box; the colour of what stands in the right one."""
        if node.kind in CUT_STYLES:
            fill, stroke = CUT_STYLES[node.kind]
            self.add("path", d=right, fill=fill, stroke=stroke, **DASHED)
            self.add("path", d=left, fill=fill, stroke=stroke, stroke_width=1.2, **DASHED)
            return "error" if node.kind == "severed" else "frozen"
        has, leaf = state.gradient is not None, node.kind == "leaf"
        fill, stroke, ink = "page", "border-quiet", "text3"
        if has:
            fill, stroke, ink = "gradient-tint", "gradient-solid", "gradient"
        if not finite(state.gradient):
            fill, stroke, ink = self.stripe(), "error", "error"
        self.add("path", d=right, fill=fill, stroke=stroke)
        fill, stroke = ("card", "text2" if leaf else "border") if finite(state.value) else (self.stripe(), "error")
        self.add("path", d=left, fill=fill, stroke=stroke, stroke_width=2 if leaf else 1.2)
        return ink

    def stripe(self) -> str:
        self.striped = True
        return STRIPED

    def nothing(self, node: TraceNode) -> str:
        """What stands where no gradient has come."""
        return {"leaf": "None", "frozen": "frozen", "severed": "no gradient"}.get(node.kind, "not yet")

    def names(self, node: TraceNode, box: Box, state: State, shape: tuple | None) -> None:
        """The sign, the name and the value."""
        x, y, sign, room = box.x, box.y, describe.sign(node), box.split - 50
        self.add("circle", cx=x + 23.5, cy=y + 23, r=14, fill="value-tint", stroke="value", stroke_opacity=0.5)
        self.text(x + 23.5, y + 28, sign, "value", 10.5 if len(sign) > 2 else 13, True, text_anchor="middle")
        strong, rest = describe.split_name(node.name)
        apart = node.kind in LEAVES and len(node.label) > LONG_LABEL
        whole = node.label if apart else strong
        light = text_width(whole, 13.5, True) > room >= text_width(whole, 12.5)
        name = whole if light else fit_path(whole, room, 13.5, True)
        spans = tag("tspan", name, font_size=12.5) if light else tag("tspan", name, font_weight=700)
        if rest and not light and text_width(name, 13.5, True) + text_width(rest, 12.5) <= room:
            spans += tag("tspan", rest, font_size=12.5, fill="text3")
        self.parts.append(f'<text x="{x + 45}" y="{y + 20}" font-size="13.5" fill="{LIGHT["text"]}">{spans}</text>')
        value = describe.value_line(replace(node, label="") if apart else node, state.value, shape)
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

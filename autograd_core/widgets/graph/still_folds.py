"""A still of a large graph: its folds, and norms in place of numbers."""

from collections.abc import Iterable

import numpy as np

from ...trace import Trace, TraceNode
from ...trace.summary import Value, norm
from ..kit.format import number
from ..kit.svg import tag
from ..kit.text import fit, fit_path, text_width
from ..kit.theme import LIGHT
from . import describe
from .figure import Figure, Frame, Item, Line, dot_name, figure
from .folds import is_operation, leaf_name
from .layout.boxes import Box
from .layout.large import large_layout
from .layout.routes import Route
from .layout.sizes import cut_text
from .still_nodes import DASHED, RINGS, Drawing, State, finite

CLOSED, OPEN = "M0 -5l6 5-6 5z", "M-1 -3h9l-4.5 6z"


def brief(value: Value) -> str:
    """One number for a tensor: the number it is, or its norm."""
    return number(np.ravel(value)[0] if np.size(value) == 1 and not np.iscomplexobj(value) else norm(value))


class FoldedDrawing(Drawing):
    """The parts of such a still. Boxes are those of the items of `figure`, then those of its frames."""

    def __init__(self, trace: Trace, known: list[State], at: int, opened: Iterable[str] = ()):
        self.figure: Figure = figure(trace, opened)
        super().__init__(trace, large_layout(self.figure), known, at)

    def draw(self) -> None:
        items, boxes = self.figure.items, self.placed.boxes
        for frame, box in zip(self.figure.frames, boxes[len(items):]):
            self.frame(frame, box)
        for line, route in zip(self.figure.lines, self.placed.routes):
            self.folded_line(line, route)
        for item, box in zip(items, boxes):
            operations = [i for i in item.nodes if is_operation(self.trace.nodes[i].kind)]
            if not operations or any(self.known[i].recorded for i in operations):
                self.item(item, box)
            else:
                self.rect(box, rx=8, fill="none", stroke="border-quiet")

    def described(self) -> list[tuple[int, str]]:
        return [(self.shown(item), item.fold.name if item.fold else "") for item in self.figure.items]

    def shown(self, item: Item) -> int:
        """The node whose numbers an item shows: the last operation of a fold."""
        return next((i for i in reversed(item.nodes) if is_operation(self.trace.nodes[i].kind)), item.nodes[0])

    def frame(self, frame: Frame, box: Box) -> None:
        self.rect(box, rx=10, fill="page", stroke="text", stroke_width=1.8)
        self.add("path", d=OPEN, transform=f"translate({box.x + 15} {box.y + 20})", fill="text2")
        self.title(box.x + 32, box.y + 25, frame.fold.name, frame.fold.kind, 138)
        self.text(box.right - 14, box.y + 25, f"{frame.fold.own} nodes", "text2", 12, text_anchor="end")

    def rect(self, box: Box, **attributes) -> None:
        self.add("rect", x=box.x, y=box.y, width=box.width, height=box.height, **attributes)

    def title(self, x: int, y: int, name: str, kind: str, room: float) -> None:
        """A fold's name, and as much of its class as there is room for."""
        name = fit(name, room, 13.5, True)
        spans, left = tag("tspan", name, font_weight=700), room - text_width(name, 13.5, True) - 8
        if kind and left > 24:
            spans += tag("tspan", fit(kind, left, 12.5), font_size=12.5, fill="text3", dx=7)
        self.parts.append(f'<text x="{x}" y="{y}" font-size="13.5" fill="{LIGHT["text"]}">{spans}</text>')

    def folded_line(self, line: Line, route: Route) -> None:
        sent = [self.sent[edge] for edge in line.edges if edge in self.sent]
        ends = {self.figure.items[end].kind for end in (line.producer, line.consumer)}
        self.line(route, bool(sent), line.cut, heads="dot" not in ends)
        for (x, y), dot in zip(route.dots, line.dots):
            self.add("circle", cx=x, cy=y, r=4, fill="card", stroke="gradient-solid" if sent else "border")
            self.text(x, y - 8, dot_name(self.trace, dot), "text2", 11.5, text_anchor="middle")
        if not route.pill:
            return
        if cut_text(line.cut):
            self.scissors(route, line.cut)
        elif sent:
            (when, gradient), *others = sent
            text = f"{len(sent)} sent" if others else brief(gradient)
            self.pill(route.pill, "↑" if route.brief else f"↑ {text}", now=any(number == self.at for number, _ in sent))

    def item(self, item: Item, box: Box) -> None:
        node = self.shown(item)
        state, middle = self.known[node], box.y + box.height // 2
        if self.event is not None and self.event.node in item.nodes:
            self.add("rect", x=box.x - 5, y=box.y - 5, width=box.width + 10, height=box.height + 10, fill="none",
                     rx=box.height // 2 + 5 if item.kind in ("leaf", "plus", "dot") else 12,
                     stroke=RINGS.get(self.event.kind, "text2"), stroke_width=3)
        if item.kind in ("plus", "dot"):
            self.small(item, box, state)
            return
        self.parted(item, self.trace.nodes[node], box, state)
        if item.fold:
            self.add("path", d=CLOSED, transform=f"translate({box.x + 13} {middle})", fill="text2")
            self.title(box.x + 28, middle - 3, item.fold.name, item.fold.kind, box.split - 34)
            norm = "" if state.value is None else brief(state.value)
            self.text(box.x + 28, middle + 13, f"{item.fold.own} nodes" + (" · " if norm else ""), "text2", 12)
            self.text(box.x + 32 + text_width(f"{item.fold.own} nodes · ", 12), middle + 13, norm, "value")
        elif item.kind == "leaf":
            name = leaf_name(self.trace, self.trace.nodes[node].label) or "leaf"
            self.text(box.x + 14, middle + 4.5, fit_path(name, box.split - 18, 13.5, True), "text", 13.5, True)
        else:
            self.operation(self.trace.nodes[node], box, state)

    def small(self, item: Item, box: Box, state: State) -> None:
        r, x, y = box.width // 2, box.x + box.width // 2, box.y + box.height // 2
        dashes = DASHED if item.severed else {}
        fill = "card" if finite(state.value) and finite(state.gradient) else self.stripe()
        stroke = "border" if state.gradient is None else "gradient-solid"
        self.add("circle", cx=x, cy=y, r=r, fill=fill, stroke=stroke, **dashes)
        if item.kind == "plus":
            self.text(x, y + 5.5, "+", "text", 16, True, text_anchor="middle")
        else:
            self.text(box.right + 7, y + 4, dot_name(self.trace, item.nodes[0]), "text2", 11.5)

    def parted(self, item: Item, node: TraceNode, box: Box, state: State) -> None:
        """The two parts of a box, and the gradient's norm in the right one."""
        x, y, low, split = box.x, box.y, box.y + box.height, box.x + box.split
        r = box.height // 2 if item.kind == "leaf" else 8
        right = f"M{split} {y}H{box.right - r}a{r} {r} 0 0 1 {r} {r}V{low - r}a{r} {r} 0 0 1 {-r} {r}H{split}z"
        left = f"M{split} {y}H{x + r}a{r} {r} 0 0 0 {-r} {r}V{low - r}a{r} {r} 0 0 0 {r} {r}H{split}"
        ink, has = self.ground(node, state, left, right), state.gradient is not None
        text = brief(state.gradient) if has else self.nothing(node)
        middle, text = (split + box.right) / 2, fit(text, box.right - split - 6, 12.5, has)
        self.text(middle, y + box.height / 2 + 4.5, text, ink, 12.5, has, text_anchor="middle")

    def operation(self, node: TraceNode, box: Box, state: State) -> None:
        x, middle, sign, room = box.x, box.y + box.height // 2, describe.sign(node), box.split - 50
        self.add("circle", cx=x + 23.5, cy=middle, r=13, fill="value-tint", stroke="value", stroke_opacity=0.5)
        self.text(x + 23.5, middle + 5, sign, "value", 10.5 if len(sign) > 2 else 13, True, text_anchor="middle")
        self.text(x + 45, middle - 3, fit(describe.split_name(node.name)[0], room, 13.5, True), "text", 13.5, True)
        norm = "not recorded" if state.value is None else brief(state.value)
        self.text(x + 45, middle + 13, fit(f"{node.label} = {norm}" if node.label else norm, room, 12.5), "value")

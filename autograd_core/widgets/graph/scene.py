"""The picture of a trace, drawn once: its boxes, lines and source lines, as the text of an
SVG element.

Each part that changes has a class: boxes are `.ac-node` with their index in `data-box`, lines are
`.ac-edge`, and their labels are `.ac-pill`. A `data-slot` takes a text of changes.py that fits into
`data-room` pixels. A state is a class, and js/graph/picture.css has the style. The page gets the
scene with empty slots. A still is the scene with all changes up to one event."""

from ...trace import Trace, TraceNode
from ...trace.rows import place_of
from ..kit.format import shorten
from ..kit.svg import HALF, HALF_NEGATIVE, STRIPES, tag
from ..kit.text import chosen, equation, fit, fit_path, text_width
from . import describe
from .changes import shown
from .folds import LEAVES, once
from .layout.boxes import Band, Box, Layout
from .layout.routes import arrowhead, head_size, path, shortened
from .layout.sizes import (
    BESIDE_LABEL,
    BIG,
    BRIEF,
    CODE_ROW,
    INSET,
    LETTERS,
    PILL_HEIGHT,
    TAB_ROOM,
    tab_names,
    tab_text,
    tab_width,
)
from .shapes import SAMPLES, around, el, group, legend, outline, text

BOOKMARK = "M0 0h8v10l-4-3.2-4 3.2z"
SCISSORS = (
    "M1.2 10.8a2.2 2.2 0 1 1 3.4-1.3l8.2-6.6M4.6 4.5a2.2 2.2 0 1 0-3.4-1.3 2.2 2.2 0 0 0 3.4"
    " 1.3l8.2 6.6"
)
CLOSED, OPEN = "M0 -5l6 5-6 5z", "M-1 -3h9l-4.5 6z"
PHASES = {"accumulate": "backward"}
CIRCLE = 10.5  # radius of a folded transpose
PATTERNS = (
    f'<defs><pattern id="{STRIPES}" width="7" height="7" patternUnits="userSpaceOnUse"'
    ' patternTransform="rotate(45)"><rect class="ac-stripe-ground" width="7" height="7"/><rect'
    ' class="ac-stripe" width="2" height="7"/></pattern>'
    + "".join(
        f'<pattern id="{name}" width="1" height="1" patternContentUnits="objectBoundingBox"><rect'
        f' class="ac-unfilled" width="1" height="0.5"/><rect class="ac-filled{sign}" y="0.5"'
        ' width="1" height="0.5"/></pattern>'
        for name, sign in ((HALF, ""), (HALF_NEGATIVE, "-negative"))
    )
    + "</defs>"
)


@once
def _known(trace: Trace) -> dict[tuple, str]:
    """The contents of boxes, without positions: several pictures share a box."""
    return {}


class Scene:
    """One layout of the result of `drawn_of`. With `changes`, it shows the state after event `k`."""

    def __init__(
        self,
        trace: Trace,
        drawn: dict,
        placed: Layout,
        changes: dict | None = None,
        k: int = 0,
    ):
        self.trace, self.drawn, self.placed, self.changes, self.k = trace, drawn, placed, changes, k
        self.event = trace.events[k - 1] if changes and k else None
        self.line_now = trace.nodes[self.event.node].line if self.event else None

    def svg(self) -> str:
        large = " ac-large" * self.drawn["large"] + " ac-big" * (self.placed.number == BIG)
        large += " ac-narrow" * (self.placed.glyph < INSET)
        phase = f" ac-in-{PHASES.get(self.event.kind, self.event.kind)}" if self.event else ""
        width, height = self.placed.width, self.placed.height
        lines, boxes = range(len(self.drawn["lines"])), range(len(self.drawn["boxes"]))
        # frames are the last boxes
        first_frame = len(boxes) - len(self.drawn["open"])
        parts = [
            PATTERNS,
            *self.bands(),
            *map(self.box, boxes[first_frame:]),
            *map(self.line, lines),
            *self.sources(),
            *map(self.box, boxes[:first_frame]),
            *map(self.pill, lines),
            self.start(),
            legend(self.placed.legend, self.drawn["large"], self.sizes_of_widths()),
        ]
        size = {"width": width, "height": height, "viewBox": f"0 0 {width} {height}"}
        picture = el("svg", f"ac-picture{large}{phase}", **size, role="group", aria_label="Graph")
        return around(picture, *parts)

    # ---- texts in slots ----

    def said(self, kind: str, i: int, slot: str, empty: object = "") -> object:
        """The text of a track after event `k` in a still, or `empty` on the page."""
        track = self.changes[kind][i].get(slot, []) if self.changes is not None else []
        return shown(track, self.k, empty)

    def slot(
        self,
        i: int,
        name: str,
        x: float,
        y: float,
        style: str,
        room: float,
        *,
        size: float = 0,
        of: str = "",
        anchor: str = "",
    ) -> str:
        """A text of a box that changes. The prefix is `of`, as in "p = ". The text of a gradient is
        bold if the box has a gradient.
        """
        texts, content, size = self.said("boxes", i, name, []), "", size or self.placed.number
        has = name == "gradient" and "ac-has" in self.said("boxes", i, "class").split()
        if texts:
            content, light = (
                chosen(texts, room, size) if has else (equation(of, texts, room, size), False)
            )
            style += " ac-l" * light
        more = {"data_of": of} if of else {}
        if size != 12.5:
            more["data_font"] = f"{size:g}px"
        return text(x, y, style, content, anchor, data_slot=name, data_room=f"{room:g}", **more)

    def name(self, x: float, y: float, strong: str, rest: str, room: float, gap: int = 0) -> str:
        """A name in bold, or in light letters if bold has no room. The rest follows if all of it has
        room, and after a gap it may be cut. The page does the same with the width that letters
        have there."""
        style = "ac-b"
        if self.changes is not None:
            bold, light = fit_path(strong, room, 13.5, True), fit_path(strong, room, 12.5)
            if bold != strong and (
                light == strong or (bold.endswith("…") and not light.endswith("…"))
            ):
                strong, style, rest = light, "ac-l", ""
            else:
                strong, left = bold, room - gap - text_width(bold, 13.5, True)
                cut = gap and left >= 24
                rest = fit(rest, left, 12.5) if cut or text_width(rest, 12.5) <= left else ""
        look = {"dx": gap - 5} if gap else {}
        quiet = [" " * bool(gap), el("tspan", "ac-q", rest, **look)] * bool(rest)
        return around(
            text(x, y, "ac-name", data_room=f"{room:g}", data_gap=gap),
            el("tspan", style, strong),
            *quiet,
        )

    # ---- boxes ----

    def box(self, i: int) -> str:
        data, place = self.drawn["boxes"][i], self.placed.boxes[i]
        kind, draw, w, h = data["kind"], self.node, place.width, place.height
        style = f"ac-{kind}" if kind == "frame" else f"ac-{self.node_of(data).kind}"
        radius = h / 2 if kind in ("leaf", "plus", "dot") else 8.0
        if kind == "frame":
            radius, draw = 10.0, self.frame
        elif kind == "fold":
            style, draw = "ac-fold" + " ac-severed" * data["severed"], self.fold
        elif kind in ("plus", "dot"):
            style, draw = f"ac-small ac-small-{kind} {style}", self.small
        elif kind == "constant":
            draw = self.constant
        now = self.event is not None and self.event.node in data["nodes"]
        words = [
            f"ac-node {style}",
            "ac-at-rest" * bool(data.get("rest")),
            "ac-writes" * any(s.writer in data["nodes"] for s in self.trace.stale),
            self.said("boxes", i, "class"),
            "ac-current" * now,
        ]
        key = kind, data.get("key"), *data["nodes"], w, h, place.split
        known = _known(self.trace) if self.changes is None else {}
        if key not in known:
            rings = [
                el("rect", name, x=-d, y=-d, width=w + 2 * d, height=h + 2 * d, rx=radius + d - 1)
                for name, d in (("ac-ring", 5), ("ac-focus", 4))
            ]
            known[key] = " ".join(["<title/>", *rings, *draw(i, data, place)])  # apart in its name
        own = {"data_fold": data["key"]} if "key" in data else {"data_node": data["nodes"][0]}
        return group(
            " ".join(filter(None, words)),
            known[key],
            transform=f"translate({place.x} {place.y})",
            data_box=i,
            **own,
            role="button",
            tabindex=-1,
        )

    def node_of(self, data: dict) -> TraceNode:
        return self.trace.nodes[data["nodes"][0]]

    def constant(self, i: int, data: dict, box: Box) -> list[str]:
        label = shorten(self.node_of(data).label, 200)
        middle, room = box.width / 2, box.width - 8
        ground = el("rect", "ac-box", width=box.width, height=box.height, rx=6)
        look = {"size": 13 if self.placed.glyph < INSET else 11.5, "anchor": "middle"}
        if not label:
            return [ground, self.slot(i, "value", middle, 19, "ac-constant-value", room, **look)]
        return [
            ground,
            text(middle, 13, "ac-constant-name", fit(label, room, 12, True), "middle"),
            self.slot(i, "value", middle, 25, "ac-constant-value", room, **look),
        ]

    def node(self, i: int, data: dict, box: Box) -> list[str]:
        """An operation or a leaf: name and value on the left, the gradient field on the right. In a
        large graph, boxes have no caption, and a leaf has only its name.
        """
        node, large, middle = self.node_of(data), self.drawn["large"], box.height / 2
        leaf = node.kind in LEAVES
        label, (short, rest) = shorten(node.label, 200), describe.split_name(node.name)
        if leaf:
            short, rest, label = data["name"], "", ""
        start, centre = self.placed.glyph, (box.split + box.width) / 2 - 2 * leaf
        start, off = INSET if leaf else start, (self.placed.number - 12.5) * 0.6
        parts = [*outline(box.width, box.height, box.split, min(middle, 21) if leaf else 8)]
        room, bare = box.split - start, leaf and large
        parts.append(
            self.name(start, middle + 4.5 if bare else middle - 3 - off, short, rest, room - 2)
        )
        if not bare:
            parts.append(
                self.slot(
                    i, "value", start, middle + 12 + off, "ac-number ac-value", room - 5, of=label
                )
            )
        compartment, caption = box.width - box.split - 8 - 2 * leaf, (centre, middle - 5 - off)
        if leaf and not large:
            parts.append(text(*caption, "ac-caption", ".grad", "middle"))
        elif not large:
            look = {"size": 11, "anchor": "middle"}
            parts.append(self.slot(i, "caption", *caption, "ac-caption", compartment, **look))
        parts.append(
            self.slot(
                i,
                "gradient",
                centre,
                middle + (4.5 if large else 11 + off),
                "ac-number ac-gradient",
                compartment,
                anchor="middle",
            )
        )
        if not large:
            parts.append(self.tab(data["nodes"][0]))
        if not leaf and start > INSET:
            sign = describe.sign(node)
            parts.append(el("circle", "ac-glyph", cx=22, cy=middle, r=13))
            long = " ac-long" * (len(sign) > 2)
            parts.append(text(22, middle + 5, f"ac-sign{long}", sign, "middle"))
        return parts

    def tab(self, index: int) -> str:
        """The bookmark on a box: its saved tensors, or a saved tensor that it modified in place."""
        words, whole = tab_text(self.trace, index), tab_names(self.trace, index)
        parts = [
            el("rect", "", width=tab_width(self.trace, index), height=17, rx=3),
            el("path", "ac-mark", d=BOOKMARK, transform="translate(7 3)"),
            text(19, 12.5, "", words, data_font="12px"),
        ]
        room = {"data_pad": 27, "data_room": TAB_ROOM, "data_whole": whole}
        return group("ac-tab", *parts, **room, transform="translate(6 -17)") if whole else ""

    def small(self, _i: int, data: dict, box: Box) -> list[str]:
        """A sum as a round sign, or an operation that only changes the shape as a dot."""
        x, y = box.width / 2, box.height / 2
        return [
            el("circle", "ac-box", cx=x, cy=y, r=x),
            (
                text(x, y + 5.5, "ac-plus-sign", "+", "middle")
                if data["kind"] == "plus"
                else text(box.width + 7, y + 4, "ac-shape-name", data["name"])
            ),
        ]

    def fold(self, i: int, data: dict, box: Box) -> list[str]:
        """A closed fold, with the norm of its output and the norm of the gradient that it received."""
        middle, size = box.height / 2, f"{data['count']} node{'s' * (data['count'] != 1)}"
        value = next(iter(self.said("boxes", i, "value", [])), "")
        amount = (
            el("tspan", "ac-q", size),
            el("tspan", "", f" · {value}" if value else "", data_slot="value", data_lead=" · "),
        )
        return [
            *outline(box.width, box.height, box.split, 8),
            el("path", "ac-triangle", d=CLOSED, transform=f"translate(13 {middle:g})"),
            self.name(28, middle - 3, data["name"], data["type"], box.split - 34, gap=8),
            around(text(28, middle + 13, "ac-number ac-value"), *amount),
            self.slot(
                i,
                "gradient",
                (box.split + box.width) / 2,
                middle + 4.5,
                "ac-number ac-gradient",
                box.width - box.split - 6,
                anchor="middle",
            ),
        ]

    def frame(self, _i: int, data: dict, box: Box) -> list[str]:
        """The frame around an open fold."""
        size = f"{data['count']} node{'s' * (data['count'] != 1)}"
        flat = f", {data['flat']} of them shape only" if data["flat"] else ""
        return [
            el("rect", "ac-ground", width=box.width, height=box.height, rx=10),
            el("rect", "ac-grip", x=4, y=4, width=box.width - 8, height=32, rx=7),
            el("path", "ac-triangle", d=OPEN, transform="translate(15 20)"),
            self.name(32, 25, data["name"], data["type"], 138, gap=8),
            text(box.width - 14, 25, "ac-count", size + flat, "end"),
        ]

    # ---- lines ----

    def line(self, i: int) -> str:
        """The line of one edge, or of all edges between two boxes."""
        data, route = self.drawn["lines"][i], self.placed.routes[i]
        thick = self.said("lines", i, "weight")
        weight = {"stroke_width": thick} if thick else {}
        first, tail = shortened(route.points)
        parts = [
            el("path", "ac-line", d=path(first), **weight),
            el("path", "ac-line ac-tail", d=path(tail)),
        ]
        for way, end, points in (("down", "to", route.points), ("up", "from", route.points[::-1])):
            if not data["cut"] and self.drawn["boxes"][data[end]]["kind"] != "dot":
                x, y = points[-1]
                scale = f" scale({head_size(thick)})" if thick and way == "up" else ""
                place = {"transform": f"translate({x} {y}){scale}"}
                parts.append(el("path", f"ac-head ac-{way}", d=arrowhead(points), **place))
        for (x, y), (node, name) in zip(route.dots, data["dots"]):
            inside = not self.drawn["large"]
            parts.append(
                group(
                    "ac-way",
                    el("circle", "ac-box", cx=x, cy=y, r=CIRCLE if inside else 4),
                    text(x, y + 4 if inside else y - 8, "ac-shape-name", name, "middle"),
                    data_node=node,
                )
            )
        words = ["ac-edge", "ac-cut" * bool(data["cut"]), self.said("lines", i, "class")]
        return group(" ".join(filter(None, words)), *parts)

    def pill(self, i: int) -> str:
        """The label of a line: the gradient that it carried, or the reason why it carries none."""
        data, route = self.drawn["lines"][i], self.placed.routes[i]
        if not route.pill:
            return ""
        cut, brief, mark, size = data["cut"], route.room == BRIEF, "", self.placed.edge
        room = 1000 if self.drawn["large"] else route.room - BESIDE_LABEL
        if cut:
            style, content, pad = "ac-shown ac-severs", "" if brief else data["label"], 44
        else:
            texts = self.said("lines", i, "pill", [])
            sending = self.event is not None and any(
                edge in data["edges"] for edge, _ in self.event.sent
            )
            style, pad = f"{self.said('lines', i, 'class')}{' ac-sending' * sending}", BESIDE_LABEL
            fitting = (each for each in texts if text_width(each, size, True) <= room)
            content = next(fitting, texts[-1]) if texts else ""
        letters, ends = text_width(content, 12 if cut else size, True), pad if content else BRIEF
        # wide enough for wider fonts if the line has room
        width = round(min(letters * LETTERS, max(letters, route.room - ends))) + ends
        if cut:
            inset = 12 if content else 7
            mark = el(
                "path",
                "ac-mark ac-scissors",
                d=SCISSORS,
                transform=f"translate({inset - width / 2:g} -7)",
                data_inset=inset,
            )
        slot = {} if cut else {"data_slot": "pill", "data_font": f"bold {size:g}px"}
        label = text(10 if cut else 0, 4 if cut else size * 0.35, "", content, "middle", **slot)
        half = PILL_HEIGHT // 2
        ground = el("rect", "", x=-width / 2, y=-half, width=width, height=PILL_HEIGHT, rx=half)
        return group(
            f"ac-pill {style}".strip(),
            tag("title", data["label"]),
            ground,
            label,
            mark,
            transform=f"translate({route.pill[0]} {route.pill[1]})",
            aria_hidden="true",
            data_line=i,
            data_pad=pad if content or not cut else BRIEF,
            data_room=room,
        )

    # ---- bands, notes and the legend ----

    def is_now(self, band: Band) -> bool:
        """Whether the event belongs to this source line."""
        return band.line is not None and band.line == self.line_now

    def bands(self) -> list[str]:
        return [
            group(
                "ac-band" + " ac-now" * self.is_now(band),
                el(
                    "rect",
                    "ac-floor",
                    x=band.x,
                    y=band.y,
                    width=band.width,
                    height=band.height,
                    rx=6,
                ),
                el("rect", "ac-bar", x=band.x, y=band.y, width=3, height=band.height, rx=1),
                **({} if band.line is None else {"data_line": band.line}),
            )
            for band in self.placed.bands
        ]

    def sources(self) -> list[str]:
        bands = [band for band in self.placed.bands if band.line is not None]
        return [self.source(band, *band.code) for band in bands]

    def source(self, band: Band, x: int, y: int) -> str:
        """The source line of a band. Its title names the file and the line."""
        lines = [
            text(x, y + 4 + i * CODE_ROW, "", line, style="white-space: pre")
            for i, line in enumerate(band.text)
        ]
        place, words = place_of(self.trace, band.line), "ac-source" + " ac-now" * self.is_now(band)
        return group(words, tag("title", place) if place else "", *lines, data_line=band.line)

    def start(self) -> str:
        """The note at the box where backward() starts."""
        root = describe.root_of(self.trace)
        if not self.placed.start or not any(
            (e.kind, e.node) == ("backward", root) for e in self.trace.events
        ):
            return ""
        right, y = self.placed.start
        words = "" if self.changes is None else shown(self.changes["start"], self.k)
        return group(
            "ac-start" + " ac-shown" * bool(words),
            el("path", "", d=f"M{right + 34} {y + 19}h-24"),
            el("path", "ac-tip", d=f"M{right + 2} {y + 19}l9 -4.5v9z"),
            text(right + 42, y + 16, "", "backward() starts here:"),
            text(right + 42, y + 32, "ac-gradient ac-b", words, data_slot="start"),
            aria_hidden="true",
        )

    def sizes_of_widths(self) -> list[str]:
        """The gradient sizes of the three widths in the legend, or "" before the first gradient."""
        empty = [""] * len(SAMPLES[0])
        return empty if self.changes is None else shown(self.changes["legend"], self.k, empty)

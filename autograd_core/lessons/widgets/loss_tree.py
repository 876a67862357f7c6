"""One backward pass through several losses: a tree from their sum down to the kernels and the trunk,
next to a table of the gradients that each loss sends to each of them."""

from collections.abc import Sequence

import numpy as np
import traitlets

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number, shorten
from ...widgets.kit.live import Live
from ...widgets.kit.shade import DEPTHS, LEVELS, OPACITIES, ceiling, shaded, signed
from ...widgets.kit.sheet import Sheet
from .maps import ink_on, legend, title

PLACES = ["on", "detached", "off"]
TREE, PLUS, BOX = 126, 56, 34  # height of the tree, middle of its plus, height of a loss
MAPS = {
    "wide": (160, 22.6),
    "narrow": (72, 20),
}  # the size of a map, its largest share of the width
EDGE, MOST = 11.5, 12.8  # percent: the middle of the first map; at most from one map to the next
NAMES, HEAD, ROW = 20, 24, 28  # percent for the names of the rows; heights
WORDS, JOINT, BAR = 34, 22, 26  # height of a map's words, of the edges to the trunk, of the trunk
STILL, MARGIN = 760, 16
KEY = (
    "maps: gradient of the total, with its largest absolute value · a wider edge carries more",
    "table: norm of the gradient that a loss sends to these weights; a larger norm is darker",
)
UNLIT = {"stroke": "border", "stroke_width": 1.6, "stroke_dasharray": "4 4"}


class loss_tree(Live):
    """Draw the result of `run(places, **settings)`, again at every change.

    run    gets `places`, {loss: "on", "detached" or "off"}, and the settings. It returns
             "losses"       {loss: its value}
             "gradients"    {loss: its gradients (of the maps, of the kernels, of the trunk)}
             "all at once"  the same three for the sum of the losses that aren't off
    heads  {loss: the kernels whose maps it reads}
    joint  (setting, label, losses): while the setting is on, one operation combines the maps of
           these losses.

    Raises ValueError if the names don't fit the result.
    """

    view = traitlets.Unicode("lossTree").tag(sync=True)
    called = "Five losses, one number"
    wanted = "losses", "gradients", "all at once"

    def __init__(self, run, other=None, *, heads, joint=None, **options):
        self.heads, self.joint = heads, joint
        self.kernels = [kernel for kernels in heads.values() for kernel in kernels]
        self.sent = None
        options.setdefault("note", "one backward() of the total, top to bottom")
        self.shown: dict = {}
        super().__init__(run, other, **dict.fromkeys(heads, PLACES), **options)

    def arguments(self) -> dict:
        rest = self.settings
        return {"places": {name: rest.pop(name) for name in self.heads}, **rest}

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        places, before = self.arguments()["places"], self.sent
        self.places = list(places.values())
        self.order = sorted(range(len(places)), key=lambda j: self.places[j] != "off")
        sent = [ours["gradients"][name] for name in places] + [ours["all at once"]]
        self.maps, self.sent, trunk = (
            np.stack([array_of(each[i], np.float64) for each in sent]) for i in range(3)
        )
        if self.sent.shape[1] != len(self.kernels):
            raise ValueError(f"heads has {len(self.kernels)} kernels, run {self.sent.shape[1]}")
        self.end = ceiling(self.maps[-1])
        self.table = np.linalg.norm(self.sent.reshape(*self.sent.shape[:2], -1), axis=2)
        self.trunk, self.weights = np.linalg.norm(trunk, axis=1), trunk.shape[1]
        norms = np.linalg.norm(self.maps[:-1].reshape(*self.table[:-1].shape, -1), axis=2)
        edges = np.concatenate([[1.0], norms.ravel(), self.trunk[:-1]])
        edges = edges[np.isfinite(edges) & (edges > 0)]
        self.smallest, self.largest = edges.min(), edges.max()
        self.values = [float(array_of(ours["losses"][name])) for name in places]
        self.total = sum(v for v, place in zip(self.values, self.places) if place != "off")
        both = (self.maps, self.sent, trunk)
        apart = max(np.abs(each[:-1].sum(0) - each[-1]).max() for each in both)
        difference = "no difference" if apart == 0 else f"at most {number(apart)} apart"
        return {
            "tree": self._tree(True).svg(repr(self)),
            **{form: self._leaves(form, True).svg("Gradients", role="group") for form in MAPS},
            "table": self._table(True).svg("Norms of the gradients", role="table"),
            "end": self.end,
            "key": ". ".join(KEY),
            "columns": [len(kernels) for kernels in self.heads.values()],
            "difference": f"One backward of the sum, and one for each loss, added up: {difference}.",
            "told": self._told(self.sent[-1] if before is None else before[-1]),
        }

    def _told(self, before: np.ndarray) -> str:
        """Describe how the last change of a setting changed the gradients of the total."""
        former, self.shown = self.shown, self.settings
        changed = [f"{k} {v}" for k, v in self.shown.items() if former and v != former[k]]
        pairs = zip(self.kernels, before, self.sent[-1])
        new = {name: now.any() for name, old, now in pairs if not np.array_equal(old, now)}
        none, moved = ([name for name in new if new[name] == any_] for any_ in (False, True))
        parts = [f"no gradient arrives at {' and '.join(none)}"] if none else []
        parts += [f"the gradient changes at {' and '.join(moved)}"] if moved else []
        rest = f"{'the other' if new else 'all'} {len(self.kernels) - len(new)} kernels"
        parts += [f"{rest} are unchanged", f"trunk {number(self.trunk[-1])}"]
        return f"{', '.join(changed)}: {'; '.join(parts)}" if changed else ""

    # ---- places, in percent of the width

    def _centre(self, kernel: int) -> float:
        return EDGE + kernel * (100 - 2 * EDGE) / max(1, len(self.kernels) - 1)

    def _losses(self) -> list[tuple[str, float, list[int]]]:
        """Each loss: its name, its place, and the indices of the kernels whose maps it reads."""
        found, first = [], 0
        for name, kernels in self.heads.items():
            reads = [*range(first, first + len(kernels))]
            found.append((name, self._centre(first) + self._centre(reads[-1]), reads))
            first += len(kernels)
        return [(name, both / 2, reads) for name, both, reads in found]

    def _reached(self, loss: int, reads: Sequence[int]) -> list[int]:
        """The maps that receive a gradient from a loss, or the maps that it reads if none does."""
        found = [k for k, plane in enumerate(self.maps[loss]) if plane.any()]
        return found if self.places[loss] != "off" and found else [*reads]

    def _pen(self, loss: int, size: float = 1.0) -> dict:
        """The line along which a loss sends its gradient: the wider, the larger its norm is."""
        if self.places[loss] == "off":
            return UNLIT
        if not size:
            return {"stroke": "border", "stroke_width": 1}
        decades = np.clip(np.log10(self.largest / self.smallest), 1, 8)
        share = np.clip(1 + np.log10(size / self.largest) / decades, 0, 1)
        width = round(2 + 8 * float(share), 2)
        return {"stroke": "gradient-solid", "stroke_linecap": "round", "stroke_width": width}

    # ---- the picture

    def _tree(self, live: bool) -> Sheet:
        """The total, the plus, and the losses: a 1 on each edge."""
        sheet, losses = Sheet(STILL, TREE, live, fluid=True), self._losses()
        middle, half = _percent(50), MOST / 2 - 0.4
        first = next((j for j, place in enumerate(self.places) if place != "off"), None)
        if first is not None:
            sheet.line(middle, middle, 22, PLUS, **self._pen(first))
            _mark(sheet, 50, 33)
        for j in self.order:
            name, x, _ = losses[j]
            with sheet.within("g", part=str(j)):
                sheet.line(middle, _percent(x), PLUS, PLUS, **self._pen(j))
                sheet.line(_percent(x), _percent(x), PLUS, TREE - BOX, **self._pen(j))
                off = self.places[j] == "off"
                looks = {"fill": "card", "stroke": "border" if off else "text", "stroke_width": 1.5}
                looks["stroke_dasharray"] = "4 4" if off else None
                box = _percent(x - half), TREE - BOX, _percent(2 * half), BOX - 2
                sheet.rect(*box, rx=5, **looks)
                head = {"weight": 700, "anchor": "middle"}
                sheet.text(shorten(name, 12), _percent(x), TREE - 20, "text2", **head)
                value = "off" if off else number(self.values[j])
                sheet.text(value, _percent(x), TREE - 6, "text2" if off else "value", **head)
                if not off:
                    _mark(sheet, x, (PLUS + TREE - BOX) / 2 + 4)
        sheet.add("circle", cx=middle, cy=PLUS, r=13, fill="card", stroke="text", stroke_width=1.5)
        sheet.text("+", middle, PLUS + 6, "text", anchor="middle", weight=700, size=18)
        with sheet.within("svg", x=middle, overflow="visible"):
            sheet.rect(-64, 1, 128, 23, rx=11.5, fill="value-tint", stroke="value")
            text = f"total {number(self.total)}"
            sheet.text(text, 0, 18, "value", anchor="middle", weight=700, size=15)
        return sheet

    def _leaves(self, form: str, live: bool) -> Sheet:
        """Below the losses: the maps that they read, in two rows, and the trunk."""
        joined = self.joint is not None and self.settings[self.joint[0]]
        leaf, top = MAPS[form][0], 80 if joined else 36
        rows = top, top + leaf + WORDS
        trunk = rows[1] + leaf + WORDS
        sheet = Sheet(STILL, trunk + JOINT + BAR + 2, live, fluid=True)
        losses = self._losses()
        for j in self.order:
            name, x, reads = losses[j]
            start = 36 if joined and name in self.joint[2] else 0
            with sheet.within("g", part=str(j)):
                if start:
                    sheet.line(_percent(x), _percent(x), 0, start, **self._pen(j))
                for k in self._reached(j, reads):
                    pen = self._pen(j, float(np.linalg.norm(self.maps[j, k])))
                    at = _percent(self._centre(k))
                    sheet.line(_percent(x), at, start, top - 8, **pen)
                    sheet.line(at, at, top - 8, rows[k % 2], **pen)
        if joined:
            xs = [x for name, x, _ in losses if name in self.joint[2]]
            box = _percent(min(xs) - 4), 16, _percent(max(xs) - min(xs) + 8), 24
            sheet.rect(*box, rx=5, fill="card", stroke="text", stroke_width=1.5)
            sheet.text(
                self.joint[1], _percent(sum(xs) / len(xs)), 32, "text", anchor="middle", weight=700
            )
        for k, name in enumerate(self.kernels):
            self._leaf(sheet, k, name, rows[k % 2], form)
        self._trunk(sheet, trunk)
        return sheet

    def _leaf(self, sheet: Sheet, kernel: int, name: str, top: float, form: str) -> None:
        (leaf, share), centre = MAPS[form], self._centre(kernel)
        plane = self.maps[-1, kernel]
        losses = [j for j in range(len(self.heads)) if self.maps[j, kernel].any()]
        place = {"x": _percent(centre - share / 2), "width": _percent(share)}
        largest = np.abs(plane).max()
        label = f"{name}: gradient up to {number(largest)}"
        with sheet.within("g", part=" ".join(map(str, losses)), role="img", aria_label=label):
            view = {"viewBox": f"0 0 {leaf} {leaf}", "preserveAspectRatio": "xMidYMin"}
            with sheet.within("svg", **place, y=top, height=leaf, **view, overflow="visible"):
                sheet.rect(0, 0, leaf, leaf, fill="card")
                _signed(sheet, plane, self.end, leaf)
                sheet.rect(0, 0, leaf, leaf, fill="none", stroke="border")
            x, name = _percent(centre), shorten(name, 12)
            sheet.text(name, x, top + leaf + 14, "text", weight=700, anchor="middle")
            words = number(float(f"{largest:.2g}")) if largest else "no gradient"
            ink = "gradient" if largest else "text2"
            sheet.text(words, x, top + leaf + 28, ink, anchor="middle")

    def _table(self, live: bool) -> Sheet:
        """A row for each kernel and one for the trunk, a column for each loss and one for all: the
        norms of the gradients."""
        known, names = np.column_stack([self.table, self.trunk]), [*self.kernels, "trunk"]
        sheet = Sheet(STILL, HEAD + ROW * len(names) + 8, live, fluid=True)
        stripes = sheet.stripes("masked", 0.45), sheet.stripes("error", 0.3)
        largest = np.max(known, where=np.isfinite(known), initial=0) or 1
        width = (100 - NAMES) / (len(self.heads) + 1)
        parts, places = [*map(str, range(len(self.heads))), None], [*self.places, "on"]
        head = {"anchor": "middle", "weight": 700, "role": "columnheader"}
        with sheet.within("g", role="row"):
            for j, (part, name) in enumerate(zip(parts, [*self.heads, "all"])):
                with sheet.within("g", part=part):
                    x = _percent(NAMES + (j + 0.5) * width)
                    sheet.text(shorten(name, 12), x, HEAD - 8, "text", **head)
        for k, name in enumerate(names):
            is_trunk = k == len(self.kernels)
            y = HEAD + k * ROW + 8 * is_trunk
            if is_trunk:
                sheet.line("0%", "100%", y - 4, y - 4, stroke="border")
            with sheet.within("g", role="row"):
                sheet.text(shorten(name, 12), 0, y + 19, "text", weight=700, role="rowheader")
                for j, (part, place) in enumerate(zip(parts, places)):
                    norm = float(known[j, k])
                    cut = "cut" if place == "detached" and is_trunk else ""
                    why = "" if norm else "off" if place == "off" else cut
                    box = {"x": _percent(NAMES + j * width), "width": _percent(width), "y": y}
                    with sheet.within("svg", **box, height=ROW, role="cell", part=part):
                        _cell(sheet, norm, why, round((norm / largest) ** 0.5, 3), stripes)
        return sheet

    def _trunk(self, sheet: Sheet, top: float) -> None:
        """The shared weights, and the edge along which each loss reaches them. It is cut if only
        the maps get a gradient."""
        for j, (_, middle, _) in enumerate(self._losses()):
            x = _percent(middle)
            with sheet.within("g", part=str(j)):
                if self.trunk[j] or self.places[j] == "off" or not self.maps[j].any():
                    pen = self._pen(j, float(self.trunk[j]))
                    sheet.line(x, x, top, top + JOINT, **{**pen, "stroke_linecap": "butt"})
                    continue
                with sheet.within("svg", x=x, y=top, overflow="visible"):
                    for up, down in ((0, 6), (15, JOINT)):
                        sheet.line(0, 0, up, down, **UNLIT)
                    for y in (6, 15):
                        sheet.line(-8, 8, y, y, stroke="error", stroke_width=2)
        place = "0.4%", top + JOINT, "99.2%", BAR
        sheet.rect(*place, rx=5, fill="card", stroke="text", stroke_width=1.5)
        text = f"trunk: {self.weights:,} shared weights"
        sheet.text(text, "50%", top + JOINT + 17, "text", anchor="middle", weight=700)

    def still(self) -> str:
        tree, leaves, table = self._tree(False), self._leaves("wide", False), self._table(False)
        height = tree.height + 20 + leaves.height + 16 + table.height
        sheet = Sheet(STILL + 2 * MARGIN, height + 2 * MARGIN)
        sheet.insert(tree, MARGIN, MARGIN, width=STILL, height=tree.height)
        y = MARGIN + tree.height + 14
        for place, (_, x, _) in zip(self.places, self._losses()):
            sheet.text(place, MARGIN + STILL * x / 100, y, "text", anchor="middle")
        sheet.insert(leaves, MARGIN, y + 6, width=STILL, height=leaves.height)
        y += leaves.height + 22
        sheet.insert(table, MARGIN, y, width=STILL, height=table.height)
        for words in KEY:
            title(sheet, words, "text2", weight=400, size=12)
        legend(sheet, self.end, "this output")
        return sheet.svg(repr(self))

    def __repr__(self) -> str:
        rows = zip([*self.heads, "all"], self.table, self.trunk)
        words = "; ".join(
            f"{name} {', '.join(map(number, row))}, trunk {number(trunk)}"
            for name, row, trunk in rows
        )
        return f"{self.title}: total {number(self.total)}. At {', '.join(self.kernels)}: {words}"


def _signed(sheet: Sheet, plane: np.ndarray, end: float, size: float) -> None:
    """A map of a gradient: positive orange, negative violet, on a scale up to `end`."""
    depth, place = signed(plane, end), {"x": 0, "y": 0, "width": size, "height": size}
    for fill, sign in (("gradient-solid", 1), ("negative-solid", -1)):
        shade = np.ceil(LEVELS * np.interp(sign * depth, DEPTHS, OPACITIES))
        sheet.parts.append(shaded(shade, fill, sheet.live, **place))


def _mark(sheet: Sheet, x: float, y: float) -> None:
    """The 1 with which a gradient starts, and which a sum passes to each of its terms."""
    sheet.add("circle", cx=_percent(x), cy=y, r=9, fill="gradient-solid", stroke="card")
    sheet.text("1", _percent(x), y + 4.5, "gradient-on-solid", anchor="middle", weight=700)


def _cell(sheet: Sheet, norm: float, why: str, share: float, stripes) -> None:
    """Draw a norm, on a darker background if it is larger, or the reason why there is none."""
    ground, ink, weight = "gradient-solid", ink_on(share, sheet.live), 700
    if why:
        ground, share, ink, weight = stripes[0], 1, "text", 400
    elif not np.isfinite(norm):
        ground, share, ink = stripes[1], 1, "error"
    elif norm == 0:
        ink, weight = "text3", 400
    if sheet.live:
        sheet.add("title", str(norm))
    looks = {"fill": ground, "fill_opacity": share, "stroke": "border-quiet"}
    sheet.rect("1.5%", 1.5, "97%", ROW - 3, rx=4, **looks)
    text = why or (number(norm) if norm else "·")
    sheet.text(text, "50%", ROW / 2 + 4, ink, anchor="middle", weight=weight)


def _percent(share: float) -> str:
    return f"{share:.4g}%"

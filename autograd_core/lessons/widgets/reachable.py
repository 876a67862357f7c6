"""Two networks, one loss, and the parameters that a tensor reaches along its pointers."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import traitlets

from ...widgets.kit.agreement import Agreement, array_of, compare
from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.theme import MONO

Place = tuple[float, float, float, float]
Spot = tuple[float, float]

NETS = "net", "net2"
KINDS = {
    "0": ("AddmmBackward0", "nn.Linear · 4×3", "Wx+b"),
    "1": ("TanhBackward0", "4×3", "tanh"),
    "2": ("AddmmBackward0", "nn.Linear · 4×1", "Wx+b"),
    "sub": ("SubBackward0", "4×1", "−"),
    "pow": ("PowBackward0", "4×1", "x²"),
    "mean": ("MeanBackward0", "", "mean"),
    "mul": ("MulBackward0", "0 ×", ""),
}
PARAMETERS = [f"{layer}.{kind}" for layer in "02" for kind in ("weight", "bias")]
NAMES = {
    **{net: [f"{net}.{each}" for each in PARAMETERS] for net in NETS},
    "out": ["net.2"],
    "out2": ["net2.2"],
    "loss": ["mean"],
}
"""What each variable of the code refers to."""
SIZES = {"wide": (820, 344), "narrow": (350, 656)}
FAR = {"stroke": "border", "stroke_dasharray": "4 4", "stroke_width": 1.5}
NEAR = {"stroke": "text", "stroke_width": 2}


class reachable(Live):
    """Draw what `run()` returns: {version: {"loss": a number, "pointers": {node: the nodes and
    parameters that it points to}, "gradients": {parameter: its .grad or None}}}.

    The page has all versions, so that it needs no kernel.
    """

    view = traitlets.Unicode("reachable").tag(sync=True)
    called = "What does the loss reach?"

    def judge(self, ours: dict, theirs: dict) -> Agreement:
        for name, here in ours.items():
            there = theirs[name]["pointers"]
            for node in {**here["pointers"], **there}:
                pair = [sorted(each.get(node, [])) for each in (here["pointers"], there)]
                if pair[0] != pair[1]:
                    leads = (", ".join(each) or "nothing" for each in pair)
                    said = "{} here, to {} in PyTorch".format(*leads)
                    return Agreement(f"{name}: {node} points to {said}", True)
        numbers = [
            {name: {key: each[key] for key in ("loss", "gradients")} for name, each in side.items()}
            for side in (ours, theirs)
        ]
        found = compare(*numbers)
        return found if found.differs else replace(found, text=f"the pointers; {found.text}")

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        self.versions = {
            name: {
                "loss": number(array_of(each["loss"])[()]),
                "pointers": each["pointers"],
                "gradients": {key: _held(each["gradients"][key]) for key in _parameters()},
            }
            for name, each in ours.items()
        }
        cards = [
            {"code": name, "mini": self._miniature(name), "count": len(self.reached(name))}
            for name in ours
        ]
        pictures = {form: self.picture(form, True).svg(GRAPH, role="group") for form in SIZES}
        return {
            **pictures,
            "versions": list(self.versions.values()),
            "cards": cards,
            "names": NAMES,
        }

    def reached(self, version: str, start: str = "mean") -> list[str]:
        """The parameters that a tensor reaches."""
        found = reach(self.versions[version]["pointers"], [start])
        return [each for each in _parameters() if each in found]

    def __repr__(self) -> str:
        counts = (f"{name}: {len(self.reached(name))} of 8" for name in self.versions)
        return f"{self.title} Parameters, by what is subtracted. {'; '.join(counts)}"

    def still(self) -> str:
        return self.picture("wide", False).svg(repr(self))

    # ---- the picture

    def picture(self, form: str, live: bool) -> Sheet:
        """The first version. Each node, pointer and parameter is a part that the page finds."""
        sheet, places = Sheet(*SIZES[form], live), _places(form)
        first, *_ = self.versions.values()
        near = {"mean", *reach(first["pointers"], ["mean"])}
        for x, y, width, height in _panels(form):
            sheet.rect(x, y, width, height, rx=8, fill="text", fill_opacity=0.045)
        _data(sheet, form, places)
        edges = {
            (node, target): None
            for each in self.versions.values()
            for node, targets in each["pointers"].items()
            for target in targets
        }
        for start, end in edges:
            if live or end in first["pointers"].get(start, ()):
                with sheet.within("g", part=f"{start}>{end}"):
                    way = _way(start, end, places, form)
                    _pointer(sheet, way, NEAR if live or start in near else FAR)
        if live:
            self._cut(sheet, places, form)
        for key, place in places.items():
            if not (live or key in (*near, *first["pointers"], *_parameters(), *NAMES)):
                continue
            looks = NEAR if key in near or live else FAR
            hands = {"role": "button", "tabindex": -1, "aria_label": _label(key)}
            with sheet.within("g", part=key, **hands):
                if key in NAMES:
                    _tag(sheet, key, place)
                elif key in _parameters():
                    _pill(sheet, key, place, first["gradients"][key], looks)
                else:
                    _box(sheet, key, place, first["loss"], looks)
        return sheet

    def _cut(self, sheet: Sheet, places: Mapping[str, Place], form: str) -> None:
        """Draw the stub of the pointer that `detach()` dropped."""
        x, y, width, height = places["mul"]
        with sheet.within("g", part="sub>cut"):
            corners = _way("sub", "cut", places, form)
            path = "M" + "L".join(f"{a:g} {b:g}" for a, b in corners)
            sheet.add("path", d=path, fill="none", **NEAR)
            middle = x + width / 2
            _, top, _, high = places["net2.2"]
            sheet.line(middle, middle, y, top + high, **FAR)
            sheet.rect(x, y, width, height, rx=5, fill="error-tint", stroke="error")
            looks = {"anchor": "middle", "weight": 700}
            sheet.text("detach()", middle, y + 16, "error", **looks)

    def _miniature(self, version: str) -> str:
        """The graph as dots, of a card."""
        sheet, places = Sheet(132, 62, True), _places("wide")
        pointers = self.versions[version]["pointers"]
        near = {"mean", *reach(pointers, ["mean"])}
        spots = {
            k: ((x + w / 2) * 0.16, (y + h / 2) * 0.2 - 6) for k, (x, y, w, h) in places.items()
        }
        for start, ends in pointers.items():
            for end in ends:
                (x1, y1), (x2, y2) = spots[start], spots[end]
                looks = {"stroke": "text"} if start in near else {**FAR, "stroke_width": 1}
                sheet.line(x1, x2, y1, y2, **looks)
        for key in dict.fromkeys((*pointers, *_parameters())):
            ink = "text" if key in near else "border"
            ink = "gradient-solid" if key in near and key in _parameters() else ink
            looks = {"fill": ink if key in near else "card", "stroke": ink}
            sheet.add("circle", cx=spots[key][0], cy=spots[key][1], r=3.5, **looks)
        x, y = spots["mul"]
        if "mul" in pointers:
            sheet.text("× 0", x + 9, y + 1, "text", weight=700, size=11)
        elif "detach" in version:
            sheet.text("✕ detached", x - 3, y + 2, "error", weight=700, size=11, anchor="middle")
        return sheet.svg(version, role="presentation")


GRAPH = "The graph. The arrow keys go from tensor to tensor; Delete on a name deletes it."


def reach(pointers: Mapping[str, Iterable[str]], start: Iterable[str]) -> set[str]:
    """All nodes and parameters that are reachable from `start`."""
    found, waiting = set(), [*start]
    while waiting:
        for each in pointers.get(waiting.pop(), ()):
            if each not in found:
                found.add(each)
                waiting.append(each)
    return found


def _label(key: str) -> str:
    """The accessible name of a part of the picture."""
    net, _, rest = key.partition(".")
    name = KINDS[rest or net][0] if rest in KINDS or net in KINDS else rest
    return f"{name} of {net}" if rest else name or net


def _parameters() -> list[str]:
    return [f"{net}.{each}" for net in NETS for each in PARAMETERS]


def _held(gradient: object) -> str:
    """`.grad`: None, or its norm; 0 only if all of it is 0."""
    return "None" if gradient is None else number(np.linalg.norm(array_of(gradient, np.float64)))


def _panels(form: str) -> list[Place]:
    if form == "wide":
        return [(0, 40, 404, 214), (416, 40, 404, 214), (0, 286, 820, 56)]
    return [(0, 40, 172, 386), (178, 40, 172, 386), (0, 456, 350, 196)]


def _places(form: str) -> dict[str, Place]:
    """Where each node, parameter and name is: x, y, width, height. `net2` mirrors `net`."""
    wide = form == "wide"
    boxes, high = ((58, 118, 178), 40) if wide else ((140, 214, 350), 46)
    net: dict[str, Place] = {
        f".{layer}": (198, y, 196, high) if wide else (8, y, 156, high)
        for layer, y in enumerate(boxes)
    }
    for layer, y in (("0", 47 if wide else 72), ("2", 167 if wide else 282)):
        for kind, down in (("weight", 0), ("bias", 34 if wide else 32)):
            net[f".{layer}.{kind}"] = (10, y + down, 160, 28) if wide else (24, y + down, 118, 26)
    net[""] = (14, 127, 66, 22) if wide else (8, 45, 66, 22)
    found = {}
    for key, (x, y, width, height) in net.items():
        found[f"net{key}"] = x, y, width, height
        found[f"net2{key}"] = SIZES[form][0] - x - width, y, width, height
    for i, key in enumerate(("sub", "pow", "mean")):
        found[key] = (196 + 178 * i, 294, 156, 40) if wide else (95, 470 + 66 * i, 160, 46)
    found["mul"] = (488, 258, 72, 24) if wide else (224, 430, 80, 24)
    for name, (node,) in list(NAMES.items())[2:]:
        x, y, width, height = found[node]
        side, below = (x + width + 10, y + 12, 62, 22), (x, y + height + (8 if wide else 4), 64, 22)
        found[name] = side if node == "mean" else below
    return found


def _data(sheet: Sheet, form: str, places: Mapping[str, Place]) -> None:
    """The batch: data, to which no pointer leads."""
    left, down = sheet.width / 2 - 130, 26
    sheet.rect(left, 2, 260, down - 2, rx=6, fill="value-tint", stroke="value")
    text = "x   4×2 · requires_grad=False"
    sheet.text(text, left + 130, down / 2 + 5, "value", anchor="middle")
    for net in NETS:
        x, top, width, height = places[f"{net}.0"]
        if form == "wide":
            path = f"M{x + width / 2:g} {down}V{top - 3}"
        else:
            edge, by = (x + width, 5) if net == "net" else (x, -5)
            path = f"M{edge + by:g} {down}V{top + height / 2:g}H{edge}"
        looks = {"fill": "none", "stroke": "border", "stroke_width": 2}
        sheet.add("path", d=path, **looks, stroke_dasharray="2 4")


def _way(start: str, end: str, places: Mapping[str, Place], form: str) -> list[Spot]:
    """The corners of a pointer, from a node to what it points to."""
    x, y, width, height = places["mul" if end == "cut" else end]
    x1, y1, width1, height1 = places["mul" if start == "cut" else start]
    middle, left = y + height / 2, end.startswith("net.")
    if end in _parameters():
        edge = x + width if left else x
        if form == "narrow":
            lane = edge + 12 * (1 if left else -1)
            return [(lane, y1), (lane, middle), (edge, middle)]
        side, row = (x1 if left else x1 + width1), y1 + height1 / 2
        return [(side, row), ((side + edge) / 2, row), ((side + edge) / 2, middle), (edge, middle)]
    if end in ("mul", "cut"):
        lane = x1 + 0.75 * width1
        return [(lane, y1), (lane, middle), (x, middle)]
    if form == "wide" and end in ("sub", "pow"):
        return [(x1, y1 + height1 / 2), (x + width, middle)]
    to = x + width / 2
    if form == "narrow" and end[-1] == "1":
        to = x + 7 if left else x + width - 7
    if start != "sub":
        return [(to, y1), (to, y + height)]
    lane, turn = x1 + (0.25 if left else 0.75) * width1, (y1 + y + height) / 2
    return [(lane, y1), (lane, turn), (to, turn), (to, y + height)]


def _pointer(sheet: Sheet, way: list[Spot], looks: dict) -> None:
    """An arrow along these corners."""
    (x0, y0), (x, y) = way[-2:]
    dx, dy = np.sign(x - x0), np.sign(y - y0)
    path = "M" + "L".join(f"{a:g} {b:g}" for a, b in [*way[:-1], (x - 7 * dx, y - 7 * dy)])
    sheet.add("path", d=path, fill="none", stroke_linejoin="round", **looks)
    wings = [(x - 10 * dx + 5 * side * dy, y - 10 * dy + 5 * side * dx) for side in (1, -1)]
    head = "L".join(f"{a:g} {b:g}" for a, b in [(x, y), *wings])
    sheet.add("path", d=f"M{head}Z", fill=looks["stroke"])


def _box(sheet: Sheet, key: str, place: Place, loss: str, looks: dict) -> None:
    """A node: its name, and the shape of what it computed."""
    (x, y, width, height), (name, shape, sign) = place, KINDS[key.rpartition(".")[2]]
    near = looks["stroke"] == "text"
    sheet.rect(x, y, width, height, rx=6, fill="card", **looks)
    if sheet.live:
        middle = x + width / 2, y + height / 2 + 4
        sheet.text("freed", *middle, "text3", anchor="middle", part="freed")
    ink = "text" if near else "text3"
    if not sign:
        sheet.text(shape, x + width / 2, y + 17, ink, anchor="middle", weight=700)
        return
    middle = y + height / 2
    sheet.add("circle", cx=x + 25, cy=middle, r=17, fill="value-tint", stroke="border")
    sheet.text(sign, x + 25, middle + 4, "value" if near else ink, anchor="middle", size=11)
    name = name if width > 170 or len(name) < 14 else name.removesuffix("Backward0")
    sheet.text(name, x + 48, middle - 3, ink, weight=700)
    looks = {"part": "value"} if key == "mean" else {}
    sheet.text(shape or f"loss = {loss}", x + 48, middle + 14, "value" if near else ink, **looks)


def _pill(sheet: Sheet, key: str, place: Place, held: str, looks: dict) -> None:
    """A parameter: its name at the left, its `.grad` at the right."""
    x, y, width, height = place
    split, size, down = x + width * 0.56, 12 if width > 120 else 11, y + height / 2 + 4
    fill, ink, weight = INKS.get(held, ("gradient-tint", "gradient", 700))
    half = height / 2
    path = f"M{split:g} {y}H{x + width - half:g}a{half:g} {half:g} 0 0 1 0 {height}H{split:g}Z"
    sheet.rect(x, y, width, height, rx=half, fill="card")
    sheet.add("path", d=path, fill=fill, part="ground")
    sheet.line(split, split, y, y + height, stroke="border-quiet")
    sheet.rect(x, y, width, height, rx=half, fill="none", **looks)
    ends = {"anchor": "middle", "size": size}
    name = key.partition(".")[2]
    near = "text" if looks["stroke"] == "text" else "text3"
    sheet.text(name, (x + 4 + split) / 2, down, near, weight=700, **ends)
    sheet.text(held, (split + x + width - 4) / 2, down, ink, weight=weight, part="grad", **ends)


INKS = {"None": ("card", "text3", 400), "0": ("card", "text", 700)}
"""Ground, ink and weight of a `.grad` without numbers."""


def _tag(sheet: Sheet, name: str, place: Place) -> None:
    """A variable of the code, and a cross that deletes it."""
    x, y, width, height = place
    sheet.rect(x, y, width, height, rx=4, fill="card", stroke="text2")
    room = width - 20 if sheet.live else width
    looks = {"anchor": "middle", "weight": 700, "font_family": MONO}
    sheet.text(name, x + room / 2, y + 15, "text", **looks)
    if sheet.live:
        with sheet.within("g", part="delete"):
            sheet.rect(x + width - 20, y, 20, height, fill="card", fill_opacity=0)
            sheet.text("✕", x + width - 11, y + 15, "text2", anchor="middle")

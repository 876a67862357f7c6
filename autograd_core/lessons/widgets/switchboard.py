"""Lesson 11's two networks and two losses: the edges that carry a gradient, and the networks that
have one or have moved."""

from collections.abc import Callable, Mapping

import numpy as np
import traitlets

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number
from ...widgets.kit.sheet import Sheet
from .drawing import Drawing

WIDTH, HEIGHT = 760, 172
ROW, BOX, BELOW, LINE = 40, 30, 98, 18  # middle and half height of the boxes, and the lines below
PLACES, FOLDED = (44, 180, 330, 330, 500, 690), (20, 130, 262, 20, 130, 284)  # in one row, in two
HALF = 62  # at least, of the width of a network's box
LAYERS = {"net1": "Linear, Tanh, Linear", "net2": "BatchNorm, Linear"}
LOSS1 = 116  # the middle of loss 1
APART = 9  # pixels from the middle of a box to each of the two arrows, values and gradient

LIT = {"stroke": "gradient-solid", "stroke_width": 3}
UNLIT = {"stroke": "border", "stroke_width": 1.5}
DASHED = "4 4"
WHOLE = {"net2(h)": "", "net2(h.detach())": "before", "no_grad()": "after"}
"""For each way to compute loss 2, where its path is cut: before or after net2."""


class switchboard(Drawing):
    """Draw what `run(**settings)` returns, again at every change of a setting, below the program.

    run      returns {"net1": its gradient or None, "net2": its gradient or None, "moved": [how far
             each has moved], "statistics": how far the running mean of net2 has moved, "accuracy":
             [net2's on its own data before, and after], "losses": [loss 1, loss 2]}.
    program  gets the settings and returns {a line of the program: whether it runs}. The setting
             "loss2" is a name in `WHOLE`.
    """

    view = traitlets.Unicode("switchboard").tag(sync=True)
    called = "Switchboard"
    widths = {"full": 1060, "wide": WIDTH, "narrow": 620, "folded": 330}

    def __init__(self, run, other=None, *, program: Callable[..., Mapping[str, bool]], **settings):
        self.program = program
        super().__init__(run, other, **settings)

    def update(self) -> None:
        """Update as every widget. If a run raises, the program is new and the picture is old."""
        try:
            super().update()
        except Exception:
            self.drawn = {**self.drawn, "program": self._lines(), "old": True}
            raise

    def _lines(self) -> list[list]:
        return [[line, on] for line, on in self.program(**self.settings).items()]

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        return {**super().draw(ours, theirs), "program": self._lines(), "old": False}

    def __repr__(self) -> str:
        parts = [
            f"{name} {_held(self.result[name])}, {_moved(moved)}"
            for name, moved in zip(("net1", "net2"), self.result["moved"])
        ]
        parts += self._below_net2()[2:]
        return f"{self.title}: {'; '.join(parts)}"

    def _below_net2(self) -> list[str]:
        """The lines below net2."""
        statistics, (before, after) = self.result["statistics"], self.result["accuracy"]
        changed = "" if before == after else f" → {_percent(after)}"
        return [
            _held(self.result["net2"]),
            _moved(self.result["moved"][1]),
            f"running mean {'moved ' + number(_norm(statistics)) if _norm(statistics) else 'kept'}",
            f"accuracy on its own data {_percent(before)}{changed}",
        ]

    def picture(self, width: int, live: bool) -> Sheet:
        scale, down, result = width / WIDTH, HEIGHT * (width < 600), self.result
        sheet = Sheet(width, HEIGHT + down, live)
        cut, holds = WHOLE[self.settings["loss2"]], result["net2"] is not None
        x, net1, h, again, net2, end = FOLDED if down else (scale * place for place in PLACES)
        half, through = HALF * max(scale, 1), not cut
        _edge(sheet, (x + 18, ROW), (net1 - half, ROW), False)
        _edge(sheet, (net1 + half, ROW), (h - 18, ROW), True)
        _edge(sheet, (h, ROW + 18), (h, LOSS1 - 21), True)
        _value(sheet, x, "x")
        _value(sheet, h, "h")
        _loss(sheet, h, LOSS1, "loss1", result["losses"][0])
        _network(sheet, net1, half, "net1", [_held(result["net1"]), _moved(result["moved"][0])])
        with sheet.within("g", transform=f"translate(0 {down})"):
            _edge(sheet, (again + 18, ROW), (net2 - half, ROW), through, cut == "before")
            _edge(sheet, (net2 + half, ROW), (end - 42, ROW), through or holds, cut == "after")
            if down:
                _value(sheet, again, "h")
            _loss(sheet, end, ROW, "loss2", result["losses"][1])
            _network(sheet, net2, half, "net2", self._below_net2())
            if through and not holds:  # past the frozen weights
                sheet.line(net2 - half, net2 + half, ROW + APART, ROW + APART, **LIT)
            for y, words, ink in ((78, "→ values", "text2"), (94, "← gradient", "gradient")):
                sheet.text(words, end, y, ink, anchor="middle")
        return sheet


def _norm(tensor: object) -> float:
    return float(np.linalg.norm(array_of(tensor, np.float64)))


def _percent(fraction: object) -> str:
    return f"{100 * float(array_of(fraction)):.0f}%"


def _held(gradient: object) -> str:
    return "grad None" if gradient is None else f"grad {number(_norm(gradient))}"


def _moved(distance: object) -> str:
    return f"weights moved {number(_norm(distance))}" if _norm(distance) else "weights kept"


def _ink(line: str) -> str:
    """The color of a line below a network."""
    if "→" in line or line.startswith("running mean moved"):
        return "error"
    inks = {"grad N": "text2", "grad ": "gradient", "weights m": "value"}
    return next((ink for start, ink in inks.items() if line.startswith(start)), "text2")


def _edge(sheet: Sheet, start: tuple, end: tuple, lit: bool, cut: bool = False) -> None:
    """An arrow from producer to consumer, for the values; and one back, if the edge carries a
    gradient."""
    _arrow(sheet, start, end, -APART, UNLIT)
    if lit:
        _arrow(sheet, end, start, APART, LIT)
    if cut:
        (x1, y1), (x2, _) = start, end
        x, y = (x1 + x2) / 2, y1 + APART
        sheet.line(x1, x2, y, y, **UNLIT, stroke_dasharray=DASHED)
        sheet.rect(x - 20, y - 8, 40, 20, rx=10, fill="error-tint", stroke="error")
        sheet.text("cut", x, y + 6, "error", weight=700, anchor="middle")


def _arrow(sheet: Sheet, start: tuple, end: tuple, aside: float, looks: dict) -> None:
    """A straight arrow, moved by `aside`: down if it is horizontal, else to the right."""
    (x1, y1), (x2, y2) = start, end
    flat = y1 == y2
    dx, dy = (0, aside) if flat else (aside, 0)
    sheet.add("line", x1=x1 + dx, y1=y1 + dy, x2=x2 + dx, y2=y2 + dy, **looks)
    way = 9 if (x1, y1) < (x2, y2) else -9
    corners = [(0, 0), (-way, 5), (-way, -5)]
    turned = corners if flat else [corner[::-1] for corner in corners]
    head = "M" + "L".join(f"{x2 + dx + x:.1f} {y2 + dy + y:.1f}" for x, y in turned) + "Z"
    sheet.add("path", d=head, fill=looks["stroke"])


def _network(sheet: Sheet, x: float, half: float, name: str, lines: list[str]) -> None:
    """A network, with a line down to the texts about its weights."""
    box = x - half, ROW - BOX, 2 * half, 2 * BOX
    sheet.rect(*box, rx=8, fill="card", stroke="text", stroke_width=1.5)
    sheet.text(name, x, ROW - 12, "text", weight=700, anchor="middle", size=15)
    sheet.text(LAYERS[name], x, ROW + 2, "text2", anchor="middle", size=11.5)
    holds = lines[0] != _held(None)
    looks = {**(LIT if holds else UNLIT), "stroke_dasharray": None if holds else DASHED}
    sheet.line(x, x, ROW + BOX, BELOW - 14, **looks)
    for i, line in enumerate(lines):
        sheet.text(line, x, BELOW + LINE * i, _ink(line), weight=700, anchor="middle")


def _value(sheet: Sheet, x: float, name: str) -> None:
    sheet.add("circle", cx=x, cy=ROW, r=18, fill="value-tint", stroke="value")
    sheet.text(name, x, ROW + 4, "value", weight=700, anchor="middle")


def _loss(sheet: Sheet, x: float, y: float, name: str, value: object) -> None:
    sheet.rect(x - 44, y - 20, 88, 40, rx=20, fill="gradient-tint", stroke="gradient-solid")
    sheet.text(name, x, y - 3, "gradient", weight=700, anchor="middle")
    sheet.text(number(value), x, y + 12, "value", anchor="middle")

"""Lesson 11's two networks and two losses: which edges carry a gradient, who holds one, who moved."""

import numpy as np

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number
from ...widgets.kit.sheet import Sheet
from .drawing import Drawing

WIDTH, HEIGHT = 760, 256
ROW, LOWER = 70, 190  # the middle of the row of networks, and of the row below it

LIT = {"stroke": "gradient-solid", "stroke_width": 3}
UNLIT = {"stroke": "border", "stroke_width": 1.5}
DASHED = "4 4"


class switchboard(Drawing):
    """Draw what `run(backward=..., **settings)` returns, again at every change of a setting.

    run       returns {"net1": gradient or None, "net2": gradient or None, "moved": [by how much
              each has moved], "at h": {"loss1": its gradient at h or None, "loss2": ...}}; and, if
              net2 has running statistics, "statistics": by how much they have moved.
    backward  what may be called backward; a loss whose name occurs in the choice takes part.
    """

    called, widths = "Switchboard", {"wide": WIDTH, "narrow": 560}

    def __init__(self, run, other=None, *, backward, **settings):
        note = "net1 feeds net2; two losses"
        super().__init__(run, other, note=note, **settings, backward=backward)

    def __repr__(self) -> str:
        moved = dict(zip(("net1", "net2"), map(_moved, self.result["moved"])))
        parts = [f"{name} {_held(self.result[name])}, {moved[name]}" for name in moved]
        return f"{self.title}: {'; '.join(parts)}"

    def picture(self, width: int, live: bool) -> Sheet:
        sheet, scale, result = Sheet(width, HEIGHT, live), width / WIDTH, self.result
        backward = self.settings["backward"]
        x, net1, h, net2, end = (scale * place for place in (50, 190, 350, 510, 690))
        half, uses1, uses2 = 68 * scale, "loss1" in backward, "loss2" in backward
        sent1 = uses1 and result["at h"]["loss1"] is not None
        sent2 = uses2 and result["at h"]["loss2"] is not None
        reaches2 = uses2 and result["net2"] is not None
        cut = uses2 and not sent2
        trains1 = result["net1"] is not None and (sent1 or sent2)
        _edge(sheet, (x + 22, ROW), (net1 - half, ROW), False)
        _edge(sheet, (net1 + half, ROW), (h - 18, ROW), trains1)
        _edge(sheet, (h + 18, ROW), (net2 - half, ROW), sent2, cut and reaches2)
        _edge(sheet, (net2 + half, ROW), (end - 36, ROW), sent2 or reaches2, cut and not reaches2)
        _edge(sheet, (h, ROW + 18), (h, LOWER - 18), sent1)
        for place, name in ((x, "x"), (h, "h")):
            sheet.add("circle", cx=place, cy=ROW, r=18, fill="value-tint", stroke="value")
            sheet.text(name, place, ROW + 4, "value", weight=700, anchor="middle")
        _loss(sheet, end, ROW, "loss2", uses2)
        _loss(sheet, h, LOWER, "loss1", uses1)
        for place, name, moved in zip((net1, net2), ("net1", "net2"), result["moved"]):
            _network(sheet, place, half, name, result[name], moved)
        if "statistics" in result:
            still = not _norm(result["statistics"])
            ink, words = ("text2", "kept") if still else ("value", _moved(result["statistics"]))
            for below, line in ((14, "statistics"), (27, words)):
                sheet.text(line, net2, ROW + below, ink, anchor="middle")
        return sheet


def _norm(tensor: object) -> float:
    return float(np.linalg.norm(array_of(tensor, np.float64)))


def _held(gradient: object) -> str:
    return "grad None" if gradient is None else f"grad {number(_norm(gradient))}"


def _moved(distance: object) -> str:
    return f"moved {number(_norm(distance))}" if _norm(distance) else "has not moved"


def _edge(sheet: Sheet, start: tuple, end: tuple, lit: bool, cut: bool = False) -> None:
    """From producer to consumer; lit ones carry a gradient back, and point back."""
    (x1, y1), (x2, y2) = start, end
    looks = LIT if lit else {**UNLIT, "stroke_dasharray": DASHED if cut else None}
    sheet.add("line", x1=x1, y1=y1, x2=x2, y2=y2, **looks)
    x, y, way = (x1, y1, -1) if lit else (x2, y2, 1)
    corners = [(0, 0), (-9 * way, 5 * way), (-9 * way, -5 * way)]
    turned = corners if y1 == y2 else [corner[::-1] for corner in corners]
    head = "M" + "L".join(f"{x + dx:.1f} {y + dy:.1f}" for dx, dy in turned) + "Z"
    sheet.add("path", d=head, fill=looks["stroke"])
    if cut:
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        sheet.rect(x - 20, y - 10, 40, 20, rx=10, fill="error-tint", stroke="error")
        sheet.text("cut", x, y + 4, "error", weight=700, anchor="middle")


def _loss(sheet: Sheet, x: float, y: float, name: str, used: bool) -> None:
    ink, line, dashes = ("gradient", "-solid", None) if used else ("masked", "", DASHED)
    looks = {"fill": f"{ink}-tint", "stroke": ink + line, "stroke_dasharray": dashes}
    sheet.rect(x - 34, y - 18, 68, 36, rx=18, **looks)
    sheet.text(name, x, y + 4, ink, weight=700, anchor="middle")


def _network(sheet: Sheet, x: float, half: float, name: str, gradient, moved) -> None:
    """A network, and below it what its weight holds and how far it has moved."""
    holds, goes, box = gradient is not None, _norm(moved) > 0, {"fill": "card", "stroke": "text"}
    dashes = None if holds else DASHED
    sheet.rect(x - half, ROW - 34, 2 * half, 68, rx=8, **box, stroke_width=1.5)
    sheet.text(name, x, ROW - 3, "text", weight=700, anchor="middle", size=15)
    looks = {**(LIT if holds else UNLIT), "stroke_dasharray": dashes}
    sheet.add("line", x1=x, y1=ROW + 34, x2=x, y2=LOWER - 34, **looks)
    sheet.rect(x - half, LOWER - 34, 2 * half, 76, rx=20, **box, stroke_dasharray=dashes)
    sheet.text("weight", x, LOWER - 12, "text2", anchor="middle")
    ink = "gradient" if holds else "text2"
    sheet.text(_held(gradient), x, LOWER + 8, ink, weight=700, anchor="middle")
    ink, weight = ("value", 700) if goes else ("text2", 400)
    sheet.text(_moved(moved), x, LOWER + 28, ink, anchor="middle", weight=weight)

"""The nodes, the parameters and the saved batch that a loss keeps alive."""

import math
from typing import Any

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number
from ...widgets.kit.shade import LEVELS, shaded
from ...widgets.kit.sheet import Sheet
from .drawing import Drawing

IMAGE = 186  # pixels
ROW = 66  # the middle of the row of nodes
ROWS = ROW + 48, ROW + 88, ROW + 132  # of the transposes, AccumulateGrad and parameters
POINTER = {"stroke": "text", "stroke_width": 2}
MIDDLE = {"anchor": "middle", "weight": 700}


class held_by(Drawing):
    """Draw what `run(**settings)` returns, again at every change of a setting:

    "value"   the number
    "spine"   [(name, [(shape, transposed)])]: each node on the way from the loss to the batch, the
              shape of each parameter that it uses, and whether a node transposes it
    "nodes"   how many nodes there are; each is drawn as a circle
    "saved"   the batch as an image; None if it is freed, or if no node is left
    """

    called, widths = "One number", {"wide": 760, "narrow": 350}
    wanted = "value", "spine", "nodes", "saved"

    def judge(self, ours: dict, theirs: dict):
        rows = [{**each, "spine": _shapes(each["spine"])} for each in (ours, theirs)]
        return super().judge(*rows)

    def __repr__(self) -> str:
        nodes, image = self.result["nodes"], self.result["saved"] is not None
        if not nodes:
            return "After .item(): a number, and nothing else is alive"
        sizes = [math.prod(shape) for shape in _shapes(self.result["spine"])]
        kept = f"{nodes} nodes{', ' if image else ' and '}{len(sizes)} parameters"
        return f"The loss keeps {kept} ({sum(sizes):,} numbers){' and the image' * image} alive"

    def picture(self, width: int, live: bool) -> Sheet:
        wide, spine = width > 600, self.result["spine"]
        sheet = Sheet(width, 268 if wide else 500, live)
        said = repr(self) if wide else repr(self).replace("The loss keeps ", "").split(" alive")[0]
        sheet.text(said, 8, 18, "text", weight=700, size=14 if wide else 11)
        size, start, step = (78, 124, 66) if wide else (56, 78, 44)
        value = number(array_of(self.result["value"]))
        looks = {"rx": 16, "fill": "value-tint", "stroke": "value", "stroke_width": 2}
        sheet.rect(8, ROW - 16, size, 32, **looks)
        sheet.text(value, 8 + size / 2, ROW + 5, "value", **MIDDLE, size=15 if wide else 13)
        for i, (name, leaves) in enumerate(spine):
            x = start + i * step
            _pointer(sheet, [(x - step + 9 if i else 8 + size, ROW), (x - 9, ROW)])
            sheet.text(name, x, ROW - 18 - 12 * (i % 2 and not wide), "text2", anchor="middle")
            for side, (shape, transposed) in zip((1, -1), leaves):
                self._leaf(sheet, (x, x + side * (30 if wide else 20)), shape, transposed)
            sheet.add("circle", cx=x, cy=ROW, r=8, fill="card", **POINTER)
        if any(leaves for _, leaves in spine):
            for row, text in zip(ROWS, ("T (transpose)", "AccumulateGrad", "parameter")):
                x = start + 2.1 * step
                sheet.text(text, x, row + 4, "text2", anchor="end")
        if spine:
            x = start + (len(spine) - 1) * step
            self._image(sheet, x, *((width - IMAGE - 8, 34) if wide else (82, 284)))
        return sheet

    def _leaf(
        self, sheet: Sheet, across: tuple[float, float], shape: Any, transposed: bool
    ) -> None:
        """Draw the nodes between a node and a parameter: `AccumulateGrad`, and a transpose if any."""
        x, side = across
        start: list[tuple[float, float]] = [(x, ROW + 9), (x, ROW + 22), (side, ROW + 22)]
        for row in ROWS[not transposed : 2]:
            _pointer(sheet, [*start, (side, row - 9)])
            sheet.add("circle", cx=side, cy=row, r=8, fill="card", **POINTER)
            start = [(side, row + 9)]
        text = f"[{', '.join(map(str, shape))}]"
        half, y = 14 + 3.4 * len(text), ROWS[2] + 34 * transposed
        _pointer(sheet, [*start, (side, y - 13)])
        sheet.rect(side - half, y - 13, 2 * half, 26, rx=13, fill="card", **POINTER)
        sheet.text(text, side, y + 4, "text", **MIDDLE)

    def _image(self, sheet: Sheet, x: float, left: float, top: float) -> None:
        """Draw the batch that the node at `x` has saved. A freed batch is striped."""
        place = {"x": left, "y": top, "width": IMAGE, "height": IMAGE}
        saved = self.result["saved"]
        wide = sheet.width > 600
        path = (
            f"M{x + 9} {ROW}H{left}"
            if wide
            else f"M{x + 9} {ROW}H{sheet.width - 4}V{top + 30}H{left + IMAGE}"
        )
        dashes = "3 4" if saved is None else None
        sheet.add(
            "path", d=path, fill="none", stroke="value", stroke_dasharray=dashes, stroke_width=2
        )
        fill = "card" if saved is not None else sheet.stripes("masked", 0.5)
        sheet.rect(**place, fill=fill, stroke="border")
        text, ink = "saved tensor: freed", "text2"
        if saved is not None:
            sheet.parts.append(shaded(LEVELS * array_of(saved), "value", sheet.live, **place))
            text, ink = "saved: the input of the layer", "value"
        sheet.text(text, left + IMAGE / 2, top + IMAGE + 18, ink, anchor="middle")


def _shapes(spine: Any) -> list:
    """The shapes of all parameters."""
    return [shape for _, leaves in spine for shape, _ in leaves]


def _pointer(sheet: Sheet, way: list[tuple[float, float]]) -> None:
    """An arrow along these corners."""
    (x1, y1), (x, y) = way[-2:]
    path = "M" + "L".join(f"{a:g} {b:g}" for a, b in way)
    sheet.add("path", d=path, fill="none", **POINTER)
    tip = [(0, 0), (-8, 4), (-8, -4)] if y1 == y else [(0, 0), (4, -8), (-4, -8)]
    head = "L".join(f"{x + dx:g} {y + dy:g}" for dx, dy in tip)
    sheet.add("path", d=f"M{head}Z", fill="text")

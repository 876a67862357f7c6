"""What a loss keeps alive: its nodes, its parameters, and the batch that a node has saved."""

from typing import Any

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number
from ...widgets.kit.shade import LEVELS, shaded
from ...widgets.kit.sheet import Sheet
from .drawing import Drawing

IMAGE = 186  # pixels
ROW = 66  # the middle of the row of nodes
POINTER = {"stroke": "text", "stroke_width": 2}
MIDDLE = {"anchor": "middle", "weight": 700}


class held_by(Drawing):
    """Draw what `run(**settings)` returns, again at every change of a setting:

    "value"   the number
    "spine"   [(name, shapes)]: each node on the way from the loss to the batch, and the shapes of
              the parameters that it uses
    "nodes"   how many nodes there are
    "saved"   the batch as an image; None if it is freed, or if no node is left
    """

    called, widths = "One number", {"wide": 760, "narrow": 350}
    wanted = "value", "spine", "nodes", "saved"

    def judge(self, ours: dict, theirs: dict):
        rows = [
            {**each, "spine": [shapes for _, shapes in each["spine"]]} for each in (ours, theirs)
        ]
        return super().judge(*rows)

    def __repr__(self) -> str:
        nodes, image = self.result["nodes"], self.result["saved"] is not None
        if not nodes:
            return "After .item(): a number, and nothing else is alive"
        sizes = [h * w for _, shapes in self.result["spine"] for h, w in map(_two, shapes)]
        kept = f"{nodes} nodes{', ' if image else ' and '}{sum(sizes):,} weights"
        return f"The loss keeps {kept}{' and the image' if image else ''} alive"

    def picture(self, width: int, live: bool) -> Sheet:
        wide, spine = width > 600, self.result["spine"]
        sheet = Sheet(width, 250 if wide else 440, live)
        sheet.text(repr(self), 8, 18, "text", weight=700, size=14 if wide else 11)
        size, start, step = (78, 124, 66) if wide else (56, 78, 44)
        value = number(array_of(self.result["value"]))
        looks = {"rx": 16, "fill": "value-tint", "stroke": "value", "stroke_width": 2}
        sheet.rect(8, ROW - 16, size, 32, **looks)
        sheet.text(value, 8 + size / 2, ROW + 5, "value", **MIDDLE, size=15 if wide else 13)
        for i, (name, shapes) in enumerate(spine):
            x = start + i * step
            _pointer(sheet, (x - step + 9 if i else 8 + size, ROW), (x - 9, ROW))
            sheet.add("circle", cx=x, cy=ROW, r=8, fill="card", **POINTER)
            sheet.text(name, x, ROW - 18 - 12 * (i % 2 and not wide), "text2", anchor="middle")
            for row, shape in enumerate(shapes):
                y = ROW + 42 + 38 * row
                text = f"[{', '.join(map(str, shape))}]"
                if not row:
                    _pointer(sheet, (x, ROW + 9), (x, y - 13))
                else:
                    sheet.line(x, x, y - 25, y - 13, **POINTER)
                half = 14 + 3.4 * len(text)
                sheet.rect(x - half, y - 13, 2 * half, 26, rx=13, fill="card", **POINTER)
                sheet.text(text, x, y + 4, "text", **MIDDLE)
        if spine:
            x = start + (len(spine) - 1) * step
            self._image(sheet, x, *((width - IMAGE - 8, 34) if wide else (82, 224)))
        return sheet

    def _image(self, sheet: Sheet, x: float, left: float, top: float) -> None:
        """The batch, which hangs from the node at `x`; what is freed is striped."""
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


def _two(shape: Any) -> tuple[int, int]:
    return (1, *shape)[-2:]


def _pointer(sheet: Sheet, start: tuple[float, float], end: tuple[float, float]) -> None:
    (x1, y1), (x2, y2) = start, end
    sheet.line(x1, x2, y1, y2, **POINTER)
    tip = [(0, 0), (-8, 4), (-8, -4)] if y1 == y2 else [(0, 0), (4, -8), (-4, -8)]
    head = "L".join(f"{x2 + dx} {y2 + dy}" for dx, dy in tip)
    sheet.add("path", d=f"M{head}Z", fill="text")

"""A batch cut into two shards: which elements count, and the gradients of two processes."""

import numpy as np

from ...widgets.kit.agreement import array_of
from ...widgets.kit.sheet import Sheet
from .drawing import Drawing

MARGIN, LEFT = 16, 540  # before the rows, and the width of the rows if the arrows are next to them
ROW, NUMBERS, LINE = 40, 168, 22  # the height of a row, where the numbers begin, and of a line
SCALE, ORIGIN, HIGH = 330, (100, 12), 250  # arrows: pixels per unit, position of 0, height
ARROWS = {  # the line of each gradient
    "process 0": {"stroke": "text2", "stroke_width": 1.5},
    "process 1": {"stroke": "text2", "stroke_width": 1.5, "stroke_dasharray": "6 3"},
    "together": {"stroke": "gradient-solid", "stroke_width": 4},
    "whole batch": {"stroke": "text", "stroke_width": 2, "stroke_dasharray": "3 3"},
}


class shards(Drawing):
    """Draw the batch that `run(**settings)` returns, again at every change of a setting.

    run    returns a dict of tensors, for N elements and two weights:
           "first" (N,)                  whether process 0 has the element; otherwise process 1 has it
           "label" (N,)                  whether it is text
           "taken", "whole_taken" (N,)   whether it counts in its shard, and in the whole batch
           "gradients" (4, 2)            process 0, process 1, after the exchange, whole batch
    """

    called, widths = "Shards", {"wide": 860, "narrow": 340}
    wanted = "first", "label", "taken", "whole_taken", "gradients"

    def read(self, result: object) -> dict:
        return {name: array_of(super(shards, self).read(result)[name]) for name in self.wanted}

    @property
    def found(self) -> str:
        """How far the gradient is from the whole's, in its length."""
        *_, together, whole = self.result["gradients"]
        distance, length = np.linalg.norm(together - whole), np.linalg.norm(whole)
        return "✓ the same" if distance <= 1e-9 * length else f"{100 * distance / length:.0f}% off"

    def rows(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """For each process and for the batch: its elements, and which of them count."""
        first, taken = self.result["first"], self.result["taken"]
        parts = {"process 0": (first, taken & first), "process 1": (~first, taken & ~first)}
        return {**parts, "whole batch": (first | True, self.result["whole_taken"])}

    def __repr__(self) -> str:
        counts = [f"{name} counts {taken.sum()}" for name, (_, taken) in self.rows().items()]
        words = ", ".join([*map(str, self.settings.values()), *counts])
        return f"{self.title}: {words}; gradient {self.found}"

    def picture(self, width: int, live: bool) -> Sheet:
        is_wide, below = width > LEFT, NUMBERS + 5 * LINE + 4
        room, right, top = (LEFT, LEFT, 8) if is_wide else (width, 20, below)
        sheet = Sheet(width, below + (0 if is_wide else HIGH), live)
        sheet.text("■ counts in the loss", MARGIN, 22, "value")
        sheet.text("□ doesn't count · thick border: text", 150, 22, "text2")
        for i, row in enumerate(self.rows().items()):
            self._row(sheet, 48 + ROW * i, (room - 2 * MARGIN) / self.result["first"].size, *row)
        x, y = right + ORIGIN[0], top + ORIGIN[1]
        sheet.line(right, right + 290, y, y, "border")
        sheet.line(x, x, top, top + HIGH - 10, "border")
        sheet.text("w[0]", right + 290, y + 16, "text2", anchor="end")
        sheet.text("w[1]", x - 6, top + HIGH - 12, "text2", anchor="end")
        sheet.text("gradient at w[0], w[1]", MARGIN, NUMBERS + 12, "text2")
        for i, (name, gradient) in enumerate(zip(ARROWS, self.result["gradients"])):
            line, looks = NUMBERS + 12 + LINE * (i + 1), {"weight": 700 if i > 1 else 400}
            _arrow(sheet, name, (MARGIN, line - 4), (28 if i < 3 else 14, 0))
            _arrow(sheet, name, (x, y), SCALE * gradient * (1, -1))
            sheet.text(name, MARGIN + 38, line, "text", **looks)
            numbers = "{:.3f}, {:.3f}".format(*gradient + 0.0).replace("-", "−")
            sheet.text(numbers, 240, line, "text", anchor="end", **looks)
        ink = "error" if "off" in self.found else "agreed"
        sheet.text(self.found, 256, NUMBERS + 12 + 3 * LINE, ink, weight=700)
        return sheet

    def _row(self, sheet: Sheet, y: float, step: float, name: str, row: tuple) -> None:
        """The elements of a row. A dot is on those that the whole batch treats differently."""
        has, taken = row
        differs = has & (taken != self.result["whole_taken"])
        marked = f", • unlike the whole batch: {differs.sum()}" if differs.any() else ""
        sheet.text(f"{name}: {taken.sum()} count{marked}", MARGIN, y, "text")
        for at in np.flatnonzero(has):
            ink, pen = ("text", 2) if self.result["label"][at] else ("border", 1)
            looks = {"fill": "value" if taken[at] else "masked-tint", "stroke": ink}
            x = round(MARGIN + at * step + 1, 1)
            sheet.rect(x, y + 7, round(step - 2, 1), 14, **looks, stroke_width=pen)
            if differs[at]:
                centre = round(x + step / 2 - 1, 1)
                sheet.add("circle", cx=centre, cy=y + 14, r=2, fill="card" if taken[at] else "text")


def _arrow(sheet: Sheet, name: str, start: tuple, way: tuple) -> None:
    """A gradient as an arrow. The gradient of the whole batch is a ring at the tip."""
    looks, (x, y), length = ARROWS[name], way, float(np.hypot(*way))
    if name == "whole batch" or not length:
        size = {"r": 8, "fill": "none"} if length else {"r": 3, "fill": looks["stroke"]}
        sheet.add("circle", cx=round(start[0] + x, 1), cy=round(start[1] + y, 1), **size, **looks)
        return
    turn = f"translate({start[0]} {start[1]}) rotate({np.degrees(np.arctan2(y, x)):.1f})"
    with sheet.within("g", transform=turn):
        head = 4 + 2 * looks["stroke_width"]
        sheet.line(0, round(length - head, 1), 0, 0, **looks)
        sheet.add("path", d=f"M{length:.1f} 0l-{head} -{head / 2}v{head}Z", fill=looks["stroke"])

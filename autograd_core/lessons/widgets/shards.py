"""A batch cut into shards, one for each process: who is chosen, and which gradient comes out."""

import numpy as np

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number
from ...widgets.kit.sheet import Sheet
from .drawing import Drawing

# pixels for the name of a row, and for the number of pixels that it chooses
LEFT, RIGHT = 96, 72
TOP, ROW = 44, 24  # pixels above the rows, and the height of a row
BARS = 132  # the height of the bars
BAR = 26


class shards(Drawing):
    """Draw the batch that `run(**settings)` returns, again at every change of a setting.

    run    returns a dict of tensors, for N elements, P processes and W weights:
           "owner" (N,)                  the process of each element
           "label" (N,)                  whether it is text
           "taken", "whole_taken" (N,)   whether it counts in its shard, and in the whole batch
           "gradient", "whole" (W,)      what the processes arrive at, and the batch's own gradient
    """

    called, widths = "Shards", {"wide": 760, "narrow": 350}
    wanted = "owner", "label", "taken", "whole_taken", "gradient", "whole"

    def read(self, result: object) -> dict:
        return {name: array_of(super(shards, self).read(result)[name]) for name in self.wanted}

    @property
    def off(self) -> float:
        """How far the gradient is from the whole's, in its length; 0 up to rounding."""
        whole = self.result["whole"]
        distance = np.linalg.norm(self.result["gradient"] - whole)
        length = np.linalg.norm(whole)
        return 0.0 if distance <= 1e-9 * length else float(distance / length)

    def __repr__(self) -> str:
        taken, whole = (self.result[name].sum() for name in ("taken", "whole_taken"))
        processes = self.result["owner"].max() + 1
        count = f"{taken} elements count in the {processes} shards, {whole} in the whole"
        how = f"{100 * self.off:.0f} % off the whole's" if self.off else "the whole's"
        return f"{self.title}: {count}; the gradient is {how}"

    def picture(self, width: int, live: bool) -> Sheet:
        batch, processes = self.result, int(self.result["owner"].max()) + 1
        row = ROW if width > LEFT * 4 else 2 * ROW - 8  # a name has a line of its own
        below = TOP + (processes + 1) * row + 12
        sheet = Sheet(width, below + 78 + BARS, live)
        left = min(LEFT, width // 24)
        _key(sheet, left, 8, "text", stroke="text", stroke_width=2, fill="card")
        _key(sheet, left + 56, 8, "counts in the loss", stroke="border", fill="value")
        _key(sheet, left + 194, 8, "does not", stroke="border", fill="masked-tint")
        sheet.text("counted", sheet.width - 12, 38, "text2", anchor="end")
        for at in range(processes):
            _row(sheet, batch, TOP + at * row, f"process {at}", batch["owner"] == at, "taken")
        _row(sheet, batch, below - row, "whole batch", batch["owner"] >= 0, "whole_taken")
        self._bars(sheet, below + 54)
        return sheet

    def _bars(self, sheet: Sheet, top: float) -> None:
        """Two bars for each weight: what the processes arrive at, and the whole's."""
        pairs = np.stack([self.result["gradient"], self.result["whole"]], 1).astype(float)
        up, down = max(pairs.max(), 0.0), max(-pairs.min(), 0.0)
        scale, right = (BARS - 48) / (up + down or 1.0), sheet.width - 12
        zero = top + 24 + scale * up
        sheet.text("gradient", LEFT - 10, top - 32, "text", weight=700, anchor="end")
        pen = {"stroke": "text", "stroke_width": 2}
        _key(sheet, LEFT, top - 42, "of the processes", fill="text", **pen)
        _key(sheet, LEFT, top - 22, "of the whole batch", fill="card", **pen)
        same = "✓ the same", "agreed"
        found, ink = (f"{100 * self.off:.0f} % off", "error") if self.off else same
        sheet.text(found, right, top - 32, ink, weight=700, anchor="end")
        left, below = min(LEFT, sheet.width // 24), scale * down + zero + 32
        sheet.line(left, right, zero, zero, "border")
        for weight, pair in enumerate(pairs.tolist()):
            centre = left + (right - left) / len(pairs) * (weight + 0.5)
            sheet.text(f"w[{weight}]", centre, below, "text2", anchor="middle")
            for side, value in zip((-1, 1), pair):
                ink = "negative" if value < 0 else "gradient"
                pen["stroke"] = f"{ink}-solid"
                fill = pen["stroke"] if side < 0 else "card"
                height, x = scale * abs(value), centre + side * (BAR + 6) - BAR / 2
                y = round(zero - (height if value > 0 else 0), 1)
                sheet.rect(x, y, BAR, round(height, 1), fill=fill, **pen)
                end = zero - height - 6 if value > 0 else zero + height + 16
                sheet.text(number(value), x + BAR / 2, round(end, 1), ink, anchor="middle")


def _key(sheet: Sheet, x: int, y: float, name: str, **looks: object) -> None:
    sheet.rect(x, y, 12, 12, **looks)
    sheet.text(name, x + 18, y + 10, "text2")


def _row(sheet: Sheet, batch: dict, y: float, name: str, shown: np.ndarray, which: str) -> None:
    """The elements that are `shown`, and how many of them count, as `batch[which]` says."""
    narrow, right = sheet.width <= LEFT * 4, sheet.width - 12
    left, room = (12, sheet.width - 64) if narrow else (LEFT, sheet.width - LEFT - RIGHT)
    taken, step = batch[which], room / shown.size
    place, anchor = (12, "start") if narrow else (LEFT - 10, "end")
    sheet.text(name, place, y + 13, "text", anchor=anchor)
    y += narrow * 18
    for at in np.flatnonzero(shown):
        pen = ("text", min(2, step / 4)) if batch["label"][at] else ("border", min(1, step / 8))
        looks = {"fill": "value" if taken[at] else "masked-tint"}
        looks |= dict(zip(("stroke", "stroke_width"), pen))
        sheet.rect(round(left + at * step + 1, 1), y + 1, round(step - 2, 1), 16, **looks)
    counted = str(int((taken & shown).sum()))
    sheet.text(counted, right, y + 13, "text", anchor="end", weight=700)

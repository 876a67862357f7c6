"""A backward pass through lines `y = y + y`, in which nodes wait for all gradients or don't."""

from ...widgets.kit.sheet import Sheet
from .drawing import Drawing

BOX, HIGH, TOP = 84, 44, 64  # width and height of a box, and the top of the boxes, in pixels
ROW = 72  # from box to box in the narrow form


class ladder(Drawing):
    """Draw the result of `run(**settings)`, and draw it again when a setting changes. The result has
    "got" (the number of gradients that arrive at each tensor, from `y` to `w`), "sums" (the sums of
    these gradients) and "runs" (how many times Add nodes run)."""

    called, widths = "y = y + y", {"wide": 760, "narrow": 350}
    wanted = "got", "sums", "runs"

    def __repr__(self) -> str:
        runs, gradient = self.result["runs"], self.result["sums"][-1]
        return f"{self.title}: {runs} runs of Add nodes; w.grad is {gradient:g}"

    def picture(self, width: int, live: bool) -> Sheet:
        got, sums, wide = self.result["got"], self.result["sums"], width > 600
        steps, pen = len(got) - 1, {"stroke": "gradient-solid", "stroke_width": 2}
        sheet = Sheet(width, 150 if wide else TOP + HIGH + steps * ROW + 12, live)
        across, down = ((width - BOX - 24) / steps, 0) if wide else (0, ROW)
        start = width - 12 - BOX / 2 if wide else 12 + BOX / 2
        places = [(start - i * across, TOP + (steps - i) * down) for i in range(len(got))]
        for (right, low), (left, high) in zip(places, places[1:]):
            for y in (TOP + 12, TOP + HIGH - 12) if wide else ():
                sheet.line(right - BOX / 2, left + BOX / 2, y, y, **pen)
            for x in () if wide else (start - 15, start + 15):
                sheet.line(x, x, high + HIGH, low, **pen)
        for place, ((x, top), count, total) in enumerate(zip(places, got, sums)):
            name = "w.grad" if place == steps else "Add"
            looks = {"fill": "gradient-tint", "stroke": "gradient-solid", "rx": 8}
            sheet.rect(round(x - BOX / 2, 1), top, BOX, HIGH, **looks)
            sheet.text(name, x, top + 17, "text", anchor="middle")
            sheet.text(f"{total:g}", x, top + 35, "gradient", anchor="middle", weight=700)
            each = total / count
            many = f"got 1, {count:g} times" if each == 1 else f"got {each:g} + {each:g}"
            many = "got 1" if count == 1 else "got 1 + 1" if total == count == 2 else many
            at = (x, top + HIGH + 18) if wide else (x + BOX / 2 + 12, top + HIGH / 2 + 4)
            sheet.text(many, *at, "text2", anchor="middle" if wide else None)
        runs = self.result["runs"]
        sheet.text(f"{runs} run{'s' * (runs != 1)} of Add nodes", 12, 26, "text", weight=700)
        sheet.text("← backward" if wide else "↑ backward", width - 12, 26, "text2", anchor="end")
        return sheet

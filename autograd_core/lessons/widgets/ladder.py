"""A backward pass through lines `y = y + y`, in which nodes wait for all gradients or don't."""

from ...widgets.kit.sheet import Sheet
from .drawing import Drawing

BOX, HIGH, TOP = 84, 44, 64  # width and height of a box, and the top of the boxes, in pixels


class ladder(Drawing):
    """Draw the result of `run(**settings)`, and draw it again when a setting changes. The result has
    "got" (the number of gradients that arrive at each tensor, from `y` to `w`), "sums" (the sums of
    these gradients) and "runs" (how many times Add nodes run)."""

    called, widths = "y = y + y", {"wide": 760, "narrow": 560}
    wanted = "got", "sums", "runs"

    def __repr__(self) -> str:
        runs, gradient = self.result["runs"], self.result["sums"][-1]
        return f"{self.title}: {runs} runs of Add nodes; w.grad is {gradient:g}"

    def picture(self, width: int, live: bool) -> Sheet:
        sheet, got, sums = Sheet(width, 150, live), self.result["got"], self.result["sums"]
        step = (width - BOX - 24) / (len(got) - 1)
        centers = [width - 12 - BOX / 2 - place * step for place in range(len(got))]
        for right, left in zip(centers, centers[1:]):
            for y in (TOP + 12, TOP + HIGH - 12):
                sheet.line(right - BOX / 2, left + BOX / 2, y, y, "gradient-solid", stroke_width=2)
        for place, (x, count, total) in enumerate(zip(centers, got, sums)):
            name = "w" if place == len(got) - 1 else "y" if place == 0 else "Add"
            looks = {"fill": "gradient-tint", "stroke": "gradient-solid", "rx": 8}
            sheet.rect(round(x - BOX / 2, 1), TOP, BOX, HIGH, **looks)
            sheet.text("w.grad" if name == "w" else "Add", x, TOP + 17, "text", anchor="middle")
            sheet.text(f"{total:g}", x, TOP + 35, "gradient", anchor="middle", weight=700)
            each = total / count
            many = f"got 1, {count:g} times" if each == 1 else f"got {each:g} + {each:g}"
            many = "got 1" if count == 1 else "got 1 + 1" if total == count == 2 else many
            sheet.text(many, x, TOP + HIGH + 18, "text2", anchor="middle")
        runs = self.result["runs"]
        said = f"{runs} run{'s' * (runs != 1)} of Add nodes"
        sheet.text(said, 12, 26, "text", weight=700)
        sheet.text("← backward", width - 12, 26, "gradient", anchor="end")
        return sheet

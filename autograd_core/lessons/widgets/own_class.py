"""The learner's own class next to PyTorch: a small program, and the graph that each of them makes."""

import textwrap

from ...widgets.kit.format import number
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.theme import MONO
from .drawing import Drawing

PLACES = {"loss": (0.5, 0), "v": (0.78, 1), "u": (0.4, 2), "a": (0.22, 3), "b": (0.78, 3)}
"""The position of each box: its fraction of the width, and its row."""
EDGES = ("loss", "u"), ("loss", "v"), ("v", "u"), ("v", "b"), ("u", "a"), ("u", "b")
BOX, HIGH, ROW, LINE = 84, 38, 50, 19  # a box, from row to row of boxes, from line to line of text
GRAPH, TEST, PARTS = 3 * ROW + HIGH + 20, 174, 92  # heights of a graph, the program, the methods
MARKS = {True: ("✓", "agreed"), False: ("◌", "text2"), None: ("○", "text3")}
KEY = (12, "○ to write"), (84, "✓ yours"), (140, "◌ the lesson’s"), (236, "1 2 … your order")


class own_class(Drawing):
    """Draw the result of `run(**settings)`, a dict: "lines" of a program, the number of lines that
    "ran", the "error" of the next one, and "yours" and "PyTorch", {name of a tensor: its "value",
    "grad", place in the "order", and whether it has "inputs", as far as known}.

    `parts` is {method: True for the learner's, False for the lesson's, None for an open one}."""

    called, widths = "Your engine and PyTorch", {"wide": 1000, "narrow": 350}
    parts: dict[str, bool | None]

    def __repr__(self) -> str:
        error, line = self.result["error"], self.result["ran"] + 1
        ends = f"line {line}: {error}" if error else "all lines run"
        drawn = f"{len(self.result['yours'])} of 5 boxes of your graph are drawn"
        theirs = ", ".join(f"{n}.grad {number(self.result['PyTorch'][n]['grad'])}" for n in "ab")
        return f"{self.title}: {ends}; {drawn}; PyTorch: {theirs}"

    def picture(self, width: int, live: bool) -> Sheet:
        wide = width > 600
        sheet = Sheet(width, TEST + PARTS + (0 if wide else GRAPH), live)
        self._program(sheet)
        left, top = (360, 20) if wide else (6, TEST)
        each = (width - left) / 2
        _graph(sheet, "yours", self.result["yours"], left, top, each)
        _graph(sheet, "PyTorch", self.result["PyTorch"], left + each, top, each)
        for place, (name, whose) in enumerate(self.parts.items()):
            row, column = divmod(place, 3)
            x, y = 12 + 116 * column, sheet.height - PARTS + 30 + row * LINE
            mark, ink = MARKS[whose]
            sheet.text(mark, x, y, ink, weight=700)
            sheet.text(name, x + 16, y, ink, font_family=MONO)
        for x, words in KEY:
            sheet.text(words, x, sheet.height - 16, "text2")
        return sheet

    def _program(self, sheet: Sheet) -> None:
        ran, error, y = self.result["ran"], self.result["error"], 20
        for place, line in enumerate(self.result["lines"]):
            mark, ink = ("✓", "agreed") if place < ran else ("✗", "error")
            sheet.text(mark if place <= ran else "", 12, y, ink, weight=700)
            ink = "text" if place <= ran else "text3"
            sheet.text(line, 30, y, ink, font_family=MONO, size=12)
            for words in textwrap.wrap(error, 48) if place == ran else ():
                y += LINE - 2
                sheet.text(words, 30, y, "error")
            y += LINE


def _graph(sheet: Sheet, title: str, boxes: dict, left: float, top: float, width: float) -> None:
    """One graph, with dashed outlines for missing boxes."""
    sheet.text(title, left + width / 2, top, "text", anchor="middle", weight=700)
    box = min(BOX, width / 2 - 18)
    size = 12 if box == BOX else 11
    corners = {
        name: (round(left + across * width - box / 2, 1), top + 14 + row * ROW)
        for name, (across, row) in PLACES.items()
    }
    for consumer, name in EDGES:
        (x1, y1), (x2, y2) = corners[consumer], corners[name]
        looks = {"stroke": "border-quiet", "stroke_dasharray": "3 4"}
        if boxes.get(consumer, {}).get("inputs"):
            arrived = boxes.get(name, {}).get("grad") is not None
            looks = {"stroke": "gradient-solid" if arrived else "border", "stroke_width": 2}
        sheet.line(x1 + box / 2, x2 + box / 2, y1 + HIGH, y2, **looks)
    for name, (x, y) in corners.items():
        known = boxes.get(name)
        right = {"x": x + box - 6, "anchor": "end", "weight": 700, "size": size}
        dashes = None if known else "4 3"
        sheet.rect(x, y, box, HIGH, rx=6, fill="card", stroke="border", stroke_dasharray=dashes)
        sheet.text(name, x + 6, y + 16, "text" if known else "text3", size=size, weight=700)
        if not known:
            continue
        sheet.text(number(known["value"]), y=y + 16, fill="value", **right)
        if known.get("grad") is not None:
            ink = "negative" if known["grad"] < 0 else "gradient"
            sheet.text(number(known["grad"]), y=y + 33, fill=ink, **right)
            sheet.text("grad" if box == BOX else "", x + 6, y + 33, "text2", size=11)
        if known.get("order"):
            sheet.add("circle", cx=x, cy=y, r=8, fill="gradient-tint", stroke="gradient-solid")
            sheet.text(str(known["order"]), x, y + 4, "gradient", anchor="middle", size=11)

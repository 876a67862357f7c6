"""The graph that a loop leaves behind: one node for each time that it ran."""

import numpy as np

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number
from ...widgets.kit.sheet import Sheet
from .drawing import Drawing
from .maps import sign_of

PLOT = (270, 150)  # width and height of the plot
ROOM = 430  # width of the graph
TANGENT = 34  # half of its length
POINTER = {"stroke": "text", "stroke_width": 2}
MIDDLE = {"anchor": "middle", "weight": 700}


class unrolled(Drawing):
    """Draw the result of `run(v)`, again at every change of `v`. The result is {"result", "gradient",
    "sent", "nodes"}: "sent" has the gradient of each node, "nodes" the names of the nodes.

    `curve` is [(v, result, number of nodes)], for the plot.
    """

    called, widths = "As long as the loop ran", {"wide": 760, "narrow": 350}
    wanted = "result", "gradient", "sent", "nodes"

    def __init__(self, run, other=None, *, curve, **options):
        self.curve = curve
        super().__init__(run, other, **options)

    def judge(self, ours: dict, theirs: dict):
        """The lists of nodes have one length if as many gradients were sent."""
        names = ("result", "gradient", "sent")
        return super().judge(*({k: each[k] for k in names} for each in (ours, theirs)))

    @property
    def numbers(self) -> tuple[float, float]:
        """The result and the gradient."""
        result, gradient = (float(array_of(self.result[key])) for key in ("result", "gradient"))
        return result, gradient

    @property
    def factors(self) -> list[float]:
        """The factor of the edge that leaves each node, starting at the result."""
        sent = [*map(float, self.result["sent"]), self.numbers[1]]
        return [b / a if a else 0.0 for a, b in zip(sent, sent[1:])]

    @property
    def ran(self) -> str:
        count = len(self.result["nodes"])
        often = {0: "never ran", 1: "ran once", 2: "ran twice"}.get(count, f"ran {count} times")
        return f"The loop {often}"

    def __repr__(self) -> str:
        result, gradient = self.numbers
        told = f"{self.ran}; {self.counted}; result {number(result)}; v.grad {gradient:.4g}"
        return f"v = {number(self.settings['v'])}: {told}"

    @property
    def counted(self) -> str:
        """All nodes, `AccumulateGrad` included."""
        nodes = self.result["nodes"]
        if not nodes:
            return "no node"
        kinds = [f"{nodes.count(name)} {name}Backward0" for name in dict.fromkeys(nodes)]
        return f"{len(nodes) + 1} nodes: {', '.join(kinds)}, 1 AccumulateGrad"

    def picture(self, width: int, live: bool) -> Sheet:
        wide = width > 600
        sheet = Sheet(width, 240 if wide else 420, live)
        self._plot(sheet, 34, 20)
        left, top = (width - ROOM, 20) if wide else (6, 238)
        self._graph(sheet, left, top, width - left - 6)
        return sheet

    def _plot(self, sheet: Sheet, left: float, top: float) -> None:
        """The result over v, and its tangent at the present v."""
        wide, high = PLOT
        across, most = max(v for v, *_ in self.curve), max(y for _, y, _ in self.curve) * 1.1

        def place(v: float, y: float) -> tuple[float, float]:
            return round(left + wide * v / across, 1), round(top + high * (1 - y / most), 1)

        looks = {"stroke": "border", "stroke_width": 1}
        sheet.line(left, left + wide, top + high, top + high, **looks)
        sheet.line(left, left, top, top + high, **looks)
        sheet.text("result", left + 6, top - 6, "value", weight=700)
        sheet.text("v", left + wide + 10, top + high + 5, "text2", weight=700)
        for v in range(0, int(across) + 1, 2):
            sheet.text(str(v), place(v, 0)[0], top + high + 18, "text2", anchor="middle")
        for y in (0.5, 1):
            sheet.text(number(y), left - 6, place(0, y)[1] + 4, "text2", anchor="end")
        path, before = "", None
        for v, y, count in self.curve:
            path += "{}{} {}".format("L" if count == before else "M", *place(v, y))
            before = count
        sheet.add("path", d=path, fill="none", stroke="value", stroke_width=2)
        slope, (x, y) = self.numbers[1], place(self.settings["v"], self.numbers[0])
        up = slope * (high / most) / (wide / across)
        by = TANGENT / np.hypot(1, up)
        ink = sign_of(number(slope))
        sheet.line(x - by, x + by, y + by * up, y - by * up, ink, stroke_width=3)
        sheet.text("slope: v.grad", left + wide, top - 6, ink, anchor="end", weight=700)
        sheet.add("circle", cx=x, cy=y, r=6, fill="value")

    def _graph(self, sheet: Sheet, left: float, top: float, room: float) -> None:
        """The pointers from the result to v, with a factor at each edge that leaves a node."""
        nodes, factors, v = self.result["nodes"], self.factors, number(self.settings["v"])
        count, y = len(nodes), top + 70
        step = min(84, room / (count + 2))
        box = step * 0.62
        sheet.text(self.ran, left, top, "text", weight=700, size=14)
        for i in range(1, count + 2 if count else 1):
            x = left + i * step
            tip = x - step + box
            sheet.line(tip + 6, x, y, y, **POINTER)
            sheet.add("path", d=f"M{tip} {y}l8 -5v10Z", fill="text")
            if i <= count:
                sheet.rect(x, y - 18, box, 36, rx=5, fill="card", **POINTER)
                if box > 24:
                    sheet.text(nodes[count - i], x + box / 2, y + 4, "text", **MIDDLE)
                    factor = number(factors[count - i])
                    sheet.text(factor, x - (step - box) / 2, y - 26, "value", **MIDDLE)
        result = number(self.numbers[0])
        ends = [("v", v, 0), ("result", result, count + 1)] if count else [("result is v", v, 0)]
        for title, value, place in ends:
            x, size = left + place * step, box if count else 74
            sheet.rect(x, y - 18, size, 36, rx=8, fill="value-tint", stroke="value")
            sheet.text(title, x + size / 2, y - 26, "text", **MIDDLE)
            sheet.text(value, x + size / 2, y + 4, "value", **MIDDLE, size=11)
        text = self.counted if count else "a leaf: result.grad_fn is None"
        sheet.text(text, left, y + 44, "text2")
        product = f"{' · '.join(map(number, factors))} = " if 1 < count < 9 else ""
        ink, looks = sign_of(number(self.numbers[1])), {"weight": 700, "size": 14}
        sheet.text(f"v.grad = {product}{self.numbers[1]:.4g}", left, y + 72, ink, **looks)

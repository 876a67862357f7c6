"""Scores of several networks next to a baseline and a constant, a row for each head."""

from collections.abc import Mapping, Sequence

from ...widgets.kit.format import number
from ...widgets.kit.sheet import Sheet

WIDTH, TOP, ROW, LEFT, RIGHT = 760, 44, 64, 250, 110
APART = 8  # pixels from the dot of a seed down to the next
UNITS = {"text": "IoU", "line": "IoU", "direction": "degrees", "radius": "pixels"}
BETTER_IF_MORE = {"text", "line"}


class dots:
    """Draw {head: score} of each of `networks`, in the order of their seeds, next to the scores of
    the `baseline` and of the best `constant`. In each row, right is better."""

    def __init__(self, networks: Sequence[Mapping], *, baseline: Mapping, constant: Mapping):
        self.networks, self.baseline, self.constant = networks, baseline, constant

    def winner(self, head: str) -> str:
        """Who is better for a head with all seeds: "network" or "filter", else "undecided"."""
        better = {
            (each[head] > self.baseline[head]) == (head in BETTER_IF_MORE) for each in self.networks
        }
        return "undecided" if len(better) == 2 else "network" if True in better else "filter"

    def __repr__(self) -> str:
        return "\n".join(
            f"{head} ({unit}): network {', '.join(f'{each[head]:.2f}' for each in self.networks)};"
            f" filter {self.baseline[head]:.2f}; constant {self.constant[head]:.2f}:"
            f" {self.winner(head)}"
            for head, unit in UNITS.items()
        )

    def svg(self) -> str:
        """The figure as the text of an SVG file; in dark surroundings it turns dark."""
        sheet = Sheet(WIDTH, TOP + ROW * len(UNITS) + 20)
        sheet.text("better →", WIDTH - RIGHT, 24, "text2", anchor="end", size=13)
        sheet.text("winner", WIDTH - RIGHT + 16, 24, "text2", size=13)
        self._key(sheet)
        for place, (head, unit) in enumerate(UNITS.items()):
            self._row(sheet, head, unit, TOP + ROW * place)
        return sheet.svg(repr(self))

    def _key(self, sheet: Sheet) -> None:
        sheet.add("circle", cx=LEFT + 5, cy=20, r=5, fill="value")
        sheet.text("network, seeds 0 to 2", LEFT + 16, 24, "text")
        sheet.rect(LEFT + 164, 12, 4, 16, fill="series-2")
        sheet.text("filter", LEFT + 174, 24, "text")
        sheet.line(LEFT + 224, LEFT + 224, 12, 28, "text2", stroke_dasharray="3 3")
        sheet.text("constant", LEFT + 232, 24, "text")

    def _row(self, sheet: Sheet, head: str, unit: str, top: float) -> None:
        scores = [each[head] for each in self.networks]
        most = max(*scores, self.baseline[head], self.constant[head])
        most = 1.0 if unit == "IoU" else 1.08 * most
        better = "more" if head in BETTER_IF_MORE else "less"
        sheet.text(head, 12, top + 20, "text", weight=700, size=14)
        sheet.text(f"{unit}, {better} is better", 12, top + 38, "text2")
        sheet.text(" ".join(f"{each:.2f}" for each in scores), 12, top + 54, "value")
        width, middle = WIDTH - RIGHT - LEFT, top + 30

        def x(score: float) -> float:
            share = score / most if head in BETTER_IF_MORE else 1 - score / most
            return round(LEFT + width * share, 1)

        sheet.line(LEFT, LEFT + width, middle, middle, "border-quiet")
        at, ends = x(self.constant[head]), {"y1": top + 16, "y2": top + 44}
        sheet.add("line", x1=at, x2=at, **ends, stroke="text2", stroke_dasharray="3 3")
        sheet.rect(x(self.baseline[head]) - 2, top + 16, 4, 28, fill="series-2")
        for name, ink in (("constant", "text2"), ("baseline", "series-2")):
            score = getattr(self, name)[head]
            words = f"{'filter' if name == 'baseline' else name} {number(round(score, 2))}"
            sheet.text(words, x(score), top + 57, ink, anchor="middle", size=11.5)
        for seed, score in enumerate(scores):
            with sheet.within("g"):
                sheet.add("title", f"seed {seed}: {score:.2f} {unit}")
                y = middle + APART * (seed - (len(scores) - 1) / 2)
                sheet.add("circle", cx=x(score), cy=y, r=5, fill="value", fill_opacity=0.75)
        looks = {"weight": 700, "size": 14}
        sheet.text(self.winner(head), LEFT + width + 16, middle + 5, "text", **looks)

    def _repr_mimebundle_(self, **kwargs: object) -> dict:
        return {"text/plain": repr(self), "image/svg+xml": self.svg()}

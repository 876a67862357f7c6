"""The two cycles of the calls of a training loop, as a picture."""

import math
from collections.abc import Mapping

from ..widgets.kit.format import number
from ..widgets.kit.sheet import Sheet
from ..widgets.kit.theme import MONO
from .widgets.figure import Figure

WIDTH, HEIGHT, RADIUS = 340, 260, 76
PILL = 106, 44
CAPTION = "ends at: the last loss if this call comes first"


def cycles(last: Mapping[tuple[str, ...], float]) -> Figure:
    """The orders of three calls with their last losses, {order: loss}, as cycles. Each call shows the
    loss of the order that starts with it; a loss below 1 is a trained network."""
    found: dict[tuple[str, ...], dict[str, float]] = {}
    for order, loss in last.items():
        first = order.index(min(order))
        found.setdefault(order[first:] + order[:first], {})[order[0]] = loss
    sheet, words = Sheet(WIDTH * len(found), HEIGHT), []
    for k, (cycle, losses) in enumerate(found.items()):
        trains = max(losses.values()) < 1
        told = "this cycle trains" if trains else "this cycle doesn't train"
        ink = "agreed" if trains else "masked"
        _draw(sheet, WIDTH * (k + 0.5), cycle, losses, ink)
        sheet.text(told, WIDTH * (k + 0.5), 22, ink, anchor="middle", weight=700, size=14)
        starts = ", ".join(f"{number(losses[call])} from {call}" for call in cycle)
        words.append(f"{' → '.join(cycle)}: {told}, last loss {starts}")
    sheet.text(CAPTION, sheet.width / 2, HEIGHT - 12, "text2", anchor="middle")
    return Figure(sheet, ". ".join(words))


def _draw(
    sheet: Sheet, middle: float, cycle: tuple[str, ...], losses: Mapping[str, float], ink: str
) -> None:
    center = HEIGHT / 2 + 18
    turns = [2 * math.pi * k / len(cycle) - math.pi / 2 for k in range(len(cycle))]
    sheet.add("circle", cx=middle, cy=center, r=RADIUS, fill="none", stroke=ink, stroke_width=2)
    for turn, call in zip(turns, cycle):
        x, y = middle + RADIUS * math.cos(turn), center + RADIUS * math.sin(turn)
        ahead = turn + math.pi / len(cycle)
        tip = middle + RADIUS * math.cos(ahead), center + RADIUS * math.sin(ahead)
        spin = f"translate({tip[0]:.1f} {tip[1]:.1f}) rotate({math.degrees(ahead) + 90:.0f})"
        sheet.add("path", d="M8 0L-6 -6V6z", fill=ink, transform=spin)
        place = round(x - PILL[0] / 2, 1), round(y - PILL[1] / 2, 1)
        sheet.rect(*place, *PILL, rx=10, fill="card", stroke=ink, stroke_width=1.5)
        at = {"x": round(x, 1), "anchor": "middle"}
        sheet.text(call, y=round(y - 4, 1), fill="text", font_family=MONO, weight=700, **at)
        sheet.text(f"ends at {number(losses[call])}", y=round(y + 13, 1), fill="text2", **at)

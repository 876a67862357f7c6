"""The clinic: a training loop under observation. Curves of its loss, and a strip of numbers for every parameter.

    clinic(run, on_torch.run, patient=["1", "2", "3"])
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from ...widgets.kit.format import number
from ...widgets.kit.settings import settings_of
from .chart import BOTTOM, RIGHT, Chart, Panel
from .curves import Curves

NAMES = 112
"""The width that the names of parameters have, in pixels."""

LONGEST_NAME = 16
ROW, STRIP, HEAD = 18, 14, 26
WORD = 60
"""So wide is a piece of a strip that says in a word what it is, in pixels."""

SHADES = 6
DECADES = 3
"""The palest shade is this many powers of ten below the largest number of its block."""


class Clinic(Curves):
    """See `clinic`."""

    def chart(self, panels: list[Panel], width: int, live: bool = False) -> Chart:
        return strips(panels, self.x, width, live)

    def __repr__(self) -> str:
        curves = [f"{panel.title} from {number(panel.lines[0].values[0])} to {number(panel.lines[0].values[-1])}"
                  for panel in self._compared() if not _is_block(panel) and panel.lines[0].values]
        rows = [f"{panel.title} ends at " + ", ".join(f"{number(line.values[-1])} ({line.name})"
                                                      for line in panel.lines if line.values)
                for panel in self._compared() if _is_block(panel)]
        return f"{self.title}: {'; '.join(curves + rows)}"


def clinic(run: Callable, other: Callable | None = None, *, title: str = "Clinic", note: str = "",
           measured: tuple[str, ...] = (), **settings: object) -> Clinic:
    """Draw what the instruments of `run(**settings)` have read, again at every change of a setting.

    run       returns a dict: a list of numbers, one for each step, is a curve; a dict {parameter: numbers} is a block
              of strips. In a strip colour is size, in powers of ten; 0 is empty, None and what is not finite hatched.
    other, measured, settings    as for `curves`.

    Raises ValueError for a setting that cannot be, TypeError for another kind of result, and what `run` raises.
    """
    return Clinic(run, other, "step", title=title, note=note, measured=measured, settings=settings_of(**settings))


def strips(panels: list[Panel], x: str, width: int, live: bool = False) -> "Strips":
    """The drawing of `panels`: curves, and strips where a panel has a line for each parameter."""
    return Strips([panel for panel in panels if not _is_block(panel)], x, width, live, NAMES,
                  [panel for panel in panels if _is_block(panel)])


def _is_block(panel: Panel) -> bool:
    return [line.name for line in panel.lines] != [panel.title]


@dataclass
class Strips(Chart):
    """Curves, and below them blocks of strips on the same steps."""

    blocks: list[Panel] = field(default_factory=list)

    @property
    def height(self) -> int:
        return super().height + sum(HEAD + ROW * len(block.lines) for block in self.blocks)

    @property
    def steps(self) -> int:
        return max((len(line.values) for panel in (*self.panels, *self.blocks) for line in panel.lines), default=0)

    def draw(self) -> None:
        super().draw()
        top = super().height - BOTTOM
        for block in self.blocks:
            self.sheet.add("text", block.title, x=self.left, y=top + HEAD - 8, fill=block.role, font_weight=700)
            top += HEAD
            largest = max((abs(x) for line in block.lines for x in line.values if _sized(x)), default=0.0)
            for line in block.lines:
                self.sheet.add("text", _ending(line.name), x=self.left - 16, y=top + 11, fill="text2",
                               text_anchor="end", font_size=11)
                for first, count, look in _runs(line.values, largest):
                    self._run(first, count, look, top, block.role)
                top += ROW

    def _run(self, first: int, count: int, look: str | int, top: float, role: str) -> None:
        """Steps `first` to `first + count - 1` of a strip, which all look the same."""
        half = min((self._x(1) - self._x(0)) / 2, RIGHT / 2) if self.steps > 1 else RIGHT / 2
        x = self._x(first) - half
        width = self._x(first + count - 1) + half - x
        if isinstance(look, int):
            fill = "gradient-solid" if role == "gradient" else "value"
            self.sheet.add("rect", x=round(x, 1), y=top, width=round(width, 1), height=STRIP, fill=fill,
                           fill_opacity=look / SHADES)
            return
        stroke, fill = {"0": ("border", "card"), "None": ("masked", "masked-tint")}.get(look, ("error", "error-tint"))
        dashes = {"stroke_dasharray": "2 2"} if look == "0" else {}
        self.sheet.add("rect", x=round(x + 0.5, 1), y=top + 0.5, width=round(width - 1, 1), height=STRIP - 1, fill=fill,
                       stroke=stroke, **dashes)
        if look != "0":
            starts = range(round(x) + 2, round(x + width) - STRIP, 7)
            hatching = "".join(f"M{at} {top + STRIP - 1}l12 -12" for at in starts)
            self.sheet.add("path", d=hatching, fill="none", stroke=stroke)
        if width > WORD:
            middle = round(x + width / 2, 1)
            self.sheet.add("rect", x=middle - 18, y=top + 1, width=36, height=STRIP - 2, fill=fill)
            self.sheet.add("text", look, x=middle, y=top + 11, fill="text2" if look == "0" else stroke,
                           font_size=11, text_anchor="middle", font_weight=700)


def _sized(x: float | None) -> bool:
    return x is not None and math.isfinite(x) and x != 0


def _runs(values: list, largest: float) -> Iterator[tuple[int, int, str | int]]:
    """(first step, number of steps, look): a shade from 1 to SHADES, or a word."""
    def look(x: float | None) -> str | int:
        if not _sized(x):
            return number(x)
        return max(1, SHADES + round((SHADES - 1) / DECADES * math.log10(abs(x) / largest)))

    at = 0
    for shown, group in groupby(map(look, values)):
        count = len(list(group))
        yield at, count, shown
        at += count


def _ending(name: str) -> str:
    """The end of a long name, which tells parameters apart."""
    return name if len(name) <= LONGEST_NAME else "…" + name[1 - LONGEST_NAME:]

"""The heat map of a `History`: a row for each layer, a column for each step, darker where a number
is larger.

In a long training, a column has several steps, and in a large model, a row is a module. The cell
then shows their largest number, or nan or inf if one of them has it.
"""

import itertools
import math
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...trace import History
from ...trace.surprises import first_lines
from ..kit.format import number
from ..kit.shade import LEVELS, shaded
from ..kit.sheet import Sheet
from ..kit.text import fit_path, text_width

SHOWN = {
    "gradient": "norm of the gradient",
    "update": "share of the weight moved",
    "zeros": "share of zeros in the gradient",
}
"""The columns of a history that the map can show, and their names in the picture."""

NONE = -1.0  # marks a missing gradient; nan marks one that is nan or inf
MOST_COLUMNS, MOST_LAYERS = 400, 80
NARROWEST = 2  # pixels of a column
LOWEST_ROW, HIGHEST_ROW, ROOM = 14, 22, 280  # of a row; of all rows where they are few
LEFT, RIGHT, HEAD, LINE = 168, 16, 66, 18
# in a picture that is less wide than this the head begins at the margin
MARGIN, NARROW = 16, 640
LETTER = 6.4  # pixels, of a sentence
PALEST = 2  # the darkness of the smallest number above 0
DECADES = 2, 12  # powers of ten that the colours span, at least and at most
STEPS = 1, 2, 5
MOST_SENTENCES = 5


@dataclass(frozen=True)
class Grid:
    """The cells of a map: `numbers`, rows × columns. A column has `per` steps. `merged` is True if
    a row has several parameters."""

    shown: str
    rows: tuple[str, ...]
    merged: bool
    per: int
    steps: int
    numbers: np.ndarray
    surprises: tuple[tuple[int, str], ...]

    @property
    def first(self) -> int:
        """The row that is visible first: the row of the first nan or inf, or else of the first
        surprise.
        """
        wrong = [row for _, row in np.argwhere(np.isnan(self.numbers.T)).tolist()]
        name = self.surprises[0][1].partition(":")[0] if self.surprises else ""
        paths = [row.lstrip("(").partition(")")[0] for row in self.rows]
        told = [i for i, path in enumerate(paths) if f"{name}.".startswith(f"{path}.")]
        return [*wrong, *told, 0][0]

    @property
    def note(self) -> str:
        """The size of the map, and how rows and columns were merged."""
        parts = [f"a column is the largest of {self.per} steps"] * (self.per > 1)
        parts += [f"a row {'is ' * (self.per == 1)}the largest of a module"] * self.merged
        merged = f" {' and '.join(parts).capitalize()}; one nan is enough to show." if parts else ""
        return f"{self.steps} step{'s' * (self.steps != 1)} of {len(self.rows)} layers.{merged}"


def grid_of(history: History, shown: str = "gradient", most: int = MOST_COLUMNS) -> Grid:
    """The grid of one of SHOWN, with `most` columns at most."""
    gradient, wrong = history.gradient, history.nan + history.inf > 0
    numbers = {"gradient": gradient, "update": history.share, "zeros": history.zeros}[shown]
    numbers = np.where(wrong, np.nan, np.where(np.isnan(gradient), NONE, numbers))
    numbers[np.isinf(numbers)] = np.nan
    rows, starts, merged = _layers(history.names)
    per = _round_number(lambda per: per >= len(history) / most)
    if len(history):
        numbers = np.maximum.reduceat(
            np.maximum.reduceat(numbers, starts, axis=1), range(0, len(history), per), axis=0
        )
    cells = np.reshape(numbers.T, (len(rows), -1))
    kinds = {name: type(module).__name__ for name, module in history._model.named_modules()}
    rows = tuple(f"({row}) {kinds[row]}" if row.isdigit() else row for row in rows)
    return Grid(shown, rows, merged, per, len(history), cells, tuple(history.sentences()))


def _round_number(fits: Callable[[int], bool]) -> int:
    """The first of 1, 2, 5, 10, 20, 50, ... that fits."""
    sizes = (step * 10**power for power in itertools.count() for step in STEPS)
    return next(filter(fits, sizes))


def _layers(names: tuple[str, ...]) -> tuple[tuple[str, ...], list[int], bool]:
    """(the names of the rows, the first parameter of each row, whether modules were merged)."""
    owners = [name.rpartition(".")[0] or name for name in names]
    for depth in range(max(owner.count(".") for owner in owners) + 1, 0, -1):
        paths = [".".join(owner.split(".")[:depth]) for owner in owners]
        starts = [i for i, path in enumerate(paths) if i == 0 or path != paths[i - 1]]
        if len(starts) <= MOST_LAYERS:
            break
    merged = len(starts) < sum(i == 0 or owner != owners[i - 1] for i, owner in enumerate(owners))
    return tuple(paths[i] for i in starts), starts, merged


@dataclass
class HeatMap:
    """The drawing of a grid, `width` pixels wide: a head with the scale and the steps, and below it
    a body of rows.
    """

    grid: Grid
    width: int
    live: bool = False

    def __post_init__(self) -> None:
        rows, columns = self.grid.numbers.shape
        self.row = min(max(ROOM // rows, LOWEST_ROW), HIGHEST_ROW)
        self.column = (self.width - LEFT - RIGHT) / max(columns, 1)
        known = [*np.log10(self.grid.numbers[self.grid.numbers > 0])] or [-2, 0]
        least, self.high = math.floor(min(known)), math.ceil(max(known))
        self.low = min(max(least, self.high - DECADES[1]), self.high - DECADES[0])

    def parts(self, description: str) -> tuple[str, str]:
        """Head and body, each as the text of an SVG element."""
        head = Sheet(self.width, HEAD, self.live)
        body = Sheet(self.width - RIGHT + 1, self.height, self.live)  # room for a scroll bar
        self._head(head)
        self._body(body, 0)
        return head.svg("the colours, and the steps"), body.svg(description)

    def svg(self, description: str) -> str:
        """Both as one picture, with the surprises as sentences below."""
        found = first_lines(self.grid.surprises, MOST_SENTENCES)
        told = (self.grid.note, "text2"), *((line, "error") for line in found)
        letters = int((self.width - 2 * MARGIN) / LETTER)
        lines = [(line, fill) for text, fill in told for line in textwrap.wrap(text, letters)]
        sheet = Sheet(self.width, HEAD + self.height + LINE * len(lines) + 10, self.live)
        self._head(sheet)
        self._body(sheet, HEAD)
        for place, (line, fill) in enumerate(lines, 1):
            sheet.text(line, MARGIN, HEAD + self.height + LINE * place, fill)
        return sheet.svg(description)

    @property
    def height(self) -> int:
        return self.row * len(self.grid.rows) + 6

    @property
    def role(self) -> str:
        return "value" if self.grid.shown == "update" else "gradient-solid"

    def darkness(self) -> np.ndarray:
        """The darkness of each cell, from 0 to LEVELS, from the power of ten of a norm, or from the
        share of zeros.
        """
        numbers = np.where(self.grid.numbers > 0, self.grid.numbers, 0.0)
        if self.grid.shown == "zeros":
            return np.where(numbers > 0, np.maximum(np.rint(LEVELS * numbers), PALEST), 0)
        with np.errstate(divide="ignore"):
            place = (np.log10(numbers) - self.low) / (self.high - self.low)
        return np.where(numbers > 0, np.rint(PALEST + (LEVELS - PALEST) * np.clip(place, 0, 1)), 0)

    def _body(self, sheet: Sheet, top: float) -> None:
        rows, columns = self.grid.numbers.shape
        for place, name in enumerate(self.grid.rows):
            y, short = top + (place + 0.5) * self.row + 4, fit_path(name, LEFT - 24, 12)
            sheet.text(short, LEFT - 8, y, "text2", anchor="end")
        if not columns:
            sheet.text("no step yet", LEFT, top + self.row / 2 + 4, "text2")
            return
        width, height = round(columns * self.column, 2), rows * self.row
        place = {"x": LEFT, "y": top, "width": width, "height": height}
        for shade, fill in (
            (self.darkness(), self.role),
            (LEVELS * (self.grid.numbers == NONE), "border"),
            (LEVELS * np.isnan(self.grid.numbers), "error"),
        ):
            if shade.any():
                sheet.parts.append(shaded(shade, fill, **place, live=self.live))
        sheet.rect(**place, fill="none", stroke="border-quiet")

    # ---- the head --------------------------------------------------------------------------------

    def _head(self, sheet: Sheet) -> None:
        shown, narrow = self.grid.shown, self.width < NARROW
        x, fill = MARGIN if narrow else LEFT, "value" if shown == "update" else "gradient"
        sheet.text(SHOWN[shown], x, 16, fill, weight=700)
        end = x + text_width(SHOWN[shown], 12, bold=True) + 16
        low, high = number(10.0**self.low), number(10.0**self.high)
        if shown == "zeros":
            low, high = "0", "100 %"
        x, y = (MARGIN, 33) if narrow else (end + 18, 17)
        x = self._word(sheet, low, x, y)
        for level in range(PALEST, LEVELS + 1):
            dark = round(level / LEVELS, 2)
            sheet.rect(round(x, 1), y - 10, 6, 11, fill=self.role, fill_opacity=dark)
            x += 6
        x = self._word(sheet, high, x + 6, y) + 8
        numbers = self.grid.numbers
        for word, fill, where in (
            ("nan or inf", "error", np.isnan(numbers)),
            ("no gradient", "border", numbers == NONE),
            ("0", "card", numbers == 0),
        ):
            if where.any():
                if x + 16 + text_width(word, 12) > self.width:
                    x, y = end, 17
                sheet.rect(round(x, 1), y - 9.5, 11, 11, fill=fill, stroke="border")
                x = self._word(sheet, word, x + 16, y) + 8
        self._steps(sheet)

    def _word(self, sheet: Sheet, word: str, x: float, y: float) -> float:
        """Write `word` at `x`, and return the place after it."""
        sheet.text(word, round(x, 1), y, "text2")
        return x + text_width(word, 12) + 6

    def _steps(self, sheet: Sheet) -> None:
        """The numbers of the steps, and a mark above each step with a surprise."""
        apart = _round_number(lambda apart: self.x(apart) - self.x(0) >= 56)
        y = HEAD - (16 if self.width < NARROW else 20)  # clear of a second line of colours
        sheet.text("step", LEFT - 8, y, "text2", anchor="end")
        for step in range(0, self.grid.steps, apart):
            x = round(self.x(step) + self.column / 2, 1)
            sheet.text(str(step), x, y, "text2", anchor="middle")
        surprising = {step for step, _ in self.grid.surprises}
        for x in dict.fromkeys(round(self.x(step) + self.column / 2, 1) for step in surprising):
            sheet.add("path", d=f"M{x:g} {HEAD - 3}l-5 -9h10z", fill="card", stroke="error")

    def x(self, step: int) -> float:
        """The left end of the column of a step."""
        return LEFT + step // self.grid.per * self.column

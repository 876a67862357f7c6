"""A batch cut into shards, one for each process: who is chosen, and the gradient that comes out
against the whole's.

    shards(run, on_torch.run, processes=(4, 1, 6), split=["equal", "unequal"])
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
import traitlets

from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from ...widgets.kit.settings import settings_of
from ...widgets.kit.sheet import Sheet

WIDTH, NARROW = 760, 600
# for the name of a row, and for how many are chosen in it, in pixels
LEFT, RIGHT = 96, 72
TOP, ROW = 44, 24  # above the rows; of a row
BARS = 132  # the height of the bars
BAR = 26


@dataclass(frozen=True)
class Batch:
    """What a run returned, for N elements, P processes and W weights.

    owner (N,) the process of each element; label (N,) whether it is text; taken, whole_taken (N,)
    whether it counts in its shard, and in the whole batch; gradient, whole (W,) what the processes
    arrive at, and the batch's own gradient."""

    owner: np.ndarray
    label: np.ndarray
    taken: np.ndarray
    whole_taken: np.ndarray
    gradient: np.ndarray
    whole: np.ndarray

    @classmethod
    def of(cls, result: object) -> "Batch":
        """Read a result. Raises TypeError or ValueError, with what is expected, if it is something
        else.
        """
        names = [field.name for field in fields(cls)]
        if not isinstance(result, dict) or not {*names} <= result.keys():
            raise TypeError(f"the run returns a dict with {', '.join(names)}")
        arrays = {name: np.asarray(result[name].detach().numpy()) for name in names}
        elements, weights = arrays["owner"].shape, arrays["whole"].shape
        for name, array in arrays.items():
            expected = weights if name in ("gradient", "whole") else elements
            if array.shape != expected or len(expected) != 1:
                raise ValueError(
                    f"{name} has the shape {list(array.shape)}, not {list(expected)}: one number"
                    " for each element of the batch, or for each weight"
                )
        return cls(**arrays)

    @property
    def processes(self) -> int:
        return int(self.owner.max()) + 1

    @property
    def off(self) -> float:
        """How far the gradient is from the whole's, in parts of the whole's length; 0 up to
        rounding.
        """
        distance, length = np.linalg.norm(self.gradient - self.whole), np.linalg.norm(self.whole)
        return 0.0 if distance <= 1e-9 * length else float(distance / length)

    def summary(self) -> str:
        together = (
            f"{int(self.taken.sum())} elements count in the {self.processes} shards, "
            f"{int(self.whole_taken.sum())} in the whole"
        )
        how = f"{100 * self.off:.0f} % off the whole's" if self.off else "the whole's"
        return f"{together}; the gradient is {how}"


class Shards(Live):
    """See `shards`."""

    view = traitlets.Unicode("drawing").tag(sync=True)

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        self.batch = Batch.of(ours)
        forms = {"wide": WIDTH, "narrow": NARROW}
        return {
            form: _picture(self.batch, width, True).svg(repr(self)) for form, width in forms.items()
        }

    def still(self) -> str:
        return _picture(self.batch, WIDTH, False).svg(repr(self))

    def __repr__(self) -> str:
        return f"{self.title}: {self.batch.summary()}"


def shards(
    run: Callable,
    other: Callable | None = None,
    *,
    title: str = "Shards",
    note: str = "",
    **settings: object,
) -> Shards:
    """Draw the batch that `run(**settings)` returns, again at every change of a setting.

    run       returns a dict of tensors with the names and shapes of `Batch`.
    other     the same function on the other engine, compared.
    settings  what the reader may change, see `settings_of`.

    Raises ValueError for a setting that cannot be or tensors that do not fit, TypeError for another
    kind of result, and what `run` raises.
    """
    return Shards(run, other, title=title, note=note, settings=settings_of(**settings))


def _picture(batch: Batch, width: int, live: bool) -> Sheet:
    rows = batch.processes + 1
    below = TOP + rows * ROW + 12
    sheet = Sheet(width, below + 58 + BARS, live)
    _key(sheet)
    for row in range(rows):
        whole = row == batch.processes
        name, y = ("whole batch", 12) if whole else (f"process {row}", 0)
        _row(
            sheet,
            batch,
            TOP + row * ROW + y,
            name,
            (batch.owner == row) | whole,
            batch.whole_taken if whole else batch.taken,
        )
    _bars(sheet, batch, below + 34)
    return sheet


def _key(sheet: Sheet) -> None:
    for x, name, looks in (
        (LEFT, "text", {"stroke": "text", "stroke_width": 2, "fill": "card"}),
        (LEFT + 70, "counts in the loss", {"stroke": "border", "fill": "gradient-solid"}),
        (LEFT + 220, "does not", {"stroke": "border", "fill": "masked-tint"}),
    ):
        sheet.add("rect", x=x, y=12, width=12, height=12, **looks)
        sheet.add("text", name, x=x + 18, y=22, fill="text2")
    sheet.add("text", "counted", x=sheet.width - 12, y=22, fill="text2", text_anchor="end")


def _row(
    sheet: Sheet, batch: Batch, y: float, name: str, shown: np.ndarray, taken: np.ndarray
) -> None:
    step = (sheet.width - LEFT - RIGHT) / batch.owner.size
    sheet.add("text", name, x=LEFT - 10, y=y + 13, fill="text", text_anchor="end")
    for at in np.flatnonzero(shown):
        label = batch.label[at]
        sheet.add(
            "rect",
            x=round(LEFT + at * step + 1, 1),
            y=y + 1,
            width=round(step - 2, 1),
            height=16,
            fill="gradient-solid" if taken[at] else "masked-tint",
            stroke="text" if label else "border",
            stroke_width=2 if label else 1,
        )
    sheet.add(
        "text",
        str(int((taken & shown).sum())),
        x=sheet.width - 12,
        y=y + 13,
        fill="text",
        text_anchor="end",
        font_weight=700,
    )


def _bars(sheet: Sheet, batch: Batch, top: float) -> None:
    """For each weight two bars from the zero line: what the processes arrive at, and the whole's."""
    both = np.concatenate([batch.gradient, batch.whole]).astype(float)
    up, down = max(both.max(), 0.0), max(-both.min(), 0.0)
    scale = (BARS - 48) / (up + down or 1.0)
    zero = top + 24 + scale * up
    sheet.add(
        "text", "gradient", x=LEFT - 10, y=top - 12, fill="text", font_weight=700, text_anchor="end"
    )
    for x, name, fill in (
        (LEFT, "of the processes", "gradient-solid"),
        (LEFT + 140, "of the whole batch", "card"),
    ):
        sheet.add(
            "rect",
            x=x,
            y=top - 22,
            width=12,
            height=12,
            fill=fill,
            stroke="gradient-solid",
            stroke_width=2,
        )
        sheet.add("text", name, x=x + 18, y=top - 12, fill="text2")
    sheet.add(
        "text",
        f"{100 * batch.off:.0f} % off" if batch.off else "✓ the same",
        x=sheet.width - 12,
        y=top - 12,
        fill="error" if batch.off else "agreed",
        font_weight=700,
        text_anchor="end",
    )
    sheet.add("line", x1=LEFT, x2=sheet.width - 12, y1=zero, y2=zero, stroke="border")
    each = (sheet.width - LEFT - 12) / batch.whole.size
    for weight, pair in enumerate(zip(batch.gradient, batch.whole)):
        centre = LEFT + each * (weight + 0.5)
        sheet.add(
            "text", f"w[{weight}]", x=centre - 62, y=zero - 6, fill="text2", text_anchor="end"
        )
        for side, value in zip((-1, 1), pair):
            height, x = scale * abs(float(value)), centre + side * (BAR + 6) - BAR / 2
            sheet.add(
                "rect",
                x=x,
                y=round(zero - (height if value > 0 else 0), 1),
                width=BAR,
                height=round(height, 1),
                fill="gradient-solid" if side < 0 else "card",
                stroke="gradient-solid",
                stroke_width=2,
            )
            end = zero - height - 6 if value > 0 else zero + height + 16
            sheet.add(
                "text",
                number(float(value)),
                x=x + BAR / 2,
                y=round(end, 1),
                fill="gradient",
                text_anchor="middle",
            )

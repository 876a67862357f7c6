"""What a way of masking did: the loss and the gradient of each cell, and a verdict in words."""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number

OFF, BAD, PLAIN = 0, 1, {"value": 2, "gradient-solid": 5}
"""How a cell looks, see `paint_picture.LOOKS`: masked or not used, not finite, and the first of the
three looks of all others, by their colour."""
LIGHT_TEXT = 0.58, 0.8  # a darker cell has light text: in the dark theme, in both


@dataclass(frozen=True)
class Card:
    """One way of masking; `mark` is "clean", "hidden" or "broken"."""

    way: str
    losses: list  # of cells, see `cells_of`
    gradients: list
    numbers: list  # [name, text, role], role "value", "gradient" or "error"
    added: str  # what was summed, and divided by what
    mark: str
    verdict: str


def card_of(way: str, result: dict, mask: np.ndarray, poisoned: np.ndarray) -> Card:
    """The card for what `run` returned for one way; `mask` and `poisoned` are bools as the grid."""
    result = {name: array_of(value) for name, value in result.items()}
    kept, cells = result.pop("kept"), result.pop("cells", None)
    gradient, count = result.pop("x.grad"), result.pop("divided by")
    losses, (mark, verdict) = kept, _verdict(gradient, result, mask, poisoned)
    if kept.shape != mask.shape:
        # each number in the cell that it is from
        losses = np.full(mask.shape, None, dtype=object)
        losses.flat[cells.ravel()] = kept.ravel()
        if sorted(cells.flat) != np.flatnonzero(mask).tolist():
            taken = f"{cells.size} numbers, from {len(set(cells.flat))} cells"
            mark, verdict = "broken", f"Not a mask: it takes {taken}."
    numbers = [[name, number(value), _role(name, value)] for name, value in result.items()]
    maps = cells_of(losses, mask), cells_of(gradient, mask, "gradient-solid")
    return Card(way, *maps, numbers, f"sum of {kept.size} ÷ {number(count)}", mark, verdict)


def cells_of(values: np.ndarray, mask: np.ndarray, colour: str = "value") -> list[list]:
    """Row by row [text, exact text, how dark from 0 to 1, which look]. A `None` is a cell that was
    not used, the darkest is the one of largest size; a zero outside the mask is grey."""
    sizes = [abs(x) for x in values.flat if x is not None and np.isfinite(x)]
    largest = max(sizes, default=0.0) or 1.0
    return [_cell(x, masked, largest, colour) for x, masked in zip(values.flat, mask.flat)]


def brief(x: float) -> str:
    """A number in four characters where that is possible: "−.07", "1.5", "12"; exactly 0 is "0"."""
    size, sign = abs(x), "−" if x < 0 else ""
    if size == 0 or not np.isfinite(x):
        return number(x)
    if size < 0.995:
        return sign + f"{size:.2f}"[1:]
    return sign + (f"{size:.1f}" if size < 9.95 else f"{size:.0f}")


def _cell(x: float | None, masked: bool, largest: float, colour: str) -> list:
    if x is None:
        return ["·", "not used", 1, OFF]
    dark, look = 1.0, OFF
    if not np.isfinite(x):
        look = BAD
    elif masked or x:
        dark = round(abs(float(x)) / largest, 3)
        look = PLAIN[colour] + bisect_left(LIGHT_TEXT, dark)
    return [brief(x), number(x), dark, look]


def _verdict(gradient, numbers: dict, mask, poisoned) -> tuple[str, str]:
    """(mark, sentence): cells outside the mask take part, or something is not finite, or neither."""
    outside = int(np.count_nonzero(np.isfinite(gradient) & (gradient != 0) & ~mask))
    if outside:
        return "broken", f"Not a mask: {outside} cells outside it are trained."
    loss = _wrong(numbers["loss"])
    wrong = _wrong(gradient, *(value for name, value in numbers.items() if "grad" in name))
    inside = " The poison is inside the mask." if (poisoned & mask).any() else ""
    cause = inside if mask.any() else " Nothing is selected."
    learns = gradient.any()
    if not loss and not wrong:
        fine = "Clean: nothing leaks." if learns else "Nothing is trained, and nothing breaks."
        return "clean", fine
    of_gradient = f"Gradient is {wrong or ('fine' if learns else '0')}."
    if loss:
        return "broken", f"Loss is {loss}. {of_gradient}{cause}"
    return "hidden", f"Loss looks fine. {of_gradient}{cause}"


def _wrong(*values: np.ndarray) -> str:
    """ "nan" or "inf" where one of the numbers is that, "" where all are finite."""
    everything = np.concatenate([np.ravel(value) for value in values])
    return "nan" if np.isnan(everything).any() else "inf" if np.isinf(everything).any() else ""


def _role(name: str, value: np.ndarray) -> str:
    return "error" if not np.isfinite(value).all() else "gradient" if "grad" in name else "value"

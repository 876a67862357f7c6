"""What a way of masking did: the loss and the gradient of each cell, and a verdict in words."""

from dataclasses import dataclass

import numpy as np

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number


@dataclass(frozen=True)
class Card:
    """One way of masking; `mark` is "clean", "hidden" or "broken"."""

    way: str
    losses: np.ndarray  # as the grid; None where a cell was not used
    gradients: np.ndarray
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
    added = f"sum of {kept.size} ÷ {number(count)}"
    return Card(way, losses, gradient, numbers, added, mark, verdict)


def brief(x: float) -> str:
    """A number in four characters where that is possible: "−.07", "1.5", "12"; exactly 0 is "0"."""
    size, sign = abs(x), "−" if x < 0 else ""
    if size == 0 or not np.isfinite(x):
        return number(x)
    if size < 0.995:
        return sign + f"{size:.2f}"[1:]
    return sign + (f"{size:.1f}" if size < 9.95 else f"{size:.0f}")


def _verdict(gradient, numbers: dict, mask, poisoned) -> tuple[str, str]:
    """(mark, sentence): cells outside the mask take part, or something is not finite, or neither."""
    outside = int(np.count_nonzero(np.isfinite(gradient) & (gradient != 0) & ~mask))
    if outside:
        return "broken", f"Not a mask: {outside} cells outside it are trained."
    loss = _wrong(numbers["loss"])
    wrong = _wrong(gradient, *(value for name, value in numbers.items() if "grad" in name))
    inside = " The poison is inside." if (poisoned & mask).any() else ""
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

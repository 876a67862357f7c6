"""What a way of masking did, read from its numbers: the loss and the gradient of each cell, and a
verdict in words.
"""

from dataclasses import dataclass

import numpy as np

from ...widgets.kit.format import number

OFF, BAD, PLAIN = "off", "bad", "plain"
"""Kinds of cell: masked or not used, not finite, and all others."""


@dataclass(frozen=True)
class Card:
    """One way of masking. A map is rows of cells, see `cells_of`; `mark` is "clean", "hidden" or
    "broken".
    """

    way: str
    losses: list
    gradients: list
    numbers: list  # [name, text, role], role "value", "gradient" or "error"
    added: str  # what was summed, and divided by what
    mark: str
    verdict: str


def card_of(way: str, result: dict, mask: np.ndarray, poisoned: np.ndarray) -> Card:
    """The card for what `run` returned for one way; `mask` and `poisoned` are bools in the shape of
    the grid.

    Raises KeyError, which says what is missing, for a result without `kept`, `divided by`, `x.grad`
    or `loss`."""
    missing = {"kept", "divided by", "x.grad", "loss"} - result.keys()
    if missing:
        raise KeyError(f"the result for {way!r} has no {', '.join(sorted(missing))}")
    result = {name: _array(value) for name, value in result.items()}
    kept, cells = result.pop("kept"), result.pop("cells", None)
    gradient, count = result.pop("x.grad"), result.pop("divided by")
    losses = kept if kept.shape == mask.shape else _placed(kept, cells, mask.shape)
    numbers = [[name, number(value), _role(name, value)] for name, value in result.items()]
    mark, verdict = _verdict(kept, cells, gradient, result, mask, poisoned)
    return Card(
        way,
        cells_of(losses, mask),
        cells_of(gradient, mask),
        numbers,
        f"sum of {kept.size} ÷ {number(count)}",
        mark,
        verdict,
    )


def cells_of(values: np.ndarray, mask: np.ndarray) -> list:
    """Rows of cells [kind, text, exact text, how dark from 0 to 1]. A `None` is a cell that was not
    used.

    The darkest cell is the one of largest size; a zero outside the mask is grey.
    """
    sizes = [abs(x) for x in values.flat if x is not None and np.isfinite(x)]
    largest = max(sizes, default=0.0) or 1.0
    return [[_cell(x, masked, largest) for x, masked in zip(*rows)] for rows in zip(values, mask)]


def brief(x: float) -> str:
    """A finite number in at most four characters where that is possible: "−.07", "1.5", "12"; an
    exact zero is "0".
    """
    size, sign = abs(x), "−" if x < 0 else ""
    if size == 0:
        return "0"
    return sign + (
        f"{size:.2f}"[1:] if size < 0.995 else f"{size:.1f}" if size < 9.95 else f"{size:.0f}"
    )


def _cell(x: float | None, masked: bool, largest: float) -> list:
    if x is None:
        return [OFF, "·", "not used", 0.0]
    if not np.isfinite(x):
        return [BAD, number(x), number(x), 1.0]
    return [PLAIN if masked or x else OFF, brief(x), number(x), round(abs(float(x)) / largest, 3)]


def _placed(kept: np.ndarray, cells: np.ndarray | None, shape: tuple) -> np.ndarray:
    """Each number of `kept` in the cell that it is from, None elsewhere."""
    if cells is None or cells.shape != kept.shape:
        raise ValueError(
            f"kept is {list(kept.shape)}, not {list(shape)}: `cells` of that shape says where its"
            " numbers are from"
        )
    placed = np.full(shape, None, dtype=object)
    placed.flat[cells.ravel()] = kept.ravel()
    return placed


def _verdict(
    kept: np.ndarray,
    cells: np.ndarray | None,
    gradient: np.ndarray,
    numbers: dict,
    mask: np.ndarray,
    poisoned: np.ndarray,
) -> tuple[str, str]:
    """(mark, sentence). First whether cells outside the mask take part, then what is not finite,
    then all is well.
    """
    if kept.shape != mask.shape and sorted(cells.flat) != np.flatnonzero(mask).tolist():
        return (
            "broken",
            f"Not a mask: it takes {cells.size} numbers, from {len(set(cells.flat))} cells.",
        )
    outside = int(np.count_nonzero(np.isfinite(gradient) & (gradient != 0) & ~mask))
    if outside:
        return "broken", f"Not a mask: {outside} cells outside it are trained."
    loss = _wrong(numbers["loss"])
    wrong = _wrong(gradient, *(value for name, value in numbers.items() if "grad" in name))
    inside = " The poison is inside the mask." if (poisoned & mask).any() else ""
    cause = inside if mask.any() else " Nothing is selected."
    if not loss and not wrong:
        return (
            "clean",
            (
                "Clean: nothing leaks."
                if gradient.any()
                else "Nothing is trained, and nothing breaks."
            ),
        )
    of_gradient = (
        f"Gradient is {wrong}."
        if wrong
        else "Gradient is fine."
        if gradient.any()
        else "Gradient is 0."
    )
    if loss:
        return "broken", f"Loss is {loss}. {of_gradient}{cause}"
    return "hidden", f"Loss looks fine. {of_gradient}{cause}"


def _wrong(*values: np.ndarray) -> str:
    """ "nan" or "inf" where one of the numbers is that, "" where all are finite."""
    everything = np.concatenate([np.ravel(value) for value in values])
    return "nan" if np.isnan(everything).any() else "inf" if np.isinf(everything).any() else ""


def _role(name: str, value: np.ndarray) -> str:
    return "error" if not np.isfinite(value).all() else "gradient" if "grad" in name else "value"


def _array(x: object) -> np.ndarray:
    return np.array(x.detach().numpy() if hasattr(x, "detach") else x)

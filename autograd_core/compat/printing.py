"""Print numbers as PyTorch prints them, character for character.

All numbers of a tensor share one notation and one column width. They are written as integers with a
dot when all are whole, with four decimals otherwise, and in powers of ten when the largest is more
than 1000 times the smallest, above 1e8, or (not whole) below 1e-4. Above 1000 elements only three
at each end of every axis are shown.

    "tensor(" + format_tensor(array, dtype_name=None, suffixes=["requires_grad=True"]) + ")"
"""

import math
from typing import NamedTuple

import numpy as np

_PREFIX = "tensor("


class PrintOptions(NamedTuple):
    """What `set_printoptions` sets.

    `precision` counts decimals; above `threshold` elements only `edgeitems` at each end of an axis
    are shown; `linewidth` counts characters; `sci_mode` forces powers of ten on or off, `None`
    decides from the numbers."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_options = PrintOptions()


def set_printoptions(
    precision=None, threshold=None, edgeitems=None, linewidth=None, *, sci_mode=None
):
    """Set how tensors are printed: `torch.set_printoptions`, with the options of `PrintOptions` by
    name.

    An option left out stays; but `sci_mode` is set on every call: left out, the numbers decide
    again.
    Raises TypeError for an option that is not one of these.
    """
    global _options
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    given = {name: value for name, value in given.items() if value is not None}
    _options = _options._replace(**given, sci_mode=sci_mode)


def dtype_is_implied(dtype: np.dtype, size: int, default: np.dtype) -> bool:
    """Whether PyTorch leaves `dtype=` out: for the default dtype, and for int64 and bool unless the
    tensor is empty.
    """
    return dtype == default or (size > 0 and dtype in (np.int64, np.bool_))


def format_tensor(array: np.ndarray, *, dtype_name: str | None, suffixes: list[str]) -> str:
    """Return what stands between `tensor(` and `)`.

    `array` is of any shape; float, integer or bool. `dtype_name` ("torch.float64") is added as
    `dtype=`; `None` leaves it out (see `dtype_is_implied`). `suffixes` ("requires_grad=True",
    "grad_fn=<MulBackward0>") follow in their order. A suffix that would cross the line width starts
    a new line."""
    extra = [] if array.size or array.ndim == 1 else [f"size={array.shape}"]
    if dtype_name is not None:
        extra.append(f"dtype={dtype_name}")
    text = _PREFIX + (_body(array) if array.size else "[]")
    column = len(text) - text.rfind("\n") + 1
    for suffix in [*extra, *suffixes]:
        separator, column = ", ", column + 2
        if column + len(suffix) > _options.linewidth:
            separator, column = ",\n" + " " * len(_PREFIX), len(_PREFIX)
        text += separator + suffix
        column += len(suffix)
    return text[len(_PREFIX) :]


def _body(array: np.ndarray) -> str:
    shown = _ends(array, _options.edgeitems) if array.size > _options.threshold else array
    return _nested(shown, array.shape, _Notation.of(shown), len(_PREFIX))


def _ends(array: np.ndarray, edge: int) -> np.ndarray:
    """`array` without the middle of any axis longer than two edges."""
    for axis, size in enumerate(array.shape):
        if size > 2 * edge:
            array = np.take(array, [*range(edge), *range(size - edge, size)], axis)
    return array


def _nested(shown: np.ndarray, shape: tuple[int, ...], notation: "_Notation", indent: int) -> str:
    """`shown` in brackets, one axis for each call; `indent` is the column of its first bracket.

    `shape` is that of the whole array: where an axis of it is longer, dots stand in the middle.
    """
    if shown.ndim == 0:
        return notation.write(shown.item())
    if shown.ndim == 1:
        rows = [notation.write(number) for number in shown.tolist()]
    else:
        rows = [_nested(row, shape[1:], notation, indent + 1) for row in shown]
    if len(shown) < shape[0]:
        rows.insert(len(shown) // 2, " ..." if shown.ndim == 1 else "...")
    if shown.ndim == 1:
        on_a_line = max(1, (_options.linewidth - indent) // (notation.width + len(", ")))
        rows = [", ".join(rows[i : i + on_a_line]) for i in range(0, len(rows), on_a_line)]
    return "[" + ("," + "\n" * max(1, shown.ndim - 1) + " " * (indent + 1)).join(rows) + "]"


class _Notation(NamedTuple):
    """How every number of one tensor is written: as `format(number, spec)`, a finite one with `dot`
    behind it.

    `width` is the column's; `inf` and `nan` may exceed it.
    """

    spec: str = ""
    dot: str = ""
    width: int = 0

    @classmethod
    def of(cls, shown: np.ndarray) -> "_Notation":
        """The notation that PyTorch chooses for the numbers `shown`."""
        numbers, unpadded = shown.reshape(-1), cls()
        if shown.dtype.kind == "f":
            numbers = shown[np.isfinite(shown) & (shown != 0)].astype(np.float64)
            whole = bool((numbers == np.ceil(numbers)).all())
            powers = _options.sci_mode and numbers.size
            if powers is None and numbers.size:
                smallest, largest = np.abs(numbers).min(), np.abs(numbers).max()
                powers = (
                    largest / smallest > 1000 or largest > 1e8 or (not whole and smallest < 1e-4)
                )
            decimals = f".{_options.precision}"
            unpadded = (
                cls(decimals + "e") if powers else cls(".0f", ".") if whole else cls(decimals + "f")
            )
        return unpadded._replace(
            width=max((len(unpadded.write(number)) for number in numbers.tolist()), default=1)
        )

    def write(self, number: bool | int | float) -> str:
        """`number` as text, padded on the left to the column's width."""
        text = format(number, self.spec)
        return (text + self.dot if math.isfinite(number) else text).rjust(self.width)

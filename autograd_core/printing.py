"""Print numbers as PyTorch prints them, character for character.

All numbers of a tensor share one notation and one column width. They are written as integers with a dot when all are
whole, with four decimals otherwise, and in powers of ten when the largest is more than 1000 times the smallest, above
1e8, or (not whole) below 1e-4. Above 1000 elements only three at each end of every axis are shown.

    "tensor(" + format_tensor(array, dtype_name=None, suffixes=["requires_grad=True"]) + ")"
"""

import math
from typing import NamedTuple

import numpy as np

_PREFIX = "tensor("


class PrintOptions(NamedTuple):
    """What `set_printoptions` sets.

    `precision` counts decimals; above `threshold` elements only `edgeitems` at each end of an axis are shown;
    `linewidth` counts characters; `sci_mode` forces powers of ten on or off, `None` decides from the numbers.
    """

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}

_options = PROFILES["default"]


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors are printed: `torch.set_printoptions`.

    `profile` ("default", "short" or "full") sets everything first; each other option given then replaces its part.
    `sci_mode` is set on every call: left out, the numbers decide again.
    Raises `ValueError` on an unknown profile and on fewer than one edge item.
    """
    global _options
    if profile is not None and profile not in PROFILES:
        raise ValueError(f"set_printoptions: profile {profile!r} is not known; choose from {', '.join(PROFILES)}")
    if edgeitems is not None and edgeitems < 1:
        raise ValueError(f"set_printoptions: edgeitems must be at least 1, got {edgeitems}")
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    base = PROFILES[profile] if profile is not None else _options
    changed = {name: value for name, value in given.items() if value is not None}
    _options = base._replace(**changed, sci_mode=sci_mode)


def dtype_is_implied(dtype: np.dtype, size: int, default: np.dtype) -> bool:
    """Whether PyTorch leaves `dtype=` out: for the default dtype, and for int64 and bool unless the tensor is empty."""
    return dtype == default or (size > 0 and dtype in (np.int64, np.bool_))


def format_tensor(array: np.ndarray, *, dtype_name: str | None, suffixes: list[str]) -> str:
    """Return what stands between `tensor(` and `)`.

    `array` is of any shape; float, integer or bool. `dtype_name` ("torch.float64") is added as `dtype=`; `None` leaves
    it out (see `dtype_is_implied`). `suffixes` ("requires_grad=True", "grad_fn=<MulBackward0>") follow in their order.
    A suffix that would cross the line width starts a new line.
    """
    if array.size:
        body, extra = _body(array), []
    else:
        body, extra = "[]", [f"size={array.shape}"] if array.ndim != 1 else []
    if dtype_name is not None:
        extra.append(f"dtype={dtype_name}")
    text = _PREFIX + body
    column = len(text) - text.rfind("\n") + 1
    for suffix in [*extra, *suffixes]:
        if column + len(suffix) + 2 > _options.linewidth:
            separator, column = ",\n" + " " * len(_PREFIX), len(_PREFIX)
        else:
            separator, column = ", ", column + 2
        text += separator + suffix
        column += len(suffix)
    return text[len(_PREFIX) :]


def _body(array: np.ndarray) -> str:
    edge = _options.edgeitems if array.size > _options.threshold else None
    return _nested(array, _Notation.of(_ends(array, edge)), edge, len(_PREFIX))


def _ends(array: np.ndarray, edge: int | None) -> np.ndarray:
    """`array` without the middle of any axis longer than two edges."""
    for axis, size in enumerate(array.shape):
        if edge is not None and size > 2 * edge:
            array = np.take(array, [*range(edge), *range(size - edge, size)], axis)
    return array


def _nested(array: np.ndarray, notation: "_Notation", edge: int | None, indent: int) -> str:
    """`array` in brackets, one axis for each call; `indent` is the column of its first bracket."""
    if array.ndim == 0:
        return notation.write(array.item())
    cut = edge is not None and len(array) > 2 * edge
    parts = [array[:edge], array[len(array) - edge :]] if cut else [array]
    if array.ndim == 1:
        items = _with_dots([[notation.write(item) for item in part.tolist()] for part in parts], " ...")
        on_a_line = max(1, (_options.linewidth - indent) // (notation.width + len(", ")))
        rows = [", ".join(items[i : i + on_a_line]) for i in range(0, len(items), on_a_line)]
        line_breaks = 1
    else:
        rows = _with_dots([[_nested(row, notation, edge, indent + 1) for row in part] for part in parts], "...")
        line_breaks = array.ndim - 1
    return "[" + ("," + "\n" * line_breaks + " " * (indent + 1)).join(rows) + "]"


def _with_dots(parts: list[list[str]], dots: str) -> list[str]:
    """The first and the last part joined by `dots`; a single part as it is."""
    return [*parts[0], dots, *parts[1]] if len(parts) == 2 else parts[0]


class _Notation(NamedTuple):
    """How every number of one tensor is written. `width` is the column's; `inf` and `nan` may exceed it."""

    real: bool
    width: int
    whole: bool = False
    powers: bool = False

    @classmethod
    def of(cls, shown: np.ndarray) -> "_Notation":
        """The notation that PyTorch chooses for the numbers `shown`."""
        if shown.dtype.kind != "f":
            return cls(real=False, width=max(len(str(value)) for value in shown.reshape(-1).tolist()))
        numbers = shown[np.isfinite(shown) & (shown != 0)].astype(np.float64)
        if not numbers.size:
            return cls(real=True, width=1, whole=True)
        whole = bool((numbers == np.ceil(numbers)).all())
        powers = _options.sci_mode
        if powers is None:
            smallest, largest = np.abs(numbers).min(), np.abs(numbers).max()
            powers = bool(largest / smallest > 1000 or largest > 1e8 or (not whole and smallest < 1e-4))
        unpadded = cls(real=True, width=0, whole=whole, powers=powers)
        return unpadded._replace(width=max(len(unpadded.write(number)) for number in numbers.tolist()))

    def write(self, value: bool | int | float) -> str:
        """`value` as text, padded on the left to the column's width."""
        if not self.real:
            text = str(value)
        elif self.powers:
            text = f"{value:.{_options.precision}e}"
        elif self.whole:
            text = f"{value:.0f}" + ("." if math.isfinite(value) else "")
        else:
            text = f"{value:.{_options.precision}f}"
        return text.rjust(self.width)

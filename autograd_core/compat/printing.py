"""Print numbers exactly as PyTorch does.

All numbers of a tensor have the same notation and column width: integers with a dot if all numbers
are whole, else four decimals. They are in scientific notation if the largest is above 1e8 or more
than 1000 times the smallest, or (unless all are whole) if the smallest is below 1e-4. If there are
more than 1000 elements, only the ends of every axis are shown.

    "tensor(" + format_tensor(array, ["requires_grad=True"]) + ")"
"""

import math

import numpy as np

PRECISION = 4  # decimals
THRESHOLD = 1000  # the most elements of a tensor that is shown completely
EDGE = 3  # entries at each end of an axis that are shown in a larger one
LINE_WIDTH = 80  # characters
_INDENT = len("tensor(")


def format_tensor(array: np.ndarray, suffixes: list[str], default=np.float32) -> str:
    """The text between `tensor(` and `)`: the numbers, and `suffixes` ("requires_grad=True"). A suffix
    that would exceed the line width is on a new line. `dtype=` is omitted for the type `default`,
    and for int64 and bool unless the tensor is empty."""
    extra = [] if array.size or array.ndim == 1 else [f"size={array.shape}"]
    if array.dtype != default and not (array.size and array.dtype in (np.int64, np.bool_)):
        extra.append(f"dtype=torch.{array.dtype}")
    text = _body(array) if array.size else "[]"
    column = len(text) - text.rfind("\n") + (1 if "\n" in text else 1 + _INDENT)
    for suffix in [*extra, *suffixes]:
        separator, column = ", ", column + 2
        if column + len(suffix) > LINE_WIDTH:
            separator, column = ",\n" + " " * _INDENT, _INDENT
        text += separator + suffix
        column += len(suffix)
    return text


def _body(array):
    """The numbers of `array`. If there are many, the middle of each long axis is omitted."""
    shown, edge = array, EDGE
    if array.size > THRESHOLD:
        for axis, size in enumerate(array.shape):
            if size > 2 * edge:
                shown = np.take(shown, [*range(edge), *range(size - edge, size)], axis)
    numbers = shown.reshape(-1)
    if shown.dtype.kind == "f":  # infinities and nan may exceed the column
        numbers = numbers[np.isfinite(numbers) & (numbers != 0)]
    write = _notation(numbers)
    width = max((len(write(number)) for number in numbers.tolist()), default=1)
    return _nested(shown, array.shape, lambda number: write(number).rjust(width), width, _INDENT)


def _notation(numbers):
    """A function that formats a number in PyTorch's notation for `numbers`, finite and nonzero."""
    if numbers.dtype.kind != "f":
        return str
    numbers = np.abs(numbers.astype(np.float64))
    whole = bool((numbers == np.ceil(numbers)).all())
    powers = False
    if numbers.size:
        largest, smallest = numbers.max(), numbers.min()
        powers = largest / smallest > 1000 or largest > 1e8 or (not whole and smallest < 1e-4)
    spec, dot = (".0f", ".") if whole else (f".{PRECISION}f", "")
    if powers:
        spec, dot = f".{PRECISION}e", ""
    return lambda number: format(number, spec) + (dot if math.isfinite(number) else "")


def _nested(shown, shape, write, width, indent):
    """`shown` in brackets, with one recursive call for each axis. `indent` is the column of the first
    bracket. Dots replace the middle if `shape`, the shape of the whole array, is longer.
    """
    if shown.ndim == 0:
        return write(shown.item())
    if shown.ndim == 1:
        rows = [write(number) for number in shown.tolist()]
    else:
        rows = [_nested(row, shape[1:], write, width, indent + 1) for row in shown]
    if len(shown) < shape[0]:
        rows.insert(len(shown) // 2, " ..." if shown.ndim == 1 else "...")
    if shown.ndim == 1:
        on_a_line = max(1, (LINE_WIDTH - indent) // (width + len(", ")))
        rows = [", ".join(rows[i : i + on_a_line]) for i in range(0, len(rows), on_a_line)]
    return "[" + ("," + "\n" * max(1, shown.ndim - 1) + " " * (indent + 1)).join(rows) + "]"

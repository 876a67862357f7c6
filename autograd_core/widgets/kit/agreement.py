"""Compare the results of two engines: the first number that differs, or how many numbers agree and
how closely.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .format import number

THREE_DIGITS = 1e-3


@dataclass(frozen=True)
class Agreement:
    """The result of a comparison of `count` numbers. `compared` names the two sides."""

    text: str
    differs: bool = False
    count: int = 0
    compared: str = "engines"

    @property
    def verdict(self) -> str:
        said = "The {} differ" if self.differs else "✓ both {} agree"
        return f"{said.format(self.compared)}: {self.text}"


def array_of(x: Any, dtype: type | None = None) -> np.ndarray:
    """The numbers of a tensor of either engine, of an array or of a list; a copy."""
    return np.array(x.detach().numpy() if hasattr(x, "detach") else x, dtype)


def compare(ours: object, theirs: object) -> Agreement:
    """Compare results: dicts, lists and tuples of tensors, arrays and numbers, None among them.

    float64 must agree to 1e-10, of a number above 1 to 1e-10 of it, float32 to a few units in the
    last place, nan equals nan (`close`).
    A list of numbers is a row: it is compared as a float64 tensor.
    """
    count, largest = 0, 0.0
    for name, a, b in _pairs("", ours, theirs):
        if a is None or b is None or a.shape != b.shape or a.dtype != b.dtype:
            return Agreement(f"{name} is {_kind(a)} here, {_kind(b)} in PyTorch", True, count)
        if not close(a, b):
            with np.errstate(invalid="ignore"):
                # only nan differs from itself
                same = (a == b) | ((a != a) & (b != b))
                apart = np.where(same, 0.0, np.abs(a.astype(float) - b.astype(float)))
            place = np.unravel_index(np.argmax(np.where(np.isnan(apart), np.inf, apart)), a.shape)
            at = f" at {', '.join(map(str, place))}" if place else ""
            return Agreement(
                f"{name}{at} is {number(a[place])} here, {number(b[place])} in PyTorch", True, count
            )
        count += a.size
        finite = np.isfinite(a) & np.isfinite(b)
        largest = max(
            largest, np.abs(a[finite].astype(float) - b[finite].astype(float)).max(initial=0.0)
        )
    difference = "no difference" if largest == 0 else f"largest difference {largest:.0e}"
    return Agreement(f"{count} numbers; {difference}", False, count)


def close(a: np.ndarray, b: np.ndarray, among: float = 0.0) -> bool:
    """Equal to 1e-10 in float64, or to 1e-10 of the element's own magnitude as in
    parity/rounding.py; to a few units in the last place of the largest magnitude in float32.

    among  the size of the numbers from which these were computed. If terms cancel, the error of the
           result is as large as that of the terms. Three digits must agree in any case.
    """
    if a.dtype.kind != "f":
        return np.array_equal(a, b)
    finite = np.isfinite(a) & np.isfinite(b)
    largest = max(np.abs(a[finite]).max(initial=0), np.abs(b[finite]).max(initial=0))
    last_places = 4 * np.finfo(a.dtype).eps
    cancelled = min(last_places * among, THREE_DIGITS * largest)
    if a.dtype == np.float64:
        tolerance = 1e-10 * np.maximum(1, np.abs(b[finite]))
    else:
        tolerance = max(last_places * largest, cancelled)
    same = np.array_equal(a[~finite], b[~finite], equal_nan=True)
    return bool(same and (np.abs(a[finite] - b[finite]) <= tolerance).all())


def _kind(array: np.ndarray | None) -> str:
    return "missing" if array is None else f"{array.dtype} {list(array.shape)}"


def _pairs(
    name: str, a: object, b: object
) -> Iterator[tuple[str, np.ndarray | None, np.ndarray | None]]:
    """(name, array, array) for all numbers in two results. An array is None if its side lacks it."""
    if isinstance(a, dict) or isinstance(b, dict):
        both = [x if isinstance(x, dict) else {} for x in (a, b)]
        for key in dict.fromkeys((*both[0], *both[1])):
            yield from _pairs(
                f"{name}, {key}" if name else str(key), both[0].get(key), both[1].get(key)
            )
    elif (
        isinstance(a, (list, tuple))
        and isinstance(b, (list, tuple))
        and not (_is_row(a) and _is_row(b))
    ):
        for i in range(max(len(a), len(b))):
            yield from _pairs(f"{name}[{i}]", *(x[i] if i < len(x) else None for x in (a, b)))
    elif a is not None or b is not None:
        yield name or "the result", _array(a), _array(b)


def _is_row(x: Sequence[object]) -> bool:
    return all(isinstance(item, (int, float)) for item in x)


def _array(x: object) -> np.ndarray | None:
    row = isinstance(x, (list, tuple, int, float))
    return None if x is None else array_of(x, np.float64 if row else None)

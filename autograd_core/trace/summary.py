"""What is known of a tensor whatever its size, its summary; whole arrays are kept within a budget.

A tape keeps the whole array of a small tensor while its budget lasts, and the summary of any other.
"""

import functools
import math
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .nodes import numbers_of, shape_and_type

MOST = 16_000_000  # bytes of whole arrays in a recording
ALWAYS_WHOLE = 64  # numbers: a summary would be no smaller
SQUARES = 1e-24, 1e24  # a sum of squares between did not overflow or vanish, in float32 either
BLOCK = 1 << 17  # numbers that are read at a time
FEW = 1_000  # numbers whose squares are added in float64


@dataclass(frozen=True, slots=True)
class Summary:
    """A tensor without its numbers: `zeros`, `nan` and `inf` (of both signs) are counts.

    `min` and `max` are of all that is not nan, 0 where there is nothing; of complex numbers, of
    their absolute values. `norm` is the Euclidean norm: nan where there is a nan, inf where there
    is an inf. `norm`, `min` and `max` are nan where nobody could see the numbers.
    """

    shape: tuple[int, ...]
    dtype: str
    norm: float
    min: float
    max: float
    zeros: int
    nan: int
    inf: int

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def known(self) -> bool:
        """Whether somebody could see its numbers."""
        return not math.isnan(self.min)

    @property
    def finite(self) -> bool:
        return not (self.nan or self.inf)


Value = np.ndarray | Summary
"""A tensor in a trace: its numbers, or where these would not fit the budget, their summary."""


def seen_of(tensor: Any) -> Value:
    """The numbers of a tensor of either engine, not copied; a summary that knows none where there
    are none, or NumPy cannot have them: on the device "meta", quantized, of a class of its own.
    """
    try:
        return numbers_of(tensor)
    except Exception:  # whatever a class of the learner's raises: the forward is to go on
        return Summary(*shape_and_type(tensor), math.nan, math.nan, math.nan, 0, 0, 0)


def summary_of(value: Value) -> Summary:
    """The summary of an array; a summary is its own."""
    if isinstance(value, Summary):
        return value
    flat = value.ravel(order="K")
    if flat.dtype.kind == "c":
        flat = np.abs(flat)
    if not flat.size:
        return Summary(value.shape, _name(value.dtype), 0.0, 0.0, 0.0, 0, 0, 0)
    zeros, nan, inf, ends = 0, 0, 0, []
    for part in blocks(flat):
        zeros += int(np.count_nonzero(part == 0))
        ends.append((np.minimum.reduce(part), np.maximum.reduce(part), _squared(part)))
    lows, highs, squares = zip(*ends)
    low, high = float(np.minimum.reduce(lows)), float(np.maximum.reduce(highs))
    if not math.isfinite(high - low) and flat.dtype.kind == "f":
        nan, inf = int(np.count_nonzero(np.isnan(flat))), int(np.count_nonzero(np.isinf(flat)))
        known = flat[~np.isnan(flat)] if nan else flat
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    size = math.nan if nan else math.inf if inf else _root(flat, squares) if low or high else 0.0
    return Summary(value.shape, _name(value.dtype), size, low, high, zeros, nan, inf)


_name = functools.cache(str)  # of a dtype, which NumPy puts together anew each time


def norm(value: Value) -> float:
    """The Euclidean norm, also where the squares of float32 would overflow or vanish."""
    if isinstance(value, Summary):
        return value.norm
    flat = value.ravel(order="K")
    return _root(flat, map(_squared, blocks(flat)))


def blocks(flat: np.ndarray, size: int = BLOCK) -> Iterator[np.ndarray]:
    """An array in parts that stay in the processor's cache while they are read several times."""
    return (flat[start : start + size] for start in range(0, flat.size, size))


def _squared(part: np.ndarray) -> float:
    """The sum of the squares of floats, which may overflow or vanish; 0 for other numbers."""
    if part.dtype.char not in "fd":
        return 0.0
    with np.errstate(all="ignore"):
        return float(np.dot(part, part))


def _root(flat: np.ndarray, squares: Iterable[float]) -> float:
    """The norm: the root of the sum of squares, but where that says nothing, or numbers are few."""
    if flat.size >= FEW and SQUARES[0] < (squared := sum(squares)) < SQUARES[1]:
        return math.sqrt(squared)
    wide = np.result_type(flat, np.float64)
    largest = float(np.max([np.abs(x.astype(wide)).max() for x in blocks(flat)], initial=0.0))
    if not 0 < largest < math.inf:
        return largest
    scaled = (np.abs(x.astype(wide)) / largest for x in blocks(flat))
    return largest * math.sqrt(sum(float(np.dot(x, x)) for x in scaled))


class Budget:
    """At most MOST bytes of whole arrays. An array that nobody holds any more gives its bytes back."""

    def __init__(self) -> None:
        self.size = 0

    def keep_grad(self, tensor: Any) -> Value | None:
        """`.grad` of a leaf as it is now; None for None."""
        return None if tensor.grad is None else self.keep(tensor.grad)

    def keep(self, tensor: Any) -> Value:
        """The numbers of a tensor of either engine as they are now, or a summary of them."""
        array = seen_of(tensor)
        if isinstance(array, Summary):
            return array
        if array.size <= ALWAYS_WHOLE:
            return np.array(array)
        if array.nbytes > MOST // 16 or self.size + array.nbytes > MOST:
            return summary_of(array)
        kept = np.array(array)
        self.size += kept.nbytes
        weakref.finalize(kept, self._release, kept.nbytes).atexit = False
        return kept

    def _release(self, size: int) -> None:
        self.size -= size

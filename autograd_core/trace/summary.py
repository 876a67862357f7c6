"""The summary of a tensor, and a budget: a tape keeps whole arrays while it lasts, then summaries."""

import functools
import math
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .nodes import numbers_of, shape_and_type

MOST = 16_000_000  # bytes of whole arrays in a recording
ALWAYS_WHOLE = 64  # numbers: a summary takes as much memory
SQUARES = 1e-24, 1e24  # a sum of squares in between didn't over- or underflow, even in float32
BLOCK = 1 << 17  # numbers that are read at a time
FEW = 1_000  # numbers whose squares are added in float64


@dataclass(frozen=True, slots=True)
class Summary:
    """A tensor without its numbers: `zeros`, `nan` and `inf` (of both signs) are counts.

    `min` and `max` ignore nan, and are 0 if no number is left. For complex numbers they refer to the
    absolute values. `norm` is the Euclidean norm; it is nan if there is a nan, inf if there is an
    inf. `norm`, `min` and `max` are nan if the numbers couldn't be read.
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
        """Whether the numbers could be read."""
        return not math.isnan(self.min)

    @property
    def finite(self) -> bool:
        return not (self.nan or self.inf)


Value = np.ndarray | Summary
"""A tensor in a trace: its numbers, or their summary if they exceed the budget."""


def seen_of(tensor: Any) -> Value:
    """The numbers of a tensor of either engine without a copy. If it has none or NumPy can't read them
    (the device "meta", quantized, a subclass of Tensor), a summary of only shape and dtype.
    """
    try:
        return numbers_of(tensor)
    except Exception:  # whatever the learner's class raises: it mustn't stop the forward pass
        return Summary(*shape_and_type(tensor), math.nan, math.nan, math.nan, 0, 0, 0)


def summary_of(value: Value) -> Summary:
    """The summary of an array. Returns a summary unchanged."""
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


_name = functools.cache(str)  # the name of a dtype, which NumPy would compute again each time


def norm(value: Value) -> float:
    """The Euclidean norm, even if the squares overflow or underflow."""
    if isinstance(value, Summary):
        return value.norm
    flat = value.ravel(order="K")
    return _root(flat, map(_squared, blocks(flat)))


def blocks(flat: np.ndarray, size: int = BLOCK) -> Iterator[np.ndarray]:
    """Split a flat array in parts that fit the processor's cache, to read each several times."""
    return (flat[start : start + size] for start in range(0, flat.size, size))


def _squared(part: np.ndarray) -> float:
    """The sum of the squares, which may overflow or underflow; 0 if not float32 or float64."""
    if part.dtype.char not in "fd":
        return 0.0
    with np.errstate(all="ignore"):
        return float(np.dot(part, part))


def _root(flat: np.ndarray, squares: Iterable[float]) -> float:
    """The root of the sum of squares. Few numbers, or those whose squares overflow, are scaled."""
    if flat.size >= FEW and SQUARES[0] < (squared := sum(squares)) < SQUARES[1]:
        return math.sqrt(squared)
    wide = np.result_type(flat, np.float64)
    largest = float(np.max([np.abs(x.astype(wide)).max() for x in blocks(flat)], initial=0.0))
    if not 0 < largest < math.inf:
        return largest
    scaled = (np.abs(x.astype(wide)) / largest for x in blocks(flat))
    return largest * math.sqrt(sum(float(np.dot(x, x)) for x in scaled))


class Budget:
    """At most MOST bytes of whole arrays. The bytes of an array are released when it is deleted."""

    def __init__(self) -> None:
        self.size = 0

    def keep_grad(self, tensor: Any) -> Value | None:
        """Like `keep`, for the `.grad` of a tensor; None if it has none."""
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

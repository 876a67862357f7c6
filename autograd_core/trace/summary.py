"""The numbers of tensors: summaries, a budget for whole arrays, and how far a step moved a parameter.

A tape keeps whole arrays while it lasts, then summaries. NumPy reads the numbers in blocks. PyTorch
measures the tensors that NumPy can't read without a copy (on a GPU, sparse, 16 bits).
"""

import functools
import math
import sys
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


def array_of(tensor: Any) -> np.ndarray | None:
    """The numbers of a tensor without a copy; None if NumPy can't read them or for 16 bits or less."""
    if hasattr(tensor, "_array"):
        return np.asarray(tensor._array)
    try:
        array = np.asarray(tensor.detach().numpy())
    except (TypeError, RuntimeError):
        return None
    return array if array.itemsize > 2 else None


def measured(tensor: Any) -> tuple[float, float, int, int]:
    """(the norm, the fraction of zeros, the number of nan, the number of inf) of a tensor."""
    array = array_of(tensor)
    if array is None:
        return _measured_there(tensor.detach())
    found = summary_of(array)
    return found.norm, found.zeros / max(found.size, 1), found.nan, found.inf


def _measured_there(tensor: Any) -> tuple[float, float, int, int]:
    stored, size = _stored(tensor), max(tensor.numel(), 1)
    counts = stored.count_nonzero(), stored.isnan().sum(), stored.isinf().sum()
    some, nan, inf = sys.modules["torch"].stack(counts).tolist()  # waits only once for a GPU
    return _norm_there(stored), 1 - some / size, nan, inf


def _stored(tensor: Any) -> Any:
    """The numbers that a sparse tensor stores. A dense tensor is returned unchanged."""
    if tensor.is_sparse:
        return tensor.coalesce().values()
    return tensor.values() if "sparse" in str(tensor.layout) else tensor


def _norm_there(tensor: Any) -> float:
    torch = sys.modules["torch"]
    wide = torch.promote_types(tensor.dtype, torch.float32)
    found = float(torch.linalg.vector_norm(tensor, dtype=wide))
    largest = float(tensor.abs().max()) if found in (0.0, np.inf) and tensor.numel() else 0.0
    if not 0 < largest < np.inf:
        return found
    return largest * float(torch.linalg.vector_norm(tensor / largest, dtype=wide))


def holds_numbers(tensor: Any) -> bool:
    array = array_of(tensor)
    return bool(_stored(tensor.detach()).any() if array is None else array.any())


@dataclass
class Copy:
    numbers: Any
    norm: float = 0.0


def copied(tensor: Any, former: Copy | None = None) -> Copy:
    """A copy of the numbers. It overwrites the copy `former` if both have the same shape and dtype."""
    now: Any = array_of(tensor)
    if now is None:
        plain = tensor.detach()
        return Copy(plain.clone(), _norm_there(plain))
    kept = former.numbers if former is not None else None
    if not isinstance(kept, np.ndarray) or (kept.shape, kept.dtype) != (now.shape, now.dtype):
        kept = np.empty_like(now, subok=False)
    np.copyto(kept, now)
    return Copy(kept, norm(kept))


def share_moved(before: Copy, tensor: Any) -> float:
    """The norm of the change since `before`, divided by the norm before. If the norm before was 0,
    the share is 1 for any change.
    """
    now: Any = array_of(tensor)
    if now is None:
        moved = _norm_there(before.numbers - tensor.detach())
    else:
        order: Any = "K" if before.numbers.strides == now.strides else "C"
        pairs = zip(blocks(before.numbers.ravel(order)), blocks(now.ravel(order)))
        with np.errstate(all="ignore"):  # inf - inf
            moved = math.hypot(*(norm(y - x) for x, y in pairs if (x != y).any()))
    return moved / before.norm if before.norm else float(moved > 0)

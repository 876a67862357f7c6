"""How large a parameter and its gradient are, and how far a step moved them.

NumPy reads them in pieces that a processor's cache holds. Tensors of PyTorch's that it cannot read
in place (on a GPU, sparse, 16 bits) are measured by PyTorch, where they are and as they are.
"""

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from .summary import BLOCK, SQUARES, blocks, norm, summary_of

PIECE, BEGINNING = 1 << 15, 1 << 8  # numbers, as was measured to be fastest


def array_of(tensor: Any) -> np.ndarray | None:
    """The numbers of a tensor without a copy; None where NumPy does not read them well."""
    if hasattr(tensor, "_array"):
        return np.asarray(tensor._array)
    try:
        array = np.asarray(tensor.detach().numpy())
    except (TypeError, RuntimeError):
        return None
    return array if array.itemsize > 2 else None


def _squared(piece: np.ndarray) -> float:
    """The sum of squares, of float32 also where they would overflow or vanish."""
    found = float(np.dot(piece, piece))
    if SQUARES[0] < found < SQUARES[1]:
        return found
    wide = piece[piece != 0].astype(np.float64)
    return float(np.dot(wide, wide))


def _same(x: np.ndarray, y: np.ndarray | float) -> bool:
    """Whether all numbers are the same; where some are not, the first ones tell it soon."""
    begin = slice(0, BEGINNING)
    if np.count_nonzero(x[begin] != (y if isinstance(y, float) else y[begin])):
        return False
    return not np.count_nonzero(x != y)


def measured(tensor: Any) -> tuple[float, float, int, int]:
    """(its norm, the share of its numbers that are 0, how many are nan, how many inf)."""
    array = array_of(tensor)
    if array is None:
        return _measured_there(tensor.detach())
    if array.dtype == np.float32:
        flat, squared, zeros = array.ravel("K"), 0.0, 0
        with np.errstate(all="ignore"):
            for piece in blocks(flat, PIECE):
                zero = int(np.count_nonzero(piece == 0))
                zeros += zero
                squared += _squared(piece) if zero < piece.size else 0.0
        if np.isfinite(squared):
            return math.sqrt(squared), zeros / max(flat.size, 1), 0, 0
    found = summary_of(array)
    return found.norm, found.zeros / max(found.size, 1), found.nan, found.inf


def _measured_there(tensor: Any) -> tuple[float, float, int, int]:
    stored, size = _stored(tensor), max(tensor.numel(), 1)
    counts = stored.count_nonzero(), stored.isnan().sum(), stored.isinf().sum()
    some, nan, inf = sys.modules["torch"].stack(counts).tolist()  # one wait for a GPU
    return _norm_there(stored), 1 - some / size, nan, inf


def _stored(tensor: Any) -> Any:
    """The numbers that a sparse tensor has; a dense one as it is."""
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
    """Whether one of its numbers is not 0."""
    array = array_of(tensor)
    if array is None:
        return bool(_stored(tensor.detach()).any())
    return any(not _same(piece, 0.0) for piece in blocks(array.ravel("K"), PIECE))


@dataclass
class Copy:
    """The numbers of a parameter as they were, and their norm."""

    numbers: Any
    norm: float = 0.0


def copied(tensor: Any, former: Copy | None = None) -> Copy:
    """A copy of the numbers; in the place of a `former` one of the same form."""
    now: Any = array_of(tensor)
    if now is None:
        plain = tensor.detach()
        return Copy(plain.clone(), _norm_there(plain))
    kept = former.numbers if former is not None else None
    if not isinstance(kept, np.ndarray) or (kept.shape, kept.dtype) != (now.shape, now.dtype):
        kept = np.empty_like(now, subok=False)
    if now.dtype != np.float32 or kept.strides != now.strides:
        np.copyto(kept, now)
        return Copy(kept, norm(kept))
    squared = 0.0
    with np.errstate(all="ignore"):
        for to, piece in zip(blocks(kept.ravel("K")), blocks(now.ravel("K"))):
            squared += _squared(piece)
            np.copyto(to, piece)  # it is in the cache
    return Copy(kept, math.sqrt(squared))


def share_moved(before: Copy, tensor: Any) -> float:
    """The norm of the change since `before` was copied, as a share of the norm that it had; of what
    was 0, 1 for any change.
    """
    now: Any = array_of(tensor)
    if now is None:
        moved = _norm_there(before.numbers - tensor.detach())
    else:
        order: Any = "K" if before.numbers.strides == now.strides else "C"
        moved = _norm_of_change(before.numbers.ravel(order), now.ravel(order))
    return moved / before.norm if before.norm else float(moved > 0)


def _norm_of_change(before: np.ndarray, now: np.ndarray) -> float:
    if not before.dtype == now.dtype == np.float32:
        return norm(now - before)
    squared = 0.0
    change = np.empty(min(BLOCK, before.size), np.float32)
    with np.errstate(all="ignore"):
        for x, y in zip(blocks(before), blocks(now)):
            if not _same(x, y):
                squared += _squared(np.subtract(y, x, out=change[: x.size]))
    return math.sqrt(squared)

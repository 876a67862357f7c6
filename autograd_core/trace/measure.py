"""How large a parameter and its gradient are, and how far a step moved them.

NumPy reads them in pieces that a processor's cache holds. Tensors of PyTorch's that it cannot read
in place (on a GPU, sparse, 16 bits) are measured by PyTorch, where they are and as they are.
"""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from .summary import SQUARES, norm, summary_of

PIECE, BEGINNING = 1 << 15, 1 << 8  # numbers


def array_of(tensor: Any) -> np.ndarray | None:
    """The numbers of a tensor without a copy; None where NumPy does not read them well."""
    if hasattr(tensor, "_array"):
        return np.asarray(tensor._array)
    try:
        array = np.asarray(tensor.detach().numpy())
    except (TypeError, RuntimeError):
        return None
    return array if array.itemsize > 2 else None


def _pieces(flat: np.ndarray) -> Iterator[np.ndarray]:
    return (flat[start : start + PIECE] for start in range(0, flat.size, PIECE))


def _squared(piece: np.ndarray) -> float:
    """The sum of squares, of float32 also where they would overflow or vanish."""
    found = float(np.dot(piece, piece))
    if SQUARES[0] < found < SQUARES[1]:
        return found
    wide = piece.astype(np.float64)
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
            for piece in _pieces(flat):
                zero = int(np.count_nonzero(piece == 0))
                zeros += zero
                squared += _squared(piece) if zero < piece.size else 0.0
        if np.isfinite(squared):
            return squared**0.5, zeros / max(flat.size, 1), 0, 0
    found = summary_of(array)
    return found.norm, found.zeros / max(found.size, 1), found.nan, found.inf


def _measured_there(tensor: Any) -> tuple[float, float, int, int]:
    stored, size = _stored(tensor), max(tensor.numel(), 1)
    nan, inf = int(stored.isnan().sum()), int(stored.isinf().sum())
    return _norm_there(stored), 1 - int(stored.count_nonzero()) / size, nan, inf


def _stored(tensor: Any) -> Any:
    """The numbers that a sparse tensor has; a dense one as it is."""
    if tensor.is_sparse:
        return tensor.coalesce().values()
    return (
        tensor if hasattr(tensor, "_array") or "strided" in str(tensor.layout) else tensor.values()
    )


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
    return any(not _same(piece, 0.0) for piece in _pieces(array.ravel("K")))


def copied(tensor: Any, former: Any = None) -> Any:
    """A copy of the numbers; in the place of a `former` one of the same form."""
    now: Any = array_of(tensor)
    here = now is not None
    now = now if here else tensor.detach()
    same = type(former) is type(now) and (former.shape, former.dtype) == (now.shape, now.dtype)
    if same and here:
        np.copyto(former, now)
        return former
    if same and former.device == now.device:
        return former.copy_(now)
    return np.array(now) if here else now.clone()


def share_moved(before: Any, tensor: Any) -> float:
    """The norm of the change since `before` was copied, as a share of the norm that it had; of what
    was 0, 1 for any change.
    """
    now = array_of(tensor)
    if now is None:
        size, moved = _norm_there(before), _norm_there(before - tensor.detach())
    else:
        order: Any = "K" if before.strides == now.strides else "C"
        size, moved = _norms(before.ravel(order), now.ravel(order))
    return moved / size if size else float(moved > 0)


def _norms(before: np.ndarray, now: np.ndarray) -> tuple[float, float]:
    """The norm of `before`, and of the change."""
    if not before.dtype == now.dtype == np.float32:
        return norm(before), norm(now - before)
    length, moved, change = 0.0, 0.0, np.empty(min(PIECE, before.size), np.float32)
    with np.errstate(all="ignore"):
        for x, y in zip(_pieces(before), _pieces(now)):
            length += _squared(x)
            if not _same(x, y):
                moved += _squared(np.subtract(y, x, out=change[: x.size]))
    return length**0.5, moved**0.5

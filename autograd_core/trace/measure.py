"""How large a parameter and its gradient are, and how far a step moved them.

NumPy reads the numbers in blocks. PyTorch measures the tensors that NumPy can't read without a copy
(on a GPU, sparse, 16 bits).
"""

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from .summary import blocks, norm, summary_of


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

"""Numbers in nested lists, read as PyTorch reads them: `[[1, 2.5], [x, y]]`.

The first entries, and the first entries in those, give the shape. A tensor among them counts as one
number; an array is a list. Where the shape asks for a list, a tensor is the list of its rows.
"""

import operator
from typing import Any

import numpy as np

from ..core.graph import check
from ..core.tensor import TensorBase
from ..ops.types import default_type, result_type, stored
from .dtypes import of_array

_LISTS = (list, tuple, range)
_PLAIN = {bool, int, float}  # the types that numbers in a list mostly have


def array_from(data: Any, dtype: np.dtype | None = None) -> np.ndarray:
    """`data` as an array: of the type `dtype`, or of the one in which its numbers meet.

    Raises ValueError for lists of unequal length and for a tensor of several numbers where one
    should stand, TypeError or RuntimeError for what is no number or does not fit into the type.
    """
    shape, numbers = _shape_of(data), []
    _collect(data, shape, numbers)
    return _stored(numbers, dtype or _common_type(numbers)).reshape(shape)


def _shape_of(data):
    shape = []
    while isinstance(data, (*_LISTS, np.ndarray)):
        shape.append(len(data))
        if not shape[-1]:
            break
        data = data[0]
    if shape and isinstance(data, str):
        raise ValueError("too many dimensions 'str': a tensor holds numbers")
    return shape


def _collect(data, shape, numbers, dim=0):
    """Append to `numbers` what stands in `data`, row by row. Raises where it has not this shape."""
    if dim == len(shape):
        numbers.append(data)
        return
    if isinstance(data, TensorBase) and data._array.ndim:
        data = data._array
    if not isinstance(data, (*_LISTS, np.ndarray)):
        raise TypeError(f"not a sequence: an entry at dim {dim} must be like the first, a list")
    if len(data) != shape[dim]:
        raise ValueError(f"expected sequence of length {shape[dim]} at dim {dim} (got {len(data)})")
    if dim + 1 == len(shape):
        numbers.extend(data)
    else:
        for x in data:
            _collect(x, shape, numbers, dim + 1)


def _common_type(numbers):
    found = {_type_of(kind(0)) for kind in _PLAIN & set(map(type, numbers))}
    found |= {_type_of(x) for x in numbers if type(x) not in _PLAIN}
    return result_type(*(np.zeros(1, t) for t in found)) if found else default_type()


def _type_of(x):
    if isinstance(x, (TensorBase, np.ndarray, np.generic)):
        return of_array(getattr(x, "_array", x)).numpy
    if isinstance(x, (bool, int, float)):
        return (
            default_type()
            if isinstance(x, float)
            else np.dtype(bool if type(x) is bool else np.int64)
        )
    if isinstance(x, (str, bytes, complex)):
        raise TypeError(f"new(): invalid data type '{type(x).__name__}': a tensor holds numbers")
    if isinstance(x, _LISTS):
        raise TypeError(f"must be real number, not {type(x).__name__}")
    raise RuntimeError(
        f"Could not infer dtype of {type(x).__name__}: give numbers, or lists of them"
    )


def _stored(numbers, dtype):
    """The list `numbers` as an array. Raises RuntimeError for one beyond the type."""
    if not _PLAIN.issuperset(map(type, numbers)):
        numbers = [_plain(x, dtype.kind) for x in numbers]
    if dtype.kind == "f":
        return np.array(numbers, np.float64).astype(dtype)
    if dtype.kind == "b":
        return np.array(numbers, dtype)
    array = np.array(numbers)
    if array.dtype.kind not in "bif":
        raise ValueError("Overflow when unpacking long long: a whole number must fit into int64")
    for extreme in (array.min(), array.max()) if array.size else ():
        stored(extreme.item(), dtype)
    return array.astype(dtype)


def _plain(x, kind):
    """`x`, a tensor of one element for example, as one of Python's numbers, for a type of this
    kind. Raises TypeError.
    """
    if kind == "f":
        if not hasattr(x, "__float__"):
            raise TypeError(f"must be real number, not {type(x).__name__}")
        return float(x)
    if isinstance(x, float) or kind == "b" and isinstance(x, np.bool_):
        return x.item() if isinstance(x, np.generic) else x
    return x if type(x) in _PLAIN else operator.index(x)

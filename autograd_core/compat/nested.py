"""Numbers in nested lists, read as PyTorch reads them: `[[1, 2.5], [x, y]]`.

The first entries, and the first entries in those, give the shape. A tensor among them counts as one
number; an array is a list. Where the shape asks for a list, a tensor is the list of its rows.
"""

import operator

import numpy as np

from ..core.graph import check
from ..core.tensor import TensorBase, wrap
from ..core.types import default_type, name_in_c, result_type
from .dtypes import of_array

_LISTS = (list, tuple, range)
_PLAIN = {bool, int, float}  # the types that numbers in a list mostly have
_OF_PYTHON = {bool: np.dtype(np.bool_), int: np.dtype(np.int64)}


def array_from(data, dtype=None):
    """`data` as an array: of the type `dtype`, or of the one in which its numbers meet.

    Raises ValueError for lists of unequal length and for a tensor of several numbers where one
    should stand, TypeError or RuntimeError for what is no number or does not fit into the type.
    """
    shape, numbers = _shape_of(data), []
    if dtype is None:
        dtype = _common_type(data)
    _collect(data, shape, numbers)
    return _stored(numbers, dtype).reshape(shape)


def _common_type(data):
    types = set()
    _collect_types(data, types)
    found = [default_type() if t is float else _OF_PYTHON.get(t, t) for t in types] or [
        default_type()
    ]
    return found[0] if len(found) == 1 else result_type(*(np.zeros(1, t) for t in found))


def _collect_types(data, types):
    """Add to `types` what the numbers are: Python's `int` and its like, or NumPy's type of a tensor
    or array.
    """
    if type(data) in _PLAIN:
        types.add(type(data))
    elif isinstance(data, _LISTS):
        found = set(map(type, data))
        types |= found & _PLAIN
        if not found <= _PLAIN:
            for x in data:
                _collect_types(x, types)
    elif isinstance(data, (TensorBase, np.ndarray, np.generic)):
        types.add(of_array(getattr(data, "_array", data)).numpy)
    elif isinstance(data, (str, bytes, complex)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}': a tensor holds numbers")
    elif not isinstance(data, (bool, int, float)):
        raise RuntimeError(
            f"Could not infer dtype of {type(data).__name__}: give numbers, or lists of numbers"
        )
    else:
        # a kind of Python's own, as IntEnum
        types.add(int if isinstance(data, int) else float)


def _shape_of(data):
    shape = []
    while isinstance(data, (*_LISTS, np.ndarray)):
        shape.append(len(data))
        if not shape[-1]:
            break
        data = data[0]
    check(
        not shape or not isinstance(data, str),
        "too many dimensions 'str': a tensor holds numbers",
        error=ValueError,
    )
    return shape


def _collect(data, shape, numbers, dim=0):
    """Append to `numbers` what stands in `data`, row by row. Raises where it has not this shape."""
    if dim == len(shape):
        numbers.append(data)
        return
    if isinstance(data, TensorBase) and data.ndim:
        data = list(map(wrap, data._array))
    elif isinstance(data, np.ndarray):
        data = data.tolist()
    check(
        isinstance(data, _LISTS),
        "not a sequence: an entry at dim {} must be like the first, a list",
        dim,
        error=TypeError,
    )
    check(
        len(data) == shape[dim],
        "expected sequence of length {} at dim {} (got {})",
        shape[dim],
        dim,
        len(data),
        error=ValueError,
    )
    if dim + 1 == len(shape):
        numbers.extend(data)
    else:
        for x in data:
            _collect(x, shape, numbers, dim + 1)


def _stored(numbers, dtype):
    """The list `numbers` as an array. Raises RuntimeError for one beyond the type."""
    if not _PLAIN.issuperset(map(type, numbers)):
        numbers = [_plain(x, dtype.kind) for x in numbers]
    if dtype.kind == "f":
        return np.array(numbers, np.float64).astype(dtype)
    if dtype.kind == "b":
        return np.array(numbers, dtype)
    array = np.array(numbers)
    check(
        array.dtype.kind in "bif",
        "Overflow when unpacking long long: a whole number must fit into int64",
        error=ValueError,
    )
    if array.dtype == dtype:
        return array
    limits = np.iinfo(dtype)
    # -1 is 255 in uint8
    least = -limits.max if array.dtype.kind == "i" and not limits.min else limits.min
    check(
        np.all((least <= array) & (array <= limits.max)),
        "value cannot be converted to type {} without overflow",
        name_in_c(dtype),
    )
    return array.astype(dtype)


def _plain(x, kind):
    """`x`, a tensor of one element for example, as one of Python's numbers, for a type of this
    kind. Raises TypeError.
    """
    if kind == "f":
        check(
            hasattr(x, "__float__"),
            "must be real number, not {}",
            type(x).__name__,
            error=TypeError,
        )
        return float(x)
    if isinstance(x, float) or kind == "b" and isinstance(x, np.bool_):
        return x.item() if isinstance(x, np.generic) else x
    return x if type(x) in _PLAIN else operator.index(x)

"""Indexing: `x[0]`, `x[1:3]`, `x[mask]`, `x[rows, columns]`.

An index is split into parts as in PyTorch. Integers, slices and `None` are applied first, and they
give a view. The other parts (lists, integer tensors, boolean masks) gather elements, and give a new
tensor."""

import warnings

import numpy as np

from ..core.operation import operation
from ..core.public import public
from ..core.recording import recording
from ..core.tensor import TensorBase
from .gathering import index, put_at
from .shape import alias, unsqueeze


def _at(dim, key):
    return (slice(None),) * dim + (key,)


@operation(
    input=lambda ops, g, input_shape, dim, index: ops.put(g, input_shape, _at(dim, index)),
    view=True,
    sign="[i]",
)
def select(input, dim, index):
    """The entry `index` along `dim`, without this dimension."""
    return input[_at(dim, index) + (Ellipsis,)]


@operation(
    node="SliceBackward0",
    input=lambda ops, g, input_shape, dim, start, end, step: ops.put(
        g, input_shape, _at(dim, slice(start, end, step))
    ),
    view=True,
)
def slice_dim(input, dim, start, end, step):
    """Every `step`-th entry from `start` to `end` (exclusive) along `dim`."""
    return input[_at(dim, slice(start, end, step))]


@public("T", "Tensor", example="T.index_put(a, (c, d), b)", a=(3, 2), b=(), c=[2, 0], d=[1, 1])
def index_put(input, indices, values, accumulate=False):
    """`input` with `values` at `indices`, integer or boolean tensors, at most one per dimension."""
    places = tuple(slice(None) if i is None else _as_array(i) for i in indices)
    return put_at(input, places, values, accumulate)


def _part(part):
    """Convert a part of an index: a 0-d tensor to a number, other tensors and lists to arrays."""
    if getattr(part, "ndim", None) == 0:
        part = part.item()
    plain = part is None or part is ... or isinstance(part, (int, slice))
    return part if plain else _as_array(part)


def _as_array(part):
    """Convert a list or tensor inside an index to an array of integers or booleans."""
    array = part
    if isinstance(part, TensorBase):
        array = np.array(part._array)  # a copy, so the index in the graph can't change
    elif isinstance(part, (list, range)):
        array = np.array(part, None if len(part) else np.int64)
    if not isinstance(array, np.ndarray):
        raise IndexError(f"{type(part).__name__} is not an index")
    if array.dtype == np.uint8:
        words = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool"
        warnings.warn(f"{words} instead.", UserWarning, stacklevel=6)
        array = array.astype(np.bool_)
    if array.dtype.kind not in "ib":
        raise IndexError("an index must have integers or booleans")
    if isinstance(part, TensorBase):
        recording.publish("on_index", part, array)
    return array


def _parts(tensor, key):
    """The parts of an index, and how many dimensions an ellipsis covers. IndexError if too many."""
    parts = list(map(_part, key if isinstance(key, tuple) else (key,)))
    takes = sum(_dims_of(p) for p in parts if not (p is None or p is ... or isinstance(p, bool)))
    if takes > tensor.ndim:
        raise IndexError(f"too many indices for tensor of dimension {tensor.ndim}")
    return parts, tensor.ndim - takes


def _dims_of(part):
    return part.ndim if isinstance(part, np.ndarray) and part.dtype == np.bool_ else 1


def _whole(part, length):
    """Whether this slice takes everything. As in PyTorch, one with negative bounds never does."""
    to_the_end = part.stop is None or part.stop >= length
    return part.start in (None, 0) and to_the_end and part.step in (None, 1)


def locate(tensor, key):
    """The view of `tensor` that `key` gives, and the indices to gather from this view, or None."""
    (parts, covered), dim, indices = _parts(tensor, key), 0, []
    for part in parts:
        if type(part) is int:
            tensor = select(tensor, dim, part)
            continue
        if part is ...:
            indices += [slice(None)] * covered
            dim += covered
            continue
        taken = slice(None)
        if part is None:
            tensor = unsqueeze(tensor, dim)
        elif isinstance(part, bool):  # True takes all of a new dimension of size 1, False nothing
            tensor, taken = unsqueeze(tensor, dim), np.zeros(int(part), np.int64)
        elif isinstance(part, np.ndarray):
            taken = part
        elif part is key or not _whole(part, tensor.shape[dim]):
            step = 1 if part.step is None else part.step
            if step < 1:
                raise ValueError("step must be greater than zero")
            tensor = slice_dim(tensor, dim, part.start, part.stop, step)
        indices.append(taken)
        dim += _dims_of(taken)
    while indices and isinstance(indices[-1], slice):
        indices.pop()
    return tensor, tuple(indices) or None


def getitem(tensor, key):
    """`tensor[key]`. Raises IndexError if `key` is outside of the shape or isn't an index."""
    view, indices = locate(tensor, key)
    if indices is not None:
        return index(view, indices)
    return alias(view) if view is tensor else view

"""Choosing entries: `x[0]`, `x[1:3]`, `x[mask]`, `x[rows, columns]`.

An index is taken apart as PyTorch does it: integers select, slices slice, `None` adds a dimension;
so far the result is a view. What is left (lists, integer tensors, boolean masks) gathers, and makes
a new tensor."""

import warnings

import numpy as np

from ..core.checks import check_flags
from ..core.graph import check
from ..core.operation import operation
from ..core.recording import recording
from ..core.tensor import TensorBase
from .gathering import index, put_at
from .shape import alias, unsqueeze


def _at(dim, key):
    return (slice(None),) * dim + (key,)


@operation(
    input=lambda ops, g, input_shape, dim, index: ops.put(g, input_shape, _at(dim, index)),
    view=True,
)
def select(input, dim, index):
    """Entry `index` along `dim`, which disappears."""
    return input[_at(dim, index) + (Ellipsis,)]


@operation(
    node="SliceBackward0",
    input=lambda ops, g, input_shape, dim, start, end, step: ops.put(
        g, input_shape, _at(dim, slice(start, end, step))
    ),
    view=True,
)
def slice_dim(input, dim, start, end, step):
    """Entries `start` to `end` (without it) along `dim`, every `step`-th."""
    return input[_at(dim, slice(start, end, step))]


def index_put(input, indices, values, accumulate=False):
    """`input` with `values` at `indices`, a tuple of integer or boolean tensors, one for each
    dimension or fewer.
    """
    check_flags("index_put", accumulate=accumulate)
    return put_at(
        input,
        tuple(slice(None) if i is None else _as_array(i) for i in indices),
        values,
        accumulate,
    )


def _part(part):
    """A part of an index: a tensor of one element as a number, another one or a list as an array."""
    check(
        not isinstance(part, np.bool_),
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
        "valid indices (got numpy.bool)",
        error=IndexError,
    )
    if getattr(part, "ndim", None) == 0:
        part = part.item()
    return (
        part if part is None or part is ... or isinstance(part, (int, slice)) else _as_array(part)
    )


def _as_array(part):
    """A list or tensor inside an index as an array of integers or booleans."""
    array = part
    if isinstance(part, TensorBase):
        # what the graph keeps, nobody can change
        array = np.array(part._array)
    elif isinstance(part, (list, range)):
        array = np.array(part, None if len(part) else np.int64)
    check(
        isinstance(array, np.ndarray),
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte "
        "Variables are valid indices (got {})",
        type(part).__name__,
        error=IndexError,
    )
    if array.dtype == np.uint8:
        warnings.warn(
            "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool"
            " instead.",
            UserWarning,
            stacklevel=6,
        )
        array = array.astype(np.bool_)
    check(
        array.dtype.kind in "ib",
        "tensors used as indices must be long, int, byte or bool tensors",
        error=IndexError,
    )
    if isinstance(part, TensorBase):
        recording.publish("on_index", part, array)
    return array


def _is_several(key):
    """Whether `key` is one index for each of several dimensions: a tuple, and a list with more than
    numbers in it.
    """
    return (
        isinstance(key, tuple)
        or isinstance(key, list)
        and len(key) <= 32
        and any(
            part is None
            or part is ...
            or isinstance(part, (list, tuple, range, slice, TensorBase, np.ndarray))
            for part in key
        )
    )


def _parts(tensor, key):
    """The index as a list with the ellipsis written out. Raises IndexError when there are too many
    indices.
    """
    parts = list(map(_part, key if _is_several(key) else (key,)))
    takes = sum(_dims_of(p) for p in parts if not (p is None or p is ... or isinstance(p, bool)))
    check(
        takes <= tensor.ndim,
        (
            "too many indices for tensor of dimension {}"
            if tensor.ndim
            else "invalid index of a 0-dim tensor. Use `tensor.item()` to get its number"
        ),
        tensor.ndim,
        error=IndexError,
    )
    dots = next((i for i, p in enumerate(parts) if p is ...), None)
    if dots is not None:
        parts[dots : dots + 1] = [slice(None)] * (tensor.ndim - takes)
    return parts


def _dims_of(part):
    return part.ndim if isinstance(part, np.ndarray) and part.dtype == np.bool_ else 1


def _whole(part, length):
    """Whether this slice takes all. One that counts from the end does not count as such, as in
    PyTorch.
    """
    return (
        part.start in (None, 0)
        and (part.stop is None or part.stop >= length)
        and part.step in (None, 1)
    )


def locate(tensor, key):
    """`tensor[key]` in two steps: a view of `tensor`, and the indices to gather from it, None where
    the view is all.
    """
    dim, indices = 0, []
    for part in _parts(tensor, key):
        if type(part) is int:
            tensor = select(tensor, dim, part)
            continue
        taken = slice(None)
        if part is None:
            tensor = unsqueeze(tensor, dim)
        # True takes all of a new dimension of one, False nothing
        elif isinstance(part, bool):
            tensor, taken = unsqueeze(tensor, dim), np.zeros(int(part), np.int64)
        elif isinstance(part, np.ndarray):
            taken = part
        elif part is key or not _whole(part, tensor.shape[dim]):
            check(
                part.step is None or part.step > 0,
                "step must be greater than zero",
                error=ValueError,
            )
            tensor = slice_dim(
                tensor, dim, part.start, part.stop, 1 if part.step is None else part.step
            )
        indices.append(taken)
        dim += _dims_of(taken)
    return tensor, tuple(indices) if any(isinstance(i, np.ndarray) for i in indices) else None


def getitem(tensor, key):
    """`tensor[key]`. Raises IndexError for an index outside of the shape or of a type that is no
    index.
    """
    view, indices = locate(tensor, key)
    if indices is not None:
        return index(view, indices)
    return alias(view) if view is tensor else view

"""Choosing entries: `x[0]`, `x[1:3]`, `x[mask]`, `x[rows, columns]`.

An index is taken apart as PyTorch does it: integers select, slices slice, `None` adds a dimension; so far the result is
a view. What is left (lists, integer tensors, boolean masks) gathers, and makes a new tensor.
"""

import warnings

import numpy as np

from ..tensor import Tensor
from .checks import check
from .gathering import index, put_at
from .operation import operation
from .shape import alias, unsqueeze


def _at(dim, key):
    return (slice(None),) * dim + (key,)


@operation(input=lambda ops, g, input_shape, dim, index: ops.put(g, input_shape, _at(dim, index)), view=True)
def select(input, dim, index):
    """Entry `index` along `dim`, which disappears."""
    return input[_at(dim, index) + (Ellipsis,)]


def _slice_key(dim, start, end, step):
    return _at(dim, slice(start, end, step))


@operation(node="SliceBackward0", input=lambda ops, g, input_shape, dim, start, end, step:
           ops.put(g, input_shape, _slice_key(dim, start, end, step)), view=True)
def slice_dim(input, dim, start, end, step):
    """Entries `start` to `end` (without it) along `dim`, every `step`-th."""
    return input[_slice_key(dim, start, end, step)]


def index_put(input, indices, values, accumulate=False):
    """`input` with `values` at `indices`, a tuple of integer or boolean tensors, one for each dimension or fewer."""
    return put_at(input, tuple(slice(None) if i is None else _as_index(i) for i in indices), values, accumulate)


def _as_index(part):
    """A list or tensor inside an index as an array."""
    if isinstance(part, Tensor):
        part = np.array(part._array)                        # what the graph keeps, nobody can change
    elif isinstance(part, (list, range)):
        part = np.array(part)
        part = part.astype(np.int64) if not part.size else part
    check(isinstance(part, np.ndarray), "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
          "valid indices (got {})", type(part).__name__, error=IndexError)
    if part.dtype == np.uint8:
        warnings.warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
                      UserWarning, stacklevel=4)
        return part.astype(np.bool_)
    check(part.dtype.kind in "iub", "tensors used as indices must be long, int, byte or bool tensors", error=IndexError)
    return part


def _whole(part, length):
    """Whether this slice takes all. One that counts from the end does not count as such, as in PyTorch."""
    return part.start in (None, 0) and (part.stop is None or part.stop >= length) and part.step in (None, 1)


def _is_integer(part):
    if isinstance(part, Tensor):
        return not part.ndim and part._array.dtype.kind in "iu"
    return isinstance(part, (int, np.integer)) and not isinstance(part, (bool, np.bool_))


def _is_truth(part):
    """Whether this is True or False, as such or in a tensor without dimensions."""
    return isinstance(part, (bool, np.bool_)) or isinstance(part, Tensor) and not part.ndim and part._array.dtype.kind == "b"


def _parts(tensor, key):
    """The index as a list with the ellipsis written out. Raises IndexError when there are too many indices."""
    parts = list(key) if isinstance(key, tuple) else [key]
    takes = sum(0 if _is_truth(p) else p.ndim if "bool" in str(getattr(p, "dtype", "")) else 1
                for p in parts if p is not None and p is not Ellipsis)
    check(takes <= tensor.ndim, "too many indices for tensor of dimension {}", tensor.ndim, error=IndexError)
    if any(p is Ellipsis for p in parts):
        at = [p is Ellipsis for p in parts].index(True)
        parts[at:at + 1] = [slice(None)] * (tensor.ndim - takes)
    return parts


def locate(tensor, key):
    """`tensor[key]` in two steps: a view of `tensor`, and the indices to gather from it, None where the view is all."""
    dim, gathers = 0, {}
    check(tensor.ndim or key is Ellipsis or key is None or key == () or _is_truth(key),
          "invalid index of a 0-dim tensor. Use `tensor.item()` to convert it to a number", error=IndexError)
    for part in _parts(tensor, key):
        if _is_integer(part):
            tensor = select(tensor, dim, int(part))
        elif part is None:
            tensor = unsqueeze(tensor, dim)
            dim += 1
        elif isinstance(part, slice):
            check(part.step is None or part.step > 0, "step must be greater than zero", error=ValueError)
            if part is key or not _whole(part, tensor.shape[dim]):
                tensor = slice_dim(tensor, dim, part.start, part.stop, 1 if part.step is None else part.step)
            dim += 1
        elif _is_truth(part):                               # True takes all of a new dimension of one, False nothing
            tensor = unsqueeze(tensor, dim)
            gathers[dim] = np.zeros(int(part), np.int64)
            dim += 1
        else:
            gathers[dim] = _as_index(part)
            dim += gathers[dim].ndim if gathers[dim].dtype == np.bool_ else 1
    full, d = [], 0
    while d < dim:
        part = gathers.get(d, slice(None))
        full.append(part)
        d += part.ndim if isinstance(part, np.ndarray) and part.dtype == np.bool_ else 1
    return tensor, tuple(full) if gathers else None


def getitem(tensor, key):
    """`tensor[key]`. Raises IndexError for an index outside of the shape or of a type that is no index."""
    view, indices = locate(tensor, key)
    if indices is not None:
        return index(view, indices)
    return alias(view) if view is tensor else view

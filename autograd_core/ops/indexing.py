"""Choosing entries: `x[0]`, `x[1:3]`, `x[mask]`, `x[rows, columns]`, and writing into them.

An index is taken apart as PyTorch does it: integers select, slices slice, `None` adds a dimension, and what is left
(lists, integer tensors, boolean masks) gathers. What was not chosen gets a gradient of exactly zero; what was chosen
twice gets both.
"""

import warnings

import numpy as np

from ..graph import recording
from ..tensor import Tensor
from .operation import operation
from .shape import alias, unsqueeze


def _at(dim, key):
    return (slice(None),) * dim + (key,)


@operation(input=lambda ops, g, input_shape, dim, index: ops.put(g, input_shape, _at(dim, index)), view=True)
def select(input, dim, index):
    """Entry `index` along `dim`, which disappears."""
    if not -input.shape[dim] <= index < input.shape[dim]:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {input.shape[dim]}")
    return input[_at(dim, index) + (Ellipsis,)]


def _slice_key(dim, start, end, step):
    return _at(dim, slice(start, end, step))


@operation(node="SliceBackward0", input=lambda ops, g, input_shape, dim, start, end, step:
           ops.put(g, input_shape, _slice_key(dim, start, end, step)), view=True)
def slice_dim(input, dim, start, end, step):
    """Entries `start` to `end` (without it) along `dim`, every `step`-th."""
    return input[_slice_key(dim, start, end, step)]


@operation(input=lambda ops, g, input_shape, indices: ops.put(g, input_shape, indices))
def index(input, indices):
    """The entries that `indices` name: one array or slice for each dimension, as NumPy's advanced indexing."""
    try:
        return np.asarray(input[indices], order="C")
    except IndexError as error:
        raise IndexError(f"{error}: the shape of the mask or index does not fit the indexed tensor of shape "
                         f"{list(input.shape)}") from None


@operation(node="PutBackward0", gradient=lambda ops, g, indices: ops.index(g, indices))
def put(gradient, shape, indices):
    """Zeros of `shape` with `gradient` added where `indices` point: the transpose of `index`."""
    out = np.zeros(shape, gradient.dtype)
    if any(isinstance(i, np.ndarray) and i.dtype != np.bool_ for i in indices):
        np.add.at(out, indices, gradient)                   # an entry may be named twice: it gets both
    else:
        out[indices] = gradient
    return out


def _as_index(part):
    """A list or tensor inside an index as an array."""
    if isinstance(part, Tensor):
        part = np.array(part._array)                        # what the graph keeps, nobody can change
    elif isinstance(part, (list, range)):
        part = np.array(part)
        part = part.astype(np.int64) if not part.size else part
    if not isinstance(part, np.ndarray):
        raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                         f"indices (got {type(part).__name__})")
    if part.dtype == np.uint8:
        warnings.warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
                      UserWarning, stacklevel=4)
        return part.astype(np.bool_)
    if part.dtype.kind not in "iub":
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return part


def _whole(part):
    return part.start in (None, 0) and part.stop is None and part.step in (None, 1)


def _is_integer(part):
    if isinstance(part, Tensor):
        return not part.ndim and part._array.dtype.kind in "iu"
    return isinstance(part, (int, np.integer)) and not isinstance(part, (bool, np.bool_))


def _parts(tensor, key):
    """The index as a list with the ellipsis written out. Raises IndexError when there are too many indices."""
    parts = list(key) if isinstance(key, tuple) else [key]
    takes = sum(getattr(p, "ndim", 1) if getattr(p, "dtype", None) is not None and "bool" in str(p.dtype) else 1
                for p in parts if p is not None and p is not Ellipsis)
    if takes > tensor.ndim:
        raise IndexError(f"too many indices for tensor of dimension {tensor.ndim}")
    if any(p is Ellipsis for p in parts):
        at = [p is Ellipsis for p in parts].index(True)
        parts[at:at + 1] = [slice(None)] * (tensor.ndim - takes)
    return parts


def getitem(tensor, key):
    """`tensor[key]`. Raises IndexError for an index outside of the shape or of a type that is no index."""
    dim, gathers, source = 0, {}, tensor
    if not tensor.ndim and not (key is Ellipsis or key is None or key == ()):
        raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
                         "to convert a 0-dim tensor to a number")
    for part in _parts(tensor, key):
        if _is_integer(part):
            tensor = select(tensor, dim, int(part))
        elif part is None:
            tensor = unsqueeze(tensor, dim)
            dim += 1
        elif isinstance(part, slice):
            if part.step is not None and part.step <= 0:
                raise ValueError("step must be greater than zero")
            if part is key or not _whole(part):
                tensor = slice_dim(tensor, dim, part.start, part.stop, 1 if part.step is None else part.step)
            dim += 1
        else:
            gathers[dim] = _as_index(part)
            dim += gathers[dim].ndim if gathers[dim].dtype == np.bool_ else 1
    if not gathers:
        return alias(tensor) if tensor is source else tensor
    full, d = [], 0
    while d < dim:
        part = gathers.get(d, slice(None))
        full.append(part)
        d += part.ndim if isinstance(part, np.ndarray) and part.dtype == np.bool_ else 1
    return index(tensor, tuple(full))


def setitem(tensor, key, value):
    """`tensor[key] = value`, where nothing is recorded: no tensor in it may require a gradient."""
    if recording.enabled and (tensor.requires_grad or isinstance(value, Tensor) and value.requires_grad):
        if tensor.is_leaf and tensor.requires_grad:
            raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
        raise NotImplementedError("autograd_core does not record item assignment: use where(mask, value, tensor)")
    parts = tuple(p if _is_integer(p) or p is None or isinstance(p, slice) else _as_index(p)
                  for p in _parts(tensor, key))
    if not isinstance(value, (Tensor, int, float, np.number, np.bool_)):
        raise TypeError(f"can't assign a {type(value).__name__} to a {tensor.dtype.tensor_type}")
    try:
        tensor._storage()[parts] = value._array if isinstance(value, Tensor) else value
    except ValueError as error:
        raise RuntimeError(f"the assigned value does not fit: {error}") from None
    tensor._bump_version()

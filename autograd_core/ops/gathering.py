"""Reading, writing and adding at indices: `gather`, `scatter_add`, masks.

They use three linear operations, whose backward rules call each other: `index` reads, `put` adds to
zeros, `drop` writes zeros. An element that wasn't selected gets a gradient of exactly 0. An element
that was selected twice gets the sum of both gradients."""

import numpy as np

from ..core.graph import check
from ..core.operation import formula, operation
from ..core.public import public
from .reduction import normal_dims
from .shape import unbind, unsqueeze


@operation(
    input=lambda ops, g, input_shape, indices: ops.put(g, input_shape, indices),
    constants=("indices",),
    sign="[ ]",
)
def index(input, indices):
    """The entries at `indices`: an array or a slice for each dimension, as in NumPy."""
    return np.asarray(input[indices], order="C")


@operation(
    node="PutBackward0",
    gradient=lambda ops, g, indices: ops.index(g, indices),
    constants=("indices",),
)
def put(gradient, shape, indices):
    """Zeros of `shape` with `gradient` added at `indices`: the transpose of `index`."""
    out = np.zeros(shape, gradient.dtype)
    if any(isinstance(i, np.ndarray) and i.dtype != np.bool_ for i in indices):
        # an index may occur twice, then its entry gets both
        np.add.at(out, indices, gradient)
    else:
        out[indices] = gradient
    return out


@operation(
    node="DropBackward0",
    gradient=lambda ops, g, indices: ops.drop(g, indices),
    constants=("indices",),
)
def drop(gradient, indices):
    """`gradient` with zeros at `indices`."""
    out = np.array(gradient)
    out[indices] = 0
    return out


@operation(
    node="IndexPutBackward0",
    input=lambda ops, g, indices, accumulate: g if accumulate else ops.drop(g, indices),
    values=lambda ops, g, indices: ops.index(g, indices),
    broadcasts=True,
    constants=("indices",),
)
def put_at(input, indices, values, accumulate=False):
    """`input` with `values` written at `indices`, or added if `accumulate`."""
    out = np.array(input)
    if accumulate:
        np.add.at(out, indices, values)
    else:
        out[indices] = values
    return out


# ---- one dimension at a time ---------------------------------------------------------------------


def _check_index(input, dim, index):
    """Raise IndexError as PyTorch does, even for negative indices, which NumPy accepts."""
    size = input.shape[normal_dims(dim, input.ndim)[0]]
    if np.any(wrong := (index < 0) | (index >= size)):
        place = f"index {np.asarray(index)[wrong].flat[0]} is out of bounds for dimension {dim}"
        raise IndexError(f"{place} with size {size}")


def _rows(dim, index, shape):
    """The key that selects the entries `index` along `dim`."""
    return (*[slice(None)] * (dim % len(shape)), np.atleast_1d(index))


def along(dim, index):
    """For each element of `index`, its own position, but with its value as the index along `dim`."""
    places = list(np.indices(np.shape(index), sparse=True))
    places[dim] = np.asarray(index)
    return tuple(places)


def _check_along(input, dim, index, *src):
    """Check that `index` fits `input` and `src`. Return slices that cut `src` to its shape."""
    _check_index(input, dim, index)
    check({index.ndim, *(s.ndim for s in src)} == {input.ndim} != {0}, "unequal dimensions")
    for d, n in enumerate(index.shape):
        fits = (d == dim % input.ndim or n <= input.shape[d]) and all(n <= s.shape[d] for s in src)
        check(fits, "index is larger than the tensors along dimension {}", d)
    return tuple(map(slice, index.shape))


@public("T", "Tensor", example="T.gather(a, 1, c)", a=(2, 3), c=[[0, 2], [1, 1]])
@operation(
    input=lambda ops, g, input, dim, index: ops.put(g, input.shape, along(dim, index)),
    constants=("index",),
)
def gather(input, dim, index):
    """For each element of `index`, the element of `input` at that index along `dim`."""
    _check_along(input, dim, index)
    return input[along(dim, index)]


@public("T", "Tensor", example="T.scatter_add(a, 1, c, b)", a=(2, 3), b=(2, 2), c=[[0, 2], [1, 1]])
@operation(
    input=lambda g: g,
    src=lambda ops, g, dim, index: ops.index(g, along(dim, index)),
    constants=("index",),
)
def scatter_add(input, dim, index, src):
    """`input` with the elements of `src` added at the positions that `gather` would read."""
    part = _check_along(input, dim, index, src)
    return put_at.forward(np.asarray(input, order="C"), along(dim, index), src[part], True)


# ---- masks ---------------------------------------------------------------------------------------


def _spread(mask, shape):
    return (np.broadcast_to(np.asarray(mask), shape),)


def _check_mask(mask):
    if mask.dtype != np.bool_:
        raise TypeError("a mask needs booleans: write mask.bool()")


@public("T", "Tensor", example="T.masked_fill(a, c, -9)", a=(2, 3), c=[[True], [False]])
@operation(
    node="MaskedFillBackward0",
    input=lambda ops, g, mask: ops.drop(g, _spread(mask, g.shape)),
    broadcasts=True,
    constants=("mask",),
)
def masked_fill(input, mask, value):
    """`input` with the number `value` where `mask` is true."""
    _check_mask(mask)
    return np.asarray(np.where(mask, np.asarray(value, input.dtype), input), order="C")


@formula("put(g, mask)")
def _put_selected(ops, g, input, mask):
    shape = np.broadcast_shapes(input.shape, mask.shape)
    return ops.put(g, shape, _spread(mask, shape))


@public("T", "Tensor", example="T.masked_select(a, c)", a=(2, 3), c=[True, False, True])
@operation(input=_put_selected, broadcasts=True, constants=("mask",))
def masked_select(input, mask):
    """A vector of the elements of `input` where `mask` is true. Both are broadcast to one shape."""
    _check_mask(mask)
    input, mask = np.broadcast_arrays(input, mask)
    return input[mask]


@operation()
def rows_of_nonzero(input):
    """The indices of the nonzero elements, one row for each."""
    return np.argwhere(input)


@public("T", "Tensor", example="T.nonzero(c)", c=[[1, 0], [0, 2]])
def nonzero(input, as_tuple=False):
    """The indices of nonzero elements: one row for each, or with `as_tuple` a vector per dimension."""
    if not as_tuple:
        return rows_of_nonzero(input)
    return unbind(rows_of_nonzero(input if input.ndim else unsqueeze(input, 0)), 1)


@public("F", example="F.one_hot(c)", c=[[0, 2], [1, 1]])
@operation()
def one_hot(input, num_classes=-1):
    """The one-hot vector of each class number, of length `num_classes` (default: the greatest + 1)."""
    classes = int(np.max(input)) + 1 if num_classes == -1 else num_classes
    check(np.all(input >= 0), "one_hot() needs class numbers from 0")
    return np.eye(classes, dtype=np.int64)[input]

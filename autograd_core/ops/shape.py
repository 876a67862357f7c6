"""Operations that rearrange: the same numbers in another shape or order, once or several times. Most
are views, which share memory with their input.

The rule of each is its own undoing: what was transposed is transposed back, what was stretched or
repeated is summed."""

from math import prod
from operator import index

import numpy as np

from ..core.graph import check
from ..core.operation import formula, operation
from ..core.public import public
from .reduction import normal_dims


def sizes_of(sizes):
    """Sizes that were given one by one, or as one tuple, list or shape."""
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    return tuple(map(index, sizes))


def full_shape(shape, count):
    """`shape` with its one -1 worked out. Raises RuntimeError if `count` elements do not fill it."""
    shape = tuple(map(index, shape))
    check(shape.count(-1) <= 1, "only one dimension can be inferred")
    known = -prod(shape)  # with one -1 among them
    full = tuple(count // known if n == -1 and known else n for n in shape)
    fits = prod(full) == count and min(full, default=0) >= 0
    check(fits, "shape '{}' is invalid for input of size {}", list(shape), count)
    return full


@operation(
    name="view",
    input=lambda ops, g, input_shape: ops.reshape(g, input_shape),
    view=True,
    sign="▭",
)
def view_as_shape(input, shape):
    """The same memory in another shape. Raises RuntimeError where only a copy could have it."""
    shaped = np.reshape(input, full_shape(shape, input.size))
    words = "view size is not compatible with input tensor's size and stride. Use .reshape(...)."
    check(not input.size or np.may_share_memory(shaped, input), words)
    return shaped


@public("Tensor", example="a.view(3, 2)", a=(2, 3))
def view(input, *sizes):
    """The same memory in another shape; one size may be -1. Raises RuntimeError where only a copy
    could have it.
    """
    return view_as_shape(input, sizes_of(sizes))


@operation(
    node="UnsafeViewBackward0", input=lambda ops, g, input_shape: ops.reshape(g, input_shape)
)
def unsafe_view(input, shape):
    """A temporary in another shape, as inside `matmul`: it counts as no view."""
    return np.reshape(input, full_shape(shape, input.size))


@operation(input=lambda ops, g, input_shape: ops.reshape(g, input_shape), view=True)
def reshape_alias(input, shape):
    """As `view_as_shape`, of memory that is not in order."""
    return np.reshape(input, shape)


def reshape_to(input, shape):
    """`input` in another shape: a view where that is possible, else a copy."""
    shape = full_shape(shape, input.numel())
    if input.is_contiguous():
        return view_as_shape(input, shape)
    if np.may_share_memory(np.reshape(input._array, shape), input._array):
        return reshape_alias(input, shape)
    return unsafe_view(clone(input, True), shape)


@public("T", "Tensor", example="T.reshape(a, (6,))", a=(2, 3))
def reshape(input, *sizes, shape=()):
    """The same numbers in another shape: a view where that is possible, else a copy."""
    return reshape_to(input, sizes_of(sizes or (shape,)))


@public("T", "Tensor", example="T.flatten(a, 1)", a=(2, 3, 2))
def flatten(input, start_dim=0, end_dim=-1):
    """Dimensions `start_dim` to `end_dim` as one."""
    sizes = input.shape or (1,)
    (start,), (end,) = (normal_dims(d, len(sizes)) for d in (start_dim, end_dim))
    check(start <= end, "flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end and input.ndim:
        return input
    return reshape_to(input, (*sizes[:start], -1, *sizes[end + 1 :]))


@operation(input=lambda g: g, view=True)
def alias(input):
    """The tensor again, on the same memory: what an index that takes everything gives."""
    return input[...]


@public("T", "Tensor", example="T.t(a)", a=(3,))
@operation(input=lambda ops, g: ops.t(g), view=True, sign="T")
def t(input):
    """The transpose of a matrix; a vector as it is."""
    check(input.ndim <= 2, "t() expects a tensor with <= 2 dimensions, but self is {}D", input.ndim)
    return input.T


@public("T", "Tensor", example="T.transpose(a, 0, 1)", a=(2, 3))
@operation(input=lambda ops, g, dim0, dim1: ops.transpose(g, dim0, dim1), view=True, sign="T")
def transpose(input, dim0, dim1):
    """Two dimensions exchanged."""
    return np.swapaxes(input, dim0, dim1)


@formula("permute(g, inverse(dims))")
def permute_back(ops, g, dims):
    """What is in the order `dims` in its own order again."""
    dims = normal_dims(dims, len(dims))
    return ops.permute_dims(g, tuple(dims.index(i) for i in range(len(dims))))


@operation(name="permute", input=permute_back, view=True, sign="T")
def permute_dims(input, dims):
    """The dimensions in the order `dims`."""
    return np.transpose(input, dims)


@public("T", "Tensor", example="T.permute(a, (1, -1, 0))", a=(2, 3, 4))
def permute(input, *order, dims=()):
    """The dimensions in another order: `permute(2, 0, 1)`, or as one tuple `dims`."""
    return permute_dims(input, sizes_of(order or (dims,)))


@public("T", "Tensor", example="T.unsqueeze(a, 0)", a=(2, 3))
@operation(input=lambda ops, g, dim: ops.squeeze_dim(g, dim), view=True, sign="▭")
def unsqueeze(input, dim):
    """A dimension of size 1, put in at `dim`."""
    return np.expand_dims(input, index(dim))


@operation(
    name="squeeze",
    input=lambda ops, g, input_shape: ops.reshape(g, input_shape),
    view=True,
    sign="▭",
)
def squeeze_all(input):
    """Without the dimensions of size 1."""
    return np.squeeze(input)


@operation(
    node="SqueezeBackward1",
    input=lambda ops, g, input_shape: ops.reshape(g, input_shape),
    view=True,
    sign="▭",
)
def squeeze_dim(input, dim):
    """Without dimension `dim`, if its size is 1."""
    dims = normal_dims(dim, input.ndim)
    return np.squeeze(input, tuple(d for d in dims if input.shape[d] == 1))


@public("T", "Tensor", example="T.squeeze(a, 0)", a=(1, 3))
def squeeze(input, dim=None):
    """Without the dimensions of size 1, or without `dim`, if its size is 1."""
    return squeeze_all(input) if dim is None else squeeze_dim(input, index(dim))


@operation(
    node="SqueezeBackward4", input=lambda ops, g, input_shape: ops.reshape(g, input_shape), sign="▭"
)
def squeeze_temporary(input, dim):
    """As `squeeze_dim`, of a temporary: so PyTorch squeezes a vector times a matrix."""
    return squeeze_dim.forward(input, dim)


def _sum_to(ops, g, shape):
    lead = len(g.shape) - len(shape)
    stretched = (i for i, n in enumerate(shape, lead) if n == 1 and g.shape[i] != 1)
    dims = (*range(lead), *stretched)
    return ops.reshape(ops.sum_dim(g, dims, True), shape) if dims else g


@operation(
    name="expand",
    input=lambda ops, g, input_shape: _sum_to(ops, g, input_shape),
    view=True,
    sign="⇉",
)
def expand_to(input, shape):
    """Dimensions of size 1 stretched to `shape`, without copying; -1 leaves a dimension as it is."""
    lead = len(shape) - input.ndim
    kept = (have if want == -1 else want for have, want in zip(input.shape, shape[lead:]))
    return np.broadcast_to(input, (*shape[:lead], *kept))


@public("Tensor", example="a.expand(4, 3)", a=(1, 3))
def expand(input, *sizes):
    """Dimensions of size 1 stretched to `sizes`, without copying."""
    return expand_to(input, sizes_of(sizes))


def _order(input):
    """The memory order of a copy: the input's own, but row by row for what `expand` has stretched."""
    stretched = any(step == 0 and size > 1 for step, size in zip(input.strides, input.shape))
    return "C" if stretched else "K"


def memory_order(array):
    """The dimensions of an array as they lie in memory: that of the largest steps first."""
    if _order(array) == "C":
        return tuple(range(array.ndim))
    return tuple(np.argsort([-step for step in array.strides], kind="stable").tolist())


@public("T", "Tensor", example="T.clone(a)", a=(2, 3))
@operation(input=lambda g: g, sign="=")
def clone(input, contiguous=False):
    """A copy in memory of its own, in the input's order, or row by row if `contiguous`."""
    return np.array(input, order="C" if contiguous else _order(input))


@public("Tensor", example="a.t().contiguous()", a=(2, 3))
def contiguous(input):
    """The tensor itself if its memory is in order, else a copy that is."""
    return input if input.is_contiguous() else clone(input, True)


@operation(node="ToCopyBackward0", input=lambda g: g)
def to_type(input, dtype):
    """The same numbers in another NumPy type; the gradient goes back in the type that came."""
    return input.astype(dtype, order=_order(input))


# ---- several tensors in or out -------------------------------------------------------------------


@public("T", example="T.stack([a, b])", a=(2, 3), b=(2, 3))
@operation(tensors=lambda ops, g, dim: ops.unbind(g, dim), promotes=True, sign="⊕")
def stack(tensors, dim=0):
    """Tensors of one shape, one after the other along a new dimension `dim`."""
    return np.asarray(np.stack(tensors, dim), order="C")


@formula("split(g)")
def _cut(ops, g, tensors_shape, dim):
    pieces, start = [], 0
    for shape in tensors_shape:
        if len(shape) < g.ndim:  # an empty vector: nothing of it stands in the result
            pieces.append(ops.slice_dim(ops.reshape(g, (-1,)), 0, 0, 0, 1))
        else:
            pieces.append(ops.slice_dim(g, dim % len(shape), start, start + shape[dim], 1))
            start += shape[dim]
    return pieces


@public("T", example="T.cat([a, b])", a=(2, 3), b=(1, 3))
@operation(tensors=_cut, promotes=True, sign="⊕")
def cat(tensors, dim=0):
    """Tensors one after the other along `dim`; their other dimensions must agree."""
    # an empty vector fits to everything
    tensors = [array for array in tensors if array.shape != (0,)] or tensors
    return np.asarray(np.concatenate(tensors, index(dim)), order="C")


@operation(
    node="SplitBackward0", input=lambda ops, g, dim: ops.cat(g, dim), results=None, view=True
)
def split_evenly(input, size, dim=0):
    """Pieces of `size` entries along `dim`, the last one perhaps smaller, as a tuple."""
    return tuple(np.split(input, range(size, input.shape[dim], size), dim))


@operation(
    node="SplitWithSizesBackward0",
    input=lambda ops, g, dim: ops.cat(g, dim),
    results=None,
    view=True,
)
def split_with_sizes(input, sizes, dim=0):
    """Pieces of as many entries along `dim` as `sizes` says, as a tuple."""
    check(sum(sizes) == input.shape[dim], "split() needs sizes that sum to {}", input.shape[dim])
    return tuple(np.split(input, np.cumsum(sizes)[:-1], dim))


@public("T", "Tensor", example="T.split(a, 2)", a=(5, 2))
def split(input, split_size_or_sections, dim=0):
    """Pieces of `split_size_or_sections` entries along `dim`, or of as many as a list says."""
    if isinstance(split_size_or_sections, int):
        return split_evenly(input, split_size_or_sections, dim)
    return split_with_sizes(input, tuple(split_size_or_sections), dim)


@public("T", "Tensor", example="T.chunk(a, 2)", a=(5, 2))
def chunk(input, chunks, dim=0):
    """At most `chunks` pieces along `dim`: all of one size, the last one perhaps smaller."""
    return split_evenly(input, -(-input.shape[dim] // chunks), dim)


@public("T", "Tensor", "Tensor_", example="T.tril(a)", a=(3, 3))
@operation(input=lambda ops, g, diagonal: ops.tril(g, diagonal))
def tril(input, diagonal=0):
    """The lower triangle, up to the `diagonal`-th diagonal, and zeros above it."""
    return np.tril(input, diagonal)


@public("T", "Tensor", "Tensor_", example="T.triu(a)", a=(3, 3))
@operation(input=lambda ops, g, diagonal: ops.triu(g, diagonal))
def triu(input, diagonal=0):
    """The upper triangle, from the `diagonal`-th diagonal, and zeros below it."""
    return np.triu(input, diagonal)


@public("T", "Tensor", example="T.unbind(a)", a=(3, 2))
@operation(input=lambda ops, g, dim: ops.stack(g, dim), results=None, view=True)
def unbind(input, dim=0):
    """The slices along `dim`, as a tuple."""
    return tuple(np.moveaxis(input, dim, 0)[i, ...] for i in range(input.shape[dim]))


# ---- in another order ----------------------------------------------------------------------------


@operation(node="FlipBackward0", input=lambda ops, g, dims: ops.flip_dims(g, dims))
def flip_dims(input, dims):
    """The entries along each of `dims` in the opposite order."""
    return np.array(np.flip(input, normal_dims(dims, input.ndim) if dims else ()))


@public("T", "Tensor", example="T.flip(a, (0,))", a=(2, 3))
def flip(input, *each, dims=()):
    """The entries along `each` dimension, or those of one tuple, in the opposite order. A copy."""
    return flip_dims(input, sizes_of(each or (dims,)))


@public("T", "Tensor", example="T.roll(a, 1, 0)", a=(3, 2))
@operation(input=lambda ops, g, shifts, dims: ops.roll(g, -shifts, dims))
def roll(input, shifts, dims=None):
    """The entries moved by `shifts` along `dims`, or along the flattened tensor. Entries that leave
    one end come in at the other end.
    """
    return np.roll(np.asarray(input, order="C"), shifts, dims)

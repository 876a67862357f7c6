"""Operations that change the shape or order of numbers, or repeat them. Most results are views, which
share memory with their input.

Each backward rule reverses its operation: a transposed tensor's gradient is transposed back, and the
gradients of repeated elements are summed."""

from math import prod
from operator import index

import numpy as np

from ..core.graph import check
from ..core.operation import formula, operation
from ..core.public import public
from .reduction import normal_dims


def sizes_of(sizes):
    """A tuple of sizes, from several arguments or from one tuple, list or shape."""
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    return tuple(map(index, sizes))


def full_shape(shape, count):
    """`shape` with -1 replaced by a size. Raises RuntimeError if `count` elements don't fit."""
    shape = tuple(map(index, shape))
    check(shape.count(-1) <= 1, "only one dimension can be inferred")
    known = -prod(shape)  # if one of them is -1
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
    """The same memory in another shape. Raises RuntimeError if this would need a copy."""
    shaped = np.reshape(input, full_shape(shape, input.size))
    words = "view size is not compatible with input tensor's size and stride. Use .reshape(...)."
    check(not input.size or np.may_share_memory(shaped, input), words)
    return shaped


@public("Tensor", example="a.view(3, 2)", a=(2, 3))
def view(input, *sizes):
    """The same memory in another shape. One size may be -1, and it is computed. Raises RuntimeError
    if this would need a copy.
    """
    return view_as_shape(input, sizes_of(sizes))


@operation(
    node="UnsafeViewBackward0", input=lambda ops, g, input_shape: ops.reshape(g, input_shape)
)
def unsafe_view(input, shape):
    """A temporary tensor in another shape, for example in `matmul`. It doesn't count as a view."""
    return np.reshape(input, full_shape(shape, input.size))


@operation(input=lambda ops, g, input_shape: ops.reshape(g, input_shape), view=True)
def reshape_alias(input, shape):
    """Like `view_as_shape`, for memory that isn't contiguous."""
    return np.reshape(input, shape)


def reshape_to(input, shape):
    """`input` in another shape: a view if that is possible, else a copy."""
    shape = full_shape(shape, input.numel())
    if input.is_contiguous():
        return view_as_shape(input, shape)
    if np.may_share_memory(np.reshape(input._array, shape), input._array):
        return reshape_alias(input, shape)
    return unsafe_view(clone(input, True), shape)


@public("T", "Tensor", example="T.reshape(a, (6,))", a=(2, 3))
def reshape(input, *sizes, shape=()):
    """The same numbers in another shape: a view if that is possible, else a copy."""
    return reshape_to(input, sizes_of(sizes or (shape,)))


@public("T", "Tensor", example="T.flatten(a, 1)", a=(2, 3, 2))
def flatten(input, start_dim=0, end_dim=-1):
    """Merge the dimensions from `start_dim` to `end_dim` (inclusive) to one."""
    sizes = input.shape or (1,)
    (start,), (end,) = (normal_dims(d, len(sizes)) for d in (start_dim, end_dim))
    check(start <= end, "flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end and input.ndim:
        return input
    return reshape_to(input, (*sizes[:start], -1, *sizes[end + 1 :]))


@operation(input=lambda g: g, view=True)
def alias(input):
    """A view of the whole tensor, the result of an index that takes everything."""
    return input[...]


@public("T", "Tensor", example="T.t(a)", a=(3,))
@operation(input=lambda ops, g: ops.t(g), view=True, sign="T")
def t(input):
    """The transpose of a matrix. A vector stays the same."""
    check(input.ndim <= 2, "t() expects a tensor with <= 2 dimensions, but self is {}D", input.ndim)
    return input.T


@public("T", "Tensor", example="T.transpose(a, 0, 1)", a=(2, 3))
@operation(input=lambda ops, g, dim0, dim1: ops.transpose(g, dim0, dim1), view=True, sign="T")
def transpose(input, dim0, dim1):
    """Swap two dimensions."""
    return np.swapaxes(input, dim0, dim1)


@formula("permute(g, inverse(dims))")
def permute_back(ops, g, dims):
    """Reverse `permute(dims)`."""
    dims = normal_dims(dims, len(dims))
    return ops.permute_dims(g, tuple(dims.index(i) for i in range(len(dims))))


@operation(name="permute", input=permute_back, view=True, sign="T")
def permute_dims(input, dims):
    """Put the dimensions in the order `dims`."""
    return np.transpose(input, dims)


@public("T", "Tensor", example="T.permute(a, (1, -1, 0))", a=(2, 3, 4))
def permute(input, *order, dims=()):
    """Put the dimensions in another order: `permute(2, 0, 1)`, or a tuple `dims`."""
    return permute_dims(input, sizes_of(order or (dims,)))


@public("T", "Tensor", example="T.unsqueeze(a, 0)", a=(2, 3))
@operation(input=lambda ops, g, dim: ops.squeeze_dim(g, dim), view=True, sign="▭")
def unsqueeze(input, dim):
    """Insert a dimension of size 1 at `dim`."""
    return np.expand_dims(input, index(dim))


@operation(
    name="squeeze",
    input=lambda ops, g, input_shape: ops.reshape(g, input_shape),
    view=True,
    sign="▭",
)
def squeeze_all(input):
    """Remove all dimensions of size 1."""
    return np.squeeze(input)


@operation(
    node="SqueezeBackward1",
    input=lambda ops, g, input_shape: ops.reshape(g, input_shape),
    view=True,
    sign="▭",
)
def squeeze_dim(input, dim):
    """Remove the dimension `dim` (one or several) if its size is 1."""
    dims = normal_dims(dim, input.ndim)
    return np.squeeze(input, tuple(d for d in dims if input.shape[d] == 1))


@public("T", "Tensor", example="T.squeeze(a, 0)", a=(1, 3))
def squeeze(input, dim=None):
    """Remove all dimensions of size 1, or only `dim` if its size is 1."""
    return squeeze_all(input) if dim is None else squeeze_dim(input, index(dim))


@operation(
    node="SqueezeBackward4", input=lambda ops, g, input_shape: ops.reshape(g, input_shape), sign="▭"
)
def squeeze_temporary(input, dim):
    """`squeeze_dim` of a temporary tensor, which PyTorch uses in a vector times a matrix."""
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
    """Expand dimensions of size 1 to `shape` without copying. -1 keeps a dimension's size."""
    lead = len(shape) - input.ndim
    kept = (have if want == -1 else want for have, want in zip(input.shape, shape[lead:]))
    return np.broadcast_to(input, (*shape[:lead], *kept))


@public("Tensor", example="a.expand(4, 3)", a=(1, 3))
def expand(input, *sizes):
    """Expand dimensions of size 1 to `sizes` without copying. -1 keeps a dimension's size."""
    return expand_to(input, sizes_of(sizes))


def _order(input):
    """The memory order of a copy: the input's own, or row-major if `input` was expanded."""
    stretched = any(step == 0 and size > 1 for step, size in zip(input.strides, input.shape))
    return "C" if stretched else "K"


def memory_order(array):
    """The dimensions of an array in memory order, the largest stride first."""
    if _order(array) == "C":
        return tuple(range(array.ndim))
    return tuple(np.argsort([-step for step in array.strides], kind="stable").tolist())


@public("T", "Tensor", example="T.clone(a)", a=(2, 3))
@operation(input=lambda g: g, sign="=")
def clone(input, contiguous=False):
    """A copy in the input's memory order, or in row-major order if `contiguous`."""
    return np.array(input, order="C" if contiguous else _order(input))


@public("Tensor", example="a.t().contiguous()", a=(2, 3))
def contiguous(input):
    """The tensor itself if its memory is contiguous, else a contiguous copy."""
    return input if input.is_contiguous() else clone(input, True)


@operation(node="ToCopyBackward0", input=lambda g: g)
def to_type(input, dtype):
    """The same numbers in another NumPy type. The engine converts the gradient back."""
    return input.astype(dtype, order=_order(input))


# ---- several tensors in or out -------------------------------------------------------------------


@public("T", example="T.stack([a, b])", a=(2, 3), b=(2, 3))
@operation(tensors=lambda ops, g, dim: ops.unbind(g, dim), promotes=True, sign="⊕")
def stack(tensors, dim=0):
    """Stack tensors of the same shape along a new dimension `dim`."""
    return np.asarray(np.stack(tensors, dim), order="C")


@formula("split(g)")
def _cut(ops, g, tensors_shape, dim):
    pieces, start = [], 0
    for shape in tensors_shape:
        if len(shape) < g.ndim:  # an empty vector isn't in the result
            pieces.append(ops.slice_dim(ops.reshape(g, (-1,)), 0, 0, 0, 1))
        else:
            pieces.append(ops.slice_dim(g, dim % len(shape), start, start + shape[dim], 1))
            start += shape[dim]
    return pieces


@public("T", example="T.cat([a, b])", a=(2, 3), b=(1, 3))
@operation(tensors=_cut, promotes=True, sign="⊕")
def cat(tensors, dim=0):
    """Concatenate tensors along `dim`. Their other dimensions must be equal."""
    # an empty vector fits any shape
    tensors = [array for array in tensors if array.shape != (0,)] or tensors
    return np.asarray(np.concatenate(tensors, index(dim)), order="C")


@operation(
    node="SplitBackward0", input=lambda ops, g, dim: ops.cat(g, dim), results=None, view=True
)
def split_evenly(input, size, dim=0):
    """A tuple of pieces with `size` entries along `dim`. The last one may be smaller."""
    return tuple(np.split(input, range(size, input.shape[dim], size), dim))


@operation(
    node="SplitWithSizesBackward0",
    input=lambda ops, g, dim: ops.cat(g, dim),
    results=None,
    view=True,
)
def split_with_sizes(input, sizes, dim=0):
    """A tuple of pieces with the given `sizes` along `dim`."""
    check(sum(sizes) == input.shape[dim], "split() needs sizes that sum to {}", input.shape[dim])
    return tuple(np.split(input, np.cumsum(sizes)[:-1], dim))


@public("T", "Tensor", example="T.split(a, 2)", a=(5, 2))
def split(input, split_size_or_sections, dim=0):
    """A tuple of pieces along `dim`: all of the given size, or with the sizes in a list."""
    if isinstance(split_size_or_sections, int):
        return split_evenly(input, split_size_or_sections, dim)
    return split_with_sizes(input, tuple(split_size_or_sections), dim)


@public("T", "Tensor", example="T.chunk(a, 2)", a=(5, 2))
def chunk(input, chunks, dim=0):
    """At most `chunks` pieces of equal size along `dim`. The last one may be smaller."""
    return split_evenly(input, -(-input.shape[dim] // chunks), dim)


@public("T", "Tensor", "Tensor_", example="T.tril(a)", a=(3, 3))
@operation(input=lambda ops, g, diagonal: ops.tril(g, diagonal))
def tril(input, diagonal=0):
    """The lower triangle up to diagonal number `diagonal` (0 is the main one), and zeros above it."""
    return np.tril(input, diagonal)


@public("T", "Tensor", "Tensor_", example="T.triu(a)", a=(3, 3))
@operation(input=lambda ops, g, diagonal: ops.triu(g, diagonal))
def triu(input, diagonal=0):
    """The upper triangle from diagonal number `diagonal` (0 is the main one), and zeros below it."""
    return np.triu(input, diagonal)


@public("T", "Tensor", example="T.unbind(a)", a=(3, 2))
@operation(input=lambda ops, g, dim: ops.stack(g, dim), results=None, view=True)
def unbind(input, dim=0):
    """A tuple of the slices along `dim`, without this dimension."""
    return tuple(np.moveaxis(input, dim, 0)[i, ...] for i in range(input.shape[dim]))


# ---- order of entries ----------------------------------------------------------------------------


@operation(node="FlipBackward0", input=lambda ops, g, dims: ops.flip_dims(g, dims))
def flip_dims(input, dims):
    """Reverse the entries along each of `dims`."""
    return np.array(np.flip(input, normal_dims(dims, input.ndim) if dims else ()))


@public("T", "Tensor", example="T.flip(a, (0,))", a=(2, 3))
def flip(input, *each, dims=()):
    """Reverse the entries along the given dimensions, or along those in a tuple. It is a copy."""
    return flip_dims(input, sizes_of(each or (dims,)))


@public("T", "Tensor", example="T.roll(a, 1, 0)", a=(3, 2))
@operation(input=lambda ops, g, shifts, dims: ops.roll(g, -shifts, dims))
def roll(input, shifts, dims=None):
    """Shift the entries by `shifts` along `dims`, or in the flattened tensor. Entries shifted beyond
    one end reappear at the other end.
    """
    return np.roll(np.asarray(input, order="C"), shifts, dims)

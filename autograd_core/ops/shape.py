"""Operations that rearrange: the same numbers in another shape or order, once or several times. Most
are views, which share memory with their input.

The rule of each is its own undoing: what was transposed is transposed back, what was stretched or
repeated is summed."""

from math import prod
from operator import index

import numpy as np

from ..core.checks import check_list, check_tensors, dimension, sizes_of
from ..core.graph import check
from ..core.operation import formula, operation
from ..core.public import public
from .reduction import normal_dims


def full_shape(shape, count):
    """`shape` with its one -1 worked out. Raises RuntimeError if `count` elements do not fill it."""
    shape = tuple(map(index, shape))
    check(shape.count(-1) <= 1, "only one dimension can be inferred")
    known = -prod(shape)  # with one -1 among them
    full = tuple(count // known if n == -1 and known else n for n in shape)
    fits = prod(full) == count and min(full, default=0) >= 0
    check(fits, "shape '{}' is invalid for input of size {}", list(shape), count)
    return full


@operation(input=lambda ops, g, input_shape: ops.reshape(g, input_shape), view=True, sign="▭")
def view(input, shape):
    """The same memory in another shape. Raises RuntimeError where only a copy could have it."""
    shaped = np.reshape(input, full_shape(shape, input.size))
    words = "view size is not compatible with input tensor's size and stride. Use .reshape(...)."
    check(not input.size or np.may_share_memory(shaped, input), words)
    return shaped


@operation(
    node="UnsafeViewBackward0", input=lambda ops, g, input_shape: ops.reshape(g, input_shape)
)
def unsafe_view(input, shape):
    """A temporary in another shape, as inside `matmul`: it counts as no view."""
    return np.reshape(input, full_shape(shape, input.size))


@operation(input=lambda ops, g, input_shape: ops.reshape(g, input_shape), view=True)
def reshape_alias(input, shape):
    """As `view`, of memory that is not in order."""
    return np.reshape(input, shape)


def reshape(input, shape):
    """A tensor with the same numbers in another shape: a view where that is possible, else a copy."""
    shape = full_shape(shape, input.numel())
    if input.is_contiguous():
        return view(input, shape)
    if np.may_share_memory(np.reshape(input._array, shape), input._array):
        return reshape_alias(input, shape)
    return unsafe_view(clone(input, True), shape)


@operation(input=lambda g: g, view=True)
def alias(input):
    """The tensor again, on the same memory: what an index that takes everything gives."""
    return input[...]


@public("T", "Tensor", example="T.t(a)", a=(3,))
@operation(input=lambda ops, g: ops.t(g), view=True, sign="T")
def t(input):
    """A matrix on its side; a vector as it is."""
    check(input.ndim <= 2, "t() expects a tensor with <= 2 dimensions, but self is {}D", input.ndim)
    return input.T


@public("T", "Tensor", example="T.transpose(a, 0, 1)", a=(2, 3))
@operation(input=lambda ops, g, dim0, dim1: ops.transpose(g, dim0, dim1), view=True, sign="T")
def transpose(input, dim0, dim1):
    """Two dimensions exchanged."""
    return np.swapaxes(input, dimension(dim0), dimension(dim1))


@formula("permute(g, inverse(dims))")
def permute_back(ops, g, dims):
    """What is in the order `dims` in its own order again."""
    dims = normal_dims(dims, len(dims))
    return ops.permute(g, tuple(dims.index(i) for i in range(len(dims))))


@operation(input=permute_back, view=True, sign="T")
def permute(input, dims):
    """The dimensions in the order `dims`."""
    words = "number of dimensions in the tensor input does not match the length of the desired"
    words += " ordering of dimensions: {} is not equal to {}"
    check(len(dims) == input.ndim, words, input.ndim, len(dims))
    return np.transpose(input, normal_dims(dims, input.ndim))


@public("T", "Tensor", example="T.unsqueeze(a, 0)", a=(2, 3))
@operation(input=lambda ops, g, dim: ops.squeeze_dim(g, dim), view=True, sign="▭")
def unsqueeze(input, dim):
    """A dimension of size 1, put in at `dim`."""
    return np.expand_dims(input, dimension(dim))


@operation(
    node="SqueezeBackward0",
    input=lambda ops, g, input_shape: ops.reshape(g, input_shape),
    view=True,
    sign="▭",
)
def squeeze(input):
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
    dims = normal_dims(dimension(dim), input.ndim)
    return np.squeeze(input, tuple(d for d in dims if input.shape[d] == 1))


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


@operation(input=lambda ops, g, input_shape: _sum_to(ops, g, input_shape), view=True, sign="⇉")
def expand(input, shape):
    """Dimensions of size 1 stretched to `shape`, without copying; -1 leaves a dimension as it is."""
    lead = len(shape) - input.ndim
    if lead < 0:
        counts = f"({len(shape)}) must be greater or equal"
        has = f"to the number of dimensions in the tensor ({input.ndim})"
        raise RuntimeError(f"expand: the number of sizes provided {counts} {has}")
    if -1 in shape[:lead]:
        raise RuntimeError("The size -1 isn't allowed in a leading, non-existing dimension 0")
    kept = (have if want == -1 else want for have, want in zip(input.shape, shape[lead:]))
    full = (*shape[:lead], *kept)
    for i, (have, want) in enumerate(zip(input.shape, full[lead:]), lead):
        if have not in (1, want):
            words = f"({want}) must match the existing size ({have}) at non-singleton dimension {i}"
            raise RuntimeError(f"The expanded size of the tensor {words}")
    return np.broadcast_to(input, full)


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


@operation(node="ToCopyBackward0", input=lambda g: g)
def to_type(input, dtype):
    """The same numbers in another NumPy type; the gradient goes back in the type that came."""
    return input.astype(dtype, order=_order(input))


# ---- several tensors in or out -------------------------------------------------------------------


@operation(tensors=lambda ops, g, dim: ops.unbind(g, dim), promotes=True, sign="⊕")
def stack(tensors, dim=0):
    """Tensors of one shape, side by side along a new dimension `dim`."""
    check(tensors, "stack expects a non-empty TensorList")
    for i, array in enumerate(tensors):
        if array.shape != tensors[0].shape:
            sizes = f"{list(tensors[0].shape)} at entry 0 and {list(array.shape)} at entry {i}"
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {sizes}")
    return np.asarray(np.stack(tensors, dimension(dim)), order="C")


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


@operation(tensors=_cut, promotes=True, sign="⊕")
def cat(tensors, dim=0):
    """Tensors one after the other along `dim`; their other dimensions must agree."""
    check(tensors, "cat(): expected a non-empty list of Tensors", error=ValueError)
    # an empty vector fits to everything
    tensors = [array for array in tensors if array.shape != (0,)] or tensors
    ndim = tensors[0].ndim
    check(ndim, "zero-dimensional tensor (at position 0) cannot be concatenated")
    for array in tensors[1:]:
        words = "Tensors must have same number of dimensions: got {} and {}"
        check(array.ndim == ndim, words, ndim, array.ndim)
        for d, (want, have) in enumerate(zip(tensors[0].shape, array.shape)):
            if want != have and d != dim % ndim:
                words = f"{dim}. Expected size {want} but got size {have}"
                raise RuntimeError(f"Sizes of tensors must match except in dimension {words}")
    return np.asarray(np.concatenate(tensors, dimension(dim)), order="C")


@operation(
    node="SplitBackward0", input=lambda ops, g, dim: ops.cat(g, dim), results=None, view=True
)
def split_evenly(input, size, dim=0):
    """Pieces of `size` entries along `dim`, the last one perhaps smaller, as a tuple."""
    normal_dims((dim,), input.ndim)
    check(size >= 0, "split expects split_size be non-negative, but got split_size={}", size)
    check(size, "split_size can only be 0 if dimension size is 0")
    return tuple(np.split(input, range(size, input.shape[dim], size), dim))


@operation(
    node="SplitWithSizesBackward0",
    input=lambda ops, g, dim: ops.cat(g, dim),
    results=None,
    view=True,
)
def split_with_sizes(input, sizes, dim=0):
    """Pieces of as many entries along `dim` as `sizes` says, as a tuple."""
    normal_dims((dim,), input.ndim)
    words = "split_with_sizes expects split_sizes have only non-negative entries"
    check(min(sizes, default=0) >= 0, words)
    words = "split_with_sizes expects split_sizes to sum exactly to {}, but got {}"
    check(sum(sizes) == input.shape[dim], words, input.shape[dim], list(sizes))
    return tuple(np.split(input, np.cumsum(sizes)[:-1], dim))


@public("T", "Tensor", example="T.unbind(a)", a=(3, 2))
@operation(input=lambda ops, g, dim: ops.stack(g, dim), results=None, view=True)
def unbind(input, dim=0):
    """The slices along `dim`, as a tuple."""
    check(input.ndim, "Dimension specified as 0 but tensor has no dimensions", error=IndexError)
    dim = dimension(dim)
    return tuple(np.moveaxis(input, dim, 0)[i, ...] for i in range(input.shape[dim]))


@public("T", "Tensor", example="T.chunk(a, 2)", a=(5, 2))
def chunk(input, chunks, dim=0):
    """At most `chunks` pieces along `dim`: all of one size, the last one perhaps smaller."""
    check_tensors("chunk", input=input)
    chunks = dimension(chunks, "chunks")
    check(chunks > 0, "chunk expects `chunks` to be greater than 0, got: {}", chunks)
    size = input.size(dim)
    if not size:
        return split_with_sizes(input, [0] * chunks, dim)
    return split_evenly(input, -(-size // chunks), dim)


# ---- repeated, turned, cut -----------------------------------------------------------------------


@formula("sum_dim(copies(g), 0)")
def _sum_repeats(ops, g, input_shape, repeats):
    full = (1,) * (len(repeats) - len(input_shape)) + tuple(input_shape)
    apart = ops.reshape(g, tuple(n for pair in zip(repeats, full) for n in pair))
    dims = tuple(range(0, 2 * len(repeats), 2))
    return ops.reshape(ops.sum_dim(apart, dims, False), input_shape) if repeats else g


@operation(node="RepeatBackward0", input=_sum_repeats)
def tile(input, repeats):
    """The tensor `repeats` times side by side, once for each dimension; new dimensions come first."""
    words = "Number of dimensions of repeat dims can not be smaller than number of dimensions of"
    check(len(repeats) >= input.ndim, words + " tensor")
    check(min(repeats, default=0) >= 0, "Trying to create tensor with negative dimension")
    return np.tile(input, repeats)


@public("Tensor", example="a.repeat(2, 3)", a=(2, 2))
def repeat(input, *sizes, repeats=()):
    """The tensor as often as `sizes`, or one tuple `repeats`, says along each dimension. A copy."""
    return tile(input, sizes_of("repeat", sizes or repeats, "repeats"))


@operation(node="FlipBackward0", input=lambda ops, g, dims: ops.flip_dims(g, dims))
def flip_dims(input, dims):
    """The entries along each of `dims` in the opposite order."""
    return np.array(np.flip(input, normal_dims(dims, input.ndim) if dims else ()))


@public("Tensor", example="T.flip(a, (0,))", a=(2, 3))
def flip(input, *each, dims=()):
    """The entries along `each` dimension, or those of one tuple, in the opposite order. A copy."""
    return flip_dims(input, sizes_of("flip", each or dims, "dims"))


@operation(
    node="RollBackward0",
    input=lambda ops, g, shifts, dims: ops.roll_dims(g, tuple(-n for n in shifts), dims),
)
def roll_dims(input, shifts, dims):
    """The entries moved on by `shifts` along `dims`; without `dims`, all elements in a row."""
    words = "shifts and dimensions must align. shifts: {}, dims:{}"
    check(len(shifts) == (len(dims) or 1), words, len(shifts), len(dims))
    return np.roll(np.asarray(input, order="C"), shifts if dims else shifts[0], dims or None)


@public("T", "Tensor", example="T.roll(a, 1, 0)", a=(3, 2))
def roll(input, shifts, dims=()):
    """The entries moved on by `shifts` along `dims`; what falls out comes in at the other end."""
    shifts, dims = sizes_of("roll", (shifts,), "shifts"), sizes_of("roll", (dims,), "dims")
    return roll_dims(input, shifts, dims)


@public("T", "Tensor", "Tensor_", example="T.tril(a)", a=(3, 3))
@operation(input=lambda ops, g, diagonal: ops.tril(g, diagonal))
def tril(input, diagonal=0):
    """The lower triangle, up to the `diagonal`-th diagonal, and zeros above it."""
    check(input.ndim >= 2, "tril: input tensor must have at least 2 dimensions")
    return np.tril(input, dimension(diagonal))


@public("T", "Tensor", "Tensor_", example="T.triu(a)", a=(3, 3))
@operation(input=lambda ops, g, diagonal: ops.triu(g, diagonal))
def triu(input, diagonal=0):
    """The upper triangle, from the `diagonal`-th diagonal, and zeros below it."""
    check(input.ndim >= 2, "triu: input tensor must have at least 2 dimensions")
    return np.triu(input, dimension(diagonal))


@public("Tensor", example="a.expand_as(b)", a=(3,), b=(2, 3))
def expand_as(input, other):
    """As `expand`, in the shape of `other`."""
    check_tensors("expand_as", input=input, other=other)
    return expand(input, other.shape)


@public("Tensor", example="a.view_as(b)", a=(2, 3), b=(6,))
def view_as(input, other):
    """As `view`, in the shape of `other`."""
    check_tensors("view_as", input=input, other=other)
    return view(input, other.shape)


@public("T", example="T.meshgrid([a, b])", a=(3,), b=(2,))
def meshgrid(*tensors, indexing="ij"):
    """For vectors of n, m, … entries as many tensors (n, m, …), which vary along one dimension each.

    indexing  along which the first one does: "ij" the first, "xy" the second, as in pictures.
    """
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tensors[0]
    check_list("meshgrid", tensors)
    check(tensors, "meshgrid expects a non-empty TensorList")
    words = 'indexing must be one of "xy" or "ij", but received: {}'
    check(indexing in ("ij", "xy"), words, indexing)
    words = "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {}"
    for x in tensors:
        check(x.ndim < 2, words, list(x.shape))
        check(x.dtype is tensors[0].dtype, "torch.meshgrid expects all tensors to have one dtype")
    turned = indexing == "xy" and len(tensors) > 1
    ordered = [tensors[1], tensors[0], *tensors[2:]] if turned else tensors
    sizes, grids = tuple(x.numel() for x in ordered), []
    for i, x in enumerate(ordered):
        grids.append(expand(view(x, (*(1,) * i, -1, *(1,) * (len(sizes) - i - 1))), sizes))
    return (grids[1], grids[0], *grids[2:]) if turned else tuple(grids)

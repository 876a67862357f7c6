"""Operations that rearrange: the same numbers in another shape. Most are views, which share memory
with their input.

The rule of each is its own undoing: what was transposed is transposed back, what was stretched is
summed."""

from math import prod
from operator import index

import numpy as np

from ..core.checks import dimension
from ..core.graph import check
from ..core.operation import formula, operation
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


def _view(input, shape):
    shaped = np.reshape(input, full_shape(shape, input.size))
    check(
        not input.size or np.may_share_memory(shaped, input),
        "view size is not compatible with input tensor's size and stride (at least one dimension"
        " spans across two contiguous subspaces). Use .reshape(...) instead.",
    )
    return shaped


@operation(input=lambda ops, g, input_shape: ops.reshape(g, input_shape), view=True)
def view(input, shape):
    """The same memory in another shape. Raises RuntimeError where only a copy could have it."""
    return _view(input, shape)


@operation(
    node="UnsafeViewBackward0", input=lambda ops, g, input_shape: ops.reshape(g, input_shape)
)
def unsafe_view(input, shape):
    """A temporary in another shape, as inside `matmul`: nobody else holds its memory, so this
    counts as no view.
    """
    return _view(input, shape)


@operation(input=lambda ops, g, input_shape: ops.reshape(g, input_shape), view=True)
def reshape_alias(input, shape):
    """As `view`, of memory that is not in order."""
    return _view(input, shape)


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


@operation(input=lambda ops, g: ops.t(g), view=True)
def t(input):
    """A matrix on its side; a vector as it is."""
    check(input.ndim <= 2, "t() expects a tensor with <= 2 dimensions, but self is {}D", input.ndim)
    return input.T


@operation(input=lambda ops, g, dim0, dim1: ops.transpose(g, dim0, dim1), view=True)
def transpose(input, dim0, dim1):
    """Two dimensions exchanged."""
    if isinstance(dim0, bool) or isinstance(dim1, bool):
        dimension(True)  # which refuses it
    return np.swapaxes(input, dim0, dim1)


@formula("permute(g, inverse(dims))")
def permute_back(ops, g, dims):
    """What is in the order `dims` in its own order again."""
    dims = normal_dims(dims, len(dims))
    return ops.permute(g, tuple(dims.index(i) for i in range(len(dims))))


@operation(input=permute_back, view=True)
def permute(input, dims):
    """The dimensions in the order `dims`."""
    check(
        len(dims) == input.ndim,
        "permute(): number of dimensions in the tensor input does not match the length of "
        "the desired ordering of dimensions: {} is not equal to {}",
        input.ndim,
        len(dims),
    )
    return np.transpose(input, normal_dims(dims, input.ndim))


@operation(input=lambda ops, g, dim: ops.squeeze_dim(g, dim), view=True)
def unsqueeze(input, dim):
    """A dimension of size 1, put in at `dim`."""
    return np.expand_dims(input, dimension(dim))


@operation(
    node="SqueezeBackward0",
    input=lambda ops, g, input_shape: ops.reshape(g, input_shape),
    view=True,
)
def squeeze(input):
    """Without the dimensions of size 1."""
    return np.squeeze(input)


@operation(
    node="SqueezeBackward1",
    input=lambda ops, g, input_shape: ops.reshape(g, input_shape),
    view=True,
)
def squeeze_dim(input, dim):
    """Without dimension `dim`, if its size is 1."""
    return squeeze_dims.forward(input, (dim,))


@operation(
    node="SqueezeBackward2",
    input=lambda ops, g, input_shape: ops.reshape(g, input_shape),
    view=True,
)
def squeeze_dims(input, dim):
    """Without those of the dimensions `dim` whose size is 1."""
    dims = normal_dims(dim, input.ndim) if dim else ()
    return np.squeeze(input, tuple(d for d in dims if input.shape[d] == 1))


@operation(node="SqueezeBackward4", input=lambda ops, g, input_shape: ops.reshape(g, input_shape))
def squeeze_temporary(input, dim):
    """As `squeeze_dim`, in place: `squeeze_`. PyTorch squeezes the result of a vector times a
    matrix so, too.
    """
    return squeeze_dims.forward(input, (dim,))


def _sum_to(ops, g, shape):
    lead = len(g.shape) - len(shape)
    dims = (
        *range(lead),
        *(i + lead for i, n in enumerate(shape) if n == 1 and g.shape[i + lead] != 1),
    )
    return ops.reshape(ops.sum_dim(g, dims, True), shape) if dims else g


@operation(input=lambda ops, g, input_shape: _sum_to(ops, g, input_shape), view=True)
def expand(input, shape):
    """Dimensions of size 1 stretched to `shape`, without copying; -1 leaves a dimension as it is."""
    shape = tuple(shape)
    lead = len(shape) - input.ndim
    check(
        lead >= 0,
        "expand: the number of sizes provided ({}) must be greater or equal to the number of"
        " dimensions in the tensor ({})",
        len(shape),
        input.ndim,
    )
    check(
        -1 not in shape[:lead], "The size -1 isn't allowed in a leading, non-existing dimension 0"
    )
    full = (
        *shape[:lead],
        *(have if want == -1 else want for have, want in zip(input.shape, shape[lead:])),
    )
    for i, (have, want) in enumerate(zip(input.shape, full[lead:]), lead):
        check(
            have in (1, want),
            "The expanded size of the tensor ({}) must match the existing size ({}) at "
            "non-singleton dimension {}",
            want,
            have,
            i,
        )
    return np.broadcast_to(input, full)


def _order(input):
    """The memory order of a copy: the input's own, but row by row for what `expand` has stretched."""
    return (
        "C"
        if any(stride == 0 and size > 1 for stride, size in zip(input.strides, input.shape))
        else "K"
    )


def memory_order(array):
    """The dimensions of an array as they lie in memory: that of the largest steps first."""
    rows = _order(array) == "C"
    return (
        tuple(range(array.ndim))
        if rows
        else tuple(np.argsort([-step for step in array.strides], kind="stable").tolist())
    )


@operation(input=lambda g: g)
def clone(input, contiguous=False):
    """A copy in memory of its own, in the order of the input's memory, or row by row if
    `contiguous`.
    """
    return np.array(input, order="C" if contiguous else _order(input))


@operation(node="ToCopyBackward0", input=lambda g: g)
def to_type(input, dtype):
    """The same numbers in another NumPy type; the gradient goes back in the type that came."""
    return input.astype(dtype, order=_order(input))


# ---- several tensors in or out -------------------------------------------------------------------


@operation(tensors=lambda ops, g, dim: ops.unbind(g, dim), promotes=True)
def stack(tensors, dim=0):
    """Tensors of one shape, side by side along a new dimension `dim`."""
    check(tensors, "stack expects a non-empty TensorList")
    for i, array in enumerate(tensors):
        check(
            array.shape == tensors[0].shape,
            "stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry {}",
            list(tensors[0].shape),
            list(array.shape),
            i,
        )
    return np.asarray(np.stack(tensors, dimension(dim)), order="C")


@formula("split(g)")
def _cut(ops, g, tensors_shape, dim):
    pieces, start = [], 0
    for shape in tensors_shape:
        # an empty vector: nothing of it stands in the result
        if len(shape) < g.ndim:
            pieces.append(ops.slice_dim(ops.reshape(g, (-1,)), 0, 0, 0, 1))
            continue
        pieces.append(ops.slice_dim(g, dim % len(shape), start, start + shape[dim], 1))
        start += shape[dim]
    return pieces


@operation(tensors=_cut, promotes=True)
def cat(tensors, dim=0):
    """Tensors one after the other along `dim`; their other dimensions must agree."""
    check(tensors, "cat(): expected a non-empty list of Tensors", error=ValueError)
    ndim = tensors[0].ndim
    check(ndim, "zero-dimensional tensor (at position 0) cannot be concatenated")
    for i, array in enumerate(tensors):
        if array.ndim != ndim:
            # an empty vector fits to everything
            kept = [array for array in tensors if array.shape != (0,)]
            check(
                len(kept) < len(tensors),
                "Tensors must have same number of dimensions: got {} and {}",
                ndim,
                array.ndim,
            )
            return cat.forward(kept, dim)
        for d, (want, have) in enumerate(zip(tensors[0].shape, array.shape)):
            check(
                want == have or d == dim % ndim,
                "Sizes of tensors must match except in dimension {}. Expected size "
                "{} but got size {} for tensor number {} in the list.",
                dim,
                want,
                have,
                i,
            )
    return np.asarray(np.concatenate(tensors, dimension(dim)), order="C")


@operation(
    node="SplitBackward0", input=lambda ops, g, dim: ops.cat(g, dim), results=None, view=True
)
def split_evenly(input, size, dim=0):
    """Pieces of `size` entries along `dim`, the last one perhaps smaller, as a tuple."""
    normal_dims((dim,), input.ndim)
    check(size >= 0, "split expects split_size be non-negative, but got split_size={}", size)
    check(
        size, "split_size can only be 0 if dimension size is 0: give each piece one entry at least"
    )
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
    length = input.shape[dim]
    check(
        all(n >= 0 for n in sizes),
        "split_with_sizes expects split_sizes have only non-negative entries: {}",
        sizes,
    )
    check(
        sum(sizes) == length,
        "split_with_sizes expects split_sizes to sum exactly to {}, but got {}",
        length,
        sizes,
    )
    return tuple(np.split(input, np.cumsum(sizes)[:-1], dim))


@operation(input=lambda ops, g, dim: ops.stack(g, dim), results=None, view=True)
def unbind(input, dim=0):
    """The slices along `dim`, as a tuple."""
    check(input.ndim, "Dimension specified as 0 but tensor has no dimensions", error=IndexError)
    dim = dimension(dim)
    return tuple(np.moveaxis(input, dim, 0)[i, ...] for i in range(input.shape[dim]))

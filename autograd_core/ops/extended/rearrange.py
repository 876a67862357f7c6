"""Operations that repeat, turn and pick by position: `repeat`, `flip`, `roll`, triangles,
diagonals, views by other names.

Each is linear, and its rule is its transpose: what was repeated is summed, what was rolled is
rolled back."""

from math import prod

import numpy as np

from ...core.checks import check_tensors, dimension, sizes_of
from ...core.graph import check
from ...core.operation import formula, operation
from .. import shape
from ..reduction import normal_dims


@formula("sum(unfold(g, repeats))")
def _sum_repeats(ops, g, input_shape, repeats):
    full = (1,) * (len(repeats) - len(input_shape)) + tuple(input_shape)
    apart = ops.reshape(g, tuple(n for pair in zip(repeats, full) for n in pair))
    return (
        ops.reshape(ops.sum_dim(apart, tuple(range(0, 2 * len(repeats), 2)), False), input_shape)
        if repeats
        else g
    )


@operation(node="RepeatBackward0", input=_sum_repeats)
def tile(input, repeats):
    """The tensor `repeats` times side by side, once for each dimension; new dimensions come first."""
    check(
        len(repeats) >= input.ndim,
        "Number of dimensions of repeat dims can not be smaller than number of dimensions of"
        " tensor",
    )
    sizes = [
        n * times for n, times in zip((1,) * (len(repeats) - input.ndim) + input.shape, repeats)
    ]
    check(
        min(sizes, default=0) >= 0,
        "Trying to create tensor with negative dimension {}: {}",
        min(sizes, default=0),
        sizes,
    )
    return np.tile(input, repeats)


def repeat(input, *sizes, repeats=()):
    """The tensor as often as `sizes`, or one tuple `repeats`, says along each dimension. It copies;
    `expand` does not.
    """
    return tile(input, sizes_of("repeat", sizes or repeats, "repeats"))


@operation(node="FlipBackward0", input=lambda ops, g, dims: ops.flip_dims(g, dims))
def flip_dims(input, dims):
    """The entries along each of `dims` in the opposite order."""
    return np.array(np.flip(input, normal_dims(dims, input.ndim) if dims else ()))


def flip(input, *each, dims=()):
    """The entries along `each` dimension, or along those of one tuple `dims`, in the opposite
    order. It copies.
    """
    return flip_dims(input, sizes_of("flip", each or dims, "dims"))


@operation(
    node="RollBackward0",
    input=lambda ops, g, shifts, dims: ops.roll_dims(g, tuple(-n for n in shifts), dims),
)
def roll_dims(input, shifts, dims):
    """The entries moved on by `shifts` along `dims`; without `dims`, all elements in a row."""
    check(
        len(shifts) == len(dims) or len(shifts) == 1 > len(dims),
        "shifts and dimensions must align. shifts: {}, dims:{}",
        len(shifts),
        len(dims),
    )
    return np.roll(np.asarray(input, order="C"), shifts if dims else shifts[0], dims or None)


def roll(input, shifts, dims=()):
    """The entries moved on by `shifts` along `dims`, those that fall out coming in at the other
    end.
    """
    shifts, dims = sizes_of("roll", (shifts,), "shifts"), sizes_of("roll", (dims,), "dims")
    check(
        max(map(abs, shifts), default=0) < 2**63,
        "Overflow when unpacking long long",
        error=ValueError,
    )
    return roll_dims(input, shifts, dims)


@operation(input=lambda ops, g, diagonal: ops.tril(g, diagonal))
def tril(input, diagonal=0):
    """The lower triangle, up to the `diagonal`-th diagonal, and zeros above it."""
    check(input.ndim >= 2, "tril: input tensor must have at least 2 dimensions")
    return np.tril(input, dimension(diagonal))


@operation(input=lambda ops, g, diagonal: ops.triu(g, diagonal))
def triu(input, diagonal=0):
    """The upper triangle, from the `diagonal`-th diagonal, and zeros below it."""
    check(input.ndim >= 2, "triu: input tensor must have at least 2 dimensions")
    return np.triu(input, dimension(diagonal))


# ---- diagonals -----------------------------------------------------------------------------------


@formula("put(g, input_shape)")
def _put_diagonal(ops, g, input_shape, offset, dim1, dim2):
    """Zeros, with the gradient on the diagonal."""
    numbered = np.arange(np.prod(input_shape, dtype=int)).reshape(input_shape)
    places = np.diagonal(numbered, offset, dim1, dim2)
    return ops.reshape(ops.put(g, (numbered.size,), (places,)), input_shape)


@operation(input=_put_diagonal, view=True)
def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonal of each matrix in dimensions `dim1` and `dim2`, as the last dimension; `offset`
    to the right of it.
    """
    offset = dimension(offset)
    check(
        normal_dims((dim1,), input.ndim) != normal_dims((dim2,), input.ndim),
        "diagonal dimensions cannot be identical {}, {}",
        dim1,
        dim2,
    )
    seen = np.diagonal(input, offset, dim1, dim2)
    seen.flags.writeable = input.flags.writeable
    return seen


@operation(node="DiagonalBackward0_copy", input=_put_diagonal)
def diagonal_copy(input, offset=0, dim1=0, dim2=1):
    """As `diagonal`, in memory of its own."""
    return np.array(np.diagonal(input, offset, dim1, dim2))


@operation(input=lambda ops, g, offset, dim1, dim2: ops.diagonal(g, offset, dim1, dim2))
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Zeros with `input` on the diagonal of dimensions `dim1` and `dim2`: the transpose of
    `diagonal`.
    """
    size = input.shape[-1] + abs(offset)
    zeros = np.moveaxis(
        np.zeros((*input.shape[:-1], size, size), input.dtype), (-2, -1), (dim1, dim2)
    )
    out = np.array(zeros, order="C")
    diagonal.forward(out, offset, dim1, dim2)[...] = input
    return out


def diag(input, diagonal=0):
    """Of a matrix its diagonal, of a vector the matrix that has it as its diagonal."""
    check_tensors("diag", input=input)
    check(input.ndim in (1, 2), "diag(): Supports 1D or 2D tensors. Got {}D", input.ndim)
    return diag_embed(input, diagonal) if input.ndim == 1 else diagonal_copy(input, diagonal)


# ---- views by other names ------------------------------------------------------------------------


def unflatten(input, dim, sizes):
    """Dimension `dim` as several, of `sizes`; one may be -1."""
    check_tensors("unflatten", input=input)
    (dim,) = normal_dims((dim,), input.ndim)
    have, rest = input.shape[dim], -prod(sizes) if -1 in sizes else 0  # what the -1 leaves
    check(
        have % rest == 0 if rest else have == prod(sizes),
        "unflatten: Provided sizes {} don't multiply up to the size of dim {} ({})",
        list(sizes),
        dim,
        have,
    )
    return shape.view(input, (*input.shape[:dim], *sizes, *input.shape[dim + 1 :]))


def movedim(input, source, destination):
    """Dimensions `source` at the places `destination`, the others in their order."""
    check_tensors("movedim", input=input)
    check(
        isinstance(source, int) == isinstance(destination, int),
        "movedim() received an invalid combination of arguments: give two numbers or two tuples",
        error=TypeError,
    )
    sources, places = (
        normal_dims((d,) if isinstance(d, int) else d, input.ndim) for d in (source, destination)
    )
    check(
        len(sources) == len(places),
        "movedim: Invalid source or destination dims: {} and {}",
        sources,
        places,
    )
    order = [d for d in range(input.ndim) if d not in sources]
    for place, source in sorted(zip(places, sources)):
        order.insert(place, source)
    return shape.permute(input, tuple(order))


def chunk(input, chunks, dim=0):
    """As many pieces along `dim` as `chunks` says, or fewer: all of one size, the last one perhaps
    smaller.
    """
    check_tensors("chunk", input=input)
    chunks = dimension(chunks, "chunks")
    check(chunks > 0, "chunk expects `chunks` to be greater than 0, got: {}", chunks)
    size = input.size(dim)
    if not size:
        return shape.split_with_sizes(input, [0] * chunks, dim)
    return shape.split_evenly(input, -(-size // chunks), dim)


def _like(function):
    """The form of `function` that takes the sizes of another tensor."""

    def like(input, other):
        check_tensors(like.__name__, input=input, other=other)
        return function(input, other.shape)

    like.__name__ = like.__qualname__ = f"{function.__name__}_as"
    like.__doc__ = f"As `{function.__name__}`, in the shape of `other`."
    return like


expand_as, view_as, reshape_as = map(_like, (shape.expand, shape.view, shape.reshape))
swapaxes = swapdims = shape.transpose
moveaxis = movedim

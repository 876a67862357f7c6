"""Tensors put together and stretched: grids of coordinates, entries repeated one by one, rows and
columns side by side.
"""

import numpy as np

from ...core.checks import check_list, check_tensors
from ...core.graph import check
from ...core.operation import operation
from ...core.tensor import TensorBase, wrap
from ..gathering import index_select
from ..reduction import normal_dims
from ..shape import cat, clone, expand, reshape, unsqueeze, view


def meshgrid(*tensors, indexing="ij"):
    """For vectors of n, m, … entries as many tensors (n, m, …), which vary along one dimension
    each: all pairs.

    indexing  "ij": the first vector varies along the first dimension; "xy": along the second, as in
              pictures.
    """
    tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    check_list("meshgrid", tensors)
    check(tensors, "meshgrid expects a non-empty TensorList")
    check(
        indexing in ("ij", "xy"),
        'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {}',
        indexing,
    )
    for x in tensors:
        check(
            x.ndim <= 1,
            "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {}",
            list(x.shape),
        )
        check(
            x.dtype is tensors[0].dtype, "torch.meshgrid expects all tensors to have the same dtype"
        )
    turned = indexing == "xy" and len(tensors) > 1
    ordered = [tensors[1], tensors[0], *tensors[2:]] if turned else tensors
    sizes = tuple(x.numel() for x in ordered)
    grids = [
        expand(view(x, (*(1,) * i, -1, *(1,) * (len(sizes) - i - 1))), sizes)
        for i, x in enumerate(ordered)
    ]
    return (grids[1], grids[0], *grids[2:]) if turned else tuple(grids)


def repeat_interleave(input, repeats, dim=None, *, output_size=None):
    """Each entry along `dim` `repeats` times in a row; `repeats` is a number, or a tensor with one
    for each entry.

    Without `dim` the input counts as a vector. (`repeat` repeats the whole instead.)
    """
    check_tensors("repeat_interleave", input=input)
    if dim is None:
        input, dim = reshape(input, (-1,)), 0
    (dim,) = normal_dims((dim,), input.ndim)
    if isinstance(repeats, TensorBase):
        counts = repeats._array
        check(counts.dtype.kind == "i", "repeats has to be Long or Int tensor")
        check(counts.ndim <= 1, "repeats must be 0-dim or 1-dim tensor")
        check(
            counts.size in (1, input.shape[dim]),
            "repeats must have the same size as input along dim, but got "
            "repeats.size(0) = {} and input.size({}) = {}",
            counts.size,
            dim,
            input.shape[dim],
        )
        check((counts >= 0).all(), "repeats can not be negative")
        return index_select(input, dim, wrap(np.repeat(np.arange(input.shape[dim]), counts)))
    check(
        isinstance(repeats, int) and not isinstance(repeats, bool),
        "repeat_interleave(): argument 'repeats' (position 2) must be Tensor or int, not {}",
        type(repeats).__name__,
        error=TypeError,
    )
    check(repeats >= 0, "Repeats must be non-negative, but got {}", repeats)
    sizes = input.shape
    wide = expand(unsqueeze(input, dim + 1), (*sizes[: dim + 1], repeats, *sizes[dim + 1 :]))
    return view(clone(wide, True), (*sizes[:dim], sizes[dim] * repeats, *sizes[dim + 1 :]))


def atleast_1d(input):
    """A vector of a 0-d tensor; others as they are."""
    check_tensors("atleast_1d", input=input)
    return view(input, (1,)) if not input.ndim else input


def atleast_2d(input):
    """A matrix of one row of a vector or a 0-d tensor; others as they are."""
    check_tensors("atleast_2d", input=input)
    return (
        view(input, (1, 1)) if not input.ndim else unsqueeze(input, 0) if input.ndim == 1 else input
    )


def hstack(tensors):
    """Tensors side by side: along the second dimension, vectors along their only one."""
    check_list("hstack", tensors)
    check(tensors, "hstack expects a non-empty TensorList")
    tensors = [atleast_1d(x) for x in tensors]
    return cat(tensors, 0 if tensors[0].ndim == 1 else 1)


def vstack(tensors):
    """Tensors below each other, along the first dimension; vectors count as rows."""
    check_list("vstack", tensors)
    check(tensors, "vstack expects a non-empty TensorList")
    return cat([atleast_2d(x) for x in tensors], 0)


@operation(node="UnsafeSplitBackward0", input=lambda ops, g, dim: ops.cat(g, dim), results=None)
def unsafe_split(input, size, dim=0):
    """As `split`, of a temporary: nobody else holds its memory, so the pieces count as no views."""
    return tuple(np.split(input, range(size, input.shape[dim], size), dim))


def unsafe_chunk(input, chunks, dim=0):
    """`chunks` equal pieces of a temporary, as inside of recurrent layers."""
    return unsafe_split(input, input.shape[dim] // chunks, dim)

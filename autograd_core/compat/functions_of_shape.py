"""The operations on shapes as PyTorch's users call them: sizes one by one, or as a tuple."""

from ..core.checks import check_tensors, sizes_of
from ..core.graph import check
from ..core.public import public
from ..ops import reduction, shape
from ..ops.shape import reshape as reshape_to


@public("Tensor", example="a.view(3, 2)", a=(2, 3))
def view(input, *sizes, size=()):
    """The same memory in another shape; one size may be -1. Raises RuntimeError where only a copy
    could have it.
    """
    return shape.view(input, sizes_of("view", sizes or size))


@public("T", "Tensor", example="T.reshape(a, (6,))", a=(2, 3))
def reshape(input, *sizes, shape=()):
    """The same numbers in another shape: a view where that is possible, else a copy."""
    return reshape_to(input, sizes_of("reshape", sizes or shape))


@public("T", "Tensor", example="T.flatten(a, 1)", a=(2, 3, 2))
def flatten(input, start_dim=0, end_dim=-1):
    """Dimensions `start_dim` to `end_dim` as one."""
    check_tensors("flatten", input=input)
    sizes = input.shape or (1,)
    start, end = (reduction.normal_dims((d,), len(sizes))[0] for d in (start_dim, end_dim))
    check(start <= end, "flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end and input.ndim:
        return input
    return reshape(input, *sizes[:start], -1, *sizes[end + 1 :])


@public("T", "Tensor", example="T.permute(a, (1, -1, 0))", a=(2, 3, 4))
def permute(input, *order, dims=()):
    """The dimensions in another order: `permute(2, 0, 1)`, or as one tuple `dims`."""
    return shape.permute(input, sizes_of("permute", order or dims))


@public("Tensor", example="a.expand(4, 3)", a=(1, 3))
def expand(input, *sizes, size=()):
    """Dimensions of size 1 stretched to `sizes`, without copying."""
    return shape.expand(input, sizes_of("expand", sizes or size))


@public("T", "Tensor", example="T.squeeze(a, 0)", a=(1, 3))
def squeeze(input, dim=None):
    """Without the dimensions of size 1, or without `dim`, if its size is 1."""
    return shape.squeeze(input) if dim is None else shape.squeeze_dim(input, dim)


@public("T", example="T.flip(a, (0,))", a=(2, 3))
def flip(input, dims):
    """The entries along each of `dims`, a tuple, in the opposite order. It copies."""
    if not isinstance(dims, (tuple, list)):
        kind = type(dims).__name__
        raise TypeError(f"flip(): argument 'dims' (position 2) must be tuple of ints, not {kind}")
    return shape.flip(input, dims)


@public("Tensor", example="a.t().contiguous()", a=(2, 3))
def contiguous(input):
    """The tensor itself if its memory is in order, else a copy that is."""
    check_tensors("contiguous", input=input)
    return input if input.is_contiguous() else shape.clone(input, True)


@public("T", "Tensor", example="T.split(a, 2)", a=(5, 2))
def split(input, split_size_or_sections, dim=0):
    """Pieces of `split_size_or_sections` entries along `dim`, or of as many as a list says."""
    if isinstance(split_size_or_sections, bool):
        raise TypeError("split(): argument 'split_size' (position 2) must be int, not bool")
    if isinstance(split_size_or_sections, int):
        return shape.split_evenly(input, split_size_or_sections, dim)
    return shape.split_with_sizes(input, tuple(split_size_or_sections), dim)

"""Convolution: a small weight slides over the input, and gives one number for each output channel at
each position.

    input (N, C, *size)   weight (O, C / groups, *kernel)   result (N, O, *places)

Convolution is linear in the input and in the weight, so it has two transposes. The backward rules of
these three operations use each other: `convolution`, the same with `transposed`, which adds each
number times the weight to its window, and `convolution_weight`, the gradient of the weight.
Sliding is computed as one matrix product, for which each window of the input is copied to a column.
"""

import math

import numpy as np

from ..core.graph import check
from ..core.operation import operation
from ..core.public import public
from .shape import squeeze_dim, unsqueeze
from .windows import bordered, two, windows

# bytes of columns at a time: up to 1.5 times faster than one product of all columns
CACHE = 2**21


def _by_group(array, groups):
    """Reshape an array (N, C, *places) to (N, groups, C / groups, places)."""
    return array.reshape(len(array), groups, array.shape[1] // groups, math.prod(array.shape[2:]))


def _columns(image, kernel, places, stride, border, dilation, groups):
    """Yield pairs: a slice of n images, and their windows as columns (n, groups, entries, places)."""
    padded = bordered(image, border) if np.any(border) else image
    seen = windows(padded, kernel, places, stride, dilation)
    shape = groups, image.shape[1] // groups * math.prod(kernel), math.prod(places)
    if seen.flags.c_contiguous:  # 1×1: the image is its columns
        yield slice(None), seen.reshape(len(image), *shape)
        return
    at_once = min(len(image), max(1, CACHE // (math.prod(shape) * image.itemsize)))
    made = np.empty((at_once, *seen.shape[1:]), image.dtype)
    for first in range(0, len(image), at_once):
        some = seen[first : first + at_once]
        made[: len(some)] = some
        yield slice(first, first + len(some)), made[: len(some)].reshape(len(some), *shape)


def _slide(image, weight, size, stride, border, dilation, groups):
    """Slide a weight (O, C / groups, *kernel) over `size` positions of the zero-padded image."""
    result = np.empty((len(image), len(weight), *size), image.dtype)
    by_group, matrix = _by_group(result, groups), weight.reshape(groups, len(weight) // groups, -1)
    for some, columns in _columns(image, weight.shape[2:], size, stride, border, dilation, groups):
        np.matmul(matrix, columns, out=by_group[some])
    return result


def _spread(response, weight, size, stride, padding, dilation, groups):
    """The transpose of `_slide`: add each number of the response, times the weight, to its window."""
    count, each = len(response), weight.reshape(groups, len(weight) // groups, *weight.shape[1:])
    channels, kernel, places = groups * weight.shape[1], weight.shape[2:], response.shape[2:]
    padded = np.zeros(
        (count, channels, *(n + 2 * p for n, p in zip(size, padding))), response.dtype
    )
    seen, by_group = windows(padded, kernel, places, stride, dilation), _by_group(response, groups)
    for entry in np.ndindex(*kernel):
        share = each[:, :, :, *entry].swapaxes(1, 2) @ by_group
        seen[:, :, *entry] += share.reshape(count, channels, *places)
    return bordered(padded, [(-p, -p) for p in padding])


def _turned(weight, groups):
    """The weight (C, O / groups, *kernel), flipped, which slides over a response."""
    backwards = (slice(None, None, -1),) * (weight.ndim - 2)
    parts = weight.reshape(groups, len(weight) // groups, *weight.shape[1:]).swapaxes(1, 2)[
        :, :, :, *backwards
    ]
    return parts.reshape(groups * parts.shape[1], *parts.shape[2:])


@operation(
    input=lambda ops, g, weight, input_shape, stride, padding, dilation, groups, transposed: (
        ops.convolution(
            g, weight, None, input_shape[2:], stride, padding, dilation, groups, not transposed
        )
    ),
    weight=lambda ops, g, input, weight_shape, stride, padding, dilation, groups, transposed: (
        ops.convolution_weight(
            *((g, input) if transposed else (input, g)),
            weight_shape,
            stride,
            padding,
            dilation,
            groups,
        )
    ),
    bias=lambda ops, g: ops.sum_dim(g, (0, *range(2, g.ndim))),
    optional=("bias",),
)
def convolution(input, weight, bias, size, stride, padding, dilation, groups, transposed=False):
    """Slide `weight` over `size` positions. If transposed, map (N, O, *places) to (N, C, *size)."""
    if not transposed:
        result = _slide(input, weight, size, stride, [(p, p) for p in padding], dilation, groups)
    elif max(stride) > 1:
        result = _spread(input, weight, size, stride, padding, dilation, groups)
    else:  # nearly twice as fast as `_spread`
        reach = [d * (k - 1) for k, d in zip(weight.shape[2:], dilation)]
        border = [(r - p, m + p - n) for m, n, r, p in zip(size, input.shape[2:], reach, padding)]
        result = _slide(input, _turned(weight, groups), size, stride, border, dilation, groups)
    if bias is not None:
        result += bias.reshape(-1, *(1,) * len(size))
    return result


@operation(
    image=lambda ops, g, response, image_shape, stride, padding, dilation, groups: ops.convolution(
        response, g, None, image_shape[2:], stride, padding, dilation, groups, True
    ),
    response=lambda ops, g, image, response_shape, stride, padding, dilation, groups: (
        ops.convolution(
            image, g, None, response_shape[2:], stride, padding, dilation, groups, False
        )
    ),
)
def convolution_weight(image, response, shape, stride, padding, dilation, groups):
    """For each entry of a weight, the sum over all positions of image number times response."""
    border, places = [(p, p) for p in padding], response.shape[2:]
    by_group, result = _by_group(response, groups), np.zeros(shape, image.dtype)
    for some, columns in _columns(image, shape[2:], places, stride, border, dilation, groups):
        result += np.sum(by_group[some] @ columns.swapaxes(2, 3), axis=0).reshape(shape)
    return result


# ---- PyTorch's function --------------------------------------------------------------------------


@public("F", example="F.conv2d(a, w)", a=(3, 5, 5), w=(2, 3, 3, 3))
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Slide a weight (O, C / groups, kH, kW) over an input (N, C, H, W) or (C, H, W).

    padding   the number of zeros around the input.
    dilation  the distance between the weight's entries on the input.
    Raises RuntimeError if channels or sizes don't fit.
    """
    stride, padding, dilation = two(stride), two(padding), two(dilation)
    batch = input if input.ndim == 4 else unsqueeze(input, 0)
    channels = weight.shape[1] * groups
    if batch.shape[1] != channels:
        has = f"to have {channels} channels, but got {batch.shape[1]} channels instead"
        raise RuntimeError(f"Given weight of size {list(weight.shape)}, expected input {has}")
    made = len(weight)
    check(not made % groups, "the output channels must be divisible by groups")
    check(bias is None or bias.shape == (made,), "the bias must have {} entries", made)
    sides = zip(batch.shape[2:], weight.shape[2:], stride, padding, dilation)
    size = tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in sides)
    check(min(size) >= 1, "the image is smaller than the kernel")
    result = convolution(batch, weight, bias, size, stride, padding, dilation, groups)
    return result if batch.ndim == input.ndim else squeeze_dim(result, 0)

"""Pooling reduces each window of an image to one number, its maximum or its mean.

A mean is a convolution with a constant weight, and its gradient is the transposed convolution.
"""

import math

import numpy as np

from ..core.graph import check
from ..core.operation import formula, operation
from ..core.public import public
from .convolution import convolution
from .reduction import mean_dim
from .windows import bordered, two, windows


def _geometry(input, kernel_size, stride, padding):
    """(kernel size, number of windows, stride, padding), each for height and width."""
    check(input.ndim in (3, 4), "pooling needs (N, C, H, W) or (C, H, W), not {}", input.shape)
    kernel, padding = two(kernel_size), two(padding)
    stride = kernel if stride is None else two(stride)
    fits = all(2 * p <= k for p, k in zip(padding, kernel))
    check(fits, "padding is at most half of the kernel size")
    sides = zip(input.shape[-2:], kernel, stride, padding)
    places = [(n + 2 * p - k) // s + 1 for n, k, s, p in sides]
    check(min(places) >= 1, "the image is smaller than the kernel")
    return kernel, places, stride, padding


@formula("put(g, result1)")
def _to_chosen(ops, g, input, result1):
    """The gradients at the selected elements, summed if windows overlap."""
    shape = input.shape
    planes = np.arange(math.prod(shape[:-2])).reshape(*shape[:-2], 1, 1) * math.prod(shape[-2:])
    places = (np.asarray(result1) + planes).reshape(-1)
    return ops.reshape(ops.put(ops.reshape(g, (-1,)), (math.prod(shape),), (places,)), shape)


@operation(node="MaxPool2DWithIndicesBackward0", input=_to_chosen, results=2)
def max_pool2d_with_indices(input, kernel, places, stride, padding):
    """The greatest element of each window and its index: the first of equal ones; nan is greatest."""
    sizes = input.shape[-2:]
    borders = [(p, p) for p in padding]
    plane = np.arange(math.prod(sizes)).reshape(sizes)
    lowest = -np.inf if input.dtype.kind == "f" else np.iinfo(input.dtype).min
    entries, indices = (
        windows(bordered(array, borders, outside), kernel, places, stride, (1, 1))
        for array, outside in ((input, lowest), (plane, plane.size))
    )
    best = np.full((*input.shape[:-2], *places), lowest, input.dtype)
    # the first entry that isn't in the padding
    index = np.broadcast_to(indices.min((0, 1)), best.shape).copy()
    for at in np.ndindex(*kernel):
        entry = entries[(..., *at, slice(None), slice(None))]
        wins = (entry > best) | (entry != entry)
        np.copyto(best, entry, where=wins)
        np.copyto(index, indices[at], where=wins)
    return best, index


@public("F", example="F.max_pool2d(a, 2)", a=(1, 2, 4, 4))
def max_pool2d(input, kernel_size, stride=None, padding=0):
    """The greatest element of each window of (N, C, H, W) or (C, H, W). Only it gets a gradient."""
    return max_pool2d_with_indices(input, *_geometry(input, kernel_size, stride, padding))[0]


# ---- means ---------------------------------------------------------------------------------------


def _sums(array, kernel, places, stride, padding):
    """The sum of each window, computed as a convolution of each plane with ones."""
    ones, planes = np.ones((1, 1, *kernel), array.dtype), array.reshape(-1, 1, *array.shape[-2:])
    sums = convolution.forward(planes, ones, None, places, stride, padding, (1, 1), 1)
    return sums.reshape(*array.shape[:-2], *places)


@formula("to_windows(g, input, kernel, places, stride, padding, counts)")
def _to_windows(ops, g, input, kernel, places, stride, padding, counts):
    """Each element of a window gets the same gradient. Saves `input`, as PyTorch's nodes do."""
    ones, sizes = ops.zeros((1, 1, *kernel), np.float64) + 1, input.shape[-2:]
    planes = ops.reshape(g / counts, (-1, 1, *places))
    spread = ops.convolution(planes, ones, None, sizes, stride, padding, (1, 1), 1, True)
    return ops.reshape(spread, input.shape)


@operation(node="AvgPool2DBackward0", input=_to_windows)
def mean_of_windows(input, kernel, places, stride, padding, counts):
    """The sum of each window divided by `counts`, one number or one for each window."""
    return _sums(input, kernel, places, stride, padding) / counts


@operation(node="AdaptiveAvgPool2DBackward0", input=_to_windows)
def mean_of_parts(input, kernel, places, stride, padding, counts):
    """Like `mean_of_windows`, with PyTorch's name for the node of adaptive pooling."""
    return mean_of_windows.forward(input, kernel, places, stride, padding, counts)


@public("F", example="F.avg_pool2d(a, 2)", a=(2, 3, 4, 5))
def avg_pool2d(input, kernel_size, stride=None, padding=0, *, count_include_pad=True):
    """The mean of each window of (N, C, H, W). By default, zeros of the padding count."""
    geometry = _geometry(input, kernel_size, stride, padding)
    counts = math.prod(geometry[0])
    if not count_include_pad:
        counts = _sums(np.ones(input.shape[-2:], input._array.dtype), *geometry)
    return mean_of_windows(input, *geometry, counts)


@public("F", example="F.adaptive_avg_pool2d(a, 3)", a=(2, 2, 6, 3))
def adaptive_avg_pool2d(input, output_size):
    """The means of `output_size` windows of equal size. Raises NotImplementedError if the windows
    would have different sizes.
    """
    places, sizes = two(output_size), input.shape[-2:]
    if places == (1, 1):
        return mean_dim(input, (-2, -1), True)
    if any(size % count for size, count in zip(sizes, places)):
        raise NotImplementedError(f"an output size of {places} must divide the size {sizes}")
    kernel = tuple(size // count for size, count in zip(sizes, places))
    return mean_of_parts(input, kernel, places, kernel, (0, 0), math.prod(kernel))

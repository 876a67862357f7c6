"""Pooling: each window of an image becomes one number, its maximum or its mean.

A mean is a weighted sum of a few entries along each dimension. `Taps` says which entries. The
gradient uses the transpose, which is a `Taps` too.
"""

import math

import numpy as np

from ..core.graph import check
from ..core.operation import formula, operation
from ..core.public import public
from .reduction import mean_dim
from .windows import bordered, two, windows


def _geometry(input, kernel_size, stride, padding):
    """(kernel, how many windows, stride, padding), each for height and width."""
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
    """What arrived, at the places that were chosen, added where windows overlap."""
    shape = input.shape
    planes = np.arange(math.prod(shape[:-2])).reshape(*shape[:-2], 1, 1) * math.prod(shape[-2:])
    places = (np.asarray(result1) + planes).reshape(-1)
    return ops.reshape(ops.put(ops.reshape(g, (-1,)), (math.prod(shape),), (places,)), shape)


@operation(node="MaxPool2DWithIndicesBackward0", input=_to_chosen, results=2)
def max_pool2d_with_indices(input, kernel, places, stride, padding):
    """The greatest entry of each window, the first of equals, nan before all; and its place."""
    sizes = input.shape[-2:]
    borders = [(p, p) for p in padding]
    plane = np.arange(math.prod(sizes)).reshape(sizes)
    lowest = -np.inf if input.dtype.kind == "f" else np.iinfo(input.dtype).min
    entries, indices = (
        windows(bordered(array, borders, outside), kernel, places, stride, (1, 1))
        for array, outside in ((input, lowest), (plane, plane.size))
    )
    best = np.full((*input.shape[:-2], *places), lowest, input.dtype)
    # the first entry that is inside
    index = np.broadcast_to(indices.min((0, 1)), best.shape).copy()
    for at in np.ndindex(*kernel):
        entry = entries[(..., *at, slice(None), slice(None))]
        wins = (entry > best) | (entry != entry)
        np.copyto(best, entry, where=wins)
        np.copyto(index, indices[at], where=wins)
    return best, index


@public("F", example="F.max_pool2d(a, 2)", a=(1, 2, 4, 4))
def max_pool2d(input, kernel_size, stride=None, padding=0):
    """The greatest entry of each window of (N, C, H, W) or (C, H, W). It gets the gradient."""
    return max_pool2d_with_indices(input, *_geometry(input, kernel_size, stride, padding))[0]


# ---- means ---------------------------------------------------------------------------------------


def _run(indices):
    """Indices as a slice, where they rise in equal steps: a view is quicker than a copy."""
    step = indices[-1] - indices[-2] if len(indices) > 1 else 1
    even = step > 0 and (np.diff(indices) == step).all()
    return slice(indices[0], indices[-1] + 1, step) if even else indices


class Taps:
    """A map along one dimension: `result[row] = sum of weight * input[column]` over (row, column,
    weight), three arrays that stretch to one shape; a column outside of the input is left out.
    """

    def __init__(self, rows, columns, weights, results, entries):
        rows, columns, weights = np.broadcast_arrays(rows, columns, weights)
        there = (columns >= 0) & (columns < entries)
        order = np.argsort(rows[there], kind="stable")
        self.rows, self.columns, self.weights = (
            part[there][order] for part in (rows, columns, weights)
        )
        self.results, self.entries = results, entries
        # how many come before in its row
        self.rank = np.arange(len(order)) - np.searchsorted(self.rows, self.rows)

    def transposed(self):
        return Taps(self.columns, self.rows, self.weights, self.entries, self.results)

    def along(self, dim, array):
        """The map applied along `dim`: as many vector sums as the fullest row has entries."""
        result = np.zeros((*array.shape[:dim], self.results, *array.shape[dim + 1 :]), array.dtype)
        before, after = (slice(None),) * dim, (1,) * (array.ndim - dim - 1)
        for rank in range(self.rank.max(initial=-1) + 1):
            chosen = self.rank == rank
            columns, weights = _run(self.columns[chosen]), self.weights[chosen].astype(array.dtype)
            part = array[(*before, columns)]
            part = part if (weights == 1).all() else part * weights.reshape(-1, *after)
            result[(*before, _run(self.rows[chosen]))] += part
        return result


@operation(input=lambda ops, g, maps: ops.resample(g, [taps.transposed() for taps in maps]))
def resample(input, maps):
    """A map for each of the last dimensions, one after the other, the last one first."""
    for dim, taps in reversed(list(enumerate(maps, input.ndim - len(maps)))):
        input = taps.along(dim, input)
    return input


@formula("resample(g, [taps.transposed() for taps in maps])")
def _to_windows(ops, g, input, maps):
    """The gradient of a mean of windows. It asks for `input` because PyTorch's nodes save it."""
    return ops.resample(g, [taps.transposed() for taps in maps])


@operation(node="AvgPool2DBackward0", input=_to_windows)
def _averaged(input, maps):
    return resample.forward(input, maps)


@operation(node="AdaptiveAvgPool2DBackward0", input=_to_windows)
def _averaged_adaptively(input, maps):
    return resample.forward(input, maps)


@public("F", example="F.avg_pool2d(a, 2)", a=(2, 3, 4, 5))
def avg_pool2d(input, kernel_size, stride=None, padding=0, *, count_include_pad=True):
    """The mean of each window of (N, C, H, W); zeros of the padding count unless told not to."""
    maps = []
    geometry = _geometry(input, kernel_size, stride, padding)
    for size, k, count, s, p in zip(input.shape[-2:], *geometry):
        first = np.arange(count) * s - p
        entries = k
        if not count_include_pad:
            entries = np.minimum(first + k, size) - np.maximum(first, 0)
        maps.append(Taps(np.arange(count), first + np.arange(k)[:, None], 1 / entries, count, size))
    return _averaged(input, maps)


@public("F", example="F.adaptive_avg_pool2d(a, 3)", a=(2, 2, 7, 5))
def adaptive_avg_pool2d(input, output_size):
    """Means of `output_size` windows (None: as many as the input has) of nearly equal size."""
    wanted = two(output_size)
    sizes = [n if s is None else s for n, s in zip(input.shape[-2:], wanted)]
    if sizes == [1, 1]:
        return mean_dim(input, (-2, -1), True)
    maps = []
    for n, count in zip(input.shape[-2:], sizes):
        rows = np.arange(count)
        first, last = rows * n // max(count, 1), -(-(rows + 1) * n // max(count, 1))
        columns = first + np.arange(n)[:, None]
        maps.append(Taps(rows, np.where(columns < last, columns, -1), 1 / (last - first), count, n))
    return _averaged_adaptively(input, maps)

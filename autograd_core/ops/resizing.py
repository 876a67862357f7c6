"""Resizing: each result is a weighted sum of a few entries along each dimension, as in pooling by
means: `Taps` says of which. Its transpose, which takes gradients back, is `Taps` again.
"""

import math

import numpy as np

from ..core.graph import check
from ..core.operation import formula, operation
from ..core.public import public
from .elementwise import refuse


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


@formula("resample(g, [taps.transposed() for taps in maps])")
def _back(ops, g, maps):
    return ops.resample(g, [taps.transposed() for taps in maps])


@formula("resample(g, [taps.transposed() for taps in maps])")
def keeps_input(ops, g, input, maps):
    """Of nodes that keep their input in PyTorch, though needlessly."""
    return _back(ops, g, maps)


@operation(input=_back)
def resample(input, maps):
    """A map for each of the last dimensions, one after the other, the last one first."""
    for dim, taps in reversed(list(enumerate(maps, input.ndim - len(maps)))):
        input = taps.along(dim, input)
    return input


def resampling(name, rule=_back):
    """The operation `resample` under PyTorch's name for a node: "UpsampleNearest2D"."""

    @operation(node=f"{name}Backward0", input=rule)
    def resampled(input, maps):
        return resample.forward(input, maps)

    return resampled


# ---- images --------------------------------------------------------------------------------------

_nearest_2d, _bilinear_2d = resampling("UpsampleNearest2D"), resampling("UpsampleBilinear2D")


def _nearest(entries, results, scale):
    """One tap for each result: the entry under its left edge."""
    columns = (np.arange(results) * np.float32(scale)).astype(int)
    return Taps(np.arange(results), np.minimum(columns, entries - 1), 1, results, entries)


def _linear(entries, results, scale, align_corners, dtype):
    """Two taps for each result, to both sides of it, reckoned in the input's type."""
    rows, half = np.arange(results, dtype=dtype), dtype.type(0.5)
    if align_corners:
        place = rows * (dtype.type(entries - 1) / max(results - 1, 1))
    else:
        place = np.maximum(dtype.type(scale) * (rows + half) - half, 0)
    left = np.minimum(place.astype(int), entries - 1)
    part = np.clip(place - left.astype(dtype), 0, 1)
    columns = [left, np.minimum(left + 1, entries - 1)]
    return Taps(np.arange(results), columns, [1 - part, part], results, entries)


@public("F", example="F.interpolate(a, scale_factor=1.5)", a=(1, 2, 2, 5))
def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """(N, C, H, W) resized to `size`, or by `scale_factor`. As `F.interpolate`.

    mode           "nearest" or "bilinear"; others raise NotImplementedError.
    align_corners  whether the outermost entries stay in the corners.
    """
    if mode == "nearest" and align_corners is not None:
        raise ValueError("align_corners option can only be set with the interpolating modes")
    if (size is None) == (scale_factor is None):
        which = "either" if size is None else "only one of"
        raise ValueError(f"{which} size or scale_factor should be defined")
    if mode not in ("nearest", "bilinear") or input.ndim != 4:
        known = "there is 'nearest' and 'bilinear' of 4D input"
        raise NotImplementedError(f"Got {input.ndim}D input in mode {mode!r}: {known}")
    wanted, sizes = scale_factor if size is None else size, input.shape[2:]
    wanted = tuple(wanted) if isinstance(wanted, (tuple, list)) else (wanted, wanted)
    if len(wanted) != 2:
        raise ValueError("Input and output must have the same number of spatial dimensions")
    results = [math.floor(n * w) for n, w in zip(sizes, wanted)] if size is None else list(wanted)
    check(min(*sizes, *results) >= 1, "Input and output sizes should be greater than 0")
    refuse("biu", input._array.dtype, "upsample")
    scales = [1 / w if size is None else n / m for n, m, w in zip(sizes, results, wanted)]
    sides = list(zip(sizes, results, scales))
    if mode == "nearest":
        return _nearest_2d(input, [_nearest(*side) for side in sides])
    dtype = input._array.dtype
    return _bilinear_2d(input, [_linear(*side, align_corners, dtype) for side in sides])

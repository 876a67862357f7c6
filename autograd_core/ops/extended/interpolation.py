"""Operations that resize signals, images and volumes: each result is a weighted sum of the entries
around its place.
"""

import math
import warnings

import numpy as np

from ...core.checks import check_flags
from ...core.graph import check
from ..shape import squeeze_dim, unsqueeze
from ..windows import refuse_integers
from .pooling import adaptive_avg_pool2d
from .resampling import Taps, resampling

_NODES = {  # by the mode and the number of dimensions of the input
    ("nearest", 3): resampling("UpsampleNearest1D"),
    ("nearest", 4): resampling("UpsampleNearest2D"),
    ("nearest", 5): resampling("UpsampleNearest3D"),
    ("nearest-exact", 3): resampling("UpsampleNearestExact1D"),
    ("nearest-exact", 4): resampling("UpsampleNearestExact2D"),
    ("nearest-exact", 5): resampling("UpsampleNearestExact3D"),
    ("linear", 3): resampling("UpsampleLinear1D"),
    ("bilinear", 4): resampling("UpsampleBilinear2D"),
    ("trilinear", 5): resampling("UpsampleTrilinear3D"),
    ("bicubic", 4): resampling("UpsampleBicubic2D"),
}
_SMOOTHED = {
    "bilinear": resampling("UpsampleBilinear2DAa"),
    "bicubic": resampling("UpsampleBicubic2DAa"),
}
_AREA_OF_VOLUME = resampling("AdaptiveAvgPool3D")


def _nearest(entries, results, scale, exact):
    """One tap for each result: the entry under its left edge, or if `exact` under its middle."""
    columns = ((np.arange(results) + np.float32(0.5 if exact else 0)) * np.float32(scale)).astype(
        int
    )
    return Taps(np.arange(results), np.minimum(columns, entries - 1), 1, results, entries)


def _places(entries, results, scale, align_corners, dtype):
    """Where among the entries each result lies. `dtype`, the input's, is that of all reckoning."""
    rows, half = np.arange(results, dtype=dtype), dtype.type(0.5)
    if align_corners:
        return rows * (dtype.type(entries - 1) / max(results - 1, 1))
    return dtype.type(scale) * (rows + half) - half


def _linear(entries, results, scale, align_corners, dtype):
    """Two taps for each result: the entries to both sides of it."""
    place = np.maximum(_places(entries, results, scale, align_corners, dtype), 0)
    left = np.minimum(place.astype(int), entries - 1)
    part = np.clip(place - left.astype(dtype), 0, 1)
    return Taps(
        np.arange(results),
        [left, np.minimum(left + 1, entries - 1)],
        [1 - part, part],
        results,
        entries,
    )


def _cubic(entries, results, scale, align_corners, dtype):
    """Four taps for each result, two to each side; beyond the border its own entry counts again."""
    place = _places(entries, results, scale, align_corners, dtype)
    left = np.floor(place).astype(int)
    around = np.arange(-1, 3)[:, None]
    weights = _cubic_weight(around - (place - left), -0.75)
    return Taps(
        np.arange(results), np.clip(left + around, 0, entries - 1), weights, results, entries
    )


def _cubic_weight(distance, a):
    """Keys' cubic convolution (1981) with slope `a` at distance 1; 0 from distance 2 on."""
    d = np.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    return np.where(
        d <= 1, near, np.where(d < 2, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a, 0)
    ).astype(d.dtype)


def _triangle(distance):
    return np.maximum(1 - np.abs(distance), 0)


def _filtered(mode, entries, results, scale, align_corners, dtype):
    """As many taps as the result covers entries, so that none is passed over (`antialias`); their
    weights add up to 1.
    """
    scale = (
        (entries - 1) / (results - 1)
        if align_corners and results > 1
        else 0
        if align_corners
        else scale
    )
    stretch = max(scale, 1)
    reach = (1 if mode == "bilinear" else 2) * stretch
    rows, columns, weights = [], [], []
    for row in range(results):
        middle = scale * (row + 0.5)
        first, last = max(int(middle - reach + 0.5), 0), min(int(middle + reach + 0.5), entries)
        distances = (np.arange(first, last) - middle + 0.5) / stretch
        part = _triangle(distances) if mode == "bilinear" else _cubic_weight(distances, -0.5)
        rows, columns = [*rows, *[row] * len(part)], [*columns, *range(first, last)]
        weights.extend(part / part.sum())
    return Taps(*map(np.array, (rows, columns)), np.array(weights).astype(dtype), results, entries)


def _areas(entries, results):
    """The mean of the entries that a result covers, wholly or in part."""
    starts = [row * entries // results for row in range(results)]
    ends = [-(-(row + 1) * entries // results) for row in range(results)]
    spans = [
        (row, column, 1 / (end - start))
        for row, (start, end) in enumerate(zip(starts, ends))
        for column in range(start, end)
    ]
    return Taps(*map(np.array, zip(*spans)), results, entries)


def _area(input, sizes):
    refuse_integers("adaptive_avg_pool", input)
    if input.ndim == 3:
        return squeeze_dim(adaptive_avg_pool2d(unsqueeze(input, -2), (1, *sizes)), -2)
    if input.ndim == 4:
        return adaptive_avg_pool2d(input, tuple(sizes))
    return _AREA_OF_VOLUME(input, [_areas(*along) for along in zip(input.shape[2:], sizes)])


def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    """(N, C, L), (N, C, H, W) or (N, C, D, H, W) resized to `size`, or by `scale_factor`.

    mode           "nearest", "nearest-exact", "area"; "linear" of L, "bilinear" and "bicubic" of H
                   and W, "trilinear".
    align_corners  whether the outermost entries stay in the corners; if not, entries are areas
                   rather than points.
    antialias      of "bilinear" and "bicubic": when an image becomes smaller, each result is a mean
                   of all it covers.
    """
    check_flags(
        "interpolate",
        align_corners=align_corners is not None and align_corners,
        antialias=antialias,
    )
    plain = mode in ("nearest", "nearest-exact", "area")
    check(
        not plain or align_corners is None,
        "align_corners option can only be set with the interpolating modes: linear "
        "| bilinear | bicubic | trilinear",
        error=ValueError,
    )
    check(
        (size is None) != (scale_factor is None),
        (
            "either size or scale_factor should be defined"
            if size is None
            else "only one of size or scale_factor should be defined"
        ),
        error=ValueError,
    )
    wanted, sizes = scale_factor if size is None else size, input.shape[2:]
    wanted = tuple(wanted) if isinstance(wanted, (tuple, list)) else (wanted,) * len(sizes)
    check(
        len(wanted) == len(sizes),
        "Input and output must have the same number of spatial dimensions, but got input with "
        "spatial dimensions of {} and output size or scale_factor of {}",
        list(sizes),
        wanted,
        error=ValueError,
    )
    check(
        not recompute_scale_factor or size is None,
        "recompute_scale_factor is not meaningful with an explicit size.",
        error=ValueError,
    )
    check(
        not antialias or mode in _SMOOTHED and input.ndim == 4,
        "Anti-alias option is restricted to bilinear and bicubic "
        "modes and requires a 4-D tensor as input",
        error=ValueError,
    )
    results = [math.floor(n * w) for n, w in zip(sizes, wanted)] if size is None else list(wanted)
    known = mode == "area" and input.ndim in (3, 4, 5) or (mode, input.ndim) in _NODES
    check(
        known,
        "Got {}D input, but {} mode needs another one: 3D is for nearest, area and linear, 4D for"
        " nearest, area, bilinear and bicubic, 5D for nearest, area and trilinear",
        input.ndim,
        mode,
        error=NotImplementedError,
    )
    check(
        min((*sizes, *results), default=1) >= 1,
        "Input and output sizes should be greater than 0, but got {}, {}",
        list(sizes),
        results,
    )
    if mode == "area":
        return _area(input, results)
    refuse_integers("upsample", input)
    given = size is None and not recompute_scale_factor
    scales = [1 / w if given else n / m for n, m, w in zip(sizes, results, wanted)]
    if antialias:
        return _SMOOTHED[mode](
            input,
            [
                _filtered(mode, *along, align_corners, input._array.dtype)
                for along in zip(sizes, results, scales)
            ],
        )
    if plain:
        maps = [_nearest(*along, mode == "nearest-exact") for along in zip(sizes, results, scales)]
    else:
        taps = _cubic if mode == "bicubic" else _linear
        maps = [
            taps(*along, align_corners, input._array.dtype) for along in zip(sizes, results, scales)
        ]
    return _NODES[mode, input.ndim](input, maps)


# ---- by their older names ------------------------------------------------------------------------


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """`interpolate`, by its older name."""
    warnings.warn(
        "`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    """`interpolate(mode="nearest")`, by its older name."""
    warnings.warn(
        "`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    """`interpolate(mode="bilinear", align_corners=True)`, by its older name."""
    warnings.warn(
        "`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, "bilinear", True)

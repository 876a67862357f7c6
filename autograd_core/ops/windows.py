"""Borders around images and sliding windows, for convolution and pooling."""

import numpy as np

from ..core.graph import check
from ..core.operation import operation
from ..core.public import public


def two(value):
    """`value`, one number or two, as a pair for height and width."""
    height, width = value if isinstance(value, (tuple, list)) else (value, value)
    return height, width


def bordered(array, pairs, value=0):
    """Pad the last dimensions with `value` by `pairs` of (before, after). Negative counts crop."""
    pairs = [(0, 0)] * (array.ndim - len(pairs)) + list(pairs)
    sizes = [n + sum(pair) for n, pair in zip(array.shape, pairs)]
    result = np.full(sizes, value, array.dtype)
    kept, inside = [], []
    for before, after in pairs:
        kept.append(slice(max(-before, 0), min(after, 0) or None))
        inside.append(slice(max(before, 0), min(-after, 0) or None))
    result[tuple(inside)] = array[tuple(kept)]
    return result


def windows(array, kernel, places, stride, dilation):
    """A view (…, *kernel, *places) of (…, *size): the number under each kernel entry at each place."""
    lead = array.ndim - len(kernel)
    check(min(*stride, *dilation) >= 1, "stride and dilation must be at least 1")
    sides = zip(kernel, places, stride, dilation, array.shape[lead:])
    inside = all((k - 1) * d + (m - 1) * s < n for k, m, s, d, n in sides)
    check(inside, "a window reaches outside of the image")  # the view would read any memory
    steps = array.strides[lead:]
    return np.lib.stride_tricks.as_strided(
        array,
        (*array.shape[:lead], *kernel, *places),
        (
            *array.strides[:lead],
            *(step * d for step, d in zip(steps, dilation)),
            *(step * s for step, s in zip(steps, stride)),
        ),
    )


@operation(input=lambda ops, g, pad: ops.constant_pad_nd(g, tuple(-n for n in pad), 0))
def constant_pad_nd(input, pad, value=0):
    """Pad with `value` by counts before and after, from the last dimension. Negative counts crop."""
    return bordered(input, list(zip(pad[-2::-2], pad[::-2])), value)


@public("F", example="F.pad(a, (1, 2))", a=(2, 3))
def pad(input, pad, mode="constant", value=None):
    """Pad `input` with `value`, by default 0. Modes except "constant" raise NotImplementedError.

    pad   pairs of counts before and after, starting at the last dimension. Negative counts crop.
    """
    if mode != "constant":
        raise NotImplementedError(f"autograd_core has pad in mode 'constant' alone, not {mode!r}")
    check(not len(pad) % 2, "Padding length must be divisible by 2")
    return constant_pad_nd(input, tuple(pad), 0.0 if value is None else float(value))

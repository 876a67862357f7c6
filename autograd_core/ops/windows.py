"""Borders around images, and windows that slide over them: what convolution and pooling share."""

import numpy as np

from ..core.graph import check
from ..core.operation import operation
from ..core.public import public


def two(value):
    """`value` for height and width: one number, or two."""
    height, width = value if isinstance(value, (tuple, list)) else (value, value)
    return height, width


def bordered(array, pairs, value=0):
    """`array` with `value` around its last dimensions: (before, after); negative ones cut off."""
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
    """A view (…, *kernel, *places) of (…, *size): what each entry of the kernel sees where."""
    lead = array.ndim - len(kernel)
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
    """`value` put around: counts before and after, from the last dimension; negative cut off."""
    return bordered(input, list(zip(pad[-2::-2], pad[::-2])), value)


@public("F", example="F.pad(a, (1, 2))", a=(2, 3))
def pad(input, pad, mode="constant", value=None):
    """A border of `value`, by default 0, around `input`. Other modes raise NotImplementedError.

    pad   counts before and after, pair by pair from the last dimension; negative ones cut off.
    """
    if mode != "constant":
        raise NotImplementedError(f"autograd_core has pad in mode 'constant' alone, not {mode!r}")
    check(not len(pad) % 2, "Padding length must be divisible by 2")
    return constant_pad_nd(input, tuple(pad), 0.0 if value is None else float(value))

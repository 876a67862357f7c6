"""Borders around images, and windows that slide over them: what convolution and pooling share, and
padding.
"""

import numpy as np

from ..core.graph import check
from ..core.operation import operation
from ..core.types import stored, type_name


def refuse_integers(kernel, input):
    """Raises NotImplementedError, in the words of PyTorch's `kernel`, unless the input is floating
    point.
    """
    check(
        input._array.dtype.kind == "f",
        "\"{}\" not implemented for '{}': use .float() first",
        kernel,
        type_name(input._array),
        error=NotImplementedError,
    )


def one_for_each(dims, **option):
    """One number for each of `dims` dimensions. Raises RuntimeError, with the option's name, for
    any other count.
    """
    ((name, value),) = option.items()
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    check(
        not {bool, np.bool_} & set(map(type, values)),
        "argument '{}' must be tuple of ints, not bool",
        name,
        error=TypeError,
    )
    values *= dims if len(values) == 1 else 1
    check(
        len(values) == dims,
        "{} must either be a single int, or a tuple of {} ints: expected {} to be a single "
        "integer value or a list of {} values, but got {}={}",
        name,
        dims,
        name,
        dims,
        name,
        list(values),
    )
    return values


def bordered(array, pairs, value=0):
    """`array` with entries of `value` around its last dimensions: (before, after) for each;
    negative ones cut off.
    """
    pairs = [(0, 0)] * (array.ndim - len(pairs)) + list(pairs)
    sizes = [n + sum(pair) for n, pair in zip(array.shape, pairs)]
    check(
        min(sizes, default=0) >= 0,
        "narrow(): length must be non-negative: {} would become {}",
        array.shape,
        sizes,
    )
    result = np.full(sizes, stored(value, array.dtype))
    kept = [
        slice(max(-before, 0), n - max(-after, 0)) for n, (before, after) in zip(array.shape, pairs)
    ]
    inside = [
        slice(max(before, 0), n - max(after, 0)) for n, (before, after) in zip(result.shape, pairs)
    ]
    result[(*inside,)] = array[(*kept,)]
    return result


def windows(array, kernel, places, stride, dilation):
    """A view (…, *kernel, *places) of an array (…, *size): at each entry of the kernel, what it
    sees in each place.
    """
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


# ---- padding -------------------------------------------------------------------------------------


@operation(input=lambda ops, g, pad: ops.constant_pad_nd(g, tuple(-n for n in pad), 0))
def constant_pad_nd(input, pad, value=0):
    """`value` put around: a count before and one after for each dimension, from the last; negative
    ones cut off.
    """
    return bordered(input, list(zip(pad[-2::-2], pad[::-2])), value)


def pad(input, pad, value=0):
    """`value` put around: a count before and one after for each dimension, from the last. Negative
    counts cut off.
    """
    check(
        isinstance(pad, (tuple, list)) and bool not in map(type, pad),
        "pad(): argument 'pad' (position 2) must be tuple of ints, not {}",
        pad,
        error=TypeError,
    )
    check(not len(pad) % 2, "Padding length must be divisible by 2")
    check(
        len(pad) <= 2 * input.ndim,
        "Padding length should be less than or equal to two times the input dimension "
        "but got padding length {} and input of dimension {}",
        len(pad),
        input.ndim,
    )
    check(
        isinstance(value, (int, float, np.generic)),
        "pad(): argument 'value' (position 4) must be float, not {}",
        type(value).__name__,
        error=TypeError,
    )
    return constant_pad_nd(input, tuple(pad), float(value))

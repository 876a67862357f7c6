"""What convolution, pooling and padding share: options for each dimension, borders, and windows that slide."""

import numpy as np

from .checks import refuse


def refuse_integers(kernel, input):
    """Raises NotImplementedError, in the words of PyTorch's `kernel`, unless the input is floating point."""
    refuse(not input.is_floating_point(), f'"{kernel}" not implemented for \'{input.dtype.short}\': use .float() first',
           NotImplementedError)


def one_for_each(dims, **option):
    """One number for each of `dims` dimensions. Raises RuntimeError, with the option's name, for any other count."""
    (name, value), = option.items()
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    values *= dims if len(values) == 1 else 1
    refuse(len(values) != dims, f"{name} must either be a single int, or a tuple of {dims} ints: expected {name} to "
           f"be a single integer value or a list of {dims} values, but got {name}={list(values)}")
    return values


def bordered(array, pairs, value=0):
    """`array` with entries of `value` around its last dimensions: (before, after) for each; negative ones cut off."""
    pairs = [(0, 0)] * (array.ndim - len(pairs)) + list(pairs)
    sizes = [n + sum(pair) for n, pair in zip(array.shape, pairs)]
    refuse(min(sizes, default=0) < 0, f"narrow(): length must be non-negative: {array.shape} would become {sizes}")
    result = np.full(sizes, value, array.dtype)
    kept = [slice(max(-before, 0), n - max(-after, 0)) for n, (before, after) in zip(array.shape, pairs)]
    inside = [slice(max(before, 0), n - max(after, 0)) for n, (before, after) in zip(result.shape, pairs)]
    result[(*inside,)] = array[(*kept,)]
    return result


def windows(array, kernel, places, stride, dilation):
    """A view (…, *kernel, *places) of an array (…, *size): at each entry of the kernel, what it sees in each place."""
    lead = array.ndim - len(kernel)
    steps = array.strides[lead:]
    return np.lib.stride_tricks.as_strided(array, (*array.shape[:lead], *kernel, *places), (
        *array.strides[:lead], *(step * d for step, d in zip(steps, dilation)),
        *(step * s for step, s in zip(steps, stride))))

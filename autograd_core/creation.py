"""New tensors: filled with one number, with a row of numbers, or with PyTorch's own random numbers."""

import numpy as np

from . import dtypes, random
from .graph import NO_EDGE
from .tensor import LEAF, Tensor, _check_can_require_grad, _check_device, tensor


def _new(array, requires_grad=False, device=None):
    _check_device(device)
    made = Tensor._make(array, NO_EDGE)
    if requires_grad:
        _check_can_require_grad(array)
        made._edge = LEAF
    return made


def _sizes(name, sizes):
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    for n in sizes:
        if not isinstance(n, (int, np.integer)):
            raise TypeError(f"{name}(): argument 'size' must be tuple of ints, not {type(n).__name__}")
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(sizes)}")
    return tuple(sizes)


def _type(dtype):
    return dtypes.to_numpy(dtype) or dtypes.get_default_dtype().numpy


def zeros(*size, dtype=None, device=None, requires_grad=False):
    """A tensor of this size, every element 0."""
    return _new(np.zeros(_sizes("zeros", size), _type(dtype)), requires_grad, device)


def ones(*size, dtype=None, device=None, requires_grad=False):
    """A tensor of this size, every element 1."""
    return _new(np.ones(_sizes("ones", size), _type(dtype)), requires_grad, device)


def empty(*size, dtype=None, device=None, requires_grad=False):
    """A tensor of this size with any numbers; here they are zeros."""
    return zeros(*size, dtype=dtype, device=device, requires_grad=requires_grad)


def full(size, fill_value, *, dtype=None, device=None, requires_grad=False):
    """A tensor of this size, every element `fill_value`."""
    kind = dtypes.to_numpy(dtype) or tensor(fill_value)._array.dtype
    return _new(np.full(_sizes("full", (size,)), fill_value, kind), requires_grad, device)


def eye(n, m=None, *, dtype=None, device=None, requires_grad=False):
    """The identity matrix (n, m)."""
    return _new(np.eye(n, m, dtype=_type(dtype)), requires_grad, device)


def arange(start, end=None, step=1, *, dtype=None, device=None, requires_grad=False):
    """`start`, `start + step`, … up to `end`, without it."""
    start, end = (0, start) if end is None else (start, end)
    whole = all(isinstance(x, (int, np.integer)) for x in (start, end, step))
    kind = dtypes.to_numpy(dtype) or (np.dtype(np.int64) if whole else dtypes.get_default_dtype().numpy)
    count = max(0, int(np.ceil((end - start) / step)))
    return _new((start + step * np.arange(count)).astype(kind), requires_grad, device)


def linspace(start, end, steps, *, dtype=None, device=None, requires_grad=False):
    """`steps` numbers from `start` to `end`, evenly spaced, both included."""
    return _new(np.linspace(start, end, steps).astype(_type(dtype)), requires_grad, device)


def rand(*size, dtype=None, device=None, requires_grad=False, generator=None):
    """Numbers from [0, 1), PyTorch's own for the same seed."""
    return _new((generator or random.default_generator).uniform(_sizes("rand", size), _type(dtype)), requires_grad, device)


def randn(*size, dtype=None, device=None, requires_grad=False, generator=None):
    """Numbers from the normal distribution with mean 0 and deviation 1, PyTorch's own for the same seed."""
    return _new((generator or random.default_generator).normal(_sizes("randn", size), _type(dtype)), requires_grad, device)


def randint(low, high=None, size=None, *, dtype=None, device=None, requires_grad=False, generator=None):
    """Integers from [low, high), PyTorch's own for the same seed: `randint(10, (3,))`, `randint(2, 10, (3,))`."""
    if size is None:
        low, high, size = 0, low, high
    drawn = (generator or random.default_generator).integers(low, high, _sizes("randint", (size,)),
                                                     dtypes.to_numpy(dtype) or np.dtype(np.int64))
    return _new(drawn, requires_grad, device)


def randperm(n, *, dtype=None, device=None, requires_grad=False, generator=None):
    """The integers from 0 to n - 1 in random order, PyTorch's own for the same seed."""
    drawn = (generator or random.default_generator).permutation(n)
    return _new(drawn.astype(dtypes.to_numpy(dtype) or np.int64), requires_grad, device)


def _like(function):
    def like(input, *, dtype=None, device=None, requires_grad=False):
        return function(*input.shape, dtype=dtype or input.dtype, device=device, requires_grad=requires_grad)
    like.__name__ = function.__name__ + "_like"
    like.__doc__ = f"As `{function.__name__}`, of the shape and type of `input`."
    return like


zeros_like, ones_like, empty_like, rand_like, randn_like = map(_like, (zeros, ones, empty, rand, randn))


def full_like(input, fill_value, *, dtype=None, device=None, requires_grad=False):
    """As `full`, of the shape and type of `input`."""
    return full(input.shape, fill_value, dtype=dtype or input.dtype, device=device, requires_grad=requires_grad)

"""New tensors: from Python's numbers and lists, filled with one number, or with PyTorch's own random numbers."""

import math
import warnings

import numpy as np

from . import dtypes, random
from .graph import LEAF, NO_EDGE
from .dtypes import Size, check_device, sizes_of
from .tensor import Tensor, check_can_require_grad


_LARGEST = 2 ** 44                  # elements in one tensor: no machine has memory for more


def tensor(data, *, dtype=None, device=None, requires_grad=False):
    """A new tensor with a copy of `data`: a number, nested lists of numbers, an array, or a tensor.

    dtype  by default float32 for Python floats, int64 for integers, bool for booleans; that of an array.
    Raises ValueError for lists of unequal length, TypeError or RuntimeError for what is not a number, RuntimeError
    for an integer tensor that requires a gradient. As `torch.tensor`.
    """
    check_device(device)
    if isinstance(data, Tensor):
        warnings.warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                      "sourceTensor.detach().clone().requires_grad_(True), rather than tensor(sourceTensor).",
                      UserWarning, stacklevel=2)
    return _new(_as_array(data, dtypes.to_numpy(dtype)), requires_grad)


def _as_array(data, dtype):
    if isinstance(data, Tensor):
        return np.array(data._array, dtype=dtype)
    if isinstance(data, (np.ndarray, np.generic)):
        dtypes.of_array(data)
        return np.array(data, dtype=dtype)
    data = _plain(data)
    _check_numbers(data)
    _check_rectangular(data, 0)
    array = np.array(data)
    if array.dtype.kind not in "biuf":
        raise ValueError("Overflow when unpacking long long: a whole number must fit into int64")
    if dtype is None:
        kinds = {"b": dtypes.bool.numpy, "i": dtypes.int64.numpy, "u": dtypes.int64.numpy}
        dtype = dtypes.get_default_dtype().numpy if not array.size else kinds.get(
            array.dtype.kind, dtypes.get_default_dtype().numpy)
    if dtype.kind in "iu" and array.size:
        limits = np.iinfo(dtype)
        if array.min() < limits.min or array.max() > limits.max:
            raise RuntimeError(f"value cannot be converted to type {dtype} without overflow")
    return array.astype(dtype)


def _plain(data):
    """Lists, tuples and what is in them, with tensors of one number as numbers."""
    if isinstance(data, (list, tuple, range)):
        return [_plain(x) for x in data]
    return data.tolist() if isinstance(data, (Tensor, np.ndarray, np.generic)) else data


def _check_numbers(data):
    if isinstance(data, list):
        for x in data:
            _check_numbers(x)
    elif isinstance(data, (str, bytes, complex)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}': a tensor holds numbers")
    elif not isinstance(data, (bool, int, float)):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}: give numbers, or lists of numbers")


def _check_rectangular(data, dim):
    if not isinstance(data, list):
        return
    lengths = [len(x) if isinstance(x, list) else -1 for x in data]
    for i, length in enumerate(lengths):
        if length != lengths[0]:
            if length < 0 or lengths[0] < 0:
                raise TypeError(f"not a sequence: entry {i} at dim {dim} must be "
                                + ("a list like the first" if length < 0 else "a number like the first"))
            raise ValueError(f"expected sequence of length {lengths[0]} at dim {dim + 1} (got {length})")
    for x in data:
        _check_rectangular(x, dim + 1)


def from_numpy(array):
    """A tensor on the same memory as `array`: changing one changes the other."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    dtypes.of_array(array)
    return Tensor._make(array, NO_EDGE)


def as_tensor(data, dtype=None, device=None):
    """`data` itself if it is a tensor of that type; on the same memory if an array; else a new tensor."""
    check_device(device)
    if isinstance(data, Tensor) and dtype in (None, data.dtype):
        return data
    if isinstance(data, np.ndarray) and dtypes.to_numpy(dtype) in (None, data.dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype)


def _new(array, requires_grad=False, device=None):
    check_device(device)
    made = Tensor._make(array, NO_EDGE)
    if requires_grad:
        check_can_require_grad(array)
        made._edge = LEAF
    return made


def _sizes(name, sizes):
    sizes = sizes_of(name, sizes)
    for n in sizes:
        if n < 0:
            raise RuntimeError(f"{name}: Dimension size must be non-negative. Trying to create tensor with negative "
                               f"dimension {n}: {list(sizes)}")
    if math.prod(sizes) > _LARGEST:
        raise RuntimeError(f"can't allocate memory for a tensor of sizes {list(sizes)}")
    return tuple(sizes)


def _check_size_tuple(name, size):
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"{name}(): argument 'size' must be tuple of ints, not {type(size).__name__}")


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
    _check_size_tuple("full", size)
    if not isinstance(fill_value, (int, float, np.number, np.bool_)):
        raise TypeError(f"full(): argument 'fill_value' (position 2) must be Number, not {type(fill_value).__name__}")
    kind = dtypes.to_numpy(dtype) or tensor(fill_value)._array.dtype
    return _new(np.full(_sizes("full", (size,)), fill_value, kind), requires_grad, device)


def eye(n, m=None, *, dtype=None, device=None, requires_grad=False):
    """The identity matrix (n, m)."""
    for name, count in (("n", n), ("m", m)):
        if count is not None and count < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {count}")
    return _new(np.eye(n, m, dtype=_type(dtype)), requires_grad, device)


def arange(start, end=None, step=1, *, dtype=None, device=None, requires_grad=False):
    """`start`, `start + step`, … up to `end`, without it."""
    start, end = (0, start) if end is None else (start, end)
    if not step:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    whole = all(isinstance(x, (int, np.integer)) for x in (start, end, step))
    kind = dtypes.to_numpy(dtype) or (np.dtype(np.int64) if whole else dtypes.get_default_dtype().numpy)
    count = max(0, int(np.ceil((end - start) / step)))
    return _new((start + step * np.arange(count)).astype(kind), requires_grad, device)


def linspace(start, end, steps, *, dtype=None, device=None, requires_grad=False):
    """`steps` numbers from `start` to `end`, evenly spaced, both included."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
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
    _check_size_tuple("randint", size)
    drawn = (generator or random.default_generator).integers(low, high, _sizes("randint", (size,)),
                                                     dtypes.to_numpy(dtype) or np.dtype(np.int64))
    return _new(drawn, requires_grad, device)


def randperm(n, *, dtype=None, device=None, requires_grad=False, generator=None):
    """The integers from 0 to n - 1 in random order, PyTorch's own for the same seed."""
    drawn = (generator or random.default_generator).permutation(n)
    return _new(drawn.astype(dtypes.to_numpy(dtype) or np.int64), requires_grad, device)


def normal(mean, std, size=None, *, dtype=None, device=None, requires_grad=False, generator=None):
    """Normal numbers of this mean and deviation: two numbers and a size; or one or two tensors, which give the shape."""
    if size is not None:
        drawn = (generator or random.default_generator).normal(_sizes("normal", (size,)), _type(dtype), mean, std)
        return _new(drawn, requires_grad, device)
    given = [x for x in (mean, std) if isinstance(x, Tensor)]
    if not given:
        raise TypeError("normal(): mean and std are numbers: give a size too, as in normal(0.0, 1.0, (2, 3))")
    if any(x.requires_grad for x in given):
        raise NotImplementedError("autograd_core draws without gradients: use mean.detach(), std.detach()")
    shape = np.broadcast_shapes(*(x.shape for x in given))
    mean, std = (x._array if isinstance(x, Tensor) else x for x in (mean, std))
    return _new((generator or random.default_generator).normal(shape, given[0].dtype.numpy) * std + mean)


def _check_like(name, input):
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}_like(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")


def _like(function):
    def like(input, *, dtype=None, device=None, requires_grad=False):
        _check_like(function.__name__, input)
        return function(input.shape, dtype=dtype or input.dtype, device=device, requires_grad=requires_grad)
    like.__name__ = function.__name__ + "_like"
    like.__doc__ = f"As `{function.__name__}`, of the shape and type of `input`."
    return like


zeros_like, ones_like, empty_like, rand_like, randn_like = map(_like, (zeros, ones, empty, rand, randn))


def full_like(input, fill_value, *, dtype=None, device=None, requires_grad=False):
    """As `full`, of the shape and type of `input`."""
    _check_like("full", input)
    return full(input.shape, fill_value, dtype=dtype or input.dtype, device=device, requires_grad=requires_grad)


def randint_like(input, low, high=None, *, dtype=None, device=None, requires_grad=False):
    """As `randint`, of the shape and type of `input`."""
    _check_like("randint", input)
    low, high = (0, low) if high is None else (low, high)
    return randint(low, high, input.shape, dtype=dtype or input.dtype, device=device, requires_grad=requires_grad)


def _of_own_type(function):
    def new(self, *args, dtype=None, **options):
        return function(*args, dtype=dtype or self.dtype, **options)
    new.__name__ = "new_" + function.__name__
    new.__doc__ = f"As `{function.__name__}`, by default of the type of this tensor."
    return new


for _function in (zeros, ones, empty, full, tensor):
    setattr(Tensor, "new_" + _function.__name__, _of_own_type(_function))


def _new_tensor_or_size(self, *args):
    """A tensor of this one's type: of a size, `x.new(2, 3)`, or with numbers, `x.new([1, 2])`."""
    if len(args) == 1 and isinstance(args[0], (list, tuple, np.ndarray)) and not isinstance(args[0], Size):
        return tensor(args[0], dtype=self.dtype)
    return zeros(*(args or (0,)), dtype=self.dtype)


Tensor.new = _new_tensor_or_size

"""New tensors: from Python's numbers and lists, filled with one number, or with PyTorch's own
random numbers.

All but `from_numpy` and `as_tensor` take `dtype`, `device` ("cpu") and `requires_grad` by name;
those that draw take a `generator` too, by default the one that `manual_seed` seeds.
"""

import functools
import math
import warnings

import numpy as np

from ..core.checks import check_flags, plain_number, sizes_of
from ..core.graph import LEAF, NO_EDGE, check
from ..core.recording import recording
from ..core.tensor import TensorBase, check_can_require_grad, wrap
from ..core.types import default_type, result_type, stored
from ..ops.shape import memory_order
from . import dtypes, random
from .dtypes import Size, check_device
from .nested import array_from

_LARGEST = 2**44  # elements in one tensor: no machine has memory for more


def _creates(make):
    """Decorator: a function that makes an array of the NumPy type `dtype`, None if not given, makes
    a tensor of it.
    """

    @functools.wraps(make)
    def create(*args, dtype=None, device=None, requires_grad=False, **options):
        check_device(device)
        if requires_grad is not False and requires_grad is not True:
            check_flags(make.__name__, requires_grad=requires_grad)
        array = make(*args, dtype=dtypes.to_numpy(dtype), **options)
        if requires_grad:
            check_can_require_grad(array)
        recording.publish("on_creation", make.__name__, array)
        return wrap(array, LEAF if requires_grad else NO_EDGE)

    return create


@_creates
def tensor(data, *, dtype):
    """A new tensor with a copy of `data`: a number, nested lists of numbers, an array, or a tensor.

    dtype  by default float32 for Python floats, int64 for integers, bool for booleans; that of
           arrays and tensors.
    Raises ValueError for lists of unequal length, TypeError or RuntimeError for what is not a
    number, RuntimeError for an integer tensor that requires a gradient. As `torch.tensor`.
    """
    if isinstance(data, TensorBase):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use"
            " sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True),"
            " rather than tensor(source).",
            stacklevel=3,
        )
        data = data._array
    if isinstance(data, np.ndarray):
        _check_array(data)
        return np.array(data, dtype=dtype)
    return array_from(data, dtype)


def array_of(function, data, dtype):
    """The numbers `data`, in nested lists or an array, for the constructor `Tensor`, which takes
    nothing else.
    """
    check(
        isinstance(data, (list, tuple, range, np.ndarray)),
        "{}(): data must be a sequence (got {}): use tensor() or empty()",
        function,
        type(data).__name__,
        error=TypeError,
    )
    return tensor(data, dtype=dtypes.of_type(dtype))._array


def _check_array(array):
    """Raises for an array that no tensor can stand on: of another type, or of which a stride is
    negative.
    """
    dtypes.of_array(array)
    check(
        min(array.strides, default=0) >= 0,
        "At least one stride in the given numpy array is negative, and tensors with negative"
        " strides are not currently supported. (You can probably work around this by making a copy"
        " of your array with array.copy().)",
        error=ValueError,
    )


def from_numpy(array):
    """A tensor on the same memory as `array`: changing one changes the other."""
    check(
        isinstance(array, np.ndarray),
        "expected np.ndarray (got {})",
        type(array).__name__,
        error=TypeError,
    )
    _check_array(array)
    recording.publish("on_creation", "from_numpy", array)
    return wrap(array)


def as_tensor(data, *, dtype=None, device=None):
    """`data` itself if it is a tensor of that type; on the same memory if an array; else a new
    tensor.
    """
    check_device(device)
    if isinstance(data, TensorBase) and dtype in (None, data.dtype):
        return data
    if isinstance(data, np.ndarray) and dtypes.to_numpy(dtype) in (None, data.dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype)


# ---- of one number -------------------------------------------------------------------------------


def _sizes(name, sizes):
    sizes = sizes_of(name, sizes)
    check(
        min(sizes, default=0) >= 0,
        "{}: Dimension size must be non-negative. Trying to create tensor with negative "
        "dimension {}: {}",
        name,
        min(sizes, default=0),
        list(sizes),
    )
    check(
        math.prod(sizes) <= _LARGEST, "can't allocate memory for a tensor of sizes {}", list(sizes)
    )
    return sizes


def _size_tuple(name, size):
    check(
        isinstance(size, (tuple, list)),
        "{}(): argument 'size' must be tuple of ints, not {}",
        name,
        type(size).__name__,
        error=TypeError,
    )
    return _sizes(name, (size,))


@_creates
def zeros(*sizes, size=(), dtype):
    """A tensor of this size, every element 0."""
    return np.zeros(_sizes("zeros", sizes or size), dtype or default_type())


@_creates
def ones(*sizes, size=(), dtype):
    """A tensor of this size, every element 1."""
    return np.ones(_sizes("ones", sizes or size), dtype or default_type())


@_creates
def empty(*sizes, size=(), dtype):
    """A tensor of this size with any numbers; here they are zeros."""
    return np.zeros(_sizes("empty", sizes or size), dtype or default_type())


@_creates
def full(size, fill_value, *, dtype):
    """A tensor of this size, every element `fill_value`."""
    check(
        isinstance(fill_value, (int, float, np.number, np.bool_)),
        "full(): argument 'fill_value' (position 2) must be Number, not {}",
        type(fill_value).__name__,
        error=TypeError,
    )
    dtype = dtype or result_type(plain_number(fill_value))
    return np.full(_size_tuple("full", size), stored(fill_value, dtype))


@_creates
def eye(n, m=None, *, dtype):
    """The identity matrix (n, m)."""
    check(n >= 0, "n must be greater or equal to 0, got {}", n)
    check(m is None or m >= 0, "m must be greater or equal to 0, got {}", m)
    return np.eye(n, m, dtype=dtype or default_type())


@_creates
def arange(start, end=None, step=1, *, dtype):
    """`start`, `start + step`, … up to `end`, without it."""
    start, end = (0, start) if end is None else (start, end)
    start, end, step = (x.item() if hasattr(x, "item") else x for x in (start, end, step))
    check(step, "step must be nonzero")
    check((end - start) * step >= 0, "upper bound and lower bound inconsistent with step sign")
    kind = dtype or (
        np.dtype(np.int64)
        if all(isinstance(x, int) for x in (start, end, step))
        else default_type()
    )
    check(kind.kind != "b", "\"arange_cpu\" not implemented for 'Bool'", error=NotImplementedError)
    if kind.kind in "iu":
        start, end, step = map(int, (start, end, step))
        check(step, "step must be nonzero")
    return (start + step * np.arange(math.ceil((end - start) / step))).astype(kind)


@_creates
def linspace(start, end, steps, *, dtype):
    """`steps` numbers from `start` to `end`, evenly spaced, both included."""
    start, end = (x.item() if hasattr(x, "item") else x for x in (start, end))
    dtype = np.dtype(dtype or default_type())
    for x in (start, end):
        check(
            isinstance(x, (int, float)),
            "linspace(): the bounds must be Numbers, not {}",
            type(x).__name__,
            error=TypeError,
        )
        # which refuses what is beyond the type
        stored(x, dtype)
    check(steps >= 0, "number of steps must be non-negative")
    if dtype.kind != "f" or steps < 2:
        return np.linspace(start, end, steps).astype(dtype)
    # from both ends towards the middle, as PyTorch
    places = np.arange(steps)
    start, end = dtype.type(start), dtype.type(end)
    step = float((end - start) / dtype.type(steps - 1))
    return np.where(
        places < steps // 2, start + step * places, end - step * (steps - 1 - places)
    ).astype(dtype)


# ---- of chance: PyTorch's own numbers for the same seed ------------------------------------------


@_creates
def rand(*sizes, size=(), dtype, generator=None):
    """Numbers from [0, 1)."""
    return (generator or random.default_generator).uniform(
        _sizes("rand", sizes or size), dtype or default_type()
    )


@_creates
def randn(*sizes, size=(), dtype, generator=None, _singly=False):
    """Numbers from the normal distribution with mean 0 and deviation 1."""
    sizes = _sizes("randn", sizes or size)
    return (generator or random.default_generator).normal(
        sizes, dtype or default_type(), singly=_singly
    )


@_creates
def normal(mean, std, size, *, dtype, generator=None):
    """Numbers from the normal distribution with this mean and deviation, two numbers."""
    sizes = _size_tuple("normal", size)
    return (generator or random.default_generator).normal(sizes, dtype or default_type(), mean, std)


@_creates
def randint(low, high=None, size=None, *, dtype, generator=None):
    """Integers from [low, high): `randint(10, (3,))`, `randint(2, 10, (3,))`."""
    if size is None:
        high, size = None, high
    low, high = (0, low) if high is None else (low, high)
    size = _size_tuple("randint", size)
    return (generator or random.default_generator).integers(
        low, high, size, dtype or np.dtype(np.int64)
    )


@_creates
def randperm(n, *, dtype, generator=None):
    """The integers from 0 to n - 1 in random order."""
    return (generator or random.default_generator).permutation(n).astype(dtype or np.int64)


# ---- like another tensor -------------------------------------------------------------------------


def _like(function):
    name = function.__name__ + "_like"

    def like(input, *args, dtype=None, **options):
        check(
            isinstance(input, TensorBase),
            "{}(): argument 'input' (position 1) must be Tensor, not {}",
            name,
            type(input).__name__,
            error=TypeError,
        )
        # it lies in memory as the input does, and is drawn so
        order = memory_order(input._array)
        size = tuple(input.shape[i] for i in order)
        if function is randn and order != tuple(range(input.ndim)):
            options["_singly"] = True
        made = function(
            *((*args, size) if function is randint else (size, *args)),
            dtype=dtype or input.dtype,
            **options,
        )
        made._array = made._array.transpose(np.argsort(order))
        return made

    like.__name__, like.__doc__ = (
        name,
        f"As `{function.__name__}`, of the shape and type of `input`.",
    )
    return like


zeros_like, ones_like, empty_like, full_like, rand_like, randn_like, randint_like = map(
    _like, (zeros, ones, empty, full, rand, randn, randint)
)


def _new(function):
    def new(self, *args, dtype=None, **options):
        return function(*args, dtype=dtype or self.dtype, **options)

    new.__doc__ = f"As `{function.__name__}`, by default of the type of this tensor."
    return new


new_zeros, new_ones, new_empty, new_full, new_tensor = map(_new, (zeros, ones, empty, full, tensor))


def _size_or_numbers(dtype, *args):
    """A tensor of this type: of a size, `FloatTensor(2, 3)`, or with numbers, `FloatTensor([1,
    2])`.
    """
    if (
        len(args) == 1
        and isinstance(args[0], (list, tuple, np.ndarray))
        and not isinstance(args[0], Size)
    ):
        return tensor(args[0], dtype=dtype)
    return zeros(*(args or (0,)), dtype=dtype)


def new(self, *args):
    """A tensor of this one's type: of a size, `x.new(2, 3)`, or with numbers, `x.new([1, 2])`."""
    return _size_or_numbers(self.dtype, *args)


FloatTensor, DoubleTensor, LongTensor, IntTensor, ByteTensor, BoolTensor = (
    functools.partial(_size_or_numbers, d)
    for d in (dtypes.float32, dtypes.float64, dtypes.int64, dtypes.int32, dtypes.uint8, dtypes.bool)
)

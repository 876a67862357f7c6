"""New tensors: from Python's numbers and lists, filled with one number, or with PyTorch's own random
numbers.

What all share: `dtype` (`float32`, `int64`, …; None: what the data asks for), `device`, which is
"cpu", `requires_grad`, which makes the tensor a leaf of the graph, and `generator`, by default the
one that `manual_seed` seeds.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.checks import check_flags, check_tensors, plain_number, sizes_of
from ..core.graph import LEAF, NO_EDGE, check
from ..core.public import public
from ..core.recording import recording
from ..core.tensor import TensorBase, check_can_require_grad, wrap
from ..core.types import default_type, result_type, stored
from ..ops.shape import memory_order
from . import dtypes, random
from .dtypes import check_device, to_numpy

if TYPE_CHECKING:
    from .tensor import Tensor

_LISTS = (list, tuple, range, np.ndarray)
_PLAIN = {bool, int, float}  # the types that numbers in a list mostly have


def _made(name: str, array, device, requires_grad) -> Any:
    """The tensor on `array`, which the function `name` returns."""
    check_device(device)
    check_flags(name, requires_grad=requires_grad)
    if requires_grad:
        check_can_require_grad(array)
    recording.publish("on_creation", name, array)
    return wrap(array, LEAF if requires_grad else NO_EDGE)


@public("T")
def tensor(data: Any, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A new tensor with a copy of `data`: a number, nested lists of numbers, an array, or a tensor.

    dtype  by default float32 for Python floats, int64 for integers, bool for booleans.
    Raises ValueError for lists of unequal length, TypeError or RuntimeError for what is no number,
    RuntimeError for integers that require a gradient.
    """
    kind = to_numpy(dtype)
    if isinstance(data, TensorBase):
        message = "To copy construct from a tensor, it is recommended to use x.detach().clone()"
        warnings.warn(f"{message}, rather than tensor(x).", stacklevel=2)
        data = data._array
    if isinstance(data, np.ndarray):
        _check_array(data)
        array = np.array(data, dtype=kind)
    else:
        array = array_from(data, kind)
    return _made("tensor", array, device, requires_grad)


def array_of(data):
    """The numbers of a list or an array; the constructor `Tensor` takes nothing else."""
    words = "new(): data must be a sequence (got {}): use tensor()"
    check(isinstance(data, _LISTS), words, type(data).__name__, error=TypeError)
    return tensor(data, dtype=dtypes.get_default_dtype())._array


def _check_array(array):
    """Raises for an array that no tensor can stand on."""
    dtypes.of_type(array.dtype)
    words = "At least one stride in the given numpy array is negative: copy() it"
    check(min(array.strides, default=0) >= 0, words, error=ValueError)


@public("T")
def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor on the same memory as `array`: changing one changes the other."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    _check_array(array)
    return _made("from_numpy", array, None, False)


@public("T")
def as_tensor(data: Any, dtype=None, device=None) -> Tensor:
    """`data` itself if it is such a tensor; an array's memory is shared; else a new tensor."""
    check_device(device)
    if isinstance(data, TensorBase) and dtype in (None, data.dtype):
        return data
    if isinstance(data, np.ndarray) and to_numpy(dtype) in (None, data.dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype)


def array_from(data: Any, dtype: np.dtype | None = None) -> np.ndarray:
    """`data` as an array: of the type `dtype`, or of the one in which its numbers meet.

    The first entries, and the first entries in those, give the shape. A tensor among them counts as
    one number or, where the shape asks for a list, as the list of its rows. Raises as `tensor`.
    """
    shape, entries = [], [data]
    while entries and isinstance(entries[0], _LISTS):
        rows = [x._array if isinstance(x, TensorBase) and x._array.ndim else x for x in entries]
        dim, size = len(shape), len(rows[0])
        for row in rows:
            words = "not a sequence: an entry at dim {} must be a list, as others"
            check(isinstance(row, _LISTS), words, dim, error=TypeError)
            words = "expected sequence of length {} at dim {} (got {})"
            check(len(row) == size, words, size, dim, len(row), error=ValueError)
        shape.append(size)
        entries = list(itertools.chain.from_iterable(rows))
    if shape and entries and isinstance(entries[0], str):
        raise ValueError("too many dimensions 'str': a tensor holds numbers")
    kinds = set(map(type, entries))
    if not kinds <= _PLAIN:
        pairs = [_number(x, dtype) for x in entries]
        entries, kinds = [x for x, _ in pairs], {kind for _, kind in pairs}
    types = [default_type() if kind is float else np.dtype(kind) for kind in kinds]
    common = result_type(*(np.zeros(1, t) for t in types or [default_type()]))
    return _stored(entries, dtype or common).reshape(shape)


def _number(x, dtype):
    """`x` as one of Python's numbers for the type `dtype`, and what kind it was."""
    name = type(x).__name__
    if isinstance(x, TensorBase):
        own = x._array.dtype
        return float(x) if (dtype or own).kind == "f" else operator.index(x), own
    if isinstance(x, np.generic):
        return x.item(), dtypes.of_type(x.dtype).numpy
    for kind in (bool, int, float):
        if isinstance(x, kind):
            return x, kind
    if isinstance(x, (str, bytes, complex)):
        raise TypeError(f"new(): invalid data type '{name}': a tensor holds numbers")
    if isinstance(x, _LISTS) or dtype:
        raise TypeError(f"must be real number, not {name}")
    raise RuntimeError(f"Could not infer dtype of {name}: give numbers, or lists of numbers")


def _stored(numbers, dtype):
    """The list `numbers` as an array. Raises RuntimeError for one beyond the type."""
    if dtype.kind in "fb":
        return np.array(numbers, np.float64 if dtype.kind == "f" else dtype).astype(dtype)
    array = np.array(numbers)
    if array.dtype.kind not in "bif":
        raise ValueError("Overflow when unpacking long long: a whole number must fit into int64")
    for extreme in (array.min(), array.max()) if array.size else ():
        stored(extreme.item(), dtype)
    return array.astype(dtype)


# ---- of one number -------------------------------------------------------------------------------


def _sizes(name, sizes, size):
    """The size given to the function `name`: by position, or as one tuple `size`."""
    if not isinstance(size, (tuple, list, type(None))):
        kind = type(size).__name__
        raise TypeError(f"{name}(): argument 'size' must be tuple of ints, not {kind}")
    sizes = sizes_of(name, sizes if size is None else (size,))
    least = min(sizes, default=0)
    message = "Dimension size must be non-negative. Trying to create tensor with negative dimension"
    check(least >= 0, "{}: {} {}: {}", name, message, least, list(sizes))
    check(math.prod(sizes) <= 2**44, "can't allocate memory for a tensor of {}", list(sizes))
    return sizes


def _type(dtype):
    return to_numpy(dtype) or default_type()


@public("T")
def zeros(*sizes, size=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of this size, `zeros(2, 3)` or `zeros((2, 3))`, every element 0."""
    array = np.zeros(_sizes("zeros", sizes, size), _type(dtype))
    return _made("zeros", array, device, requires_grad)


@public("T")
def ones(*sizes, size=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of this size, `ones(2, 3)` or `ones((2, 3))`, every element 1."""
    array = np.ones(_sizes("ones", sizes, size), _type(dtype))
    return _made("ones", array, device, requires_grad)


@public("T")
def empty(*sizes, size=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of this size with any numbers; here they are zeros."""
    array = np.zeros(_sizes("empty", sizes, size), _type(dtype))
    return _made("empty", array, device, requires_grad)


@public("T")
def full(size, fill_value, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of this size, every element `fill_value`."""
    array = _filled(_sizes("full", (), size), to_numpy(dtype), fill_value)
    return _made("full", array, device, requires_grad)


def _filled(size, dtype, value):
    if not isinstance(value, (int, float, np.number, np.bool_)):
        kind = type(value).__name__
        raise TypeError(f"full(): argument 'fill_value' (position 2) must be Number, not {kind}")
    return np.full(size, stored(value, dtype or result_type(plain_number(value))))


@public("T")
def eye(n: int, m=None, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """The identity matrix (n, m)."""
    for name, count in {"n": n, "m": n if m is None else m}.items():
        check(count >= 0, "{} must be greater or equal to 0, got {}", name, count)
    return _made("eye", np.eye(n, m, dtype=_type(dtype)), device, requires_grad)


@public("T")
def arange(
    start, end=None, step: float = 1, *, dtype=None, device=None, requires_grad=False
) -> Tensor:
    """`start`, `start + step`, … up to `end`, without it; with one number, from 0 up to that."""
    start, end = (0, start) if end is None else (start, end)
    start, end, step = (x.item() if hasattr(x, "item") else x for x in (start, end, step))
    whole = all(isinstance(x, int) for x in (start, end, step))
    kind = to_numpy(dtype) or (np.dtype(np.int64) if whole else default_type())
    if kind.kind in "iu":
        start, end, step = map(int, (start, end, step))
    check(kind.kind != "b", "\"arange_cpu\" not implemented for 'Bool'", error=NotImplementedError)
    check(step, "step must be nonzero")
    check((end - start) * step >= 0, "upper bound and lower bound inconsistent with step sign")
    array = (start + step * np.arange(math.ceil((end - start) / step))).astype(kind)
    return _made("arange", array, device, requires_grad)


@public("T")
def linspace(start, end, steps: int, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """`steps` numbers from `start` to `end`, evenly spaced, both included."""
    start, end = (x.item() if hasattr(x, "item") else x for x in (start, end))
    kind = _type(dtype)
    first, last = stored(start, kind), stored(end, kind)
    check(steps >= 0, "number of steps must be non-negative")
    array = np.linspace(start, end, steps).astype(kind)
    if kind.kind == "f" and steps > 1:  # from both ends towards the middle, as PyTorch
        places = np.arange(steps)
        step = float((last - first) / kind.type(steps - 1))
        ends = first + step * places, last - step * (steps - 1 - places)
        array = np.where(places < steps // 2, *ends).astype(kind)
    return _made("linspace", array, device, requires_grad)


# ---- drawn ---------------------------------------------------------------------------------------


@public("T")
def rand(*sizes, size=None, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Numbers from [0, 1)."""
    draw = (generator or random.default_generator).uniform
    return _made("rand", draw(_sizes("rand", sizes, size), _type(dtype)), device, requires_grad)


@public("T")
def randn(
    *sizes, size=None, generator=None, dtype=None, device=None, requires_grad=False
) -> Tensor:
    """Numbers from the normal distribution with mean 0 and deviation 1."""
    draw = (generator or random.default_generator).normal
    return _made("randn", draw(_sizes("randn", sizes, size), _type(dtype)), device, requires_grad)


@public("T")
def normal(
    mean, std, size, *, generator=None, dtype=None, device=None, requires_grad=False
) -> Tensor:
    """Numbers from the normal distribution with this mean and deviation, two numbers."""
    draw = (generator or random.default_generator).normal
    array = draw(_sizes("normal", (), size), _type(dtype), mean, std)
    return _made("normal", array, device, requires_grad)


@public("T")
def randint(
    low=0, high=None, size=None, *, generator=None, dtype=None, device=None, requires_grad=False
) -> Tensor:
    """Integers from [low, high): `randint(10, (3,))`, `randint(2, 10, (3,))`."""
    if size is None:
        high, size = None, high
    low, high = (0, low) if high is None else (low, high)
    draw = (generator or random.default_generator).integers
    array = draw(low, high, _sizes("randint", (), size), to_numpy(dtype) or np.int64)
    return _made("randint", array, device, requires_grad)


@public("T")
def randperm(n: int, *, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """The integers from 0 to n - 1 in random order."""
    array = (generator or random.default_generator).permutation(n)
    return _made("randperm", array.astype(to_numpy(dtype) or np.int64), device, requires_grad)


def _like(name, input, make, dtype, device, requires_grad):
    """What `make(size, type)` gives: it lies in memory as `input` does, and is drawn so."""
    check_tensors(name, input=input)
    kind = to_numpy(dtype) or input._array.dtype
    array = random.drawn_like(input._array, lambda size: make(size, kind))
    return _made(name, array, device, requires_grad)


@public("T")
def zeros_like(input, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """As `zeros`, of the shape and type of `input`."""
    return _like("zeros_like", input, np.zeros, dtype, device, requires_grad)


@public("T")
def ones_like(input, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """As `ones`, of the shape and type of `input`."""
    return _like("ones_like", input, np.ones, dtype, device, requires_grad)


@public("T")
def full_like(input, fill_value, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """As `full`, of the shape and type of `input`."""
    make = functools.partial(_filled, value=fill_value)
    return _like("full_like", input, make, dtype, device, requires_grad)


@public("T")
def rand_like(input, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """As `rand`, of the shape and type of `input`."""
    draw = random.default_generator.uniform
    return _like("rand_like", input, draw, dtype, device, requires_grad)


@public("T")
def randn_like(input, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """As `randn`, of the shape and type of `input`."""

    def draw(size, kind):
        singly = memory_order(input._array) != (*range(input.ndim),)
        return random.default_generator.normal(size, kind, singly=singly)

    return _like("randn_like", input, draw, dtype, device, requires_grad)


@public("Tensor")
def new(self, *args) -> Tensor:
    """A tensor of this type: zeros for sizes, as in `x.new(2, 3)` or `x.new(x.size())`, or a copy of
    a list or tensor.
    """
    if len(args) != 1 or isinstance(args[0], (int, dtypes.Size)):
        return new_zeros(self, *args or (0,))
    return new_tensor(self, args[0]._array if isinstance(args[0], TensorBase) else args[0])


@public("Tensor")
def new_zeros(self, *sizes, size=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """As `zeros`, by default of the type of this tensor."""
    array = np.zeros(_sizes("new_zeros", sizes, size), to_numpy(dtype or self.dtype))
    return _made("new_zeros", array, device, requires_grad)


@public("Tensor")
def new_ones(self, *sizes, size=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """As `ones`, by default of the type of this tensor."""
    array = np.ones(_sizes("new_ones", sizes, size), to_numpy(dtype or self.dtype))
    return _made("new_ones", array, device, requires_grad)


@public("Tensor")
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """As `tensor`, by default of the type of this tensor."""
    return tensor(data, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)

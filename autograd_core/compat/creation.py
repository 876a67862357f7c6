"""New tensors: from Python's numbers and lists, filled with one number, or with PyTorch's own random
numbers.

Common arguments are `dtype` (`float32`, `int64`, …; None for the type of the data or the default
type), `device`, which is "cpu", and `requires_grad`, which makes the tensor a leaf that requires a
gradient. `generator` is by default the one that `manual_seed` seeds.
"""

from __future__ import annotations

import functools
import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.graph import LEAF, NO_EDGE, check
from ..core.operation import plain_number
from ..core.public import public
from ..core.recording import recording
from ..core.tensor import TensorBase, check_can_require_grad, wrap
from ..core.types import default_type, result_type
from ..ops.shape import memory_order, sizes_of
from . import dtypes, random
from .dtypes import check_device, to_numpy

if TYPE_CHECKING:
    from .tensor import Tensor


def _made(name: str, array, device, requires_grad) -> Any:
    """The tensor with the memory of `array`, for the function called `name`."""
    check_device(device)
    if requires_grad:
        check_can_require_grad(array)
    recording.publish("on_creation", name, array)
    return wrap(array, LEAF if requires_grad else NO_EDGE)


@public("T")
def tensor(data: Any, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A new tensor with a copy of `data`: a number, nested lists of numbers, an array, or a tensor.

    dtype  by default float32 for Python floats, int64 for integers, bool for booleans.
    Raises ValueError for lists of unequal lengths, TypeError for data that aren't numbers, and
    RuntimeError for integers with `requires_grad`.
    """
    kind = to_numpy(dtype)
    recording.publish("on_take", data, "torch.tensor()")
    if isinstance(data, TensorBase):
        message = "To copy construct from a tensor, it is recommended to use x.detach().clone()"
        warnings.warn(f"{message}, rather than tensor(x).", stacklevel=2)
        data = data._array
    array = np.array(data, kind) if isinstance(data, np.ndarray) else array_from(data, kind)
    dtypes.of_type(array.dtype)
    return _made("tensor", array, device, requires_grad)


def array_of(data):
    """The numbers of a list or an array in the default type, for the constructor `Tensor`."""
    return array_from(data, default_type())


@public("T")
def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor that shares the memory of `array`, so changing one changes the other."""
    dtypes.of_type(array.dtype)
    return _made("from_numpy", array, None, False)


def array_from(data: Any, dtype: np.dtype | None = None) -> np.ndarray:
    """`data` as an array of the type `dtype`, by default the promoted type of its numbers. A tensor of
    one element counts as a number in a list. Raises the errors of `tensor`.
    """
    if isinstance(data, (list, tuple)):
        arrays = [array_from(x, dtype) for x in data]
        if any(isinstance(x, TensorBase) for x in data):
            arrays = [a.reshape(()) if a.size == 1 else a for a in arrays]
        if dtype is None:
            dtype = result_type(*(np.zeros(1, a.dtype) for a in arrays)) if arrays else None
        return np.array(arrays, dtype or default_type())
    array = data._array if isinstance(data, TensorBase) else np.asarray(data)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"a tensor holds numbers, not {type(data).__name__}")
    if dtype is None and type(data) is float:
        dtype = default_type()
    return np.array(data if dtype else array, dtype)


# ---- constants and ranges ------------------------------------------------------------------------


def _type(dtype):
    return to_numpy(dtype) or default_type()


@public("T")
def zeros(*sizes, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of zeros with this size, `zeros(2, 3)` or `zeros((2, 3))`."""
    array = np.zeros(sizes_of(sizes), _type(dtype))
    return _made("zeros", array, device, requires_grad)


@public("T")
def ones(*sizes, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of ones with this size, `ones(2, 3)` or `ones((2, 3))`."""
    array = np.ones(sizes_of(sizes), _type(dtype))
    return _made("ones", array, device, requires_grad)


@public("T")
def empty(*sizes, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of this size with arbitrary numbers. In autograd_core, they are zeros."""
    array = np.zeros(sizes_of(sizes), _type(dtype))
    return _made("empty", array, device, requires_grad)


@public("T")
def full(size, fill_value, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of this size, filled with `fill_value`."""
    array = _filled(sizes_of((size,)), to_numpy(dtype), fill_value)
    return _made("full", array, device, requires_grad)


def _filled(size, dtype, value):
    value = plain_number(value)
    return np.full(size, value, dtype or result_type(value))


@public("T")
def eye(n: int, m=None, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A matrix (n, m) with ones on the diagonal and zeros elsewhere. By default, m is n."""
    return _made("eye", np.eye(n, m, dtype=_type(dtype)), device, requires_grad)


@public("T")
def arange(
    start, end=None, step: float = 1, *, dtype=None, device=None, requires_grad=False
) -> Tensor:
    """`start`, `start + step`, … up to `end` (exclusive). One number is `end`, with `start` 0."""
    start, end = (0, start) if end is None else (start, end)
    start, end, step = (x.item() if hasattr(x, "item") else x for x in (start, end, step))
    whole = all(isinstance(x, int) for x in (start, end, step))
    kind = to_numpy(dtype) or (np.dtype(np.int64) if whole else default_type())
    if kind.kind in "iu":
        start, end, step = map(int, (start, end, step))
    check((end - start) * step >= 0, "arange() with this step never reaches the end")
    array = (start + step * np.arange(math.ceil((end - start) / step))).astype(kind)
    return _made("arange", array, device, requires_grad)


@public("T")
def linspace(start, end, steps: int, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """`steps` evenly spaced numbers from `start` to `end` (inclusive)."""
    start, end = (x.item() if hasattr(x, "item") else x for x in (start, end))
    kind = _type(dtype)
    first, last = kind.type(start), kind.type(end)
    array = np.linspace(start, end, steps).astype(kind)
    if kind.kind == "f" and steps > 1:  # from both ends towards the middle, as in PyTorch
        places = np.arange(steps)
        step = float((last - first) / kind.type(steps - 1))
        ends = first + step * places, last - step * (steps - 1 - places)
        array = np.where(places < steps // 2, *ends).astype(kind)
    return _made("linspace", array, device, requires_grad)


# ---- random numbers ------------------------------------------------------------------------------


@public("T")
def rand(*sizes, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Uniform random numbers from [0, 1)."""
    draw = (generator or random.default_generator).uniform
    return _made("rand", draw(sizes_of(sizes), _type(dtype)), device, requires_grad)


@public("T")
def randn(*sizes, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Random numbers from the normal distribution with mean 0 and standard deviation 1."""
    draw = (generator or random.default_generator).normal
    return _made("randn", draw(sizes_of(sizes), _type(dtype)), device, requires_grad)


@public("T")
def normal(
    mean, std, size, *, generator=None, dtype=None, device=None, requires_grad=False
) -> Tensor:
    """Random numbers from the normal distribution with mean `mean` and standard deviation `std`."""
    draw = (generator or random.default_generator).normal
    array = draw(sizes_of((size,)), _type(dtype), mean, std)
    return _made("normal", array, device, requires_grad)


@public("T")
def randint(
    low=0, high=None, size=None, *, generator=None, dtype=None, device=None, requires_grad=False
) -> Tensor:
    """Random integers from [low, high): `randint(10, (3,))`, `randint(2, 10, (3,))`."""
    if size is None:
        high, size = None, high
    low, high = (0, low) if high is None else (low, high)
    draw = (generator or random.default_generator).integers
    array = draw(low, high, sizes_of((size,)), to_numpy(dtype) or np.int64)
    return _made("randint", array, device, requires_grad)


@public("T")
def randperm(n: int, *, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """The integers from 0 to n - 1 in random order."""
    array = (generator or random.default_generator).permutation(n)
    return _made("randperm", array.astype(to_numpy(dtype) or np.int64), device, requires_grad)


def _like(name, input, make, dtype, device, requires_grad):
    """A tensor from `make(size, type)`, created in the memory order of `input`."""
    kind = to_numpy(dtype) or input._array.dtype
    array = random.drawn_like(input._array, lambda size: make(size, kind))
    return _made(name, array, device, requires_grad)


@public("T")
def zeros_like(input, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Zeros in the shape and type of `input`."""
    return _like("zeros_like", input, np.zeros, dtype, device, requires_grad)


@public("T")
def ones_like(input, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Ones in the shape and type of `input`."""
    return _like("ones_like", input, np.ones, dtype, device, requires_grad)


@public("T")
def full_like(input, fill_value, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor filled with `fill_value`, in the shape and type of `input`."""
    make = functools.partial(_filled, value=fill_value)
    return _like("full_like", input, make, dtype, device, requires_grad)


@public("T")
def randn_like(input, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Random numbers as from `randn`, in the shape and type of `input`."""

    def draw(size, kind):
        singly = memory_order(input._array) != (*range(input.ndim),)
        return random.default_generator.normal(size, kind, singly=singly)

    return _like("randn_like", input, draw, dtype, device, requires_grad)


@public("Tensor")
def new(self, *args) -> Tensor:
    """A new tensor of this tensor's type: zeros for sizes, as in `x.new(2, 3)` or `x.new(x.size())`,
    or a copy of a list or tensor.
    """
    if len(args) != 1 or isinstance(args[0], (int, dtypes.Size)):
        return zeros(*args or (0,), dtype=self.dtype)
    return new_tensor(self, args[0]._array if isinstance(args[0], TensorBase) else args[0])


@public("Tensor")
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Like `tensor(data)`, but the default type is the type of this tensor."""
    return tensor(data, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)

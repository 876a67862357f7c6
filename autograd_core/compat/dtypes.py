"""Element types, shapes and the device with PyTorch's names. They are printed as in PyTorch."""

import builtins
from typing import Any

import numpy as np

from ..core.public import public
from ..core.tensor import TensorBase
from ..core.types import NAMES, default_type, set_default_type
from ..ops.shape import clone, to_type


class dtype:
    """An element type. `short` and `tensor_type` are its names in PyTorch's messages."""

    def __init__(self, name: str, numpy_type: Any):
        self.name = name
        self.numpy = np.dtype(numpy_type)
        self.short = NAMES[self.numpy]
        self.tensor_type = f"torch.{self.short}Tensor"
        self.is_floating_point = self.numpy.kind == "f"

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name  # pickle and copy look it up in this module


float32 = float = dtype("float32", np.float32)
float64 = double = dtype("float64", np.float64)
uint8 = dtype("uint8", np.uint8)
int32 = int = dtype("int32", np.int32)
int64 = long = dtype("int64", np.int64)
bool = dtype("bool", np.bool_)

OF_NUMPY = {d.numpy: d for d in (float32, float64, uint8, int32, int64, bool)}


def of_type(numpy_type: np.dtype) -> dtype:
    """The `dtype` of a NumPy type. Raises TypeError for a type that autograd_core doesn't have."""
    if numpy_type not in OF_NUMPY:
        raise TypeError(f"autograd_core has no type for NumPy's {numpy_type}")
    return OF_NUMPY[numpy_type]


def to_numpy(wanted: dtype | None) -> np.dtype | None:
    """The NumPy type of a `dtype`, or None for None. Raises TypeError for anything else."""
    if wanted is not None and not isinstance(wanted, dtype):
        raise TypeError(f"{wanted!r} is not a torch.dtype: write dtype=torch.float32")
    return wanted and wanted.numpy


@public("T")
def get_default_dtype() -> dtype:
    """The type of `tensor(1.0)` and of new layers: float32, unless `set_default_dtype` changed it."""
    return OF_NUMPY[default_type()]


@public("T")
def set_default_dtype(d: dtype) -> None:
    """Make `d` the type of new floating-point tensors. Raises TypeError for other types."""
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    set_default_type(d.numpy)


class Size(tuple[builtins.int, ...]):
    """A tensor's shape: a tuple that is printed as in PyTorch."""

    def __repr__(self):
        return f"torch.Size({list(self)})"

    def __getitem__(self, index) -> Any:
        part = tuple.__getitem__(self, index)
        return Size(part) if isinstance(index, slice) else part

    def __add__(self, other):
        return Size(tuple.__add__(self, other))


class device:
    """The device of a tensor, always "cpu". Any other device raises RuntimeError."""

    type, index = "cpu", None

    def __init__(self, type="cpu", index=None):
        if str(type).partition(":")[0] != "cpu":
            raise RuntimeError(f"autograd_core runs on 'cpu' only, not on '{type}': leave it out")

    def __repr__(self):
        return "device(type='cpu')"

    def __str__(self):
        return "cpu"

    def __eq__(self, other):
        return isinstance(other, device)

    def __hash__(self):
        return hash("cpu")


def check_device(name: Any) -> None:
    """Raise RuntimeError if `name` is a device other than the CPU."""
    if name is not None:
        device(name)


@public("Tensor", example="a.to(b)", a=(3,), b=(1,))
def to(input, *args, dtype=None, device=None, non_blocking=False, copy=False):
    """The tensor converted to another type: `x.to(float64)`. The device "cpu" has no effect."""
    for a in (*args, device):
        if isinstance(a, TensorBase):
            dtype = a.dtype
        elif isinstance(a, type(float32)):
            dtype = a
        else:
            check_device(a)
    if dtype is None or dtype is input.dtype:
        return clone(input) if copy else input
    return to_type(input if dtype.is_floating_point else input.detach(), dtype.numpy)


def method_named_after(dtype):
    """The method that converts a tensor to `dtype`, with PyTorch's name: `x.double()`."""

    def convert(input):
        return to(input, dtype)

    convert.__name__ = convert.__qualname__ = dtype.short.lower()
    convert.__doc__ = f"The tensor in {dtype}: `to(input, {dtype})`."
    return convert

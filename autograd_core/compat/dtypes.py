"""Element types, shapes and the device under PyTorch's names.

`dtype` objects print as PyTorch prints them (`torch.float32`), so that what a learner sees is what
PyTorch shows."""

import math
from types import SimpleNamespace

import numpy as np

from ..core.graph import check
from ..core.types import NAMES, default_type, set_default_type


class dtype:
    """An element type. `numpy` is the same type for NumPy; `short` and `tensor_type` are PyTorch's
    words in messages.
    """

    def __init__(self, name, numpy_type):
        self.name = name
        self.numpy = np.dtype(numpy_type)
        self.short = NAMES[self.numpy]
        self.tensor_type = f"torch.{self.short}Tensor"
        self.is_floating_point = self.numpy.kind == "f"
        self.itemsize = self.numpy.itemsize

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name  # a pickle, and a copy, look it up in this module


float16 = half = dtype("float16", np.float16)
float32 = float = dtype("float32", np.float32)
float64 = double = dtype("float64", np.float64)
uint8 = dtype("uint8", np.uint8)
int8 = dtype("int8", np.int8)
int16 = short = dtype("int16", np.int16)
int32 = int = dtype("int32", np.int32)
int64 = long = dtype("int64", np.int64)
bool = dtype("bool", np.bool_)

_OF_NUMPY = {
    d.numpy: d for d in (float16, float32, float64, uint8, int8, int16, int32, int64, bool)
}


def of_type(numpy_type):
    """The `dtype` of a NumPy type."""
    return _OF_NUMPY[numpy_type]


def of_array(array):
    """The `dtype` of a NumPy array or scalar. Raises TypeError for a type that PyTorch does not
    have.
    """
    try:
        return _OF_NUMPY[array.dtype]
    except KeyError:
        raise TypeError(
            f"can't convert np.ndarray of type {array.dtype}. The only supported types are: "
            + ", ".join(d.name for d in _OF_NUMPY.values())
            + "."
        ) from None


def to_numpy(dtype_or_none):
    """The NumPy type of `dtype_or_none`; `None` stays `None`. Raises TypeError for anything but a
    `dtype`.
    """
    if dtype_or_none is not None and not isinstance(dtype_or_none, dtype):
        raise TypeError(
            f"dtype must be torch.dtype, not {type(dtype_or_none).__name__}: write"
            " dtype=torch.float32"
        )
    return dtype_or_none and dtype_or_none.numpy


def get_default_dtype():
    """The type of `tensor(1.0)`, `zeros(2)` and of new layers: float32 unless `set_default_dtype`
    changed it.
    """
    return _OF_NUMPY[default_type()]


def set_default_dtype(d):
    """Make `d` (float32 or float64) the type of new floating-point tensors. Raises TypeError for
    other types.
    """
    check(
        isinstance(d, dtype) and d.is_floating_point,
        "only floating-point types are supported as the default type",
        error=TypeError,
    )
    set_default_type(d.numpy)


def finfo(d):
    """What a floating-point type can hold: `max`, `min`, `eps` and `tiny`, as Python's numbers."""
    limits = np.finfo(d.numpy)
    return SimpleNamespace(
        bits=limits.bits,
        **{
            name: limits.dtype.type(getattr(limits, name)).item()
            for name in ("max", "min", "eps", "tiny")
        },
    )


class Size(tuple):
    """A tensor's shape: a tuple that prints as PyTorch's does."""

    def __repr__(self):
        return f"torch.Size({list(self)})"

    def __getitem__(self, index):
        part = tuple.__getitem__(self, index)
        return Size(part) if isinstance(index, slice) else part

    def __add__(self, other):
        return Size(tuple.__add__(self, other))

    def numel(self):
        """How many elements a tensor of this shape has."""
        return math.prod(self)


class device:
    """Where a tensor lives: always "cpu". Asking for another raises RuntimeError."""

    type, index = "cpu", None

    def __init__(self, type="cpu", index=None):
        check(
            str(type).partition(":")[0] == "cpu",
            "autograd_core runs on 'cpu' only, not on '{}': leave it out",
            type,
        )

    def __repr__(self):
        return "device(type='cpu')"

    def __str__(self):
        return "cpu"

    def __eq__(self, other):
        return isinstance(other, device)

    def __hash__(self):
        return hash("cpu")


def check_device(name):
    """Raises RuntimeError if `name` is a device other than the CPU."""
    if name is not None:
        device(name)

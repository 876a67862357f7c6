"""Element types, shapes and the device under PyTorch's names, and PyTorch's rules for mixing types.

`dtype` objects print as PyTorch prints them (`torch.float32`), so that what a learner sees is what PyTorch shows.
"""

import math
import operator
from types import SimpleNamespace

import numpy as np

from .check import check


class dtype:
    """An element type. `numpy` is the same type for NumPy; `tensor_type` is how PyTorch's messages call it."""

    def __init__(self, name, numpy_type, tensor_type):
        self.name = name
        self.numpy = np.dtype(numpy_type)
        self.tensor_type = f"torch.{tensor_type}"
        self.short = tensor_type.removesuffix("Tensor")
        self.is_floating_point = self.numpy.kind == "f"
        self.itemsize = self.numpy.itemsize

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name                    # a pickle, and a copy, look it up in this module


float16 = half = dtype("float16", np.float16, "HalfTensor")
float32 = float = dtype("float32", np.float32, "FloatTensor")
float64 = double = dtype("float64", np.float64, "DoubleTensor")
uint8 = dtype("uint8", np.uint8, "ByteTensor")
int8 = dtype("int8", np.int8, "CharTensor")
int16 = short = dtype("int16", np.int16, "ShortTensor")
int32 = int = dtype("int32", np.int32, "IntTensor")
int64 = long = dtype("int64", np.int64, "LongTensor")
bool = dtype("bool", np.bool_, "BoolTensor")

_OF_NUMPY = {d.numpy: d for d in (float16, float32, float64, uint8, int8, int16, int32, int64, bool)}
_default = float32


def of_array(array):
    """The `dtype` of a NumPy array or scalar. Raises TypeError for a type that PyTorch does not have."""
    try:
        return _OF_NUMPY[array.dtype]
    except KeyError:
        raise TypeError(f"can't convert np.ndarray of type {array.dtype}. The only supported types are: "
                        + ", ".join(d.name for d in _OF_NUMPY.values()) + ".") from None


def to_numpy(dtype_or_none):
    """The NumPy type of `dtype_or_none`; `None` stays `None`. Raises TypeError for anything but a `dtype`."""
    if dtype_or_none is not None and not isinstance(dtype_or_none, dtype):
        raise TypeError(f"dtype must be torch.dtype, not {type(dtype_or_none).__name__}: write dtype=torch.float32")
    return dtype_or_none and dtype_or_none.numpy


def get_default_dtype():
    """The type of `tensor(1.0)`, `zeros(2)` and of new layers: float32 unless `set_default_dtype` changed it."""
    return _default


def set_default_dtype(d):
    """Make `d` (float32 or float64) the type of new floating-point tensors. Raises TypeError for other types."""
    global _default
    check(isinstance(d, dtype) and d.is_floating_point, "only floating-point types are supported as the default type",
          error=TypeError)
    _default = d


_RANK = {"b": 0, "u": 1, "i": 1, "f": 2}                  # PyTorch's categories: boolean, integer, floating point


def result_type(*operands):
    """The NumPy type of an operation on `operands`, as PyTorch decides it.

    Operands are arrays (0-d ones weigh less than ones with dimensions) and Python numbers (these weigh least). The
    highest category present (boolean, integer, floating point) wins; within it the heaviest kind of operand decides.
    """
    kinds = []                                              # (category, weight, type) of each operand
    for x in operands:
        if hasattr(x, "dtype"):
            kinds.append((_RANK[x.dtype.kind], 2 if x.ndim else 1, x.dtype))
        elif x is not None:
            kind = _default.numpy if isinstance(x, type(1.0)) else np.dtype(type(x))
            kinds.append((_RANK[kind.kind], 0, kind))
    top = max((category, weight) for category, weight, _ in kinds)
    return np.result_type(*(kind for *place, kind in kinds if tuple(place) == top))


def bring_to_one_type(operands, floating=False):
    """A list of `operands`, their arrays converted to the `result_type` of all.

    `floating` makes integers floating point. Numbers stay: they take the type of what they meet, in NumPy as in
    PyTorch.
    """
    types = {x.dtype for x in operands if hasattr(x, "dtype")}
    if not types or len(types) == 1 and next(iter(types)).kind == "f":      # nearly always: then nothing is to be done
        return operands
    target = result_type(*operands)
    if floating and target.kind != "f":
        target = _default.numpy
    return [x.astype(target) if hasattr(x, "dtype") and x.dtype is not target else x for x in operands]


def finfo(d):
    """What a floating-point type can hold: `max`, `min`, `eps` and `tiny`, as Python's numbers."""
    limits = np.finfo(d.numpy)
    return SimpleNamespace(bits=limits.bits, **{name: limits.dtype.type(getattr(limits, name)).item()
                                                for name in ("max", "min", "eps", "tiny")})


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


def sizes_of(name, sizes, argument="size"):
    """`(2, 3)`, `[2, 3]` or a shape, as given to the function `name`: the one form in which sizes are handed on.

    Raises TypeError for what is no size.
    """
    check(sizes, '{}() missing 1 required positional arguments: "{}"', name, argument, error=TypeError)
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    try:
        return tuple(map(operator.index, sizes))
    except TypeError:
        raise TypeError(f"{name}(): argument '{argument}' must be tuple of ints, not {sizes}") from None


class device:
    """Where a tensor lives: always "cpu". Asking for another raises RuntimeError."""

    type, index = "cpu", None

    def __init__(self, type="cpu", index=None):
        check(str(type).partition(":")[0] == "cpu", "autograd_core runs on 'cpu' only, not on '{}': leave it out", type)

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

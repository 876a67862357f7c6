"""Element types, shapes and the device under PyTorch's names, and PyTorch's rules for mixing types.

`dtype` objects print as PyTorch prints them (`torch.float32`), so that what a learner sees is what PyTorch shows.
"""

import operator

import numpy as np


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
        return _by_name, (self.name,)


float16 = half = dtype("float16", np.float16, "HalfTensor")
float32 = float = dtype("float32", np.float32, "FloatTensor")
float64 = double = dtype("float64", np.float64, "DoubleTensor")
uint8 = dtype("uint8", np.uint8, "ByteTensor")
int8 = dtype("int8", np.int8, "CharTensor")
int16 = short = dtype("int16", np.int16, "ShortTensor")
int32 = int = dtype("int32", np.int32, "IntTensor")
int64 = long = dtype("int64", np.int64, "LongTensor")
bool = dtype("bool", np.bool_, "BoolTensor")

_NAMED = {d.name: d for d in (float16, float32, float64, uint8, int8, int16, int32, int64, bool)}
_OF_NUMPY = {d.numpy: d for d in _NAMED.values()}
_default = float32


def _by_name(name):
    return _NAMED[name]


def of_array(array):
    """The `dtype` of a NumPy array or scalar. Raises TypeError for a type that PyTorch does not have."""
    try:
        return _OF_NUMPY[array.dtype]
    except KeyError:
        raise TypeError(f"can't convert np.ndarray of type {array.dtype}. The only supported types are: "
                        + ", ".join(_NAMED) + ".") from None


def to_numpy(dtype_or_none):
    """The NumPy type of `dtype_or_none`; `None` stays `None`. Raises TypeError for anything but a `dtype`."""
    if dtype_or_none is None:
        return None
    if not isinstance(dtype_or_none, dtype):
        raise TypeError(f"dtype must be torch.dtype, not {type(dtype_or_none).__name__}: "
                        "write autograd_core.float32, for example")
    return dtype_or_none.numpy


def get_default_dtype():
    """The type of `tensor(1.0)`, `zeros(2)` and of new layers: float32 unless `set_default_dtype` changed it."""
    return _default


def set_default_dtype(d):
    """Make `d` (float32 or float64) the type of new floating-point tensors. Raises TypeError for other types."""
    global _default
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default = d


_RANK = {"b": 0, "u": 1, "i": 1, "f": 2}                  # PyTorch's categories: boolean, integer, floating point
_NUMBER = {type(True): 0, type(1): 1, type(1.0): 2}


def _number_rank(number):
    rank = _NUMBER.get(type(number))
    if rank is None:
        if isinstance(number, np.generic):
            return _RANK[number.dtype.kind]
        raise TypeError(f"expected a Tensor or a number, not {type(number).__name__}")
    return rank


def result_type(*operands):
    """The NumPy type of an operation on `operands`, as PyTorch decides it.

    Operands are arrays (0-d ones weigh less than ones with dimensions) and Python numbers (these weigh least). The
    highest category present (boolean, integer, floating point) wins; within it the heaviest kind of operand decides.
    """
    tensors = [x.dtype for x in operands if hasattr(x, "dtype") and x.ndim]
    scalars = [x.dtype for x in operands if hasattr(x, "dtype") and not x.ndim]
    numbers = [x for x in operands if not hasattr(x, "dtype")]
    result, rank = None, -1
    for group in (tensors, scalars):
        top = max((_RANK[d.kind] for d in group), default=-1)
        if top > rank:
            result, rank = np.result_type(*(d for d in group if _RANK[d.kind] == top)), top
    top = max(map(_number_rank, numbers), default=-1)
    if top > rank:
        result = (bool.numpy, int64.numpy, _default.numpy)[top]
    return result


def bring_to_one_type(operands, places, floating=False):
    """Convert the arrays at `places` of the list `operands` to their `result_type`, in place in the list.

    `floating` makes integers floating point. Numbers stay: they take the type of what they meet, in NumPy as in
    PyTorch.
    """
    found = None
    for i in places:                    # nearly always all are alike, and asking that first is quicker than the rule
        kind = getattr(operands[i], "dtype", None)
        if kind is not None:
            if found is None:
                found = kind
            elif kind is not found:
                break
    else:
        if found is not None and found.kind == "f":
            return
    target = result_type(*(operands[i] for i in places))
    if floating and target.kind != "f":
        target = _default.numpy
    for i in places:
        if hasattr(operands[i], "dtype"):
            operands[i] = operands[i].astype(target)


class Size(tuple):
    """A tensor's shape: a tuple that prints as PyTorch's does."""

    def __repr__(self):
        return f"torch.Size({list(self)})"

    def numel(self):
        """How many elements a tensor of this shape has."""
        count = 1
        for n in self:
            count *= n
        return count


def sizes_of(name, sizes):
    """`(2, 3)`, `[2, 3]` or a shape, as given to the function `name`: the one form in which sizes are handed on.

    Raises TypeError for what is no size.
    """
    if not sizes:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    for n in sizes:
        if not hasattr(n, "__index__"):
            raise TypeError(f"{name}(): argument 'size' must be tuple of ints, not {type(n).__name__}")
    return tuple(map(operator.index, sizes))


class device:
    """Where a tensor lives: always "cpu". Asking for another raises RuntimeError."""

    def __init__(self, name="cpu", index=None):
        if str(name).split(":")[0] != "cpu":
            raise RuntimeError(f"autograd_core runs on 'cpu' only, not on '{name}': leave the device out, or write 'cpu'")
        self.type, self.index = "cpu", index

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

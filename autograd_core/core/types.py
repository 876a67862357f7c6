"""Types: what PyTorch calls them, which is the default, and in which of them two operands meet."""

from typing import Any

import numpy as np

from .graph import check

NAMES = {
    np.dtype(numpy): name
    for numpy, name in (
        (np.float32, "Float"),
        (np.float64, "Double"),
        (np.uint8, "Byte"),
        (np.int8, "Char"),
        (np.int16, "Short"),
        (np.int32, "Int"),
        (np.int64, "Long"),
        (np.bool_, "Bool"),
    )
}
_NAMES_IN_C = {
    "Float": "float",
    "Double": "double",
    "Byte": "uint8_t",
    "Int": "int",
}
# PyTorch's categories: boolean, integer, floating point
_RANK = {"b": 0, "u": 1, "i": 1, "f": 2}
_LEAST_LARGEST = float(np.finfo(np.float32).max)  # smaller numbers fit into every type
_default: np.dtype[Any] = np.dtype(np.float32)


def type_name(array: Any) -> str:
    """What PyTorch's messages call the type of an array: "Float" for float32."""
    return NAMES[array.dtype]


def default_type() -> np.dtype[Any]:
    """The NumPy type of `tensor(1.0)`: float32 unless `set_default_type` changed it."""
    return _default


def set_default_type(dtype: np.dtype[Any]) -> None:
    """Make the floating-point NumPy type `dtype` the default."""
    global _default
    _default = dtype


def result_type(*operands: Any) -> np.dtype[Any]:
    """The NumPy type of an operation on `operands`, as PyTorch decides it.

    Operands are arrays (0-d ones weigh less than ones with dimensions) and Python numbers (these
    weigh least). The highest category present (boolean, integer, floating point) wins; within it
    the heaviest kind of operand decides."""
    kinds = []  # (category, weight, type) of each operand
    for x in operands:
        if hasattr(x, "dtype"):
            kinds.append((_RANK[x.dtype.kind], 2 if x.ndim else 1, x.dtype))
        elif x is not None:
            kind = _default if isinstance(x, float) else np.dtype(type(x))
            kinds.append((_RANK[kind.kind], 0, kind))
    top = max((category, weight) for category, weight, _ in kinds)
    return np.result_type(*(kind for *place, kind in kinds if tuple(place) == top))


def bring_to_one_type(operands: Any, floating: bool = False) -> Any:
    """`operands` with their arrays converted to the `result_type` of all; `floating` makes integers
    floating point.

    Numbers stay: they take the type of what they meet, in NumPy as in PyTorch. A whole number is
    cut to its bits."""
    types = [x.dtype for x in operands if hasattr(x, "dtype")]
    # nearly always: then nothing is to be done
    if not types or types[0].kind == "f" and types.count(types[0]) == len(types):
        return operands
    target = result_type(*operands)
    if floating and target.kind != "f":
        target = _default
    return [
        cut(x, target) if not hasattr(x, "dtype") else x if x.dtype is target else x.astype(target)
        for x in operands
    ]


def cut(number: Any, dtype: np.dtype[Any]) -> Any:
    """A number beside a tensor of the NumPy type `dtype`: a whole one keeps as many bits as an
    integer `dtype` has.
    """
    if type(number) is not int or dtype.kind not in "iu":
        return number
    check(
        -(2**63) <= number < 2**63,
        "int too big to convert: {} does not fit into int64",
        number,
        error=OverflowError,
    )
    bits = 8 * dtype.itemsize
    number %= 2**bits
    return number - 2**bits if dtype.kind == "i" and number >= 2 ** (bits - 1) else number


def stored(number: Any, dtype: np.dtype[Any]) -> Any:
    """A number in the NumPy type `dtype`, to be written into memory. Raises RuntimeError if it is
    beyond the type.
    """
    check(
        not isinstance(number, int) or -(2**63) <= number < 2**64,
        "int too big to convert: {} does not fit into 64 bits",
        number,
        error=OverflowError,
    )
    if dtype.kind == "b":
        return np.bool_(number)
    if dtype.kind == "f":
        limit = float(np.finfo(dtype).max)
        fits = number != number or number in (np.inf, -np.inf) or -limit <= number <= limit
    else:
        limits = np.iinfo(dtype)
        least = -limits.max if limits.min == 0 and not isinstance(number, float) else limits.min
        fits = number == number and least <= number <= limits.max
    if not fits:
        raise RuntimeError(f"value cannot be converted to type {name_in_c(dtype)} without overflow")
    return dtype.type(number if dtype.kind == "f" else cut(int(number), dtype))


def check_fits(tensor: Any, *numbers: Any) -> None:
    """Raises RuntimeError for the first of `numbers` that is beyond the type of `tensor`, if that
    is floating point.
    """
    for x in numbers:
        if type(x) is float and abs(x) > _LEAST_LARGEST and tensor._array.dtype.kind == "f":
            stored(x, tensor._array.dtype)


def name_in_c(dtype: np.dtype[Any]) -> str:
    """What PyTorch's messages call a type where a number does not fit: "float" for float32,
    "int64_t" for int64.
    """
    return _NAMES_IN_C.get(NAMES[dtype], f"{dtype}_t")

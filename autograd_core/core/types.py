"""Types: their names in PyTorch, the default type, and type promotion."""

from typing import Any

import numpy as np

NAMES = {
    np.dtype(numpy): name
    for numpy, name in (
        (np.float32, "Float"),
        (np.float64, "Double"),
        (np.uint8, "Byte"),
        (np.int32, "Int"),
        (np.int64, "Long"),
        (np.bool_, "Bool"),
    )
}
# PyTorch's categories: boolean, integer, floating point
_RANK = {"b": 0, "u": 1, "i": 1, "f": 2}
_default: np.dtype[Any] = np.dtype(np.float32)


def type_name(array: Any) -> str:
    """The name of an array's type in PyTorch's messages: "Float" for float32."""
    return NAMES[array.dtype]


def default_type() -> np.dtype[Any]:
    """The NumPy type of `tensor(1.0)`: float32 unless `set_default_type` changed it."""
    return _default


def set_default_type(dtype: np.dtype[Any]) -> None:
    """Make the floating-point NumPy type `dtype` the default."""
    global _default
    _default = dtype


def result_type(*operands: Any) -> np.dtype[Any]:
    """The NumPy type of an operation on `operands`, by PyTorch's rules of type promotion.

    The operands with the highest category (boolean < integer < floating point) determine the type.
    Among them, arrays with dimensions have priority over 0-d arrays, and these over Python numbers.
    """
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
    """`operands` with their arrays converted to the `result_type` of all. If `floating`, integers are
    converted to the default floating-point type.

    A Python number takes the type of the array in the same operation, in NumPy as in PyTorch. If it
    doesn't fit in an integer type, NumPy raises OverflowError."""
    types = [x.dtype for x in operands if hasattr(x, "dtype")]
    # the common case: nothing needs to be converted
    if not types or types[0].kind == "f" and types.count(types[0]) == len(types):
        return operands
    target = result_type(*operands)
    if floating and target.kind != "f":
        target = _default
    return [
        x.astype(target, copy=False)
        if hasattr(x, "dtype")
        else target.type(x)
        if target.kind in "iu" and x is not None
        else x
        for x in operands
    ]

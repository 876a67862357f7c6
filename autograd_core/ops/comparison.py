"""Comparisons and logic, element by element. They give booleans, which carry no gradient."""

import numpy as np

from ..core.operation import operation
from ..core.public import public
from ..core.types import NAMES, result_type


def _comparison(name, sign, compare):
    """The operation `name`: NumPy's `compare` of two tensors, element by element."""

    def compares(input, other):
        return compare(input, other)

    compares.__name__ = compares.__qualname__ = name
    compares.__doc__ = f"`input {sign} other`, element by element."
    compares = operation(broadcasts=True, promotes=True)(compares)
    return public("T", "Tensor", example=f"T.{name}(a, b)", a=[1.0, 2.0], b=[1.0, 3.0])(compares)


eq, ne = _comparison("eq", "==", np.equal), _comparison("ne", "!=", np.not_equal)
lt, le = _comparison("lt", "<", np.less), _comparison("le", "<=", np.less_equal)
gt, ge = _comparison("gt", ">", np.greater), _comparison("ge", ">=", np.greater_equal)


@public("T", "Tensor", example="T.isnan(a)", a=(2, 3))
@operation()
def isnan(input):
    """Where `input` is not a number."""
    return np.isnan(input)


@public("T", "Tensor", example="T.isinf(a)", a=(2, 3))
@operation()
def isinf(input):
    """Where `input` is infinite."""
    return np.isinf(input)


@public("T", "Tensor", example="T.isfinite(a)", a=(2, 3))
@operation()
def isfinite(input):
    """Where `input` is neither infinite nor nan."""
    return np.isfinite(input)


# ---- bits: of booleans, and of integers ----------------------------------------------------------


def _bitwise(name, sign, combine):
    """The operation `name`: NumPy's `combine` of two tensors, bit by bit."""

    def combines(input, other):
        kind = result_type(input, other)
        if kind.kind == "f":
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{NAMES[kind]}'")
        return combine(input, other)

    combines.__name__ = combines.__qualname__ = name
    combines.__doc__ = f"`input {sign} other`."
    combines = operation(broadcasts=True, promotes=True)(combines)
    places = "T", "Tensor", "Tensor_"
    return public(*places, example=f"T.{name}(c, d)", c=[6, 5], d=[3, 3])(combines)


bitwise_and = _bitwise("bitwise_and", "&", np.bitwise_and)
bitwise_or = _bitwise("bitwise_or", "|", np.bitwise_or)
bitwise_xor = _bitwise("bitwise_xor", "^", np.bitwise_xor)


@public("T", "Tensor", example="T.bitwise_not(c)", c=[6, -5])
@operation()
def bitwise_not(input):
    """`~input`: the opposite booleans, or the integers with all bits turned."""
    if input.dtype.kind == "f":
        what = "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
        raise TypeError(what)
    return ~input

"""Comparisons and logic, element by element. They give booleans, which carry no gradient."""

import functools

import numpy as np

from ..core.operation import operation
from ..core.types import NAMES, result_type

compares = functools.partial(operation, broadcasts=True, promotes=True)


@compares()
def eq(input, other):
    """`input == other`, element by element."""
    return np.equal(input, other)


@compares()
def ne(input, other):
    """`input != other`, element by element."""
    return np.not_equal(input, other)


@compares()
def lt(input, other):
    """`input < other`, element by element."""
    return np.less(input, other)


@compares()
def le(input, other):
    """`input <= other`, element by element."""
    return np.less_equal(input, other)


@compares()
def gt(input, other):
    """`input > other`, element by element."""
    return np.greater(input, other)


@compares()
def ge(input, other):
    """`input >= other`, element by element."""
    return np.greater_equal(input, other)


@operation()
def isnan(input):
    """Where `input` is not a number."""
    return np.isnan(input)


@operation()
def isinf(input):
    """Where `input` is infinite."""
    return np.isinf(input)


@operation()
def isfinite(input):
    """Where `input` is neither infinite nor nan."""
    return np.isfinite(input)


# ---- logic: of anything, 0 is false --------------------------------------------------------------


def _check_tensor(name, other):
    if not hasattr(other, "dtype"):
        raise TypeError(
            f"{name}(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}"
        )


@operation(broadcasts=True)
def logical_and(input, other):
    """Where both are true."""
    _check_tensor("logical_and", other)
    return np.logical_and(input, other)


@operation(broadcasts=True)
def logical_or(input, other):
    """Where one of both is true."""
    _check_tensor("logical_or", other)
    return np.logical_or(input, other)


@operation()
def logical_not(input):
    """Where `input` is 0."""
    return np.logical_not(input)


# ---- bits: of booleans, and of integers ----------------------------------------------------------


def _check_bits(name, input, other):
    kind = result_type(input, other)
    if kind.kind == "f":
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{NAMES[kind]}'")


@compares()
def bitwise_and(input, other):
    """`input & other`."""
    _check_bits("bitwise_and", input, other)
    return np.bitwise_and(input, other)


@compares()
def bitwise_or(input, other):
    """`input | other`."""
    _check_bits("bitwise_or", input, other)
    return np.bitwise_or(input, other)


@compares()
def bitwise_xor(input, other):
    """`input ^ other`."""
    _check_bits("bitwise_xor", input, other)
    return np.bitwise_xor(input, other)


@operation()
def bitwise_not(input):
    """`~input`: the opposite booleans, or the integers with all bits turned."""
    if input.dtype.kind == "f":
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
        )
    return ~input

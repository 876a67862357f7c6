"""Elementwise comparisons and logic. Booleans and integers can't have a gradient."""

import functools

import numpy as np

from ..core.operation import operation
from ..core.public import public

compares = functools.partial(operation, broadcasts=True, promotes=True)


@public("T", "Tensor", example="T.eq(a, b)", a=[1.0, 2.0], b=[1.0, 3.0])
@compares()
def eq(input, other):
    """`input == other`, element by element."""
    return np.equal(input, other)


@public("T", "Tensor", example="T.ne(a, b)", a=[1.0, 2.0], b=[1.0, 3.0])
@compares()
def ne(input, other):
    """`input != other`, element by element."""
    return np.not_equal(input, other)


@public("T", "Tensor", example="T.lt(a, b)", a=[1.0, 2.0], b=[1.0, 3.0])
@compares()
def lt(input, other):
    """`input < other`, element by element."""
    return np.less(input, other)


@public("T", "Tensor", example="T.le(a, b)", a=[1.0, 2.0], b=[1.0, 3.0])
@compares()
def le(input, other):
    """`input <= other`, element by element."""
    return np.less_equal(input, other)


@public("T", "Tensor", example="T.gt(a, b)", a=[1.0, 2.0], b=[1.0, 3.0])
@compares()
def gt(input, other):
    """`input > other`, element by element."""
    return np.greater(input, other)


@public("T", "Tensor", example="T.ge(a, b)", a=[1.0, 2.0], b=[1.0, 3.0])
@compares()
def ge(input, other):
    """`input >= other`, element by element."""
    return np.greater_equal(input, other)


@public("T", "Tensor", example="T.isnan(a)", a=(2, 3))
@operation()
def isnan(input):
    """True where `input` is nan."""
    return np.isnan(input)


@public("T", "Tensor", example="T.isinf(a)", a=(2, 3))
@operation()
def isinf(input):
    """True where `input` is infinite."""
    return np.isinf(input)


@public("T", "Tensor", example="T.isfinite(a)", a=(2, 3))
@operation()
def isfinite(input):
    """True where `input` is neither infinite nor nan."""
    return np.isfinite(input)


# ---- bitwise operations on booleans and integers -------------------------------------------------


@public("T", "Tensor", "Tensor_", example="T.bitwise_and(c, d)", c=[6, 5], d=[3, 3])
@compares()
def bitwise_and(input, other):
    """`input & other`."""
    return np.bitwise_and(input, other)


@public("T", "Tensor", "Tensor_", example="T.bitwise_or(c, d)", c=[1, 6], d=[3, 5])
@compares()
def bitwise_or(input, other):
    """`input | other`."""
    return np.bitwise_or(input, other)


@public("T", "Tensor", "Tensor_", example="T.bitwise_xor(c, d)", c=[1, 6], d=[3, 5])
@compares()
def bitwise_xor(input, other):
    """`input ^ other`."""
    return np.bitwise_xor(input, other)


@public("T", "Tensor", example="T.bitwise_not(c)", c=[6, -5])
@operation()
def bitwise_not(input):
    """`~input`: the negated booleans, or the integers with all bits inverted."""
    return ~input


@public("T", "Tensor", "Tensor_", example="T.nan_to_num(a)", a=(2, 3))
@operation(input=lambda ops, g, input: g * ops.isfinite(input))
def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    """Replace nan by `nan`, and infinities by `posinf` or `neginf`, by default the type's extremes."""
    if input.dtype.kind != "f":
        return input.copy()
    return np.nan_to_num(input, nan=nan, posinf=posinf, neginf=neginf)


@public("T", "Tensor")
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether `|input - other| <= atol + rtol * |other|` for all elements."""
    return bool(np.allclose(input._array, other._array, rtol, atol, equal_nan))


@public("T", "Tensor")
def equal(input, other):
    """Whether `input` and `other` have the same shape and elements."""
    return bool(np.array_equal(input._array, other._array))

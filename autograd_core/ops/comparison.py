"""Comparisons and logic, element by element. They give booleans, which carry no gradient."""

import numpy as np

from ..core.graph import check
from ..core.operation import operation
from ..core.types import NAMES, result_type


@operation(broadcasts=True, promotes=True)
def eq(input, other):
    """`input == other`, element by element."""
    return np.equal(input, other)


@operation(broadcasts=True, promotes=True)
def ne(input, other):
    """`input != other`, element by element."""
    return np.not_equal(input, other)


@operation(broadcasts=True, promotes=True)
def lt(input, other):
    """`input < other`, element by element."""
    return np.less(input, other)


@operation(broadcasts=True, promotes=True)
def le(input, other):
    """`input <= other`, element by element."""
    return np.less_equal(input, other)


@operation(broadcasts=True, promotes=True)
def gt(input, other):
    """`input > other`, element by element."""
    return np.greater(input, other)


@operation(broadcasts=True, promotes=True)
def ge(input, other):
    """`input >= other`, element by element."""
    return np.greater_equal(input, other)


def _check_tensor(name, other):
    check(
        hasattr(other, "dtype"),
        "{}(): argument 'other' (position 2) must be Tensor, not {}",
        name,
        type(other).__name__,
        error=TypeError,
    )


@operation(broadcasts=True)
def logical_and(input, other):
    """Where both are true, that is: not 0."""
    _check_tensor("logical_and", other)
    return np.logical_and(input, other)


@operation(broadcasts=True)
def logical_or(input, other):
    """Where one of both is true."""
    _check_tensor("logical_or", other)
    return np.logical_or(input, other)


@operation(broadcasts=True)
def logical_xor(input, other):
    """Where exactly one of both is true."""
    _check_tensor("logical_xor", other)
    return np.logical_xor(input, other)


@operation()
def logical_not(input):
    """Where `input` is 0."""
    return np.logical_not(input)


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


# ---- bits ----------------------------------------------------------------------------------------


def _check_bits(kernel, input, other):
    """Raises NotImplementedError, in the words of PyTorch's `kernel`, for what has no bits to
    shift, or none at all.
    """
    kind = result_type(input, other)
    check(
        kind.kind != "f",
        "\"{}_cpu\" not implemented for '{}': compare first, as in x > 0",
        kernel,
        NAMES[kind],
        error=NotImplementedError,
    )
    check(
        kind.kind != "b" or kernel[1:] != "shift",
        "\"{}_cpu\" not implemented for 'Bool'",
        kernel,
        error=NotImplementedError,
    )


@operation(broadcasts=True, promotes=True)
def bitwise_and(input, other):
    """`input & other`, of booleans or integers."""
    _check_bits("bitwise_and", input, other)
    return np.bitwise_and(input, other)


@operation(broadcasts=True, promotes=True)
def bitwise_or(input, other):
    """`input | other`, of booleans or integers."""
    _check_bits("bitwise_or", input, other)
    return np.bitwise_or(input, other)


@operation(broadcasts=True, promotes=True)
def bitwise_xor(input, other):
    """`input ^ other`, of booleans or integers."""
    _check_bits("bitwise_xor", input, other)
    return np.bitwise_xor(input, other)


@operation(broadcasts=True, promotes=True)
def bitwise_left_shift(input, other):
    """`input << other`, of integers."""
    _check_bits("lshift", input, other)
    return np.left_shift(input, other)


@operation(broadcasts=True, promotes=True)
def bitwise_right_shift(input, other):
    """`input >> other`, of integers."""
    _check_bits("rshift", input, other)
    return np.right_shift(input, other)


@operation()
def bitwise_not(input):
    """`~input`: the opposite booleans, or the integers with all bits turned."""
    if input.dtype.kind == "f":
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
        )
    return ~input

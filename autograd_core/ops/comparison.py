"""Comparisons and logic, element by element. They give booleans, which carry no gradient."""

import numpy as np

from .operation import operation


def _named(name, what):
    def give(function):
        function.__name__, function.__doc__ = name, what
        return function
    return give


def _of_pairs(name, compute, what, kernel=None):
    """An operation on pairs of elements, without a rule. `kernel` names one that takes booleans and integers only."""
    @operation(broadcasts=True)
    @_named(name, what)
    def forward(input, other):
        for x in (input, other) if kernel else ():
            if isinstance(x, float) or hasattr(x, "dtype") and x.dtype.kind == "f":
                raise NotImplementedError(f"\"{kernel}_cpu\" not implemented for floating point: compare first, as in "
                                          "x > 0")
        return compute(input, other)
    return forward


eq = _of_pairs("eq", np.equal, "`input == other`, element by element.")
ne = _of_pairs("ne", np.not_equal, "`input != other`, element by element.")
lt = _of_pairs("lt", np.less, "`input < other`, element by element.")
le = _of_pairs("le", np.less_equal, "`input <= other`, element by element.")
gt = _of_pairs("gt", np.greater, "`input > other`, element by element.")
ge = _of_pairs("ge", np.greater_equal, "`input >= other`, element by element.")

logical_and = _of_pairs("logical_and", np.logical_and, "Where both are true, that is: not 0.")
logical_or = _of_pairs("logical_or", np.logical_or, "Where one of both is true.")
logical_xor = _of_pairs("logical_xor", np.logical_xor, "Where exactly one of both is true.")

bitwise_and = _of_pairs("bitwise_and", np.bitwise_and, "`input & other`, of booleans or integers.", "bitwise_and")
bitwise_or = _of_pairs("bitwise_or", np.bitwise_or, "`input | other`, of booleans or integers.", "bitwise_or")
bitwise_xor = _of_pairs("bitwise_xor", np.bitwise_xor, "`input ^ other`, of booleans or integers.", "bitwise_xor")
bitwise_left_shift = _of_pairs("bitwise_left_shift", np.left_shift, "`input << other`, of integers.", "lshift")
bitwise_right_shift = _of_pairs("bitwise_right_shift", np.right_shift, "`input >> other`, of integers.", "rshift")


@operation()
def bitwise_not(input):
    """`~input`: the opposite booleans, or the integers with all bits turned."""
    if input.dtype.kind == "f":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return ~input


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

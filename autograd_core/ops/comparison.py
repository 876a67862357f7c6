"""Comparisons and logic, element by element. They give booleans, which carry no gradient."""

import numpy as np

from .operation import operation


def _operation(name, what, forward, **options):
    forward.__name__, forward.__doc__ = name, what
    return operation(**options)(forward)


def _of_each(name, compute, what):
    return _operation(name, what, lambda input: compute(input))


def _of_pairs(name, compute, what):
    return _operation(name, what, lambda input, other: compute(input, other), broadcasts=True)


def _of_bits(name, compute, what, kernel):
    """An operation on pairs of booleans or integers; PyTorch's message calls it `kernel`."""
    def forward(input, other):
        try:
            return compute(input, other)
        except TypeError:
            raise NotImplementedError(f"\"{kernel}_cpu\" not implemented for floating point: compare first, as in "
                                      "x > 0") from None
    return _operation(name, what, forward, broadcasts=True)


eq = _of_pairs("eq", np.equal, "`input == other`, element by element.")
ne = _of_pairs("ne", np.not_equal, "`input != other`, element by element.")
lt = _of_pairs("lt", np.less, "`input < other`, element by element.")
le = _of_pairs("le", np.less_equal, "`input <= other`, element by element.")
gt = _of_pairs("gt", np.greater, "`input > other`, element by element.")
ge = _of_pairs("ge", np.greater_equal, "`input >= other`, element by element.")

logical_and = _of_pairs("logical_and", np.logical_and, "Where both are true, that is: not 0.")
logical_or = _of_pairs("logical_or", np.logical_or, "Where one of both is true.")
logical_xor = _of_pairs("logical_xor", np.logical_xor, "Where exactly one of both is true.")
logical_not = _of_each("logical_not", np.logical_not, "Where `input` is 0.")

bitwise_and = _of_bits("bitwise_and", np.bitwise_and, "`input & other`, of booleans or integers.", "bitwise_and")
bitwise_or = _of_bits("bitwise_or", np.bitwise_or, "`input | other`, of booleans or integers.", "bitwise_or")
bitwise_xor = _of_bits("bitwise_xor", np.bitwise_xor, "`input ^ other`, of booleans or integers.", "bitwise_xor")
bitwise_left_shift = _of_bits("bitwise_left_shift", np.left_shift, "`input << other`, of integers.", "lshift")
bitwise_right_shift = _of_bits("bitwise_right_shift", np.right_shift, "`input >> other`, of integers.", "rshift")

isnan = _of_each("isnan", np.isnan, "Where `input` is not a number.")
isinf = _of_each("isinf", np.isinf, "Where `input` is infinite.")
isfinite = _of_each("isfinite", np.isfinite, "Where `input` is neither infinite nor nan.")


@operation()
def bitwise_not(input):
    """`~input`: the opposite booleans, or the integers with all bits turned."""
    if input.dtype.kind == "f":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return ~input

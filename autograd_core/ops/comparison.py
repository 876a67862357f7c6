"""Comparisons and logic, element by element. They give booleans, which carry no gradient."""

import numpy as np

from .elementwise import each
from .operation import operation


def _bits(what, compute, kernel):
    """An operation on pairs of booleans or integers; PyTorch's message calls it `kernel`."""
    def forward(input, other):
        try:
            return compute(input, other)
        except TypeError:
            raise NotImplementedError(f"\"{kernel}_cpu\" not implemented for floating point: compare first, as in "
                                      "x > 0") from None
    forward.__name__ = forward.__qualname__ = "bitwise_" + compute.__name__.removeprefix("bitwise_")
    forward.__doc__ = what
    return operation(broadcasts=True)(forward)


eq = each("`input == other`, element by element.", np.equal, "eq")
ne = each("`input != other`, element by element.", np.not_equal, "ne")
lt = each("`input < other`, element by element.", np.less, "lt")
le = each("`input <= other`, element by element.", np.less_equal, "le")
gt = each("`input > other`, element by element.", np.greater, "gt")
ge = each("`input >= other`, element by element.", np.greater_equal, "ge")

logical_and = each("Where both are true, that is: not 0.", np.logical_and)
logical_or = each("Where one of both is true.", np.logical_or)
logical_xor = each("Where exactly one of both is true.", np.logical_xor)
logical_not = each("Where `input` is 0.", np.logical_not)

bitwise_and = _bits("`input & other`, of booleans or integers.", np.bitwise_and, "bitwise_and")
bitwise_or = _bits("`input | other`, of booleans or integers.", np.bitwise_or, "bitwise_or")
bitwise_xor = _bits("`input ^ other`, of booleans or integers.", np.bitwise_xor, "bitwise_xor")
bitwise_left_shift = _bits("`input << other`, of integers.", np.left_shift, "lshift")
bitwise_right_shift = _bits("`input >> other`, of integers.", np.right_shift, "rshift")

isnan = each("Where `input` is not a number.", np.isnan)
isinf = each("Where `input` is infinite.", np.isinf)
isfinite = each("Where `input` is neither infinite nor nan.", np.isfinite)


@operation()
def bitwise_not(input):
    """`~input`: the opposite booleans, or the integers with all bits turned."""
    if input.dtype.kind == "f":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return ~input

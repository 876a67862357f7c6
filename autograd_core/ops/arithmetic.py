"""Arithmetic on each pair of elements: sums, products, quotients, powers, remainders.

If a PyTorch function has several nodes (`pow` has PowBackward0, 1 and 2), each of them is an
operation of its own, and the public function below them chooses one.

The operators call these functions: `compat/tensor.py` binds `*` to `mul`, `+` to `add`, and so on.
"""

import functools

import numpy as np

from ..core.operation import formula, operation, plain_number
from ..core.public import public
from ..core.tensor import TensorBase

# an operation whose inputs are broadcast to one shape and promoted to one type
pairwise = functools.partial(operation, broadcasts=True, promotes=True)


@formula("g * alpha")
def _times(g, alpha):
    return g if alpha == 1 else g * alpha


@formula("-g * alpha")
def _minus_times(g, alpha):
    return -g if alpha == 1 else -g * alpha


@public("T", "Tensor", "Tensor_", example="T.add(a, b, alpha=0.5)", a=(2, 3), b=(3,))
@pairwise(input=lambda g: g, other=_times, sign="+")
def add(input, other, alpha=1):
    """`input + alpha * other`."""
    return input + other if alpha == 1 else input + alpha * other


@public("T", "Tensor", "Tensor_", example="T.sub(a, b)", a=(2, 3), b=(3,))
@pairwise(input=lambda g: g, other=_minus_times, sign="−")
def sub(input, other, alpha=1):
    """`input - alpha * other`."""
    return input - other if alpha == 1 else input - alpha * other


@operation(name="rsub", node="RsubBackward1", input=lambda g: -g, promotes=True, sign="1−")
def number_minus(input, other):
    """`other - input`, for a number `other`."""
    return other - input


def rsub(input, other):
    """`other - input`, for the operator `-`."""
    return sub(other, input) if isinstance(other, TensorBase) else number_minus(input, other)


@public("T", "Tensor", "Tensor_", example="T.mul(a, b)", a=(2, 3), b=(3,))
@pairwise(input=lambda g, other: g * other, other=lambda g, input: g * input, sign="×")
def mul(input, other):
    """`input * other`, with broadcasting and type promotion."""
    return input * other


@public("T", "Tensor", "Tensor_", example="T.div(a, b)", a=(2, 3), b=[1.0, -2.0, 3.0])
@pairwise(
    input=lambda g, other: g / other,
    other=lambda g, input, other: -g * (input / other) / other,
    promotes="float",
    sign="÷",
)
def div(input, other):
    """`input / other`. Integers are converted to floating point."""
    return input / other


@public("T", "Tensor", "Tensor_", example="T.neg(a)", a=(0,))
@operation(input=lambda g: -g, sign="−")
def neg(input):
    """`-input`."""
    return -input


@public("T", "Tensor", "Tensor_", example="T.reciprocal(a)", a=[0.5, -2.0, 3.0])
@operation(promotes="float", input=lambda g, result: -g * (result * result))
def reciprocal(input):
    """`1 / input`, infinite at 0. Integers are converted to floating point."""
    return 1 / input


def reciprocal_times(input, other):
    """`other / input` for a number `other`, computed by a reciprocal as in PyTorch."""
    return mul(reciprocal(input), other)


# ---- powers --------------------------------------------------------------------------------------


@formula("g * exponent * input ** (exponent - 1)")
def _power_of_constant(ops, g, input, exponent):
    return g * (exponent * ops.pow_scalar(input, exponent - 1)) if exponent else ops.zeros_like(g)


@operation(node="PowBackward0", input=_power_of_constant, promotes=True, sign="xⁿ")
def pow_scalar(input, exponent):
    """`input ** exponent`, for a number `exponent`."""
    if exponent == 2:
        return input * input
    return input**exponent


@formula("g * exponent * input ** (exponent - 1)")
def _power_in_base(ops, g, input, exponent, result):
    """The gradient is 0 if the exponent is 0. PyTorch's node saves its result too."""
    slope = exponent * ops.pow_tensor(input, exponent - 1)
    return ops.where_tensor(exponent == 0, exponent * 0, g * slope)


@formula("g * result * log(input)")
def _power_in_exponent(ops, g, input, exponent, result):
    """The gradient is 0 for base 0 and an exponent of at least 0."""
    if isinstance(input, np.ndarray) and input.dtype.kind != "f":
        input = input.astype(g.dtype)
    return g * ops.where_tensor((input == 0) & (exponent >= 0), result * 0, result * ops.log(input))


@formula("g * result * log(input)")
def _power_of_number(ops, g, input, exponent, result):
    """The gradient is 0 for base 0 and an exponent of at least 0."""
    slope = result * np.log(input)
    return g * (slope if input else ops.masked(slope, exponent < 0))


@pairwise(
    name="pow", node="PowBackward1", input=_power_in_base, exponent=_power_in_exponent, sign="xⁿ"
)
def pow_tensor(input, exponent):
    """`input ** exponent`, for a tensor `exponent`."""
    return input**exponent


@operation(node="PowBackward2", exponent=_power_of_number, promotes=True, sign="xⁿ")
def pow_of_scalar(input, exponent):
    """`input ** exponent`, for a number `input` and a tensor `exponent`."""
    return exponent.dtype.type(input) ** exponent


@public("T", "Tensor", "Tensor_", example="T.pow(a, 3)", a=(2, 3))
def pow(input, exponent):
    """`input ** exponent`. One of them may be a number."""
    if not isinstance(exponent, TensorBase):
        return pow_scalar(input, plain_number(exponent))
    if isinstance(input, TensorBase):
        return pow_tensor(input, exponent)
    return pow_of_scalar(plain_number(input), exponent)


@public("T", "Tensor", "Tensor_", example="T.square(a)", a=(2,))
def square(input):
    """`input ** 2`."""
    return pow_scalar(input, 2)


# ---- integer division and remainder --------------------------------------------------------------


def _check_divisor(input, other):
    """Raise ZeroDivisionError for an integer divided by 0, for which NumPy returns 0."""
    if np.result_type(input, other).kind != "f" and not np.all(other):
        raise ZeroDivisionError("an integer cannot be divided by 0")


@operation(broadcasts=True, promotes=True)
def whole_quotient(input, other):
    """`input // other`."""
    _check_divisor(input, other)
    return np.floor_divide(input, other)


def _check_no_gradient(*operands):
    if any(isinstance(x, TensorBase) and x.requires_grad for x in operands):
        raise RuntimeError("this quotient or remainder has no derivative: detach() its inputs")


@public("T", "Tensor", "Tensor_", example="T.floor_divide(c, 2)", c=[7, -7])
def floor_divide(input, other):
    """`input // other`. Raises RuntimeError if `input` or `other` requires a gradient."""
    _check_no_gradient(input, other)
    return whole_quotient(input, other)


@operation(node="RemainderBackward0", input=lambda g: g, promotes=True)
def remainder_of_number(input, other):
    """`input % other` for a number `other`. The result has the sign of `other`, but a result of 0
    has the sign of `input`, as in PyTorch.
    """
    _check_divisor(input, other)
    rest = np.remainder(input, other)
    return np.where(rest == 0, np.copysign(rest, input), rest) if rest.dtype.kind == "f" else rest


@pairwise(
    node="RemainderBackward1",
    input=lambda g: g,
    other=lambda ops, g, input, other: -g * ops.floor(input / other),
)
def remainder_of_tensor(input, other):
    """Like `remainder_of_number`, for a tensor `other`."""
    return remainder_of_number.forward(input, other)


@public("T", "Tensor", "Tensor_", example="T.remainder(a, 2)", a=(2, 3))
def remainder(input, other):
    """`input % other`, with the sign of `other`. If `input` is a number, it isn't differentiable."""
    if not isinstance(other, TensorBase):
        return remainder_of_number(input, plain_number(other))
    if not isinstance(input, TensorBase):
        _check_no_gradient(other)
    return remainder_of_tensor(input, other)

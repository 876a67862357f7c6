"""Operations on each element: arithmetic, powers, exponentials, rounding, choosing between tensors.

Where a function has a kink, the slope there is PyTorch's: 0 for `relu` and `abs` at 0, 1 for
`clamp` at its bounds, a half to each side for `maximum` and `minimum` of equal elements.
"""

import functools

import numpy as np

from ..core.graph import check
from ..core.operation import formula, operation
from ..core.public import public
from ..core.types import NAMES, cut, result_type, stored

pairwise = functools.partial(operation, broadcasts=True, promotes=True)
smooth = functools.partial(operation, promotes="float")  # integers become floating point first


def refuse(kinds, dtype, kernel):
    """Raises NotImplementedError, in the words of PyTorch's `kernel`, if `dtype` is one of `kinds`."""
    if dtype.kind in kinds:
        cure = ": use .float() first" if dtype.kind in "iu" else ""
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{NAMES[dtype]}'{cure}")


# ---- arithmetic ----------------------------------------------------------------------------------


@formula("g * alpha")
def _times(g, alpha):
    return g if alpha == 1 else g * alpha


@formula("-g * alpha")
def _minus_times(g, alpha):
    return -g if alpha == 1 else -g * alpha


@pairwise(input=lambda g: g, other=_times, sign="+")
def add(input, other, alpha=1):
    """`input + alpha * other`."""
    return input + other if alpha == 1 else input + cut(alpha, input.dtype) * other


@pairwise(input=lambda g: g, other=_minus_times, sign="−")
def sub(input, other, alpha=1):
    """`input - alpha * other`."""
    return input - other if alpha == 1 else input - cut(alpha, input.dtype) * other


@operation(node="RsubBackward1", input=lambda g: -g, promotes=True, sign="1−")
def rsub(input, other):
    """`other - input`, for a number `other`."""
    return other - input if input.dtype.kind == "f" else cut(other, input.dtype) - input


@public("T", "Tensor", "Tensor_", example="T.mul(a, b)", a=(2, 3), b=(3,))
@pairwise(input=lambda g, other: g * other, other=lambda g, input: g * input, sign="×")
def mul(input, other):
    """`input * other`, stretched to one size (else RuntimeError), brought to one type."""
    return input * other


@pairwise(
    input=lambda g, other: g / other,
    other=lambda g, input, other: -g * (input / other) / other,
    promotes="float",
    sign="÷",
)
def div(input, other):
    """`input / other`; integers give floating point."""
    return input / other


@public("T", "Tensor", "Tensor_", example="T.neg(a)", a=(0,))
@operation(input=lambda g: -g, sign="−")
def neg(input):
    """`-input`. Raises RuntimeError for booleans."""
    if input.dtype.kind == "b":
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported: use `~`")
    return -input


@public("T", "Tensor", "Tensor_", example="T.reciprocal(a)", a=[0.5, -2.0, 3.0])
@smooth(input=lambda g, result: -g * (result * result))
def reciprocal(input):
    """`1 / input`; integers give floating point. At 0 it is infinite."""
    return 1 / input


@public("T", "Tensor", "Tensor_", example="T.abs(a)", a=(2, 3))
@operation(input=lambda ops, g, input: g * ops.sign(input), sign="|x|")
def abs(input):
    """`|input|`, with slope 0 at 0. Raises NotImplementedError for booleans."""
    refuse("b", input.dtype, "abs_cpu")
    return np.abs(input)


@public("T", "Tensor", "Tensor_", example="T.sign(a)", a=(2, 3))
@operation(input=lambda ops, g: ops.zeros_like(g))
def sign(input):
    """-1, 0 or 1, as `input` is negative, zero (or nan) or positive; its derivative is zero."""
    if input.dtype.kind == "b":
        return input.copy()
    return (input > 0).astype(input.dtype) - (input < 0)


# ---- powers, exponentials, logarithms ------------------------------------------------------------


@formula("g * exponent * input ** (exponent - 1)")
def _power_of_constant(ops, g, input, exponent):
    return g * (exponent * ops.pow_scalar(input, exponent - 1)) if exponent else ops.zeros_like(g)


@operation(node="PowBackward0", input=_power_of_constant, promotes=True, sign="xⁿ")
def pow_scalar(input, exponent):
    """`input ** exponent`, for a number `exponent`."""
    if input.dtype.kind == "b":
        return input | (not exponent)
    if exponent == 2:
        return input * input
    if input.dtype.kind in "iu" and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed: use .float()")
    return input ** (exponent if input.dtype.kind == "f" else stored(exponent, input.dtype))


@formula("g * exponent * input ** (exponent - 1)")
def _power_in_base(ops, g, input, exponent, result):
    """0 where the exponent is 0. PyTorch's node keeps its result here too."""
    slope = exponent * ops.pow(input, exponent - 1)
    return ops.where(exponent == 0, exponent * 0, g * slope)


@formula("g * result * log(input)")
def _power_in_exponent(ops, g, input, exponent, result):
    """0 ** 0 counts as constant."""
    if isinstance(input, np.ndarray) and input.dtype.kind != "f":
        input = input.astype(g.dtype)
    return g * ops.where((input == 0) & (exponent >= 0), result * 0, result * ops.log(input))


def _power(input, exponent):
    """`input ** exponent`. A negative power of an integer other than 1 and -1 is 0, as in PyTorch."""
    if "f" in (input.dtype.kind, exponent.dtype.kind):
        return input**exponent
    return np.where((exponent < 0) & (np.abs(input) != 1), 0, input ** np.abs(exponent))


@pairwise(node="PowBackward1", input=_power_in_base, exponent=_power_in_exponent, sign="xⁿ")
def pow(input, exponent):
    """`input ** exponent`, for a tensor `exponent`."""
    refuse("b", input.dtype, "pow")  # both are of one type here
    return _power(input, exponent)


@formula("g * result * log(input)")
def _power_of_number(ops, g, input, exponent, result):
    """0 ** 0 counts as constant."""
    slope = result * np.log(input)
    return g * (slope if input else ops.masked(slope, exponent < 0))


@operation(node="PowBackward2", exponent=_power_of_number, promotes=True, sign="xⁿ")
def pow_of_scalar(input, exponent):
    """`input ** exponent`, for a number `input` and a tensor `exponent`."""
    refuse("b", exponent.dtype, "pow")
    return _power(exponent.dtype.type(cut(input, exponent.dtype)), exponent)


@public("T", "Tensor", "Tensor_", example="T.exp(a)", a=(2, 3))
@smooth(input=lambda g, result: g * result, sign="eˣ")
def exp(input):
    """`e ** input`; integers give floating point."""
    return np.exp(input)


@public("T", "Tensor", "Tensor_", example="T.log(a)", a=[0.5, 1.0, 3.0])
@smooth(input=lambda g, input: g / input, sign="ln")
def log(input):
    """The natural logarithm; -inf at 0, nan below. Integers give floating point."""
    return np.log(input)


@public("T", "Tensor", example="T.log1p(a)", a=[0.5, 1.0, 3.0])
@smooth(node="Log1PBackward0", input=lambda g, input: g / (1 + input))
def log1p(input):
    """`log(1 + input)`, exact near 0. Integers give floating point."""
    return np.log1p(input)


@public("T", "Tensor", "Tensor_", example="T.sqrt(a)", a=[0.5, 1.0, 4.0])
@smooth(input=lambda g, result: g / (2 * result), sign="√")
def sqrt(input):
    """The square root; its slope at 0 is infinite, below 0 it is nan. Integers give floating point."""
    return np.sqrt(input)


@public("T", "Tensor", "Tensor_", example="T.rsqrt(a)", a=[0.5, 1.0, 4.0])
@smooth(input=lambda ops, g, result: g * -0.5 * ops.pow_scalar(result, 3))
def rsqrt(input):
    """`1 / sqrt(input)`; inf at 0, nan below. Integers give floating point."""
    return 1 / np.sqrt(input)


@public("T", "Tensor", "Tensor_", example="T.sin(a)", a=(2, 3))
@smooth(input=lambda ops, g, input: g * ops.cos(input), sign="sin")
def sin(input):
    """The sine, `input` in radians; integers give floating point."""
    return np.sin(input)


@public("T", "Tensor", "Tensor_", example="T.cos(a)", a=(2, 3))
@smooth(input=lambda ops, g, input: -g * ops.sin(input), sign="cos")
def cos(input):
    """The cosine, `input` in radians; integers give floating point."""
    return np.cos(input)


@public("T", "Tensor", example="T.atan(a)", a=(2, 3))
@smooth(input=lambda g, input: g / (input * input + 1))
def atan(input):
    """The angle, in radians, whose tangent is `input`; integers give floating point."""
    return np.arctan(input)


@public("T", "Tensor", "Tensor_", "F", example="T.tanh(a)", a=(2, 3))
@smooth(input=lambda g, result: g * (1 - result * result), sign="th")
def tanh(input):
    """The hyperbolic tangent, between -1 and 1; integers give floating point."""
    return np.tanh(input)


@public("T", "Tensor", "Tensor_", "F", example="T.sigmoid(a)", a=(2, 3))
@smooth(input=lambda g, result: g * ((1 - result) * result), sign="σ")
def sigmoid(input):
    """`1 / (1 + exp(-input))`, between 0 and 1; integers give floating point."""
    return 1 / (1 + np.exp(-input))


# ---- rounding: between the steps the slope is 0 --------------------------------------------------


@public("T", "Tensor", "Tensor_", example="T.floor(a)", a=(2, 3))
@operation(input=lambda ops, g: ops.zeros_like(g))
def floor(input):
    """The greatest whole number not above `input`, of the same type. Not for booleans."""
    refuse("b", input.dtype, "floor_vml_cpu")
    return np.floor(input)


@public("T", "Tensor", "Tensor_", example="T.ceil(a)", a=(2, 3))
@operation(input=lambda ops, g: ops.zeros_like(g))
def ceil(input):
    """The smallest whole number not below `input`, of the same type. Not for booleans."""
    refuse("b", input.dtype, "ceil_vml_cpu")
    return np.ceil(input)


@public("T", "Tensor", "Tensor_", example="T.round(a)", a=(2, 3))
@operation(input=lambda ops, g: ops.zeros_like(g))
def round(input):
    """The nearest whole number, the even one of two equally near; same type. Not for booleans."""
    refuse("b", input.dtype, "round_vml_cpu")
    return np.round(input)


def _check_divisor(kernel, input, other):
    kind = result_type(input, other)
    refuse("b", kind, f"{kernel}_cpu")
    check(kind.kind == "f" or np.all(other), "ZeroDivisionError: integers cannot be divided by 0")


@pairwise(
    node="DivBackward2",
    input=lambda ops, g: ops.zeros_like(g),
    other=lambda ops, g: ops.zeros_like(g),
    sign="÷",
)
def rounded_div(input, other, rounding_mode):
    """`input / other`, rounded down ("floor") or towards zero ("trunc"). Integers stay integers."""
    modes = "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {!r}"
    check(rounding_mode in ("floor", "trunc"), modes, rounding_mode)
    _check_divisor(f"div_{rounding_mode}", input, other)
    down = np.floor_divide(input, other)
    if rounding_mode == "floor":
        return down
    if down.dtype.kind == "f":
        return np.trunc(input / other)
    return np.where((down < 0) & (down * other != input), down + 1, down)


def _remainder(input, other):
    """`input % other`. A result of 0 has the sign of `input`, as in PyTorch; NumPy gives `other`'s."""
    rest = np.remainder(input, other)
    return np.where(rest == 0, np.copysign(rest, input), rest) if rest.dtype.kind == "f" else rest


@operation(node="RemainderBackward0", input=lambda g: g, promotes=True)
def remainder_of_number(input, other):
    """What is left of `input` after division by the number `other`, with the sign of `other`."""
    _check_divisor("remainder", input, other)
    return _remainder(input, cut(other, input.dtype))


@pairwise(
    node="RemainderBackward1",
    input=lambda g: g,
    other=lambda ops, g, input, other: -g * ops.rounded_div(input, other, "floor"),
)
def remainder_of_tensor(input, other):
    """What is left of `input` after division by `other`, with the sign of `other`."""
    _check_divisor("remainder", input, other)
    return _remainder(input, other)


def _not_implemented(g, function):
    raise RuntimeError(f"derivative for aten::{function} is not implemented: detach() the input")


@pairwise(node="torch::autograd::NotImplemented", input=_not_implemented, other=_not_implemented)
def without_derivative(input, other, function):
    """`input // other`, or of a number `input % other`: a backward pass that meets it raises."""
    if function == "floor_divide":
        return rounded_div.forward(input, other, "floor")
    return remainder_of_tensor.forward(input, other)


# ---- kinks, and choosing -------------------------------------------------------------------------


@operation(input=lambda ops, g, mask: ops.masked(g, mask), constants=("mask",))
def masked(input, mask):
    """`input` where `mask`, of its shape, is true; else exactly 0, even in place of inf and nan."""
    if not input.ndim:
        return input if mask else input.dtype.type(0)
    # by the bits, as np.where is up to 15 times slower
    bits = f"i{input.dtype.itemsize}"
    return (input.view(bits) * mask).view(input.dtype)


@operation(
    node="ThresholdBackwardBackward0",
    grad=lambda ops, g, of, above, below: ops.by_side(g, of, above, below),
    of=lambda ops, g: ops.zeros_like(g),
    constants=("above",),
)
def by_side(grad, of, above, below):
    """`grad` where `above`, else `below * grad`: a kink. It depends on `of` too, with slope 0."""
    return np.where(above, grad, grad * below) if below else masked.forward(grad, above)


@formula("masked(g, result != 0)")
def _where_positive(ops, g, result):
    return ops.by_side(g, result, result != 0, 0)


@public("T", "Tensor", "Tensor_", example="T.relu(a)", a=(2, 3))
@operation(input=_where_positive, sign="⌐")
def relu(input):
    """`max(input, 0)`, with slope 0 at 0. Raises RuntimeError for booleans."""
    if input.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return np.maximum(input, 0)


def _inside(input, min, max):
    """Where `input` lies between the bounds, bounds included."""
    if min is None:
        return input <= max
    return input >= min if max is None else (input >= min) & (input <= max)


@operation(
    node="ClampBackward1",
    input=lambda ops, g, input, min, max: ops.masked(g, _inside(input, min, max)),
    promotes=True,
    sign="⊓",
)
def clamp(input, min=None, max=None):
    """`input`, with what is outside [min, max] moved to the bound. At the bounds the slope is 1."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if input.dtype.kind in "iu":
        min, max = (None if bound is None else stored(bound, input.dtype) for bound in (min, max))
    return np.clip(input, min, max)


@pairwise(
    node="ClampBackward0",
    optional=("min", "max"),
    input=lambda ops, g, input, min, max: ops.masked(g, _inside(input, min, max)),
    min=lambda ops, g, input, min, max: ops.masked(
        g, input < min if max is None else (input < min) & (min < max)
    ),
    max=lambda ops, g, input, min, max: ops.masked(
        g, input > max if min is None else (input > max) | (max < min)
    ),
)
def clamp_to_tensors(input, min=None, max=None):
    """As `clamp`, with tensors for bounds. The gradient of what was moved goes to its bound."""
    return np.clip(input, min, max)


@operation(input=lambda ops, g, input, min: ops.masked(g, input >= min))
def clamp_min(input, min):
    """`input`, with what is below `min` moved to it. At `min` itself the slope is 1."""
    return np.maximum(input, input.dtype.type(min))


@pairwise(
    input=lambda ops, g, condition: ops.masked(g, condition),
    other=lambda ops, g, condition: ops.masked(g, ~condition),
    constants=("condition",),
    sign="?:",
)
def where(condition, input, other):
    """`input` where `condition` is true, else `other`."""
    if condition.dtype != np.bool_:
        raise RuntimeError("where expected condition to be a boolean tensor: write c != 0")
    return np.where(condition, input, other)


def _share(ops, g, loses, ties):
    """The gradient of one side: a half where both are equal. Where one is nan, both win."""
    return ops.masked(ops.where(ties, g / 2, g), ~loses)


@pairwise(
    input=lambda ops, g, input, other: _share(ops, g, input < other, input == other),
    other=lambda ops, g, input, other: _share(ops, g, other < input, input == other),
)
def maximum(input, other):
    """The greater of each pair; nan wins. Equal elements share the gradient."""
    return np.maximum(input, other)


@pairwise(
    input=lambda ops, g, input, other: _share(ops, g, input > other, input == other),
    other=lambda ops, g, input, other: _share(ops, g, other > input, input == other),
)
def minimum(input, other):
    """The smaller of each pair; nan wins. Equal elements share the gradient."""
    return np.minimum(input, other)

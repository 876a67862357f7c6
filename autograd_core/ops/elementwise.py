"""Operations on each element: arithmetic, powers, exponentials, mixing and choosing between
tensors.

Where a function has a kink, the slope there is PyTorch's: 0 for `relu` and `abs` at 0, 1 for
`clamp` at its bounds, a half to each side for `maximum` and `minimum` of equal elements.
"""

import functools

import numpy as np

from ..core.graph import check
from ..core.operation import formula, operation
from ..core.types import bring_to_one_type, cut, result_type, stored

pairwise = functools.partial(operation, broadcasts=True, promotes=True)
smooth = functools.partial(operation, promotes="float")  # integers become floating point first

# ---- arithmetic ----------------------------------------------------------------------------------


@formula("g * alpha")
def _times(g, alpha):
    return g if alpha == 1 else g * alpha


@formula("-g * alpha")
def _minus_times(g, alpha):
    return -g if alpha == 1 else -g * alpha


@pairwise(input=lambda g: g, other=_times)
def add(input, other, alpha=1):
    """`input + alpha * other`."""
    return input + other if alpha == 1 else input + cut(alpha, input.dtype) * other


@pairwise(input=lambda g: g, other=_minus_times)
def sub(input, other, alpha=1):
    """`input - alpha * other`."""
    return input - other if alpha == 1 else input - cut(alpha, input.dtype) * other


@operation(node="RsubBackward1", input=lambda g: -g, promotes=True)
def rsub(input, other):
    """`other - input`, for a number `other`."""
    return other - input if input.dtype.kind == "f" else cut(other, input.dtype) - input


@pairwise(input=lambda g, other: g * other, other=lambda g, input: g * input)
def mul(input, other):
    """`input * other`."""
    return input * other


@pairwise(
    input=lambda g, other: g / other,
    other=lambda g, input, other: -g * (input / other) / other,
    promotes="float",
)
def div(input, other):
    """`input / other`; integers give floating point."""
    return input / other


@operation(input=lambda g: -g)
def neg(input):
    """`-input`."""
    if input.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported: use `~` to invert a"
            " mask"
        )
    return -input


@smooth(input=lambda g, result: -g * (result * result))
def reciprocal(input):
    """`1 / input`."""
    return 1 / input


@operation(input=lambda ops, g, input: g * ops.sign(input))
def abs(input):
    """`|input|`, with slope 0 at 0."""
    check(
        input.dtype.kind != "b", "\"abs_cpu\" not implemented for 'Bool'", error=NotImplementedError
    )
    return np.abs(input)


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


@operation(node="PowBackward0", input=_power_of_constant, promotes=True)
def pow_scalar(input, exponent):
    """`input ** exponent`, for a number `exponent`."""
    if input.dtype.kind == "b":
        return input | (not exponent)
    if exponent == 2:
        return input * input
    if input.dtype.kind in "iu" and exponent < 0:
        raise RuntimeError(
            "Integers to negative integer powers are not allowed: make the base floating point"
            " first"
        )
    return input ** (exponent if input.dtype.kind == "f" else stored(exponent, input.dtype))


@formula("g * exponent * input ** (exponent - 1)")
def _power_in_base(ops, g, input, exponent, result):
    """0 where the exponent is 0. PyTorch's node keeps its result here too."""
    return g * ops.where(exponent == 0, exponent * 0, exponent * ops.pow(input, exponent - 1))


@formula("g * result * log(input)")
def _power_in_exponent(ops, g, input, exponent, result):
    """0 ** 0 counts as constant."""
    if isinstance(input, np.ndarray) and input.dtype.kind != "f":
        input = input.astype(g.dtype)
    return g * ops.where((input == 0) & (exponent >= 0), result * 0, result * ops.log(input))


def _check_powers(input, exponent):
    check(
        result_type(input, exponent).kind != "b",
        "\"pow\" not implemented for 'Bool'",
        error=NotImplementedError,
    )


@pairwise(node="PowBackward1", input=_power_in_base, exponent=_power_in_exponent)
def pow(input, exponent):
    """`input ** exponent`, for a tensor `exponent`. Of integers a negative power is the whole part
    of the fraction.
    """
    _check_powers(input, exponent)
    if input.dtype.kind in "iu" and exponent.dtype.kind == "i" and np.any(exponent < 0):
        whole = np.where(input == 1, 1, np.where(input == -1, 1 - 2 * (exponent % 2), 0))
        return np.where(exponent < 0, whole, input ** np.maximum(exponent, 0)).astype(
            exponent.dtype
        )
    return input**exponent


@formula("g * result * log(input)")
def _power_of_number(ops, g, input, exponent, result):
    """0 ** 0 counts as constant."""
    slope = g * (result * np.log(input))
    return slope if input else ops.masked(slope, exponent < 0)


@operation(node="PowBackward2", exponent=_power_of_number, promotes=True)
def pow_of_scalar(input, exponent):
    """`input ** exponent`, for a number `input` and a tensor `exponent`."""
    _check_powers(input, exponent)
    return cut(input, exponent.dtype) ** exponent


@smooth(input=lambda g, result: g * result)
def exp(input):
    """`e ** input`."""
    return np.exp(input)


@smooth(input=lambda g, input: g / input)
def log(input):
    """The natural logarithm; -inf at 0, nan below."""
    return np.log(input)


@smooth(node="Log1PBackward0", input=lambda g, input: g / (1 + input))
def log1p(input):
    """`log(1 + input)`, exact near 0."""
    return np.log1p(input)


@smooth(input=lambda g, result: g / (2 * result))
def sqrt(input):
    """The square root; its slope at 0 is infinite."""
    return np.sqrt(input)


@smooth(input=lambda ops, g, input: g * ops.cos(input))
def sin(input):
    """The sine, `input` in radians."""
    return np.sin(input)


@smooth(input=lambda ops, g, input: -g * ops.sin(input))
def cos(input):
    """The cosine, `input` in radians."""
    return np.cos(input)


@smooth(input=lambda g, result: g * (1 - result * result))
def tanh(input):
    """The hyperbolic tangent."""
    return np.tanh(input)


# ---- what networks use between layers ------------------------------------------------------------


@smooth(input=lambda g, result: g * ((1 - result) * result))
def sigmoid(input):
    """`1 / (1 + exp(-input))`, between 0 and 1."""
    return 1 / (1 + np.exp(-input))


@operation(input=lambda ops, g, mask: ops.masked(g, mask), constants=("mask",))
def masked(input, mask):
    """`input` where `mask` is true, else exactly 0, even in place of inf and nan. The mask has the
    input's shape.
    """
    if not input.ndim:
        return input if mask else input.dtype.type(0)
    # by the bits, as np.where is up to 15 times slower
    bits = f"i{input.dtype.itemsize}"
    return (input.view(bits) * mask).view(input.dtype)


@operation(
    node="ThresholdBackwardBackward0",
    grad=lambda ops, g, result_of: ops.masked(g, result_of != 0),
    result_of=lambda ops, g: ops.zeros_like(g),
)
def threshold_backward(grad, result_of):
    """`grad` where `result_of`, a result of `relu`, is not 0. It depends on both, on the second
    with slope 0.
    """
    return masked.forward(grad, result_of != 0)


@formula("masked(g, result != 0)")
def _where_positive(ops, g, result):
    return ops.threshold_backward(g, result)


@operation(input=_where_positive)
def relu(input):
    """`max(input, 0)`, with slope 0 at 0."""
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
)
def clamp(input, min=None, max=None):
    """`input`, with everything outside [min, max] moved to the bound. At the bounds themselves the
    slope is 1.
    """
    check(
        min is not None or max is not None,
        "torch.clamp: At least one of 'min' or 'max' must not be None",
    )
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
    """As `clamp`, with tensors for bounds. The gradient of what was moved goes to its bound, to
    `max` if they cross.
    """
    return np.clip(input, min, max)


# ---- of three tensors ----------------------------------------------------------------------------


@operation(
    node="LerpBackward0",
    input=lambda g, weight: g * (1 - weight),
    end=lambda g, weight: g * weight,
    broadcasts=True,
)
def lerp_by_number(input, end, weight):
    """From `input` towards `end` by the part `weight`, a number."""
    return input + weight * (end - input) if weight < 0.5 else end - (end - input) * (1 - weight)


@operation(
    node="LerpBackward1",
    input=lambda g, weight: g * (1 - weight),
    end=lambda g, weight: g * weight,
    weight=lambda g, input, end: g * (end - input),
    broadcasts=True,
)
def lerp_by_tensor(input, end, weight):
    """From `input` towards `end` by the parts `weight`."""
    return input + weight * (end - input)


@operation(
    input=lambda g: g,
    tensor1=lambda g, tensor2, value: g * (tensor2 * value),
    tensor2=lambda g, tensor1, value: g * (tensor1 * value),
    broadcasts=True,
    promotes=True,
)
def addcmul(input, tensor1, tensor2, value=1):
    """`input + value * tensor1 * tensor2`."""
    return input + (value if input.dtype.kind == "f" else int(value)) * tensor1 * tensor2


@operation(
    input=lambda g: g,
    tensor1=lambda g, tensor2, value: g * (value / tensor2),
    tensor2=lambda g, tensor1, tensor2, value: -g * (value / tensor2) * (tensor1 / tensor2),
    broadcasts=True,
)
def addcdiv(input, tensor1, tensor2, value=1):
    """`input + value * tensor1 / tensor2`."""
    check(
        "f" in (tensor1.dtype.kind, tensor2.dtype.kind),
        "Integer division with addcdiv is no longer supported: use .float() first",
    )
    input, tensor1, tensor2 = bring_to_one_type([input, tensor1, tensor2])
    return input + value * (tensor1 / tensor2)


# ---- choosing ------------------------------------------------------------------------------------


@pairwise(
    input=lambda ops, g, condition: ops.masked(g, condition),
    other=lambda ops, g, condition: ops.masked(g, ~condition),
    constants=("condition",),
)
def where(condition, input, other):
    """`input` where `condition` is true, else `other`."""
    if condition.dtype != np.bool_:
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, not {condition.dtype}: write c != 0"
        )
    return np.where(condition, input, other)


def _share(ops, g, loses, ties):
    """The gradient of one side: nothing where it loses, a half where both are equal. Where one is
    nan, both win.
    """
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

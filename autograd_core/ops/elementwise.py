"""Elementwise functions: exponentials, rounding, functions with kinks, selection between tensors.

The slope at a kink is PyTorch's: 0 for `relu` and `abs` at 0, 1 for `clamp` at its bounds. For equal
elements, `maximum` and `minimum` send half of the gradient to each input.
"""

import functools

import numpy as np

from ..core.operation import formula, operation, plain_number
from ..core.public import public
from ..core.tensor import TensorBase, wrap
from ..core.types import result_type
from .arithmetic import pairwise
from .gathering import nonzero

smooth = functools.partial(operation, promotes="float")  # converts integers to floating point


@public("T", "Tensor", "Tensor_", example="T.abs(a)", a=(2, 3))
@operation(input=lambda ops, g, input: g * ops.sign(input), sign="|x|")
def abs(input):
    """`|input|`. Its slope at 0 is 0."""
    return np.abs(input)


@public("T", "Tensor", "Tensor_", example="T.sign(a)", a=(2, 3))
@operation(input=lambda ops, g: ops.zeros_like(g))
def sign(input):
    """-1 if `input` is negative, 1 if it is positive, else (0 or nan) 0. The derivative is 0."""
    if input.dtype.kind == "b":
        return input.copy()
    return (input > 0).astype(input.dtype) - (input < 0)


# ---- exponentials, logarithms, angles ------------------------------------------------------------


@public("T", "Tensor", "Tensor_", example="T.exp(a)", a=(2, 3))
@smooth(input=lambda g, result: g * result, sign="eˣ")
def exp(input):
    """`e ** input`. Integers are converted to floating point."""
    return np.exp(input)


@public("T", "Tensor", "Tensor_", example="T.log(a)", a=[0.5, 1.0, 3.0])
@smooth(input=lambda g, input: g / input, sign="ln")
def log(input):
    """The natural logarithm: -inf at 0, nan below 0. Integers are converted to floating point."""
    return np.log(input)


@public("T", "Tensor", example="T.log1p(a)", a=[0.5, 1.0, 3.0])
@smooth(node="Log1PBackward0", input=lambda g, input: g / (1 + input))
def log1p(input):
    """`log(1 + input)`, accurate even near 0. Integers are converted to floating point."""
    return np.log1p(input)


@public("T", "Tensor", "Tensor_", example="T.sqrt(a)", a=[0.5, 1.0, 4.0])
@smooth(input=lambda g, result: g / (2 * result), sign="√")
def sqrt(input):
    """The square root: nan below 0, slope inf at 0. Integers are converted to floating point."""
    return np.sqrt(input)


@public("T", "Tensor", "Tensor_", example="T.rsqrt(a)", a=[0.5, 1.0, 4.0])
@smooth(input=lambda ops, g, result: g * -0.5 * ops.pow_scalar(result, 3))
def rsqrt(input):
    """`1 / sqrt(input)`: inf at 0, nan below 0. Integers are converted to floating point."""
    return 1 / np.sqrt(input)


@public("T", "Tensor", "Tensor_", example="T.sin(a)", a=(2, 3))
@smooth(input=lambda ops, g, input: g * ops.cos(input), sign="sin")
def sin(input):
    """The sine of `input` in radians. Integers are converted to floating point."""
    return np.sin(input)


@public("T", "Tensor", "Tensor_", example="T.cos(a)", a=(2, 3))
@smooth(input=lambda ops, g, input: -g * ops.sin(input), sign="cos")
def cos(input):
    """The cosine of `input` in radians. Integers are converted to floating point."""
    return np.cos(input)


@public("T", "Tensor", "Tensor_", "F", example="T.tanh(a)", a=(2, 3))
@smooth(input=lambda g, result: g * (1 - result * result), sign="th")
def tanh(input):
    """The hyperbolic tangent, between -1 and 1. Integers are converted to floating point."""
    return np.tanh(input)


@public("T", "Tensor", "Tensor_", "F", example="T.sigmoid(a)", a=(2, 3))
@smooth(input=lambda g, result: g * ((1 - result) * result), sign="σ")
def sigmoid(input):
    """`1 / (1 + exp(-input))`, between 0 and 1. Integers are converted to floating point."""
    return 1 / (1 + np.exp(-input))


# ---- rounding, with slope 0 ----------------------------------------------------------------------


@public("T", "Tensor", "Tensor_", example="T.floor(a)", a=(2, 3))
@operation(input=lambda ops, g: ops.zeros_like(g))
def floor(input):
    """The greatest integer that isn't above `input`, in the type of `input`."""
    return np.floor(input)


@public("T", "Tensor", "Tensor_", example="T.round(a)", a=(2, 3))
@operation(input=lambda ops, g: ops.zeros_like(g))
def round(input):
    """The nearest integer, halves to the even one, in the type of `input`."""
    return np.round(input)


# ---- kinks, and selection ------------------------------------------------------------------------


@operation(input=lambda ops, g, mask: ops.masked(g, mask), constants=("mask",))
def masked(input, mask):
    """`input` where `mask` (of the same shape) is true, else exactly 0, even for inf and nan."""
    if not input.ndim:
        return input if mask else input.dtype.type(0)
    # multiply the bits, because np.where is up to 15 times slower
    bits = f"i{input.dtype.itemsize}"
    return (input.view(bits) * mask).view(input.dtype)


@operation(
    node="ThresholdBackwardBackward0",
    grad=lambda ops, g, of, above, below: ops.by_side(g, of, above, below),
    of=lambda ops, g: ops.zeros_like(g),
    constants=("above",),
)
def by_side(grad, of, above, below):
    """`grad` where `above` is true, else `below * grad`. It also depends on `of`, with slope 0."""
    return np.where(above, grad, grad * below) if below else masked.forward(grad, above)


@formula("masked(g, result != 0)")
def _where_positive(ops, g, result):
    return ops.by_side(g, result, result != 0, 0)


@public("T", "Tensor", "Tensor_", example="T.relu(a)", a=(2, 3))
@operation(input=_where_positive, sign="⌐")
def relu(input):
    """`max(input, 0)`. Its slope at 0 is 0."""
    return np.maximum(input, 0)


def _inside(input, min, max):
    """True where `input` is between the bounds or equal to one."""
    if min is None:
        return input <= max
    return input >= min if max is None else (input >= min) & (input <= max)


@operation(
    name="clamp",
    node="ClampBackward1",
    input=lambda ops, g, input, min, max: ops.masked(g, _inside(input, min, max)),
    promotes=True,
    sign="⊓",
)
def clamp_number(input, min=None, max=None):
    """`input` clamped to [min, max]. The slope is 1 inside and at the bounds, 0 outside."""
    if min is None and max is None:
        raise ValueError("clamp() needs min, max or both")
    return np.clip(input, min, max)


@public("T", "Tensor", "Tensor_", names=("clip",), example="T.clamp(a, -0.5, 0.5)", a=(2, 3))
def clamp(input, min=None, max=None):
    """`input` clamped to [min, max]. One bound may be None. For tensors as bounds see `maximum`."""
    min, max = plain_number(min), plain_number(max)
    if isinstance(min, TensorBase) or isinstance(max, TensorBase):
        raise TypeError("clamp() takes numbers: for tensors use maximum() and minimum()")
    return clamp_number(input, min, max)


@operation(input=lambda ops, g, input, min: ops.masked(g, input >= min))
def clamp_min(input, min):
    """`max(input, min)`. Its slope at `min` is 1."""
    return np.maximum(input, input.dtype.type(min))


@pairwise(
    name="where",
    input=lambda ops, g, condition: ops.masked(g, condition),
    other=lambda ops, g, condition: ops.masked(g, ~condition),
    constants=("condition",),
    sign="?:",
)
def where_tensor(condition, input, other):
    """`input` where `condition` is true, else `other`."""
    if condition.dtype != np.bool_:
        raise TypeError("where() needs a boolean condition: write c != 0")
    return np.where(condition, input, other)


@public("T", example="T.where(c, a, b)", a=(3,), b=(3,), c=[[True], [False]])
def where(condition, input=None, other=None):
    """`input` where `condition` is true, else `other`. Without both, the indices where it is true."""
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if not isinstance(input, TensorBase) and not isinstance(other, TensorBase):
        input = wrap(np.array(input, result_type(plain_number(input))))
    return where_tensor(condition, input, other)


def _share(ops, g, loses, ties):
    """The gradient of one side: half of `g` for equal elements. If one is nan, both get `g`."""
    return ops.masked(ops.where_tensor(ties, g / 2, g), ~loses)


@public("T", "Tensor", example="T.maximum(a, b)", a=(2, 3), b=(3,))
@pairwise(
    input=lambda ops, g, input, other: _share(ops, g, input < other, input == other),
    other=lambda ops, g, input, other: _share(ops, g, other < input, input == other),
)
def maximum(input, other):
    """The greater of each pair, or nan if one is nan. Equal elements share the gradient."""
    return np.maximum(input, other)


@public("T", "Tensor", example="T.minimum(a, b)", a=(2, 3), b=(2, 1))
@pairwise(
    input=lambda ops, g, input, other: _share(ops, g, input > other, input == other),
    other=lambda ops, g, input, other: _share(ops, g, other > input, input == other),
)
def minimum(input, other):
    """The smaller of each pair, or nan if one is nan. Equal elements share the gradient."""
    return np.minimum(input, other)

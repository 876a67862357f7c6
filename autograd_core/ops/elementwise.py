"""Functions of each element: exponentials, rounding, kinks, choosing between tensors.

Where a function has a kink, the slope there is PyTorch's: 0 for `relu` and `abs` at 0, 1 for
`clamp` at its bounds, a half to each side for `maximum` and `minimum` of equal elements.
"""

import functools

import numpy as np

from ..core.operation import formula, operation, plain_number
from ..core.public import public
from ..core.tensor import TensorBase, wrap
from ..core.types import result_type
from .arithmetic import pairwise
from .gathering import nonzero

smooth = functools.partial(operation, promotes="float")  # integers become floating point first


@public("T", "Tensor", "Tensor_", example="T.abs(a)", a=(2, 3))
@operation(input=lambda ops, g, input: g * ops.sign(input), sign="|x|")
def abs(input):
    """`|input|`, with slope 0 at 0."""
    return np.abs(input)


@public("T", "Tensor", "Tensor_", example="T.sign(a)", a=(2, 3))
@operation(input=lambda ops, g: ops.zeros_like(g))
def sign(input):
    """-1, 0 or 1, as `input` is negative, zero (or nan) or positive; its derivative is zero."""
    if input.dtype.kind == "b":
        return input.copy()
    return (input > 0).astype(input.dtype) - (input < 0)


# ---- exponentials, logarithms, angles ------------------------------------------------------------


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
    """The greatest whole number not above `input`, of the same type."""
    return np.floor(input)


@public("T", "Tensor", "Tensor_", example="T.round(a)", a=(2, 3))
@operation(input=lambda ops, g: ops.zeros_like(g))
def round(input):
    """The nearest whole number, the even one of two equally near; same type."""
    return np.round(input)


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
    """`max(input, 0)`, with slope 0 at 0."""
    return np.maximum(input, 0)


def _inside(input, min, max):
    """Where `input` lies between the bounds, bounds included."""
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
    """`input`, with what is outside [min, max] moved to the bound. At the bounds the slope is 1."""
    if min is None and max is None:
        raise ValueError("clamp() needs min, max or both")
    return np.clip(input, min, max)


@public("T", "Tensor", "Tensor_", names=("clip",), example="T.clamp(a, -0.5, 0.5)", a=(2, 3))
def clamp(input, min=None, max=None):
    """`input`, moved into [min, max], two numbers; one may be None. For tensors see `maximum`."""
    min, max = plain_number(min), plain_number(max)
    if isinstance(min, TensorBase) or isinstance(max, TensorBase):
        raise TypeError("clamp() takes numbers: for tensors use maximum() and minimum()")
    return clamp_number(input, min, max)


@operation(input=lambda ops, g, input, min: ops.masked(g, input >= min))
def clamp_min(input, min):
    """`input`, with what is below `min` moved to it. At `min` itself the slope is 1."""
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
    """`input` where `condition`, else `other`. Without both, the places where it is true."""
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if not isinstance(input, TensorBase) and not isinstance(other, TensorBase):
        input = wrap(np.array(input, result_type(plain_number(input))))
    return where_tensor(condition, input, other)


def _share(ops, g, loses, ties):
    """The gradient of one side: a half where both are equal. Where one is nan, both win."""
    return ops.masked(ops.where_tensor(ties, g / 2, g), ~loses)


@public("T", "Tensor", example="T.maximum(a, b)", a=(2, 3), b=(3,))
@pairwise(
    input=lambda ops, g, input, other: _share(ops, g, input < other, input == other),
    other=lambda ops, g, input, other: _share(ops, g, other < input, input == other),
)
def maximum(input, other):
    """The greater of each pair; nan wins. Equal elements share the gradient."""
    return np.maximum(input, other)


@public("T", "Tensor", example="T.minimum(a, b)", a=(2, 3), b=(2, 1))
@pairwise(
    input=lambda ops, g, input, other: _share(ops, g, input > other, input == other),
    other=lambda ops, g, input, other: _share(ops, g, other > input, input == other),
)
def minimum(input, other):
    """The smaller of each pair; nan wins. Equal elements share the gradient."""
    return np.minimum(input, other)

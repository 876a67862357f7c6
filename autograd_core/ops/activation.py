"""Activation functions besides `relu`, `tanh` and `sigmoid`. Their derivatives equal PyTorch's."""

import math

import numpy as np

from ..core.operation import formula, operation
from ..core.public import public
from .elementwise import smooth

_erf = np.vectorize(math.erf, otypes=[np.float64])  # NumPy has no erf; Python's is exact


@public("T", "Tensor", example="T.erf(a)", a=(2, 3))
@smooth(input=lambda ops, g, input: g * (2 / math.sqrt(math.pi)) * ops.exp(-input * input))
def erf(input):
    """Error function, 2/√π ∫₀ˣ exp(−t²) dt."""
    return _erf(input).astype(input.dtype)


def _gelu_inner(input):
    """The argument of the tanh in the tanh approximation of GELU, and its derivative."""
    scale, square = math.sqrt(2 / math.pi), input * input
    return scale * (input + 0.044715 * (square * input)), scale * (1 + 3 * 0.044715 * square)


@formula("g * gelu_slope(input)")
def _gelu_slope(ops, g, input, approximate):
    if approximate == "tanh":
        inner, slope = _gelu_inner(input)
        curve = ops.tanh(inner)
        return g * (0.5 * (1 + curve) + 0.5 * input * ((1 - curve * curve) * slope))
    below = 0.5 * (1 + ops.erf(input * math.sqrt(0.5)))
    return g * (below + input * ops.exp(input * input * -0.5) * (1 / math.sqrt(2 * math.pi)))


@public("F", example="F.gelu(a)", a=(2, 3))
@operation(input=_gelu_slope)
def gelu(input, approximate="none"):
    """`input` times the chance that a standard normal number is below it; "tanh" is near to it."""
    if approximate == "tanh":
        return 0.5 * input * (1 + np.tanh(_gelu_inner(input)[0]))
    return 0.5 * input * (1 + erf.forward(input * math.sqrt(0.5)))


@formula("g * sigmoid(input) * (1 + input * (1 - sigmoid(input)))")
def _silu_slope(ops, g, input):
    part = ops.sigmoid(input)
    return g * (part * (1 + input * (1 - part)))


@operation(input=_silu_slope)
def silu(input):
    """`input * sigmoid(input)`."""
    return input / (1 + np.exp(-input))


@formula("where(input > 0, g, g * negative_slope)")
def _leaky_slope(ops, g, input, negative_slope):
    return ops.by_side(g, input, input > 0, negative_slope)


@operation(input=_leaky_slope)
def leaky_relu(input, negative_slope=0.01):
    """`input` above 0, else `negative_slope * input`, which is the slope at 0 too."""
    return np.where(input > 0, input, input * negative_slope)


@public("F", example="F.softplus(a)", a=(2, 3))
@operation(
    input=lambda ops, g, input, beta, threshold: ops.where_tensor(
        input * beta > threshold, g, g * ops.sigmoid(input * beta)
    )
)
def softplus(input, beta=1.0, threshold=20.0):
    """`log(1 + exp(beta * input)) / beta`; where `beta * input` is above `threshold`, `input`."""
    return np.where(input * beta > threshold, input, np.log1p(np.exp(input * beta)) / beta)


@public("F", example="F.logsigmoid(a)", a=(2, 3))
@operation(node="LogSigmoidBackward0", input=lambda ops, g, input: g * ops.sigmoid(-input))
def logsigmoid(input):
    """`log(sigmoid(input))`; a probability near 0 or 1 loses nothing."""
    return np.minimum(input, 0) - np.log1p(np.exp(-np.abs(input)))

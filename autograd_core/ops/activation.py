"""Activation functions besides `relu`, `tanh` and `sigmoid`. Their derivatives equal PyTorch's."""

import math

import numpy as np

from ..core.operation import formula, operation
from ..core.public import public
from .elementwise import smooth

_erf = np.vectorize(math.erf, otypes=[np.float64])  # NumPy has no erf, so use Python's


@public("T", "Tensor", example="T.erf(a)", a=(2, 3))
@smooth(input=lambda ops, g, input: g * (2 / math.sqrt(math.pi)) * ops.exp(-input * input))
def erf(input):
    """Error function, 2/√π ∫₀ˣ exp(−t²) dt."""
    return _erf(input).astype(input.dtype)


@formula("g * gelu_slope(input)")
def _gelu_slope(ops, g, input):
    below = 0.5 * (1 + ops.erf(input * math.sqrt(0.5)))
    return g * (below + input * ops.exp(input * input * -0.5) * (1 / math.sqrt(2 * math.pi)))


@public("F", example="F.gelu(a)", a=(2, 3))
@operation(input=_gelu_slope)
def gelu(input):
    """`input` times the probability that a standard normal variable is less than `input`."""
    return 0.5 * input * (1 + erf.forward(input * math.sqrt(0.5)))


@formula("g * sigmoid(input) * (1 + input * (1 - sigmoid(input)))")
def _silu_slope(ops, g, input):
    part = ops.sigmoid(input)
    return g * (part * (1 + input * (1 - part)))


@public("F", example="F.silu(a)", a=(2, 3))
@operation(input=_silu_slope)
def silu(input):
    """`input * sigmoid(input)`."""
    return input / (1 + np.exp(-input))


@formula("where(input > 0, g, g * negative_slope)")
def _leaky_slope(ops, g, input, negative_slope):
    return ops.by_side(g, input, input > 0, negative_slope)


@public("F", example="F.leaky_relu(a, 0.2)", a=(2, 3))
@operation(input=_leaky_slope)
def leaky_relu(input, negative_slope=0.01):
    """`input` if it is above 0, else `negative_slope * input`. The slope at 0 is `negative_slope`."""
    return np.where(input > 0, input, input * negative_slope)


@public("F", example="F.softplus(a)", a=(2, 3))
@operation(
    input=lambda ops, g, input, beta, threshold: ops.where_tensor(
        input * beta > threshold, g, g * ops.sigmoid(input * beta)
    )
)
def softplus(input, beta=1.0, threshold=20.0):
    """`log(1 + exp(beta * input)) / beta`, or `input` if `beta * input > threshold`."""
    return np.where(input * beta > threshold, input, np.log1p(np.exp(input * beta)) / beta)

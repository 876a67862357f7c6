"""Functions beyond exp, log, sin and cos, element by element. Integers become floating point first."""

import math

import numpy as np

from ..elementwise import pairwise, smooth


@smooth(node="Expm1Backward0", input=lambda g, result: g * (result + 1))
def expm1(input):
    """`exp(input) - 1`, exact near 0."""
    return np.expm1(input)


@smooth(input=lambda g, input: g / (input * math.log(2)))
def log2(input):
    """The logarithm to base 2."""
    return np.log2(input)


@smooth(input=lambda g, input: g / (input * math.log(10)))
def log10(input):
    """The logarithm to base 10."""
    return np.log10(input)


@smooth(input=lambda g, result: g * (1 + result * result))
def tan(input):
    """The tangent, `input` in radians."""
    return np.tan(input)


@smooth(input=lambda ops, g, input: g * ops.cosh(input))
def sinh(input):
    """The hyperbolic sine."""
    return np.sinh(input)


@smooth(input=lambda ops, g, input: g * ops.sinh(input))
def cosh(input):
    """The hyperbolic cosine."""
    return np.cosh(input)


@smooth(input=lambda g, input: g / (input * input + 1))
def atan(input):
    """The angle, in radians, whose tangent is `input`."""
    return np.arctan(input)


@smooth(input=lambda ops, g, result: g * -0.5 * ops.pow_scalar(result, 3))
def rsqrt(input):
    """`1 / sqrt(input)`."""
    return 1 / np.sqrt(input)


_erf = np.vectorize(math.erf, otypes=[np.float64])  # NumPy has none; Python's is exact


@smooth(input=lambda ops, g, input: g * (2 / math.sqrt(math.pi)) * ops.exp(-input * input))
def erf(input):
    """The error function: the chance that a normal number of deviation 1/sqrt(2) lies within
    ±`input`.
    """
    return _erf(input).astype(input.dtype)


@pairwise(
    input=lambda ops, g, input, other: (
        g * ops.log(ops.where((input == 0) & (other <= 0), 1.0, other))
    ),
    other=lambda g, input, other: g * input / other,
    promotes="float",
)
def xlogy(input, other):
    """`input * log(other)`, and 0 where `input` is 0."""
    # of a number too, which has no type of its own
    logarithm = np.log(other, dtype=np.result_type(input, other))
    return np.where((input == 0) & ~np.isnan(other), 0, input * logarithm)

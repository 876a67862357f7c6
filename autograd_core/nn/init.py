"""Initialize parameters in place, with PyTorch's formulas and random numbers."""

import math
from typing import TYPE_CHECKING

from ..autograd.grad_mode import no_grad
from ..compat.tensor import Tensor
from ..core.public import offers

__all__ = ["constant_", "normal_", "ones_", "uniform_", "zeros_"]
__all__ += ["kaiming_normal_", "kaiming_uniform_", "xavier_uniform_"]


@no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Fill with uniform random numbers from [a, b)."""
    return tensor.uniform_(a, b)


@no_grad()
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Fill with random numbers from the normal distribution."""
    return tensor.normal_(mean, std)


@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with the number `val`."""
    return tensor.fill_(val)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def fan_in_and_out(tensor):
    """(fan in, fan out) of a weight (out, in, …): inputs of an output, and outputs of an input."""
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _deviation(tensor, a, mode, nonlinearity):
    """sqrt(2 / ((1 + a²) · fan)), the standard deviation that preserves the variance of values, or
    with the mode "fan_out" the variance of gradients.
    """
    slopes = {"linear": 1.0, "relu": 0.0, "leaky_relu": a}
    fan = fan_in_and_out(tensor)[("fan_in", "fan_out").index(mode)]
    return math.sqrt(2.0 / (1 + slopes[nonlinearity] ** 2)) / math.sqrt(fan)


def kaiming_uniform_(tensor: Tensor, a=0, mode="fan_in", nonlinearity="leaky_relu") -> Tensor:
    """Uniform in ±sqrt(6 / ((1 + a²) · fan)) (He 2015), for a `leaky_relu` with the slope `a`."""
    bound = math.sqrt(3.0) * _deviation(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(tensor: Tensor, a=0, mode="fan_in", nonlinearity="leaky_relu") -> Tensor:
    """Normal random numbers with the variance of `kaiming_uniform_`."""
    return normal_(tensor, 0.0, _deviation(tensor, a, mode, nonlinearity))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Uniform in ±gain · sqrt(6 / (fan in + fan out)) (Glorot and Bengio 2010)."""
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / float(sum(fan_in_and_out(tensor))))
    return uniform_(tensor, -bound, bound)


if not TYPE_CHECKING:  # a type checker finds wrong names itself
    __dir__, __getattr__ = offers(__name__, __all__)

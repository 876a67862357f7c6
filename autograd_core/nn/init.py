"""First values for parameters, in place, by PyTorch's formulas and its own random numbers."""

import math
from typing import TYPE_CHECKING

from ..autograd.grad_mode import no_grad
from ..compat.tensor import Tensor
from ..core.public import offers

__all__ = ["constant_", "normal_", "ones_", "uniform_", "zeros_"]
__all__ += ["kaiming_normal_", "kaiming_uniform_", "xavier_uniform_"]


@no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Numbers from [a, b)."""
    return tensor.uniform_(a, b)


@no_grad()
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Numbers from the normal distribution."""
    return tensor.normal_(mean, std)


@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Every element `val`."""
    return tensor.fill_(val)


def zeros_(tensor: Tensor) -> Tensor:
    """Every element 0."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Every element 1."""
    return constant_(tensor, 1.0)


def fan_in_and_out(tensor):
    """How many numbers feed an output of a weight (out, in, …), and how many an input feeds."""
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _deviation(tensor, a, mode, nonlinearity):
    """sqrt(2 / ((1 + a²) · fan)), the deviation that keeps the size of values or, with mode "fan_out",
    of gradients.
    """
    slopes = {"linear": 1.0, "relu": 0.0, "leaky_relu": a}
    fan = fan_in_and_out(tensor)[("fan_in", "fan_out").index(mode)]
    return math.sqrt(2.0 / (1 + slopes[nonlinearity] ** 2)) / math.sqrt(fan)


def kaiming_uniform_(tensor: Tensor, a=0, mode="fan_in", nonlinearity="leaky_relu") -> Tensor:
    """Uniform within ±sqrt(6 / ((1 + a²) · fan)) (He 2015), for `leaky_relu` with slope `a`."""
    bound = math.sqrt(3.0) * _deviation(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(tensor: Tensor, a=0, mode="fan_in", nonlinearity="leaky_relu") -> Tensor:
    """Normal numbers with the variance of `kaiming_uniform_`."""
    return normal_(tensor, 0.0, _deviation(tensor, a, mode, nonlinearity))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Uniform within ±gain · sqrt(6 / (fan in + fan out)) (Glorot and Bengio 2010)."""
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / float(sum(fan_in_and_out(tensor))))
    return uniform_(tensor, -bound, bound)


if not TYPE_CHECKING:  # which finds wrong names itself
    __dir__, __getattr__ = offers(__name__, __all__)

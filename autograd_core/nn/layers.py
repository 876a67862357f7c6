"""Layers with a weight and a bias, and the linear one."""

import math

from ..compat.creation import empty
from . import functional as F
from . import init
from .module import Module, Parameter


class Weighted(Module):
    """A weight (out, in, …) and, if it is wanted, a bias (out)."""

    def _make(self, weight, bias, device, dtype):
        """Parameters of these sizes, with first values; for a bias of None there is none."""
        for name, sizes in (("weight", weight), ("bias", bias)):
            made = None if sizes is None else Parameter(empty(sizes, device=device, dtype=dtype))
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self):
        """Uniform within ±1/sqrt(numbers that feed one output), weight first, as PyTorch does it."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in, _ = init.fan_in_and_out(self.weight)
        if self.bias is not None:
            bound = 1 / math.sqrt(fan_in) if fan_in else 0
            init.uniform_(self.bias, -bound, bound)


class Linear(Weighted):
    """`input @ weightᵀ + bias`: weight (out_features, in_features), bias (out_features)."""

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self._make((out_features, in_features), (out_features,) if bias else None, device, dtype)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in_features={self.in_features}, out_features={self.out_features},"
            f" bias={self.bias is not None}"
        )

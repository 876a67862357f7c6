"""Activation layers. Each one keeps the options of the function in `F` that it calls."""

from ..compat.tensor import Tensor
from . import functional as F
from .module import Module


class ReLU(Module):
    """`max(input, 0)`: `F.relu`. If `inplace`, it overwrites its input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class SiLU(Module):
    """`input * sigmoid(input)`: `F.silu`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input)


class LeakyReLU(Module):
    """`input` if it is above 0, else `negative_slope * input`: `F.leaky_relu`."""

    _shown = ("negative_slope",)

    def __init__(self, negative_slope: float = 0.01) -> None:
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope)


class GELU(Module):
    """`input` times the probability that a standard normal variable is less than it: `F.gelu`."""

    _shown = ("approximate",)
    approximate = "none"  # PyTorch's repr shows it

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input)


class Sigmoid(Module):
    """`1 / (1 + exp(-input))`: `F.sigmoid`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent: `F.tanh`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.tanh(input)


class Softmax(Module):
    """`exp(input)` divided by its sum over `dim`: `F.softmax`."""

    _shown = ("dim",)

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim)


class LogSoftmax(Softmax):
    """The logarithm of the softmax over `dim`: `F.log_softmax`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim)

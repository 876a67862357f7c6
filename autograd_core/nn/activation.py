"""Activations as layers: each keeps the options of the function under `F` that it calls."""

from ..compat.tensor import Tensor
from . import functional as F
from .module import Module


class _InPlace(Module):
    """An activation that writes into its input if `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    @property
    def _shown(self) -> tuple[str, ...]:
        return ("inplace",) if self.inplace else ()


class ReLU(_InPlace):
    """`max(input, 0)`: `F.relu`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, self.inplace)


class SiLU(_InPlace):
    """`input * sigmoid(input)`: `F.silu`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, self.inplace)


class LeakyReLU(_InPlace):
    """`input` above 0, else `negative_slope * input`: `F.leaky_relu`."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    @property
    def _shown(self) -> tuple[str, ...]:
        return ("negative_slope", *super()._shown)

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class GELU(Module):
    """`input` times the chance that a standard normal number is below it: `F.gelu`."""

    _shown = ("approximate",)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, self.approximate)


class Sigmoid(Module):
    """`1 / (1 + exp(-input))`: `F.sigmoid`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent: `F.tanh`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.tanh(input)


class _OverDim(Module):
    """What is computed over one dimension, which must be given."""

    _shown = ("dim",)

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim


class Softmax(_OverDim):
    """`exp(input)`, divided by its sum over `dim`: `F.softmax`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim)


class LogSoftmax(_OverDim):
    """The logarithm of the softmax over `dim`: `F.log_softmax`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim)

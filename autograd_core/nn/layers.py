"""Layers with a weight: `Linear` and `Embedding`."""

import math

from ..compat.creation import empty
from ..compat.tensor import Tensor
from . import functional as F
from . import init
from .module import Module, Parameter


class Weighted(Module):
    """A layer with a weight (out, in, …) and optionally a bias (out)."""

    def _make(self, weight, bias, device, dtype):
        """Create and initialize parameters of these sizes. If `bias` is None, there is no bias."""
        for name, sizes in (("weight", weight), ("bias", bias)):
            made = None if sizes is None else Parameter(empty(sizes, device=device, dtype=dtype))
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize the weight, then the bias, uniformly in ±1/sqrt(fan in), as PyTorch does."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in, _ = init.fan_in_and_out(self.weight)
        if self.bias is not None:
            bound = 1 / math.sqrt(fan_in) if fan_in else 0
            init.uniform_(self.bias, -bound, bound)


class Linear(Weighted):
    """`input @ weightᵀ + bias` with weight (out_features, in_features), bias (out_features)."""

    _shown = ("in_features", "out_features")

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device=None, dtype=None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self._make((out_features, in_features), (out_features,) if bias else None, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, bias={self.bias is not None}"


class Embedding(Module):
    """A weight (num_embeddings, embedding_dim) whose rows are looked up by index: `F.embedding`."""

    def __init__(self, num_embeddings: int, embedding_dim: int, *, device=None, dtype=None) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.weight = Parameter(empty(num_embeddings, embedding_dim, device=device, dtype=dtype))
        init.normal_(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}"

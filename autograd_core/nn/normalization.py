"""Layers that normalize."""

from ..compat.creation import ones, tensor, zeros
from ..compat.dtypes import int64
from ..compat.tensor import Tensor
from . import functional as F
from .module import Module, Parameter


class _Normalization(Module):
    """A layer with a scale `weight` (initially 1) and a shift `bias` (initially 0)."""

    def _make(self, sizes, weight, bias, **new):
        for name, made, wanted in (("weight", ones, weight), ("bias", zeros, weight and bias)):
            self.register_parameter(name, Parameter(made(*sizes, **new)) if wanted else None)


class _BatchNorm(_Normalization):
    """A scale, a shift, a running mean and a running variance for each channel."""

    _shown = ("eps", "momentum", "affine")

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self._make((num_features,), affine, True, device=device, dtype=dtype)
        mean, var = (made(num_features, device=device, dtype=dtype) for made in (zeros, ones))
        statistics = dict(running_mean=mean, running_var=var)
        statistics["num_batches_tracked"] = tensor(0, dtype=int64)
        for name, buffer in statistics.items():
            self.register_buffer(name, buffer if track_running_stats else None)

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim not in self.wanted:
            raise ValueError(f"expected an input of {self.wanted} dimensions, not {input.ndim}")
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
        learns = self.training or self.running_mean is None
        kept = self.running_mean, self.running_var, self.weight, self.bias
        return F.batch_norm(input, *kept, learns, self.momentum, self.eps)

    def extra_repr(self) -> str:
        bias = f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        return f"{self.num_features}, {super().extra_repr()}, {bias}"


class BatchNorm1d(_BatchNorm):
    """`F.batch_norm` of (N, C) or (N, C, L). In evaluation mode, it uses the running statistics."""

    wanted = (2, 3)


class BatchNorm2d(_BatchNorm):
    """`F.batch_norm` of (N, C, H, W). In evaluation mode, it uses the running statistics."""

    wanted = (4,)


class LayerNorm(_Normalization):
    """`F.layer_norm` over the last dimensions, with a weight and a bias of `normalized_shape`."""

    def __init__(
        self,
        normalized_shape,
        eps=1e-5,
        elementwise_affine=True,
        bias=True,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__()
        one = isinstance(normalized_shape, int)
        self.normalized_shape = (normalized_shape,) if one else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._make(self.normalized_shape, elementwise_affine, bias, device=device, dtype=dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps},"
            f" elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )

"""Layers that normalize, and the table of rows that words are looked up in."""

from ..compat.creation import empty, ones, tensor, zeros
from ..compat.dtypes import int64
from ..core.graph import check
from . import functional as F
from . import init
from .module import Module, Parameter


class _BatchNorm(Module):
    """A scale, a shift, and the running mean and variance, one of each for every channel."""

    def __init__(
        self,
        num_features,
        eps=1e-05,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__()
        self.num_features, self.eps, self.momentum, self.affine = (
            num_features,
            eps,
            momentum,
            affine,
        )
        self.track_running_stats = track_running_stats
        new = dict(device=device, dtype=dtype)
        self.register_parameter("weight", Parameter(ones(num_features, **new)) if affine else None)
        self.register_parameter(
            "bias", Parameter(zeros(num_features, **new)) if affine and bias else None
        )
        self.register_buffer(
            "running_mean", zeros(num_features, **new) if track_running_stats else None
        )
        self.register_buffer(
            "running_var", ones(num_features, **new) if track_running_stats else None
        )
        self.register_buffer(
            "num_batches_tracked", tensor(0, dtype=int64) if track_running_stats else None
        )

    def forward(self, input):
        check(
            input.ndim in self.wanted,
            "expected {} input (got {}D input)",
            " or ".join(f"{n}D" for n in self.wanted),
            input.ndim,
            error=ValueError,
        )
        momentum = self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if momentum is None:  # a plain average over all batches
                momentum = 1 / self.num_batches_tracked.item()
        return F.batch_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or self.running_mean is None,
            momentum or 0.0,
            self.eps,
        )

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """`F.batch_norm` of (N, C) or (N, C, L): in training by the batch's own statistics, else by the
    running ones.
    """

    wanted = (2, 3)


class BatchNorm2d(_BatchNorm):
    """`F.batch_norm` of (N, C, H, W): in training by the batch's own statistics, else by the
    running ones.
    """

    wanted = (4,)


class BatchNorm3d(_BatchNorm):
    """`F.batch_norm` of (N, C, D, H, W): in training by the batch's own statistics, else by the
    running ones.
    """

    wanted = (5,)


class GroupNorm(Module):
    """`F.group_norm` over `num_groups` groups of the channels of (N, C, …), with a weight and a
    bias for each channel.
    """

    def __init__(
        self,
        num_groups,
        num_channels,
        eps=1e-05,
        affine=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__()
        check(
            num_groups > 0 and not num_channels % num_groups,
            "num_channels ({}) must be divisible by num_groups ({})",
            num_channels,
            num_groups,
            error=ValueError,
        )
        self.num_groups, self.num_channels, self.eps, self.affine = (
            num_groups,
            num_channels,
            eps,
            affine,
        )
        for name, made, wanted in (("weight", ones, affine), ("bias", zeros, affine and bias)):
            self.register_parameter(
                name, Parameter(made(num_channels, device=device, dtype=dtype)) if wanted else None
            )

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LayerNorm(Module):
    """`F.layer_norm` over the last dimensions, with a weight and a bias of their shape."""

    def __init__(
        self,
        normalized_shape,
        eps=1e-05,
        elementwise_affine=True,
        bias=True,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.normalized_shape = (
            (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        )
        self.eps, self.elementwise_affine = eps, elementwise_affine
        for name, made, wanted in (("weight", ones, True), ("bias", zeros, bias)):
            self.register_parameter(
                name,
                (
                    Parameter(made(*self.normalized_shape, device=device, dtype=dtype))
                    if elementwise_affine and wanted
                    else None
                ),
            )

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.normalized_shape}, eps={self.eps},"
            f" elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class Embedding(Module):
    """A weight (num_embeddings, embedding_dim) whose rows are looked up by number: `F.embedding`."""

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
        _weight=None,
        _freeze=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        check(
            max_norm is None and not scale_grad_by_freq and not sparse,
            "autograd_core has Embedding without max_norm, scale_grad_by_freq and sparse",
            error=NotImplementedError,
        )
        check(
            padding_idx is None or -num_embeddings <= padding_idx < num_embeddings,
            "Padding_idx must be within num_embeddings",
            error=AssertionError,
        )
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        made = (
            empty(num_embeddings, embedding_dim, device=device, dtype=dtype)
            if _weight is None
            else _weight
        )
        self.weight = Parameter(made, requires_grad=not _freeze)
        if _weight is None:
            self.reset_parameters()

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None, **options):
        """An embedding with the rows of `embeddings`, which are not trained but with
        `freeze=False`.
        """
        return cls(*embeddings.shape, padding_idx, _weight=embeddings, _freeze=freeze, **options)

    def reset_parameters(self):
        """Numbers from the normal distribution; zeros in the row of the padding."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.detach()[self.padding_idx] = 0

    def forward(self, input):
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self):
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"

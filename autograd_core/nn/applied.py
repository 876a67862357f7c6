"""Layers without parameters, except activations. Each one keeps the options of its function."""

from ..compat.tensor import Tensor
from ..ops.shape import flatten
from . import functional as F
from .module import Module


class Identity(Module):
    """Returns its input. The constructor accepts any arguments and ignores them."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Flatten(Module):
    """Merge dimensions `start_dim` to `end_dim`, by default all but the batch: `flatten`."""

    _shown = ("start_dim", "end_dim")

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return flatten(input, self.start_dim, self.end_dim)


class Dropout(Module):
    """In training, set numbers to 0 with probability `p`, divide others by 1 - p: `F.dropout`."""

    _shown = ("p", "inplace")

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class MaxPool2d(Module):
    """The greatest number in each window of (N, C, H, W): `F.max_pool2d`."""

    _shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
    dilation, ceil_mode = 1, False  # PyTorch's repr shows them

    def __init__(self, kernel_size, stride=None, padding=0) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding = padding

    def forward(self, input: Tensor) -> Tensor:
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding)


class AvgPool2d(Module):
    """The mean of each window of (N, C, H, W): `F.avg_pool2d`."""

    _shown = ("kernel_size", "stride", "padding")

    def __init__(self, kernel_size, stride=None, padding=0) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding = padding

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding)


class AdaptiveAvgPool2d(Module):
    """The means of `output_size` windows of (N, C, H, W): `F.adaptive_avg_pool2d`."""

    _shown = ("output_size",)

    def __init__(self, output_size) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)

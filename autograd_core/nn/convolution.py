"""Layers that convolve: they keep a weight and a bias, and pass them to the function of the same
name.
"""

from ..compat.tensor import Tensor
from ..core.graph import check
from ..ops.windows import one_for_each
from . import functional as F
from .layers import Weighted


class _Convolution(Weighted):
    """What the layers share; `dims` is how many dimensions the kernel slides along."""

    dims, transposed = 2, False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups: int = 1,
        bias: bool = True,
        *,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__()
        check(groups > 0, "groups must be a positive integer", error=ValueError)
        check(not in_channels % groups, "in_channels must be divisible by groups", error=ValueError)
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = one_for_each(self.dims, kernel_size=kernel_size)
        self.stride = one_for_each(self.dims, stride=stride)
        self.dilation = one_for_each(self.dims, dilation=dilation)
        self.padding, self.output_padding = self._padding(padding), (0,) * self.dims
        channels = (out_channels, in_channels // groups)
        if self.transposed:
            channels = (in_channels, out_channels // groups)
        self._make((*channels, *self.kernel_size), (out_channels,) if bias else None, device, dtype)

    def _padding(self, padding):
        if not isinstance(padding, str):
            return one_for_each(self.dims, padding=padding)
        if padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {padding!r}, should be 'same' or 'valid'")
        if padding == "same" and max(self.stride) > 1:
            raise ValueError("padding='same' is not supported for strided convolutions")
        return padding

    def extra_repr(self) -> str:
        none, said = (0,) * self.dims, [f"{self.in_channels}, {self.out_channels}"]
        usual = dict(kernel_size=None, stride=None, padding=none, dilation=(1,) * self.dims)
        for name, value in {**usual, "output_padding": none, "groups": 1}.items():
            if getattr(self, name) != value:
                said.append(f"{name}={getattr(self, name)}")
        return ", ".join(said if self.bias is not None else [*said, "bias=False"])


class Conv1d(_Convolution):
    """`F.conv1d` with a weight (out_channels, in_channels / groups, k) and a bias (out_channels)."""

    dims = 1

    def forward(self, input: Tensor) -> Tensor:
        window = self.stride, self.padding, self.dilation
        return F.conv1d(input, self.weight, self.bias, *window, self.groups)


class Conv2d(_Convolution):
    """`F.conv2d` with a weight (out_channels, in_channels / groups, kH, kW) and a bias."""

    def forward(self, input: Tensor) -> Tensor:
        window = self.stride, self.padding, self.dilation
        return F.conv2d(input, self.weight, self.bias, *window, self.groups)


class ConvTranspose2d(_Convolution):
    """`F.conv_transpose2d` with a weight (in_channels, out_channels / groups, kH, kW), and a bias."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups: int = 1,
        bias: bool = True,
        dilation=1,
        *,
        device=None,
        dtype=None,
    ) -> None:
        sizes = in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias
        super().__init__(*sizes, device=device, dtype=dtype)
        self.output_padding = one_for_each(2, output_padding=output_padding)

    def forward(self, input: Tensor) -> Tensor:
        window = self.stride, self.padding, self.output_padding, self.groups, self.dilation
        return F.conv_transpose2d(input, self.weight, self.bias, *window)

"""Layers that convolve: they keep a weight and a bias for the function of the same name."""

from ..compat.tensor import Tensor
from ..core.graph import check
from ..ops.windows import two
from . import functional as F
from .layers import Weighted


class _Convolution(Weighted):
    """What the two layers share."""

    transposed = False

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
        for name, count in {"in_channels": in_channels, "out_channels": out_channels}.items():
            check(not count % groups, "{} must be divisible by groups", name, error=ValueError)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride = two("kernel_size", kernel_size), two("stride", stride)
        self.dilation, self.output_padding = two("dilation", dilation), (0, 0)
        self.padding = self._padding(padding)
        channels = (out_channels, in_channels // groups)
        if self.transposed:
            channels = (in_channels, out_channels // groups)
        self._make((*channels, *self.kernel_size), (out_channels,) if bias else None, device, dtype)

    def _padding(self, padding):
        if not isinstance(padding, str):
            return two("padding", padding)
        if padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {padding!r}, should be 'same' or 'valid'")
        if padding == "same" and max(self.stride) > 1:
            raise ValueError("padding='same' is not supported for strided convolutions")
        return padding

    def extra_repr(self) -> str:
        usual = {"kernel_size": None, "stride": None, "padding": (0, 0), "dilation": (1, 1)}
        usual |= {"output_padding": (0, 0), "groups": 1}
        text = self._other_than(usual, self.in_channels, self.out_channels)
        return text if self.bias is not None else f"{text}, bias=False"


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
        self.output_padding = two("output_padding", output_padding)

    def forward(self, input: Tensor) -> Tensor:
        window = self.stride, self.padding, self.output_padding, self.groups, self.dilation
        return F.conv_transpose2d(input, self.weight, self.bias, *window)

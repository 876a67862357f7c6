"""The convolution layer. It keeps a weight and a bias for `F.conv2d`."""

from ..compat.tensor import Tensor
from ..ops.windows import two
from . import functional as F
from .layers import Weighted


class Conv2d(Weighted):
    """`F.conv2d` with a weight (out_channels, in_channels / groups, kH, kW) and a bias (if `bias`)."""

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
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride = two(kernel_size), two(stride)
        self.padding, self.dilation = two(padding), two(dilation)
        sizes = (out_channels, in_channels // groups, *self.kernel_size)
        self._make(sizes, (out_channels,) if bias else None, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        window = self.stride, self.padding, self.dilation
        return F.conv2d(input, self.weight, self.bias, *window, self.groups)

    def extra_repr(self) -> str:
        usual = {"kernel_size": None, "stride": None, "padding": (0, 0), "dilation": (1, 1)}
        text = self._other_than(usual | {"groups": 1}, self.in_channels, self.out_channels)
        return text if self.bias is not None else f"{text}, bias=False"

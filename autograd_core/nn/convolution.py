"""Layers that convolve: they keep a weight and a bias, and pass them to the function of the same
name.
"""

from ..core.graph import check
from ..ops.windows import one_for_each
from . import functional as F
from .layers import Weighted


class _Convolution(Weighted):
    """What the layers share; `dims` is how many dimensions the kernel slides along."""

    dims, transposed = 2, False

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__()
        check(groups > 0, "groups must be a positive integer", error=ValueError)
        check(not in_channels % groups, "in_channels must be divisible by groups", error=ValueError)
        check(
            not out_channels % groups, "out_channels must be divisible by groups", error=ValueError
        )
        check(
            padding_mode == "zeros",
            "autograd_core has padding_mode='zeros': use F.pad before the layer for {!r}",
            padding_mode,
            error=NotImplementedError,
        )
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = one_for_each(self.dims, kernel_size=kernel_size)
        self.stride, self.dilation = (
            one_for_each(self.dims, stride=stride),
            one_for_each(self.dims, dilation=dilation),
        )
        check(
            not isinstance(padding, str) or padding in ("same", "valid"),
            "Invalid padding string {!r}, should be 'same' or 'valid'",
            padding,
            error=ValueError,
        )
        check(
            padding != "same" or max(self.stride) <= 1,
            "padding='same' is not supported for strided convolutions",
            error=ValueError,
        )
        self.padding = (
            padding if isinstance(padding, str) else one_for_each(self.dims, padding=padding)
        )
        self.output_padding = (0,) * self.dims
        channels = (
            (in_channels, out_channels // groups)
            if self.transposed
            else (out_channels, in_channels // groups)
        )
        self._make((*channels, *self.kernel_size), (out_channels,) if bias else None, device, dtype)

    def forward(self, input):
        return type(self).function(
            input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups
        )

    def extra_repr(self):
        none = (0,) * self.dims
        values = {**vars(self), "bias": self.bias is not None}
        usual = {
            "kernel_size": None,
            "stride": None,
            "padding": none,
            "dilation": (1,) * self.dims,
            "output_padding": none,
            "groups": 1,
            "bias": True,
        }
        said = [f"{name}={values[name]}" for name in usual if values[name] != usual[name]]
        return ", ".join([f"{self.in_channels}, {self.out_channels}", *said])


class Conv1d(_Convolution):
    """`F.conv1d` with a weight (out_channels, in_channels / groups, k) and a bias (out_channels)."""

    dims, function = 1, staticmethod(F.conv1d)


class Conv2d(_Convolution):
    """`F.conv2d` with a weight (out_channels, in_channels / groups, kH, kW) and a bias
    (out_channels).
    """

    function = staticmethod(F.conv2d)


class ConvTranspose2d(_Convolution):
    """`F.conv_transpose2d` with a weight (in_channels, out_channels / groups, kH, kW) and a bias
    (out_channels).
    """

    transposed = True

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )
        self.output_padding = one_for_each(2, output_padding=output_padding)

    def forward(self, input):
        return F.conv_transpose2d(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self.output_padding,
            self.groups,
            self.dilation,
        )

"""Layers that convolve: they keep a weight and a bias, and pass them to the function of the same name."""

import math

from ..creation import empty
from ..ops.windows import one_for_each, refuse
from . import functional as F
from . import init
from .module import Module, Parameter


class _Convolution(Module):
    """What the layers share; `dims` is how many dimensions the kernel slides along."""

    dims, transposed = 2, False

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        super().__init__()
        refuse(groups <= 0, "groups must be a positive integer", ValueError)
        refuse(in_channels % groups, "in_channels must be divisible by groups", ValueError)
        refuse(out_channels % groups, "out_channels must be divisible by groups", ValueError)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = one_for_each(self.dims, kernel_size=kernel_size)
        self.stride, self.dilation = one_for_each(self.dims, stride=stride), one_for_each(self.dims, dilation=dilation)
        refuse(isinstance(padding, str) and padding not in ("same", "valid"),
               f"Invalid padding string {padding!r}, should be 'same' or 'valid'", ValueError)
        refuse(padding == "same" and max(self.stride) > 1,
               "padding='same' is not supported for strided convolutions", ValueError)
        refuse(padding_mode == "circular", "autograd_core has no padding_mode='circular'", NotImplementedError)
        refuse(padding_mode not in ("zeros", "reflect", "replicate"), "padding_mode must be one of 'zeros', 'reflect' "
               f"and 'replicate', but got padding_mode='{padding_mode}'", ValueError)
        self.padding, self.padding_mode = padding, padding_mode
        if not isinstance(padding, str):
            self.padding = one_for_each(self.dims, padding=padding)
        self.output_padding = (0,) * self.dims
        channels = (in_channels, out_channels // groups) if self.transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(empty(*channels, *self.kernel_size, device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_channels, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Uniform within ±1/sqrt(numbers that feed one output), weight first, as PyTorch does it."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in, _ = init.fan_in_and_out(self.weight)
        if self.bias is not None and fan_in:
            init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def _borders(self):
        """What "reflect" and "replicate" put around the input: a count before and one after, last dimension first."""
        reach = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size)]
        pairs = {"same": [(r // 2, r - r // 2) for r in reach], "valid": [(0, 0)] * self.dims}.get(
            self.padding, [(p, p) for p in self.padding])
        return [count for pair in reversed(pairs) for count in pair]

    def forward(self, input):
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._borders(), self.padding_mode), 0
        return type(self).function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extra_repr(self):
        none = (0,) * self.dims
        values = {**vars(self), "bias": self.bias is not None}
        usual = {"kernel_size": None, "stride": None, "padding": none, "dilation": (1,) * self.dims,
                 "output_padding": none, "groups": 1, "bias": True, "padding_mode": "zeros"}
        said = [f"{name}={values[name]}" for name in usual if values[name] != usual[name]]
        return ", ".join([f"{self.in_channels}, {self.out_channels}", *said])


class Conv1d(_Convolution):
    """`F.conv1d` with a weight (out_channels, in_channels / groups, k) and a bias (out_channels)."""

    dims, function = 1, staticmethod(F.conv1d)


class Conv2d(_Convolution):
    """`F.conv2d` with a weight (out_channels, in_channels / groups, kH, kW) and a bias (out_channels)."""

    function = staticmethod(F.conv2d)


class ConvTranspose2d(_Convolution):
    """`F.conv_transpose2d` with a weight (in_channels, out_channels / groups, kH, kW) and a bias (out_channels)."""

    transposed = True

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
                 bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        refuse(padding_mode != "zeros", 'Only "zeros" padding mode is supported for ConvTranspose2d', ValueError)
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode,
                         device, dtype)
        self.output_padding = one_for_each(2, output_padding=output_padding)

    def forward(self, input):
        return F.conv_transpose2d(input, self.weight, self.bias, self.stride, self.padding, self.output_padding,
                                  self.groups, self.dilation)

"""Layers without parameters: a function, and the options to call it with."""

import sys

from ..ops import functions
from ..ops.windows import refuse
from . import functional as F
from .module import Module

_NEEDED = object()


class Applied(Module):
    """Calls `function(input, **options)`.

    A subclass names both: `options` are PyTorch's arguments in their order, with their defaults. `shown` are those that
    the repr gives; by default all, `inplace` only where it is on.
    """

    options, shown = {}, None

    def __init__(self, *args, **kwargs):
        super().__init__()
        name = type(self).__name__
        if len(args) > len(self.options):
            raise TypeError(f"{name}() takes at most {len(self.options)} arguments but {len(args)} were given")
        for option, value in {**self.options, **dict(zip(self.options, args)), **kwargs}.items():
            if option not in self.options:
                raise TypeError(f"{name}() got an unexpected keyword argument '{option}'")
            if value is _NEEDED:
                raise TypeError(f"{name}() missing required argument: '{option}'")
            setattr(self, option, value)

    def forward(self, input):
        return type(self).function(input, **{option: getattr(self, option) for option in self.options})

    def extra_repr(self):
        shown = self.options if self.shown is None else self.shown
        return ", ".join(f"{option}={getattr(self, option)!r}" for option in shown
                         if option != "inplace" or self.inplace or self.shown)


def _layer(name, function, shown=None, **options):
    """A subclass of `Applied`, under PyTorch's name, at home in the module that calls this (so it can be pickled)."""
    return type(name, (Applied,), {"function": staticmethod(function), "options": options, "shown": shown,
                                   "__doc__": function.__doc__, "__module__": sys._getframe(1).f_globals["__name__"]})


def _pool(name, function, shown, **options):
    """A layer whose stride is by default its kernel's size."""
    made = _layer(name, function, shown, kernel_size=_NEEDED, stride=None, padding=0, **options)

    def __init__(self, *args, **kwargs):
        Applied.__init__(self, *args, **kwargs)
        self.stride = self.kernel_size if self.stride is None else self.stride
    made.__init__ = __init__
    return made


MaxPool2d = _pool("MaxPool2d", F.max_pool2d, ("kernel_size", "stride", "padding", "dilation", "ceil_mode"),
                  dilation=1, return_indices=False, ceil_mode=False)
AvgPool2d = _pool("AvgPool2d", F.avg_pool2d, ("kernel_size", "stride", "padding"),
                  ceil_mode=False, count_include_pad=True, divisor_override=None)
AdaptiveAvgPool2d = _layer("AdaptiveAvgPool2d", F.adaptive_avg_pool2d, output_size=_NEEDED)
Flatten = _layer("Flatten", functions.flatten, start_dim=1, end_dim=-1)
Softmax = _layer("Softmax", F.softmax, dim=None)
LogSoftmax = _layer("LogSoftmax", F.log_softmax, dim=None)


class Dropout(Applied):
    """In training each number is 0 with probability `p`, else divided by 1 - p: `F.dropout`. In evaluation nothing."""

    options = {"p": 0.5, "inplace": False}
    shown = ("p", "inplace")

    def __init__(self, p=0.5, inplace=False):
        refuse(not 0 <= p <= 1, f"dropout probability has to be between 0 and 1, but got {p}", ValueError)
        super().__init__(p, inplace)

    def forward(self, input):
        return F.dropout(input, self.p, self.training, self.inplace)


class Upsample(Applied):
    """Resizes (N, C, …) to `size`, or by `scale_factor`: `F.interpolate`."""

    function = staticmethod(F.interpolate)
    options = {"size": None, "scale_factor": None, "mode": "nearest", "align_corners": None,
               "recompute_scale_factor": None}

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
        if scale_factor is not None:
            scale_factor = tuple(map(float, scale_factor)) if isinstance(scale_factor, tuple) else float(scale_factor)
        super().__init__(size, scale_factor, mode, align_corners, recompute_scale_factor)
        self.shown = ("size" if scale_factor is None else "scale_factor", "mode")


class Identity(Module):
    """Gives back what it is given; it may be made with any arguments."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input

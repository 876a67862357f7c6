"""Layers without parameters: a function, and the options to call it with."""

import sys

from ..compat import functions_of_shape
from ..core.graph import check
from . import functional as F
from .module import Module

_NEEDED = object()  # in the place of a default: the option must be given


class Applied(Module):
    """Calls `function(*inputs, **options)`.

    A subclass names both: `options` are PyTorch's arguments in their order, with their defaults.
    `shown` are those that the repr gives; by default all, `inplace` only where it is on.
    """

    options, shown = {}, None

    def __init__(self, *args, **kwargs):
        super().__init__()
        made, given = f"{type(self).__name__}.__init__()", dict(zip(self.options, args))
        check(
            len(args) <= len(self.options),
            "{} takes {} positional arguments but {} were given",
            made,
            len(self.options) + 1,
            len(args) + 1,
            error=TypeError,
        )
        for option in kwargs:
            check(
                option in self.options,
                "{} got an unexpected keyword argument '{}'",
                made,
                option,
                error=TypeError,
            )
            check(
                option not in given,
                "{} got multiple values for argument '{}'",
                made,
                option,
                error=TypeError,
            )
        for option, value in {**self.options, **given, **kwargs}.items():
            check(
                value is not _NEEDED,
                "{} missing a required argument: '{}'",
                made,
                option,
                error=TypeError,
            )
            self.__dict__[option] = value

    def forward(self, *inputs):
        return type(self).function(
            *inputs, **{option: getattr(self, option) for option in self.options}
        )

    def extra_repr(self):
        shown = self.options if self.shown is None else self.shown
        return ", ".join(
            f"{option}={getattr(self, option)!r}"
            for option in shown
            if option != "inplace" or self.inplace or self.shown
        )


def layer(name, function, base=Applied, shown=None, **options):
    """A subclass of `base`, under PyTorch's name, at home in the module that calls this (so it can
    be pickled).
    """
    return type(
        name,
        (base,),
        {
            "function": staticmethod(function),
            "options": options,
            "shown": shown,
            "__doc__": function.__doc__,
            "__module__": sys._getframe(1).f_globals["__name__"],
        },
    )


ReLU = layer("ReLU", F.relu, inplace=False)
Tanh = layer("Tanh", F.tanh)
Sigmoid = layer("Sigmoid", F.sigmoid)
GELU = layer("GELU", F.gelu, approximate="none")
SiLU = layer("SiLU", F.silu, inplace=False)
ELU = layer("ELU", F.elu, alpha=1.0, inplace=False)
LeakyReLU = layer("LeakyReLU", F.leaky_relu, negative_slope=0.01, inplace=False)
LogSigmoid = layer("LogSigmoid", F.logsigmoid)
Softplus = layer("Softplus", F.softplus, beta=1.0, threshold=20.0)


class Pool(Applied):
    """A layer whose stride is by default its kernel's size."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.stride = self.kernel_size if self.stride is None else self.stride


MaxPool2d = layer(
    "MaxPool2d",
    F.max_pool2d,
    Pool,
    ("kernel_size", "stride", "padding", "dilation", "ceil_mode"),
    kernel_size=_NEEDED,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode=False,
)
AvgPool2d = layer(
    "AvgPool2d",
    F.avg_pool2d,
    Pool,
    ("kernel_size", "stride", "padding"),
    kernel_size=_NEEDED,
    stride=None,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
)
AdaptiveAvgPool2d = layer("AdaptiveAvgPool2d", F.adaptive_avg_pool2d, output_size=_NEEDED)
Flatten = layer("Flatten", functions_of_shape.flatten, start_dim=1, end_dim=-1)
CosineSimilarity = layer("CosineSimilarity", F.cosine_similarity, shown=(), dim=1, eps=1e-08)
Softmax = layer("Softmax", F.softmax, dim=_NEEDED)
LogSoftmax = layer("LogSoftmax", F.log_softmax, dim=_NEEDED)


class Dropout(Applied):
    """In training each number is 0 with probability `p`, else divided by 1 - p: `F.dropout`. In
    evaluation nothing.
    """

    function, options, shown = (
        staticmethod(F.dropout),
        {"p": 0.5, "inplace": False},
        ("p", "inplace"),
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        check(
            0 <= self.p <= 1,
            "dropout probability has to be between 0 and 1, but got {}",
            self.p,
            error=ValueError,
        )

    def forward(self, input):
        return type(self).function(input, self.p, self.training, self.inplace)


class Dropout2d(Dropout):
    """As `Dropout`, for whole channels: `F.dropout2d`."""

    function = staticmethod(F.dropout2d)


class Upsample(Applied):
    """Resizes (N, C, …) to `size`, or by `scale_factor`: `F.interpolate`."""

    function = staticmethod(F.interpolate)
    options = {
        "size": None,
        "scale_factor": None,
        "mode": "nearest",
        "align_corners": None,
    }

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.shown = ("size" if self.scale_factor is None else "scale_factor", "mode")
        if self.scale_factor is not None:
            several = isinstance(self.scale_factor, tuple)
            self.scale_factor = (
                tuple(map(float, self.scale_factor)) if several else float(self.scale_factor)
            )


class UpsamplingNearest2d(Upsample):
    """`Upsample` of images by the nearest entry, by its older name."""

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """`Upsample` of images with corners aligned, by its older name."""

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, "bilinear", True)


class Identity(Module):
    """Gives back what it is given; it may be made with any arguments."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input

"""A small autograd engine in NumPy, with PyTorch's names, graph and numbers.

    import autograd_core as torch

The engine is in `core/`: the graph, recording, tensors, operations and the backward pass. `ops/` has
the operations with their backward rules. `nn/`, `optim/` and `autograd/` match PyTorch's modules
of the same names, and `compat/` has everything else that PyTorch users expect. `trace/`
stores one forward and backward pass as plain data.

The tools for your own PyTorch model are loaded on first use:

    from autograd_core import watching, report, watch, follow, explore
"""

import builtins
import warnings
from math import e, inf, nan, pi
from types import SimpleNamespace
from typing import TYPE_CHECKING

from . import autograd, extras, nn, optim
from .autograd import enable_grad, no_grad, set_grad_enabled
from .compat import random, saving
from .compat.dtypes import (
    Size,
    bool,
    device,
    double,
    dtype,
    float,
    float32,
    float64,
    int,
    int32,
    int64,
    long,
    uint8,
)
from .compat.random import Generator
from .compat.tensor import Tensor
from .core.public import found_under, offers, public

cuda = SimpleNamespace(
    is_available=lambda: False,
    device_count=lambda: 0,
    manual_seed=lambda seed: None,
    manual_seed_all=lambda seed: None,
    empty_cache=lambda: None,
)
# The tools for your own PyTorch model, and the packages that each is loaded from. The first package
# whose requirements are installed is used: `follow` draws its map if the widgets are installed.
TOOLS = {
    "watching": ("parity",),
    "report": ("trace",),
    "watch": ("widgets",),
    "follow": ("widgets", "trace"),
    "explore": ("widgets",),
}


@public("T")
def is_tensor(obj):
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


@public("T")
def is_floating_point(input):
    """Whether the elements of a tensor are floating-point numbers."""
    return input.is_floating_point()


@public("T")
def numel(input):
    """How many elements a tensor has."""
    return input.numel()


__all__ = ["Generator", "Size", "Tensor", "autograd", "cuda", "device", "dtype"]
__all__ += ["nn", "optim", "random", "e", "inf", "nan", "pi"]
__all__ += ["enable_grad", "no_grad", "set_grad_enabled"]
__all__ += ["float32", "float64", "double"]
__all__ += ["uint8", "int32", "int64", "long"]
if TYPE_CHECKING:  # for editors and type checkers, the same as the loop below: `tests/stubs.py`
    from . import _functions
    from ._functions import *
    from .parity import watching
    from .trace import report
    from .widgets import explore, follow, watch

    __all__ += _functions.__all__
else:
    for _name, _record in found_under("T").items():
        globals()[_name] = _record.function
        if not hasattr(builtins, _name):  # `from autograd_core import *` leaves Python's own names
            __all__.append(_name)
    _names = {*__all__, *found_under("T"), *TOOLS, "bool", "float", "int", "__version__"}
    __dir__, _refuse = offers(__name__, sorted(_names))

    def __getattr__(name):
        return extras.load(name, *TOOLS[name]) if name in TOOLS else _refuse(name)


# Infinities and nans are results here, as in PyTorch, not surprises to warn of.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"autograd_core\.")

__version__ = "0.1.0"

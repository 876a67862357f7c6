"""The functions about gradients that users call, with the names of `torch.autograd`.

`entry.py` has `backward` and `grad`, `grad_mode.py` switches recording on and off, `function.py` is
for your own operations, `functional.py` has Jacobians and Hessians, `gradcheck.py` compares rules
with finite differences, and `modes.py` finds the origin of nan."""

from typing import TYPE_CHECKING

from ..core.public import offers
from . import functional
from .entry import backward, grad
from .function import Function
from .grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .gradcheck import gradcheck
from .modes import detect_anomaly, is_anomaly_enabled, set_detect_anomaly

__all__ = ["Function", "backward", "functional", "grad", "gradcheck"]
__all__ += ["enable_grad", "is_grad_enabled", "no_grad", "set_grad_enabled"]
__all__ += ["detect_anomaly", "is_anomaly_enabled", "set_detect_anomaly"]


if not TYPE_CHECKING:  # a type checker finds wrong names itself
    __dir__, __getattr__ = offers(__name__, __all__)

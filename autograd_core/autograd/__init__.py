"""Everything about gradients that a learner calls, under the names of `torch.autograd`.

`entry.py` backward and grad; `grad_mode.py` recording or not; `function.py` operations of one's
own; `functional.py` Jacobians and Hessians; `gradcheck.py` rules against finite differences;
`modes.py` the search for nan, inference."""

from . import functional
from .entry import backward, grad
from .function import Function
from .grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .gradcheck import GradcheckError, gradcheck, gradgradcheck
from .modes import (
    detect_anomaly,
    inference_mode,
    is_anomaly_enabled,
    is_inference,
    is_inference_mode_enabled,
    set_detect_anomaly,
)


def Variable(data, requires_grad=False):
    """What older scripts wrap a tensor in: the same numbers, outside the graph."""
    return data.detach().requires_grad_(requires_grad)


__all__ = [
    "Function",
    "GradcheckError",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "is_inference",
    "is_inference_mode_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]

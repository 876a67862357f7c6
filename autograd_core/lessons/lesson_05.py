"""Lesson 05: typed lines, and what anomaly detection prints."""

import re
import warnings
from collections.abc import Callable
from typing import Any

from ..widgets import GraphView
from .widgets.versions import typed


def typed_lines(h: str, then: str = "", late: str = "") -> GraphView:
    """A small program whose lines can be typed, with its graph and a verdict on its gradient."""
    return typed(h, then, late)


def anomaly_line(f: Callable[[Any], Any]) -> str:
    """Run `f(x).backward()` with anomaly detection, and return the last source line of the
    traceback that PyTorch prints: where the node was created whose backward raised. `f` is a
    function of a notebook; `x` is a tensor of the engine that `torch` is there."""
    torch = f.__globals__["torch"]
    with (
        warnings.catch_warnings(record=True) as heard,
        torch.autograd.set_detect_anomaly(True),
    ):
        warnings.simplefilter("always")
        try:
            f(torch.tensor([0.5, 1.0])).backward()
        except RuntimeError:
            return re.search(rf"in {f.__name__}\n +(.*)", str(heard[-1].message))[1]
    return ""

"""Lesson 05: typed lines, and what anomaly detection prints."""

import re
import warnings
from collections.abc import Callable
from typing import Any

from .widgets.versions import typed as typed_lines

__all__ = ["anomaly_line", "typed_lines"]


def anomaly_line(f: Callable[[Any], Any]) -> str:
    """Run `f(x).backward()` with anomaly detection, and return the last source line of the
    traceback that it prints: the line that created the node whose backward raised. `f` is a
    function of a notebook, and `x` a tensor of the engine that `torch` is in that notebook."""
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

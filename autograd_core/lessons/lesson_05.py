"""Lesson 05: typed lines, what anomaly detection prints, and the gradient after a write."""

import re
import warnings
from collections.abc import Callable
from typing import Any

from .widgets.versions import typed as typed_lines

__all__ = ["anomaly_line", "judge", "typed_lines"]


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


def judge(torch: Any, f: Callable, write: Callable, at: float = 0.5) -> tuple[float | str, float]:
    """Run `h = f(w)`, `write(h)` and `h.sum().backward()` on the engine `torch`, with one number
    `at` as `w`. Return `w.grad`, or "raises", and the slope of the loss as a finite difference."""

    def run(number: float) -> tuple[Any, Any]:
        w = torch.tensor([number], dtype=torch.float64, requires_grad=True)
        h = f(w)
        write(h)
        return w, h.sum()

    higher, lower = (run(at + shift)[1].item() for shift in (1e-6, -1e-6))
    measured = round((higher - lower) / 2e-6, 4)
    w, loss = run(at)
    try:
        loss.backward()
    except RuntimeError:
        return "raises", measured
    return round(w.grad.item(), 4), measured

"""Lesson 05: typed lines, what anomaly detection prints, and the gradient after a write."""

import re
import warnings
from collections.abc import Callable
from typing import Any

import autograd_core

from .widgets.versions import typed as typed_lines

PACKAGE = autograd_core.__path__[0]  # its frames aren't shown: `%%both` watches PyTorch's calls

__all__ = ["judge", "typed_lines", "warning_of"]


def warning_of(run: Callable[[], Any]) -> list[str]:
    """Call `run` and ignore its error. Return the first line and the last two lines of the traceback
    that anomaly detection prints: which backward raised, and the line that ran its forward."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            run()
        except RuntimeError:
            text = str(heard[-1].message)
            frames = re.findall(r'File "(.*)", (line \d+, in \w+)\n +(.*)', text)
            *_, (where, line) = [rest for file, *rest in frames if not file.startswith(PACKAGE)]
            return [text.split("\n")[0], f"  {where}", f"    {line}"]
    return []


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

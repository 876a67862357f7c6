"""Check a loss before it is traced, and raise the errors that PyTorch raises."""

from typing import Any

from .nodes import shape_and_type
from .sentences import FIXES, REFUSED


def check_loss(loss: Any, caller: str) -> None:
    """Raise TypeError if `loss` isn't a tensor, and RuntimeError if it has no numbers, or no graph to
    draw. `caller` is the function that the learner called.
    """
    if not hasattr(loss, "grad_fn"):
        raise TypeError(f"{caller}() takes a tensor as the loss, but got {type(loss).__name__}")
    if getattr(loss, "is_meta", False):  # also for PyTorch's fake tensors
        raise RuntimeError("this tensor is on the device 'meta', so it has no numbers to show")
    if loss.grad_fn is None and caller != "report":
        raise RuntimeError(f"{no_graph(loss)} report(loss) shows where its graph ended")


def no_graph(loss: Any) -> str:
    """Why a loss without a `grad_fn` trains nothing, and what to do."""
    cause = "a leaf" if loss.requires_grad else "no graph"
    return f"{REFUSED[cause]} {FIXES[cause]}"


def check_start(loss: Any) -> None:
    """Raise RuntimeError if a tensor has several elements."""
    if loss.numel() != 1:
        shape, _ = shape_and_type(loss)
        raise RuntimeError(
            f"grad can be implicitly created only for scalar outputs, and this has the shape {shape}:"
            " make one number of it, loss.mean() or loss.sum()"
        )

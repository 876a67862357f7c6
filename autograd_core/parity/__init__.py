"""The rooms that know PyTorch: the two-engine cell and the comparison.

    %load_ext autograd_core.parity      makes %%both and on_torch known
    parity_report()                     counts what was compared
    with watching(): loss = ...         records the forward, for watch(loss)

What belongs to the lessons is in `autograd_core.lessons`, and still found here:

    check("01.1", a_grad=-0.5)          compares an answer with PyTorch's
    processes(4, work)                  calls work(rank, world) in four processes at once
"""

from .. import extras, moved

extras.need("lessons", "torch")

from .compare import ParityError
from .watching import watching

__all__ = [
    "BackwardRule",
    "Function",
    "ParityError",
    "check",
    "exercise",
    "load_ipython_extension",
    "parity_report",
    "processes",
    "watching",
]

__getattr__, __dir__ = moved.names(__name__, globals())


def load_ipython_extension(shell):
    """What `%load_ext autograd_core.parity` calls: make %%both and on_torch known."""
    extras.need("lessons", "IPython", "threadpoolctl")  # which `watching` does without
    from .magic import load_ipython_extension

    load_ipython_extension(shell)


def parity_report():
    """What the %%both cells of this kernel have compared so far."""
    from .magic import parity_report

    return parity_report()

"""The rooms that know PyTorch: the two-engine cell and the comparison.

%load_ext autograd_core.parity      makes %%both and on_torch known
parity_report()                     counts what was compared
with watching(): loss = ...         records the forward, for watch(loss) and report(loss)
"""

from .. import extras

extras.need("what runs on PyTorch", "torch")

from .compare import ParityError
from .watching import watching

__all__ = ["ParityError", "load_ipython_extension", "parity_report", "watching"]


def load_ipython_extension(shell):
    """What `%load_ext autograd_core.parity` calls: make %%both and on_torch known."""
    extras.need("%%both", "IPython", "threadpoolctl")  # which `watching` does without
    from .magic import load_ipython_extension

    load_ipython_extension(shell)


def parity_report():
    """What the %%both cells of this kernel have compared so far."""
    from .magic import parity_report

    return parity_report()


def __getattr__(name):
    if name in ("report", "watch", "follow", "explore"):  # looked for beside `watching`
        raise ImportError(
            f"{name} is not in autograd_core.parity: from autograd_core import {name}"
        )
    raise AttributeError(f"autograd_core.parity has no {name}")

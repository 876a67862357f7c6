"""The modules that use PyTorch: the two-engine cell with its comparison, and `watching`.

%load_ext autograd_core.parity      defines %%both and on_torch
with watching(): loss = ...         records the forward pass, for watch(loss) and report(loss)
"""

from .. import extras

extras.need("what runs on PyTorch", "torch")

from .compare import ParityError
from .watching import watching

__all__ = ["ParityError", "load_ipython_extension", "watching"]


def load_ipython_extension(shell):
    """Define %%both and on_torch, when IPython runs `%load_ext autograd_core.parity`."""
    extras.need("%%both", "IPython", "threadpoolctl")  # `watching` doesn't need these
    from .magic import BothMagic

    magic = BothMagic(shell)
    shell.register_magics(magic)
    shell.user_ns["on_torch"] = magic.on_torch

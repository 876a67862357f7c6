"""While one side runs a cell, the other engine must not: otherwise one engine would be compared with itself.

What an ordinary cell made may still hold on to autograd_core in a way that `to_torch` does not see, through an imported
file of the learner's for example. Then an operation of the wrong engine runs, and that is noticed here.
"""

import contextlib
import os
import sys

from ..core.recording import recording
from .compare import ParityError

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


class WrongEngine(ParityError):
    """One side of a %%both cell called the other side's engine."""


class _Guard:
    """Refuses `engine` while `side` runs. `error` is kept, should the cell catch it."""

    def __init__(self, engine: str, side: str):
        self.engine, self.side = engine, side
        self.error: WrongEngine | None = None

    def refuse(self, called: str):
        """Raises WrongEngine, with the name of what was called and of the function that called it."""
        frame = sys._getframe(1)
        while frame.f_back and (frame.f_code.co_filename.startswith(_PACKAGE) or f"{os.sep}torch{os.sep}" in
                                frame.f_code.co_filename or frame.f_code.co_filename.startswith("<frozen")):
            frame = frame.f_back
        where = "the cell" if frame.f_code.co_name == "<module>" else frame.f_code.co_name
        self.error = WrongEngine(f"on {self.side}'s side {where} (line {frame.f_lineno}) called {called} of {self.engine}: "
                                 "use T, F, nn and optim, or make what it uses in a %%both cell")
        raise self.error


class _GuardAgainstOurs(_Guard):
    """autograd_core publishes what it does."""

    def on_operation(self, operation, node, args, outs):
        self.refuse(operation.__name__)

    def on_creation(self, name):
        self.refuse(name)

    def during_call(self, module):
        self.refuse(type(module).__name__)

    def during_backward(self, roots, accumulates):
        self.refuse("backward")

    def during_step(self, optimizer, closure):
        self.refuse(f"{type(optimizer).__name__}.step")

    def during_zero_grad(self, owner):
        self.refuse("zero_grad")

    def watching(self):
        """The context in which autograd_core is refused."""
        return recording.subscribed(self)


class _GuardAgainstTorch(_Guard):
    """PyTorch asks a mode before each of its functions."""

    def watching(self):
        """The context in which PyTorch is refused."""
        from torch.overrides import TorchFunctionMode, resolve_name

        class Refusing(TorchFunctionMode):
            def __torch_function__(mode, function, types, args=(), kwargs=None):
                self.refuse(resolve_name(function) or getattr(function, "__name__", str(function)))
        return Refusing()


@contextlib.contextmanager
def guard_against(engine: str, side: str):
    """Refuse `engine`, "PyTorch" or "autograd_core", inside of the block. Raises WrongEngine at its end in any case."""
    guard = (_GuardAgainstTorch if engine == "PyTorch" else _GuardAgainstOurs)(engine, side)
    with guard.watching():
        yield
    if guard.error is not None:
        raise guard.error

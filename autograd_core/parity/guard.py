"""While one side runs a cell, the other engine must not: one engine would be compared with itself.

An imported file of the learner's may call the other one, for example. Then an operation of the
wrong engine runs, and that is noticed here, also in threads that the cell starts. Once it has
ended, nothing is refused any more in a thread that goes on.
"""

import contextlib
import os
import sys
import threading

from ..core.recording import recording
from .compare import ParityError

_INSIDE = (os.path.dirname(os.path.dirname(__file__)) + os.sep, "<frozen", f"{os.sep}torch{os.sep}")


class WrongEngine(ParityError):
    """One side of a %%both cell called the other side's engine."""


class _Guard:
    """Refuses `engine` while the other one's `side` runs, until `is_over`. `error` is kept, should
    the cell catch it.
    """

    error: WrongEngine | None = None
    is_over = False

    def __init__(self, engine: str, side: str):
        self.engine, self.side = engine, side

    def refuse(self, called: str):
        """Raises WrongEngine, with the name of what was called and of the function that called it."""
        if self.is_over:
            return
        frame = sys._getframe(1)
        while frame.f_back and any(place in frame.f_code.co_filename for place in _INSIDE):
            frame = frame.f_back
        where = "the cell" if frame.f_code.co_name == "<module>" else frame.f_code.co_name
        self.error = WrongEngine(
            f"on {self.side}'s side {where} (line {frame.f_lineno}) called {called} of"
            f" {self.engine}: use T, F, nn and optim, or make what it uses in a %%both cell"
        )
        raise self.error

    def watching(self):
        """The context in which the engine is refused, in this thread."""
        if self.engine == "autograd_core":
            return recording.subscribed(self)
        from torch.overrides import TorchFunctionMode, resolve_name

        class Refusing(TorchFunctionMode):
            def __torch_function__(mode, function, types, args=(), kwargs=None):
                self.refuse(resolve_name(function) or getattr(function, "__name__", str(function)))
                return function(*args, **(kwargs or {}))

        return Refusing()

    # autograd_core publishes what it does

    def on_operation(self, operation, node, args, outs):
        self.refuse(operation.__name__)

    def on_creation(self, name, array):
        self.refuse(name)

    def during_backward(self, roots, accumulates):
        self.refuse("backward")
        return contextlib.nullcontext()

    def during_step(self, optimizer, closure):
        self.refuse(f"{type(optimizer).__name__}.step")
        return contextlib.nullcontext()


@contextlib.contextmanager
def guard_against(engine: str, side: str):
    """Refuse `engine`, "PyTorch" or "autograd_core", inside of the block and in threads begun
    there.

    Raises WrongEngine at its end in any case, also where the cell caught it.
    """
    guard = _Guard(engine, side)

    def enter_in_a_thread(frame, event, argument):
        sys.setprofile(None)  # it was there to be called once, when the thread begins
        # what no debugger may enter is no thread of the cell's: in one the kernel answers widgets
        if not getattr(threading.current_thread(), "pydev_do_not_trace", False):
            guard.watching().__enter__()

    before = threading.getprofile()
    threading.setprofile(enter_in_a_thread)
    try:
        with guard.watching():
            yield
    finally:
        threading.setprofile(before)
        guard.is_over = True
    if guard.error is not None:
        raise guard.error

"""While one side runs a cell, the other engine must not: one engine would be compared with itself.

An imported file of the learner's may call the other one, for example. Then an operation of the
wrong engine runs, and that is noticed here, also in threads that begin while a cell runs. Such a
thread may call either engine again as soon as no cell runs.
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
    """Refuses `engine` while the other one's `side` runs. `error` is kept, should the cell catch
    it.
    """

    now: "_Guard | None" = None  # that of the side that runs
    error: WrongEngine | None = None

    def __init__(self, engine: str, side: str):
        self.engine, self.side = engine, side

    def refuse(self, called: str):
        """Raises WrongEngine, with the name of what was called and of the function that called it."""
        frame = sys._getframe(2)
        while frame.f_back and any(place in frame.f_code.co_filename for place in _INSIDE):
            frame = frame.f_back
        where = "the cell" if frame.f_code.co_name == "<module>" else frame.f_code.co_name
        self.error = WrongEngine(
            f"on {self.side}'s side {where} (line {frame.f_lineno}) called {called} of"
            f" {self.engine}: use T, F, nn and optim, or make what it uses in a %%both cell"
        )
        raise self.error


def _called(engine: str, name: str) -> None:
    """`name` of `engine` is called. Raises WrongEngine if a side runs that must not."""
    guard = _Guard.now
    if guard is not None and guard.engine == engine:
        guard.refuse(name)


class _Watch:
    """Hears what autograd_core does, as a subscriber."""

    def on_operation(self, operation, node, args, outs):
        _called("autograd_core", operation.__name__)

    def on_creation(self, name, array):
        _called("autograd_core", name)

    def during_backward(self, roots, accumulates):
        _called("autograd_core", "backward")
        return contextlib.nullcontext()

    def during_step(self, optimizer, closure):
        _called("autograd_core", f"{type(optimizer).__name__}.step")
        return contextlib.nullcontext()


def _watch_of_torch():
    """The context in which it is heard what PyTorch does."""
    from torch.overrides import TorchFunctionMode, resolve_name

    class Watch(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            name = resolve_name(function) or getattr(function, "__name__", str(function))
            _called("PyTorch", name)
            return function(*args, **(kwargs or {}))

    return Watch()


def _watch_a_thread(frame, event, argument):
    """Hear both engines in a thread from its begin to its end, on each side that runs meanwhile."""
    sys.setprofile(None)  # it was there to be called once, when the thread begins
    # what no debugger may enter is no thread of the cell's: in one the kernel answers widgets
    if not getattr(threading.current_thread(), "pydev_do_not_trace", False):
        recording.subscribe(_Watch())
        _watch_of_torch().__enter__()


@contextlib.contextmanager
def guard_against(engine: str, side: str):
    """Refuse `engine`, "PyTorch" or "autograd_core", inside of the block and in threads begun
    there.

    Raises WrongEngine at its end in any case, also where the cell caught it.
    """
    guard, before = _Guard(engine, side), threading.getprofile()
    watch = recording.subscribed(_Watch()) if engine == "autograd_core" else _watch_of_torch()
    _Guard.now = guard
    threading.setprofile(_watch_a_thread)
    try:
        with watch:
            yield
    finally:
        threading.setprofile(before)
        _Guard.now = None
    if guard.error is not None:
        raise guard.error

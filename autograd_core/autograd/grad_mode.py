"""Whether operations are recorded, in this thread: `no_grad`, `enable_grad`, `set_grad_enabled`."""

import functools
from collections.abc import Callable
from typing import Any, Self, TypeVar

from ..core.public import public
from ..core.recording import recording

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@public("T")
def is_grad_enabled() -> bool:
    """Whether operations on tensors that require gradients are recorded now."""
    return recording.enabled


class GradMode:
    """A `with` block, or a decorator, in which recording is on or off, and as before after it."""

    def __new__(cls, mode: Any = None) -> Self:
        """`mode` may be the function to decorate: `@no_grad` without brackets."""
        return decorate(mode, cls) if callable(mode) else super().__new__(cls)

    def __call__(self, function: Decorated) -> Decorated:
        return decorate(function, lambda: type(self)(self.mode))

    def __enter__(self) -> Self:
        self._before = recording.enabled
        recording.enabled = self.mode
        return self

    def __exit__(self, *exception) -> None:
        recording.enabled = self._before


class no_grad(GradMode):
    """Nothing is recorded or saved: for validation, and for updates by hand."""

    mode = False


class enable_grad(GradMode):
    """Record again, inside a `no_grad` block."""

    mode = True


class set_grad_enabled(GradMode):
    """Switch recording on or off: at once, or for a `with` block, or for a function as a decorator."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            what = f"argument 'enabled' (position 1) must be bool, not {type(mode).__name__}"
            raise TypeError(f"set_grad_enabled(): {what}")
        self.mode = mode
        super().__enter__()

    def __call__(self, function: Decorated) -> Decorated:
        self.__exit__()
        return super().__call__(function)

    def __enter__(self) -> Self:
        recording.enabled = self.mode
        return self


# the flag of a function with `yield` in it (`inspect` would cost 7 ms of import)
_GENERATOR = 0x20


def decorate(function, context):
    """`function`, each call of which runs inside a new `context()`. Raises NotImplementedError for
    a generator, of which each stretch between two yields would have to.
    """
    if getattr(function, "__code__", None) and function.__code__.co_flags & _GENERATOR:
        raise NotImplementedError("autograd_core decorates no generators: use `with` in their body")

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        with context():
            return function(*args, **kwargs)

    return wrapped

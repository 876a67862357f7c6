"""Switch recording on or off in this thread: `no_grad`, `enable_grad`, `set_grad_enabled`."""

import functools
from collections.abc import Callable
from typing import Any, Self, TypeVar

from ..core.public import public
from ..core.recording import recording

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
_GENERATOR = 0x20  # the flag of a function with `yield` in it (`inspect` would cost 7 ms of import)


@public("T")
def is_grad_enabled() -> bool:
    """Whether operations on tensors that require gradients are recorded now."""
    return recording.enabled


class GradMode:
    """A `with` block or decorator that switches recording on or off, and restores it afterwards."""

    def __new__(cls, mode: Any = None) -> Self:
        """`mode` may be the function to decorate: `@no_grad` without parentheses."""
        return cls()(mode) if callable(mode) else super().__new__(cls)

    def __call__(self, function: Decorated) -> Decorated:
        """Wrap `function` so that each call runs in a new context. Not for generator functions."""
        if getattr(function, "__code__", None) and function.__code__.co_flags & _GENERATOR:
            words = "autograd_core decorates no generators: use `with` in their body"
            raise NotImplementedError(words)

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with type(self)(self.mode):
                return function(*args, **kwargs)

        return wrapped

    def __enter__(self) -> Self:
        with recording.during("during_switch", self, True):
            self._before = recording.enabled
            recording.enabled = self.mode
        return self

    def __exit__(self, *exception) -> None:
        with recording.during("during_switch", self, False):
            recording.enabled = self._before


class no_grad(GradMode):
    """Don't record operations or save tensors, as for validation or for updates by hand."""

    mode = False


class enable_grad(GradMode):
    """Record operations again inside a `no_grad` block."""

    mode = True


class set_grad_enabled(GradMode):
    """Switch recording on or off: immediately, for a `with` block, or as a decorator."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        super().__enter__()

    def __call__(self, function: Decorated) -> Decorated:
        self.__exit__()
        return super().__call__(function)

    def __enter__(self) -> Self:
        recording.enabled = self.mode
        return self

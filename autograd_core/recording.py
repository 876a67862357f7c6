"""Whether operations are recorded, and who else hears of them: `no_grad`, `enable_grad`, listeners.

What is said here holds for the thread that says it.
"""

import collections.abc
import functools
import threading


class _Recording(threading.local):
    """Whether operations on tensors that require gradients are recorded in this thread, and who else takes part.

    listeners  each is called as `listener(operation, node, args, outs)` after every operation (a tape, for one).
    state      `enabled` and `listeners`: to look at what belongs to the thread takes 35 ns, and every operation does it.
    inference  inside `inference_mode`, where nothing can switch recording on.
    runner     if not None, called as `runner(node, ops, gradient)` in place of `node.apply(ops, gradient)`.
    """

    state = (True, ())
    inference = False
    runner = None

    @property
    def enabled(self):
        return self.state[0]

    @enabled.setter
    def enabled(self, value):
        self.state = (value, self.state[1])

    @property
    def listeners(self):
        return self.state[1]

    @listeners.setter
    def listeners(self, value):
        self.state = (self.state[0], value)

    def switch(self, mode):
        """Record from now on, or not."""
        self.enabled = mode and not self.inference

    def listen(self, listener, wanted):
        """Add `listener`, or take it away. Returns whether it was there before."""
        others = tuple(known for known in self.listeners if known != listener)
        there = len(others) < len(self.listeners)
        self.listeners = (*others, listener) if wanted else others
        return there


recording = _Recording()


def is_grad_enabled():
    """Whether operations on tensors that require gradients are recorded now."""
    return recording.enabled


class GradMode:
    """A `with` block, or a decorator, in which recording is on or off; nested blocks restore what was before."""

    def __new__(cls, mode=None):
        """`mode` may be the function to decorate: `@no_grad` without brackets."""
        return decorate(mode, cls) if callable(mode) else super().__new__(cls)

    def __call__(self, function):
        return decorate(function, lambda: type(self)(self.mode))

    def __enter__(self):
        self._before = recording.enabled
        recording.switch(self.mode)
        return self

    def __exit__(self, *exception):
        recording.enabled = self._before


class no_grad(GradMode):
    """Results have no `grad_fn`: nothing is recorded and nothing is saved. For validation, and for updates by hand."""

    mode = False


class enable_grad(GradMode):
    """Record again, inside a `no_grad` block."""

    mode = True


class set_grad_enabled(GradMode):
    """Switch recording on or off: at once, or for a `with` block, or for a function as a decorator."""

    def __init__(self, mode):
        self.mode = bool(mode)
        super().__enter__()

    def __call__(self, function):
        self.__exit__()
        return super().__call__(function)

    def __enter__(self):
        recording.switch(self.mode)


_GENERATOR = 0x20                   # the flag of a function with `yield` in it (`inspect` would cost 7 ms of import)


class _Stretches(collections.abc.Generator):
    """The generator `source`, each stretch of which, from one yield to the next, runs inside a new `context()`."""

    def __init__(self, source, context):
        self.source, self.context = source, context

    def send(self, value):
        with self.context():
            return self.source.send(value)

    def throw(self, *error):
        with self.context():
            return self.source.throw(*error)


def decorate(function, context):
    """`function`, each call of which runs inside a new `context()`; of a generator, each stretch between two yields."""
    if getattr(function, "__code__", None) and function.__code__.co_flags & _GENERATOR:
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            return (yield from _Stretches(function(*args, **kwargs), context))
    else:
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with context():
                return function(*args, **kwargs)
    return wrapped

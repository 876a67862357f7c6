"""The switch that turns recording on and off, and the subscribers that receive the engine's events.
Each thread has its own switch and subscribers.

A subscriber (a tape or anomaly mode, for example) has a method for each event that it needs:

    on_operation(operation, node, args, outs)  `operation` computed the tensors `outs` from `args`
                                               and created `node`; None if nothing was recorded
    on_creation(name, array)                   the function `name` creates a tensor of these numbers
    on_index(tensor, array)                    `array`, the numbers of `tensor`, is used as an index
    on_write(tensor, result)                   `tensor` is about to be overwritten in place by
                                               `result`
    on_leave(tensor, out, how)                 `tensor` was detached, and the result is `out`; `how`
                                               is "detach()", "detach_()" or ".data"
    on_take(data, how, number)                 the call `how` takes numbers of the tensors in `data`
    on_node_ran(node, sent)                    `node` sent these gradients in a backward pass
    on_node_failed(node)                       `node` raised the exception that is being handled

For an event that takes time, the method returns a context manager, which is also exited if the event
raises an exception:

    during_call(module)                        a module is called
    during_switch(switch, begins)              a no_grad or similar `switch` begins or ends
    during_backward(roots, accumulates)        a backward pass starts at these tensors; it doesn't
                                               accumulate if it is run by `autograd.grad`
    during_step(optimizer, closure)            an optimizer steps; it first calls `closure`, or None
"""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any


class _Recording(threading.local):
    """Whether this thread records operations on tensors that require gradients, and its subscribers.

    state  `enabled` and `subscribers` as one tuple, because every operation reads both, and each
           access to a thread's attribute takes 35 ns.
    """

    state: tuple[bool, tuple[Any, ...]] = (True, ())
    subscribers: tuple[Any, ...] = ()

    @property
    def enabled(self) -> bool:
        return self.state[0]

    @enabled.setter
    def enabled(self, value: bool) -> None:
        self.state = (value, self.subscribers)

    def subscribe(self, subscriber: Any, wanted: bool = True) -> None:
        """Start sending events to `subscriber`, or stop if not `wanted`."""
        others = tuple(known for known in self.subscribers if known is not subscriber)
        self.subscribers = (*others, subscriber) if wanted else others
        self.state = (self.enabled, self.subscribers)

    @contextlib.contextmanager
    def subscribed(self, subscriber: Any) -> Iterator[None]:
        """Send events to `subscriber` inside the block."""
        before = subscriber in self.subscribers
        self.subscribe(subscriber)
        try:
            yield
        finally:
            self.subscribe(subscriber, before)

    def publish(self, event: str, *details: Any) -> None:
        """Send an event to the subscribers: `publish("on_write", tensor, result)`."""
        for subscriber in self.subscribers:
            if hasattr(subscriber, event):
                getattr(subscriber, event)(*details)

    def during(self, event: str, *details: Any) -> contextlib.AbstractContextManager[Any]:
        """The subscribers' contexts as one: `with recording.during("during_call", module)`."""
        if not self.subscribers:
            return contextlib.nullcontext()
        with contextlib.ExitStack() as contexts:
            for subscriber in self.subscribers:
                if hasattr(subscriber, event):
                    contexts.enter_context(getattr(subscriber, event)(*details))
            return contexts.pop_all()


recording = _Recording()

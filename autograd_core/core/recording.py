"""Whether operations are recorded, and who else hears of what the engine does. Both hold for the
thread that says so.

A subscriber (a trace is one, anomaly mode another) has a method for each event of which it wants to
hear:

    on_operation(operation, node, args, outs)  tensors `outs` were made of `args`, and `node`, None
    if nothing was recorded
    on_creation(name, array)                   a tensor of these numbers is made, by the function of
    this name
    on_index(tensor, array)                    the numbers of `tensor` are used as an index, `array`
    on_write(tensor, result)                   `tensor` is about to become what `result` is, in
    place
    on_leave(tensor, out, how)                 `tensor` left the graph as `out`, by "detach()",
    "detach_()" or ".data"
    on_node_ran(node, sent)                    in a backward pass `node` sent these gradients
    on_node_failed(node)                       `node` raised what is being handled now

What lasts is a context, which the method returns. It is entered before and left after, also where
something raises.

    during_call(module)                        a module is called
    during_switch(switch, begins)              a no_grad or its like, `switch`, begins or ends
    during_backward(roots, accumulates)        a pass runs back from these tensors; not to
    accumulate, for `autograd.grad`
    during_step(optimizer, closure)            an optimizer steps; it calls `closure` first, or None
"""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any


class _Recording(threading.local):
    """Whether operations on tensors that require gradients are recorded in this thread, and who
    hears of them.

    state  `enabled` and `subscribers`: to look at what belongs to the thread takes 35 ns, and
           every operation does it.
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
        """Tell `subscriber` what happens from now on, or no longer."""
        others = tuple(known for known in self.subscribers if known is not subscriber)
        self.subscribers = (*others, subscriber) if wanted else others
        self.state = (self.enabled, self.subscribers)

    @contextlib.contextmanager
    def subscribed(self, subscriber: Any) -> Iterator[None]:
        """Tell `subscriber` what happens inside of the block."""
        before = subscriber in self.subscribers
        self.subscribe(subscriber)
        try:
            yield
        finally:
            self.subscribe(subscriber, before)

    def publish(self, event: str, *details: Any) -> None:
        """Tell the subscribers: `publish("on_write", tensor, result)`."""
        for subscriber in self.subscribers:
            if hasattr(subscriber, event):
                getattr(subscriber, event)(*details)

    def during(self, event: str, *details: Any) -> contextlib.AbstractContextManager[Any]:
        """The contexts of the subscribers as one: `with recording.during("during_call", module)`."""
        if not self.subscribers:
            return contextlib.nullcontext()
        with contextlib.ExitStack() as contexts:
            for subscriber in self.subscribers:
                if hasattr(subscriber, event):
                    contexts.enter_context(getattr(subscriber, event)(*details))
            return contexts.pop_all()


recording = _Recording()

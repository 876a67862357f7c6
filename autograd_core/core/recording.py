"""Whether operations are recorded, and who else hears of what the engine does. Both hold for the thread that says so.

    recording.enabled = False           with recording.subscribed(subscriber):
                                            ...
"""

import contextlib
import threading

_NOTHING = contextlib.nullcontext()


class Subscriber:
    """Who is told what happens. A trace is one, anomaly mode another. A subclass overrides what it wants to hear of."""

    def on_operation(self, operation, node, args, outs):
        """`operation` made the tensors `outs` of `args`, and `node`, or None if it was not recorded."""

    def on_index(self, tensor, array):
        """The numbers of `tensor` are used as an index, `array`."""

    def on_write(self, tensor, result):
        """`tensor` is about to become what `result` is, in place."""

    def on_leave(self, tensor, out, how):
        """`tensor` was taken out of the graph as `out`, by `how`: "detach()", "detach_()" or ".data"."""

    def on_node_ran(self, node, sent):
        """In a backward pass `node` sent the gradients `sent`. What this raises ends the pass."""

    def on_node_failed(self, node):
        """In a backward pass `node` raised what is being handled now."""

    # What lasts has a context, which is entered before and left after, also when it raises.

    def during_call(self, module):
        """A module is called."""
        return _NOTHING

    def during_backward(self, roots, accumulates):
        """A pass runs back from the tensors `roots`; `accumulates` is False for `autograd.grad`."""
        return _NOTHING

    def during_step(self, optimizer, closure):
        """An optimizer steps; `closure` is what it calls first, or None."""
        return _NOTHING

    def during_zero_grad(self, owner):
        """A module or an optimizer clears the gradients of its parameters."""
        return _NOTHING


class _Recording(threading.local):
    """Whether operations on tensors that require gradients are recorded in this thread, and who hears of them.

    state      `enabled` and `subscribers`: to look at what belongs to the thread takes 35 ns, and every operation does it.
    inference  inside `inference_mode`, where nothing can switch recording on.
    """

    state = (True, ())
    subscribers = ()
    inference = False

    @property
    def enabled(self):
        return self.state[0]

    @enabled.setter
    def enabled(self, value):
        self.state = (value, self.subscribers)

    def switch(self, mode):
        """Record from now on, or not."""
        self.enabled = mode and not self.inference

    def subscribe(self, subscriber, wanted=True):
        """Tell `subscriber` what happens from now on, or no longer."""
        others = tuple(known for known in self.subscribers if known is not subscriber)
        self.subscribers = (*others, subscriber) if wanted else others
        self.state = (self.enabled, self.subscribers)

    @contextlib.contextmanager
    def subscribed(self, subscriber):
        """Tell `subscriber` what happens inside of the block."""
        before = subscriber in self.subscribers
        self.subscribe(subscriber)
        try:
            yield
        finally:
            self.subscribe(subscriber, before)

    def publish(self, event, *details):
        """Tell every subscriber: `publish("on_write", tensor, result)`."""
        for subscriber in self.subscribers:
            getattr(subscriber, event)(*details)

    def during(self, event, *details):
        """The contexts of all subscribers as one: `with recording.during("during_call", module)`."""
        if not self.subscribers:
            return _NOTHING
        with contextlib.ExitStack() as contexts:
            for subscriber in self.subscribers:
                contexts.enter_context(getattr(subscriber, event)(*details))
            return contexts.pop_all()


recording = _Recording()

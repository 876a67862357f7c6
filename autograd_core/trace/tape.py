"""What happens while a tape is recording: forward values and lines, backward passes, steps, zeroing.

    tape = Tape()
    with tape.recording():
        loss = ...
        loss.backward()
    trace(loss, tape=tape)

A tape works by the hooks and names that both engines share; only hearing of forward operations differs (`_listening`,
which the PyTorch tape in `parity` has its own way for). It holds arrays and leaves, never a graph.
"""

import contextlib
import functools
import importlib
import itertools
import weakref

from ..recording import recording
from .data import Event
from .flow import MOST_NUMBERS, Flow
from .nodes import copy, engine_of, is_leaf, key_of, walk
from .passes import Happening, watching_nodes

_tapes = weakref.WeakSet()


def tape_of(loss):
    """The tape that knows most of the graph of `loss`, or None if none knows any of it."""
    engine, keys = engine_of(loss), {key_of(node) for node in walk(loss.grad_fn) if not is_leaf(node)}
    known = {tape: len(keys & tape.flow.forward.keys()) for tape in _tapes if tape.engine.__name__ == engine}
    best = max(known, key=known.get, default=None)
    return best if known.get(best) else None


class Tape:
    """A recording of one engine, `engine` (autograd_core itself, or torch for the subclass in `parity`).

    `flow` is what is known of the forward, `happenings` are the backward passes, steps and zeroings, in order: the latest
    ones, as long as they hold at most MOST_NUMBERS together.
    """

    def __init__(self, engine=None, limit=5_000):
        if engine is None:
            import autograd_core as engine
        self.engine, self.flow, self.happenings = engine, Flow(engine, limit), []
        self._forward = True                # not inside of a backward pass or a step
        self._size = 0                      # how many numbers the happenings hold
        _tapes.add(self)

    @contextlib.contextmanager
    def recording(self):
        """Record everything that happens inside this `with` block. Afterwards nothing of it is left in the engine."""
        optimizer = importlib.import_module(f"{self.engine.__name__}.optim.optimizer")
        autograd, nn = self.engine.autograd, self.engine.nn
        with (self._listening(),
              replaced(nn.Module, "__call__", self.flow.around_call),
              replaced(autograd, "backward", self._around_backward),
              replaced(autograd, "grad", self._around_grad),
              replaced(optimizer.Optimizer, "zero_grad", self._around_zero_grad),
              replaced(nn.Module, "zero_grad", self._around_zero_grad),
              optimizer.register_optimizer_step_pre_hook(self._before_step),
              optimizer.register_optimizer_step_post_hook(self._after_step)):
            self._forward = True
            yield self

    # ---- forward -----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _listening(self):
        """Hear of each operation of autograd_core, and of what leaves the graph."""
        tensor, ops = self.engine.Tensor, self.engine.ops
        with (replaced(tensor, "detach", self.leaving("detach()")), replaced(tensor, "data", self.leaving(".data")),
              replaced(tensor, "detach_", self.leaving("detach_()")),
              replaced(ops.inplace, "_write", self._around_write),
              replaced(ops.indexing, "_as_array", self._around_index), contextlib.ExitStack() as afterwards):
            afterwards.callback(recording.listen, self._heard, recording.listen(self._heard, True))
            yield

    def _heard(self, operation, node, args, outs):
        if self.hears:
            inputs = args[0] if operation.variadic else [
                a for i, a in enumerate(args) if i in operation.slots or hasattr(a, "grad_fn")]
            indices = [index for a in args if isinstance(a, tuple) for index in a]
            self.flow.end(self.flow.begin(operation.__name__, inputs, indices), outs, node)

    def leaving(self, how):
        """What is to stand around the call `how`, which takes a tensor out of the graph."""
        def around(leave, tensor):
            source = self.flow.cut_of(tensor, how)
            out = leave(tensor)
            self.flow.set_source(out, source)
            return out
        return around

    def _around_write(self, write, tensor, result):
        self.flow.overwritten(tensor, result)
        return write(tensor, result)

    def _around_index(self, as_array, part):
        array = as_array(part)
        if hasattr(part, "grad_fn"):
            self.flow.set_source(array, self.flow.source_of(part))
        return array

    # ---- backward ----------------------------------------------------------------------------------------------

    @property
    def hears(self):
        """Whether an operation that runs now belongs to a forward: not to a step, nor to an ordinary backward."""
        return self._forward or self.engine.is_grad_enabled()

    @contextlib.contextmanager
    def _no_forward(self):
        before, self._forward = self._forward, False
        try:
            yield
        finally:
            self._forward = before

    def _around_backward(self, backward, tensors, *args, **kwargs):
        roots = [tensors] if hasattr(tensors, "grad_fn") else list(tensors)
        happening = Happening(tuple(t.grad_fn._sequence_nr() for t in roots if t.grad_fn is not None))
        with self._no_forward(), watching_nodes(walk(*(t.grad_fn for t in roots)), happening):
            backward(tensors, *args, **kwargs)
        self._keep(happening)

    def _around_grad(self, grad, *args, **kwargs):
        with self._no_forward():
            return grad(*args, **kwargs)

    def backward_of(self, loss):
        """The first backward pass that started at `loss`, or None."""
        key = loss.grad_fn._sequence_nr()
        return next((h for h in self.happenings if key in h.roots), None)

    def after(self, happening):
        """What followed a backward pass, up to the next one: steps and zeroings."""
        seen = itertools.dropwhile(lambda h: h is not happening, self.happenings)
        yield from itertools.takewhile(lambda h: not h.roots, itertools.islice(seen, 1, None))

    # ---- step and zero_grad ------------------------------------------------------------------------------------

    def _before_step(self, optimizer, args, kwargs):
        self._forward = bool(args or kwargs)            # a closure holds a forward of its own
        self._moving = [(p, copy(p)) for p in _parameters_with_grad(optimizer)]

    def _after_step(self, optimizer, args, kwargs):
        self._forward = True
        self._keep(Happening(events=[Event("step", id(p), before, copy(p)) for p, before in self._moving],
                             keep=self._moving))

    def _around_zero_grad(self, zero_grad, owner, *args, **kwargs):
        zeroed = [(p, copy(p.grad)) for p in _parameters_with_grad(owner)]
        zero_grad(owner, *args, **kwargs)
        self._keep(Happening(events=[Event("zero_grad", id(p), before, copy(p.grad)) for p, before in zeroed],
                             keep=zeroed))

    def _keep(self, happening):
        self.happenings.append(happening)
        self._size += happening.size()
        while self._size > MOST_NUMBERS and len(self.happenings) > 1:
            self._size -= self.happenings.pop(0).size()


def _parameters_with_grad(owner):
    """Those of a module or an optimizer that have a `.grad`."""
    parameters = owner.parameters() if hasattr(owner, "parameters") else (
        p for group in owner.param_groups for p in group["params"])
    return [p for p in parameters if p.grad is not None]


@contextlib.contextmanager
def replaced(owner, name, around):
    """Inside the block `owner.name(...)` is `around(original, ...)`; of a property, to read it is."""
    original = vars(owner)[name]
    read = isinstance(original, property)
    called = functools.partial(around, original.fget if read else original)
    replacement = functools.wraps(original)(lambda *args, **kwargs: called(*args, **kwargs))    # which can be a method
    setattr(owner, name, property(replacement, original.fset) if read else replacement)
    try:
        yield
    finally:
        setattr(owner, name, original)

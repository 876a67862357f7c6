"""What happens while a tape is recording: forward values and lines, backward passes, steps, zeroing.

    tape = Tape()
    with tape.recording():
        loss = ...
        loss.backward()
    trace(loss, tape=tape)

A tape works by the hooks and names that both engines share; only hearing of forward operations differs (`_listening`,
which the PyTorch tape in `parity` has its own way for). It holds arrays and leaves, never a graph, and it forgets the
oldest operations beyond `limit`.
"""

import ast
import contextlib
import functools
import importlib
import linecache
import sys
import weakref
from dataclasses import dataclass, field

import numpy as np

from ..graph import recording
from .nodes import copy, is_leaf, key_of, saved_in, walk

LARGEST = 100_000                   # numbers of a single tensor that a tape copies; of larger ones it keeps none


@dataclass
class Constant:
    """An input without gradient: its numbers, and its tensor itself (None for a plain number), to know it again."""

    value: object
    tensor: object = None

    @property
    def key(self):
        return None if self.tensor is None else id(self.tensor)


@dataclass
class Forward:
    """One recorded operation: its result, where its inputs with a gradient stand, its constants, its source line."""

    value: np.ndarray | None
    slots: list
    constants: list
    statement: str


@dataclass
class Happening:
    """A backward pass, a step or a zeroing: events as (kind, key of the node, before, after, sent)."""

    roots: tuple = ()
    events: list = field(default_factory=list)
    saved: dict = field(default_factory=dict)           # key of a node -> [(argument, numbers)]
    numbers: dict = field(default_factory=dict)         # key of a node -> {argument: plain number}
    leaf_values: dict = field(default_factory=dict)     # id of a leaf -> its numbers at that time
    keep: list = field(default_factory=list)            # the leaves themselves, so that their ids stay theirs


_tapes = weakref.WeakSet()


def engine_of(tensor):
    """The package a tensor is of: "autograd_core" or "torch"."""
    return type(tensor).__module__.partition(".")[0]


def tape_of(loss):
    """The tape on which the operation that made `loss` is recorded, or None."""
    key, engine = loss.grad_fn._sequence_nr(), engine_of(loss)
    return next((t for t in _tapes if t.engine.__name__ == engine and key in t.forward), None)


class Tape:
    """A recording of one engine, `engine` (autograd_core itself, or torch for the subclass in `parity`)."""

    def __init__(self, engine=None, limit=5_000):
        if engine is None:
            import autograd_core as engine
        self.engine, self.limit = engine, limit
        self.forward, self.happenings = {}, []
        _tapes.add(self)

    @contextlib.contextmanager
    def recording(self):
        """Record everything that happens inside this `with` block."""
        optimizer = importlib.import_module(f"{self.engine.__name__}.optim.optimizer")
        autograd, nn = self.engine.autograd, self.engine.nn
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._listening())
            stack.enter_context(_replaced(autograd, "backward", self._around_backward))
            stack.enter_context(_replaced(optimizer.Optimizer, "zero_grad", self._around_zero_grad))
            stack.enter_context(_replaced(nn.Module, "zero_grad", self._around_zero_grad))
            before = optimizer.register_optimizer_step_pre_hook(self._before_step)
            stack.callback(before.remove)
            after = optimizer.register_optimizer_step_post_hook(self._after_step)
            stack.callback(after.remove)
            yield self

    # ---- forward -----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _listening(self):
        before = recording.listen(self._heard, True)
        try:
            yield
        finally:
            recording.listen(self._heard, before)

    def _heard(self, operation, node, args, outs):
        if node is not None:
            inputs = args[0] if operation.variadic else [
                a for i, a in enumerate(args) if i in operation.slots or hasattr(a, "grad_fn")]
            self.add_forward(node._sequence_nr(), inputs, outs[0], self.statement_now())

    def add_forward(self, key, inputs, out, statement):
        """Note the operation with sequence number `key`: inputs (tensors and numbers, in order), result, source."""
        slots, constants = [], []
        for i, x in enumerate(x for x in inputs if x is not None):
            if getattr(x, "requires_grad", False):
                slots.append(i)
            elif hasattr(x, "grad_fn"):
                constants.append((i, Constant(_numbers(x), x)))
            else:
                constants.append((i, Constant(x)))
        self.forward[key] = Forward(_numbers(out), slots, constants, statement)
        if len(self.forward) > self.limit:
            del self.forward[next(iter(self.forward))]

    @staticmethod
    def statement_now():
        """The learner's statement that is running: the innermost one outside of the engines; "" if unknown."""
        frame = sys._getframe(1)
        while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("autograd_core", "torch"):
            frame = frame.f_back
        return "" if frame is None else _statement_at(frame.f_code.co_filename, frame.f_lineno)

    # ---- backward ----------------------------------------------------------------------------------------------

    def _around_backward(self, backward):
        @functools.wraps(backward)
        def recorded(tensors, *args, **kwargs):
            roots = [tensors] if hasattr(tensors, "grad_fn") else list(tensors)
            happening = Happening(tuple(t.grad_fn._sequence_nr() for t in roots if t.grad_fn is not None))
            with watching_nodes(walk(*(t.grad_fn for t in roots)), happening):
                backward(tensors, *args, **kwargs)
            self.happenings.append(happening)
        return recorded

    def backward_of(self, loss):
        """The first backward pass that started at `loss`, or None."""
        key = loss.grad_fn._sequence_nr()
        return next((h for h in self.happenings if key in h.roots), None)

    def rehearse(self, loss, gradient):
        """A backward pass on the side: afterwards `.grad` of every leaf is what it was."""
        nodes = walk(loss.grad_fn)
        leaves = [n.variable for n in nodes if is_leaf(n)]
        grads = [leaf.grad for leaf in leaves]
        happening = Happening((loss.grad_fn._sequence_nr(),))
        try:
            for leaf in leaves:
                leaf.grad = None
            with watching_nodes(nodes, happening):
                loss.backward(gradient, retain_graph=True)
        except RuntimeError as error:
            error.add_note("To trace a loss, backward has to run once more: trace it before loss.backward(), or call "
                           "loss.backward(retain_graph=True).")
            raise
        finally:
            for leaf, grad in zip(leaves, grads):
                leaf.grad = grad
        return happening

    def after(self, happening):
        """What followed a backward pass, up to the next one: steps and zeroings."""
        place = next((i for i, h in enumerate(self.happenings) if h is happening), len(self.happenings))
        for later in self.happenings[place + 1:]:
            if later.roots:
                return
            yield later

    # ---- step and zero_grad ------------------------------------------------------------------------------------

    def _before_step(self, optimizer, args, kwargs):
        self._moving = [(p, copy(p)) for group in optimizer.param_groups for p in group["params"]
                        if p.grad is not None]

    def _after_step(self, optimizer, args, kwargs):
        self._add([("step", p, before, copy(p)) for p, before in self._moving])

    def _around_zero_grad(self, zero_grad):
        @functools.wraps(zero_grad)
        def recorded(owner, *args, **kwargs):
            parameters = list(owner.parameters()) if hasattr(owner, "parameters") else [
                p for group in owner.param_groups for p in group["params"]]
            before = [(p, copy(p.grad)) for p in parameters if p.grad is not None]
            zero_grad(owner, *args, **kwargs)
            self._add([("zero_grad", p, grad, copy(p.grad)) for p, grad in before])
        return recorded

    def _add(self, changes):
        happening = Happening(keep=[p for _, p, _, _ in changes])
        happening.events = [(kind, id(p), before, after, ()) for kind, p, before, after in changes]
        self.happenings.append(happening)


@contextlib.contextmanager
def watching_nodes(nodes, happening):
    """Write what passes through `nodes` during a backward pass into `happening`. The hooks go when the block ends."""
    handles = []
    try:
        for node in nodes:
            watch = _watch_leaf if is_leaf(node) else _watch_operation
            handles += watch(node, key_of(node), happening)
        yield
    finally:
        for handle in handles:
            handle.remove()


def _watch_leaf(node, key, happening):
    variable = node.variable
    happening.keep.append(variable)
    happening.leaf_values[key] = copy(variable)
    before = []
    return (node.register_prehook(lambda arrived: before.append(copy(variable.grad))),
            node.register_hook(lambda sent, arrived: happening.events.append(
                ("accumulate", key, before.pop(), copy(variable.grad), ()))))


def _watch_operation(node, key, happening):
    happening.saved[key], happening.numbers[key] = _saved_values(node)

    def arrived(sums):
        total = next((g for g in sums if g is not None), None)
        happening.events.append(("backward", key, copy(total), None, ()))

    def left(sent, sums):
        kind, key_, total, _, _ = happening.events[-1]
        happening.events[-1] = (kind, key_, total, None,
                                tuple((k, copy(g)) for k, g in enumerate(sent) if g is not None))
    return node.register_prehook(arrived), node.register_hook(left)


def _saved_values(node):
    """What a node has saved: tensors as [(argument, numbers)], plain numbers, or None, as {argument: number}."""
    saved, numbers = [], {}
    for name, value in saved_in(node):
        if hasattr(value, "grad_fn"):
            saved.append(("input" if name == "self" else name, copy(value)))
        elif value is None or type(value) in (int, float):
            numbers[name] = value
    return sorted(saved, key=lambda s: s[0]), numbers


@contextlib.contextmanager
def _replaced(owner, name, around):
    """`owner.name` wrapped by `around` inside the block."""
    original = getattr(owner, name)
    setattr(owner, name, around(original))
    try:
        yield
    finally:
        setattr(owner, name, original)


def _numbers(tensor):
    return copy(tensor) if tensor.numel() <= LARGEST else None


@functools.lru_cache(maxsize=4_096)
def _statement_at(filename, line):
    lines = ["\n" if s.startswith("%") else s for s in linecache.getlines(filename)]      # a magic is not Python
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return ""
    best = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno and not hasattr(node, "body"):
            best = node
    return "" if best is None else "\n".join(s.rstrip()[best.col_offset if s[:best.col_offset].isspace() else 0:]
                                             for s in lines[best.lineno - 1:best.end_lineno])

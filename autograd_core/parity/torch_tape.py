"""The tape for PyTorch: how it hears of each forward operation, inside composed ones too."""

import contextlib
import functools
import sys
import threading
import weakref
from collections.abc import Iterator

import torch
from torch.autograd.graph import GradientEdge
from torch.optim.optimizer import register_optimizer_step_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode

from ..trace import Tape
from ..trace.nodes import MOST_BEARABLE, check_bearable, key_of, looks, node_of, this_thread
from ..trace.provenance import Write, memory_of
from ..trace.tape import LIMIT

_DETACH = torch.ops.aten.detach.default
_APPLY = torch.autograd.Function.apply.__func__.__code__  # within it a custom forward runs
_SWITCHES = {
    torch.no_grad: ("__enter__", "__exit__"),
    torch.enable_grad: ("__enter__", "__exit__"),
    torch.set_grad_enabled: ("__init__", "__enter__", "__exit__"),
    torch.inference_mode: ("__enter__", "__exit__"),
}
_FROM_SHAPE_ALONE = (
    "empty",
    "new_",
    "ones_like",
    "zeros_like",
    "full_like",
    "rand_like",
    "randn_like",
)


class _Listener(TorchDispatchMode):
    """PyTorch shows every kernel it calls. A result gets its `grad_fn` only after that, so it is
    read at the next.
    """

    def __init__(self, tape):
        super().__init__()
        self.tape, self.waiting = tape, None
        self.numbers = {}  # id of a tensor that `where` made of a plain number: (tensor, number)
        # id -> tensor that counts its versions apart from what it shares memory with
        self.apart = weakref.WeakValueDictionary()

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # to skip PyTorch's compiler, PyTorch would load it first: three seconds

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.flush()
        if any(getattr(argument, "is_nested", False) for argument in args):
            self.tape.saw_nested = True  # it has no shape to note: to ask for one ends the process
            return function(*args, **(kwargs or {}))
        if function is _DETACH:
            return self.detach(*args)
        name = function._schema.name.partition("::")[2].lstrip("_")
        if (
            not self.tape.in_forward
            or self.tape.full
            or name == "detach_"
            or name.startswith(_FROM_SHAPE_ALONE)
        ):
            return function(*args, **(kwargs or {}))
        if name == "scalar_tensor":
            out = function(*args, **(kwargs or {}))
            self.numbers[id(out)] = out, args[0]
            return out
        inputs, indices = _inputs_and_indices(function, args)
        operation = self.tape.begin(
            name, [self.numbers.get(id(x), (x, x))[1] for x in inputs], indices
        )
        if operation.mode:  # as in the forward of a custom Function, which is one operation
            operation.statement = self.tape.statement_now(within=_APPLY) or operation.statement
        given = (
            args[place] if place < len(args) else (kwargs or {}).get(name)
            for place, name in _written_by(function)
        )
        written = [(x, memory_of(x)) for x in given if self.is_counted(x)]
        out = function(*args, **(kwargs or {}))
        outs = [
            x
            for x in (out if isinstance(out, (tuple, list)) else (out,))
            if isinstance(x, torch.Tensor)
        ]
        if outs:
            self.waiting = operation, outs, function._schema.is_mutable, written
        return out

    def detach(self, tensor):
        """Out of the graph: by `detach()`, by `.data`, or for PyTorch's own use. It makes no node."""
        if not isinstance(tensor, torch.Tensor):
            return torch.scalar_tensor(tensor)
        if not self.tape.in_forward:
            return _DETACH(tensor)
        how = _detach_or_data()
        out = _DETACH(tensor)
        self.tape.on_leave(tensor, out, how)
        if how != "detach()" or not self.is_counted(tensor):
            self.apart[id(out)] = out
        return out

    def is_counted(self, x):
        """Whether a write into x is counted by what shares its memory: not one through `.data`."""
        base = getattr(x, "_base", None)
        base = x if base is None else base
        return isinstance(x, torch.Tensor) and self.apart.get(id(base)) is not base

    def flush(self):
        """Hand over the operation that has ended. What wrote into a tensor of the graph under
        no_grad made no node.
        """
        if self.waiting is None:
            return
        (operation, outs, in_place, written), self.waiting = self.waiting, None
        self.tape.writes += [Write(*at, operation) for x, at in written if memory_of(x) != at]
        if looks.add():
            self.tape.full = len(looks.known()) > MOST_BEARABLE
        node = node_of(outs[0])
        if operation.mode and node is not None:
            if key_of(node) in self.tape.forward:
                return
            operation.inputs = ()  # a custom Function: this was the last step of its forward
        self.tape.end(operation, outs, node)
        if in_place and node is None:
            self.tape.written(outs[0], outs[0])

    def catch_up(self):
        """As `flush`, where PyTorch is not showing a kernel: it may be inside of a vmap."""
        with torch._C._DisableFuncTorch():
            self.flush()


class _UncompiledListener(_Listener):
    """The same where PyTorch's compiler is loaded: it must not compile what listens."""

    @classmethod
    def _should_skip_dynamo(cls):
        return True

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return super().__torch_dispatch__(function, types, args, kwargs)


def _detach_or_data():
    """How the tensor leaves the graph of which PyTorch has just asked for a detached alias.

    `detach()` is an operation, and reaches a listener by way of autograd, which is switched off
    from there on. `.data` is no operation: it makes the alias directly, with nothing switched off.
    """
    switched_off = getattr(torch._C, "_dispatch_tls_is_dispatch_key_excluded", None)
    if switched_off is None:
        return "detach() or .data"
    return "detach()" if switched_off(torch._C.DispatchKey.ADInplaceOrView) else ".data"


@functools.cache
def _written_by(function):
    """(place, name) of each argument of a kernel that it writes into."""
    taken = enumerate(function._schema.arguments)
    return [(i, x.name) for i, x in taken if x.alias_info and x.alias_info.is_write]


def _inputs_and_indices(function, args):
    """The tensors and numbers among the arguments of a kernel, and the tensors that choose entries."""
    inputs, indices = [], []
    for kind, value in zip(_kinds(function), args):
        if kind == "List[Tensor]":
            inputs += value
        elif kind == "List[Optional[Tensor]]":
            indices += value
        elif "Tensor" in kind and "List" not in kind:
            inputs.append(value)
    return inputs, indices


@functools.cache
def _kinds(function):
    """The types of a kernel's arguments, as PyTorch writes them."""
    return [str(parameter.type) for parameter in function._schema.arguments]


class TorchTape(Tape):
    """A recording of what PyTorch does. Used like `Tape`.

    PyTorch tells of its operations and steps, not of modules, grad modes, backward passes and
    zeroing: those functions are wrapped while the tape records.
    """

    def __init__(self, limit=LIMIT, budget=None):
        super().__init__(torch, limit, budget)

    saw_nested = False
    full = False  # so many of PyTorch's nodes are held that none may be looked at

    @contextlib.contextmanager
    def during_backward(self, roots, accumulates):
        """As `Tape`; a pass through nested tensors, or through more nodes than PyTorch bears, is
        not recorded.
        """
        self.full, unseen = False, self.saw_nested
        try:
            check_bearable(*roots, what="watching")
        except ValueError:
            unseen = True
        with contextlib.nullcontext() if unseen else super().during_backward(roots, accumulates):
            yield

    @contextlib.contextmanager
    def recording(self):
        """Record everything that happens inside this `with` block. Afterwards nothing of it is left
        in PyTorch.
        """
        listener = (_UncompiledListener if "torch._dynamo" in sys.modules else _Listener)(self)

        @contextlib.contextmanager
        def during_detach(tensor):
            listener.flush()  # which would see the tensor when it has left the graph
            self.on_leave(tensor, tensor, "detach_()")
            yield

        thread = threading.get_ident()  # each has a grad mode of its own

        def here(during):
            return lambda x: (
                during(x) if threading.get_ident() == thread else contextlib.nullcontext()
            )

        steps = []  # those that are going on: an optimizer may call another one's

        def step_begins(optimizer, args, kwargs):
            if threading.get_ident() != thread:
                return
            closure = kwargs.get("closure", *args[1:2] or [None])
            steps.append(self.during_step(optimizer, closure))
            steps[-1].__enter__()

        @contextlib.contextmanager
        def block_ends(block):
            yield  # a step is one of the profiler's blocks: this ends also where the step raises
            if steps and block.name.startswith("Optimizer.step#"):
                steps.pop().__exit__(None, None, None)

        during = {
            (torch.Tensor, "detach_"): during_detach,
            (torch.nn.Module, "__call__"): self.during_call,
            (torch.nn.Module, "zero_grad"): self.during_zero_grad,
            (torch.optim.Optimizer, "zero_grad"): self.during_zero_grad,
            (torch.autograd.profiler.record_function, "__exit__"): block_ends,
            (torch.autograd, "backward"): lambda roots: self.during_backward(_listed(roots), True),
            (torch.autograd, "grad"): lambda roots: self.during_backward(_listed(roots), False),
        } | {
            (switch, name): functools.partial(self.during_switch, begins=name != "__exit__")
            for switch, names in _SWITCHES.items()
            for name in names
        }
        with contextlib.ExitStack() as contexts:
            contexts.enter_context(listener)
            this_thread.listeners.append(listener)
            contexts.callback(this_thread.listeners.remove, listener)
            for (owner, name), context in during.items():
                contexts.enter_context(wrapped(owner, name, here(context)))
            contexts.enter_context(register_optimizer_step_pre_hook(step_begins))
            self._no_pass_runs, self.full = True, False
            yield self
        listener.flush()


def _listed(tensors):
    """What a pass begins at; nothing of an iterator, which PyTorch is to read, and no GradientEdge."""
    given = [tensors] if isinstance(tensors, torch.Tensor | GradientEdge) else tensors
    return [] if isinstance(given, Iterator) else [x for x in given if isinstance(x, torch.Tensor)]


_wraps = {}  # (owner, name) of what is wrapped -> (its contexts, what puts the original back)
_wrapping = threading.Lock()


@contextlib.contextmanager
def wrapped(owner, name, during):
    """Inside of the block each call of PyTorch's `owner.name(x, ...)` runs inside of the context
    `during(x)`. Blocks may overlap, and end in any order.
    """
    with _wrapping:
        contexts, put_back = _wraps.get((owner, name)) or _wrap(owner, name)
        contexts.append(during)
    try:
        yield
    finally:
        with _wrapping:
            contexts.remove(during)
            if not contexts:
                put_back()


def _wrap(owner, name):
    inherited, original, contexts = name not in vars(owner), getattr(owner, name), []

    @functools.wraps(original)
    def call(*args, **kwargs):
        first = args[0] if args else kwargs.get("outputs", kwargs.get("tensors"))
        with contextlib.ExitStack() as entered:
            for during in reversed([*contexts]):  # another thread may end its block meanwhile
                entered.enter_context(during(first))
            return original(*args, **kwargs)

    def put_back():
        del _wraps[owner, name]
        if vars(owner).get(name) is call:  # else something else has wrapped it since
            delattr(owner, name) if inherited else setattr(owner, name, original)

    setattr(owner, name, call)
    _wraps[owner, name] = contexts, put_back
    return contexts, put_back

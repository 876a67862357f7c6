"""The tape for PyTorch. It observes PyTorch through PyTorch's own hooks and replaces nothing.

    TorchDispatchMode       each kernel that runs, even inside a composite operation
    TorchFunctionMode       `backward()`, `retain_grad()`, `detach_()`, changes of the grad mode
    global module hooks     calls of modules
    global optimizer hooks  steps

PyTorch has no hook for `torch.autograd.backward(...)`, so the tape can't record a pass that starts
there."""

import contextlib
import functools
import re
import sys
import threading
import weakref

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import CheckpointFunction

from ..trace import Tape
from ..trace.nodes import MOST_ALIVE, MOST_NODES, Visit, check_bearable, key_of, node_of
from ..trace.provenance import Write, ends_block_now, memory_of

_DETACH = torch.ops.aten.detach.default
_CHECKPOINT = CheckpointFunction.forward.__code__
_APPLY = torch.autograd.Function.apply.__func__.__code__  # it runs the forward of a custom Function
_TENSOR = "torch.tensor()"
# calls that take numbers out of the graph
_TAKES = {getattr(torch.Tensor, name): f"{name}()" for name in ("item", "tolist", "numpy")}
_TAKES |= {torch.tensor: _TENSOR, torch.as_tensor: _TENSOR, torch.Tensor.__float__: "float()"}
_NOT_RECORDED = re.compile("detach_$|empty|new_|(ones|zeros|full|rand|randn)_like")


class _Listener(TorchDispatchMode):
    """PyTorch calls this mode for every kernel. A result gets its `grad_fn` only afterwards, so the
    operation is recorded at the next kernel.
    """

    def __init__(self, tape):
        super().__init__()
        self.tape, self.waiting = tape, None
        self.taken_by = ""  # the running call of _TAKES
        self.numbers = {}  # id of a tensor that `where` made from a number: (tensor, number)
        # id -> tensor that shares memory with another tensor, but not its version
        self.apart = weakref.WeakValueDictionary()

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # to skip PyTorch's compiler, PyTorch would load it first: three seconds

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.flush()
        if any(getattr(argument, "is_nested", False) for argument in args):
            self.tape.saw_nested = True  # its shape can't be recorded: reading it crashes PyTorch
            return function(*args, **(kwargs or {}))
        if function is _DETACH:
            return self.detach(*args)
        name = function._schema.name.partition("::")[2].lstrip("_")
        if name == "local_scalar_dense":
            self.tape.on_take(args[0], self.taken_by or "item()", number := function(*args))
            return number
        if not self.tape.in_forward or self.tape.visited > MOST_NODES or _NOT_RECORDED.match(name):
            return function(*args, **(kwargs or {}))
        if name == "scalar_tensor":
            out = function(*args, **(kwargs or {}))
            self.numbers[id(out)] = out, args[0]
            return out
        inputs, indices = _inputs_and_indices(function, args)
        values = [self.numbers.get(id(x), (x, x))[1] for x in inputs]
        operation = self.tape.begin(name, values, indices)
        if operation.mode:  # maybe in the forward of a custom Function, which is one operation
            if self.tape.statement_now(within=_CHECKPOINT):
                operation.mode = "checkpoint"
            operation.statement = self.tape.statement_now(within=_APPLY) or operation.statement
        given = (
            args[place] if place < len(args) else (kwargs or {}).get(name)
            for place, name in _written_by(function)
        )
        written = [(x, memory_of(x)) for x in given if self.is_counted(x)]
        out = function(*args, **(kwargs or {}))
        made = out if isinstance(out, (tuple, list)) else (out,)
        if outs := [x for x in made if isinstance(x, torch.Tensor)]:
            self.waiting = operation, outs, function._schema.is_mutable, written
        return out

    def detach(self, tensor):
        """Handle a detach kernel: of `detach()`, `.data`, or internal to PyTorch. It has no node."""
        if not isinstance(tensor, torch.Tensor):
            return torch.scalar_tensor(tensor)
        if not self.tape.in_forward:
            return _DETACH(tensor)
        how = _TENSOR if self.taken_by == _TENSOR else _detach_or_data()
        out = _DETACH(tensor)
        self.tape.on_leave(tensor, out, how)
        if how == ".data" or not self.is_counted(tensor):
            self.apart[id(out)] = out
        return out

    def is_counted(self, x):
        """Whether x shares its version with the tensors that share its memory, unlike `.data`."""
        base = getattr(x, "_base", None)
        base = x if base is None else base
        return isinstance(x, torch.Tensor) and self.apart.get(id(base)) is not base

    def flush(self):
        """Record the operation that has ended. An in-place change of a tensor in the graph under
        no_grad created no node.
        """
        if self.waiting is None:
            return
        (operation, outs, in_place, written), self.waiting = self.waiting, None
        self.tape.writes += [Write(*at, operation) for x, at in written if memory_of(x) != at]
        self.tape.visited += 1 if Visit.alive < MOST_ALIVE else MOST_NODES
        node = node_of(outs[0])
        if operation.mode and node is not None:
            if key_of(node) in self.tape.forward:
                return
            operation.inputs = ()  # a custom Function: this was the last step of its forward
        self.tape.end(operation, outs, node)
        if in_place and node is None:
            self.tape.written(outs[0], outs[0])


class _UncompiledListener(_Listener):
    """The same if PyTorch's compiler is loaded, because it mustn't compile this mode."""

    @classmethod
    def _should_skip_dynamo(cls):
        return True

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return super().__torch_dispatch__(function, types, args, kwargs)


def _detach_or_data():
    """Whether `detach()` or `.data` created the alias that PyTorch is just computing. Autograd handles
    the operation `detach()` first, and then excludes its own dispatch key; `.data` excludes none.
    """
    key = torch._C.DispatchKey.ADInplaceOrView
    return "detach()" if torch._C._dispatch_tls_is_dispatch_key_excluded(key) else ".data"


@functools.cache
def _written_by(function):
    """(position, name) of each argument that a kernel modifies in place."""
    taken = enumerate(function._schema.arguments)
    return [(i, x.name) for i, x in taken if x.alias_info and x.alias_info.is_write]


def _inputs_and_indices(function, args):
    """The tensors and numbers in the arguments of a kernel, and the tensors used as indices."""
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
    """The types of a kernel's arguments as PyTorch's strings."""
    return [str(parameter.type) for parameter in function._schema.arguments]


class _Calls(TorchFunctionMode):
    """PyTorch calls this mode for each of its functions. `during` has the contexts of some."""

    def __init__(self, during):
        super().__init__()
        self.during = during

    def __torch_function__(self, function, types, args=(), kwargs=None):
        context = self.during.get(function)
        with contextlib.nullcontext() if context is None else context(*args):
            return function(*args, **(kwargs or {}))


class _Open:
    """Contexts that one hook enters and another hook exits, in this thread."""

    def __init__(self):
        self.thread, self.contexts = threading.get_ident(), []

    def enter(self, owner, context):
        if threading.get_ident() == self.thread:
            context.__enter__()
            self.contexts.append((owner, context))

    def leave(self, owner):
        """Exit the latest context of `owner`, and those inside it that no hook has exited."""
        if threading.get_ident() == self.thread and any(own is owner for own, _ in self.contexts):
            while self._leave_latest() is not owner:
                pass

    def leave_all(self):
        while self.contexts:
            self._leave_latest()

    def _leave_latest(self):
        owner, context = self.contexts.pop()
        context.__exit__(None, None, None)
        return owner


class TorchTape(Tape):
    """A `Tape` that records PyTorch."""

    def __init__(self, budget=None):
        super().__init__(torch, budget)

    listener = None  # while it records
    saw_nested = False
    visited = 0  # nodes since the latest pass; after MOST_NODES, no further ones are visited

    def catch_up(self):
        if self.listener:
            with torch._C._DisableFuncTorch():  # outside of a kernel, a vmap may be active
                self.listener.flush()

    @property
    def off_by(self):
        return "inference_mode" if torch.is_inference_mode_enabled() else "no_grad"

    @property
    def in_forward(self):
        no_pass_runs = self._no_pass_runs and torch._C._current_graph_task_id() == -1
        return no_pass_runs or torch.is_grad_enabled()

    @contextlib.contextmanager
    def during_backward(self, roots, accumulates):
        """Like `Tape`, but a pass through nested tensors or through too many nodes isn't recorded
        (see `check_bearable`).
        """
        self.catch_up()
        unseen = self.saw_nested
        try:
            check_bearable(*roots, what="watching")
            self.visited = 0
        except ValueError:
            unseen, self.visited = True, MOST_NODES
        with contextlib.nullcontext() if unseen else super().during_backward(roots, accumulates):
            yield

    @contextlib.contextmanager
    def recording(self):
        """Record everything that happens inside this `with` block. All hooks and modes are removed
        afterwards.
        """
        listener = (_UncompiledListener if "torch._dynamo" in sys.modules else _Listener)(self)

        @contextlib.contextmanager
        def during_detach(tensor):
            listener.flush()  # later, the tensor would already be detached
            self.on_leave(tensor, tensor, "detach_()")
            yield

        @contextlib.contextmanager
        def during_retain(tensor):
            self.retaining[id(tensor)] = tensor
            yield

        @contextlib.contextmanager
        def during_take(how, *args):
            listener.flush()
            if how not in ("item()", "float()"):  # these call a kernel
                self.on_take(args[:1], how)
            listener.taken_by = how
            yield
            listener.taken_by = ""

        def module_begins(module, _):
            calls.enter(module, self.during_call(module))

        def step_begins(optimizer, args, kwargs):
            listener.flush()
            steps.leave(optimizer)  # its latest step may have raised, without calling the post hook
            closure = kwargs.get("closure", *args[1:2] or [None])
            steps.enter(optimizer, self.during_step(optimizer, closure))

        calls, steps = _Open(), _Open()
        during = {
            torch.Tensor.backward: lambda loss, *_: self.during_backward([loss], True),
            torch.Tensor.retain_grad: during_retain,
            torch.Tensor.detach_: during_detach,
            torch.detach_: during_detach,
            **{call: functools.partial(during_take, how) for call, how in _TAKES.items()},
            torch._C._set_grad_enabled: lambda _: self.during_switch(None, not ends_block_now()),
        }
        with self.begun(), contextlib.ExitStack() as contexts:
            contexts.enter_context(listener)
            contexts.enter_context(_Calls(during))
            self.listener = listener
            contexts.callback(setattr, self, "listener", None)
            for handle in (
                register_module_forward_pre_hook(module_begins),
                register_module_forward_hook(
                    lambda module, *_: calls.leave(module), always_call=True
                ),
                register_optimizer_step_pre_hook(step_begins),
                register_optimizer_step_post_hook(lambda optimizer, *_: steps.leave(optimizer)),
            ):
                contexts.callback(handle.remove)
            contexts.callback(steps.leave_all)
            contexts.callback(calls.leave_all)
            self.visited = 0
            yield self
        listener.flush()

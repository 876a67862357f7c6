"""The tape for PyTorch: how it hears of each forward operation, inside composed ones too."""

import contextlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ..trace import Tape
from ..trace.nodes import node_of
from ..trace.statements import statement_now
from ..trace.tape import replaced

_DETACH = torch.ops.aten.detach.default
_FROM_SHAPE_ALONE = ("empty", "new_", "ones_like", "zeros_like", "full_like", "rand_like", "randn_like")


class _Listener(TorchDispatchMode):
    """PyTorch shows every kernel it calls. A result gets its `grad_fn` only after that, so it is read at the next."""

    def __init__(self, tape):
        super().__init__()
        self.tape, self.waiting = tape, None
        self.numbers = {}                       # id of a tensor that `where` made of a plain number: (tensor, number)

    @classmethod
    def _should_skip_dynamo(cls):
        return False                            # to skip PyTorch's compiler, PyTorch would load it first: three seconds

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.flush()
        if function is _DETACH:
            return self.detach(*args)
        name = function._schema.name.partition("::")[2].lstrip("_")
        if not self.tape.hears or name == "detach_" or name.startswith(_FROM_SHAPE_ALONE):
            return function(*args, **(kwargs or {}))
        if name == "scalar_tensor":
            out = function(*args, **(kwargs or {}))
            self.numbers[id(out)] = out, args[0]
            return out
        inputs, indices = _inputs_and_indices(function, args)
        operation = self.tape.flow.begin(name, [self.numbers.get(id(x), (x, x))[1] for x in inputs], indices)
        out = function(*args, **(kwargs or {}))
        outs = [x for x in (out if isinstance(out, (tuple, list)) else (out,)) if isinstance(x, torch.Tensor)]
        if outs:
            self.waiting = operation, outs, function._schema.is_mutable
        return out

    def detach(self, tensor):
        """Out of the graph: by `detach()`, by `.data`, or for PyTorch's own use. It makes no node."""
        if not isinstance(tensor, torch.Tensor):
            return torch.scalar_tensor(tensor)
        if not self.tape.hears:
            return _DETACH(tensor)
        return self.tape.leaving(".data" if ".data" in statement_now() else "detach()")(_DETACH, tensor)

    def flush(self):
        """Hand over the operation that has ended. What wrote into a tensor of the graph under no_grad made no node."""
        if self.waiting is None:
            return
        (operation, outs, in_place), self.waiting, flow = self.waiting, None, self.tape.flow
        node = node_of(outs[0])
        if operation.mode and node is not None:
            if node._sequence_nr() in flow.forward:
                return
            operation.inputs = ()                           # a custom Function: this was the last step of its forward
        flow.end(operation, outs, node)
        if in_place and node is None:
            flow.overwritten(outs[0], outs[0])


def _inputs_and_indices(function, args):
    """The tensors and numbers among the arguments of a kernel, and the tensors that choose entries."""
    inputs, indices = [], []
    for parameter, value in zip(function._schema.arguments, args):
        kind = str(parameter.type)
        if kind == "List[Tensor]":
            inputs += value
        elif kind == "List[Optional[Tensor]]":
            indices += value
        elif "Tensor" in kind and "List" not in kind:
            inputs.append(value)
    return inputs, indices


class TorchTape(Tape):
    """A recording of what PyTorch does. Used like `Tape`."""

    def __init__(self, limit=5_000):
        super().__init__(torch, limit)

    @contextlib.contextmanager
    def _listening(self):
        listener = _Listener(self)

        def after_flush(detach_, tensor):           # the listener would see the tensor when it has left the graph
            listener.flush()
            return self.leaving("detach_()")(detach_, tensor)

        with listener, replaced(torch.Tensor, "detach_", after_flush):
            yield
        listener.flush()

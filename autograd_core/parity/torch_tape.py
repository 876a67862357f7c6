"""The tape for PyTorch: how it hears of each forward operation, inside composed ones too."""

import contextlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ..trace import Tape


_DETACH = torch.ops.aten.detach.default


class _Listener(TorchDispatchMode):
    """PyTorch shows every kernel it calls. A result gets its `grad_fn` only after that, so it is read at the next."""

    def __init__(self, tape):
        super().__init__()
        self.tape, self.waiting = tape, []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.flush()
        if function is _DETACH:                 # no node: a saved tensor is being kept, or read by the tape
            return function(*args) if isinstance(args[0], torch.Tensor) else torch.scalar_tensor(args[0])
        out = function(*args, **(kwargs or {}))
        first = out[0] if isinstance(out, (tuple, list)) and out else out
        if isinstance(first, torch.Tensor):
            inputs = []
            for parameter, value in zip(function._schema.arguments, args):
                kind = str(parameter.type)
                if kind == "List[Tensor]":
                    inputs += value
                elif "Tensor" in kind and "List" not in kind:       # an index, a list, is no input of its own
                    inputs.append(value)
            self.waiting.append((first, inputs, self.tape.statement_now()))
        return out

    def flush(self):
        for out, inputs, statement in self.waiting:
            if out.grad_fn is not None:
                self.tape.add_forward(out.grad_fn._sequence_nr(), inputs, out, statement)
        self.waiting = []


class TorchTape(Tape):
    """A recording of what PyTorch does. Used like `Tape`."""

    def __init__(self, limit=5_000):
        super().__init__(torch, limit)

    @contextlib.contextmanager
    def _listening(self):
        listener = _Listener(self)
        with listener:
            yield
        listener.flush()

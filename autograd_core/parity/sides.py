"""The two sides of a %%both cell: an engine, a namespace, and how names from ordinary cells reach both."""

import contextlib
import copy
import re
import types
from collections import deque

import numpy as np

from ..trace import Tape
from .results import defined_by_learner, is_node

ENGINE_NAMES = ("T", "F", "nn", "optim")

# What IPython keeps in the namespace for itself, and what names the engines.
_NOT_THE_LEARNERS = re.compile(
    r"_{1,3}|_i{1,3}|_i?\d+|_[dio]h|__\w+__|In|Out|exit|quit|get_ipython|on_torch|" + "|".join(ENGINE_NAMES))

# Rooms of autograd_core whose objects are plain data, so that both sides may hold them.
_PLAIN_ROOMS = ("autograd_core.trace", "autograd_core.parity", "autograd_core.widgets", "autograd_core.lessons")


def learners_names(namespace: dict) -> list[str]:
    """The names in `namespace` that cells made, in order: neither IPython's own nor T, F, nn, optim."""
    return [name for name in namespace if not _NOT_THE_LEARNERS.fullmatch(name)]


class Side:
    """One engine and the namespace in which it runs cells.

    `label` names it in messages: "autograd_core" or "PyTorch". `engine` is the package (`autograd_core` or `torch`).
    """

    def __init__(self, label: str, engine, namespace: dict):
        self.label, self.engine, self.namespace = label, engine, namespace
        namespace.setdefault("__name__", "__main__")
        self.tape = _tape(engine)
        self.bindings = {"T": engine, "F": engine.nn.functional, "nn": engine.nn, "optim": engine.optim}

    def bind(self):
        """Let T, F, nn and optim mean this engine. Raises NameError if the learner uses one of them for a value."""
        for name in ENGINE_NAMES:
            value = self.namespace.get(name)
            if value is not None and not isinstance(value, types.ModuleType) and value is not self.bindings[name]:
                raise NameError(f"{name} means the engine in a %%both cell, but an ordinary cell made it "
                                f"{type(value).__name__}: use another name, and del {name}")
        self.namespace.update(self.bindings)

    def check_bindings(self):
        """Raises NameError if the cell gave T, F, nn or optim another meaning."""
        for name, value in self.bindings.items():
            if self.namespace.get(name) is not value:
                raise NameError(f"{name} means the engine in a %%both cell: use another name for your own value")

    def recording(self):
        """The context in which a cell runs on this side: everything goes on this side's tape, so it can be watched."""
        return self.tape.recording() if self.tape else contextlib.nullcontext()


def _tape(engine):
    if engine.__name__ == "torch":
        from .torch_tape import TorchTape
        return TorchTape()
    return Tape() if engine.__name__ == "autograd_core" else None


class MadeElsewhere(Exception):
    """A value holds something of autograd_core that has no counterpart in PyTorch."""


class Sharing:
    """Carries values from ordinary cells, which know autograd_core alone, over to PyTorch's namespace.

    Containers, arrays, random generators and the learner's own objects are copied, so that neither side sees what the
    other does to them. A function is given PyTorch's namespace. Anything else is shared as it is.
    `counterparts` maps `id(ours)` to PyTorch's object for what both sides already have.
    """

    def __init__(self, ours: Side, theirs: Side, counterparts: dict[int, object]):
        self.ours, self.theirs, self.known = ours, theirs, dict(counterparts)
        self.held = []                          # keeps the ids in `known` valid

    def carry(self, value):
        """PyTorch's counterpart of `value`. Raises MadeElsewhere if it is, or holds, autograd_core's own."""
        if id(value) in self.known:
            return self.known[id(value)]
        if self._is_engines(value):
            raise MadeElsewhere
        self.held.append(value)
        if isinstance(value, types.FunctionType) and value.__globals__ is self.ours.namespace:
            result = types.FunctionType(value.__code__, self.theirs.namespace, value.__name__, value.__defaults__,
                                        value.__closure__)
            result.__kwdefaults__, result.__dict__ = value.__kwdefaults__, dict(value.__dict__)
        elif isinstance(value, (np.ndarray, np.random.Generator, np.random.RandomState)) or \
                type(value).__module__ == "random":
            result = copy.deepcopy(value)
        elif isinstance(value, tuple):
            result = getattr(value, "_make", tuple)(map(self.carry, value))
        elif isinstance(value, (list, deque, dict, set)) or defined_by_learner(value) and hasattr(value, "__dict__") \
                and not isinstance(value, type):
            return self._copy(value)
        else:
            result = value
        self.known[id(value)] = result
        return result

    def _copy(self, value):
        """A copy with carried content. It is known before it is filled, for what contains itself."""
        result = self.known[id(value)] = copy.copy(value)
        try:
            if isinstance(value, dict):
                content = {self.carry(key): self.carry(item) for key, item in value.items()}
                result.clear()
                result.update(content)
            elif isinstance(value, (list, deque, set)):
                content = list(map(self.carry, value))
                result.clear()
                (result.update if isinstance(value, set) else result.extend)(content)
            else:
                vars(result).update((name, self.carry(attribute)) for name, attribute in vars(value).items())
        except MadeElsewhere:
            del self.known[id(value)]
            raise
        return result

    def _is_engines(self, value):
        engine = self.ours.engine
        if isinstance(value, (engine.Tensor, engine.nn.Module, engine.optim.Optimizer)) or is_node(value):
            return True
        if isinstance(value, types.ModuleType | types.FunctionType | types.BuiltinFunctionType):
            return False
        classes = value.__mro__ if isinstance(value, type) else type(value).__mro__
        return any(base.__module__.partition(".")[0] == engine.__name__ and not base.__module__.startswith(_PLAIN_ROOMS)
                   for base in classes)


class OnTorch:
    """PyTorch's side of what the %%both cells made: `on_torch.loss`, `on_torch["loss"]`."""

    def __init__(self, side_of_torch):
        object.__setattr__(self, "_side", side_of_torch)

    def _names(self):
        side = self._side()
        return {} if side is None else {name: side.namespace[name] for name in learners_names(side.namespace)}

    def __getattr__(self, name):
        names = self._names()
        if name in names:
            return names[name]
        known = ", ".join(names) or "nothing yet: run a %%both cell first"
        raise AttributeError(f"PyTorch's side has no {name!r}. It has: {known}")

    def __getitem__(self, name):
        try:
            return getattr(self, name)
        except AttributeError as error:
            raise LookupError(str(error)) from None

    def __setattr__(self, name, value):
        raise AttributeError(f"on_torch only shows PyTorch's side: make {name!r} in a %%both cell")

    def __dir__(self):
        return list(self._names())

    def __repr__(self):
        return f"PyTorch's side: {', '.join(self._names()) or 'nothing yet'}"

"""The state of one side before a cell, and the way back to it.

Restored in place, so that every other reference sees it too: the names; a tensor's numbers, `.grad`, `requires_grad`,
memory and version counter; the attributes of modules, optimizers and the learner's own objects; lists, dicts, sets
and arrays; random generators. Not restored: what a backward pass freed of a graph, hooks on tensors, `retain_grad`,
and in PyTorch the `grad_fn` of a computed tensor, or of a view, that was changed in place.

It costs one copy of every array. With the comparison, and for both sides together, a cell takes about 25 µs longer for
each tensor within reach and 1 ms for each megabyte, whether it uses them or not.
"""

import random
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from .results import keeps_grad

# Objects of these packages are taken apart through their attributes; any other object is left alone.
_TAKEN_APART = ("__main__", "autograd_core.nn", "autograd_core.optim", "torch.nn", "torch.optim")


class Snapshot:
    """Everything that the values of `namespace` reach, as it is now. `engine` is the side's autograd_core or torch."""

    def __init__(self, namespace: dict, names, engine):
        self._namespace, self._bindings = namespace, dict(namespace)
        self._states = {}
        self._engine, self._engine_state = engine, EngineState.of(engine)
        waiting = [namespace[name] for name in names]
        while waiting:
            value = waiting.pop()
            if id(value) in self._states:
                continue
            state = _state_of(value, engine)
            if state is not None:
                self._states[id(value)] = state
                waiting += state.children

    def unchanged(self, value) -> bool:
        """Whether this tensor or array was here already and holds the same numbers as then."""
        state = self._states.get(id(value))
        return state is not None and state.unchanged()

    def restore(self):
        """Put everything back. The namespace is changed in place and never empty in between."""
        for name in self._namespace.keys() - self._bindings.keys():
            del self._namespace[name]
        self._namespace.update(self._bindings)
        for state in self._states.values():
            state.restore()
        self._engine_state.give_to(self._engine)


@dataclass(frozen=True, slots=True)
class EngineState:
    """What an engine keeps for itself, in words that both engines understand.

    random         the state of the default generator, 5056 bytes, the same layout in both.
    default_dtype  "float32" or "float64".
    records        whether operations are recorded (`set_grad_enabled`).
    """

    random: bytes
    default_dtype: str
    records: bool

    @classmethod
    def of(cls, engine) -> "EngineState":
        """The state of `engine` now."""
        random_state = np.asarray(engine.random.default_generator.get_state())
        return cls(random_state.tobytes(), str(engine.get_default_dtype()).removeprefix("torch."),
                   engine.is_grad_enabled())

    def give_to(self, engine):
        """Put `engine` into this state."""
        random_state = np.frombuffer(self.random, np.uint8).copy()
        engine.random.default_generator.set_state(engine.from_numpy(random_state))
        engine.set_default_dtype(getattr(engine, self.default_dtype))
        engine.set_grad_enabled(self.records)


def python_random_state() -> Callable[[], None]:
    """Remember Python's `random` and NumPy's global generator; returns what puts them back."""
    python, numpy = random.getstate(), np.random.get_state()

    def restore():
        random.setstate(python)
        np.random.set_state(numpy)
    return restore


def _state_of(value, engine):
    if isinstance(value, engine.Tensor):
        return (_OurTensorState if hasattr(value, "_array") else _TorchTensorState)(value)
    if isinstance(value, np.ndarray):
        return _ArrayState(value)
    if isinstance(value, (list, deque)):
        return _content(value, value, list(value), value.extend)
    if isinstance(value, (dict, set)):
        return _content(value, value, value.copy(), value.update)
    if isinstance(value, tuple):
        return _State(value, value, lambda: None)               # it cannot change, but what is in it can
    if isinstance(value, np.random.Generator):
        bits = value.bit_generator
        return _State(value, (), partial(setattr, bits, "state", bits.state))
    if isinstance(value, random.Random):
        return _State(value, (), partial(value.setstate, value.getstate()))
    if isinstance(value, (np.random.RandomState, engine.Generator)):
        return _State(value, (), partial(value.set_state, value.get_state()))
    if hasattr(value, "__dict__") and not isinstance(value, type) and \
            any(base.__module__.startswith(_TAKEN_APART) for base in type(value).__mro__):
        attributes = vars(value)
        return _content(value, attributes, dict(attributes), attributes.update)
    return None


@dataclass(slots=True)
class _State:
    """A value that is held, so that its id stays its own, what can be reached from it, and what puts it back."""

    value: object
    children: Iterable
    restore: Callable[[], None]


def _content(value, container, content, refill):
    """The state of a list, deque, dict or set, or of an object, whose attributes are the container."""
    def restore():
        container.clear()
        refill(content)
    return _State(value, [*content, *content.values()] if isinstance(content, dict) else content, restore)


class _ArrayState:
    """A NumPy array: its numbers. An array of objects is copied without looking into them."""

    children = ()

    def __init__(self, array):
        self.array, self.numbers = array, array.copy()

    def unchanged(self):
        same = self.array == self.numbers
        return bool(same.all()) or bool((same | (self.array != self.array) & (self.numbers != self.numbers)).all())

    def restore(self):
        if self.array.flags.writeable:
            self.array[...] = self.numbers


class _OurTensorState:
    """A tensor of autograd_core: its attributes (array, edge, gradient, version counter) and its numbers."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.memory = _ArrayState(tensor._storage())
        self.attributes = dict(vars(tensor))
        self.children = self.attributes.values()
        self.requires_grad = tensor.requires_grad

    def unchanged(self):
        tensor = self.tensor
        return (tensor._array is self.memory.array and tensor.requires_grad == self.requires_grad
                and self.memory.unchanged())

    def restore(self):
        self.memory.restore()
        vars(self.tensor).clear()
        vars(self.tensor).update(self.attributes)


class _TorchTensorState:
    """A tensor of PyTorch. Its numbers are put back through a NumPy view, which the version counter does not see."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.alias = tensor.detach()
        self.memory = _ArrayState(self.alias.numpy())
        self.version = None if tensor.is_inference() else tensor._version
        self.requires_grad, self.is_leaf = tensor.requires_grad, tensor.is_leaf
        self.grad = tensor.grad if keeps_grad(tensor) else None
        self.attributes = dict(vars(tensor))
        self.children = [*self.attributes.values(), self.grad]

    def in_place(self):
        tensor, alias = self.tensor, self.alias
        return tensor.data_ptr() == alias.data_ptr() and tensor.shape == alias.shape and \
            tensor.stride() == alias.stride()

    def unchanged(self):
        return self.tensor.requires_grad == self.requires_grad and self.in_place() and self.memory.unchanged()

    def restore(self):
        from torch._C._autograd import _unsafe_set_version_counter
        tensor = self.tensor
        if self.is_leaf and not tensor._is_view() and not tensor.is_leaf:
            tensor.detach_()
        if not self.in_place():
            tensor.data = self.alias
        self.memory.restore()
        if tensor.is_leaf:
            tensor.requires_grad_(self.requires_grad)
        if keeps_grad(tensor) and tensor.grad is not self.grad:
            tensor.grad = self.grad
        vars(tensor).clear()
        vars(tensor).update(self.attributes)
        if self.version is not None and tensor._version != self.version:
            _unsafe_set_version_counter((tensor,), (self.version,))

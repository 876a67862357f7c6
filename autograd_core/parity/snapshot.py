"""The state of one side before a cell, and the way back to it.

Restored in place, so that every other reference sees it too: the names; a tensor's numbers, `.grad`, `requires_grad`,
memory, hooks and version counter; whatever `contents` can take apart; random generators; the engine's settings and the
names in its modules. What PyTorch has no way back from is left as the failed cell made it, on both sides, and
`Snapshot.lasting` names it: a graph that a backward pass freed, a computed tensor that was changed in place, and
`retain_grad`.

It costs one copy of every array. With the comparison, and for both sides together, a cell takes about 25 µs longer for
each tensor within reach and 1 ms for each megabyte, whether it uses them or not.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..core.graph import FREED
from ..core.recording import recording
from ..trace.nodes import node_of, walk
from .contents import contents_of
from .results import keeps_grad
from .surroundings import EngineNames, EngineState


class Snapshot:
    """Everything that the values of `namespace` reach, as it is now. `engine` is the side's autograd_core or torch."""

    def __init__(self, namespace: dict, names, engine):
        self._namespace, self._bindings = namespace, dict(namespace)
        self.states = {}
        self._engine, self._engine_state = engine, EngineState.of(engine)
        self.engine_names = EngineNames(engine)
        waiting = [namespace[name] for name in names]
        while waiting:
            value = waiting.pop()
            if type(value) in _ATOMS or id(value) in self.states:
                continue
            state = _state_of(value, engine)
            if state is not None:
                self.states[id(value)] = state
                waiting += state.children

    def unchanged(self, value) -> bool:
        """Whether this tensor or array was here already and holds the same numbers as then."""
        state = self.states.get(id(value))
        return state is not None and state.unchanged()

    def lasting(self) -> dict[int, str]:
        """What cannot be undone, by the id of each tensor that the cell did it to."""
        return {key: how for key, state in self.states.items() if (how := getattr(state, "lasting", str)())}

    def restore(self, kept: Iterable = (), renamed: Iterable[str] = ()):
        """Put everything back but the tensors `kept`, and their memory. The namespace is never empty in between.

        `renamed` are names of the engine that the cell has changed on the other side (`EngineNames.changed`).
        """
        for name in self._namespace.keys() - self._bindings.keys():
            del self._namespace[name]
        self._namespace.update(self._bindings)
        kept = list(kept)
        kept = {id(value) for value in kept} | {id(value._counter) for value in kept if hasattr(value, "_counter")}
        memory = {self.states[key].address() for key in kept & self.states.keys() if hasattr(self.states[key], "address")}
        for key, state in self.states.items():
            if key not in kept and not (memory and hasattr(state, "address") and state.address() in memory):
                state.restore()
        self._engine_state.give_to(self._engine)
        self.engine_names.restore(renamed)


class FreedGraphs:
    """Subscribes to autograd_core while it runs a cell: which nodes that were there before has a backward pass freed?

    Both sides run the same code on the same graphs, so what holds here holds for PyTorch.
    """

    def __init__(self, start: float):
        self.start = start                  # number of the first node that the cell may record
        self.ran: dict = {}                 # node -> what it had saved
        self.freed: list = []

    def on_node_ran(self, node, sent):
        if node.sequence_nr < self.start:
            self.ran[node] = node.saved, node.versions

    def names(self, results) -> list[str]:
        """The paths of those results whose graph can no longer be walked back."""
        freed = {node for node in self.ran if node.saved is FREED}
        return [path for path, result in results.items() if freed and result.kind in ("tensor", "parameter", "buffer")
                and not freed.isdisjoint(walk(node_of(result.value)))]

    def restore(self):
        """Give the nodes back what was freed: for our side alone, to run a cell once more (`rounding`)."""
        self.freed = [node for node in self.ran if node.saved is FREED] or self.freed
        for node, (saved, versions) in self.ran.items():
            node.saved, node.versions = saved, versions

    def free(self):
        """Free them again."""
        for node in self.freed:
            node.saved, node.versions = FREED, ()

    def watching(self):
        """The context in which nodes are noted."""
        return recording.subscribed(self)


_ATOMS = {int, float, str, bool, type(None), bytes, complex}


def _state_of(value, engine):
    if isinstance(value, engine.Tensor):
        return (_OurTensorState if hasattr(value, "_array") else _TorchTensorState)(value)
    if isinstance(value, np.ndarray):
        return _ArrayState(value)
    if isinstance(value, np.random.Generator):
        bits = value.bit_generator
        return _State(value, (), partial(setattr, bits, "state", bits.state))
    if isinstance(value, random.Random):
        return _State(value, (), partial(value.setstate, value.getstate()))
    if isinstance(value, (np.random.RandomState, engine.Generator)):
        return _State(value, (), partial(value.set_state, value.get_state()))
    contents = contents_of(value)
    if not contents:
        return None
    return _State(value, [part for each in contents for part in each.parts.values()],
                  lambda: [each.restore() for each in contents])


@dataclass(slots=True)
class _State:
    """A value that is held, so that its id stays its own, what can be reached from it, and what puts it back."""

    value: object
    children: Iterable
    restore: Callable[[], object]


class _ArrayState:
    """A NumPy array: its numbers, of a masked one also the mask. Of an array of objects the list of them."""

    def __init__(self, array):
        self.array, self.numbers = array, array.copy()
        self.children = array.ravel().tolist() if array.dtype.hasobject and array.dtype.names is None else ()

    def unchanged(self):
        if self.array.dtype.hasobject:
            return self.array.shape == self.numbers.shape and all(map(lambda a, b: a is b, self.array.flat, self.numbers.flat))
        same = self.array == self.numbers
        if isinstance(self.array, np.ma.MaskedArray):
            masks = np.array_equal(np.ma.getmaskarray(self.array), np.ma.getmaskarray(self.numbers))
            return masks and _ArrayState.equal(self.array.data, self.numbers.data)
        return bool(same.all()) or _ArrayState.equal(self.array, self.numbers)

    @staticmethod
    def equal(a, b):
        """Whether two arrays hold the same; nan is the same as nan."""
        return bool(((a == b) | (a != a) & (b != b)).all())

    def restore(self):
        if self.array.flags.writeable:
            self.array[...] = self.numbers
        if isinstance(self.array, np.ma.MaskedArray):
            self.array.mask = np.ma.getmaskarray(self.numbers).copy()


class _OurTensorState:
    """A tensor of autograd_core: its attributes (array, edge, gradient, version counter), its hooks and its numbers."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.memory = _ArrayState(tensor._storage())
        self.attributes = dict(vars(tensor))
        self.children = self.attributes.values()
        self.requires_grad = tensor.requires_grad
        node = None if tensor._edge is None else tensor.grad_fn
        self.hooks = [(kind, dict(kind)) for holder in (tensor._leaf_hooks, node and node.hooks) if holder
                      for kind in vars(holder).values()]
        self.node = node if node is not None and node.hooks is None else None

    def address(self):
        """Where the numbers lie: the same for all views."""
        array = self.tensor._array
        while isinstance(getattr(array, "base", None), np.ndarray):
            array = array.base
        return id(array)

    def unchanged(self):
        tensor = self.tensor
        return (tensor._array is self.memory.array and tensor.requires_grad == self.requires_grad
                and self.memory.unchanged())

    def restore(self):
        self.memory.restore()
        vars(self.tensor).clear()
        vars(self.tensor).update(self.attributes)
        for kind, content in self.hooks:
            kind.clear()
            kind.update(content)
        if self.node is not None:
            self.node.hooks = None
        leaf = self.tensor._leaf_node()
        if leaf is not None:
            leaf.hooks = self.tensor._leaf_hooks


class _TorchTensorState:
    """A tensor of PyTorch. Its numbers are put back through a NumPy view, which the version counter does not see."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.alias = tensor.detach()
        self.memory = _ArrayState(self.alias.numpy())
        self.version = None if tensor.is_inference() else tensor._version
        self.requires_grad, self.is_leaf = tensor.requires_grad, tensor.is_leaf
        self.node, self.retains_grad = node_of(tensor), tensor.retains_grad
        self.grad = tensor.grad if keeps_grad(tensor) else None
        self.attributes = dict(vars(tensor))
        self.hooks = [(kind, hooks, dict(hooks or {})) for kind in _HOOKS for hooks in [getattr(tensor, kind, None)]]
        self.children = [*self.attributes.values(), self.grad]

    def address(self):
        """Where the numbers lie: the same for all views."""
        return self.alias.untyped_storage().data_ptr()

    def in_place(self):
        tensor, alias = self.tensor, self.alias
        return tensor.data_ptr() == alias.data_ptr() and tensor.shape == alias.shape and \
            tensor.stride() == alias.stride()

    def unchanged(self):
        return self.tensor.requires_grad == self.requires_grad and self.in_place() and self.memory.unchanged()

    def lasting(self):
        """A computed tensor, or a view, that was changed in place has another node; PyTorch gives no old one back."""
        if (self.node is not None or self.tensor._is_view()) and node_of(self.tensor) is not self.node:
            return "changed in place"
        return "retain_grad" if self.tensor.retains_grad and not self.retains_grad else ""

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
        for kind, before, content in self.hooks:
            hooks = before if before is not None else getattr(tensor, kind, None)
            if hooks:
                hooks.clear()
                hooks.update(content)
        if self.version is not None and tensor._version != self.version:
            _unsafe_set_version_counter((tensor,), (self.version,))


_HOOKS = ("_backward_hooks", "_post_accumulate_grad_hooks")

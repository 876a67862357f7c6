"""The base of every tensor: its numbers, its gradient, and its place in the graph.

    _array     a NumPy array. Views share its memory, and also `_version`, the number of in-place
               changes.
    grad       None until a backward pass reaches this tensor. Only leaves, and tensors on which
               `retain_grad()` was called, keep a gradient.
    grad_fn    the node that created it; None for a leaf.
    _edge      where its gradient goes: (node, output); NO_EDGE if it doesn't require a gradient;
               LEAF if the gradient ends here.

As in PyTorch, `Tensor` is derived from `TensorBase`: `Tensor`, in `compat/tensor.py`, adds the
operations (`+`, `sum`, `view`, …) as methods.
"""

import functools
import warnings
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .graph import LEAF, NO_EDGE, AccumulateGrad, Edge, Hooks, Node, check
from .recording import recording

Kind = TypeVar("Kind")


def check_can_require_grad(array: Any) -> None:
    check(
        array.dtype.kind == "f",
        "only Tensors of floating point dtype can require gradients, this one is of torch.{}: make "
        "it floating point first, with .float() or 1.0 for 1",
        array.dtype,
    )


class TensorBase:
    """An array with a gradient. `wrap` creates it for every operation and for the functions that
    create tensors.
    """

    _array: Any
    _edge: Edge
    _base: "TensorBase | None" = None  # for a view, the tensor whose memory it shares
    # the edge of the base when the view's edge was last updated
    _base_edge: Edge | None = None
    # why this view may not be changed in place while operations are recorded
    _unchangeable: str | None = None
    # of a base that was changed in place: gives a view a new edge
    _view_again: Callable[["TensorBase"], None] | None = None
    # the version counter: [number of changes], created on demand
    _counter: Any = None
    _grad: Any = None
    _leaf_hooks: Hooks | None = None
    # a weak reference, so the node lives only while a graph uses it
    _leaf_node: weakref.ref[AccumulateGrad] | None = None
    retains_grad = False

    # ---- graph -----------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        return self._current_edge() is not NO_EDGE

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        check(
            value or self.is_leaf,
            "you can only change requires_grad flags of leaf variables: use detach()",
        )
        if value:
            check_can_require_grad(self._array)
        if self.is_leaf:
            self._edge = LEAF if value else NO_EDGE

    @property
    def grad_fn(self) -> Node | None:
        """The node that created this tensor, or None. `help(type(x.grad_fn))` shows its rules."""
        return self._current_edge()[0]

    is_leaf = property(lambda self: self.grad_fn is None)
    output_nr = property(lambda self: max(self._current_edge()[1], 0))

    def _gradient_edge(self) -> Edge:
        """The destination of this tensor's gradient: its node, or a leaf's AccumulateGrad."""
        return self._leaf_edge() if self._current_edge() is LEAF else self._edge

    def _leaf_edge(self) -> Edge:
        """The edge to the AccumulateGrad of this leaf, which is created on demand. It stays the same
        node as long as a graph uses it.
        """
        node = None if self._leaf_node is None else self._leaf_node()
        if node is None:
            node = AccumulateGrad(self)
            node.hooks = self._leaf_hooks
            self._leaf_node = weakref.ref(node)
        return node, 0

    def _current_edge(self) -> Edge:
        """The edge in the current graph. If the base of a view was changed in place, the view gets a
        new edge from its base.
        """
        base = self._base
        if base is not None and base._edge is not self._base_edge:
            check(
                base._edge is not LEAF or not recording.enabled,
                "the tensor that this is a view of began to require a "
                "gradient after the view was made: make the view again",
                error=NotImplementedError,
            )
            if base._edge is not LEAF and base._view_again is not None:
                base._view_again(self)
        return self._edge

    # ---- gradient --------------------------------------------------------------------------------

    @property
    def grad(self) -> Any:
        """The sum of the gradients that have arrived here, or None. Each backward pass adds to it in
        `_accumulate_grad`. A computed tensor has a gradient only after `retain_grad()`.
        """
        if self._grad is None and not self.is_leaf and not self.retains_grad:
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its"
                " .grad attribute won't be populated during autograd.backward(): call retain_grad()"
                " on it before",
                stacklevel=2,
            )
        return self._grad

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None:
            mine, given = ((x.shape, x.dtype) for x in (self._array, value._array))
            check(
                given == mine,
                "a gradient of {} {} can't be assigned to a tensor of {} {}",
                *given,
                *mine,
            )
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def _accumulate_grad(self, ops: Any, gradient: Any) -> None:
        """Add `gradient` to `.grad`. If `.grad` isn't None, the addition is in place, so `.grad` stays
        the same tensor. Under `create_graph`, the sum is a new tensor.
        """
        if self._grad is None and ops.creates_graph:
            self._grad = gradient.clone()
        elif self._grad is None:
            # with the leaf's memory order, a step is several times faster
            order: Any = "F" if self._array.flags.fnc else "C"
            self._grad = wrap(np.array(gradient, order=order))
        elif ops.creates_graph:
            self._grad = self._grad + gradient
        else:
            np.add(self._grad._array, gradient, out=self._grad._storage())
            self._grad._bump_version()
        if self._leaf_hooks is not None:
            for _, hook in (*self._leaf_hooks.accumulated.values(),):
                hook(self)

    # ---- memory ----------------------------------------------------------------------------------

    def _storage(self) -> Any:
        """The array, which can be modified in place. A 0-d result may be an immutable NumPy scalar,
        so it is converted to an array first.
        """
        if isinstance(self._array, np.generic):
            self._array = np.array(self._array)
        return self._array

    def _version_counter(self) -> Any:
        self._counter = self._counter or [0]
        return self._counter

    _version = property(lambda self: 0 if self._counter is None else self._counter[0])

    def _bump_version(self) -> None:
        self._version_counter()[0] += 1

    def _become_view(self, base: "TensorBase", siblings: bool, recorded: bool) -> None:
        """Make this tensor a view of `base`, with its version counter. `siblings` says that one
        operation created several views, `recorded` that recording is enabled.
        """
        self._counter = base._version_counter()
        self._base = base if base._base is None else base._base
        self._base_edge = self._base._edge
        if siblings or not recorded or base._unchangeable:
            self._unchangeable = base._unchangeable or ("siblings" if recorded else "no_grad")

    def detach(self) -> Any:
        """A tensor outside the graph that shares this tensor's memory and version, so in-place
        changes of either one affect both.
        """
        out = wrap(self._storage())
        out._counter = self._version_counter()
        if recording.subscribers:
            recording.publish("on_leave", self, out, "detach()")
        return out

    @property
    def data(self) -> Any:
        """A tensor outside the graph that shares this tensor's memory, but not its version: autograd
        doesn't notice in-place changes through it.
        """
        # a NumPy scalar can't share memory
        alone = isinstance(self._array, np.generic) and self.requires_grad
        out = wrap(np.broadcast_to(self._array, ()) if alone else self._storage())
        recording.publish("on_leave", self, out, ".data")
        return out

    @data.setter
    def data(self, value: "TensorBase") -> None:
        if self.requires_grad:
            check_can_require_grad(value._array)
        if value._storage() is not self._array:  # as it is in h.data *= 2
            # a graph that saved the old numbers raises an error
            self._bump_version()
            # a graph that saves the new ones can use them
            self._array, self._counter = value._storage(), [self._version - 1]


# creates a tensor without setting any attribute
new_result: Any = functools.partial(object.__new__, TensorBase)


def results_are(cls: type[Kind]) -> type[Kind]:
    """Class decorator: from now on, every result is an instance of `cls`, so that it has the methods
    of `cls`.
    """
    global new_result
    new_result = functools.partial(object.__new__, cls)
    return cls


def wrap(array: Any, edge: Any = NO_EDGE) -> Any:
    """A tensor with the memory of `array`, without a copy."""
    made = new_result()
    made._array, made._edge, made._base = array, edge, None
    return made

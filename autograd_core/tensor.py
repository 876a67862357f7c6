"""Tensor: numbers, their gradient, and the place in the graph that made them.

    data       a NumPy array (`_array`). Views share it; `_version` counts in-place changes, also shared by views.
    grad       None until a backward pass reaches this tensor; only leaves, and tensors that asked with
               `retain_grad()`, keep one.
    grad_fn    the node that made it; None for a leaf.
    _edge      where its gradient goes: a node, or an output of one; NO_EDGE if none is wanted; LEAF if it ends here.

The operations (`+`, `sum`, `view`, …) are attached by `autograd_core.ops`; this file knows none of them.
"""

import warnings
import weakref

import numpy as np

from . import dtypes
from .check import check
from .conversion import AsPython
from .dtypes import Size, device
from .graph import LEAF, NO_EDGE, AccumulateGrad, Hooks, arrays, end_of, tensors


def check_can_require_grad(array):
    check(array.dtype.kind == "f", "only Tensors of floating point dtype can require gradients, this one is of {}: make "
          "it floating point first, with .float() or 1.0 for 1", dtypes.of_array(array))


class Tensor(AsPython):
    """An array with a gradient. Made by `tensor(...)`, by `zeros`, `rand` and the like, and by every operation."""

    _base = None                    # the tensor whose memory this one shows, for a view
    _unchangeable = None            # why this view may not be changed in place where that is recorded
    _counter = None                 # the version counter: a list of one integer, made when somebody asks
    _grad = _leaf_hooks = None
    _leaf_node = staticmethod(lambda: None)     # a weak reference to this leaf's AccumulateGrad, while a graph uses one
    retains_grad, is_cuda, is_sparse, layout = False, False, False, "torch.strided"
    __array_priority__ = 1000       # array * tensor asks the tensor

    def __init__(self, data=(), *sizes):
        data = np.zeros((data, *sizes)) if sizes else data          # Tensor(2, 3): that size, and any numbers
        if not isinstance(data, (list, tuple, np.ndarray)):
            raise TypeError(f"new(): data must be a sequence (got {type(data).__name__}): use tensor() or empty()")
        self._array = np.array(data, dtype=dtypes.get_default_dtype().numpy)
        self._edge = NO_EDGE

    @staticmethod
    def _make(array, edge):
        """A tensor on `array` as it is, without a copy: how operations make their results."""
        made = object.__new__(Tensor)
        made._array, made._edge = array, edge
        return made

    # ---- what it is --------------------------------------------------------------------------------------------

    @property
    def shape(self):
        return Size(self._array.shape)

    @property
    def dtype(self):
        return dtypes.of_array(self._array)

    @property
    def device(self):
        return device()

    def dim(self):
        return self._array.ndim
    ndim = property(dim)

    def size(self, dim=None):
        """The shape, or its entry `dim`. Raises IndexError when there is no such dimension."""
        if dim is None:
            return self.shape
        check(-self.ndim <= dim < self.ndim, "Dimension out of range (expected to be in range of [{}, {}], but got {})",
              -self.ndim, self.ndim - 1, dim, error=IndexError)
        return self._array.shape[dim]

    def numel(self):
        return self._array.size
    nelement = numel

    def element_size(self):
        """Bytes of one element."""
        return self._array.itemsize

    def stride(self):
        return tuple(s // self._array.itemsize for s in self._array.strides)

    def is_contiguous(self):
        return isinstance(self._array, np.generic) or self._array.flags.c_contiguous

    def is_floating_point(self):
        return self._array.dtype.kind == "f"

    # ---- its place in the graph --------------------------------------------------------------------------------

    @property
    def requires_grad(self):
        return self._place() is not NO_EDGE

    @requires_grad.setter
    def requires_grad(self, value):
        check(isinstance(value, bool), "requires_grad must be a bool")
        check(value or self.is_leaf, "you can only change requires_grad flags of leaf variables. If you want to use a "
              "computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().")
        if value:
            check_can_require_grad(self._array)
        if self.is_leaf:
            self._edge = LEAF if value else NO_EDGE

    def requires_grad_(self, requires_grad=True):
        """Ask for a gradient (or no longer), in place. Raises RuntimeError for integers and for computed tensors."""
        if not isinstance(requires_grad, bool):
            raise TypeError(f"requires_grad_(): argument 'requires_grad' must be bool, not {type(requires_grad).__name__}")
        self.requires_grad = requires_grad
        return self

    @property
    def grad_fn(self):
        """The node that made this tensor; None for a leaf."""
        return None if self._place() is LEAF else end_of(self._edge)[0]

    is_leaf = property(lambda self: self.grad_fn is None)

    @property
    def output_nr(self):
        return 0 if self._place() is LEAF else end_of(self._edge)[1]

    def _gradient_edge(self):
        """Where a gradient for this tensor is to be sent: its node, or a leaf's AccumulateGrad."""
        return self._leaf_edge() if self._place() is LEAF else self._edge

    def _leaf_edge(self):
        """The AccumulateGrad of this leaf, made when needed: while a graph uses it, it is the same one."""
        node = self._leaf_node()
        if node is None:
            node = AccumulateGrad(self)
            if self._leaf_hooks is not None:
                node.hooks = self._leaf_hooks
            self._leaf_node = weakref.ref(node)
        return node

    @property
    def grad(self):
        if self._grad is None and not self.is_leaf and not self.retains_grad:
            warnings.warn("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
                          "won't be populated during autograd.backward(): call retain_grad() on it before", stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value):
        if value is not None:
            check(isinstance(value, Tensor), "assigned grad expected to be a Tensor or None but got grad of type {}",
                  type(value).__name__, error=TypeError)
            check(value.shape == self.shape, "attempting to assign a gradient of size '{}' to a tensor of size '{}'. Please "
                  "ensure that the gradient and the tensor are the same size", list(value.shape), list(self.shape))
            check(value.dtype is self.dtype, "attempting to assign a gradient with dtype '{}' to a tensor with dtype '{}'. "
                  "The gradient must match the tensor's dtype", value.dtype.name, self.dtype.name)
        self._grad = value

    @grad.deleter
    def grad(self):
        self._grad = None

    def _accumulate_grad(self, ops, gradient):
        """Add what arrived to `.grad`: in place if there is one, so that `.grad` stays the same tensor."""
        if self._grad is None:
            order = "F" if self._array.flags.fnc else "C"       # to lie as the leaf does: a step is several times faster
            self._grad = gradient.clone() if ops.creates_graph else Tensor._make(np.array(gradient, order=order), NO_EDGE)
        elif ops.creates_graph:
            self._grad = self._grad + gradient
        else:
            np.add(self._grad._array, gradient, out=self._grad._storage())
            self._grad._bump_version()
        if self._leaf_hooks is not None:
            for _, hook in self._leaf_hooks.accumulated.values():
                hook(self)

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """Send `gradient` (1 for a single number) back through the graph; leaves add what arrives to `.grad`.

        gradient      same shape as this tensor: what it counts for, ∂(something)/∂(this tensor).
        retain_graph  keep the saved tensors for another backward; default: as `create_graph`.
        create_graph  make the gradients part of a graph of their own, to be differentiated again.
        inputs        only these leaves accumulate.
        Raises RuntimeError if no gradient is required here, if this is not a single number and no `gradient` is
        given, or if the saved tensors were freed or changed.
        """
        from .autograd import backward
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def retain_grad(self):
        """Keep `.grad` for this computed tensor as well. Leaves do so anyway."""
        check(self.requires_grad, "can't retain_grad on Tensor that has requires_grad=False")
        if self.is_leaf or self.retains_grad:
            return
        self.retains_grad = True
        me = weakref.ref(self)

        def keep(gradient):
            if (tensor := me()) is not None:
                kept = gradient if gradient.requires_grad else gradient.clone()
                tensor._grad = kept if tensor._grad is None else tensor._grad + kept
        self._retaining = Hooks.of(self.grad_fn).add("retain", keep, self.output_nr)

    def _move_to(self, edge):
        """Be the result of another node: an in-place operation does this. `retain_grad` goes along."""
        self._edge = edge
        if self.retains_grad:
            self._retaining.remove()
            self.retains_grad = False
            self.retain_grad()

    def register_hook(self, hook):
        """Call `hook(gradient)` with the summed gradient of this tensor; a returned tensor replaces it.

        Returns a handle with `remove()`. Raises RuntimeError for a tensor that requires no gradient.
        """
        check(self.requires_grad, "cannot register a hook on a tensor that doesn't require gradient")
        if self._edge is not LEAF:
            return Hooks.of(self.grad_fn).add("tensor", hook, self.output_nr)
        return self._hooks_of_leaf().add("tensor", hook)

    def register_post_accumulate_grad_hook(self, hook):
        """Call `hook(self)` whenever `.grad` of this leaf has just grown. Returns a handle with `remove()`."""
        check(self._edge is LEAF, "post accumulate grad hooks cannot be registered on non-leaf tensors")
        return self._hooks_of_leaf().add("accumulated", hook)

    def _hooks_of_leaf(self):
        if self._leaf_hooks is None:
            node = self._leaf_edge()
            self._leaf_hooks = node.hooks = node.hooks or Hooks()
        return self._leaf_hooks

    # ---- memory ------------------------------------------------------------------------------------------------

    def _storage(self):
        """The array to write into. Results of one number are NumPy scalars, which cannot change: they become arrays."""
        if isinstance(self._array, np.generic):
            self._array = np.array(self._array)
        return self._array

    def _version_counter(self):
        self._counter = self._counter or [0]
        return self._counter

    @property
    def _version(self):
        return 0 if self._counter is None else self._counter[0]

    def _bump_version(self):
        self._version_counter()[0] += 1

    def _become_view(self, base, siblings, recorded):
        """Show memory of `base` and count its changes; `siblings`: one of several views that one operation made."""
        self._counter = base._version_counter()
        self._base = base if base._base is None else base._base
        self._base_edge = self._base._edge
        if siblings or not recorded or base._unchangeable:
            self._unchangeable = base._unchangeable or ("siblings" if recorded else "no_grad")

    def _place(self):
        """Its edge, in the graph as it is now: a view whose base was changed in place gets another one, from the base."""
        if self._base is not None and self._base._edge is not self._base_edge:
            tensors.follow_base(self)
        return self._edge

    def detach(self):
        """The same numbers in the same memory, outside the graph. In-place changes are seen, and counted, by both."""
        out = Tensor._make(self._storage(), NO_EDGE)
        out._counter = self._version_counter()
        return out

    def detach_(self):
        """Leave the graph, in place. Raises RuntimeError for a view."""
        check(self._base is None, "Can't detach views in-place. Use detach() instead.")
        self._edge = NO_EDGE
        return self

    @property
    def data(self):
        """The same memory outside the graph, and outside the version count: changes through it are not noticed."""
        if isinstance(self._array, np.generic) and self.requires_grad:
            return Tensor._make(np.broadcast_to(self._array, ()), NO_EDGE)      # no memory to share: may not be changed
        return Tensor._make(self._storage(), NO_EDGE)

    @data.setter
    def data(self, value):
        check(isinstance(value, Tensor), "Variable data has to be a tensor, but got {}", type(value).__name__,
              error=TypeError)
        if value._storage() is not self._array:             # as it is in h.data *= 2
            self._bump_version()                            # a graph that saved the old numbers refuses to use them
            self._array, self._counter = value._storage(), [self._version - 1]


def clear_grad(parameter, set_to_none):
    """Set `.grad` to None, or to zeros outside the graph: what every `zero_grad` does to each parameter."""
    grad = parameter.grad
    if set_to_none or grad is None:
        parameter.grad = None
    else:
        (grad.requires_grad_(False) if grad.grad_fn is None else grad.detach_()).zero_()


arrays.as_tensor = lambda array: Tensor._make(array, NO_EDGE)      # how the engine shows a gradient to a hook
arrays.from_tensor = lambda t: _from_hook(t)._array
arrays.cast = lambda array, dtype: array if array.dtype == dtype else array.astype(dtype)
tensors.as_tensor = lambda t: t


def _from_hook(returned):
    check(isinstance(returned, Tensor), "expected Variable, but hook returned '{}': return a tensor, or None",
          type(returned).__name__, error=TypeError)
    return returned


tensors.from_tensor = _from_hook

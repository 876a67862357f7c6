"""`Tensor` extends `TensorBase` (`core/tensor.py`) by Python's and NumPy's protocols, and by methods
for the operations. The methods are the functions: `x.exp()` is `exp(x)`, `x + y` is `add(x, y)`.
"""

import copy
import functools
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd.entry import backward
from ..core.graph import LEAF, NO_EDGE, Hooks, check
from ..core.operation import NUMBERS
from ..core.public import found_under, public
from ..core.recording import recording
from ..core.tensor import TensorBase, results_are, wrap
from ..core.types import default_type
from ..ops import arithmetic, comparison, elementwise, indexing, inplace, linalg
from ..ops import shape as shape_ops
from ..ops.inplace import in_place
from . import creation, dtypes, printing

if TYPE_CHECKING:
    from ._methods import Methods
else:
    Methods = object


def _operator(name, function, arrays=True):
    """The method `name` of a binary operator. `inspect` shows the source of `function` for it.
    It returns NotImplemented unless `other` is a tensor, a number, or an array if `arrays` (as in
    PyTorch, most operators don't accept an array on the left).
    """

    def method(self, other):
        if (
            type(other) is not Tensor
            and type(other) not in NUMBERS
            and not isinstance(other, TensorBase)
        ):
            if isinstance(other, np.ndarray) and arrays:
                other = wrap(other)
            elif isinstance(other, np.generic):
                other = other.item()  # a NumPy number counts as a Python number
            elif not isinstance(other, NUMBERS):
                return NotImplemented
        return function(self, other)

    method.__name__, method.__qualname__, method.__wrapped__ = name, f"Tensor.{name}", function
    method.__doc__ = (
        f"As `{function.__module__}.{function.__name__}`, which says: {function.__doc__}"
    )
    return method


def _turned(function):
    """`function` with its operands swapped."""

    @functools.wraps(function)
    def turned(self, other):
        return function(other, self)

    turned.__doc__ = f"The operands change places. {function.__doc__}"
    return turned


@results_are
class Tensor(TensorBase, Methods):
    """An array with a gradient, created by `tensor(...)`, `zeros`, `rand`, … or by an operation."""

    is_sparse, layout = False, "torch.strided"  # `trace` reads them
    __array_priority__ = 1000  # so `array * tensor` calls the tensor's method

    def __init__(self, data=(), *sizes):
        # Tensor(2, 3) has this size and arbitrary numbers
        data = np.zeros((data, *sizes)) if isinstance(data, int) else data
        self._array, self._edge = creation.array_of(data), NO_EDGE

    # ---- properties ------------------------------------------------------------------------------

    @property
    def shape(self):
        return dtypes.Size(self._array.shape)

    @property
    def dtype(self):
        return dtypes.of_type(self._array.dtype)

    @property
    def device(self):
        return dtypes.device()

    def dim(self):
        return self._array.ndim

    ndim = property(dim)

    def size(self, dim=None):
        """The shape, or the size of the dimension `dim`."""
        return self.shape if dim is None else self._array.shape[dim]

    def numel(self):
        return self._array.size

    def stride(self):
        return tuple(s // self._array.itemsize for s in self._array.strides)

    def is_contiguous(self):
        return isinstance(self._array, np.generic) or self._array.flags.c_contiguous

    def is_floating_point(self):
        return self._array.dtype.kind == "f"

    # ---- Python's and NumPy's protocols ----------------------------------------------------------

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The array without a copy. Raises RuntimeError if this tensor requires a gradient."""
        message = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy()"
        check(force or not self.requires_grad, message + " instead.")
        return self._storage()

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return wrap(np.asarray(array))  # so NumPy's functions return tensors

    def cpu(self):
        """This tensor, which is always on the CPU."""
        return self

    def item(self) -> Any:
        """The only element as a Python number. Raises RuntimeError unless there is exactly one."""
        size = self._array.size
        check(size == 1, "a Tensor with {} elements cannot be converted to Scalar", size)
        recording.publish("on_take", self, "item()", number := self._array.item())
        return number

    def tolist(self) -> Any:
        """The elements as Python numbers in nested lists, or one number if this tensor is 0-d."""
        recording.publish("on_take", self, "tolist()")
        return self._array.tolist()

    def __bool__(self) -> bool:
        several = "more than one value" if self._array.size else "no values"
        check(self._array.size == 1, "Boolean value of Tensor with {} is ambiguous", several)
        return bool(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        if self._array.dtype.kind == "f":
            raise TypeError("an index is an integer")
        return int(self.item())

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[Any]:
        if self._array.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(shape_ops.unbind(self, 0))

    def __format__(self, spec: str) -> str:
        return object.__format__(self, spec) if self._array.ndim else format(self.item(), spec)

    # ---- printing, copying (without hooks), pickling (without `.grad`) ---------------------------

    def __repr__(self) -> str:
        suffixes = []
        if self.requires_grad:
            leaf, node = self.is_leaf, type(self.grad_fn).__name__
            suffixes = ["requires_grad=True" if leaf else f"grad_fn=<{node}>"]
        text = printing.format_tensor(np.asarray(self._array), suffixes, default_type())
        return f"tensor({text})"

    def __deepcopy__(self, memo):
        message = "Only Tensors created explicitly by the user (graph leaves) support the deepcopy"
        check(self.is_leaf, message + " protocol at the moment: use detach() or clone()")
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        copied._array, copied._edge = np.array(self._array), self._edge
        vars(copied).update(copy.deepcopy(self._attributes(), memo))
        if self._grad is not None:
            copied._grad = self._grad.__deepcopy__(memo)
        return copied

    def __reduce__(self):
        return _unpickle, (type(self), self._storage(), self.requires_grad), self._attributes()

    def _attributes(self):
        """The attributes that a user has set on this tensor."""
        own = vars(self)
        return {name: own[name] for name in own if name[0] != "_" and name != "retains_grad"}

    # ---- gradient --------------------------------------------------------------------------------

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
        """Send `gradient` (1 for a single number) back through the graph. Each leaf adds the gradient
        that arrives to its `.grad`. The algorithm is in `core/engine.py`.

        gradient      the gradient of this tensor, ∂(something)/∂(this tensor), of the same shape.
        retain_graph  keep the saved tensors for another backward pass. Default: `create_graph`.
        create_graph  record a graph of the gradients, so that they can be differentiated again.
        inputs        accumulate only into these tensors.
        Raises RuntimeError if this tensor doesn't require a gradient, if it isn't a single number
        and `gradient` is None, or if saved tensors were freed or modified in place.
        """
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def _clear_grad(self, set_to_none):
        """Set `.grad` to None, or to zeros outside the graph, for `zero_grad`."""
        grad = self.grad
        if set_to_none or grad is None:
            self.grad = None
        else:
            (grad.requires_grad_(False) if grad.grad_fn is None else grad.detach_()).zero_()

    def requires_grad_(self, requires_grad=True):
        """Set `requires_grad`, and return this tensor. Raises the errors of `x.requires_grad = …`."""
        self.requires_grad = requires_grad
        return self

    def detach_(self):
        """Detach this tensor from its graph in place. Raises RuntimeError for a view."""
        check(self._base is None, "Can't detach views in-place. Use detach() instead.")
        recording.publish("on_leave", self, self, "detach_()")
        self._edge = NO_EDGE
        return self

    def rebase_history(self, edge, view_again=None):
        """Make this tensor the output of another node, as an in-place operation does. `retain_grad`
        stays in effect. `view_again` gives a view of this tensor a new edge on demand.
        """
        self._edge, self._view_again = edge, view_again
        if self.retains_grad:
            self._retaining.remove()
            self.retains_grad = False
            self.retain_grad()

    def retain_grad(self):
        """Keep the gradient of this computed tensor in `.grad`. Leaves always do so."""
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

    def register_hook(self, hook):
        """Call `hook(gradient)` with the summed gradient of this tensor. If it returns a tensor, this
        replaces the gradient. Returns a handle with `remove()`. Raises RuntimeError unless this
        tensor requires a gradient."""
        words = "cannot register a hook on a tensor that doesn't require gradient"
        check(self.requires_grad, words)
        if self._edge is not LEAF:
            return Hooks.of(self.grad_fn).add("tensor", hook, self.output_nr)
        return self._hooks_of_leaf().add("tensor", hook)

    def register_post_accumulate_grad_hook(self, hook):
        """Call `hook(self)` after a gradient was added to this leaf's `.grad`. Returns a handle."""
        words = "post accumulate grad hooks cannot be registered on non-leaf tensors"
        check(self._edge is LEAF, words)
        return self._hooks_of_leaf().add("accumulated", hook)

    def _hooks_of_leaf(self):
        if self._leaf_hooks is None:
            node, _ = self._leaf_edge()
            self._leaf_hooks = node.hooks = node.hooks or Hooks()
        return self._leaf_hooks

    # ---- operators -------------------------------------------------------------------------------

    __neg__, __abs__, __invert__ = arithmetic.neg, elementwise.abs, comparison.bitwise_not
    __hash__ = object.__hash__
    __getitem__, __setitem__ = indexing.getitem, inplace.setitem
    __matmul__, __rmatmul__ = linalg.matmul, _turned(linalg.matmul)

    def where(self, condition, other):
        """The elements of this tensor where `condition` is true, else the elements of `other`."""
        return elementwise.where(condition, self, other)

    mT = property(linalg.mT)

    @property
    def T(self):
        """Reverse the order of the dimensions."""
        return shape_ops.permute(self, tuple(reversed(range(self.ndim))))


def _unpickle(kind, array, requires_grad):
    made = kind.__new__(kind)
    made._array, made._edge = array, LEAF if requires_grad else NO_EDGE
    return made


# ---- the operations as methods -------------------------------------------------------------------

for dtype in dtypes.OF_NUMPY.values():
    public("Tensor")(dtypes.method_named_after(dtype))
for name, record in found_under("Tensor").items():
    setattr(Tensor, name, record.function)
for name, record in found_under("Tensor_").items():
    setattr(Tensor, f"{name}_", in_place(record.function))

BETWEEN_TWO = {  # operator: (its function, the function for a tensor on the right)
    "add": (arithmetic.add, arithmetic.add),
    "sub": (arithmetic.sub, arithmetic.rsub),
    "mul": (arithmetic.mul, arithmetic.mul),
    "truediv": (arithmetic.div, arithmetic.reciprocal_times),
    "floordiv": (arithmetic.floor_divide, _turned(arithmetic.floor_divide)),
    "mod": (arithmetic.remainder, _turned(arithmetic.remainder)),
    "pow": (arithmetic.pow, _turned(arithmetic.pow)),
    "and": (comparison.bitwise_and, comparison.bitwise_and),
    "or": (comparison.bitwise_or, comparison.bitwise_or),
    "xor": (comparison.bitwise_xor, comparison.bitwise_xor),
}
for name, (function, turned) in BETWEEN_TWO.items():
    setattr(Tensor, f"__{name}__", _operator(f"__{name}__", function))
    setattr(Tensor, f"__r{name}__", _operator(f"__r{name}__", turned, name == "truediv"))
    changing = getattr(Tensor, f"{function.__name__}_")
    setattr(Tensor, f"__i{name}__", _operator(f"__i{name}__", changing))
for name in ("eq", "ne", "lt", "le", "gt", "ge"):
    comparing = _operator(f"__{name}__", getattr(comparison, name), name in ("eq", "ne"))
    setattr(Tensor, f"__{name}__", comparing)

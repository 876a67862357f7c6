"""Tensor: what every tensor is (`core/tensor.py`), what Python sees of it (`conversion.py`), and
the operations as methods.

`x.exp()` is `exp(x)`, `x + y` is `add(x, y)`: each method is the function itself, under its name.
"""

import weakref

import numpy as np

from ..autograd.entry import backward
from ..autograd.modes import is_inference
from ..core.checks import dimension
from ..core.graph import LEAF, NO_EDGE, Hooks, check
from ..core.operation import NUMBERS
from ..core.recording import recording
from ..core.tensor import TensorBase, results_are, wrap
from ..ops import (
    comparison,
    elementwise,
    gathering,
    indexing,
    inplace,
    linalg,
    reduction,
)
from ..ops import shape as shape_ops
from ..ops.inplace import in_place
from . import creation, dtypes, functions, functions_of_shape, sampling
from .conversion import AsPython


def _operator(function, arrays=True):
    """The method of a sign between two: what is neither a tensor nor a number is left to the other
    operand.

    arrays  whether an array of NumPy's may be the other one. As in PyTorch it may not where it
            stands on the left.
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
                # a number of NumPy's counts as one of Python's
                other = other.item()
            elif not isinstance(other, NUMBERS):
                return NotImplemented
        return function(self, other)

    return method


def _turned(function):
    """`function`, with its operands the other way round."""
    return lambda self, other: function(other, self)


def _to(dtype):
    """The method that gives the tensor in another type: `x.double()`."""
    return lambda self: functions.to(self, dtype)


@results_are
class Tensor(AsPython, TensorBase):
    """An array with a gradient. Made by `tensor(...)`, by `zeros`, `rand` and the like, and by
    every operation.
    """

    is_cuda, is_sparse, layout = False, False, "torch.strided"
    __array_priority__ = 1000  # array * tensor asks the tensor

    def __init__(self, data=(), *sizes):
        # Tensor(2, 3): that size, and any numbers
        data = np.zeros((data, *sizes)) if sizes else data
        self._array = creation.array_of("new", data, dtypes.get_default_dtype().numpy)
        self._edge = NO_EDGE

    # ---- what it is ------------------------------------------------------------------------------

    @property
    def shape(self):
        return dtypes.Size(self._array.shape)

    @property
    def dtype(self):
        return dtypes.of_array(self._array)

    @property
    def device(self):
        return dtypes.device()

    def dim(self):
        return self._array.ndim

    ndim = property(dim)

    def size(self, dim=None):
        """The shape, or its entry `dim`. Raises IndexError when there is no such dimension."""
        if dim is None:
            return self.shape
        dim = dimension(dim)
        check(
            -self.ndim <= dim < self.ndim,
            "Dimension out of range (expected to be in range of [{}, {}], but got {})",
            -self.ndim,
            self.ndim - 1,
            dim,
            error=IndexError,
        )
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

    def is_inference(self):
        """Whether it was computed in `inference_mode`."""
        return is_inference(self)

    # ---- its gradient ----------------------------------------------------------------------------

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """Send `gradient` (1 for a single number) back through the graph; leaves add what arrives
        to `.grad`.

        gradient      same shape as this tensor: what it counts for, ∂(something)/∂(this tensor).
        retain_graph  keep the saved tensors for another backward; default: as `create_graph`.
        create_graph  make the gradients part of a graph of their own, to be differentiated again.
        inputs        only these leaves accumulate.
        Raises RuntimeError if no gradient is required here, if this is not a single number and no
        `gradient` is given, or if the saved tensors were freed or changed.
        """
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def _clear_grad(self, set_to_none):
        """Set `.grad` to None, or to zeros outside the graph: what every `zero_grad` does to each
        parameter.
        """
        grad = self.grad
        if set_to_none or grad is None:
            self.grad = None
        else:
            (grad.requires_grad_(False) if grad.grad_fn is None else grad.detach_()).zero_()

    def requires_grad_(self, requires_grad=True):
        """Ask for a gradient (or no longer), in place. Raises RuntimeError for integers and for
        computed tensors.
        """
        check(
            isinstance(requires_grad, bool),
            "requires_grad_(): argument 'requires_grad' must be bool, not {}",
            type(requires_grad).__name__,
            error=TypeError,
        )
        self.requires_grad = requires_grad
        return self

    def detach_(self):
        """Leave the graph, in place. Raises RuntimeError for a view."""
        check(self._base is None, "Can't detach views in-place. Use detach() instead.")
        recording.publish("on_leave", self, self, "detach_()")
        self._edge = NO_EDGE
        return self

    def rebase_history(self, edge, view_again=None):
        """Be the result of another node: an in-place operation does this. `retain_grad` goes along.

        view_again  called with each view of this tensor, when somebody asks for its edge: gives it
                    a new one.
        """
        self._edge, self._view_again = edge, view_again
        if self.retains_grad:
            self._retaining.remove()
            self.retains_grad = False
            self.retain_grad()

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

    def register_hook(self, hook):
        """Call `hook(gradient)` with the summed gradient of this tensor; a returned tensor replaces
        it.

        Returns a handle with `remove()`. Raises RuntimeError for a tensor that requires no
        gradient."""
        check(
            self.requires_grad, "cannot register a hook on a tensor that doesn't require gradient"
        )
        if self._edge is not LEAF:
            return Hooks.of(self.grad_fn).add("tensor", hook, self.output_nr)
        return self._hooks_of_leaf().add("tensor", hook)

    def register_post_accumulate_grad_hook(self, hook):
        """Call `hook(self)` whenever `.grad` of this leaf has just grown. Returns a handle with
        `remove()`.
        """
        check(
            self._edge is LEAF,
            "post accumulate grad hooks cannot be registered on non-leaf tensors",
        )
        return self._hooks_of_leaf().add("accumulated", hook)

    def _hooks_of_leaf(self):
        if self._leaf_hooks is None:
            node, _ = self._leaf_edge()
            self._leaf_hooks = node.hooks = node.hooks or Hooks()
        return self._leaf_hooks

    # ---- signs -----------------------------------------------------------------------------------

    __add__, __radd__ = _operator(elementwise.add), _operator(elementwise.add, False)
    __sub__, __rsub__ = _operator(functions.sub), _operator(functions.rsub, False)
    __mul__, __rmul__ = _operator(elementwise.mul), _operator(elementwise.mul, False)
    __truediv__ = _operator(elementwise.div)
    __rtruediv__ = _operator(
        lambda self, other: elementwise.mul(elementwise.reciprocal(self), other)
    )
    __floordiv__, __mod__ = _operator(functions.floor_divide), _operator(functions.remainder)
    __rfloordiv__ = _operator(_turned(functions.floor_divide), False)
    __rmod__ = _operator(_turned(functions.remainder), False)
    __pow__, __rpow__ = _operator(functions.pow), _operator(_turned(functions.pow), False)
    __neg__, __abs__ = elementwise.neg, elementwise.abs
    __invert__ = comparison.bitwise_not
    __and__, __rand__ = _operator(comparison.bitwise_and), _operator(comparison.bitwise_and, False)
    __or__, __ror__ = _operator(comparison.bitwise_or), _operator(comparison.bitwise_or, False)
    __xor__, __rxor__ = _operator(comparison.bitwise_xor), _operator(comparison.bitwise_xor, False)
    __eq__, __ne__ = _operator(comparison.eq), _operator(comparison.ne)
    __lt__, __le__ = _operator(comparison.lt, False), _operator(comparison.le, False)
    __gt__, __ge__ = _operator(comparison.gt, False), _operator(comparison.ge, False)
    __hash__ = object.__hash__
    __getitem__, __setitem__ = indexing.getitem, inplace.setitem

    def __matmul__(self, other):
        return linalg.matmul(self, other) if isinstance(other, TensorBase) else NotImplemented

    def __rmatmul__(self, other):
        return linalg.matmul(other, self) if isinstance(other, TensorBase) else NotImplemented

    def __reversed__(self):
        """The entries along the first dimension in the opposite order, as a tensor."""
        return shape_ops.flip(self, 0) if self.ndim else self

    # ---- element by element ----------------------------------------------------------------------

    add, sub, mul, div = functions.add, functions.sub, elementwise.mul, functions.div
    floor_divide, remainder, pow, square = (
        functions.floor_divide,
        functions.remainder,
        functions.pow,
        functions.square,
    )
    neg, reciprocal, abs, sign = (
        elementwise.neg,
        elementwise.reciprocal,
        elementwise.abs,
        elementwise.sign,
    )
    exp, log, log1p, sqrt = elementwise.exp, elementwise.log, elementwise.log1p, elementwise.sqrt
    sin, cos, tanh, sigmoid = (
        elementwise.sin,
        elementwise.cos,
        elementwise.tanh,
        elementwise.sigmoid,
    )
    relu, maximum, minimum = elementwise.relu, functions.maximum, functions.minimum
    clamp = clip = functions.clamp
    rsqrt, atan, erf = elementwise.rsqrt, elementwise.atan, elementwise.erf
    floor, ceil, round = elementwise.floor, elementwise.ceil, elementwise.round
    nan_to_num = elementwise.nan_to_num
    eq, ne, lt, le, gt, ge = (
        comparison.eq,
        comparison.ne,
        comparison.lt,
        comparison.le,
        comparison.gt,
        comparison.ge,
    )
    isnan, isinf, isfinite = comparison.isnan, comparison.isinf, comparison.isfinite
    logical_and, logical_or = comparison.logical_and, comparison.logical_or
    logical_not = comparison.logical_not
    bitwise_and, bitwise_or = comparison.bitwise_and, comparison.bitwise_or
    bitwise_xor, bitwise_not = comparison.bitwise_xor, comparison.bitwise_not
    allclose, equal = functions.allclose, functions.equal

    def where(self, condition, other):
        """This tensor's elements where `condition` is true, else those of `other`."""
        return functions.where(condition, self, other)

    # ---- fewer numbers of many -------------------------------------------------------------------

    sum, mean, prod, cumsum = functions.sum, functions.mean, functions.prod, functions.cumsum
    max, min, amax, amin = functions.max, functions.min, functions.amax, functions.amin
    argmax, argmin, all, any = functions.argmax, functions.argmin, functions.all, functions.any
    var, std, norm, logsumexp = functions.var, functions.std, functions.norm, functions.logsumexp
    softmax, log_softmax, count_nonzero = (
        functions.softmax,
        functions.log_softmax,
        reduction.count_nonzero,
    )
    sort, argsort, topk = functions.sort, functions.argsort, functions.topk

    # ---- products --------------------------------------------------------------------------------

    matmul, dot, mv, mm = functions.matmul, linalg.dot, linalg.mv, linalg.mm
    bmm, addmm, outer = linalg.bmm, linalg.addmm, functions.outer

    # ---- shapes ----------------------------------------------------------------------------------

    view, reshape, flatten = (
        functions_of_shape.view,
        functions_of_shape.reshape,
        functions_of_shape.flatten,
    )
    permute = functions_of_shape.permute
    expand, squeeze, unsqueeze = (
        functions_of_shape.expand,
        functions_of_shape.squeeze,
        shape_ops.unsqueeze,
    )
    t, transpose, clone, contiguous = (
        shape_ops.t,
        shape_ops.transpose,
        shape_ops.clone,
        functions_of_shape.contiguous,
    )
    unbind, split, chunk = shape_ops.unbind, functions_of_shape.split, shape_ops.chunk
    repeat, flip, roll = shape_ops.repeat, shape_ops.flip, shape_ops.roll
    tril, triu = shape_ops.tril, shape_ops.triu
    expand_as, view_as = shape_ops.expand_as, shape_ops.view_as
    mT = property(linalg.mT)

    @property
    def T(self):
        """The dimensions in the opposite order."""
        return shape_ops.permute(self, tuple(reversed(range(self.ndim))))

    # ---- places ----------------------------------------------------------------------------------

    gather, scatter, scatter_add = gathering.gather, gathering.scatter, gathering.scatter_add
    index_select, index_add, index_put = (
        gathering.index_select,
        gathering.index_add,
        indexing.index_put,
    )
    nonzero = gathering.nonzero
    masked_fill, masked_select = gathering.masked_fill, gathering.masked_select

    # ---- in place --------------------------------------------------------------------------------

    add_, sub_, mul_, div_ = map(
        in_place, (functions.add, functions.sub, elementwise.mul, functions.div)
    )
    __iadd__, __isub__, __imul__, __itruediv__ = map(_operator, (add_, sub_, mul_, div_))
    bitwise_and_, bitwise_or_, bitwise_xor_ = map(in_place, (bitwise_and, bitwise_or, bitwise_xor))
    neg_, reciprocal_, abs_, sign_ = map(in_place, (neg, reciprocal, abs, sign))
    exp_, log_, sqrt_, rsqrt_ = map(in_place, (exp, log, sqrt, rsqrt))
    sin_, cos_, tanh_, sigmoid_, relu_ = map(in_place, (sin, cos, tanh, sigmoid, relu))
    square_, pow_ = map(in_place, (square, pow))
    remainder_, floor_divide_ = map(in_place, (remainder, floor_divide))
    __ipow__, __imod__, __ifloordiv__ = map(_operator, (pow_, remainder_, floor_divide_))
    __iand__, __ior__, __ixor__ = map(_operator, (bitwise_and_, bitwise_or_, bitwise_xor_))
    floor_, ceil_, round_, nan_to_num_ = map(in_place, (floor, ceil, round, nan_to_num))
    tril_, triu_ = map(in_place, (tril, triu))
    clamp_ = clip_ = in_place(clamp)
    masked_fill_ = in_place(masked_fill, reads=1)
    index_add_, scatter_ = (
        in_place(index_add, elementwise=False),
        in_place(scatter, elementwise=False),
    )
    scatter_add_ = in_place(scatter_add, elementwise=False)
    index_put_, zero_, copy_, fill_ = (
        inplace.index_put_,
        inplace.zero_,
        inplace.copy_,
        inplace.fill_,
    )

    # ---- drawn, or new ---------------------------------------------------------------------------

    bernoulli, multinomial = sampling.bernoulli, sampling.multinomial
    uniform_, normal_ = sampling.uniform_, sampling.normal_
    new_zeros, new_ones = creation.new_zeros, creation.new_ones
    new_tensor = creation.new_tensor

    # ---- types: last, since these names are Python's ---------------------------------------------

    to, type_as = functions.to, functions.type_as
    half, float, double = _to(dtypes.float16), _to(dtypes.float32), _to(dtypes.float64)
    byte, short, int = _to(dtypes.uint8), _to(dtypes.int16), _to(dtypes.int32)
    long, bool = _to(dtypes.int64), _to(dtypes.bool)

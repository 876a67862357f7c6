"""The operations as PyTorch's users call them: one name, several forms.

`sum(x)` and `sum(x, dim=1)` are two nodes in the graph, `x ** 2` and `x ** y` as well: here the
form is chosen."""

import functools

import numpy as np

from ..core.checks import check_flags, check_tensors, dimension, plain_number
from ..core.graph import NO_EDGE, check
from ..core.public import public
from ..core.tensor import TensorBase, wrap
from ..core.types import check_fits, result_type, stored
from ..ops import elementwise as e
from ..ops import linalg, reduction, shape, sorting
from ..ops.gathering import nonzero
from . import dtypes
from .functions_of_shape import reshape

_NUMPYS = {"axis": "dim", "keepdims": "keepdim"}


def named_as_numpy(function):
    """`function`, which takes NumPy's names for `dim` and `keepdim` too, as PyTorch's do."""

    @functools.wraps(function)
    def call(*args, **options):
        if options:
            options = {_NUMPYS.get(option, option): value for option, value in options.items()}
            if isinstance(options.get("dim"), TensorBase):
                options["dim"] = dimension(options["dim"])
            check_flags(function.__name__, keepdim=options.get("keepdim", False))
        return function(*args, **options)

    call.__module__, call.__qualname__ = __name__, function.__name__
    return call


# ---- arithmetic ----------------------------------------------------------------------------------


@public("T", "Tensor", "Tensor_", example="T.add(a, b, alpha=0.5)", a=(2, 3), b=(3,))
def add(input, other, *, alpha=1):
    """`input + alpha * other`."""
    if type(alpha) is int and alpha == 1:
        return e.add(input, other)
    return e.add(input, other, _fitting("add", alpha, input, other))


@public("T", "Tensor", "Tensor_", example="T.sub(a, b)", a=(2, 3), b=(3,))
def sub(input, other, *, alpha=1):
    """`input - alpha * other`. Raises RuntimeError for booleans."""
    _refuse_booleans(input, other)
    if type(alpha) is int and alpha == 1:
        return e.sub(input, other)
    return e.sub(input, other, _fitting("sub", alpha, input, other))


def _kind(x):
    """The letter of the NumPy kind of a tensor or a number; "" of anything else."""
    if isinstance(x, TensorBase):
        return x._array.dtype.kind
    if isinstance(x, float):
        return "f"
    return ("b" if isinstance(x, bool) else "i") if isinstance(x, int) else ""


def _fitting(name, alpha, *operands):
    """`alpha`. Raises RuntimeError for a fraction of whole numbers, and for a boolean."""
    number = alpha._array.item() if isinstance(alpha, TensorBase) and alpha.numel() == 1 else alpha
    if not isinstance(number, (int, float, np.number)):
        raise TypeError(f"{name}(): argument 'alpha' must be Number, not {type(alpha).__name__}")
    kind, kinds = _kind(number), {*map(_kind, operands)}
    if kind in ("b", "i") and kinds == {"b"}:
        return bool(number)
    check(kind != "b", "Boolean alpha only supported for Boolean results.")
    words = "For integral input tensors, argument alpha must not be a floating point number."
    check(kind != "f" or "f" in kinds, words)
    for x in operands:
        check_fits(x, number)
    return alpha


def _refuse_booleans(*operands):
    words = "Subtraction, the `-` operator, with a bool tensor is not supported: use `~`"
    check("b" not in map(_kind, operands), words + " to invert a mask")


def rsub(input, other):
    """`other - input`, for the sign `-`. Raises RuntimeError for booleans."""
    _refuse_booleans(input, other)
    if isinstance(other, TensorBase):
        return e.sub(other, input)
    return e.rsub(_beside(input, other), other)


def _beside(input, *numbers):
    """`input` in floating point, if one of `numbers` is; booleans count as integers."""
    if not isinstance(input, TensorBase) or input._array.dtype.kind == "f":
        return input
    kinds = {*map(_kind, numbers)}
    if "f" in kinds:
        return to(input, dtypes.get_default_dtype())
    return input.long() if _kind(input) == "b" and "i" in kinds else input


@public("T", "Tensor", "Tensor_", example="T.pow(a, 3)", a=(2, 3))
def pow(input, exponent):
    """`input ** exponent`; either may be a number."""
    input, exponent = plain_number(input), plain_number(exponent)
    if not isinstance(exponent, (TensorBase, int, float)):
        kind = type(exponent).__name__
        raise TypeError(f"pow() received an invalid combination of arguments: with a {kind}")
    if not isinstance(exponent, TensorBase):
        return e.pow_scalar(_beside(input, exponent), exponent)
    if isinstance(input, (int, float)):
        return e.pow_of_scalar(input, _beside(exponent, input))
    return e.pow(input, exponent)


@public("T", "Tensor", "Tensor_", example="T.square(a)", a=(2,))
def square(input):
    """`input ** 2`."""
    check_tensors("square", input=input)
    return e.pow_scalar(_beside(input, 2), 2)


@public("T", "Tensor", "Tensor_", names=("clip",), example="T.clamp(a, -0.5, 0.5)", a=(2, 3))
def clamp(input, min=None, max=None):
    """`input`, moved into [min, max]: two numbers, or two tensors; one may be None."""
    of_tensors = isinstance(min, TensorBase) or isinstance(max, TensorBase)
    kinds = TensorBase if of_tensors else (int, float, np.number)
    for bound in (min, max):
        if bound is not None and not isinstance(bound, kinds):
            kind = type(bound).__name__
            raise TypeError(f"clamp(): both bounds must be Numbers or Tensors, not {kind}")
    if of_tensors:
        return e.clamp_to_tensors(input, min, max)
    min, max = plain_number(min), plain_number(max)
    input = _beside(input, min, max)
    check_fits(input, min, max)
    return e.clamp(input, min, max)


@public("T", "Tensor", "Tensor_", example="T.remainder(a, 2)", a=(2, 3))
def remainder(input, other):
    """`input % other`, with the sign of `other`. Of a number `input` it has no derivative."""
    input, other = plain_number(input), plain_number(other)
    if not isinstance(other, TensorBase):
        return e.remainder_of_number(_beside(input, other), other)
    if not isinstance(input, TensorBase):
        return _without_derivative(input, other, "remainder")
    return e.remainder_of_tensor(input, other)


@public("T", "Tensor", "Tensor_", example="T.div(a, b)", a=(2, 3), b=[1.0, -2.0, 3.0])
def div(input, other, *, rounding_mode=None):
    """`input / other`; with `rounding_mode` "floor" or "trunc" rounded."""
    if rounding_mode is None:
        return e.div(input, other)
    return e.rounded_div(input, other, rounding_mode)


@public("T", "Tensor", "Tensor_", example="T.floor_divide(c, 2)", c=[7, -7])
def floor_divide(input, other):
    """`input // other`; either may be a number. A backward pass that meets it raises, as PyTorch's."""
    return _without_derivative(plain_number(input), plain_number(other), "floor_divide")


def _without_derivative(input, other, function):
    """`e.without_derivative`. As in PyTorch, only an operand that requires a gradient has an edge."""
    result = e.without_derivative(input, other, function)
    node, _ = result._edge
    if node is not None:
        node.next_functions = tuple(edge for edge in node.next_functions if edge is not NO_EDGE)
    return result


@public("T", "Tensor", example="T.maximum(a, b)", a=(2, 3), b=(3,))
def maximum(input, other):
    """The greater of each pair; nan wins. Equal elements share the gradient."""
    check_tensors("maximum", input=input, other=other)
    return e.maximum(input, other)


@public("T", "Tensor", example="T.minimum(a, b)", a=(2, 3), b=(2, 1))
def minimum(input, other):
    """The smaller of each pair; nan wins. Equal elements share the gradient."""
    check_tensors("minimum", input=input, other=other)
    return e.minimum(input, other)


@public("T", example="T.where(c, a, b)", a=(3,), b=(3,), c=[[True], [False]])
def where(condition, input=None, other=None):
    """`input` where `condition`, else `other`. Without both, the places where it is true."""
    check_tensors("where", condition=condition)
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if isinstance(input, TensorBase) and isinstance(other, TensorBase):
        return e.where(condition, input, other)
    input, other = plain_number(input), plain_number(other)
    for x, beside in (input, other), (other, input):
        if not isinstance(x, (TensorBase, int, float)):
            kind = type(x).__name__
            raise TypeError(f"where() received an invalid combination of arguments: with a {kind}")
        if not isinstance(x, TensorBase) and isinstance(beside, TensorBase):
            stored(x, result_type(beside._array, x))  # which refuses what is beyond the type
    if not isinstance(input, TensorBase) and not isinstance(other, TensorBase):
        input = wrap(np.array(stored(input, result_type(input))))
    return e.where(condition, input, other)


# ---- reductions ----------------------------------------------------------------------------------


@public("T", "Tensor", example="T.sum(a, 1)", a=(2, 3))
@named_as_numpy
def sum(input, dim=None, keepdim=False, *, dtype=None):
    """The sum of all elements, or the sums along `dim` (one or several). Integers add up as int64."""
    dtype = dtypes.to_numpy(dtype)
    if dim is None and keepdim is False:
        return reduction.sum(input, dtype)
    return reduction.sum_dim(input, dim, keepdim, dtype)


@public("T", "Tensor", example="T.mean(a, 0)", a=(2, 3))
@named_as_numpy
def mean(input, dim=None, keepdim=False, *, dtype=None):
    """The mean of all elements, or the means along `dim`. Raises RuntimeError for integers."""
    dtype = dtypes.to_numpy(dtype)
    if dim is None and keepdim is False:
        return reduction.mean(input, dtype)
    return reduction.mean_dim(input, dim, keepdim, dtype)


@public("T", "Tensor", example="T.max(a)", a=(2, 3))
@named_as_numpy
def max(input, dim=None, keepdim=False, *, other=None):
    """The greatest element; with `dim` a pair (values, indices); or the greater of each two."""
    dim = dim if other is None else other
    return _extreme(input, dim, keepdim, e.maximum, reduction.max_all, sorting.max_dim)


@public("T", "Tensor", example="T.min(a)", a=(2, 3))
@named_as_numpy
def min(input, dim=None, keepdim=False, *, other=None):
    """The smallest element; with `dim` a pair (values, indices); or the smaller of each two."""
    dim = dim if other is None else other
    return _extreme(input, dim, keepdim, e.minimum, reduction.min_all, sorting.min_dim)


def _extreme(input, dim, keepdim, of_pairs, of_all, along):
    name = of_pairs.__name__[:3]
    check_tensors(name, input=input)
    check_flags(name, keepdim=keepdim)
    if keepdim and (dim is None or isinstance(dim, TensorBase) and dim.ndim):
        raise TypeError(f"{name}() received an invalid combination of arguments: keepdim needs dim")
    if isinstance(dim, TensorBase) and not keepdim:
        return of_pairs(input, dim)
    return of_all(input) if dim is None else sorting.pair(along, input, dim, keepdim)


@public("T", "Tensor", example="T.prod(a)", a=(2, 3))
@named_as_numpy
def prod(input, dim=None, keepdim=False, *, dtype=None):
    """The product of all elements, or the products along `dim`. Integers multiply as int64."""
    dtype = dtypes.to_numpy(dtype)
    if dim is None:
        check_flags("prod", keepdim=keepdim)
        return reduction.prod_all(input, dtype)
    return reduction.prod_dim(input, dimension(dim), keepdim, dtype)


@public("T", "Tensor", example="T.cumsum(a, 1)", a=(2, 3))
@named_as_numpy
def cumsum(input, dim, *, dtype=None):
    """The running sums along `dim`. Integers add up as int64."""
    check_tensors("cumsum", input=input)
    if dtype is None:
        dtype = input.dtype if input.is_floating_point() else dtypes.int64
    return reduction.cumsum(input, dim, dtypes.to_numpy(dtype))


@public("T", "Tensor", example="T.var(a, 1)", a=(2, 3))
@named_as_numpy
def var(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    """The variance, of all or along `dim`: by the count less `correction`, 1 (0 if not `unbiased`)."""
    return _deviation(reduction.var, input, dim, unbiased, keepdim, correction)


@public("T", "Tensor", example="T.std(a, 1)", a=(2, 3))
@named_as_numpy
def std(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    """The square root of `var`."""
    return _deviation(reduction.std, input, dim, unbiased, keepdim, correction)


def _deviation(form, input, dim, unbiased, keepdim, correction):
    if isinstance(dim, bool) and unbiased is True:
        dim, unbiased = None, dim
    check_flags(form.__name__, unbiased=unbiased, keepdim=keepdim)
    correction = plain_number(correction)
    return form(input, dim, int(unbiased) if correction is None else correction, keepdim)


amax = public("T", "Tensor", example="T.amax(a, 1)", a=(2, 3))(named_as_numpy(reduction.amax))
amin = public("T", "Tensor", example="T.amin(a, 1)", a=(2, 3))(named_as_numpy(reduction.amin))
argmax = public("T", "Tensor", example="T.argmax(a, 1)", a=(2, 3))(named_as_numpy(reduction.argmax))
argmin = public("T", "Tensor", example="T.argmin(a, 1)", a=(2, 3))(named_as_numpy(reduction.argmin))
all = public("T", "Tensor", example="T.all(a > 0)", a=(2, 3))(named_as_numpy(reduction.all))
any = public("T", "Tensor", example="T.any(a > 0)", a=(2, 3))(named_as_numpy(reduction.any))
logsumexp = public("T", "Tensor", example="T.logsumexp(a, 1)", a=(2, 3))(
    named_as_numpy(reduction.logsumexp)
)
cat = public("T", example="T.cat([a, b])", a=(2, 3), b=(1, 3))(named_as_numpy(shape.cat))
stack = public("T", example="T.stack([a, b])", a=(2, 3), b=(2, 3))(named_as_numpy(shape.stack))


@public("T", "Tensor", example="T.norm(a)", a=(2, 3))
def norm(input, p="fro", dim=None, keepdim=False):
    """`(sum of |input| ** p) ** (1 / p)`, of all elements or along `dim`. "fro" is 2; inf may be p."""
    check_tensors("norm", input=input)
    check_flags("norm", keepdim=keepdim)
    p = 2 if p in ("fro", None) else plain_number(p)
    if not isinstance(p, (int, float)):
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    return reduction.vector_norm(input, p, dim, keepdim)


@public("T", "Tensor", "F", example="T.softmax(a, 0)", a=())
@named_as_numpy
def softmax(input, dim, dtype=None):
    """Positive numbers that add up to 1 along `dim`. Raises NotImplementedError for integers."""
    return reduction.softmax(input if dtype is None else to(input, dtype=dtype), dim)


@public("T", "Tensor", "F", example="T.log_softmax(a, 0)", a=(2, 3))
@named_as_numpy
def log_softmax(input, dim, dtype=None):
    """The logarithm of `softmax`."""
    return reduction.log_softmax(input if dtype is None else to(input, dtype=dtype), dim)


@public("T", "Tensor", example="T.sort(a).values", a=(2, 3))
def sort(input, dim=-1, descending=False):
    """A pair: the elements along `dim` in order, and the place of each. Equal ones stay in order."""
    check_flags("sort", descending=descending)
    return sorting.pair(sorting.sort_dim, input, dim, descending)


@public("T", "Tensor", example="T.argsort(a)", a=(2, 3))
def argsort(input, dim=-1, descending=False, stable=False):
    """The places along `dim` of the elements in order."""
    check_flags("argsort", stable=stable)
    return sort(input, dim, descending).indices


@public("T", "Tensor", example="T.topk(a, 2).values", a=(2, 3))
def topk(input, k, dim=-1, largest=True, sorted=True):
    """A pair: the `k` greatest (or smallest) along `dim` in order, and their places."""
    check_flags("topk", largest=largest, sorted=sorted)
    check_tensors("topk", input=input)
    if isinstance(k, bool):
        raise TypeError("topk(): argument 'k' (position 2) must be int, not bool")
    if input._array.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    return sorting.pair(sorting.topk_dim, input, k, dim, largest)


# ---- types ---------------------------------------------------------------------------------------


@public("Tensor", example="a.to(b)", a=(3,), b=(1,))
def to(input, *args, dtype=None, device=None, non_blocking=False, copy=False):
    """The tensor in another type: `x.to(float64)`. On the device "cpu" nothing happens."""
    check_tensors("to", input=input)
    if copy is not False or non_blocking is not False:
        check_flags("to", copy=copy, non_blocking=non_blocking)
    for a in args:
        if isinstance(a, (dtypes.dtype, TensorBase)):
            dtype = a.dtype if isinstance(a, TensorBase) else a
        else:
            dtypes.check_device(a)
    dtypes.check_device(device)
    dtypes.to_numpy(dtype)
    if dtype is None or dtype is input.dtype:
        return shape.clone(input) if copy else input
    input = input if dtype.is_floating_point else input.detach()
    return shape.to_type(input, dtypes.to_numpy(dtype))


def to_type_named(dtype):
    """The method that gives a tensor in another type, under PyTorch's name: `x.double()`."""

    def convert(input):
        return to(input, dtype)

    convert.__name__ = convert.__qualname__ = dtype.short.lower()
    convert.__doc__ = f"The tensor in {dtype}: `to(input, {dtype})`."
    return convert


@public("Tensor", example="a.type_as(b)", a=(2,), b=(3,))
def type_as(input, other):
    """The tensor in the type of `other`."""
    check_tensors("type_as", input=input, other=other)
    return to(input, other.dtype)


@public("T", "Tensor", example="T.matmul(a, b)", a=(2, 3), b=(3, 4))
def matmul(input, other):
    """`input @ other`: vectors, matrices or batches of these. RuntimeError if sizes do not fit."""
    check_tensors("matmul", input=input, other=other)
    return linalg.matmul(input, other)


@public("T", "Tensor", example="T.outer(a, b)", a=(2,), b=(3,))
def outer(input, vec2):
    """Two vectors (n) and (m): the matrix (n, m) of all products."""
    check_tensors("outer", input=input, vec2=vec2)
    for name, x in {"self": input, "vec2": vec2}.items():
        check(x.ndim == 1, "outer: Expected 1-D argument {}, but got {}-D", name, x.ndim)
    return e.mul(reshape(input, -1, 1), vec2)

"""The operations as PyTorch's users call them: one name, several forms.

`sum(x)` and `sum(x, dim=1)` are two nodes in the graph, `x ** 2` and `x ** y` as well: here the form is chosen.
"""

import builtins
import functools

import numpy as np

from ..core.graph import check
from ..core.tensor import TensorBase
from ..ops import comparison, linalg, reduction, shape, sorting
from ..ops import elementwise as e
from ..ops.checks import check_tensors, plain_number, sizes_of
from ..ops.extended import rounding, statistics
from ..ops.gathering import nonzero
from ..ops.shape import reshape as reshape_to
from . import dtypes
from .creation import tensor

_NUMPYS = {"axis": "dim", "keepdims": "keepdim"}


def named_as_numpy(function):
    """`function`, which takes NumPy's names for `dim` and `keepdim` too, as PyTorch's do."""
    @functools.wraps(function)
    def call(*args, **options):
        if options:
            options = {_NUMPYS.get(option, option): value for option, value in options.items()}
        return function(*args, **options)
    call.__module__, call.__qualname__ = __name__, function.__name__
    return call


# ---- arithmetic ----------------------------------------------------------------------------------------------------


def add(input, other, *, alpha=1):
    """`input + alpha * other`."""
    if type(alpha) is int and alpha == 1:
        return e.add(input, other)
    return e.add(input, other, _fitting(alpha, input, other))


def sub(input, other, *, alpha=1):
    """`input - alpha * other`. Raises RuntimeError for booleans."""
    _refuse_booleans(input, other)
    if type(alpha) is int and alpha == 1:
        return e.sub(input, other)
    return e.sub(input, other, _fitting(alpha, input, other))


def _fitting(alpha, *operands):
    """`alpha`. Raises RuntimeError for a fraction of whole numbers."""
    floats = (isinstance(x, float) or isinstance(x, TensorBase) and x.is_floating_point() for x in operands)
    check(not isinstance(alpha, float) or builtins.any(floats),
          "For integral input tensors, argument alpha must not be a floating point number.")
    return alpha


def _refuse_booleans(*operands):
    for x in operands:
        if isinstance(x, bool) or isinstance(x, TensorBase) and x._array.dtype.kind == "b":
            raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported: use `~` to invert "
                               "a mask")


def rsub(input, other):
    """`other - input`, for the sign `-`. Raises RuntimeError for booleans."""
    _refuse_booleans(input, other)
    return e.sub(other, input) if isinstance(other, TensorBase) else e.rsub(_beside(input, other), other)


def _beside(input, *numbers):
    """`input`, made floating point if it holds no such numbers and one of `numbers` is; booleans count as integers."""
    if isinstance(input, TensorBase) and (kind := input._array.dtype.kind) != "f":
        if builtins.any(isinstance(n, float) for n in numbers):
            return to(input, dtypes.get_default_dtype())
        return input.long() if kind == "b" and not builtins.all(isinstance(n, (bool, type(None))) for n in numbers) else input
    return input


def pow(input, exponent):
    """`input ** exponent`; either may be a number."""
    input, exponent = plain_number(input), plain_number(exponent)
    if not isinstance(exponent, TensorBase):
        return e.pow_scalar(_beside(input, exponent), exponent)
    if isinstance(input, (int, float)):
        return e.pow_of_scalar(input, _beside(exponent, input))
    return e.pow(input, exponent)


def square(input):
    """`input ** 2`."""
    return e.pow_scalar(input, 2)


def clamp(input, min=None, max=None):
    """`input`, with everything outside [min, max] moved to the bound: two numbers, or two tensors; one may be None."""
    of_tensors = isinstance(min, TensorBase) or isinstance(max, TensorBase)
    for bound in (min, max):
        if bound is not None and not isinstance(bound, TensorBase if of_tensors else (int, float, np.number)):
            raise TypeError(f"clamp(): the bounds must be both Numbers or both Tensors, not {type(bound).__name__}")
    min, max = plain_number(min), plain_number(max)
    return (e.clamp_to_tensors if of_tensors else e.clamp)(_beside(input, min, max), min, max)


clip = clamp


def remainder(input, other):
    """`input % other`: what is left after division, with the sign of `other`. Of a number `input` without derivative."""
    input, other = plain_number(input), plain_number(other)
    if isinstance(input, (int, float)) and isinstance(other, TensorBase):
        return rounding.without_derivative("remainder", rounding.remainder_of_tensor, tensor(input), other)
    check_tensors("remainder", input=input)
    if isinstance(other, TensorBase):
        return rounding.remainder_of_tensor(input, other)
    return rounding.remainder_of_number(_beside(input, other), other)


def _of_bits(operation):
    """`operation` on the bits of two, of which either may be a number."""
    @functools.wraps(operation)
    def bits(input, other):
        number = isinstance(input, (int, float)) and isinstance(other, TensorBase)
        return operation(tensor(input) if number else input, other)
    bits.__module__ = __name__
    return bits


bitwise_and, bitwise_or, bitwise_xor, bitwise_left_shift, bitwise_right_shift = map(_of_bits, (
    comparison.bitwise_and, comparison.bitwise_or, comparison.bitwise_xor, comparison.bitwise_left_shift,
    comparison.bitwise_right_shift))


def positive(input):
    """`+input`: the tensor itself. Raises RuntimeError for booleans."""
    check_tensors("positive", input=input)
    check(input._array.dtype.kind != "b", "The `+` operator, on a bool tensor is not supported.")
    return input


def div(input, other, *, rounding_mode=None):
    """`input / other`; with `rounding_mode` "floor" or "trunc" rounded."""
    return e.div(input, other) if rounding_mode is None else rounding.rounded_div(input, other, rounding_mode)


def floor_divide(input, other):
    """`input // other`; either may be a number. As in PyTorch it has no derivative: a backward pass that meets it raises."""
    input, other = plain_number(input), plain_number(other)
    if not isinstance(input, (int, float)) or not isinstance(other, TensorBase):
        check_tensors("floor_divide", input=input)

    def compute(input, other):
        return rounding.rounded_div(input if isinstance(input, TensorBase) else tensor(input), other, "floor")
    return rounding.without_derivative("floor_divide", compute, input, other)


def maximum(input, other):
    """The greater of each pair; nan wins. Equal elements share the gradient."""
    check_tensors("maximum", input=input, other=other)
    return e.maximum(input, other)


def minimum(input, other):
    """The smaller of each pair; nan wins. Equal elements share the gradient."""
    check_tensors("minimum", input=input, other=other)
    return e.minimum(input, other)


def where(condition, input=None, other=None):
    """`input` where `condition` is true, else `other`; either may be a number. Without both, the places of what is true."""
    check_tensors("where", condition=condition)
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if not isinstance(input, TensorBase) and not isinstance(other, TensorBase):
        input = tensor(plain_number(input))
    return e.where(condition, input, other)


def lerp(input, end, weight):
    """`input + weight * (end - input)`; the weight is a number or a tensor. Raises RuntimeError for mixed types."""
    check_tensors("lerp", input=input, end=end)
    for name, x in (("end", end), ("weight", weight)):
        if isinstance(x, TensorBase) and x.dtype is not input.dtype:
            raise RuntimeError(f"expected dtype {input.dtype.name} for `{name}` but got dtype {x.dtype.name}")
    return (e.lerp_by_tensor if isinstance(weight, TensorBase) else e.lerp_by_number)(input, end, plain_number(weight))


# ---- reductions ----------------------------------------------------------------------------------------------------


@named_as_numpy
def sum(input, dim=None, keepdim=False, *, dtype=None):
    """The sum of all elements, or the sums along `dim` (one or several). Integers add up as int64."""
    dtype = dtypes.to_numpy(dtype)
    return reduction.sum(input, dtype) if dim is None else reduction.sum_dim(input, dim, keepdim, dtype)


@named_as_numpy
def mean(input, dim=None, keepdim=False, *, dtype=None):
    """The mean of all elements, or the means along `dim`. Raises RuntimeError for integers."""
    dtype = dtypes.to_numpy(dtype)
    return reduction.mean(input, dtype) if dim is None else reduction.mean_dim(input, dim, keepdim, dtype)


@named_as_numpy
def max(input, dim=None, keepdim=False):
    """The greatest element; or with `dim` a pair (values, indices); or the greater of each pair of two tensors."""
    return _extreme(input, dim, keepdim, e.maximum, reduction.max_all, sorting.max_dim)


@named_as_numpy
def min(input, dim=None, keepdim=False):
    """The smallest element; or with `dim` a pair (values, indices); or the smaller of each pair of two tensors."""
    return _extreme(input, dim, keepdim, e.minimum, reduction.min_all, sorting.min_dim)


def _extreme(input, dim, keepdim, of_pairs, of_all, along):
    if isinstance(dim, TensorBase):
        return of_pairs(input, dim)
    return of_all(input) if dim is None else sorting.pair(along, input, dim, keepdim)


@named_as_numpy
def prod(input, dim=None, keepdim=False, *, dtype=None):
    """The product of all elements, or the products along `dim`. Integers multiply as int64."""
    dtype = dtypes.to_numpy(dtype)
    return statistics.prod_all(input, dtype) if dim is None else statistics.prod_dim(input, int(dim), keepdim, dtype)


@named_as_numpy
def cumsum(input, dim, *, dtype=None):
    """The running sums along `dim`. Integers add up as int64."""
    check_tensors("cumsum", input=input)
    if dtype is None:
        dtype = input.dtype if input.is_floating_point() else dtypes.int64
    return statistics.cumsum(input, dim, dtypes.to_numpy(dtype))


def _deviation(form):
    def deviation(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        return form(input, dim, int(unbiased) if correction is None else correction, keepdim)
    deviation.__name__ = deviation.__qualname__ = form.__name__
    deviation.__doc__ = f"{form.__doc__} By default `correction` is 1; `unbiased=False` is another word for 0."
    return deviation


var, std = (named_as_numpy(_deviation(form)) for form in (statistics.var, statistics.std))
amax, amin, argmax, argmin, all, any = map(named_as_numpy, (
    reduction.amax, reduction.amin, reduction.argmax, reduction.argmin, reduction.all, reduction.any))
logsumexp, cat, stack = map(named_as_numpy, (statistics.logsumexp, shape.cat, shape.stack))


def norm(input, p="fro", dim=None, keepdim=False):
    """`(sum of |input| ** p) ** (1 / p)`, of all elements or along `dim`. "fro" is 2; p is above 0, infinity too."""
    check_tensors("norm", input=input)
    p = 2 if p in ("fro", None) else plain_number(p)
    check(isinstance(p, (int, float)) and p > 0, "autograd_core has norms with p > 0 and 'fro', not {!r}", p,
          error=NotImplementedError)
    return statistics.vector_norm(input, p, dim, keepdim)


@named_as_numpy
def softmax(input, dim, dtype=None):
    """Positive numbers that add up to 1 along `dim`."""
    return reduction.softmax(input if dtype is None else to(input, dtype), dim)


@named_as_numpy
def log_softmax(input, dim, dtype=None):
    """The logarithm of `softmax`."""
    return reduction.log_softmax(input if dtype is None else to(input, dtype), dim)


def sort(input, dim=-1, descending=False, *, stable=None):
    """A pair: the elements along `dim` in order, and the place of each. Equal ones stay as they stand in any case."""
    return sorting.pair(sorting.sort_dim if stable is None else sorting.sort_stable, input, dim, descending)


def argsort(input, dim=-1, descending=False, stable=False):
    """The places along `dim` of the elements in order."""
    return sort(input, dim, descending).indices


def topk(input, k, dim=-1, largest=True, sorted=True):
    """A pair: the `k` greatest (or smallest) along `dim`, and their places. They come in order in any case."""
    return sorting.pair(sorting.topk_dim, input, k, dim, largest)


# ---- shapes --------------------------------------------------------------------------------------------------------


def view(input, *sizes, size=()):
    """The same memory in another shape; one size may be -1."""
    return shape.view(input, sizes_of("view", sizes or size))


def reshape(input, *sizes, shape=()):
    """The same numbers in another shape: a view where that is possible, else a copy."""
    return reshape_to(input, sizes_of("reshape", sizes or shape))


def flatten(input, start_dim=0, end_dim=-1):
    """Dimensions `start_dim` to `end_dim` as one."""
    check_tensors("flatten", input=input)
    if not input.ndim:
        return reshape(input, 1)
    start, end = (reduction.normal_dims(d, input.ndim)[0] for d in (start_dim, end_dim))
    check(start <= end, "flatten() has invalid args: start_dim cannot come after end_dim")
    return input if start == end else reshape(input, *input.shape[:start], -1, *input.shape[end + 1:])


def permute(input, *order, dims=()):
    """The dimensions in another order: `permute(2, 0, 1)`, or as one tuple `dims`."""
    return shape.permute(input, sizes_of("permute", order or dims))


def expand(input, *sizes, size=()):
    """Dimensions of size 1 stretched to `sizes`, without copying."""
    return shape.expand(input, sizes_of("expand", sizes or size))


def squeeze(input, dim=None):
    """Without the dimensions of size 1, or without `dim` (one or several), where the size is 1."""
    if isinstance(dim, (tuple, list)):
        return shape.squeeze_dims(input, tuple(dim))
    return shape.squeeze(input) if dim is None else shape.squeeze_dim(input, dim)


def contiguous(input):
    """The tensor itself if its memory is in order, else a copy that is."""
    check_tensors("contiguous", input=input)
    return input if input.is_contiguous() else shape.clone(input, True)


def split(input, split_size_or_sections, dim=0):
    """Pieces of `split_size_or_sections` entries along `dim` (or of as many entries as a list says), as a tuple."""
    if isinstance(split_size_or_sections, int):
        return shape.split_evenly(input, split_size_or_sections, dim)
    return shape.split_with_sizes(input, tuple(split_size_or_sections), dim)


# ---- types ---------------------------------------------------------------------------------------------------------


def to(input, *args, dtype=None, device=None, non_blocking=False, copy=False):
    """The tensor in another type: `x.to(float64)`. On the device "cpu", where everything is, nothing happens."""
    check_tensors("to", input=input)
    for a in args:
        if isinstance(a, (dtypes.dtype, TensorBase)):
            dtype = a.dtype if isinstance(a, TensorBase) else a
        else:
            dtypes.check_device(a)
    dtypes.check_device(device)
    dtypes.to_numpy(dtype)
    if dtype is None or dtype is input.dtype:
        return shape.clone(input) if copy else input
    return shape.to_type(input if dtype.is_floating_point else input.detach(), dtypes.to_numpy(dtype))


def type_as(input, other):
    """The tensor in the type of `other`."""
    check_tensors("type_as", input=input, other=other)
    return to(input, other.dtype)


def matmul(input, other):
    """`input @ other`, of vectors, matrices, or batches of matrices."""
    check_tensors("matmul", input=input, other=other)
    return linalg.matmul(input, other)


def outer(input, vec2):
    """Two vectors (n) and (m): the matrix (n, m) of all products."""
    check_tensors("outer", input=input, vec2=vec2)
    check(input.ndim == 1, "outer: Expected 1-D argument self, but got {}-D", input.ndim)
    check(vec2.ndim == 1, "outer: Expected 1-D argument vec2, but got {}-D", vec2.ndim)
    return e.mul(reshape(input, -1, 1), vec2)


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements agree: `|input - other| <= atol + rtol * |other|`."""
    check_tensors("allclose", input=input, other=other)
    comparison.eq(input, other)                              # refuses shapes that do not fit
    return bool(np.allclose(input._array, other._array, rtol, atol, equal_nan))


def equal(input, other):
    """Whether shape and all elements are the same."""
    check_tensors("equal", input=input, other=other)
    return bool(np.array_equal(input._array, other._array))

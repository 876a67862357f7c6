"""The operations as PyTorch's users call them: one name, several forms.

`sum(x)` and `sum(x, dim=1)` are two nodes in the graph, `x ** 2` and `x ** y` as well: here the
form is chosen."""

import builtins
import functools

import numpy as np

from ..core.checks import check_flags, check_tensors, dimension, plain_number
from ..core.graph import check
from ..core.operation import parameters_of
from ..core.tensor import TensorBase, wrap
from ..core.types import check_fits, cut, result_type, stored
from ..ops import comparison, linalg, reduction, shape, sorting
from ..ops import elementwise as e
from ..ops.extended import rounding, statistics
from ..ops.gathering import nonzero
from . import dtypes
from .functions_of_shape import reshape

_NUMPYS = {"axis": "dim", "keepdims": "keepdim"}


def named_as_numpy(function):
    """`function`, which takes NumPy's names for `dim` and `keepdim` too, as PyTorch's do."""
    names = parameters_of(getattr(function, "forward", function))
    kept = names.index("keepdim") if "keepdim" in names else 0

    @functools.wraps(function)
    def call(*args, **options):
        if options:
            options = {_NUMPYS.get(option, option): value for option, value in options.items()}
            if isinstance(options.get("dim"), TensorBase):
                options["dim"] = dimension(options["dim"])
        if kept and (options or len(args) > kept):
            # so it is no second tensor, but a dimension
            if len(args) > kept and isinstance(args[1], TensorBase):
                args = (args[0], dimension(args[1]), *args[2:])
            given = args[kept] if len(args) > kept else options.get("keepdim", False)
            if given is not False and given is not True:
                check_flags(function.__name__, keepdim=given)
        return function(*args, **options)

    call.__module__, call.__qualname__ = __name__, function.__name__
    return call


# ---- arithmetic ----------------------------------------------------------------------------------


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
    number = (
        alpha._array.item() if isinstance(alpha, TensorBase) and alpha._array.size == 1 else alpha
    )
    check(
        number is not True
        and number is not False
        or builtins.all(
            isinstance(x, bool) or isinstance(x, TensorBase) and x._array.dtype.kind == "b"
            for x in operands
        ),
        "Boolean alpha only supported for Boolean results.",
    )
    check(
        isinstance(number, (int, float, np.number, TensorBase)),
        "argument 'alpha' must be Number, not {}",
        type(alpha).__name__,
        error=TypeError,
    )
    floats = (
        isinstance(x, float) or isinstance(x, TensorBase) and x.is_floating_point()
        for x in operands
    )
    check(
        not isinstance(number, float) or builtins.any(floats),
        "For integral input tensors, argument alpha must not be a floating point number.",
    )
    for x in operands:
        check_fits(x, number)
    return alpha


def _refuse_booleans(*operands):
    for x in operands:
        if isinstance(x, bool) or isinstance(x, TensorBase) and x._array.dtype.kind == "b":
            raise RuntimeError(
                "Subtraction, the `-` operator, with a bool tensor is not supported: use `~` to"
                " invert a mask"
            )


def rsub(input, other):
    """`other - input`, for the sign `-`. Raises RuntimeError for booleans."""
    _refuse_booleans(input, other)
    return (
        e.sub(other, input)
        if isinstance(other, TensorBase)
        else e.rsub(_beside(input, other), other)
    )


def _beside(input, *numbers):
    """`input`, made floating point if it holds no such numbers and one of `numbers` is; booleans
    count as integers.
    """
    if isinstance(input, TensorBase) and (kind := input._array.dtype.kind) != "f":
        if builtins.any(isinstance(n, float) for n in numbers):
            return to(input, dtypes.get_default_dtype())
        return (
            input.long()
            if kind == "b" and not builtins.all(isinstance(n, (bool, type(None))) for n in numbers)
            else input
        )
    return input


def _as_tensor(number, beside):
    """A number as a 0-d tensor of the type in which it meets the tensor `beside`."""
    dtype = result_type(beside._array, number)
    return wrap(np.array(cut(number, dtype), dtype))


def pow(input, exponent):
    """`input ** exponent`; either may be a number."""
    input, exponent = plain_number(input), plain_number(exponent)
    if not isinstance(exponent, (TensorBase, int, float)):
        raise TypeError(
            "pow() received an invalid combination of arguments: the exponent must be Number or"
            f" Tensor, not {type(exponent).__name__}"
        )
    if not isinstance(exponent, TensorBase):
        return e.pow_scalar(_beside(input, exponent), exponent)
    if isinstance(input, (int, float)):
        return e.pow_of_scalar(input, _beside(exponent, input))
    return e.pow(input, exponent)


def square(input):
    """`input ** 2`."""
    check_tensors("square", input=input)
    return e.pow_scalar(_beside(input, 2), 2)


def clamp(input, min=None, max=None):
    """`input`, with everything outside [min, max] moved to the bound: two numbers, or two tensors;
    one may be None.
    """
    of_tensors = isinstance(min, TensorBase) or isinstance(max, TensorBase)
    for bound in (min, max):
        if bound is not None and not isinstance(
            bound, TensorBase if of_tensors else (int, float, np.number)
        ):
            raise TypeError(
                "clamp(): the bounds must be both Numbers or both Tensors, not"
                f" {type(bound).__name__}"
            )
    min, max = plain_number(min), plain_number(max)
    if of_tensors:
        return e.clamp_to_tensors(input, min, max)
    input = _beside(input, min, max)
    check_fits(input, min, max)
    return e.clamp(input, min, max)


clip = clamp


def remainder(input, other):
    """`input % other`: what is left after division, with the sign of `other`. Of a number `input`
    without derivative.
    """
    input, other = plain_number(input), plain_number(other)
    if isinstance(input, (int, float)) and isinstance(other, TensorBase):
        return rounding.without_derivative(
            "remainder", rounding.remainder_of_tensor, _as_tensor(input, other), other
        )
    check_tensors("remainder", input=input)
    if isinstance(other, TensorBase):
        return rounding.remainder_of_tensor(input, other)
    check(
        isinstance(other, (int, float)),
        "remainder(): argument 'other' (position 2) must be Tensor or Number, not {}",
        type(other).__name__,
        error=TypeError,
    )
    return rounding.remainder_of_number(_beside(input, other), other)


def _of_bits(operation):
    """`operation` on the bits of two, of which either may be a number."""

    @functools.wraps(operation)
    def bits(input, other):
        number = isinstance(input, (int, float)) and isinstance(other, TensorBase)
        return operation(_as_tensor(input, other) if number else input, other)

    bits.__module__ = __name__
    return bits


bitwise_and, bitwise_or, bitwise_xor, bitwise_left_shift, bitwise_right_shift = map(
    _of_bits,
    (
        comparison.bitwise_and,
        comparison.bitwise_or,
        comparison.bitwise_xor,
        comparison.bitwise_left_shift,
        comparison.bitwise_right_shift,
    ),
)


def positive(input):
    """`+input`: the tensor itself. Raises RuntimeError for booleans."""
    check_tensors("positive", input=input)
    check(input._array.dtype.kind != "b", "The `+` operator, on a bool tensor is not supported.")
    return input


def div(input, other, *, rounding_mode=None):
    """`input / other`; with `rounding_mode` "floor" or "trunc" rounded."""
    return (
        e.div(input, other)
        if rounding_mode is None
        else rounding.rounded_div(input, other, rounding_mode)
    )


def floor_divide(input, other):
    """`input // other`; either may be a number. As in PyTorch it has no derivative: a backward pass
    that meets it raises.
    """
    input, other = plain_number(input), plain_number(other)
    if not isinstance(input, (int, float)) or not isinstance(other, TensorBase):
        check_tensors("floor_divide", input=input)

    def compute(input, other):
        return rounding.rounded_div(
            input if isinstance(input, TensorBase) else _as_tensor(input, other), other, "floor"
        )

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
    """`input` where `condition` is true, else `other`; either may be a number. Without both, the
    places of what is true.
    """
    check_tensors("where", condition=condition)
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    check(
        input is not None and other is not None,
        "where() received an invalid combination of arguments: give input and other, or neither",
        error=TypeError,
    )
    for number, beside in (input, other), (other, input):
        if not isinstance(number, TensorBase) and isinstance(beside, TensorBase):
            number = plain_number(number)
            check(
                isinstance(number, (int, float)),
                "where(): argument 'other' must be Number, not {}",
                type(number).__name__,
                error=TypeError,
            )
            # which refuses what is beyond the type
            stored(number, result_type(beside._array, number))
    if not isinstance(input, TensorBase) and not isinstance(other, TensorBase):
        check(
            isinstance(input, (int, float, np.generic)),
            "where() received an invalid combination of arguments: {} is no number",
            input,
            error=TypeError,
        )
        input = plain_number(input)
        input = wrap(np.array(stored(input, result_type(input))))
    return e.where(condition, input, other)


def lerp(input, end, weight):
    """`input + weight * (end - input)`; the weight is a number or a tensor. Raises RuntimeError for
    mixed types.
    """
    check_tensors("lerp", input=input, end=end)
    for name, x in (("end", end), ("weight", weight)):
        if isinstance(x, TensorBase) and x.dtype is not input.dtype:
            raise RuntimeError(
                f"expected dtype {input.dtype.name} for `{name}` but got dtype {x.dtype.name}"
            )
    return (e.lerp_by_tensor if isinstance(weight, TensorBase) else e.lerp_by_number)(
        input, end, plain_number(weight)
    )


# ---- reductions ----------------------------------------------------------------------------------


@named_as_numpy
def sum(input, dim=None, keepdim=False, *, dtype=None):
    """The sum of all elements, or the sums along `dim` (one or several). Integers add up as int64."""
    dtype = dtypes.to_numpy(dtype)
    return (
        reduction.sum(input, dtype)
        if dim is None and not keepdim
        else reduction.sum_dim(input, dim, keepdim, dtype)
    )


@named_as_numpy
def mean(input, dim=None, keepdim=False, *, dtype=None):
    """The mean of all elements, or the means along `dim`. Raises RuntimeError for integers."""
    dtype = dtypes.to_numpy(dtype)
    return (
        reduction.mean(input, dtype)
        if dim is None and not keepdim
        else reduction.mean_dim(input, dim, keepdim, dtype)
    )


@named_as_numpy
def max(input, dim=None, keepdim=False, *, other=None):
    """The greatest element; or with `dim` a pair (values, indices); or the greater of each pair of
    two tensors.
    """
    return _extreme(
        input,
        dim if other is None else other,
        keepdim,
        e.maximum,
        reduction.max_all,
        sorting.max_dim,
    )


@named_as_numpy
def min(input, dim=None, keepdim=False, *, other=None):
    """The smallest element; or with `dim` a pair (values, indices); or the smaller of each pair of
    two tensors.
    """
    return _extreme(
        input,
        dim if other is None else other,
        keepdim,
        e.minimum,
        reduction.min_all,
        sorting.min_dim,
    )


def _extreme(input, dim, keepdim, of_pairs, of_all, along):
    check_tensors(of_pairs.__name__[:3], input=input)
    if isinstance(dim, TensorBase):
        return of_pairs(input, dim)
    check(
        dim is not None or not keepdim,
        "max() received an invalid combination of arguments: keepdim needs a dim",
        error=TypeError,
    )
    return of_all(input) if dim is None else sorting.pair(along, input, dim, keepdim)


@named_as_numpy
def prod(input, dim=None, keepdim=False, *, dtype=None):
    """The product of all elements, or the products along `dim`. Integers multiply as int64."""
    dtype = dtypes.to_numpy(dtype)
    return (
        statistics.prod_all(input, dtype)
        if dim is None
        else statistics.prod_dim(input, dimension(dim), keepdim, dtype)
    )


@named_as_numpy
def cumsum(input, dim, *, dtype=None):
    """The running sums along `dim`. Integers add up as int64."""
    check_tensors("cumsum", input=input)
    if dtype is None:
        dtype = input.dtype if input.is_floating_point() else dtypes.int64
    return statistics.cumsum(input, dim, dtypes.to_numpy(dtype))


def _deviation(form):
    def deviation(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
        if isinstance(dim, bool) and unbiased is True:
            dim, unbiased = None, dim
        check_flags(form.__name__, unbiased=unbiased)
        correction = plain_number(correction)
        return form(input, dim, int(unbiased) if correction is None else correction, keepdim)

    deviation.__name__ = deviation.__qualname__ = form.__name__
    deviation.__doc__ = (
        f"{form.__doc__} By default `correction` is 1; `unbiased=False` is another word for 0."
    )
    return deviation


var, std = (named_as_numpy(_deviation(form)) for form in (statistics.var, statistics.std))
amax, amin, argmax, argmin, all, any = map(
    named_as_numpy,
    (
        reduction.amax,
        reduction.amin,
        reduction.argmax,
        reduction.argmin,
        reduction.all,
        reduction.any,
    ),
)
logsumexp, cat, stack = map(named_as_numpy, (statistics.logsumexp, shape.cat, shape.stack))


def norm(input, p="fro", dim=None, keepdim=False):
    """`(sum of |input| ** p) ** (1 / p)`, of all elements or along `dim`. "fro" is 2; inf may be p.
    0 counts.
    """
    check_tensors("norm", input=input)
    check_flags("norm", keepdim=keepdim)
    p = 2 if p in ("fro", None) else plain_number(p)
    check(
        p != "nuc",
        "autograd_core has no nuclear norm: it needs singular values",
        error=NotImplementedError,
    )
    check(isinstance(p, (int, float)), "linalg.matrix_norm: Order {} not supported.", p)
    return statistics.vector_norm(input, p, dim, keepdim)


@named_as_numpy
def softmax(input, dim, dtype=None):
    """Positive numbers that add up to 1 along `dim`."""
    return reduction.softmax(input if dtype is None else to(input, dtype=dtype), dim)


@named_as_numpy
def log_softmax(input, dim, dtype=None):
    """The logarithm of `softmax`."""
    return reduction.log_softmax(input if dtype is None else to(input, dtype=dtype), dim)


def sort(input, dim=-1, descending=False, *, stable=None):
    """A pair: the elements along `dim` in order, and the place of each. Equal ones stay as they
    stand in any case.
    """
    check_flags("sort", descending=descending, stable=stable is not None and stable)
    return sorting.pair(
        sorting.sort_dim if stable is None else sorting.sort_stable, input, dim, descending
    )


def argsort(input, dim=-1, descending=False, stable=False):
    """The places along `dim` of the elements in order."""
    check_flags("argsort", stable=stable)
    return sort(input, dim, descending).indices


def topk(input, k, dim=-1, largest=True, sorted=True):
    """A pair: the `k` greatest (or smallest) along `dim`, and their places. They come in order in
    any case.
    """
    check_flags("topk", largest=largest, sorted=sorted)
    check(
        not isinstance(k, bool),
        "topk(): argument 'k' (position 2) must be int, not bool",
        error=TypeError,
    )
    check_tensors("topk", input=input)
    check(input._array.dtype.kind != "b", "topk does not support bool dtypes on CPU")
    return sorting.pair(sorting.topk_dim, input, k, dim, largest)


# ---- types ---------------------------------------------------------------------------------------


def to(input, *args, dtype=None, device=None, non_blocking=False, copy=False):
    """The tensor in another type: `x.to(float64)`. On the device "cpu", where everything is,
    nothing happens.
    """
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
    return shape.to_type(
        input if dtype.is_floating_point else input.detach(), dtypes.to_numpy(dtype)
    )


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
    """Whether all elements agree: `|input - other| <= atol + rtol * |other|`. Raises RuntimeError
    for two types.
    """
    check_tensors("allclose", input=input, other=other)
    check_flags("allclose", equal_nan=equal_nan)
    for name, value in ("rtol", rtol), ("atol", atol):
        check(
            isinstance(value, (int, float)),
            "allclose(): argument '{}' must be float, not {}",
            name,
            type(value).__name__,
            error=TypeError,
        )
        check(value >= 0, "{} must be greater than or equal to zero, but got {}", name, value)
    check(input.dtype is other.dtype, "{} did not match {}", input.dtype.short, other.dtype.short)
    comparison.eq(input, other)  # refuses shapes that do not fit
    return bool(np.allclose(input._array, other._array, rtol, atol, equal_nan))


def equal(input, other):
    """Whether shape and all elements are the same."""
    check_tensors("equal", input=input, other=other)
    return bool(np.array_equal(input._array, other._array))

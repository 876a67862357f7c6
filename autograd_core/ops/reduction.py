"""Reductions: sums, means, extremes, products, standard deviations, norms; also cumulative sums and
softmax.

`dim` is one dimension or several. Negative dimensions count from the end. If `keepdim`, reduced
dimensions stay with size 1."""

import functools
import math
from operator import index

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..core.graph import check
from ..core.operation import formula, operation, plain_number
from ..core.public import public


def normal_dims(dim, ndim):
    """`dim` (one or several; None or empty means all) as a tuple of numbers >= 0. Raises AxisError,
    an IndexError, if a dimension is out of range.
    """
    several = isinstance(dim, (tuple, list))
    dims = range(ndim) if dim is None or several and not dim else dim
    dims = normalize_axis_tuple(dims, max(ndim, 1))
    return dims if ndim else ()


def restore(ops, g, shape, dim, keepdim):
    """Broadcast the gradient of a reduction along `dim` to the input's `shape`."""
    if not keepdim and shape:
        reduced = normal_dims(dim, len(shape))
        g = ops.reshape(g, tuple(1 if i in reduced else n for i, n in enumerate(shape)))
    return ops.expand(g, shape)


def count_along(shape, dim):
    return math.prod(shape[d] for d in normal_dims(dim, len(shape)))


def _along(reduce, array, dim):
    """Reduce `array` along `dim` by `np.maximum` or `np.add`, and keep the dimension. If the last
    dimension is short (2 to 7), it combines its slices, because NumPy reduces short rows one by one,
    which is up to 40 times slower.
    """
    if not array.size:
        (along,) = normal_dims((dim,), array.ndim)
        return np.zeros([1 if d == along else n for d, n in enumerate(array.shape)], array.dtype)
    if array.ndim < 2 or dim not in (-1, array.ndim - 1) or not 1 < array.shape[dim] < 8:
        return reduce.reduce(array, axis=dim, keepdims=True)
    first, *others = np.moveaxis(array, dim, 0)
    return functools.reduce(reduce, others, first)[..., None]


def _sum(array, dims, keepdim, dtype):
    """The sum in PyTorch's type: the sum of integers or booleans is int64."""
    if dtype is None and array.dtype.kind == "f" and array.ndim > 1 and dims == (array.ndim - 1,):
        total = _along(np.add, array, -1)
        return total if keepdim else total[..., 0]
    dtype = dtype or (None if array.dtype.kind == "f" else np.int64)
    return np.sum(array, axis=dims, keepdims=keepdim, dtype=dtype)


@operation(name="sum", input=lambda ops, g, input_shape: ops.expand(g, input_shape), sign="Σ")
def sum_all(input, dtype=None):
    """The sum of all elements. The sum of integers or booleans is int64."""
    return _sum(input, None, False, dtype)


@operation(
    node="SumBackward1",
    input=lambda ops, g, input_shape, dim, keepdim: restore(ops, g, input_shape, dim, keepdim),
    sign="Σ",
)
def sum_dim(input, dim, keepdim=False, dtype=None):
    """The sums along `dim` (one or several). The sum of integers or booleans is int64."""
    return _sum(input, normal_dims(dim, input.ndim), keepdim, dtype)


@public("T", "Tensor", example="T.sum(a, 1)", a=(2, 3))
def sum(input, dim=None, keepdim=False, *, dtype=None):
    """The sum of all elements, or along `dim` (one or several). The sum of integers is int64."""
    dtype = dtype and dtype.numpy
    if dim is None and not keepdim:
        return sum_all(input, dtype)
    return sum_dim(input, dim, keepdim, dtype)


def _check_mean(array):
    check(array.dtype.kind == "f", "mean() needs a floating point type, not {}", array.dtype)


@operation(
    name="mean",
    input=lambda ops, g, input_shape: ops.expand(g, input_shape) / count_along(input_shape, None),
    sign="x̄",
)
def mean_all(input):
    """The mean of all elements. Raises RuntimeError for integers."""
    _check_mean(input)
    return np.sum(input) / input.dtype.type(input.size)


@operation(
    node="MeanBackward1",
    input=lambda ops, g, input_shape, dim, keepdim: (
        restore(ops, g, input_shape, dim, keepdim) / count_along(input_shape, dim)
    ),
    sign="x̄",
)
def mean_dim(input, dim, keepdim=False):
    """The means along `dim` (one or several). Raises RuntimeError for integers."""
    _check_mean(input)
    count = input.dtype.type(count_along(input.shape, dim))
    return _sum(input, normal_dims(dim, input.ndim), keepdim, None) / count


@public("T", "Tensor", example="T.mean(a, 0)", a=(2, 3))
def mean(input, dim=None, keepdim=False):
    """The mean of all elements, or the means along `dim`. Raises RuntimeError for integers."""
    return mean_all(input) if dim is None and not keepdim else mean_dim(input, dim, keepdim)


@formula("g * (input == result) / count(input == result)")
def _share_of_extreme(ops, g, input, result):
    """The gradient, split evenly among all elements that equal the extreme."""
    chosen = (input == result) | (ops.isnan(input) & ops.isnan(result))
    return ops.masked(ops.expand(g / ops.sum_all(chosen), input.shape), chosen)


@operation(node="MaxBackward1", input=_share_of_extreme, sign="max")
def max_all(input):
    """The greatest element. Equal ones share the gradient."""
    return np.max(input)


@operation(node="MinBackward1", input=_share_of_extreme, sign="min")
def min_all(input):
    """The smallest element. Equal ones share the gradient."""
    return np.min(input)


@public("T", "Tensor", example="T.argmax(a, 1)", a=(2, 3))
@operation()
def argmax(input, dim=None, keepdim=False):
    """The index (int64) of the greatest element (the first of equals), along `dim` or flattened."""
    return np.argmax(input, axis=dim, keepdims=keepdim)


@public("T", "Tensor", example="T.argmin(a, 1)", a=(2, 3))
@operation()
def argmin(input, dim=None, keepdim=False):
    """The index of the smallest element, like `argmax`."""
    return np.argmin(input, axis=dim, keepdims=keepdim)


def _truth(find, input, dim, keepdim):
    """`all` or `any` of an array. `dim` () reduces no dimension. The result of uint8 is uint8."""
    dims = () if dim in ((), []) else normal_dims(dim, input.ndim)
    found = find(input, axis=dims, keepdims=keepdim)
    return found.astype(np.uint8) if input.dtype == np.uint8 else found


@public("T", "Tensor", example="T.all(a > 0)", a=(2, 3))
@operation()
def all(input, dim=None, keepdim=False):
    """Whether all elements are true, of the whole tensor or along `dim`. bool, or uint8 for uint8."""
    return _truth(np.all, input, dim, keepdim)


@public("T", "Tensor", example="T.any(a > 0)", a=(2, 3))
@operation()
def any(input, dim=None, keepdim=False):
    """Whether any element is true, of the whole tensor or along `dim`. bool, or uint8 for uint8."""
    return _truth(np.any, input, dim, keepdim)


@formula("g * (input == result) / count(input == result)")
def _share_along(ops, g, input, result, dim, keepdim):
    """The gradient, split evenly among all elements along `dim` that equal the extreme."""
    g, extreme = (restore(ops, x, input.shape, dim, keepdim) for x in (g, result))
    chosen = input == extreme
    return g * chosen / ops.sum_dim(chosen, dim, True)


@public("T", "Tensor", example="T.amax(a, 1)", a=(2, 3))
@operation(input=_share_along)
def amax(input, dim=(), keepdim=False):
    """The maximum along `dim` (one or several, () for all). Equal elements share the gradient."""
    return np.max(input, axis=normal_dims(dim, input.ndim), keepdims=keepdim)


# ---- products ------------------------------------------------------------------------------------


@formula("g * result / input")
def _of_all_others(ops, g, input, result, dim, keepdim):
    """The product of all other elements, times `g`. It doesn't divide if an element is 0."""
    g = restore(ops, g, input.shape, dim, keepdim)
    if not input.ndim:
        return g
    if (input != 0).all():
        return g * restore(ops, result, input.shape, dim, keepdim) / input
    dim, size = dim % input.ndim, input.shape[dim]
    left_out = np.eye(size, dtype=bool).reshape(size, size, *[1] * (input.ndim - dim - 1))
    return g * ops.prod_dim(ops.where_tensor(left_out, 1.0, ops.unsqueeze(input, dim)), dim + 1)


def _product(input, dim, keepdim):
    dtype = None if input.dtype.kind == "f" else np.int64
    return np.prod(input, axis=normal_dims(dim, input.ndim), keepdims=keepdim, dtype=dtype)


@operation(
    node="ProdBackward0",
    input=lambda ops, g, input, result: ops.reshape(
        _of_all_others(ops, g, ops.reshape(input, (-1,)), result, 0, False), input.shape
    ),
)
def prod_all(input):
    """The product of all elements."""
    return _product(input, None, False)


@operation(node="ProdBackward1", input=_of_all_others)
def prod_dim(input, dim, keepdim=False):
    """The products along `dim`."""
    return _product(input, dim, keepdim)


@public("T", "Tensor", example="T.prod(a)", a=(2, 3))
def prod(input, dim=None, keepdim=False):
    """The product of all elements, or along `dim`. The product of integers is int64."""
    return prod_all(input) if dim is None else prod_dim(input, dim, keepdim)


# ---- variances and norms -------------------------------------------------------------------------


@formula("g * 2 * (input - mean(input)) / (n - correction)")
def _variance_slope(ops, g, input, dim, correction, keepdim):
    freedom = count_along(input.shape, dim) - correction
    g = restore(ops, g, input.shape, dim, keepdim)
    return g * float(np.divide(2, freedom)) * (input - ops.mean_dim(input, dim, True))


@operation(name="var", input=_variance_slope)
def var_dim(input, dim, correction, keepdim):
    """The sum of the squared distances from the mean of n elements, divided by n - `correction`."""
    dims = normal_dims(dim, input.ndim)
    centred = input - np.mean(input, axis=dims, keepdims=True)
    freedom = max(0, count_along(input.shape, dim) - correction)
    return np.sum(centred * centred, axis=dims, keepdims=keepdim) / input.dtype.type(freedom)


@operation(
    name="std",
    input=lambda ops, g, input, result, dim, correction, keepdim: _variance_slope(
        ops, ops.masked(g / (result * 2), result != 0), input, dim, correction, keepdim
    ),
)
def std_dim(input, dim, correction, keepdim):
    """The square root of `var_dim`. Its slope is 0 if the result is 0."""
    return np.sqrt(var_dim.forward(input, dim, correction, keepdim))


@public("T", "Tensor", example="T.var(a, 1)", a=(2, 3))
def var(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    """The variance of all elements or along `dim`: the sum of the squared distances from the mean,
    divided by the count minus `correction`, by default 1 (0 if not `unbiased`).
    """
    return _deviation(var_dim, input, dim, unbiased, keepdim, correction)


@public("T", "Tensor", example="T.std(a, 1)", a=(2, 3))
def std(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    """The square root of `var`."""
    return _deviation(std_dim, input, dim, unbiased, keepdim, correction)


def _deviation(form, input, dim, unbiased, keepdim, correction):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return form(input, dim, int(unbiased) if correction is None else correction, keepdim)


@formula(
    "g * input / result",
    p={
        1: "g * sign(input)",
        np.inf: "g * sign(input) * (abs(input) == result) / count(abs(input) == result)",
    },
)
def _length_slope(ops, g, input, result, p, dim, keepdim):
    g, result = (restore(ops, x, input.shape, dim, keepdim) for x in (g, result))
    if p == np.inf:
        chosen = ops.abs(input) == result
        return ops.sign(input) * (g * chosen / ops.sum_dim(chosen, dim, True))
    return g * (ops.sign(input) if p == 1 else ops.masked(input / result, result != 0))


@operation(node="LinalgVectorNormBackward0", input=_length_slope)
def vector_norm(input, p, dim, keepdim=True):
    """`(sum of |input| ** p) ** (1 / p)` along `dim`, for p = 1, 2 or inf. Its slope at 0 is 0."""
    if p not in (1, 2, np.inf):
        raise NotImplementedError(f"autograd_core has norms with p = 1, 2 or inf, not {p}")
    dims, size = normal_dims(dim, input.ndim), np.abs(input)
    if p == np.inf:
        return np.max(size, axis=dims, keepdims=keepdim)
    return np.sum(size**p, axis=dims, keepdims=keepdim) ** (1 / p)


@public("T", "Tensor", example="T.norm(a)", a=(2, 3))
def norm(input, p="fro", dim=None, keepdim=False):
    """`(sum of |input| ** p) ** (1 / p)` of all elements or along `dim`. p is 1, 2 ("fro") or inf."""
    return vector_norm(input, 2 if p in ("fro", None) else plain_number(p), dim, keepdim)


@public("T", "Tensor", example="T.logsumexp(a, 1)", a=(2, 3))
@operation(
    input=lambda ops, g, input, result, dim, keepdim: (
        restore(ops, g, input.shape, dim, keepdim)
        * ops.exp(input - restore(ops, result, input.shape, dim, keepdim))
    ),
    promotes="float",
)
def logsumexp(input, dim, keepdim=False):
    """`log(sum(exp(input)))` along `dim` (one or several), computed without overflow. Integers are
    converted to floating point.
    """
    dims = normal_dims(dim, input.ndim)
    top = np.max(input, axis=dims, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.sum(np.exp(input - top), axis=dims, keepdims=True)) + top
    return total if keepdim else total.squeeze(dims)


# ---- cumulative sum and softmax ------------------------------------------------------------------


@public("T", "Tensor", example="T.cumsum(a, 1)", a=(2, 3))
@operation(
    input=lambda ops, g, dim: ops.flip_dims(ops.cumsum(ops.flip_dims(g, (dim,)), dim), (dim,))
)
def cumsum(input, dim):
    """The cumulative sums along `dim`. The sums of integers are int64."""
    dtype = None if input.dtype.kind == "f" else np.int64
    total = np.cumsum(np.asarray(input, order="C"), axis=index(dim), dtype=dtype)
    return total.reshape(input.shape)


def _exponents(input, dim):
    """`input` minus its maximum along `dim`, so that `exp` doesn't overflow."""
    input = np.asarray(input, order="C")
    return input - _along(np.maximum, input, index(dim))


@public("T", "Tensor", "F", example="T.softmax(a, 0)", a=())
@operation(
    input=lambda ops, g, result, dim: (g - ops.sum_dim(g * result, (dim,), True)) * result,
    sign="sm",
    promotes="float",
)
def softmax(input, dim):
    """`exp(input)` divided by its sum along `dim`: positive numbers with the sum 1."""
    weights = np.exp(_exponents(input, dim))
    return weights / _along(np.add, weights, dim)


@public("T", "Tensor", "F", example="T.log_softmax(a, 0)", a=(2, 3))
@operation(
    input=lambda ops, g, result, dim: g - ops.exp(result) * ops.sum_dim(g, (dim,), True),
    sign="lsm",
    promotes="float",
)
def log_softmax(input, dim):
    """The logarithm of `softmax`, computed without overflow."""
    shifted = _exponents(input, dim)
    return shifted - np.log(_along(np.add, np.exp(shifted), dim))

"""Operations that make fewer numbers of many: sums, means, extremes, products, deviations, lengths;
and running sums and softmax, which sum on the way.

`dim` is one dimension or several, negative ones counted from the end; `keepdim` leaves a 1 in their
place."""

import functools
from math import prod

import numpy as np

from ..core.checks import dimension, dimension_error
from ..core.graph import check
from ..core.operation import formula, operation
from ..core.public import public
from .elementwise import refuse


def normal_dims(dim, ndim):
    """`dim` (one or several; None or empty: all) as a tuple of numbers from 0. IndexError outside."""
    dims = tuple(dim or range(ndim)) if dim is None or isinstance(dim, (tuple, list)) else (dim,)
    size = max(ndim, 1)
    for d in dims:
        if not -size <= dimension(d) < size:
            raise dimension_error(d, ndim)
    dims = tuple(d % size for d in dims)
    check(len(set(dims)) == len(dims), "dim {} appears multiple times in the list of dims", dims)
    return dims if ndim else ()


def restore(ops, g, shape, dim, keepdim):
    """A reduced gradient with its dimensions of size 1 back in place, stretched to `shape`."""
    if not keepdim and shape:
        reduced = normal_dims(dim, len(shape))
        g = ops.reshape(g, tuple(1 if i in reduced else n for i, n in enumerate(shape)))
    return ops.expand(g, shape)


def count_along(shape, dim):
    return prod(shape[d] for d in normal_dims(dim, len(shape)))


def _along(reduce, array, dim):
    """`reduce(array, dim)`, its dimension kept, for `np.maximum` or `np.add`. Few classes in the last
    dimension are taken class by class: NumPy goes through such short rows one by one, which takes
    up to 40 times longer.
    """
    if not array.size:
        (along,) = normal_dims((dim,), array.ndim)
        return np.zeros([1 if d == along else n for d, n in enumerate(array.shape)], array.dtype)
    if array.ndim < 2 or dim not in (-1, array.ndim - 1) or not 1 < array.shape[dim] < 8:
        return reduce.reduce(array, axis=dim, keepdims=True)
    first, *others = np.moveaxis(array, dim, 0)
    return functools.reduce(reduce, others, first)[..., None]


def _sum(array, dims, keepdim, dtype):
    """NumPy's sum in the type that PyTorch gives: integers and booleans add up as int64."""
    if dtype is None and array.dtype.kind == "f" and array.ndim > 1 and dims == (array.ndim - 1,):
        total = _along(np.add, array, -1)
        return total if keepdim else total[..., 0]
    dtype = dtype or (None if array.dtype.kind == "f" else np.int64)
    return np.sum(array, axis=dims, keepdims=keepdim, dtype=dtype)


@operation(
    node="SumBackward0", input=lambda ops, g, input_shape: ops.expand(g, input_shape), sign="Σ"
)
def sum(input, dtype=None):
    """The sum of all elements; integers and booleans add up as int64."""
    return _sum(input, None, False, dtype)


@operation(
    node="SumBackward1",
    input=lambda ops, g, input_shape, dim, keepdim: restore(ops, g, input_shape, dim, keepdim),
    sign="Σ",
)
def sum_dim(input, dim, keepdim=False, dtype=None):
    """The sums along `dim`, one or several; integers and booleans add up as int64."""
    return _sum(input, normal_dims(dim, input.ndim), keepdim, dtype)


def _mean_type(array, dtype):
    """The type of a mean: `dtype`, or else that of `array`, which must then be floating point."""
    dtype = dtype or array.dtype
    words = "mean(): could not infer output dtype. Input dtype must be either a floating point or"
    check(dtype.kind == "f", words + " complex dtype. Got: {}", dtype)
    return dtype


@operation(
    node="MeanBackward0",
    input=lambda ops, g, input_shape: ops.expand(g, input_shape) / count_along(input_shape, None),
    sign="x̄",
)
def mean(input, dtype=None):
    """The mean of all elements. Raises RuntimeError for integers without a floating `dtype`."""
    dtype = _mean_type(input, dtype)
    return np.sum(input, dtype=dtype) / dtype.type(input.size)


@operation(
    node="MeanBackward1",
    input=lambda ops, g, input_shape, dim, keepdim: (
        restore(ops, g, input_shape, dim, keepdim) / count_along(input_shape, dim)
    ),
    sign="x̄",
)
def mean_dim(input, dim, keepdim=False, dtype=None):
    """The means along `dim`, one or several. Raises RuntimeError as `mean` does."""
    dtype = _mean_type(input, dtype)
    count = dtype.type(count_along(input.shape, dim))
    return _sum(input, normal_dims(dim, input.ndim), keepdim, dtype) / count


def check_not_empty(name, input, dim=None):
    """Raises IndexError, or RuntimeError for an extreme of all, where there is no element."""
    if input.size:
        return
    if dim in (None, ()):
        error = IndexError if name.startswith("arg") else RuntimeError
        raise error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
    if 0 in [input.shape[d] for d in normal_dims(dim, input.ndim)]:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


@formula("g * (input == result) / count(input == result)")
def _share_of_extreme(ops, g, input, result):
    """The gradient, split evenly among all elements that equal the extreme."""
    chosen = (input == result) | (ops.isnan(input) & ops.isnan(result))
    return ops.masked(ops.expand(g / ops.sum(chosen), input.shape), chosen)


@operation(node="MaxBackward1", input=_share_of_extreme, sign="max")
def max_all(input):
    """The greatest of all elements. Equal ones share the gradient."""
    check_not_empty("max", input)
    return np.max(input)


@operation(node="MinBackward1", input=_share_of_extreme, sign="min")
def min_all(input):
    """The smallest of all elements. Equal ones share the gradient."""
    check_not_empty("min", input)
    return np.min(input)


@operation()
def argmax(input, dim=None, keepdim=False):
    """Where the greatest element is, the first of equal ones: its place along `dim`, or in the
    flattened tensor, int64. Raises IndexError where there is no element.
    """
    check_not_empty("argmax", input, dim)
    check(input.dtype.kind != "b", "argmax(): does not support bool input")
    return np.argmax(input, axis=dim, keepdims=keepdim)


@operation()
def argmin(input, dim=None, keepdim=False):
    """Where the smallest element is, as `argmax`. Raises IndexError where there is none."""
    check_not_empty("argmin", input, dim)
    check(input.dtype.kind != "b", "argmin(): does not support bool input")
    return np.argmin(input, axis=dim, keepdims=keepdim)


def _truth(find, input, dim, keepdim):
    """`all` or `any` of an array; with () along no dimension. Of bytes it is a byte."""
    dims = () if dim == () else normal_dims(dim, input.ndim)
    found = find(input, axis=dims, keepdims=keepdim)
    return found.astype(np.uint8) if input.dtype == np.uint8 else found


@operation()
def all(input, dim=None, keepdim=False):
    """Whether every element is true, of the whole tensor or along `dim`: bool, of bytes uint8."""
    return _truth(np.all, input, dim, keepdim)


@operation()
def any(input, dim=None, keepdim=False):
    """Whether some element is true, in the whole tensor or along `dim`: bool, of bytes uint8."""
    return _truth(np.any, input, dim, keepdim)


@public("T", "Tensor", example="T.count_nonzero(c)", c=[[0, 1], [1, 1]])
@operation()
def count_nonzero(input, dim=None):
    """How many elements are not 0, in the whole tensor or along `dim`, one or several; int64."""
    return np.sum(input != 0, axis=normal_dims(dim, input.ndim), dtype=np.int64)


@formula("g * (input == result) / count(input == result)")
def _share_along(ops, g, input, result, dim, keepdim):
    """The gradient, split evenly among those elements along `dim` that equal the extreme."""
    g, extreme = (restore(ops, x, input.shape, dim, keepdim) for x in (g, result))
    chosen = input == extreme
    return g * chosen / ops.sum_dim(chosen, dim, True)


@operation(input=_share_along)
def amax(input, dim=(), keepdim=False):
    """The greatest along `dim`, one or several; () means all. Equal ones share the gradient. Raises
    IndexError, of all RuntimeError, where there is no element.
    """
    check_not_empty("amax", input, dim)
    return np.max(input, axis=normal_dims(dim, input.ndim), keepdims=keepdim)


@operation(input=_share_along)
def amin(input, dim=(), keepdim=False):
    """The smallest along `dim`, one or several; shared and refused as in `amax`."""
    check_not_empty("amin", input, dim)
    return np.min(input, axis=normal_dims(dim, input.ndim), keepdims=keepdim)


# ---- products ------------------------------------------------------------------------------------


@formula("g * result / input")
def _of_all_others(ops, g, input, result, dim, keepdim):
    """The product of all others, times what arrived; without dividing where there are zeros."""
    g = restore(ops, g, input.shape, dim, keepdim)
    if not input.ndim:
        return g
    if (input != 0).all():
        return g * restore(ops, result, input.shape, dim, keepdim) / input
    dim, size = dim % input.ndim, input.shape[dim]
    left_out = np.eye(size, dtype=bool).reshape(size, size, *[1] * (input.ndim - dim - 1))
    return g * ops.prod_dim(ops.where(left_out, 1.0, ops.unsqueeze(input, dim)), dim + 1)


def _product(input, dim, keepdim, dtype):
    dtype = dtype or (None if input.dtype.kind == "f" else np.int64)
    return np.prod(input, axis=normal_dims(dim, input.ndim), keepdims=keepdim, dtype=dtype)


@operation(
    node="ProdBackward0",
    input=lambda ops, g, input, result: ops.reshape(
        _of_all_others(ops, g, ops.reshape(input, (-1,)), result, 0, False), input.shape
    ),
)
def prod_all(input, dtype=None):
    """The product of all elements."""
    return _product(input, None, False, dtype)


@operation(node="ProdBackward1", input=_of_all_others)
def prod_dim(input, dim, keepdim=False, dtype=None):
    """The products along `dim`."""
    return _product(input, dim, keepdim, dtype)


# ---- deviations and lengths ----------------------------------------------------------------------


@formula("g * 2 * (input - mean(input)) / (n - correction)")
def _variance_slope(ops, g, input, dim, correction, keepdim):
    freedom = count_along(input.shape, dim) - correction
    g = restore(ops, g, input.shape, dim, keepdim)
    return g * float(np.divide(2, freedom)) * (input - ops.mean_dim(input, dim, True))


@operation(input=_variance_slope)
def var(input, dim, correction, keepdim):
    """The mean of the squared distances from the mean, of n elements, but by n - `correction`."""
    check(input.dtype.kind == "f", "std and var only support floating point and complex dtypes")
    dims = normal_dims(dim, input.ndim)
    centred = input - np.mean(input, axis=dims, keepdims=True)
    freedom = max(0, count_along(input.shape, dim) - correction)
    return np.sum(centred * centred, axis=dims, keepdims=keepdim) / input.dtype.type(freedom)


@operation(
    input=lambda ops, g, input, result, dim, correction, keepdim: _variance_slope(
        ops, ops.masked(g / (result * 2), result != 0), input, dim, correction, keepdim
    )
)
def std(input, dim, correction, keepdim):
    """The square root of `var`. Where it is 0 the slope is 0."""
    return np.sqrt(var.forward(input, dim, correction, keepdim))


@formula(
    "g * sign(input) * (abs(input) / result) ** (p - 1)",
    p={np.inf: "g * sign(input) * (abs(input) == result) / count(abs(input) == result)"},
)
def _length_slope(ops, g, input, result, p, dim, keepdim):
    g, result = (restore(ops, x, input.shape, dim, keepdim) for x in (g, result))
    if p == np.inf:
        chosen = ops.abs(input) == result
        return ops.sign(input) * (g * chosen / ops.sum_dim(chosen, dim, True))
    if p == 2:
        return g * ops.masked(input / result, result != 0)
    g = g * result ** (1 - p) if p <= 1 else ops.masked(g / result ** (p - 1), result != 0)
    if p > 2:
        return input * ops.abs(input) ** (p - 2) * g
    return ops.masked(ops.sign(input) * ops.abs(input) ** (p - 1), input != 0) * g


@operation(node="LinalgVectorNormBackward0", input=_length_slope)
def vector_norm(input, p, dim, keepdim=True):
    """`(sum of |input| ** p) ** (1 / p)` along `dim`; inf may be p. At 0 its slope is 0."""
    words = "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}"
    check(input.dtype.kind == "f", words, input.dtype)
    if p <= 0:
        raise NotImplementedError(f"autograd_core has norms of p above 0, not of {p}")
    dims, size = normal_dims(dim, input.ndim), np.abs(input)
    if p == np.inf:
        empty = "linalg.vector_norm cannot compute the inf norm on an empty tensor"
        check(count_along(input.shape, dim), empty)
        return np.max(size, axis=dims, keepdims=keepdim)
    return np.sum(size**p, axis=dims, keepdims=keepdim) ** (1 / p)


@operation(
    input=lambda ops, g, input, result, dim, keepdim: (
        restore(ops, g, input.shape, dim, keepdim)
        * ops.exp(input - restore(ops, result, input.shape, dim, keepdim))
    ),
    promotes="float",
)
def logsumexp(input, dim, keepdim=False):
    """`log(sum(exp(input)))` along `dim`, one or several, within the range of numbers. Integers give
    floating point. Raises TypeError without `dim`.
    """
    if dim is None:
        raise TypeError("logsumexp(): argument 'dim' (position 2) must be tuple of ints")
    dims = normal_dims(dim, input.ndim)
    top = np.max(input, axis=dims, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.sum(np.exp(input - top), axis=dims, keepdims=True)) + top
    return total if keepdim else total.squeeze(dims)


# ---- on the way ----------------------------------------------------------------------------------


@operation(
    input=lambda ops, g, dim: ops.flip_dims(ops.cumsum(ops.flip_dims(g, (dim,)), dim), (dim,))
)
def cumsum(input, dim, dtype=None):
    """The sum of each element and of all before it along `dim`."""
    total = np.cumsum(np.asarray(input, order="C"), axis=dimension(dim), dtype=dtype)
    return total.reshape(input.shape)


def _exponents(name, input, dim):
    """`input` less its greatest along `dim`, so that `exp` stays in the range of numbers."""
    refuse("biu", input.dtype, name)
    input = np.asarray(input, order="C")
    return input - _along(np.maximum, input, dimension(dim))


@operation(
    input=lambda ops, g, result, dim: (g - ops.sum_dim(g * result, (dim,), True)) * result,
    sign="sm",
)
def softmax(input, dim):
    """`exp(input)` divided by its sum along `dim`. Raises NotImplementedError for integers."""
    weights = np.exp(_exponents("softmax", input, dim))
    return weights / _along(np.add, weights, dim)


@operation(
    input=lambda ops, g, result, dim: g - ops.exp(result) * ops.sum_dim(g, (dim,), True), sign="lsm"
)
def log_softmax(input, dim):
    """The logarithm of `softmax`, computed without leaving the range of numbers."""
    shifted = _exponents("log_softmax", input, dim)
    return shifted - np.log(_along(np.add, np.exp(shifted), dim))

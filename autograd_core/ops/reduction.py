"""Operations that make fewer numbers of many: sums, means, extremes, and softmax, which sums on the
way.

`dim` is one dimension or several, negative ones counted from the end; `keepdim` leaves a 1 in their
place."""

import functools
from math import prod

import numpy as np

from ..core.checks import dimension, dimension_error
from ..core.graph import check
from ..core.operation import formula, operation


def normal_dims(dim, ndim):
    """`dim` (one or several; None or empty: all) as a tuple of numbers from 0. IndexError outside
    of the shape.
    """
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
    """`reduce(array, dim)`, its dimension kept, for `np.maximum` or `np.add`.

    Few classes in the last dimension, two for each pixel for example, are taken class by class:
    NumPy goes through such short rows one by one, which takes up to 40 times longer.
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
    return np.sum(
        array,
        axis=dims,
        keepdims=keepdim,
        dtype=dtype or (None if array.dtype.kind == "f" else np.int64),
    )


@operation(node="SumBackward0", input=lambda ops, g, input_shape: ops.expand(g, input_shape))
def sum(input, dtype=None):
    """The sum of all elements."""
    return _sum(input, None, False, dtype)


@operation(
    node="SumBackward1",
    input=lambda ops, g, input_shape, dim, keepdim: restore(ops, g, input_shape, dim, keepdim),
)
def sum_dim(input, dim, keepdim=False, dtype=None):
    """The sums along `dim`."""
    return _sum(input, normal_dims(dim, input.ndim), keepdim, dtype)


def _mean_type(name, array, dtype):
    """The type of a mean: `dtype`, or else that of `array`, which must then be floating point."""
    dtype = dtype or array.dtype
    check(
        dtype.kind == "f",
        "{}(): could not infer output dtype. Input dtype must be either a floating point or "
        "complex dtype. Got: {}: use .float() first",
        name,
        dtype,
    )
    return dtype


@operation(
    node="MeanBackward0",
    input=lambda ops, g, input_shape: ops.expand(g, input_shape) / count_along(input_shape, None),
)
def mean(input, dtype=None):
    """The mean of all elements."""
    dtype = _mean_type("mean", input, dtype)
    return np.sum(input, dtype=dtype) / dtype.type(input.size)


@operation(
    node="MeanBackward1",
    input=lambda ops, g, input_shape, dim, keepdim: (
        restore(ops, g, input_shape, dim, keepdim) / count_along(input_shape, dim)
    ),
)
def mean_dim(input, dim, keepdim=False, dtype=None):
    """The means along `dim`."""
    dtype = _mean_type("mean", input, dtype)
    return _sum(input, normal_dims(dim, input.ndim), keepdim, dtype) / dtype.type(
        count_along(input.shape, dim)
    )


def check_not_empty(name, input, dim=None):
    """Raises IndexError, or RuntimeError for an extreme of everything, where there is no element to
    choose.
    """
    if input.size:
        return
    check(
        dim not in (None, ()),
        "{}(): Expected reduction dim to be specified for input.numel() == 0.",
        name,
        error=IndexError if name.startswith("arg") else RuntimeError,
    )
    for d in normal_dims(dim, input.ndim):
        check(
            input.shape[d],
            "{}(): Expected reduction dim {} to have non-zero size.",
            name,
            d,
            error=IndexError,
        )


@formula("g * (input == result) / count(input == result)")
def _share_of_extreme(ops, g, input, result):
    """The gradient, split evenly among all elements that equal the extreme."""
    chosen = (input == result) | (ops.isnan(input) & ops.isnan(result))
    return chosen * (g / ops.sum(chosen))


@operation(node="MaxBackward1", input=_share_of_extreme)
def max_all(input):
    """The greatest of all elements. Equal ones share the gradient."""
    check_not_empty("max", input)
    return np.max(input)


@operation(node="MinBackward1", input=_share_of_extreme)
def min_all(input):
    """The smallest of all elements. Equal ones share the gradient."""
    check_not_empty("min", input)
    return np.min(input)


@operation()
def argmax(input, dim=None, keepdim=False):
    """Where the greatest element is: its place along `dim`, or in the flattened tensor."""
    check_not_empty("argmax", input, dim)
    check(input.dtype.kind != "b", "argmax(): does not support bool input")
    return np.argmax(input, axis=dim, keepdims=keepdim)


@operation()
def argmin(input, dim=None, keepdim=False):
    """Where the smallest element is: its place along `dim`, or in the flattened tensor."""
    check_not_empty("argmin", input, dim)
    check(input.dtype.kind != "b", "argmin(): does not support bool input")
    return np.argmin(input, axis=dim, keepdims=keepdim)


def _truth(find, input, dim, keepdim):
    """`all` or `any` of an array; with () along no dimension. Of bytes, once PyTorch's booleans, it
    is a byte.
    """
    found = find(
        input,
        axis=dim if isinstance(dim, tuple) and not dim else normal_dims(dim, input.ndim),
        keepdims=keepdim,
    )
    return found.astype(np.uint8) if input.dtype == np.uint8 else found


@operation()
def all(input, dim=None, keepdim=False):
    """Whether every element is true, of the whole tensor or along `dim`."""
    return _truth(np.all, input, dim, keepdim)


@operation()
def any(input, dim=None, keepdim=False):
    """Whether some element is true, in the whole tensor or along `dim`."""
    return _truth(np.any, input, dim, keepdim)


@operation()
def count_nonzero(input, dim=None):
    """How many elements are not 0, in the whole tensor or along `dim`."""
    return np.sum(input != 0, axis=normal_dims(dim, input.ndim), dtype=np.int64)


@formula("g * (input == result) / count(input == result)")
def _share_along(ops, g, input, result, dim, keepdim):
    """The gradient, split evenly among those elements along `dim` that equal the extreme."""
    g, extreme = (restore(ops, x, input.shape, dim, keepdim) for x in (g, result))
    chosen = input == extreme
    return g * chosen / ops.sum_dim(chosen, dim, True)


@operation(input=_share_along)
def amax(input, dim=(), keepdim=False):
    """The greatest along `dim`, one or several; () means all. Equal ones share the gradient."""
    check_not_empty("amax", input, dim)
    return np.max(input, axis=normal_dims(dim, input.ndim), keepdims=keepdim)


@operation(input=_share_along)
def amin(input, dim=(), keepdim=False):
    """The smallest along `dim`, one or several; () means all. Equal ones share the gradient."""
    check_not_empty("amin", input, dim)
    return np.min(input, axis=normal_dims(dim, input.ndim), keepdims=keepdim)


# ---- softmax -------------------------------------------------------------------------------------


def _exponents(name, input, dim):
    """`input` less its greatest along `dim`, so that `exp` stays in the range of numbers. For
    floating point alone.
    """
    check(
        input.dtype.kind == "f",
        '"{}" not implemented for {}: use .float() first',
        name,
        input.dtype,
        error=NotImplementedError,
    )
    input = np.asarray(input, order="C")
    return input - _along(np.maximum, input, dimension(dim))


@operation(input=lambda ops, g, result, dim: (g - ops.sum_dim(g * result, (dim,), True)) * result)
def softmax(input, dim):
    """`exp(input)` divided by its sum along `dim`: positive numbers that add up to 1."""
    weights = np.exp(_exponents("softmax", input, dim))
    return weights / _along(np.add, weights, dim)


@operation(input=lambda ops, g, result, dim: g - ops.exp(result) * ops.sum_dim(g, (dim,), True))
def log_softmax(input, dim):
    """The logarithm of `softmax`, computed without leaving the range of numbers."""
    shifted = _exponents("log_softmax", input, dim)
    return shifted - np.log(_along(np.add, np.exp(shifted), dim))

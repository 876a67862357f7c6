"""Reductions that are more than a sum or an extreme: products, deviations, lengths, running sums,
logsumexp.

`dim` is one dimension or several, negative ones counted from the end; `keepdim` leaves a 1 in their
place."""

import numpy as np

from ...core.checks import dimension
from ...core.graph import check
from ...core.operation import formula, operation
from ..reduction import count_along, normal_dims, restore

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


def _variance(input, dim, correction, keepdim):
    check(
        input.dtype.kind == "f",
        "std and var only support floating point and complex dtypes: use .float() first",
    )
    dims = normal_dims(dim, input.ndim)
    centred = input - np.mean(input, axis=dims, keepdims=True)
    freedom = max(0, count_along(input.shape, dim) - correction)
    return np.sum(centred * centred, axis=dims, keepdims=keepdim) / input.dtype.type(freedom)


@operation(input=_variance_slope)
def var(input, dim, correction, keepdim):
    """The mean of the squared distances from the mean, of n elements but divided by n -
    `correction`.
    """
    return _variance(input, dim, correction, keepdim)


@operation(
    input=lambda ops, g, input, result, dim, correction, keepdim: _variance_slope(
        ops, ops.masked(g / (result * 2), result != 0), input, dim, correction, keepdim
    )
)
def std(input, dim, correction, keepdim):
    """The square root of `var`. Where it is 0 the slope is 0."""
    return np.sqrt(_variance(input, dim, correction, keepdim))


@formula("g * sign(input) * abs(input) ** (p - 1) / result ** (p - 1)")
def _length_slope(ops, g, input, result, p, dim, keepdim):
    g, result = (restore(ops, x, input.shape, dim, keepdim) for x in (g, result))
    if p in (np.inf, -np.inf):
        chosen = ops.abs(input) == result
        return ops.sign(input) * (g * chosen / ops.sum_dim(chosen, dim, True))
    if p == 0:
        return None
    g = g if p == 1 else ops.masked(g / result ** (p - 1), result != 0)
    if p >= 2:
        return input * ops.abs(input) ** (p - 2) * g
    return ops.masked(ops.sign(input) * ops.abs(input) ** (p - 1), input != 0) * g


@operation(node="LinalgVectorNormBackward0", input=_length_slope)
def vector_norm(input, p, dim, keepdim=True):
    """`(sum of |input| ** p) ** (1 / p)` along `dim`; for infinite `p` the greatest `|input|`, for
    -inf the least, for 0 how many are not 0. At 0 its slope is 0."""
    check(
        input.dtype.kind == "f",
        "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}: "
        "use .float() first",
        input.dtype,
    )
    dims, size = normal_dims(dim, input.ndim), np.abs(input)
    check(
        0 <= p < np.inf or count_along(input.shape, dim),
        "linalg.vector_norm cannot compute the {} norm on an empty tensor "
        "because the operation does not have an identity",
        p,
    )
    if p == 0:
        return np.sum(size != 0, axis=dims, keepdims=keepdim, dtype=input.dtype)
    if p in (np.inf, -np.inf):
        return (np.max if p > 0 else np.min)(size, axis=dims, keepdims=keepdim)
    return np.sum(size**p, axis=dims, keepdims=keepdim) ** (1 / p)


# ---- on the way ----------------------------------------------------------------------------------


@operation(input=lambda ops, g, dim, dtype, backwards: ops.cumsum(g, dim, dtype, not backwards))
def cumsum(input, dim, dtype=None, backwards=False):
    """The sum of each element and of all before it along `dim` (`backwards`: of all after it)."""
    turned = np.flip(input, dim) if backwards and input.ndim else input
    total = np.cumsum(np.asarray(turned, order="C"), axis=dimension(dim), dtype=dtype).reshape(
        input.shape
    )
    return np.flip(total, dim) if backwards and input.ndim else total


@operation(
    input=lambda ops, g, input, result, dim, keepdim: (
        restore(ops, g, input.shape, dim, keepdim)
        * ops.exp(input - restore(ops, result, input.shape, dim, keepdim))
    ),
    promotes="float",
)
def logsumexp(input, dim, keepdim=False):
    """The logarithm of the sum of `exp(input)` along `dim`, without leaving the range of numbers."""
    check(
        dim is not None,
        "logsumexp(): argument 'dim' (position 2) must be tuple of ints, not NoneType",
        error=TypeError,
    )
    dims = normal_dims(dim, input.ndim)
    top = np.max(input, axis=dims, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.sum(np.exp(input - top), axis=dims, keepdims=True)) + top
    return total if keepdim else total.squeeze(dims)

"""Operations that normalize to mean 0 and standard deviation 1, and `embedding`.

For x̂ = (x - mean) / deviation, the gradient of x is (g - mean of g - x̂ · mean of g·x̂) / deviation.
Shifting or scaling all x doesn't change x̂, so the gradient has no part in these directions. If the
statistics are given, they are constants, and the gradient is g / deviation."""

from types import SimpleNamespace

import numpy as np

from ..core.graph import check
from ..core.operation import formula, operation
from ..core.public import public
from .reduction import mean_dim
from .shape import sizes_of

# `ops` for the forward functions, which share code with the rules
_ON_ARRAYS = SimpleNamespace(mean_dim=mean_dim.forward, reshape=np.reshape)


def _check_sizes(wanted, **given):
    """Raise RuntimeError for a wrong shape. NumPy would broadcast a vector of one entry."""
    for name, tensor in given.items():
        fits = tensor is None or tensor.shape == wanted
        check(fits, "{} must have the shape {}", name, list(wanted))


def _statistics(ops, input, dims):
    """The mean and the variance over `dims`."""
    mean = ops.mean_dim(input, dims, True)
    centred = input - mean
    return mean, ops.mean_dim(centred * centred, dims, True)


def _standard(ops, input, dims, eps, given):
    """x̂ and 1 / deviation; `given` is None, or the mean and the variance to use."""
    mean, variance = given or _statistics(ops, input, dims)
    scale = (variance + eps) ** -0.5
    return (input - mean) * scale, scale


def _stretched(ops, numbers, shape, shared):
    """Reshape a weight so that it broadcasts to `shape`: size 1 in the dimensions that share it."""
    return ops.reshape(numbers, tuple(1 if dim in shared else n for dim, n in enumerate(shape)))


def _scaled(normal, weight, bias, shared):
    """x̂ times `weight`, plus `bias`. Both may be None."""
    if weight is not None:
        normal = normal * _stretched(_ON_ARRAYS, weight, normal.shape, shared)
    if bias is not None:
        normal = normal + _stretched(_ON_ARRAYS, bias, normal.shape, shared)
    return normal


@formula("(v - mean(v) - normal * mean(v * normal)) / deviation")
def _to_input(ops, g, input, weight, dims, shared, eps, given):
    """v is g * weight. If the statistics are given, the gradient is v / deviation."""
    normal, scale = _standard(ops, input, dims, eps, given)
    g = g if weight is None else g * _stretched(ops, weight, g.shape, shared)
    if given is None:
        g = g - ops.mean_dim(g, dims, True) - normal * ops.mean_dim(g * normal, dims, True)
    return g * scale


@formula("sum(g)")
def _to_bias(ops, g, shared):
    """The sum over all elements that share an entry of the bias."""
    return ops.sum_dim(g, shared) if shared else g


@formula("sum(g * normal)")
def _to_weight(ops, g, input, dims, shared, eps, given):
    """The sum over all elements that share an entry of the weight."""
    return _to_bias(ops, g * _standard(ops, input, dims, eps, given)[0], shared)


@operation(
    input=_to_input, weight=_to_weight, bias=_to_bias, optional=("weight", "bias"), results=3
)
def native_batch_norm(input, weight, bias, dims, shared, eps, given):
    """(x̂ * weight + bias, mean, variance), for x̂ over `dims`. `shared` dimensions share weights."""
    statistics = given or _statistics(_ON_ARRAYS, input, dims)
    result, _ = _standard(_ON_ARRAYS, input, dims, eps, statistics)
    return _scaled(result, weight, bias, shared), *statistics


@operation(input=_to_input, weight=_to_weight, bias=_to_bias, optional=("weight", "bias"))
def native_layer_norm(input, weight, bias, dims, shared, eps, given=None):
    """Like `native_batch_norm`, but it doesn't return the mean and variance."""
    return native_batch_norm.forward(input, weight, bias, dims, shared, eps, given)[0]


@public("F", example="F.layer_norm(a, a.shape)", a=(2, 3))
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    """Normalize over the last dimensions (of `normalized_shape`), times weight, plus bias."""
    wanted = sizes_of((normalized_shape,))
    _check_sizes(wanted, weight=weight, bias=bias)
    check(input.shape[-len(wanted) :] == wanted, "layer_norm() needs {} last", list(wanted))
    dims = tuple(range(input.ndim))
    return native_layer_norm(input, weight, bias, dims[-len(wanted) :], dims[: -len(wanted)], eps)


@public("F", example="F.batch_norm(a, None, None, w, b, True)", a=(2, 3, 2, 2, 2), w=(3,), b=(3,))
def batch_norm(
    input,
    running_mean,
    running_var,
    weight=None,
    bias=None,
    training=False,
    momentum=0.1,
    eps=1e-05,
):
    """Normalize each channel of (N, C, …) to mean 0 and variance 1, times weight, plus bias.

    training  if true, use the statistics of the batch, and move the running statistics towards them
              by `momentum` (with the variance times n / (n - 1)). Else normalize by the running
              statistics, which are constants."""
    channels = input.shape[1]
    count = input.numel() // max(channels, 1)
    words = "Expected more than 1 value per channel when training, got input size {}"
    check(not training or count != 1, words, input.shape, error=ValueError)
    running = {"running_mean": running_mean, "running_var": running_var}
    _check_sizes((channels,), **running, weight=weight, bias=bias)
    dims = 0, *range(2, input.ndim)
    given = None
    if not training:
        given = tuple(_stretched(_ON_ARRAYS, t._array, input.shape, dims) for t in running.values())
    result, mean, variance = native_batch_norm(input, weight, bias, dims, dims, eps, given)
    if training and running_mean is not None:
        seen_now = mean._array, variance._array * (count / (count - 1))
        for statistic, seen in zip(running.values(), seen_now):
            statistic._array[...] = momentum * seen.reshape(-1) + (1 - momentum) * statistic._array
    return result


# ---- embedding -----------------------------------------------------------------------------------


@formula("put(g, indices)")
def _to_rows(ops, g, indices, weight_shape):
    """Add the gradients to the rows that were looked up."""
    return ops.put(g, weight_shape, (np.asarray(indices),))


@operation(name="embedding", weight=_to_rows, constants=("indices",))
def rows_of(weight, indices):
    """The rows of `weight` at `indices`."""
    return weight[indices]


@public("F", example="F.embedding(c, a)", a=(4, 3), c=[[0, 3], [3, 3]])
def embedding(input, weight):
    """The rows (…, D) of `weight` (V, D) at the indices `input` (…)."""
    outside = (input._array < 0) | (input._array >= len(weight))
    check(not outside.any(), "index out of range in self", error=IndexError)
    return rows_of(weight, input)

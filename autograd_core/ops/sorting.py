"""Operations that choose elements by their order: extremes along a dimension, the greatest few,
sorting. They return a named pair, values and their places along `dim`, to which the gradient goes.

nan counts as the greatest number; of equal elements the first one comes first.
"""

from collections import namedtuple
from math import prod
from operator import index

import numpy as np

from ..core.graph import check
from ..core.operation import formula, operation
from ..core.public import public
from ..core.tensor import TensorBase
from .elementwise import maximum, minimum
from .gathering import along
from .reduction import max_all, min_all, normal_dims


class _NamedPair(namedtuple("_NamedPair", "values indices")):
    """PyTorch's pairs have names, and print them."""

    __slots__ = ()

    def __repr__(self):
        name = f"torch.return_types.{type(self).__name__}"
        return f"{name}(\nvalues={self.values!r},\nindices={self.indices!r})"


_RETURN_TYPES = {
    name: type(name, (_NamedPair,), {"__slots__": ()}) for name in ("max", "min", "topk", "sort")
}


def _pair(operation, *args):
    """What `operation` returns, as a pair with names."""
    return _RETURN_TYPES[operation.__name__.partition("_")[0]](*operation(*args))


@formula("to_places(g, input_shape, result1, dim)")
def _to_places(ops, g, input_shape, result1, dim, keepdim=True):
    """Zeros, with each gradient at its place along `dim`."""
    if input_shape and not keepdim:
        g, result1 = ops.unsqueeze(g, dim), np.expand_dims(result1, dim)
    return ops.put(g, input_shape, along(dim, result1)) if input_shape else g


def _at(input, places, dim):
    """The elements at `places` along `dim`, and `places`."""
    return (np.take_along_axis(input, places, dim) if input.ndim else np.array(input)), places


def _extremes(find, input, dim, keepdim):
    found = _at(input, find(input, axis=dim, keepdims=True), dim)
    return found if keepdim or not input.ndim else tuple(x.squeeze(dim) for x in found)


@operation(node="MaxBackward0", input=_to_places, results=2, sign="max")
def max_dim(input, dim, keepdim=False):
    """The greatest along `dim`, and where it is."""
    return _extremes(np.argmax, input, dim, keepdim)


@operation(node="MinBackward0", input=_to_places, results=2, sign="min")
def min_dim(input, dim, keepdim=False):
    """The smallest along `dim`, and where it is."""
    return _extremes(np.argmin, input, dim, keepdim)


def _order(input, dim, descending):
    """The places along `dim` in the order of their elements, equal ones as they stand."""
    if not descending or not input.ndim:
        return np.argsort(input, axis=index(dim), kind="stable").reshape(input.shape)
    turned = np.argsort(np.flip(input, dim), axis=dim, kind="stable")
    return input.shape[dim] - 1 - np.flip(turned, dim)


@operation(
    node="SortBackward0",
    input=lambda ops, g, input_shape, result1, dim: _to_places(ops, g, input_shape, result1, dim),
    results=2,
)
def sort_dim(input, dim, descending):
    """The elements along `dim` in order, and where each was."""
    return _at(input, _order(input, dim, descending), dim)


@operation(
    node="TopkBackward0",
    input=lambda ops, g, input_shape, result1, dim: _to_places(ops, g, input_shape, result1, dim),
    results=2,
)
def topk_dim(input, k, dim, largest):
    """The `k` greatest (or smallest) along `dim` in order, and where they are."""
    k, length = index(k), prod(input.shape[d] for d in normal_dims((dim,), input.ndim))
    check(0 <= k <= length, "selected index k out of range")
    order = _order(input, dim, largest)
    return _at(input, np.take(order, range(k), dim) if input.ndim else order, dim)


# ---- as PyTorch's users call them ----------------------------------------------------------------


@public("T", "Tensor", example="T.max(a)", a=(2, 3))
def max(input, other=None, keepdim=False, *, dim=None):
    """The greatest element; with `dim` a pair (values, indices); or the greater of each two."""
    if isinstance(other, TensorBase):
        return maximum(input, other)
    dim = other if dim is None else dim
    return max_all(input) if dim is None else _pair(max_dim, input, dim, keepdim)


@public("T", "Tensor", example="T.min(a)", a=(2, 3))
def min(input, other=None, keepdim=False, *, dim=None):
    """The smallest element; with `dim` a pair (values, indices); or the smaller of each two."""
    if isinstance(other, TensorBase):
        return minimum(input, other)
    dim = other if dim is None else dim
    return min_all(input) if dim is None else _pair(min_dim, input, dim, keepdim)


@public("T", "Tensor", example="T.sort(a).values", a=(2, 3))
def sort(input, dim=-1, descending=False):
    """A pair: the elements along `dim` in order, and the place of each. Equal ones stay in order."""
    return _pair(sort_dim, input, dim, descending)


@public("T", "Tensor", example="T.argsort(a)", a=(2, 3))
def argsort(input, dim=-1, descending=False):
    """The places along `dim` of the elements in order."""
    return sort(input, dim, descending).indices


@public("T", "Tensor", example="T.topk(a, 2).values", a=(2, 3))
def topk(input, k, dim=-1, largest=True):
    """A pair: the `k` greatest (or smallest) along `dim` in order, and their places."""
    return _pair(topk_dim, input, k, dim, largest)

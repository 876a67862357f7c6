"""Operations that select elements by their order: extremes along a dimension, `topk`, `sort`. They
return a named pair, the values and their indices along `dim`. The gradient goes to these indices.

nan counts as the greatest number (but `min` returns it too). Equal elements keep their order.
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
    """A pair with names, printed as in PyTorch."""

    __slots__ = ()

    def __repr__(self):
        name = f"torch.return_types.{type(self).__name__}"
        return f"{name}(\nvalues={self.values!r},\nindices={self.indices!r})"


_RETURN_TYPES = {
    name: type(name, (_NamedPair,), {"__slots__": ()}) for name in ("max", "min", "topk", "sort")
}


def _pair(operation, *args):
    """The result of `operation` as a named pair."""
    return _RETURN_TYPES[operation.__name__.partition("_")[0]](*operation(*args))


@formula("to_places(g, input_shape, result1, dim)")
def _to_places(ops, g, input_shape, result1, dim, keepdim=True):
    """Zeros with each gradient at its index along `dim`."""
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
    """The greatest element along `dim`, and its index."""
    return _extremes(np.argmax, input, dim, keepdim)


@operation(node="MinBackward0", input=_to_places, results=2, sign="min")
def min_dim(input, dim, keepdim=False):
    """The smallest element along `dim`, and its index."""
    return _extremes(np.argmin, input, dim, keepdim)


def _order(input, dim, descending):
    """The indices that sort the elements along `dim`. Equal elements keep their order."""
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
    """The sorted elements along `dim`, and the former index of each."""
    return _at(input, _order(input, dim, descending), dim)


@operation(
    node="TopkBackward0",
    input=lambda ops, g, input_shape, result1, dim: _to_places(ops, g, input_shape, result1, dim),
    results=2,
)
def topk_dim(input, k, dim, largest):
    """The `k` greatest (or smallest) elements along `dim` in order, and their indices."""
    k, length = index(k), prod(input.shape[d] for d in normal_dims((dim,), input.ndim))
    check(0 <= k <= length, "selected index k out of range")
    order = _order(input, dim, largest)
    return _at(input, np.take(order, range(k), dim) if input.ndim else order, dim)


# ---- PyTorch's functions -------------------------------------------------------------------------


@public("T", "Tensor", example="T.max(a)", a=(2, 3))
def max(input, other=None, keepdim=False, *, dim=None):
    """The greatest element, or with `dim` a pair (values, indices), or `maximum(input, other)`."""
    if isinstance(other, TensorBase):
        return maximum(input, other)
    dim = other if dim is None else dim
    return max_all(input) if dim is None else _pair(max_dim, input, dim, keepdim)


@public("T", "Tensor", example="T.min(a)", a=(2, 3))
def min(input, other=None, keepdim=False, *, dim=None):
    """The smallest element, or with `dim` a pair (values, indices), or `minimum(input, other)`."""
    if isinstance(other, TensorBase):
        return minimum(input, other)
    dim = other if dim is None else dim
    return min_all(input) if dim is None else _pair(min_dim, input, dim, keepdim)


@public("T", "Tensor", example="T.sort(a).values", a=(2, 3))
def sort(input, dim=-1, descending=False):
    """A pair: the sorted elements along `dim`, and their indices. Equal ones keep their order."""
    return _pair(sort_dim, input, dim, descending)


@public("T", "Tensor", example="T.argsort(a)", a=(2, 3))
def argsort(input, dim=-1, descending=False):
    """The indices that sort the elements along `dim`."""
    return sort(input, dim, descending).indices


@public("T", "Tensor", example="T.topk(a, 2).values", a=(2, 3))
def topk(input, k, dim=-1, largest=True):
    """A pair: the `k` greatest (or smallest) elements along `dim` in order, and their indices."""
    return _pair(topk_dim, input, k, dim, largest)

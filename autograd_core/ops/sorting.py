"""Operations that choose elements by their order: extremes along a dimension, the greatest few, sorting.

They return a named pair, values and their places along `dim`; the gradient goes to those places. nan counts as the
greatest number. Of equal elements `max`, `min` and `sort` take the first one first.
"""

from collections import namedtuple

import numpy as np

from .operation import operation
from .reduction import check_not_empty, normal_dims


def _return_type(name):
    """PyTorch's pair for the function `name`: it has names, and prints them."""
    kind = namedtuple(name, "values indices")
    kind.__repr__ = lambda pair: f"torch.return_types.{name}(\nvalues={pair.values!r},\nindices={pair.indices!r})"
    return kind


_RETURN_TYPES = {f"{name}_dim": _return_type(name) for name in ("max", "min", "topk", "sort")}


def pair(operation, *args):
    """What `operation` returns, as a pair with names."""
    return _RETURN_TYPES[operation.__name__](*operation(*args))


def _to_places(ops, g, shape, places, dim, keepdim=True):
    """Zeros of `shape`, with each gradient at its place along `dim`."""
    if not shape:
        return g
    dim, places = normal_dims(dim, len(shape))[0], np.asarray(places)
    if not keepdim:
        g, places = ops.unsqueeze(g, dim), np.expand_dims(places, dim)
    grid = np.indices(places.shape, sparse=True)
    return ops.put(g, shape, (*grid[:dim], places, *grid[dim + 1:]))


def _extremes(name, find, input, dim, keepdim):
    dim = check_not_empty(name, input, dim)
    if dim is None:
        return np.array(input), np.int64(0)
    places = find(input, axis=dim, keepdims=True)
    pair = np.take_along_axis(input, places, dim), places
    return pair if keepdim else tuple(x.squeeze(dim) for x in pair)


@operation(node="MaxBackward0", input=lambda ops, g, input_shape, result1, dim, keepdim: _to_places(
    ops, g, input_shape, result1, dim, keepdim))
def max_dim(input, dim, keepdim=False):
    """The greatest along `dim`, and where it is."""
    return _extremes("max", np.argmax, input, dim, keepdim)


@operation(node="MinBackward0", input=lambda ops, g, input_shape, result1, dim, keepdim: _to_places(
    ops, g, input_shape, result1, dim, keepdim))
def min_dim(input, dim, keepdim=False):
    """The smallest along `dim`, and where it is."""
    return _extremes("min", np.argmin, input, dim, keepdim)


def _in_order(input, dim, descending, count=None):
    """The first `count` elements along `dim` in order, equal ones as they stand; and their places."""
    normal_dims((dim,), input.ndim)
    if not input.ndim:
        return np.array(input), np.int64(0)
    turned = np.flip(input, dim) if descending else input
    places = np.argsort(turned, axis=dim, kind="stable")
    if descending:
        places = input.shape[dim] - 1 - np.flip(places, dim)
    places = np.take(places, range(input.shape[dim] if count is None else count), axis=dim)
    return np.take_along_axis(input, places, dim), places


@operation(node="SortBackward0",
           input=lambda ops, g, input_shape, result1, dim: _to_places(ops, g, input_shape, result1, dim))
def sort_dim(input, dim, descending):
    """The elements along `dim` in order, and where each was."""
    return _in_order(input, dim, descending)


@operation(node="TopkBackward0",
           input=lambda ops, g, input_shape, result1, dim: _to_places(ops, g, input_shape, result1, dim))
def topk_dim(input, k, dim, largest):
    """The `k` greatest (or smallest) along `dim` in order, and where they are."""
    normal_dims((dim,), input.ndim)
    if not 0 <= k <= (input.shape[dim] if input.ndim else 1):
        raise RuntimeError("selected index k out of range")
    return _in_order(input, dim, largest, k)


def sort(input, dim=-1, descending=False):
    """A pair: the elements along `dim` in order, equal ones as they stand, and the place where each was."""
    return pair(sort_dim, input, dim, descending)


def argsort(input, dim=-1, descending=False):
    """The places along `dim` of the elements in order."""
    return sort(input, dim, descending).indices


def topk(input, k, dim=-1, largest=True, sorted=True):
    """A pair: the `k` greatest (or smallest) along `dim`, and their places. They come in order in any case."""
    return pair(topk_dim, input, k, dim, largest)

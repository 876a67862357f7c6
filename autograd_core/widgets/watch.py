"""`watch(loss)`: the graph of a loss, of either engine, with its backward pass to play."""

import sys

import numpy as np

from ..trace import Trace, difference, names_in, trace
from .graph_view import GraphView


def watch(loss, other=None, *, names: dict | None = None, **options) -> GraphView:
    """A view of how `loss` was computed and how its gradients travel back.

    loss     a tensor of autograd_core or of PyTorch, before or after `backward()`; or a `Trace`.
    other    the same loss on the other engine. The two traces are compared event by event.
    names    what `names_in` returns; by default the caller's variables name the tensors.
    options  those of `GraphView`.

    Raises what `trace` raises for what has no graph, and AssertionError where `other` did not do the same.
    """
    if names is None:
        frame = sys._getframe(1)
        names = names_in({**frame.f_globals, **frame.f_locals})
    first, second = (_traced(x, names) for x in (loss, other))
    if second is not None and (differs := difference(first, second, _close)):
        raise AssertionError(f"the two engines did not do the same: {differs}")
    return GraphView(first, other=second, **options)


def _traced(thing, names):
    return thing if thing is None or isinstance(thing, Trace) else trace(thing, names)


def _close(a, b):
    """Equal to 1e-10 in float64, to a few units in the last place of the largest magnitude in float32."""
    if a.dtype.kind != "f":
        return np.array_equal(a, b)
    finite = np.isfinite(a) & np.isfinite(b)
    largest = max(np.abs(a[finite]).max(initial=0), np.abs(b[finite]).max(initial=0))
    tolerance = 1e-10 if a.dtype == np.float64 else 4 * np.finfo(a.dtype).eps * largest
    return np.allclose(a, b, rtol=0, atol=tolerance, equal_nan=True)

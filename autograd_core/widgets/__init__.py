"""What moves in the lessons: views of a trace, and the widgets of single lessons."""

from ..trace import Trace, trace
from .graph_view import GraphView

__all__ = ["GraphView", "watch"]


def watch(thing, names: dict | None = None, **options) -> GraphView:
    """A view of `thing`: a `Trace`, or a loss of either engine, whose trace is then taken with `names`.

    `options` are those of `GraphView`. Raises what `autograd_core.trace.trace` raises for what has no graph.
    """
    return GraphView(thing if isinstance(thing, Trace) else trace(thing, names), **options)

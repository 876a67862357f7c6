"""The interactive pictures of the lessons.

    graph   the step view: `watch(loss)`, `explore("a * b")`, `GraphView(trace)`; many steps:
            `follow(model, optimizer)`
    kit     the parts that all widgets share: colors, numbers as text, settings, the frame, the
            bundle of scripts
    js      the sources of the scripts in the browser; `make js` bundles them
    static  the bundles

Predictions, the quiz and the widgets of single lessons are in `autograd_core.lessons`."""

from .. import extras

extras.need("a view", "anywidget", "ipywidgets")

from .graph.explore import explore
from .graph.follow import follow
from .graph.view import GraphView
from .graph.watch import watch

__all__ = ["GraphView", "explore", "follow", "watch"]

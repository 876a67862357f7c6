"""`watch(loss)`: the graph of a loss, of either engine, with its backward pass to play."""

from ...trace import Names, Trace, difference, trace
from ...trace.names import notebook_names
from ..kit.format import shorten
from .describe import telling_event
from .folds import is_large, keys_of_stale
from .tensors import close_in, of_a_model, verdicts_of
from .view import GraphView, same_graph


def watch(
    loss,
    model=None,
    other=None,
    *,
    names: Names | None = None,
    strict: bool = True,
    **options,
) -> GraphView:
    """A view of how `loss` was computed and how its gradients travel back.

    loss     a tensor of autograd_core or of PyTorch, before or after `backward()`; or a `Trace`.
    model    whose parameters are listed: a module, or a list or a dict of modules; by default the
             modules in the notebook's variables that have a part in this loss. A tensor or a `Trace`
             in this place is `other`.
    other    the same loss on the other engine: the numbers of both stand beside each other. The two
             traces are compared event by event.
    names    what `names_in` returns; by default the variables of the notebook.
    strict   False: where the engines differ the view says where, and marks the numbers, in place of
             raising.
    options  those of `GraphView`.

    A model of one's own opens on the answer: at the last event, a small one where something is nan
    first, or else inf, with its verdicts in a line above. A graph tells where paths lead, not where
    they were cut. A forward that ran inside `with watching():` is found here by itself: then values,
    source lines, modules, and cuts with their reasons are shown, and a `loss.backward()` that ran in
    there. Else a backward pass is run on the side: `.grad` is as before then, but hooks on gradients
    (`register_hook`, full backward hooks of modules) run once more, and so does a checkpoint's
    forward.

    Raises what `trace` raises, and AssertionError where `other` did not do the same.
    """
    if isinstance(loss, Trace) and hasattr(model, "parameters") and not isinstance(model, Trace):
        raise TypeError("a Trace already lists its parameters: omit `model`")
    if other is None and (isinstance(model, Trace) or hasattr(model, "grad_fn")):
        model, other = None, model
    if names is None:
        names = notebook_names()
        # there the same tensors have other names
        first, second = _traced(loss, names, model), _traced(other, None)
    else:
        first, second = _traced(loss, names, model), _traced(other, names)
    differs = None if second is None else difference(first, second, close_in(first))
    if differs and strict:
        raise AssertionError(
            f"the two engines did not do the same: {differs}. watch(..., strict=False) shows where"
        )
    if differs:
        options["notice"] = f"The two engines did not do the same: {shorten(differs, 300)}."
        second = second if same_graph(first, second) else None
    if first.stale:
        options = {"event": telling_event(first), "opened": keys_of_stale(first), **options}
    elif second is None and of_a_model(first):
        alarm = verdicts_of(first).values.firsts and not is_large(first)
        options.setdefault("event", telling_event(first) if alarm else -1)
    return GraphView(first, other=second, **options)


def _traced(thing, names, model=None):
    if thing is None or isinstance(thing, Trace):
        return thing
    return trace(thing, names, model=model, caller="watch")

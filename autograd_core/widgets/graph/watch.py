"""`watch(loss)`: the graph of a loss, of either engine, with its backward pass to play."""

from ...trace import Names, Trace, difference, trace
from ...trace.listing import notebook_names
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
    """A view of the graph of `loss`, in which you can play its backward pass.

    loss     a tensor of autograd_core or of PyTorch, before or after `backward()`; or a `Trace`.
    model    the module, or the list or dict of modules, whose parameters are listed. In a notebook,
             the default is all modules in variables that are part of this loss. A tensor or
             a `Trace` as second argument is `other`.
    other    the same loss on the other engine. Its numbers are shown next to those of `loss`, and
             the two traces are compared event by event.
    names    the result of `names_in`. The default is the notebook's variables.
    strict   if False, the view marks the numbers in which the engines differ, and raises nothing.
    options  the options of `GraphView`.

    The view opens at the last event. A small graph opens at its first nan or inf if it has one.
    A line above the graph has the verdicts of `report`.
    If the forward pass ran inside of `with watching():`, the view also shows values, source lines,
    modules, and the reasons why paths end. If `loss.backward()` also ran there, it is shown. Else
    a backward pass is run, and `.grad` is restored afterwards. Hooks on gradients (`register_hook`,
    full backward hooks of modules) and a checkpoint's forward pass run again then.

    Raises the errors of `trace`, and AssertionError if `other` differs.
    """
    if isinstance(loss, Trace) and hasattr(model, "parameters") and not isinstance(model, Trace):
        raise TypeError("a Trace already lists its parameters: omit `model`")
    if other is None and (isinstance(model, Trace) or hasattr(model, "grad_fn")):
        model, other = None, model
    if names is None:
        names = notebook_names()
        # the same tensors have other names in the other engine's trace
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

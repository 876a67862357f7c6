"""A trace of an engine such as the one of lesson 14.

A tensor has `data` (a number or an array), `grad` (None or such a value), `requires_grad`, the `name`
of the operation that made it, its `inputs` (none for a leaf), `rule` (a function from the gradient of
the result to a gradient for each input) and, for a pass, `backward()`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..trace.data import Edge, Event, Trace, TraceNode
from ..trace.formula import rules_of
from .exercises.conduct import few_lines


def made_before(loss: Any) -> list[Any]:
    """Every tensor that a gradient reaches, each once and after its inputs. No recursion."""
    found: dict[Any, None] = {}
    stack = [loss]
    while stack:
        missing = [x for x in stack[-1].inputs if x.requires_grad and x not in found]
        if missing:
            stack.append(missing[0])
        else:
            found[stack.pop()] = None
    return list(found)


def trace_own(
    loss: Any, names: Mapping[str, Any], is_fresh: bool = True
) -> tuple[Trace, BaseException | None]:
    """The graph of `loss` and a pass on the side, so that each `.grad` stays as it was; and the error
    of the pass. If it is fresh, it starts from `.grad = None`. `names` are {variable: tensor}."""
    if not loss.inputs:
        raise RuntimeError("no operation recorded this tensor: is requires_grad=True missing?")
    made = made_before(loss)
    operations, leaves = [t for t in made if t.inputs], [t for t in made if not t.inputs]
    places = {t: i for i, t in enumerate(dict.fromkeys(x for t in made for x in (*t.inputs, t)))}
    labels = {id(tensor): name for name, tensor in names.items()}
    uses = [(t, slot, x) for t in operations for slot, x in enumerate(t.inputs)]
    sends = {(t, slot): number for number, (t, slot, _) in enumerate(uses)}
    events = [Event("forward", places[t], after=np.array(t.data)) for t in operations]
    events.append(Event("loss", places[loss], after=np.array(loss.data)))
    held = {leaf: leaf.grad for leaf in leaves}
    rules = {t: t.rule for t in operations}
    for leaf in leaves:
        leaf.grad = None if is_fresh else _copy(leaf.grad)
    # the last `.grad` that was seen: a copy, and the array itself
    seen = {leaf: (_copy(leaf.grad), leaf.grad) for leaf in leaves}
    nodes = tuple(_node(t, labels.get(id(t), "")) for t in places)

    def look_at_leaves() -> None:
        for leaf in leaves:
            (before, known), after = seen[leaf], _copy(leaf.grad)
            is_new = leaf.grad is not known or not np.array_equal(before, after)
            if after is not None and is_new:
                events.append(Event("accumulate", places[leaf], before=before, after=after))
            seen[leaf] = after, leaf.grad

    def written_down(tensor: Any) -> Callable:
        def rule(gradient: Any) -> tuple[Any, ...]:
            look_at_leaves()
            parts = tuple(rules[tensor](gradient))
            sent = tuple(
                (sends[tensor, slot], np.array(part))
                for slot, (part, x) in enumerate(zip(parts, tensor.inputs))
                if x.requires_grad
            )
            events.append(Event("backward", places[tensor], before=np.array(gradient), sent=sent))
            return parts

        return rule

    error = None
    try:
        for tensor in operations:
            tensor.rule = written_down(tensor)
        with few_lines():
            getattr(loss, "backward", int)()
    except (Exception, KeyboardInterrupt) as raised:
        error = raised
    look_at_leaves()
    for tensor in operations:
        tensor.rule = rules[tensor]
    for leaf in leaves:
        leaf.grad = held[leaf]
    edges = tuple(Edge(places[t], slot, places[x]) for t, slot, x in uses)
    return Trace("your engine", nodes, edges, tuple(events)), error


def _node(tensor: Any, label: str) -> TraceNode:
    kind = "leaf" if tensor.requires_grad else "constant"
    kind, name = ("operation", tensor.name) if tensor.inputs else (kind, "AccumulateGrad")
    value = np.array(tensor.data)
    described = value.shape, str(value.dtype), value
    more = {"rules": rules_of(name)} if tensor.inputs else {"grad": _copy(tensor.grad)}
    return TraceNode(kind, "" if kind == "constant" else name, label, *described, **more)


def _copy(grad: Any) -> np.ndarray | None:
    """A copy, because an engine may go on adding to the same array."""
    return None if grad is None else np.array(grad)

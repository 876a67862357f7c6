"""`trace_own(loss)`: a trace of an engine that somebody wrote: lesson 14's, or one like it.

It asks little of a tensor: `data`, an array; `grad`, None or an array; `requires_grad`; `name` of
the operation that made it; `inputs`, the tensors that went in, none for a leaf; `send(gradient)`,
what goes to each input; `number`, the greater the later it was made; and `backward()`."""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..trace.data import Edge, Event, Trace, TraceNode
from ..trace.formula import rules_of
from ..trace.nodes import walk


def trace_own(loss: Any, names: Mapping[str, Any] | None = None) -> Trace:
    """The graph of `loss`, its values, and a backward pass that is run here on the side: `.grad`
    stays as it was. `names` are {variable name: tensor}; other values in it are passed over.

    Raises TypeError for what is no such tensor, RuntimeError for one that no operation made, and
    what `backward` raises."""
    missing = [name for name in ("data", "inputs", "send", "backward") if not hasattr(loss, name)]
    if missing:
        no = f"{type(loss).__name__} has no {', '.join(missing)}"
        raise TypeError(f"trace_own() takes a tensor of your engine: {no}")
    if not loss.inputs:
        made = "this tensor was made by no operation that recorded it, so there is no graph"
        raise RuntimeError(f"{made} to show: compute it from a tensor with requires_grad=True")
    builder = TraceBuilder(loss, names or {})
    builder.run()
    return builder.trace()


class TraceBuilder:
    """One trace in the making: nodes are numbered as they are met, inputs before their consumer.
    A pass that is fresh starts from `.grad = None`, not from what the leaves hold."""

    def __init__(self, loss: Any, names: Mapping[str, Any], is_fresh: bool = True):
        self.loss, self.is_fresh = loss, is_fresh
        self.labels = {id(tensor): name for name, tensor in names.items()}
        self.nodes: list[TraceNode] = []
        self.edges: list[Edge] = []
        self.events: list[Event] = []
        self.numbers: dict[int, int] = {}  # id of a tensor -> its place in self.nodes
        self.sends: dict[tuple[int, int], int] = {}  # (id of the consumer, input) -> its edge
        reached = walk(loss, below=lambda t: [x for x in reversed(t.inputs) if x.requires_grad])
        self.operations = sorted((t for t in reached if t.inputs), key=lambda t: t.number)
        self.leaves = [t for t in reached if not t.inputs]  # in the order in which they are met

    def trace(self) -> Trace:
        return Trace("your engine", tuple(self.nodes), tuple(self.edges), tuple(self.events))

    def run(self) -> None:
        """Write down the forward that was, and a backward; where it raises, what came before."""
        for tensor in self.operations:
            self._add_operation(tensor)
            self._event("forward", tensor, after=np.array(tensor.data))
        self._event("loss", self.loss, after=np.array(self.loss.data))
        self._run_back()

    def _event(self, kind: str, tensor: Any, **fields: Any) -> None:
        self.events.append(Event(kind, self.numbers[id(tensor)], **fields))

    def _add_operation(self, tensor: Any) -> None:
        """A box and its edges; of a custom operation those with gradient, as PyTorch's traces."""
        rules = rules_of(tensor.name)
        inputs = [(slot, x) for slot, x in enumerate(tensor.inputs) if rules or x.requires_grad]
        for _, x in sorted(inputs, key=lambda given: not given[1].requires_grad):
            if id(x) not in self.numbers:
                kind = ("leaf", "AccumulateGrad") if x.requires_grad else ("constant", "")
                self._add(x, *kind, grad=_copy(x.grad))
        self._add(tensor, "operation", tensor.name, rules=rules)
        for slot, x in inputs:
            self.sends[id(tensor), slot] = len(self.edges)
            self.edges.append(Edge(self.numbers[id(tensor)], slot, self.numbers[id(x)]))

    def _add(self, tensor: Any, kind: str, name: str, **fields: Any) -> None:
        self.numbers[id(tensor)] = len(self.nodes)
        label, value = self.labels.get(id(tensor), ""), np.array(tensor.data)
        described = value.shape, str(value.dtype), value
        self.nodes.append(TraceNode(kind, name, label, *described, **fields))

    def _run_back(self) -> None:
        """Backward with each `send` written down; what a leaf got is seen when the next node runs."""
        # leaf -> what `.grad` was when last looked at: a copy, and the array itself
        self.seen: dict[Any, tuple] = {}
        with contextlib.ExitStack() as afterwards:
            for leaf in self.leaves:
                afterwards.callback(setattr, leaf, "grad", leaf.grad)
                leaf.grad = None if self.is_fresh else _copy(leaf.grad)
                self.seen[leaf] = _copy(leaf.grad), leaf.grad
            for tensor in self.operations:
                afterwards.callback(vars(tensor).pop, "send", None)
                tensor.send = self._written_down(tensor, tensor.send)
            afterwards.callback(self._look_at_leaves)
            self.loss.backward()

    def _written_down(self, tensor: Any, send: Callable) -> Callable:
        def sending(gradient: Any) -> tuple[Any, ...]:
            self._look_at_leaves()
            parts = tuple(send(gradient))
            sent = tuple(
                (self.sends[id(tensor), slot], np.array(part))
                for slot, part in enumerate(parts)
                if part is not None and tensor.inputs[slot].requires_grad
            )
            self._event("backward", tensor, before=np.array(gradient), sent=sent)
            return parts

        return sending

    def _look_at_leaves(self) -> None:
        """An event for each leaf whose `.grad` is not what it was when it was last looked at."""
        for leaf in self.leaves:
            (before, held), after = self.seen[leaf], _copy(leaf.grad)
            is_new = leaf.grad is not held
            if after is not None and (is_new or not np.array_equal(before, after, equal_nan=True)):
                self._event("accumulate", leaf, before=before, after=after)
            self.seen[leaf] = after, leaf.grad


def _copy(grad: Any) -> np.ndarray | None:
    """What a `.grad` holds now: an engine may go on adding to the same array."""
    return None if grad is None else np.array(grad)

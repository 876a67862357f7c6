"""The walk back: which node is next, what is summed, what is freed.

1. Count, for every node that the roots reach, how many edges lead into it: so many gradients it
   must wait for.
2. Hand out the roots' gradients: each node adds up what it receives. One that has received all is
   ready.
3. Take the ready node that was recorded last; it has its sum: run it, and hand out what it sends,
   as in 2.
4. Until nothing is ready. Interior gradients live in this call and die with it; only
   `AccumulateGrad` keeps one.

The loop is iterative, so a chain may be as long as memory allows. The order of nodes is PyTorch's,
also among leaves, all of which count as recorded last: its queue is a C++ `std::priority_queue`,
and `heapq` moves equals just as that does."""

from collections.abc import Sequence
from heapq import heappop, heappush
from operator import attrgetter
from typing import Any

import numpy as np

from .graph import NO_HOOKS, AccumulateGrad, Node, Output, check, end_of
from .recording import recording


def run(
    ops: Any,
    roots: Sequence[Any],
    gradients: Any,
    *,
    retain_graph: bool = False,
    captures: Sequence[Any] | None = None,
    accumulate: bool = True,
) -> dict[Any, Any]:
    """Send `gradients` back from the edges `roots`.

    ops         the operations by name, which rules call: on arrays, or under `create_graph`
                recorded, on tensors.
    captures    None: run everything, and let each leaf accumulate. Otherwise edges whose gradients
                are wanted; only nodes on a path to them run.
    accumulate  with captures: True lets captured leaves accumulate into `.grad`; False returns the
                gradients instead.

    Returns a dict {edge: gradient} for `captures`: arrays, or tensors with a graph under
    `create_graph`."""
    waiting = _edges_into(roots)
    wanted = None if captures is None else _Wanted(captures, waiting, accumulate)
    # the nodes at which somebody waits for what arrives
    watched = wanted.targets if wanted else ()
    # a heap of (-sequence_nr, node, its sum)
    ready: list[Any] = []
    arrived: dict[Node, Any] = {}
    edges, sent, sender = roots, gradients, Node()  # the first sender is the caller
    (enabled, subscribers), recording.enabled = (
        recording.state,
        ops.creates_graph and not recording.inference,
    )
    try:
        while True:
            # an edge; a node below, once its output is taken off
            for node, gradient in zip(edges, sent):
                if node is None:
                    continue
                output = None
                if type(node) is Output:
                    node, output = node
                if wanted is not None and node not in wanted.run and node not in watched:
                    continue
                before = arrived.pop(node, None)
                if gradient is None:
                    gradient = before
                else:
                    numbers = gradient._array if ops.creates_graph else gradient
                    if numbers.shape != node.shape or numbers.dtype is not node.dtype:
                        gradient = _fit(ops, gradient, sender, node, output)
                    if output is not None:  # of several outputs a list is collected
                        sums = before or [None] * node.outputs
                        sums[output] = (
                            gradient if sums[output] is None else ops.add(sums[output], gradient)
                        )
                        gradient = sums
                    elif before is not None:
                        gradient = ops.add(before, gradient)
                if waiting[node] == 1:
                    heappush(ready, (-node.sequence_nr, node, gradient))
                else:
                    waiting[node] -= 1
                    arrived[node] = gradient
            sent = None
            # a node need not run, where only others are wanted
            while sent is None:
                if not ready:
                    return wanted.arrived if wanted else {}
                _, sender, gradient = heappop(ready)
                if subscribers or gradient is None or sender.hooks is not None or sender in watched:
                    sent = _run_node(ops, sender, gradient, wanted)
                else:
                    sent = sender.apply(ops, gradient)  # nearly always: nobody looks on
                if not retain_graph and sender.versions and sent is not None:
                    sender.free()
            edges = sender.inputs
    finally:
        recording.enabled = enabled


def _edges_into(roots: Sequence[Any]) -> dict[Node, int]:
    """How many edges lead into each node that can be reached by the edges `roots`, these counted
    too: {node: count}.
    """
    counts: dict[Node, int] = {}
    stack, edges, seen = [], roots, counts.get
    while True:
        for node in edges:
            if node is None:
                continue
            if type(node) is Output:
                node = node.node
            count = seen(node)
            if count:
                counts[node] = count + 1
            else:
                counts[node] = 1
                stack.append(node)
        if not stack:
            return counts
        edges = stack.pop().inputs


def _fit(ops: Any, gradient: Any, sender: Node, node: Node, output: int | None) -> Any:
    """`gradient` in the shape and type of the tensor it belongs to, or a RuntimeError that names
    the wrong rule.
    """
    shape, dtype = (
        (node.shape, node.dtype) if node.outputs == 1 else (node.shape[output], node.dtype[output])
    )
    if gradient.shape != shape:
        pairs = zip(shape[::-1], gradient.shape[::-1])
        stretched = len(gradient.shape) >= len(shape) and all(n in (1, m) for n, m in pairs)
        check(
            stretched and sender.broadcasts,
            "Function {} returned an invalid gradient: got {} but expected shape "
            "compatible with {}",
            sender.name(),
            list(gradient.shape),
            list(shape),
        )
        gradient = _unbroadcast(ops, gradient, shape)
    return ops.cast(gradient, dtype)


def _unbroadcast(ops: Any, gradient: Any, shape: tuple[int, ...]) -> Any:
    """Sum `gradient` back to `shape`: the transpose of NumPy's broadcasting."""
    lead = len(gradient.shape) - len(shape)
    if not ops.creates_graph and len(shape) == lead == 1 and gradient.shape[1:] == shape:
        # a layer's bias: 5 times faster than a sum
        return np.dot(np.ones(len(gradient), gradient.dtype), gradient)
    stretched = (i for i, n in enumerate(shape, lead) if n == 1 and gradient.shape[i] != 1)
    return ops.reshape(ops.sum_dim(gradient, (*range(lead), *stretched), True), shape)


# ---- where somebody looks on: gradients that are asked for, hooks, subscribers -------------------


class _Wanted:
    """The edges whose gradients are asked for, what has arrived there, and the nodes that must run
    for it.
    """

    def __init__(self, edges: Sequence[Any], nodes: dict[Node, int], accumulate: bool):
        self.edges, self.targets = edges, {end_of(edge)[0] for edge in edges}
        self.arrived: dict[Any, Any] = {}
        self.run: set[Node] = {
            node for node in self.targets if accumulate and isinstance(node, AccumulateGrad)
        }
        for node in sorted(nodes, key=attrgetter("sequence_nr")):
            ends = [end_of(edge)[0] for edge in node.inputs]
            if not self.targets.isdisjoint(ends) or not self.run.isdisjoint(ends):
                self.run.add(node)

    def take(self, node: Node, gradients: Any) -> bool:
        """Note what has arrived at `node`. Returns whether it must run as well."""
        for edge in self.edges if gradients is not None else ():
            target, output = end_of(edge)
            if target is node and gradients[output] is not None:
                self.arrived[edge] = gradients[output]
        return node in self.run


def _run_node(ops: Any, node: Node, gradient: Any, wanted: _Wanted | None) -> Any:
    """What `node` sends, with its hooks called before and after; None if it need not run."""
    hooks, gradients = (
        node.hooks or NO_HOOKS,
        [gradient] if node.outputs == 1 and gradient is not None else gradient,
    )
    if gradients is not None:
        # on each output's sum
        for output, hook in (*hooks.tensor.values(), *hooks.retain.values()):
            if gradients[output] is not None:
                returned = hook(ops.as_tensor(gradients[output]))
                (gradients[output],) = _replaced(
                    ops, hook, [gradients[output]], None if returned is None else (returned,)
                )
    if wanted is not None and not wanted.take(node, gradients):
        return None
    sent = [None] * len(node.inputs)
    if gradients is not None:
        for _, hook in (*hooks.pre.values(),):
            gradients = _replaced(ops, hook, gradients, hook(_shown(ops, gradients)))
        try:
            sent = node.apply(ops, gradients[0] if node.outputs == 1 else gradients)
        except Exception:
            recording.publish("on_node_failed", node)
            raise
    if hooks.post:
        sent = [
            g if g is None or producer is None else _fit(ops, g, node, producer, output)
            for g, (producer, output) in zip(sent, node.next_functions)
        ]
    for _, hook in (*hooks.post.values(),):
        sent = _replaced(ops, hook, sent, hook(_shown(ops, sent), _shown(ops, gradients or [None])))
    if gradients is not None:
        recording.publish("on_node_ran", node, sent)
    return sent


def _shown(ops: Any, gradients: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(None if g is None else ops.as_tensor(g) for g in gradients)


def _replaced(ops: Any, hook: Any, gradients: Any, returned: Any) -> list[Any]:
    """`gradients`, or in their place what `hook` returned, one or a tuple. Raises RuntimeError if
    that does not fit.
    """
    if returned is None:
        return list(gradients)
    returned = returned if isinstance(returned, tuple) else (returned,)
    check(
        len(returned) == len(gradients),
        "hook '{}' has returned an incorrect number of values (got {}, but expected {})",
        hook.__name__,
        len(returned),
        len(gradients),
    )
    new = [None if g is None else ops.from_tensor(g) for g in returned]
    for g, old in zip(new, gradients):
        check(
            g is None or old is None or g.shape == old.shape,
            "hook '{}' has changed the size of value: {} became {}",
            hook.__name__,
            list(getattr(old, "shape", ())),
            list(getattr(g, "shape", ())),
        )
    return new

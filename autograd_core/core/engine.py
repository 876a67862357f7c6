"""The walk back: which node is next, what is summed, what is freed.

1. Count, for every node that the roots reach, how many edges lead into it: so many gradients it must wait for.
2. Start with the roots' gradients. Take the ready node that was recorded last; it has its sum: run it.
3. Add what it sends to what its inputs' nodes have received so far. A node that has received all is ready.
4. Until nothing is ready. Interior gradients live in this call and die with it; only `AccumulateGrad` keeps one.

The loop is iterative, so a chain may be as long as memory allows. The order of nodes is PyTorch's, also among leaves,
which all count as recorded last: its queue is a C++ `std::priority_queue`, and `heapq` moves equals just as that does.
"""

from heapq import heappop, heappush
from operator import attrgetter

import numpy as np

from .graph import AccumulateGrad, Output, check, end_of
from .recording import recording


def run(ops, roots, gradients, *, retain_graph=False, captures=None, accumulate=True):
    """Send `gradients` back from the edges `roots`.

    ops         the operations by name, which rules call: on arrays, or under `create_graph` recorded, on tensors.
    captures    None: run everything, and let each leaf accumulate. Otherwise edges whose gradients are wanted; only
                nodes on a path to them run.
    accumulate  with captures: True lets captured leaves accumulate into `.grad`; False returns the gradients instead.

    Returns a dict {edge: gradient} for `captures`: arrays, or tensors with a graph under `create_graph`.
    """
    waiting = _edges_into(roots)
    captures = captures and _Captures(captures, waiting, accumulate)
    watched = captures.targets if captures else ()          # the nodes at which somebody waits for what arrives
    arrived, ready, sender = {}, [], None                   # ready: a heap of (-sequence_nr, node, its sum)
    edges, sent = roots, gradients
    (enabled, subscribers), recording.enabled = recording.state, ops.creates_graph
    try:
        while True:
            for node, gradient in zip(edges, sent):
                if node is None:
                    continue
                output = None
                if type(node) is Output:
                    node, output = node
                if captures is not None and not captures.want(node):
                    continue
                before = arrived.pop(node, None)
                if gradient is None:
                    gradient = before
                else:
                    numbers = gradient._array if ops.creates_graph else gradient
                    if numbers.shape != node.shape or numbers.dtype is not node.dtype:
                        gradient = _fit(ops, gradient, sender, node, output)
                    if output is not None:                  # of several outputs a list is collected
                        sums = before or [None] * node.outputs
                        sums[output] = gradient if sums[output] is None else ops.add(sums[output], gradient)
                        gradient = sums
                    elif before is not None:
                        gradient = ops.add(before, gradient)
                if waiting[node] == 1:
                    heappush(ready, (-node.sequence_nr, node, gradient))
                else:
                    waiting[node] -= 1
                    arrived[node] = gradient
            sent = None
            while sent is None:                             # a node need not run, where only others are wanted
                if not ready:
                    return captures.arrived if captures else {}
                _, sender, gradient = heappop(ready)
                if subscribers or gradient is None or sender.hooks is not None or sender in watched:
                    sent = _run_node(ops, sender, gradient, captures)
                else:
                    sent = sender.apply(ops, gradient)      # nearly always: nobody looks on
                if not retain_graph and sender.versions and sent is not None:
                    sender.free()
            edges = sender.inputs
    finally:
        recording.enabled = enabled


def _edges_into(roots):
    """How many edges lead into each node that can be reached by the edges `roots`, these counted too: {node: count}."""
    counts, stack, edges = {}, [], roots
    seen = counts.get
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


def _fit(ops, gradient, sender, node, output):
    """`gradient` in the shape and type of the tensor it belongs to, or a RuntimeError that names the wrong rule."""
    shape, dtype = (node.shape, node.dtype) if node.outputs == 1 else (node.shape[output], node.dtype[output])
    if gradient.shape != shape:
        pairs = zip(shape[::-1], gradient.shape[::-1])
        stretched = len(gradient.shape) >= len(shape) and all(n in (1, m) for n, m in pairs)
        check(stretched and sender.broadcasts, "Function {} returned an invalid gradient: got {} but expected shape "
              "compatible with {}", sender.name(), list(gradient.shape), list(shape))
        gradient = _unbroadcast(ops, gradient, shape)
    return ops.cast(gradient, dtype)


def _unbroadcast(ops, gradient, shape):
    """Sum `gradient` back to `shape`: the transpose of NumPy's broadcasting, needed in this one place."""
    lead = len(gradient.shape) - len(shape)
    if not ops.creates_graph and len(shape) == lead == 1 and gradient.shape[1:] == shape:
        return np.dot(np.ones(len(gradient), gradient.dtype), gradient)     # a layer's bias: 5 times faster than a sum
    stretched = (i for i, n in enumerate(shape, lead) if n == 1 and gradient.shape[i] != 1)
    return ops.reshape(ops.sum_dim(gradient, (*range(lead), *stretched), True), shape)


# ---- where somebody looks on: hooks, subscribers, gradients that are asked for -------------------------------------


class _Captures:
    """The edges whose gradients are wanted, what has arrived there, and the nodes that must run for it."""

    def __init__(self, edges, nodes, accumulate):
        self.edges, self.arrived, self.run = edges, {}, set()
        self.targets = {end_of(edge)[0] for edge in edges}
        for node in sorted(nodes, key=attrgetter("sequence_nr")):
            if any(end in self.targets or end in self.run for end, _ in node.next_functions):
                self.run.add(node)
        if accumulate:
            self.run |= {node for node in self.targets if isinstance(node, AccumulateGrad)}

    def want(self, node):
        """Whether something that arrives at `node` is of use."""
        return node in self.run or node in self.targets

    def take(self, node, gradients):
        """Note what has arrived at `node`. Returns whether it must run as well."""
        if node in self.targets and gradients is not None:
            parts = {edge: gradients[end_of(edge)[1]] for edge in self.edges if end_of(edge)[0] is node}
            self.arrived |= {edge: part for edge, part in parts.items() if part is not None}
        return node in self.run


def _run_node(ops, node, gradient, captures):
    """What `node` sends, with its hooks called before and after; None if it need not run."""
    hooks = node.hooks
    gradients = [gradient] if node.outputs == 1 and gradient is not None else gradient
    if hooks is not None and gradients is not None:
        _run_tensor_hooks(ops, hooks, gradients)
    if captures is not None and not captures.take(node, gradients):
        return None
    if hooks is not None and hooks.pre and gradients is not None:
        gradients = _run_node_hooks(ops, hooks.pre, gradients)
    sent = [None] * len(node.inputs)
    if gradients is not None:
        try:
            sent = node.apply(ops, gradients[0] if node.outputs == 1 else gradients)
        except Exception:
            recording.publish("on_node_failed", node)
            raise
        recording.publish("on_node_ran", node, sent)
    if hooks is not None and hooks.post:
        sent = [g if g is None or producer is None else _fit(ops, g, node, producer, output)
                for g, (producer, output) in zip(sent, node.next_functions)]
        sent = _run_node_hooks(ops, hooks.post, sent, gradients or [None])
    return sent


def _run_tensor_hooks(ops, hooks, gradients):
    """Hooks on tensors see each output's summed gradient; what they return takes its place in the list `gradients`."""
    for output, hook in (*hooks.tensor.values(), *hooks.retain.values()):
        if gradients[output] is not None:
            replaced = hook(ops.as_tensor(gradients[output]))
            if replaced is not None:
                replaced = ops.from_tensor(replaced)
                _check_size(hook, replaced, gradients[output])
                gradients[output] = replaced


def _run_node_hooks(ops, hooks, *groups):
    """Call `hook(*groups)` with tuples of tensors; a returned tuple replaces the first group."""
    first, *rest = ([None if g is None else ops.as_tensor(g) for g in group] for group in groups)
    for _, hook in hooks.values():
        replaced = hook(tuple(first), *map(tuple, rest))
        if replaced is not None:
            replaced = list(replaced) if isinstance(replaced, tuple) else [replaced]
            check(len(replaced) == len(first), "hook '{}' has returned an incorrect number of values (got {}, but expected "
                  "{})", hook.__name__, len(replaced), len(first))
            for new, old in zip(replaced, first):
                if new is not None and old is not None:
                    _check_size(hook, new, old)
            first = replaced
    return [None if g is None else ops.from_tensor(g) for g in first]


def _check_size(hook, new, old):
    check(new.shape == old.shape, "hook '{}' has changed the size of value: {} became {}", hook.__name__, list(old.shape),
          list(new.shape))

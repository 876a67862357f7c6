"""The walk back: which node is next, what is summed, what is freed.

1. Count, for every node that the roots reach, how many edges lead into it: so many gradients it must wait for.
2. Start with the roots' gradients. Take the ready node that was recorded last; it has its sum: run it.
3. Add what it sends to what its inputs' nodes have received so far. A node that has received all is ready.
4. Until nothing is ready. Interior gradients live in this call and die with it; only `AccumulateGrad` keeps one.

The loop is iterative, so a chain may be as long as memory allows. The order of nodes is PyTorch's.
"""

from .graph import AccumulateGrad, arrays, recording, tensors


class ReadyQueue:
    """The nodes that have received all their gradients; `pop` gives the one recorded last.

    Leaves all count as recorded last of all, so several can be equal. PyTorch keeps its queue in a C++
    `std::priority_queue`; this is the same binary heap, so that equals leave in the same order.
    """

    def __init__(self):
        self.heap = []

    def __bool__(self):
        return bool(self.heap)

    def push(self, node):
        self.heap.append(node)
        self._rise(len(self.heap) - 1, node)

    def pop(self):
        heap = self.heap
        last = heap.pop()
        if not heap:
            return last
        top, hole, size = heap[0], 0, len(heap)
        while (child := 2 * hole + 2) <= size:               # move the hole down along the greater children
            if child == size or heap[child].sequence_nr < heap[child - 1].sequence_nr:
                child -= 1
            heap[hole], hole = heap[child], child
        self._rise(hole, last)
        return top

    def _rise(self, hole, node):
        heap = self.heap
        while hole and heap[parent := (hole - 1) // 2].sequence_nr < node.sequence_nr:
            heap[hole], hole = heap[parent], parent
        heap[hole] = node


def _edges_into(roots):
    """How many edges lead into each node that can be reached from the nodes `roots`: {node: count}."""
    counts, stack = {}, []
    for node in roots:
        if node not in counts:
            counts[node] = 0
            stack.append(node)
        counts[node] += 1
    while stack:
        for producer, _ in stack.pop().next_functions:
            if producer is not None:
                if producer in counts:
                    counts[producer] += 1
                else:
                    counts[producer] = 1
                    stack.append(producer)
    return counts


def _wanted(nodes, captures):
    """Of `nodes`, those that must run so that something arrives at the edges `captures`."""
    targets = {node for node, _ in captures}
    run = set()
    for node in sorted(nodes, key=lambda n: -1 if isinstance(n, AccumulateGrad) else n.sequence_nr):
        if any(producer in targets or producer in run for producer, _ in node.next_functions):
            run.add(node)
    return run


def _unbroadcast(ops, gradient, shape):
    """Sum `gradient` back to `shape`: the transpose of NumPy's broadcasting, needed in this one place."""
    lead = len(gradient.shape) - len(shape)
    stretched = (i for i, n in enumerate(shape, lead) if n == 1 and gradient.shape[i] != 1)
    return ops.reshape(ops.sum_dim(gradient, (*range(lead), *stretched), True), shape)


def _fit(ops, gradient, sender, node, output):
    """`gradient` in the shape and type of the tensor it belongs to, or a RuntimeError that names the wrong rule."""
    shape, dtype = (node.shape, node.dtype) if node.outputs == 1 else (node.shape[output], node.dtype[output])
    if gradient.shape != shape:
        pairs = zip(shape[::-1], gradient.shape[::-1])
        stretched = len(gradient.shape) >= len(shape) and all(n in (1, m) for n, m in pairs)
        if not (stretched and sender.operation.broadcasts):
            raise RuntimeError(f"Function {sender.name()} returned an invalid gradient: got {list(gradient.shape)} but "
                               f"expected shape compatible with {list(shape)}")
        gradient = _unbroadcast(ops, gradient, shape)
    return ops.cast(gradient, dtype)


def _run_tensor_hooks(ops, hooks, gradient, node):
    """Hooks on tensors see each output's summed gradient; what they return takes its place."""
    parts = [gradient] if node.outputs == 1 else gradient
    for output, hook in (*hooks.tensor.values(), *hooks.retain.values()):
        if parts[output] is not None:
            replaced = hook(ops.as_tensor(parts[output]))
            if replaced is not None:
                replaced = ops.from_tensor(replaced)
                _check_size(hook, replaced, parts[output])
                parts[output] = replaced
    return parts[0] if node.outputs == 1 else parts


def _check_size(hook, new, old):
    if new.shape != old.shape:
        raise RuntimeError(f"hook '{hook.__name__}' has changed the size of value: {list(old.shape)} became "
                           f"{list(new.shape)}")


def _run_node_hooks(ops, hooks, *groups):
    """Call `hook(*groups)` with tuples of tensors; a returned tuple replaces the first group."""
    first, *rest = ([None if g is None else ops.as_tensor(g) for g in group] for group in groups)
    for _, hook in hooks.values():
        replaced = hook(tuple(first), *map(tuple, rest))
        if replaced is not None:
            replaced = list(replaced) if isinstance(replaced, tuple) else [replaced]
            if len(replaced) != len(first):
                raise RuntimeError(f"hook '{hook.__name__}' has returned an incorrect number of values (got "
                                   f"{len(replaced)}, but expected {len(first)})")
            for new, old in zip(replaced, first):
                if new is not None and old is not None:
                    _check_size(hook, new, old)
            first = replaced
    return [None if g is None else ops.from_tensor(g) for g in first]


def run(roots, gradients, *, retain_graph=False, create_graph=False, captures=None, accumulate=True):
    """Send `gradients` back from the edges `roots` ((node, output number) pairs).

    captures    None: run everything, and let each leaf accumulate. Otherwise edges whose gradients are wanted; only
                nodes on a path to them run.
    accumulate  with captures: True lets captured leaves accumulate into `.grad`; False returns the gradients instead.

    Returns a dict {edge: gradient} for `captures`: arrays, or tensors with a graph under `create_graph`.
    """
    ops = tensors if create_graph else arrays
    waiting = _edges_into(node for node, _ in roots)
    run_only = None if captures is None else _wanted(waiting, captures)
    targets = {node for node, _ in captures or ()}
    captured, arrived, ready, runner = {}, {}, ReadyQueue(), recording.runner

    def send(node, output, gradient):
        if run_only is not None and node not in run_only and node not in targets:
            return
        if gradient is not None:
            if node.outputs == 1:
                before = arrived.get(node)
                arrived[node] = gradient if before is None else ops.add(before, gradient)
            else:
                parts = arrived.setdefault(node, [None] * node.outputs)
                parts[output] = gradient if parts[output] is None else ops.add(parts[output], gradient)
        waiting[node] -= 1
        if not waiting[node]:
            ready.push(node)

    enabled_before, recording.enabled = recording.enabled, create_graph
    try:
        for (node, output), gradient in zip(roots, gradients):
            send(node, output, gradient)
        while ready:
            node = ready.pop()
            gradient = arrived.pop(node, None)
            hooks = node.hooks
            if hooks is not None and gradient is not None:
                gradient = _run_tensor_hooks(ops, hooks, gradient, node)
            if node in targets:
                for edge in captures:
                    if edge[0] is node and gradient is not None:
                        captured[edge] = gradient if node.outputs == 1 else gradient[edge[1]]
                if node not in run_only and not (accumulate and isinstance(node, AccumulateGrad)):
                    continue
            if hooks is not None and hooks.pre and gradient is not None:
                parts = _run_node_hooks(ops, hooks.pre, [gradient] if node.outputs == 1 else gradient)
                gradient = parts[0] if node.outputs == 1 else parts
            sent = (None,) * len(node.next_functions) if gradient is None else [
                g if g is None or producer is None else _fit(ops, g, node, producer, output)
                for g, (producer, output) in zip(runner(node, ops, gradient) if runner else node.apply(ops, gradient),
                                                 node.next_functions)]
            if hooks is not None and hooks.post:
                sent = _run_node_hooks(ops, hooks.post, sent, [gradient] if node.outputs == 1 else gradient)
            if not retain_graph:
                node.free()
            for (producer, output), gradient in zip(node.next_functions, sent):
                if producer is not None:
                    send(producer, output, gradient)
    finally:
        recording.enabled = enabled_before
    return captured

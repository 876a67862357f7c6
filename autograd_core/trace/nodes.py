"""What is asked of a node of either engine: the graph below it, what it is known by, its numbers."""

import numpy as np


def walk(*roots):
    """All nodes that can be reached from the nodes `roots`, as a list, without recursion."""
    seen, stack = {}, list(roots)
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen[node] = None
            stack.extend(producer for producer, _ in node.next_functions)
    return list(seen)


def is_leaf(node):
    """Whether `node` is an AccumulateGrad, of either engine."""
    return hasattr(node, "variable")


def key_of(node):
    """What identifies a node on a tape: its sequence number, or the identity of a leaf's variable."""
    return id(node.variable) if is_leaf(node) else node._sequence_nr()


def copy(tensor):
    """The numbers of a tensor of either engine as an array of its own; None stays None."""
    return None if tensor is None else np.array(tensor.detach().numpy())


def saved_in(node):
    """What a node keeps for its rule, as (argument, tensor or other value); nothing once it is freed."""
    names = getattr(node.operation, "save_names", ()) if hasattr(node, "operation") else [
        name.removeprefix("_saved_") for name in dir(node) if name.startswith("_saved_")]
    for name in names:
        try:
            yield name, getattr(node, f"_saved_{name}")
        except (RuntimeError, AttributeError):          # freed, or not kept by PyTorch in this case
            continue

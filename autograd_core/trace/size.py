"""The size of the graph that tensors of either engine keep alive."""

from typing import Any

import numpy as np

from .nodes import check_bearable, is_leaf, saved_in, walk


def graph_size(*tensors: Any) -> tuple[int, int]:
    """The size of the graph of `tensors`: (number of its nodes, bytes of the tensors that these
    nodes have saved).

    Tensors without a graph, None, and plain numbers count as 0. Memory that several nodes share
    counts once. The memory of leaves (parameters) doesn't count, because it exists without the
    graph. Tensors that a backward pass has freed or that a hook has packed don't count either.
    Raises ValueError for PyTorch graphs that are too large to be visited.
    """
    check_bearable(*tensors, what="graph_size")
    nodes = walk(*(getattr(tensor, "grad_fn", None) for tensor in tensors))
    kept: dict[int, int] = {}  # address -> bytes
    for _, value in (saved for node in nodes for saved in saved_in(node)):
        for tensor in value if isinstance(value, (tuple, list)) else (value,):
            if hasattr(tensor, "grad_fn"):
                address, size = _memory_of(tensor)
                kept[address] = max(size, kept.get(address, 0))
    for leaf in filter(is_leaf, nodes):
        kept.pop(_memory_of(leaf.variable)[0], None)
    return len(nodes), sum(kept.values())


def _memory_of(tensor: Any) -> tuple[int, int]:
    """(address, bytes) of a tensor. A scalar of autograd_core is an object without an array."""
    array = getattr(tensor, "_array", None)
    if isinstance(array, np.generic):
        return id(array), array.nbytes
    array = tensor.detach().numpy()
    return array.__array_interface__["data"][0], array.nbytes

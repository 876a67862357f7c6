"""One interface to the nodes and tensors of both engines: their graph, keys, numbers and size."""

import functools
import gc
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any

import numpy as np

from ..core.graph import Node

ENGINES = ("autograd_core", "torch")
MOST_NODES = 20_000  # nodes in a PyTorch graph that is visited, and in a graph that `follow` counts
MOST_ALIVE = 30_000  # visited nodes of PyTorch that exist: see `check_bearable`
# Nodes that PyTorch adds when a view is modified in place. They aren't operations on a tape.
ALIAS = "AliasBackward0"  # added to the results of a learner's subclass of Tensor
OF_VIEWS = {"torch::autograd::CopySlices", "AsStridedBackward0", "AsStridedBackward1", ALIAS}


def _producers(node: Any) -> Iterable[Any]:
    return (producer for producer, _ in node.next_functions)


def walk(*roots: Any, below: Callable[[Any], Iterable[Any]] = _producers) -> list[Any]:
    """All nodes reachable from `roots`, where `below` returns the next nodes. No recursion."""
    seen: dict[Any, None] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen[node] = None
            stack.extend(below(node))
    return list(seen)


def some_nodes(*roots: Any) -> tuple[list[Any], bool]:
    """(the nodes reachable from `roots`, whether they are too many: then the rest isn't visited)."""
    counted, most = itertools.count(1), max(Visit.alive, MOST_ALIVE)

    def below(node: Any) -> Iterable[Any]:
        if not is_leaf(node):
            key_of(node)  # counts it
        return () if next(counted) > MOST_NODES or Visit.alive > most else _producers(node)

    nodes = walk(*roots, below=below)
    return nodes, len(nodes) > MOST_NODES or Visit.alive > most


def check_bearable(*tensors: Any, what: str) -> None:
    """Raise ValueError if a PyTorch graph, or all that were visited and still exist, are too large.

    PyTorch keeps a Python object for each node that Python has visited. It frees a chain of such
    nodes by recursion with 210 bytes of stack each: 41,000 nodes crashed a process with 8 MB stack.
    """
    roots = [node_of(tensor) for tensor in tensors if engine_of(tensor) == "torch"]
    if some_nodes(*roots)[1]:
        raise ValueError(
            f"this PyTorch graph has more than {MOST_NODES:,} nodes, or all visited graphs that exist"
            f" have more than {MOST_ALIVE:,}: Python would crash without an error when PyTorch frees"
            f" the nodes that {what} has visited. Cut the graph off from earlier steps by detach(),"
            " take fewer steps, or delete earlier losses; autograd_core's own graphs may be larger"
        )


def is_leaf(node: Any) -> bool:
    """Whether `node` is an AccumulateGrad of either engine."""
    return hasattr(node, "variable")


class Visit:
    """The key of a PyTorch node, in its metadata. `alive` counts those of nodes that still exist."""

    alive, keys = 0, itertools.count()

    def __init__(self) -> None:
        self.key = next(self.keys)
        Visit.alive += 1

    def __del__(self) -> None:
        self.__class__.alive -= 1


def key_of(node: Any) -> int:
    """The key of a node on a tape, or the id of its variable for a leaf: its sequence number. PyTorch
    starts these at 0 in each thread, so its nodes get other keys.
    """
    if is_leaf(node):
        return id(node.variable)
    key: int = node._sequence_nr()
    if not isinstance(node, Node):
        key = (node.metadata.get(__name__) or node.metadata.setdefault(__name__, Visit())).key
    return key


def graph_of(tensor: Any, what: str) -> list[Any]:
    """The nodes in the graph of `tensor` in recording order, after `check_bearable`."""
    check_bearable(tensor, what=what)
    return sorted(walk(tensor.grad_fn), key=lambda node: node._sequence_nr())


def in_order(keys: Iterable[int], graph: Mapping[int, Any]) -> Iterator[int]:
    """The keys in their order, but with the inputs of each node before the node. Sequence numbers
    don't ensure that if several threads built the graph. `graph` has the nodes by key.
    """
    done = set[int]()
    for key in keys:
        waiting = [key]
        while waiting:
            node = graph.get(waiting[-1])
            inputs = () if node is None else (p for p, _ in node.next_functions if p is not None)
            before = [k for p in inputs if not is_leaf(p) and (k := key_of(p)) not in done]
            waiting += before
            if not before and (last := waiting.pop()) not in done:
                done.add(last)
                yield last


def saved_in(node: Any) -> Iterator[tuple[str, Any]]:
    """(argument, tensor or other value) that a node saved for its backward rule; nothing if freed.

    Packed tensors are omitted, because a checkpoint would run its forward pass again to unpack them.
    """
    node_type: Any = type(node)
    for name in saved_names(node_type):
        try:
            if not _is_packed(node, name):
                yield name, getattr(node, f"_saved_{name}")
        except (RuntimeError, AttributeError):  # freed, or not kept by PyTorch in this case
            continue


def _is_packed(node: Any, name: str) -> bool:
    raw = getattr(node, f"_raw_saved_{name}", None)
    return any(
        getattr(part, "unpack_hook", None) for part in (raw if isinstance(raw, tuple) else (raw,))
    )


def has_packed(node: Any) -> bool:
    node_type: Any = type(node)
    return any(_is_packed(node, name) for name in saved_names(node_type))


def argument(name: str) -> str:
    """The name of an argument in autograd_core, given its name in PyTorch."""
    return "input" if name == "self" else name


@functools.cache
def saved_names(node_type: Any) -> list[str]:
    if hasattr(node_type, "operation"):
        return [saved.name for saved in node_type.operation.saves]
    return [name.removeprefix("_saved_") for name in dir(node_type) if name.startswith("_saved_")]


def engine_of(thing: Any) -> str:
    """The package of a tensor or a module: "autograd_core" or "torch"; "" for any other."""
    for base in type(thing).__mro__:
        package = str(base.__module__).partition(".")[0]
        if package in ENGINES:
            return package
    return ""


def is_a(thing: Any, kind: str) -> bool:
    """Whether a thing is an instance of the engine's class `kind`, for example "nn.Module". It may be
    any object, so no attribute of it is read.
    """
    engine = engine_of(thing)
    return bool(engine) and issubclass(type(thing), attrgetter(kind)(sys.modules[engine]))


def living(kind: str) -> list[Any]:
    """All objects in memory that are instances of the class `kind` of either engine: takes 50 ms."""
    of_kind: dict[type, bool] = {}
    found = []
    for thing in gc.get_objects():
        if type(thing) not in of_kind:
            of_kind[type(thing)] = is_a(thing, kind)
        if of_kind[type(thing)]:
            found.append(thing)
    return found


def node_of(tensor: Any) -> Any:
    """The `grad_fn` of a tensor. None for anything else, and None if PyTorch raises an error for it
    (a view made under no_grad whose base was modified later).
    """
    try:
        return getattr(tensor, "grad_fn", None)
    except RuntimeError:
        return None


def in_graph(tensor: Any) -> bool:
    """Whether a gradient can reach it. PyTorch's view of a leaf made under no_grad gets none."""
    if not tensor.requires_grad or node_of(tensor) is not None:
        return bool(tensor.requires_grad)
    return tensor._base is None or not tensor._base.requires_grad


def numbers_of(tensor: Any) -> np.ndarray:
    """The numbers of a tensor: its own array, or a converted copy if NumPy can't represent them
    (bfloat16, a sparse tensor, a tensor on another device).
    """
    if hasattr(tensor, "_array"):
        return np.asarray(tensor._array)
    plain = tensor.detach()
    try:
        return np.asarray(plain.numpy())
    except (TypeError, RuntimeError):
        torch = sys.modules["torch"]
        if plain.is_nested:
            return numbers_of(plain.values())
        if plain.layout != torch.strided:
            plain = plain.to_dense()
        small = plain.is_floating_point() and plain.dtype.itemsize < 4
        return np.asarray(plain.to(torch.float32 if small else plain.dtype).numpy(force=True))


def shape_and_type(tensor: Any) -> tuple[tuple[int, ...], str]:
    """((2, 3), "float32") of a tensor. A nested tensor counts as all its rows concatenated. A lazy
    parameter has the shape () before its first use.
    """
    if getattr(tensor, "is_nested", False):
        tensor = tensor.values()
    shape = () if hasattr(type(tensor), "materialize") else tuple(tensor.shape)
    return shape, str(tensor.dtype).removeprefix("torch.")


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

"""The graph: which operation made a tensor, and what that operation needs to send a gradient back.

    w (leaf)         y = w * x               the graph that y holds
    requires_grad    y.grad_fn  ──────────►  MulBackward0 ── input 0 ──► AccumulateGrad of w
                                                          └─ input 1 ──► AccumulateGrad of x

A tensor points at the `Node` that made it (`grad_fn`); a node points at the nodes of its inputs
(`next_functions`). Nothing points forward, so a network does not know its losses, but every loss
knows its network. When the last tensor that points at a graph goes, the graph goes with it, at
once: there are no reference cycles, but where `backward(create_graph=True)` made one, from a leaf
by its `.grad` to the graph."""

import itertools
from collections.abc import Callable
from typing import Any

Edge = tuple["Node | None", int]  # where a gradient goes: a node, and to which of its outputs
NO_EDGE: Edge = (None, 0)  # the edge of a tensor that takes no gradient
LEAF: Edge = (None, -1)  # the edge of a tensor that keeps its gradient itself
FREED: Any = object()  # what `saved` is once a backward pass has used and released it
next_sequence_nr = itertools.count().__next__


def check(
    holds: object, message: str, *values: object, error: type[Exception] = RuntimeError
) -> None:
    """Raises `error` unless `holds`; the `{}` of `message` are filled in with `values` only then."""
    if not holds:
        raise error(message.format(*values))


class Node:
    """One recorded operation. Each operation has its own subclass, named as PyTorch names it
    (`MulBackward0`).

    next_functions  one edge for each input: where its gradient goes; `NO_EDGE` for a constant.
    saved           the values that the rules need, operands first; `FREED` once they were released.
    versions        for each operand among them the counter of its changes (a list of one integer,
                    shared by all views) and what that counted when it was saved; `CONSTANT` for
                    what cannot change.
    sequence_nr     how many nodes were recorded before this one; backward runs the highest ready
                    number first.
    shape, dtype    of the forward's output, so of the gradient that arrives; one of each per output
                    if `outputs` > 1.
    """

    # No __getattr__ here: for a class that has one, Python finds every attribute several times
    # slower.
    __slots__ = (
        "next_functions",
        "saved",
        "versions",
        "sequence_nr",
        "shape",
        "dtype",
        "hooks",
        "_metadata",
        "__weakref__",
    )
    next_functions: tuple[Edge, ...]
    saved: Any
    versions: tuple[tuple[Any, int], ...]
    sequence_nr: float
    shape: Any
    dtype: Any
    hooks: "Hooks | None"
    # the end of PyTorch's message about saved tensor i, whose beginning has the opening bracket:
    describe_saved: Callable[..., str]  # "torch.FloatTensor [2, 3]], which is output 0 of Mul"
    outputs = 1
    broadcasts = False  # whether its rules may send a stretched gradient, to be summed

    def __lt__(self, other: "Node") -> bool:
        """Nodes with equal numbers count as equal, in a queue: which one leaves first, its own
        order decides.
        """
        return False

    def apply(self, ops: Any, gradient: Any) -> Any:
        """What goes to each input, given what arrived: one entry per edge, `None` where nothing is
        sent.

        ops  the operations by name, which rules call: on arrays, or recorded ones under
             `create_graph`.

        Each kind of node has its own: `OperationNode` (`operation.py`) runs the rules of an
        operation, `AccumulateGrad` adds to `.grad`. The engine calls it: `_walk` in `engine.py`.
        """
        raise NotImplementedError

    def name(self) -> str:
        """The node's name, as PyTorch has it: "MulBackward0"."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"cannot pickle '{type(self).__name__}' object: copy or save y.detach() in place of y"
        )

    def _sequence_nr(self) -> float:
        return min(self.sequence_nr, 2**64 - 1)

    # ---- what it saved ---------------------------------------------------------------------------

    def check_saved(self) -> Any:
        """The saved values; raises RuntimeError if they were freed, or changed in place since they
        were saved.
        """
        check(
            self.saved is not FREED,
            "Trying to backward through the graph a second time (or directly access saved tensors"
            " after they have already been freed). Saved intermediate values of the graph are freed"
            " when you call .backward() or autograd.grad(). Specify retain_graph=True if you need"
            " to backward through the graph a second time or if you need to access saved tensors"
            " after calling backward.",
        )
        for index, (counter, version) in enumerate(self.versions):
            if counter[0] != version:
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by an"
                    f" inplace operation: [{self.describe_saved(index)}, is at version"
                    f" {counter[0]}; expected version {version} instead. Hint: the tensor that"
                    f" {self.name()} saved was changed after it was saved; make a new tensor"
                    " instead of changing it in place (y = y + 1, not y += 1)"
                )
        return self.saved

    def free(self) -> None:
        """Release the saved tensors. A node that saved none keeps what it has, so it can run again."""
        if self.versions:
            self.saved, self.versions = FREED, ()

    # ---- hooks -----------------------------------------------------------------------------------

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict of one's own to keep beside the node."""
        if not hasattr(self, "_metadata"):
            self._metadata: dict[str, Any] = {}
        return self._metadata

    def register_hook(self, hook: Callable[..., Any]) -> "RemovableHandle":
        """Call `hook(grad_inputs, grad_outputs)` after this node has run: what it sent, what it
        received.

        Both are tuples of tensors; a returned tuple replaces `grad_inputs`. Returns a handle with
        `remove()`."""
        return Hooks.of(self).add("post", hook)

    def register_prehook(self, hook: Callable[..., Any]) -> "RemovableHandle":
        """Call `hook(grad_outputs)` before this node runs, with the tuple of sums that arrived.

        A returned tuple replaces it. Returns a handle with `remove()`.
        """
        return Hooks.of(self).add("pre", hook)


class AccumulateGrad(Node):
    """Where a gradient ends: `variable.grad` grows by what arrives. It counts as recorded last:
    once ready, it is next.
    """

    __slots__ = ("variable",)
    sequence_nr = float("inf")
    saved = versions = next_functions = ()

    def __init__(self, variable: Any):
        self.variable, self.hooks, self.shape, self.dtype = (
            variable,
            None,
            variable._array.shape,
            variable._array.dtype,
        )

    def name(self) -> str:
        # while PyTorch prints its type as AccumulateGrad
        return "torch::autograd::AccumulateGrad"

    def apply(self, ops: Any, gradient: Any) -> Any:
        """Add what arrived to `variable.grad`: `TensorBase._accumulate_grad` in `tensor.py`."""
        if self.variable._edge is LEAF:  # it is not if it was frozen after the forward pass
            self.variable._accumulate_grad(ops, gradient)
        return ()


# {id of the handle: (number of the output, hook)}
Registered = dict[int, tuple[int, Callable[..., Any]]]


class Hooks:
    """The functions to call around one node, in the order in which they were registered.

    tensor   on the summed gradient of one output, before anything else: `Tensor.register_hook`
    retain   after those: `Tensor.retain_grad`
    pre      on all arrived sums: `Node.register_prehook`
    post     on what was sent and what had arrived: `Node.register_hook`
    accumulated  on a leaf whose `.grad` has just grown: `Tensor.register_post_accumulate_grad_hook`
    """

    def __init__(self) -> None:
        self.tensor, self.retain, self.pre, self.post, self.accumulated = (
            Registered() for _ in range(5)
        )

    @staticmethod
    def of(node: Node) -> "Hooks":
        node.hooks = node.hooks or Hooks()
        return node.hooks

    def add(self, kind: str, hook: Callable[..., Any], output: int = 0) -> "RemovableHandle":
        check(
            callable(hook), "a hook must be callable, not {}", type(hook).__name__, error=TypeError
        )
        return RemovableHandle(getattr(self, kind), (output, hook))


NO_HOOKS = Hooks()  # of a node that has none: never added to


class RemovableHandle:
    """What registering `hook` among `hooks` returns. `remove()` takes it away again; removing twice
    does no harm.
    """

    _ids = itertools.count().__next__

    def __init__(self, hooks: dict[int, Any], hook: Any):
        self.hooks, self.id = hooks, self._ids()
        hooks[self.id] = hook

    def remove(self) -> None:
        self.hooks.pop(self.id, None)

    def __enter__(self) -> "RemovableHandle":
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def spoken_name(node: Node) -> str:
    """The node as PyTorch's messages call it: "Mul" for MulBackward0, "Squeeze4" for
    SqueezeBackward4.
    """
    name, _, number = node.name().rpartition("Backward")
    return name + number.removeprefix("0") if number.isdigit() else node.name()

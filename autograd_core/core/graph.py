"""The graph: the operation that created each tensor, and what it saved for its backward rules.

    w (leaf)         y = w * x               the graph that y holds
    requires_grad    y.grad_fn  ──────────►  MulBackward0 ── input 0 ──► AccumulateGrad of w
                                                          └─ input 1 ──► AccumulateGrad of x

A tensor refers to the `Node` that created it (`grad_fn`), and a node refers to the nodes of its
inputs (`next_functions`). Nothing refers forward: a loss keeps its graph alive, but a parameter
doesn't refer to its losses. A graph is freed at once when the last tensor that refers to it is
deleted, because there are no reference cycles. Only `backward(create_graph=True)` makes one: the
`.grad` of a leaf refers to the graph, and the graph to the leaf."""

import itertools
from collections.abc import Callable
from typing import Any

Edge = tuple["Node | None", int]  # where a gradient goes: a node and the number of its output
NO_EDGE: Edge = (None, 0)  # the edge of a tensor that doesn't require a gradient
LEAF: Edge = (None, -1)  # the edge of a leaf, which keeps its gradient in `.grad`
FREED: Any = object()  # the value of `saved` after a backward pass has released it
next_sequence_nr = itertools.count().__next__


def check(
    holds: object, message: str, *values: object, error: type[Exception] = RuntimeError
) -> None:
    """Raise `error` unless `holds`. Only then are the `values` inserted into the `{}` of `message`."""
    if not holds:
        raise error(message.format(*values))


class Node:
    """One recorded operation. Each operation has its own subclass with PyTorch's name for it
    (`MulBackward0`).

    next_functions  one edge for each input, the destination of its gradient; `NO_EDGE` for a
                    constant.
    saved           the values that the rules need, operands first; `FREED` after their release.
    versions        for each operand among them, its version counter (a list of one integer, shared
                    by all views) and the version when it was saved; `CONSTANT` for a non-tensor.
    sequence_nr     how many nodes were recorded before this one. A backward pass runs the ready
                    node with the highest number first.
    shape, dtype    of the output, and so of the gradient that arrives. Lists with one entry for
                    each output if `outputs` > 1.
    """

    # This class has no __getattr__, because Python then looks up every attribute several times
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
    # the end of PyTorch's message about saved tensor i (the beginning has the opening bracket):
    describe_saved: Callable[..., str]  # "torch.FloatTensor [2, 3]], which is output 0 of Mul"
    outputs = 1
    broadcasts = False  # whether its rules may send a broadcast gradient, which the engine sums

    def __lt__(self, other: "Node") -> bool:
        """Nodes with equal sequence numbers count as equal in a heap, so the heap's own algorithm
        decides which of them runs first.
        """
        return False

    def apply(self, ops: Any, gradient: Any) -> Any:
        """Return the gradient for each input, given the `gradient` that arrived: one entry per edge,
        `None` if nothing is sent along it.

        ops  the operations by name, which rules call. They run on arrays, or under `create_graph`
             on tensors, and are recorded.

        The engine calls this method (`_walk` in `engine.py`). `OperationNode` (`operation.py`)
        runs the rules of an operation, and `AccumulateGrad` adds to `.grad`.
        """
        raise NotImplementedError

    def name(self) -> str:
        """The node's name in PyTorch: "MulBackward0"."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"cannot pickle '{type(self).__name__}' object: copy or save y.detach() in place of y"
        )

    def _sequence_nr(self) -> float:
        return min(self.sequence_nr, 2**64 - 1)

    # ---- saved values ----------------------------------------------------------------------------

    def check_saved(self) -> Any:
        """The saved values. Raises RuntimeError if they were freed, or modified in place after they
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
        """Release the saved values. A node without saved tensors keeps them, so it can run again."""
        if self.versions:
            self.saved, self.versions = FREED, ()

    # ---- hooks -----------------------------------------------------------------------------------

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict in which you can store data about the node."""
        if not hasattr(self, "_metadata"):
            self._metadata: dict[str, Any] = {}
        return self._metadata

    def register_hook(self, hook: Callable[..., Any]) -> "RemovableHandle":
        """Call `hook(grad_inputs, grad_outputs)` after this node has run, with the gradients that it
        sent and those that it received.

        Both are tuples of tensors. If the hook returns a tuple, this replaces `grad_inputs`. Returns
        a handle with `remove()`."""
        return Hooks.of(self).add("post", hook)

    def register_prehook(self, hook: Callable[..., Any]) -> "RemovableHandle":
        """Call `hook(grad_outputs)` before this node runs, with the tuple of its summed gradients.

        If the hook returns a tuple, this replaces them. Returns a handle with `remove()`.
        """
        return Hooks.of(self).add("pre", hook)


class AccumulateGrad(Node):
    """The end of a path: it adds the gradient that arrives to `variable.grad`. Its sequence number is
    infinite, so it runs as soon as it is ready.
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
        # as in PyTorch, although PyTorch calls its type AccumulateGrad
        return "torch::autograd::AccumulateGrad"

    def apply(self, ops: Any, gradient: Any) -> Any:
        """Add `gradient` to `variable.grad`, see `TensorBase._accumulate_grad` in `tensor.py`."""
        if self.variable._edge is LEAF:  # unless it was frozen after the forward pass
            self.variable._accumulate_grad(ops, gradient)
        return ()


# {id of the handle: (number of the output, hook)}
Registered = dict[int, tuple[int, Callable[..., Any]]]


class Hooks:
    """The hooks of one node. Those of one kind are called in the order of registration.

    tensor   get the summed gradient of one output, before anything else: `Tensor.register_hook`
    retain   are called after those: `Tensor.retain_grad`
    pre      get all summed gradients: `Node.register_prehook`
    post     get the sent and the received gradients: `Node.register_hook`
    accumulated  get a leaf after adding to its `.grad`: `Tensor.register_post_accumulate_grad_hook`
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


NO_HOOKS = Hooks()  # for all nodes without hooks; it stays empty


class RemovableHandle:
    """A handle to the registered `hook` in `hooks`. `remove()` unregisters it, and may be called
    again.
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
    """The name of a node in PyTorch's messages: "Mul" for MulBackward0, "Squeeze4" for
    SqueezeBackward4.
    """
    name, _, number = node.name().rpartition("Backward")
    return name + number.removeprefix("0") if number.isdigit() else node.name()

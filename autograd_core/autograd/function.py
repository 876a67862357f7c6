"""Function: an operation of your own, with the backward rule that you write for it.

    class Cube(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x ** 3

        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return g * 3 * x ** 2

    y = Cube.apply(x)               # y.grad_fn, a <CubeBackward>, is `ctx`

`forward` runs without recording; `backward` runs with recording under `create_graph=True`, so what
it computes can be differentiated again. As `torch.autograd.Function`, but for in-place functions
(`mark_dirty`), `setup_context`, `set_materialize_grads` and forward mode (`jvp`); lesson 14.
"""

from typing import Any

import numpy as np

from ..core.calls import version_of
from ..core.graph import NO_EDGE, Node, check, next_sequence_nr
from ..core.recording import recording
from ..core.tensor import TensorBase, wrap
from ..core.types import type_name
from .grad_mode import no_grad


class _AsOperation:
    """What a subscriber asks of a node's operation, answered for every Function."""

    variadic = True
    slots = saves = ()


class FunctionCtx(Node):
    """The context of one call, and its node: forward leaves here what backward needs. For each
    argument of `apply`, `needs_input_grad` says whether it requires a gradient.
    """

    operation, broadcasts = _AsOperation, True
    _to_save = _non_differentiable = ()

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{self.name()} object at {id(self):#x}>"

    def save_for_backward(self, *tensors) -> None:
        """Keep tensors (or None) for `backward`: `saved_tensors`. Changes in place are noticed."""
        self._to_save = tensors

    def mark_non_differentiable(self, *outputs) -> None:
        """Say that no gradient flows into these outputs; they will not require one."""
        self._non_differentiable = outputs

    @property
    def saved_tensors(self) -> tuple:
        """What was saved, in its place in the graph. Raises RuntimeError if freed, or changed."""
        return tuple(
            _alias(t, (self, self._own[i])) if i in self._own else t
            for i, t in enumerate(self.check_saved())
        )

    def _record(self, args, results, outs):
        """Become the node of `outs`, the `results` of forward (or aliases), and let go of them."""
        self._is_tensor = [isinstance(a, TensorBase) for a in args]
        self.next_functions = tuple(a._gradient_edge() for a in args if isinstance(a, TensorBase))
        self.sequence_nr, self.hooks, self.outputs = next_sequence_nr(), None, len(outs)
        arrays = [getattr(t, "_array", None) for t in outs]
        self._outs = [tuple(getattr(a, what, None) for a in arrays) for what in ("shape", "dtype")]
        several = self.outputs > 1
        self.shape, self.dtype = self._outs if several else [part[0] for part in self._outs]
        without = set(map(id, self._non_differentiable))
        takes = [
            _takes_gradient(out) and id(result) not in without for result, out in zip(results, outs)
        ]
        mine = [k for k, gradient in enumerate(takes) if gradient]
        self._own = {i: k for i, t in enumerate(self._to_save) for k in mine if t is outs[k]}
        saved = (_alias(t, NO_EDGE) if i in self._own else t for i, t in enumerate(self._to_save))
        self.saved = tuple(saved)
        self.versions = tuple(map(version_of, self.saved))
        for k in mine:
            outs[k]._edge = (self, k)
        self._to_save = self._non_differentiable = ()

    def apply(self, ops, gradient):
        """Call the Function's `backward`, when the node's turn has come, and check what it returns."""
        arrived, name = gradient if self.outputs > 1 else [gradient], self.name()
        shown = [_shown(ops, *part) for part in zip(arrived, *self._outs)]
        sent, wanted = self.function.backward(self, *shown), len(self._is_tensor)
        sent = sent if isinstance(sent, tuple) else (sent,)
        words = "function {} returned an incorrect number of gradients (expected {}, got {})"
        fits = len(sent) >= wanted and all(g is None for g in sent[wanted:])
        check(fits, words, name, wanted, len(sent))
        sent = [g for g, is_tensor in zip(sent, self._is_tensor) if is_tensor]
        return [None if g is None else ops.from_tensor(g) for g in sent]

    def describe_saved(self, index):
        saved = self.saved[index]
        return f"torch.{type_name(saved._array)}Tensor {list(saved.shape)}], saved by {self.name()}"


class Function:
    """The base of operations of your own. Write `forward` and `backward`; call `apply`."""

    def __init_subclass__(cls) -> None:
        if "setup_context" in vars(cls):
            raise NotImplementedError("autograd_core has no setup_context: save in forward(ctx, …)")
        cls._node_type = type(f"{cls.__name__}Backward", (FunctionCtx,), {"function": cls})

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        """The result or a tuple of results, from the arguments of `apply`."""
        raise NotImplementedError(f"{Function.__name__} needs a forward")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any, **unused: Any) -> Any:
        """A gradient (or None) for each argument of forward, from one for each of its results."""
        raise NotImplementedError(f"{Function.__name__} needs a backward")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run `forward` on `args` and record it, if one of them requires a gradient."""
        ctx, inputs = cls._node_type(), [a for a in args if isinstance(a, TensorBase)]
        ctx.needs_input_grad = tuple(isinstance(a, TensorBase) and a.requires_grad for a in args)
        with no_grad():
            result = cls.forward(ctx, *args)
        results, outs = result if isinstance(result, tuple) else (result,), []
        for out in results:
            is_input = any(out is x for x in inputs)
            if isinstance(out, TensorBase) and (out.requires_grad or is_input):
                out = _alias(out, NO_EDGE)
            outs.append(out)
        takes = any(map(_takes_gradient, outs))
        recorded = recording.enabled and any(ctx.needs_input_grad) and takes
        if recorded:
            ctx._record(args, results, outs)
        made = [out for out in outs if isinstance(out, TensorBase)]
        node = ctx if recorded else None
        recording.publish("on_operation", _AsOperation, node, [inputs], made)
        return tuple(outs) if isinstance(result, tuple) else outs[0]


def _shown(ops, gradient, shape, dtype):
    """What `backward` is given of one result: zeros if no gradient came, None if it is no tensor."""
    if gradient is not None:
        return ops.as_tensor(gradient)
    return wrap(np.zeros(shape, dtype)) if dtype else None


def _takes_gradient(out):
    return isinstance(out, TensorBase) and out.is_floating_point()


def _alias(tensor, edge):
    """The same memory and version under another tensor, whose gradient goes to `edge`."""
    alias = tensor.detach()
    alias._edge = edge
    return alias

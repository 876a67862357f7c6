"""`Function` is the base of your own operations, for which you write the backward rule.

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

`forward` runs without recording. Under `create_graph=True`, `backward` runs with recording, so its
result can be differentiated again. Unlike `torch.autograd.Function`, this class lacks in-place
functions (`mark_dirty`), `setup_context`, `set_materialize_grads` and `jvp`. See lesson 14."""

from typing import Any

import numpy as np

from ..core.calls import version_of
from ..core.graph import NO_EDGE, Node, check, next_sequence_nr
from ..core.recording import recording
from ..core.tensor import TensorBase, wrap
from ..core.types import type_name
from .grad_mode import no_grad


class _AsOperation:
    """The attributes of an operation that subscribers read, the same for every Function."""

    variadic = True
    slots = saves = ()


class FunctionCtx(Node):
    """The context of one call, which is also its node. `forward` stores here what `backward` needs.
    `needs_input_grad` says for each argument of `apply` whether it requires a gradient.
    """

    operation, broadcasts = _AsOperation, True
    _to_save = _non_differentiable = ()

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{self.name()} object at {id(self):#x}>"

    def save_for_backward(self, *tensors) -> None:
        """Save tensors (or None) for `backward`, as `saved_tensors`. Detects changes in place."""
        self._to_save = tensors

    def mark_non_differentiable(self, *outputs) -> None:
        """Declare that these outputs get no gradient, so they don't require one."""
        self._non_differentiable = outputs

    @property
    def saved_tensors(self) -> tuple:
        """The saved tensors, connected to the graph. RuntimeError if freed or modified in place."""
        return tuple(
            _alias(t, (self, self._own[i])) if i in self._own else t
            for i, t in enumerate(self.check_saved())
        )

    def _record(self, args, results, outs):
        """Become the node of `outs`, the `results` of forward (or aliases), without keeping them."""
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
        """Run this node: call the Function's `backward` and check the returned gradients."""
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
    """The base class of your own operations. Write `forward` and `backward`, and call `apply`."""

    def __init_subclass__(cls) -> None:
        if "setup_context" in vars(cls):
            raise NotImplementedError("autograd_core has no setup_context: save in forward(ctx, …)")
        cls._node_type = type(f"{cls.__name__}Backward", (FunctionCtx,), {"function": cls})

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the result, or a tuple of results, from the arguments of `apply`."""
        raise NotImplementedError(f"{Function.__name__} needs a forward")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any, **unused: Any) -> Any:
        """Return a gradient (or None) for each argument of `forward`, given one for each result."""
        raise NotImplementedError(f"{Function.__name__} needs a backward")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run `forward` on `args`. Record it if one of them requires a gradient."""
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
    """The argument of `backward` for one result: zeros if no gradient came, None for a non-tensor."""
    if gradient is not None:
        return ops.as_tensor(gradient)
    return wrap(np.zeros(shape, dtype)) if dtype else None


def _takes_gradient(out):
    return isinstance(out, TensorBase) and out.is_floating_point()


def _alias(tensor, edge):
    """Another tensor with the same memory and version, whose gradient goes to `edge`."""
    alias = tensor.detach()
    alias._edge = edge
    return alias

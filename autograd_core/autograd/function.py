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

    y = Cube.apply(x)               # y.grad_fn is <CubeBackward>

`ctx` is the node that is recorded: `y.grad_fn is ctx`. `forward` runs without recording, so it may
use any operation. `backward` runs with recording under `create_graph=True`, so what it computes can
be differentiated again. As `torch.autograd.Function`, but for in-place functions (`mark_dirty`) and
forward mode (`jvp`); lesson 14."""

import numpy as np

from ..core.calls import CONSTANT
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
    """The context of one call, and its node. Forward leaves here what backward needs; any attribute
    may be set.

    needs_input_grad  for each argument of `apply`, whether it requires a gradient: False for what
                      is no tensor.
    """

    operation, broadcasts = _AsOperation, True
    _to_save = _non_differentiable = ()
    _materialize = True

    def __repr__(self):
        return f"<torch.autograd.function.{self.name()} object at {id(self):#x}>"

    def save_for_backward(self, *tensors):
        """Keep tensors (or None) for `backward`, which finds them in `saved_tensors`. In-place
        changes are noticed.
        """
        for i, t in enumerate(tensors):
            check(
                isinstance(t, (TensorBase, type(None))),
                "save_for_backward can only save variables, but argument {} is of "
                "type {}: set it as an attribute of ctx",
                i,
                type(t).__name__,
                error=TypeError,
            )
        self._to_save = tensors

    def mark_non_differentiable(self, *outputs):
        """Say that no gradient flows into these outputs; they will not require one."""
        self._non_differentiable = outputs

    def set_materialize_grads(self, value):
        """Whether `backward` receives zeros (True, as without this call) or None for an output that
        got no gradient.
        """
        self._materialize = value

    @property
    def saved_tensors(self):
        """What was saved, with its place in the graph. Raises RuntimeError if it was freed, or
        changed since.
        """
        return tuple(
            _alias(t, (self, self._own[i])) if i in self._own else t
            for i, t in enumerate(self.check_saved())
        )

    def _record(self, args, results, outs):
        """Become the node of `outs`, the `results` of forward (aliases where these were inputs),
        and let go of them.
        """
        self._is_tensor = [isinstance(a, TensorBase) for a in args]
        self.next_functions = tuple(a._gradient_edge() for a in args if isinstance(a, TensorBase))
        self.sequence_nr, self.hooks, self.outputs = next_sequence_nr(), None, len(outs)
        arrays = [getattr(t, "_array", None) for t in outs]
        self._outs = [tuple(getattr(a, what, None) for a in arrays) for what in ("shape", "dtype")]
        self.shape, self.dtype = (
            self._outs if self.outputs > 1 else (arrays[0].shape, arrays[0].dtype)
        )
        mine = [
            k
            for k, (result, out) in enumerate(zip(results, outs))
            if _takes_gradient(out) and not any(result is t for t in self._non_differentiable)
        ]
        self._own = {i: k for i, t in enumerate(self._to_save) for k in mine if t is outs[k]}
        saved = (_alias(t, NO_EDGE) if i in self._own else t for i, t in enumerate(self._to_save))
        self.saved = tuple(saved)
        self.versions = tuple(
            CONSTANT if t is None else (t._version_counter(), t._version) for t in self.saved
        )
        for k in mine:
            outs[k]._edge = (self, k)
        self._to_save = self._non_differentiable = ()

    def apply(self, ops, gradient):
        """Call the Function's `backward`, when the node's turn has come, and check what it returns."""
        arrived, name = gradient if self.outputs > 1 else [gradient], self.name()
        sent = self.function.backward(
            self, *(self._shown(ops, *part) for part in zip(arrived, *self._outs))
        )
        sent, wanted = sent if isinstance(sent, tuple) else (sent,), len(self._is_tensor)
        check(
            len(sent) >= wanted and all(g is None for g in sent[wanted:]),
            "function {} returned an incorrect number of gradients (expected {}, got {})",
            name,
            wanted,
            len(sent),
        )
        for position, (g, is_tensor) in enumerate(zip(sent, self._is_tensor), start=1):
            check(
                isinstance(g, (TensorBase, type(None))),
                "expected Variable or None (got {}) at position {} of {}",
                type(g).__name__,
                position,
                name,
            )
            check(
                g is None or is_tensor,
                "function {} returned a gradient different than None at position {}, but the "
                "corresponding forward input was not a Variable",
                name,
                position,
            )
        return [
            None if g is None else ops.from_tensor(g)
            for g, is_tensor in zip(sent, self._is_tensor)
            if is_tensor
        ]

    def describe_saved(self, index):
        saved = self.saved[index]
        return f"torch.{type_name(saved._array)}Tensor {list(saved.shape)}], saved by {self.name()}"

    def _shown(self, ops, gradient, shape, dtype):
        if gradient is not None:
            return ops.as_tensor(gradient)
        return wrap(np.zeros(shape, dtype)) if self._materialize and dtype else None


class Function:
    """The base of operations of your own. Write `forward` and `backward`; call `apply`."""

    def __init_subclass__(cls):
        cls._node_type = type(f"{cls.__name__}Backward", (FunctionCtx,), {"function": cls})

    @staticmethod
    def forward(*args):
        """The result or a tuple of results. Takes `ctx` and the arguments; the arguments alone with
        a `setup_context`.
        """
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Save what backward needs, here rather than in `forward`, from the tuple of inputs and
        what forward returned.
        """

    @staticmethod
    def backward(ctx, *grad_outputs):
        """One gradient for each argument of forward (None for what is no tensor), from one for each
        result.
        """
        raise NotImplementedError(
            "You must implement the backward method for your custom autograd.Function to use it "
            "with backward."
        )

    @classmethod
    def apply(cls, *args):
        """Run `forward` on `args` and record it, if one of them requires a gradient."""
        ctx, inputs = cls._node_type(), [a for a in args if isinstance(a, TensorBase)]
        ctx.needs_input_grad = tuple(isinstance(a, TensorBase) and a.requires_grad for a in args)
        with no_grad():
            if cls.setup_context is Function.setup_context:
                result = cls.forward(ctx, *args)
            else:
                result = cls.forward(*args)
                cls.setup_context(ctx, args, result)
        results = result if isinstance(result, tuple) else (result,)
        outs = [
            (
                _alias(out, NO_EDGE)
                if isinstance(out, TensorBase)
                and (out.requires_grad or any(out is x for x in inputs))
                else out
            )
            for out in results
        ]
        recorded = (
            recording.enabled and any(ctx.needs_input_grad) and any(map(_takes_gradient, outs))
        )
        if recorded:
            ctx._record(args, results, outs)
        recording.publish(
            "on_operation",
            _AsOperation,
            ctx if recorded else None,
            [inputs],
            [out for out in outs if isinstance(out, TensorBase)],
        )
        return tuple(outs) if isinstance(result, tuple) else outs[0]


def _takes_gradient(out):
    return isinstance(out, TensorBase) and out.is_floating_point()


def _alias(tensor, edge):
    """The same memory and version under another tensor, whose gradient goes to `edge`."""
    alias = tensor.detach()
    alias._edge = edge
    return alias

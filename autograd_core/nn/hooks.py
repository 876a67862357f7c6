"""Hooks of a module: functions that see, and may change, what goes in and out of it, forward and
backward.
"""

import functools
import warnings

from ..autograd import Function
from ..compat.tensor import Tensor
from ..core.graph import RemovableHandle, check
from ..core.recording import recording


class Hooked:
    """What is called with hooks around it. A subclass has `forward`, and `_call_with_hooks` as its
    `__call__`.
    """

    def __init__(self):
        self.__dict__.update(_forward_hooks={}, _forward_pre_hooks={}, _backward_hooks={})

    def _call_with_hooks(self, *args, **kwargs):
        with recording.during("during_call", self):
            for hook in tuple(self._forward_pre_hooks.values()):
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
            borders = (
                Borders(self, tuple(self._backward_hooks.values()))
                if self._backward_hooks
                else None
            )
            if borders:
                args = borders.enter(args)
            result = self.forward(*args, **kwargs)
            for hook in tuple(self._forward_hooks.values()):
                changed = hook(self, args, result)
                result = result if changed is None else changed
            return borders.leave(result) if borders else result

    def register_forward_hook(self, hook):
        """Call `hook(module, inputs, output)` after each forward; what it returns, if anything,
        replaces the output.
        """
        return RemovableHandle(self._forward_hooks, hook)

    def register_full_backward_hook(self, hook):
        """Call `hook(module, grad_input, grad_output)`, two tuples, once the gradients of all
        inputs are there.

        What it returns, if anything, is sent on in place of grad_input.
        """
        return RemovableHandle(self._backward_hooks, hook)

    def register_forward_pre_hook(self, hook):
        """Call `hook(module, inputs)` before each forward; what it returns, if anything, replaces
        the inputs.
        """
        return RemovableHandle(self._forward_pre_hooks, hook)


class BackwardHookFunction(Function):
    """The identity. Its node stands where a module begins or ends."""

    @staticmethod
    def forward(ctx, *tensors):
        ctx.mark_non_differentiable(*(t for t in tensors if not t.requires_grad))
        return tensors

    @staticmethod
    def backward(ctx, *gradients):
        return gradients


class Borders:
    """One call of `module`: `enter` its arguments, `leave` with its result, and `hooks` are called
    on the way back.

    A hook is called as hook(module, grad_input, grad_output), tuples with None in the place of what
    is no tensor. What it returns, if anything, takes the place of grad_input.
    """

    def __init__(self, module, hooks):
        self.module, self.hooks = module, hooks
        self.arrived = self.inputs = None

    def enter(self, args):
        """The arguments, seen through the first node."""
        self.count = len(args)
        args, self.inputs = _through(args, self._left_inputs)
        return args

    def leave(self, result):
        """The result, seen through the second node."""
        results = result if isinstance(result, tuple) else (result,)
        passed, self.outputs = _through(
            results, functools.partial(self._left_outputs, len(results))
        )
        return passed if results is result else passed[0]

    def _left_outputs(self, count, sent, arrived):
        self.arrived = _spread(arrived, self.outputs, count)
        if self.inputs is None:
            warnings.warn(
                "Full backward hook is firing when gradients are computed with respect to module"
                " outputs since no inputs require gradients.",
                stacklevel=2,
            )
            for hook in self.hooks:
                changed = hook(self.module, (None,) * self.count, self.arrived)
                check(
                    changed is None or all(g is None for g in changed),
                    "Backward hook for Modules where no input "
                    "requires gradient should always return None or None for all gradients.",
                )

    def _left_inputs(self, sent, arrived):
        # the gradient has found another way than through the result
        if self.arrived is None:
            return None
        gradients, self.arrived, outputs = (
            _spread(sent, self.inputs, self.count),
            None,
            self.arrived,
        )
        for hook in self.hooks:
            changed = hook(self.module, gradients, outputs)
            check(
                changed is None or len(changed) == self.count,
                "Backward hook returned an invalid number of grad_input, got {}, but expected {}",
                len(changed or ()),
                self.count,
            )
            gradients = gradients if changed is None else changed
        return tuple(gradients[i] for i in self.inputs)


def _through(values, hook):
    """The values with the tensors among them passed through a node that calls `hook`, and their
    places; None if no node.
    """
    places = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
    if not (recording.enabled and any(values[i].requires_grad for i in places)):
        return values, None
    passed = dict(zip(places, BackwardHookFunction.apply(*(values[i] for i in places))))
    next(t.grad_fn for t in passed.values() if t.requires_grad).register_hook(hook)
    return tuple(passed.get(i, value) for i, value in enumerate(values)), places


def _spread(gradients, places, count):
    there = dict(zip(places, gradients))
    return tuple(map(there.get, range(count)))

"""The base class of all optimizers, with their parameters, options and state.

An optimizer doesn't use the network, the loss or the graph: `step()` only reads the current `.grad`
of each parameter. It skips a parameter whose `.grad` is None, but not one whose `.grad` is zero.
"""

import collections
import functools
from collections.abc import Callable
from typing import Any

from ..autograd.grad_mode import enable_grad, no_grad
from ..compat.creation import tensor, zeros_like
from ..core.graph import RemovableHandle, check
from ..core.recording import recording
from ..core.tensor import TensorBase


def _hooked(step):
    """Wrap `step` with the hooks, and record for schedulers that it was called."""

    @functools.wraps(step)
    def with_hooks(*args, **kwargs):
        self = args[0]
        self._opt_called = True
        for hook in tuple(self._optimizer_step_pre_hooks.values()):
            args, kwargs = hook(self, args, kwargs) or (args, kwargs)
        with recording.during("during_step", self, kwargs.get("closure", *args[1:2] or [None])):
            result = step(*args, **kwargs)
        for hook in tuple(self._optimizer_step_post_hooks.values()):
            hook(self, args, kwargs)
        return result

    return with_hooks


class Optimizer:
    """The base class of all optimizers. A subclass defines the update of one parameter,
    `_update(p, group)`, or its own `step`. `param_groups` are dicts of options, each with a list
    "params". `state` is {parameter: {name: tensor}}. Raises TypeError or ValueError for parameters
    that can't be optimized and for options out of range.

    PyTorch's options that change only where or how fast it computes (`foreach`, `fused`, …) aren't
    arguments here, but the groups contain them, switched off."""

    _opt_called = False

    def __init_subclass__(cls) -> None:
        if "step" in vars(cls):
            cls.step = _hooked(cls.step)

    def __init__(self, params, defaults: dict[str, Any]) -> None:
        if isinstance(params, TensorBase):
            given = f"an iterable of Tensors or dicts, but got {params.dtype.tensor_type}"
            raise TypeError(f"params argument given to the optimizer should be {given}")
        for option in ("lr", "eps", "momentum", "alpha", "weight_decay"):
            if not defaults.get(option, 0) >= 0:
                raise ValueError(f"Invalid {option}: {defaults[option]}")
        self.defaults, self.state = defaults, collections.defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks = {}, {}
        groups = list(params)
        check(groups, "optimizer got an empty parameter list", error=ValueError)
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Also optimize the parameters of this dict. Its options override the defaults."""
        params = param_group["params"]
        params = [params] if isinstance(params, TensorBase) else list(params)
        known = set(map(id, self._parameters()))
        for p in params:
            words, kind = "optimizer can only optimize Tensors, but got {} as one", type(p).__name__
            check(isinstance(p, TensorBase), words, kind, error=TypeError)
            check(p.is_leaf, "can't optimize a non-leaf Tensor", error=ValueError)
            twice = "some parameters appear in more than one parameter group"
            check(id(p) not in known, twice, error=ValueError)
        left = {name: value for name, value in self.defaults.items() if name not in param_group}
        self.param_groups.append({**param_group, "params": params, **left})

    def register_step_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each `step()`. It may return a new pair."""
        return RemovableHandle(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each `step()`."""
        return RemovableHandle(self._optimizer_step_post_hooks, hook)

    def __getstate__(self):  # a copy has no hooks
        return {**vars(self), "_optimizer_step_pre_hooks": {}, "_optimizer_step_post_hooks": {}}

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set `.grad` of this optimizer's parameters to None, or to zeros."""
        for p in self._parameters():
            p._clear_grad(set_to_none)

    @_hooked
    def step(self, closure: Callable | None = None) -> Any:
        """Update each parameter with a `.grad`. A `closure` is called first, and its loss returned."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p._grad is not None:
                        self._update(p, group)
                        p._bump_version()
        return loss

    def _update(self, p, group):
        """Update `p`, which has a `.grad`, and `self.state[p]` by one step."""
        raise NotImplementedError

    @staticmethod
    def _gradient(p, group):
        """`p.grad` as an array, with a coupled `weight_decay` added."""
        g = p._grad._array
        coupled = group["weight_decay"] and not group.get("decoupled_weight_decay")
        return g + group["weight_decay"] * p._array if coupled else g

    def _count(self, p):
        """Count a step of `p` in its state "step", and return the count."""
        steps = self._buffer(p, "step", lambda p: tensor(0.0))
        steps += 1
        return steps.item()

    def _buffer(self, p, name, first=zeros_like):
        """The array `name` in the state of `p`, which may be changed in place. Initially zeros."""
        state = self.state[p]
        if name not in state:
            state[name] = first(p)
        return state[name]._storage()

    def _parameters(self):
        return [p for group in self.param_groups for p in group["params"]]

    def __repr__(self) -> str:
        text = ""
        for i, group in enumerate(self.param_groups):
            options = "".join(f"    {k}: {group[k]}\n" for k in sorted(group) if k != "params")
            text += f"\nParameter Group {i}\n{options}"
        return f"{type(self).__name__} ({text})"


def lerp(start, end, weight):
    """Interpolate in place: `start + weight * (end - start)`, with PyTorch's rounding."""
    if weight < 0.5:
        start += weight * (end - start)
    else:
        start[...] = end - (end - start) * (1 - weight)

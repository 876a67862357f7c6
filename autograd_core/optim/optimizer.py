"""What all optimizers share: the parameters they were given, their options, and what they remember.

An optimizer knows its parameters and nothing else: no network, no loss, no graph. `step()` reads
each parameter's `.grad` as it stands. A parameter whose `.grad` is None is skipped; one whose
`.grad` is zero is not."""

import collections
import functools
import warnings

from ..autograd.grad_mode import enable_grad, no_grad
from ..compat.creation import tensor, zeros_like
from ..core.graph import RemovableHandle, check
from ..core.recording import recording
from ..core.tensor import TensorBase

_step_pre_hooks, _step_post_hooks = {}, {}


def register_optimizer_step_pre_hook(hook):
    """Call `hook(optimizer, args, kwargs)` before every `step()` of every optimizer. Returns a
    handle with `remove()`.

    It may return other (args, kwargs). The first of `args` is the optimizer itself, as in PyTorch.
    """
    return RemovableHandle(_step_pre_hooks, hook)


def register_optimizer_step_post_hook(hook):
    """Call `hook(optimizer, args, kwargs)` after every `step()` of every optimizer. Returns a
    handle with `remove()`.
    """
    return RemovableHandle(_step_post_hooks, hook)


def _hooked(step):
    """`step` with the hooks around it, and a note that it was called (which learning rate
    schedulers look for).
    """

    @functools.wraps(step)
    def with_hooks(*args, **kwargs):
        self = args[0]
        self._opt_called = True
        for hook in (*_step_pre_hooks.values(), *self._optimizer_step_pre_hooks.values()):
            args, kwargs = hook(self, args, kwargs) or (args, kwargs)
        with recording.during("during_step", self, kwargs.get("closure", *args[1:2] or [None])):
            result = step(*args, **kwargs)
        for hook in (*self._optimizer_step_post_hooks.values(), *_step_post_hooks.values()):
            hook(self, args, kwargs)
        return result

    return with_hooks


_NOT_NEGATIVE = {
    "lr": "learning rate",
    "eps": "epsilon value",
    **{
        name: f"{name} value"
        for name in ("momentum", "alpha", "weight_decay", "lr_decay", "initial_accumulator_value")
    },
}
_UNSUPPORTED = {"foreach": None, "fused": None, "capturable": False, "differentiable": False}


class Optimizer:
    """The base of all optimizers. A subclass gives the update of one parameter, `_update(p,
    group)`, or its own `step`.

    param_groups  dicts of options, each with its list "params".
    state         what is remembered for each parameter: {parameter: {name: tensor}}.
    Raises TypeError or ValueError for parameters that cannot be optimized and for options out of
    range, NotImplementedError for the options of PyTorch that only change where or how fast it
    computes."""

    _opt_called = False

    def __init_subclass__(cls):
        if "step" in vars(cls):
            cls.step = _hooked(cls.step)

    def __init__(self, params, defaults):
        if isinstance(params, TensorBase):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts,"
                f" but got {params.dtype.tensor_type}: write [parameter]"
            )
        check(
            not isinstance(defaults.get("lr"), TensorBase),
            "autograd_core takes the learning rate as a number, not as a Tensor: write lr.item()",
            error=TypeError,
        )
        for option, off in _UNSUPPORTED.items():
            check(
                not defaults.get(option),
                "autograd_core has no {} optimizers: leave {}={}",
                option,
                option,
                off,
                error=NotImplementedError,
            )
        for option, words in _NOT_NEGATIVE.items():
            check(
                defaults.get(option, 0) >= 0,
                "Invalid {}: {}",
                words,
                defaults.get(option),
                error=ValueError,
            )
        self.defaults, self.state, self.param_groups = defaults, collections.defaultdict(dict), []
        self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks = {}, {}
        groups = list(params)
        check(groups, "optimizer got an empty parameter list", error=ValueError)
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group):
        """Optimize the parameters of this dict too, with its own options where it names some."""
        params = param_group["params"]
        check(
            not isinstance(params, set),
            "optimizer parameters need to be organized in ordered collections: use a "
            "list, not a set",
            error=TypeError,
        )
        params = [params] if isinstance(params, TensorBase) else list(params)
        known = set(map(id, self._parameters()))
        for p in params:
            check(
                isinstance(p, TensorBase),
                "optimizer can only optimize Tensors, but one of the params is {}",
                type(p).__name__,
                error=TypeError,
            )
            check(p.is_leaf, "can't optimize a non-leaf Tensor", error=ValueError)
            check(
                id(p) not in known,
                "some parameters appear in more than one parameter group",
                error=ValueError,
            )
        if len(set(map(id, params))) < len(params):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; each is updated"
                " once for every time it is named",
                stacklevel=3,
            )
        left = {name: value for name, value in self.defaults.items() if name not in param_group}
        self.param_groups.append({**param_group, "params": params, **left})

    def register_step_pre_hook(self, hook):
        """Call `hook(optimizer, args, kwargs)` before each `step()` of this one. Returns a handle
        with `remove()`.
        """
        return RemovableHandle(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """Call `hook(optimizer, args, kwargs)` after each `step()` of this one. Returns a handle
        with `remove()`.
        """
        return RemovableHandle(self._optimizer_step_post_hooks, hook)

    def __getstate__(self):
        # a copy has none
        return {**vars(self), "_optimizer_step_pre_hooks": {}, "_optimizer_step_post_hooks": {}}

    def zero_grad(self, set_to_none=True):
        """Clear `.grad` of the parameters given to this optimizer: to None, or to zeros."""
        with recording.during("during_zero_grad", self):
            for p in self._parameters():
                p._clear_grad(set_to_none)

    @_hooked
    def step(self, closure=None):
        """Update every parameter that has a `.grad`. With a `closure`, call it first and return its
        loss.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        self._update(p, group)
                        p._bump_version()
        return loss

    def _update(self, p, group):
        """Change `p`, which has a `.grad`, and `self.state[p]` by one step."""
        raise NotImplementedError

    @staticmethod
    def _gradient(p, group):
        """`p.grad` as an array: its sign turned to `maximize`, the pull of a coupled `weight_decay`
        added.
        """
        g = -p.grad._array if group["maximize"] else p.grad._array
        coupled = group["weight_decay"] and not group.get("decoupled_weight_decay")
        return g + group["weight_decay"] * p._array if coupled else g

    def _count(self, p):
        """How many steps `p` has taken, this one included: "step" of its state."""
        steps = self._buffer(p, "step", lambda p: tensor(0.0))
        steps += 1
        return steps.item()

    def _buffer(self, p, name, first=zeros_like):
        """The array of `name` in the state of `p`, to be changed in place: zeros, shaped as `p`, to
        begin with.
        """
        state = self.state[p]
        if name not in state:
            state[name] = first(p)
        return state[name]._storage()

    def state_dict(self):
        """Options and state, with parameters numbered in order: PyTorch's layout."""
        numbers = {id(p): i for i, p in enumerate(self._parameters())}
        groups = [
            {
                **{k: v for k, v in g.items() if k != "params"},
                "params": [numbers[id(p)] for p in g["params"]],
            }
            for g in self.param_groups
        ]
        return {
            "state": {numbers[id(p)]: dict(s) for p, s in self.state.items()},
            "param_groups": groups,
        }

    def load_state_dict(self, state_dict):
        """Take over options and state, in the parameters' types. Raises ValueError when the groups
        do not fit.
        """
        saved = state_dict["param_groups"]
        check(
            len(saved) == len(self.param_groups),
            "loaded state dict has a different number of parameter groups",
            error=ValueError,
        )
        check(
            all(
                len(there["params"]) == len(here["params"])
                for there, here in zip(saved, self.param_groups)
            ),
            "loaded "
            "state dict contains a parameter group that doesn't match the size of optimizer's"
            " group",
            error=ValueError,
        )
        params = self._parameters()
        self.state = collections.defaultdict(
            dict,
            {
                params[i]: {
                    k: v.to(params[i].dtype) if isinstance(v, TensorBase) and k != "step" else v
                    for k, v in s.items()
                }
                for i, s in state_dict["state"].items()
            },
        )
        for group, loaded in zip(self.param_groups, saved):
            group.update({k: v for k, v in loaded.items() if k != "params"})

    def _parameters(self):
        return [p for group in self.param_groups for p in group["params"]]

    def __repr__(self):
        groups = [
            f"\nParameter Group {i}\n"
            + "".join(f"    {k}: {group[k]}\n" for k in sorted(group) if k != "params")
            for i, group in enumerate(self.param_groups)
        ]
        return f"{type(self).__name__} ({''.join(groups)})"


def lerp(start, end, weight):
    """Move the array `start` by `weight` of the way to `end`, in place, reckoned from the nearer
    end as PyTorch does.
    """
    start[...] = (
        start + weight * (end - start) if weight < 0.5 else end - (end - start) * (1 - weight)
    )


BLOCK = 2**15  # elements; smaller ones cost calls, larger ones leave the cache


def in_blocks(*arrays):
    """Arrays of one size in pieces, flat: what is computed of a piece stays in the cache, and needs
    no new memory.
    """
    if arrays[0].size <= BLOCK or not all(array.flags.c_contiguous for array in arrays):
        yield arrays
        return
    flat = [array.reshape(-1) for array in arrays]
    for start in range(0, flat[0].size, BLOCK):
        yield [array[start : start + BLOCK] for array in flat]

"""`Module` contains parameters. Only these are tensors in the graph, not the module itself."""

import collections
from collections.abc import Callable, Iterator
from typing import Any, Self

from ..compat import dtypes
from ..compat.tensor import Tensor
from ..core.graph import LEAF, NO_EDGE, RemovableHandle, check
from ..core.recording import recording
from ..core.tensor import check_can_require_grad


class Parameter(Tensor):
    """A leaf tensor that a module registers as a parameter. It shares memory with `data`."""

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True):
        if requires_grad and data is not None:
            check_can_require_grad(data._array)
        made = Tensor.__new__(cls)
        made._array = Tensor()._array if data is None else data._storage()
        made._edge = LEAF if requires_grad else NO_EDGE
        return made

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        """Do nothing. `__new__` does everything."""

    def __deepcopy__(self, memo):
        """Return a copy without `.grad`, as PyTorch does for parameters."""
        memo[id(self)] = copied = type(self)(self.detach().clone(), self.requires_grad)
        return copied

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()


class Module:
    """The base class of all layers and networks. Subclasses assign parameters and modules to
    attributes in `__init__`, which registers them by name, and compute in `forward`.
    """

    training: bool
    _shown: tuple[str, ...] = ()  # the attributes that the repr of a layer shows

    def __init__(self) -> None:
        self.__dict__.update(training=True, _non_persistent=set())
        for table in (*_ROLES, "_forward_hooks", "_forward_pre_hooks"):
            self.__dict__[table] = {}

    def forward(self, *args, **kwargs) -> Any:
        name = type(self).__name__
        raise NotImplementedError(f'Module [{name}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs) -> Any:
        """Call the hooks and `forward`, and return its result."""
        own = self.__dict__  # attribute access is slow in a class with `__getattr__`
        if not (own["_forward_pre_hooks"] or own["_forward_hooks"] or recording.subscribers):
            return self.forward(*args, **kwargs)
        with recording.during("during_call", self):
            for hook in tuple(self._forward_pre_hooks.values()):
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
            result = self.forward(*args, **kwargs)
            for hook in tuple(self._forward_hooks.values()):
                changed = hook(self, args, result)
                result = result if changed is None else changed
            return result

    def register_forward_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(module, inputs)` before each `forward`. Its result replaces the inputs."""
        return RemovableHandle(self._forward_pre_hooks, hook)

    def register_forward_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(module, inputs, output)` after `forward`. Its result replaces the output."""
        return RemovableHandle(self._forward_hooks, hook)

    # ---- attributes ------------------------------------------------------------------------------

    def _home_of(self, name):
        """The key in `_ROLES` of the table that has the name, or None."""
        for home in _ROLES:
            if name in self.__dict__.get(home, ()):
                return home
        return None

    def __setattr__(self, name: str, value: Any) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(f"cannot assign to '{name}' before Module.__init__() call")
        home = held = self._home_of(name)
        if isinstance(value, Parameter):
            home = "_parameters"
        elif isinstance(value, Module):
            home = "_modules"
        if home is None:
            object.__setattr__(self, name, value)
            return
        _check_role(home, name, value, "as", "expected")
        if held != home:
            (self.__dict__[held] if held else self.__dict__).pop(name, None)
        self.__dict__[home][name] = value

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for home in _ROLES:
            if home in own and name in own[home]:
                return own[home][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        home = self._home_of(name)
        if home is None:
            object.__delattr__(self, name)
        else:
            del self.__dict__[home][name]

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Register `param` under `name`, or None to reserve the name."""
        self._register("_parameters", name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Register a tensor (or None) that is saved with the module but not trained."""
        self._register("_buffers", name, tensor)
        if not persistent:
            self._non_persistent.add(name)

    def add_module(self, name: str, module: "Module | None") -> None:
        """Register a child module (or None) under `name`."""
        if not isinstance(module, (Module, type(None))):
            raise TypeError(f"{_typename(module)} is not a Module subclass")
        self._register("_modules", name, module)

    def _register(self, home, name, value):
        role, registered = _ROLES[home][0], self.__dict__[home]
        check("." not in name, '{} name can\'t contain ".", got: {}', role, name, error=KeyError)
        if hasattr(self, name) and name not in registered:
            raise KeyError(f"attribute '{name}' already exists")
        _check_role(home, name, value, "object to", "required")
        registered[name] = value

    # ---- iteration -------------------------------------------------------------------------------

    def named_modules(
        self, memo=None, prefix="", remove_duplicate=True
    ) -> Iterator[tuple[str, "Module"]]:
        """(name, module) for this module (named "") and all modules inside it, each once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                yield from child.named_modules(memo, _joined(prefix, name), remove_duplicate)

    def _named_members(self, home, prefix="", recurse=True):
        seen = set()
        for path, module in self.named_modules(None, prefix) if recurse else [(prefix, self)]:
            for name, member in getattr(module, home).items():
                if member is not None and id(member) not in seen:
                    seen.add(id(member))
                    yield _joined(path, name), member

    def named_parameters(self, prefix="", recurse=True) -> Iterator[tuple[str, Parameter]]:
        """(name, parameter) pairs, in the order of registration: `("0.weight", Parameter)`."""
        yield from self._named_members("_parameters", prefix, recurse)

    def named_buffers(self, prefix="", recurse=True) -> Iterator[tuple[str, Tensor]]:
        """(name, buffer) pairs."""
        yield from self._named_members("_buffers", prefix, recurse)

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        """(name, module) for the direct child modules, each once."""
        yield from self._named_members("_modules", recurse=False)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters of this module and all modules inside it, as passed to an optimizer."""
        yield from (p for _, p in self.named_parameters(recurse=recurse))

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        yield from (b for _, b in self.named_buffers(recurse=recurse))

    def modules(self) -> Iterator["Module"]:
        yield from (m for _, m in self.named_modules())

    def children(self) -> Iterator["Module"]:
        yield from (m for _, m in self.named_children())

    def apply(self, fn: Callable[["Module"], None]) -> Self:
        """Call `fn` on every module, children first."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    # ---- state -----------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Set training or evaluation mode for layers that depend on it. It freezes no parameters."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """`train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set `requires_grad` of all parameters. False freezes them."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear `.grad` of all parameters: to None, or to zeros."""
        for p in self.parameters():
            p._clear_grad(set_to_none)

    def to(self, *args, **kwargs) -> Self:
        """Convert all floating-point parameters and buffers to another type, in place."""
        for tensor in (*self.parameters(), *self.buffers()):
            if tensor.is_floating_point():
                tensor._array = tensor.detach().to(*args, **kwargs)._storage()
                if tensor.grad is not None:
                    tensor._grad = tensor.grad.to(*args, **kwargs)
        return self

    def cpu(self) -> Self:
        return self

    def double(self) -> Self:
        return self.to(dtypes.float64)

    def float(self) -> Self:
        return self.to(dtypes.float32)

    def state_dict(self) -> dict[str, Any]:
        """All parameters and persistent buffers by name, detached, with shared memory."""
        state = collections.OrderedDict()
        for path, module in self.named_modules(remove_duplicate=False):
            for name, tensor in (*module._parameters.items(), *module._buffers.items()):
                if tensor is not None and name not in module._non_persistent:
                    state[_joined(path, name)] = tensor.detach()
        return state

    def load_state_dict(self, state_dict, strict: bool = True) -> "_IncompatibleKeys":
        """Copy the numbers of `state_dict` to parameters and buffers by name. Raises RuntimeError
        before changing anything if names (if `strict`) or sizes don't match.
        """
        own = self.state_dict()
        missing = [k for k in own if k not in state_dict]
        unexpected = [k for k in state_dict if k not in own]
        shared, problems = [k for k in own if k in state_dict], []
        for what, keys in (("Missing", missing), ("Unexpected", unexpected)):
            if strict and keys:
                names = ", ".join(f'"{k}"' for k in keys)
                problems.append(f"{what} key(s) in state_dict: {names}. ")
        for key in shared:
            given = state_dict[key]
            if own[key].shape != given.shape:
                sizes = f"with shape {given.shape} from checkpoint, the shape in current model is"
                words = f"size mismatch for {key}: copying a param {sizes} {own[key].shape}."
                problems.append(words)
        name, listed = type(self).__name__, "\n\t".join(problems)
        check(not problems, "Error(s) in loading state_dict for {}:\n\t{}", name, listed)
        for key in shared:
            own[key].copy_(state_dict[key].detach())
        return _IncompatibleKeys(missing, unexpected)

    # ---- printing --------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """The text between the parentheses of a layer's repr."""
        shown = ((name, getattr(self, name)) for name in self._shown)
        return ", ".join(f"{k}={x!r}" if isinstance(x, str) else f"{k}={x}" for k, x in shown)

    def _other_than(self, usual, *said):
        """For `extra_repr`: the texts `said`, then the attributes that differ from `usual`."""
        other = (name for name, value in usual.items() if getattr(self, name) != value)
        return ", ".join([*map(str, said), *(f"{name}={getattr(self, name)}" for name in other)])

    def _lines(self):
        """The text of each child in the repr."""
        return [f"({name}): {child!r}" for name, child in self._modules.items()]

    def __repr__(self) -> str:
        extra, children = self.extra_repr(), list(self._lines())
        if not children and "\n" not in extra:
            return f"{type(self).__name__}({extra})"
        lines = "\n".join([extra, *children] if extra else children)
        return f"{type(self).__name__}(\n  " + lines.replace("\n", "\n  ") + "\n)"


class _IncompatibleKeys(collections.namedtuple("IncompatibleKeys", "missing_keys unexpected_keys")):
    """The result of `load_state_dict`."""

    def __repr__(self):
        return super().__repr__() if any(self) else "<All keys matched successfully>"


# {table of a module: (its word in messages, PyTorch's name for the type, the type)}
_ROLES = {
    "_parameters": ("parameter", "torch.nn.Parameter", Parameter),
    "_buffers": ("buffer", "torch.Tensor", Tensor),
    "_modules": ("module", "torch.nn.Module", Module),
}


def _check_role(home, name, value, joint, demand):
    """Raise TypeError unless `value` is None or of the type for this table."""
    role, wanted, kind = _ROLES[home]
    if not isinstance(value, (kind, type(None))):
        kinds = f"cannot assign '{_typename(value)}' {joint} {role} '{name}'"
        raise TypeError(f"{kinds} ({wanted} or None {demand})")


def _typename(value):
    return value.dtype.tensor_type if isinstance(value, Tensor) else type(value).__name__


def _joined(path, name):
    return f"{path}.{name}" if path else name

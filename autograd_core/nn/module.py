"""Module: what holds parameters. A module is not a tensor and is not in the graph; only its
parameters are.
"""

import collections

from ..compat import dtypes
from ..compat.tensor import Tensor
from ..core.graph import LEAF, NO_EDGE, check
from ..core.recording import recording
from ..core.tensor import check_can_require_grad
from .hooks import Hooked


class Parameter(Tensor):
    """A leaf tensor that a module counts among its parameters. It shares memory with `data`."""

    def __new__(cls, data=None, requires_grad=True):
        check(
            isinstance(data, (Tensor, type(None))),
            "Parameter(): argument 'data' (position 1) must be Tensor, not {}",
            type(data).__name__,
            error=TypeError,
        )
        if requires_grad and data is not None:
            check_can_require_grad(data._array)
        made = Tensor.__new__(cls)
        made._array = Tensor()._array if data is None else data._storage()
        made._edge = LEAF if requires_grad else NO_EDGE
        return made

    def __init__(self, data=None, requires_grad=True):
        """All is done by `__new__`."""

    def __deepcopy__(self, memo):
        """A copy without `.grad`, as PyTorch's copies of parameters are."""
        memo[id(self)] = copied = type(self)(self.detach().clone(), self.requires_grad)
        return copied

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()


class Module(Hooked):
    """The base of all layers and networks. Subclasses set parameters and modules in `__init__`,
    compute in `forward`.

    What is assigned to an attribute is sorted: a `Parameter` is registered as one, a `Module` as a
    child."""

    def __init__(self):
        self.__dict__.update(
            training=True, _parameters={}, _buffers={}, _modules={}, _non_persistent=set()
        )
        super().__init__()

    def forward(self, *args):
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    __call__ = Hooked._call_with_hooks

    # ---- attributes ------------------------------------------------------------------------------

    def _home_of(self, name):
        """In which of `_ROLES` the name is registered, or None."""
        return next((home for home in _ROLES if name in self.__dict__.get(home, ())), None)

    def __setattr__(self, name, value):
        check(
            "_parameters" in self.__dict__,
            "cannot assign to '{}' before Module.__init__() call: begin __init__ with "
            "super().__init__()",
            name,
            error=AttributeError,
        )
        held = self._home_of(name)
        home = (
            "_parameters"
            if isinstance(value, Parameter)
            else "_modules"
            if isinstance(value, Module)
            else held
        )
        if home is None:
            object.__setattr__(self, name, value)
            return
        _check_role(home, name, value, "as", "expected")
        if held != home:
            (self.__dict__[held] if held else self.__dict__).pop(name, None)
        self.__dict__[home][name] = value

    def __getattr__(self, name):
        for home in _ROLES:
            if name in self.__dict__.get(home, ()):
                return self.__dict__[home][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name):
        home = self._home_of(name)
        if home is None:
            object.__delattr__(self, name)
        else:
            del self.__dict__[home][name]

    def register_parameter(self, name, param):
        """Register `param` (or None, to keep the place) under `name`."""
        self._register("_parameters", name, param)

    def register_buffer(self, name, tensor, persistent=True):
        """Register a tensor (or None) that is saved with the module but not trained."""
        self._register("_buffers", name, tensor)
        if not persistent:
            self._non_persistent.add(name)

    def register_module(self, name, module):
        """Register a child module (or None) under `name`."""
        check(
            isinstance(module, (Module, type(None))),
            "{} is not a Module subclass",
            _typename(module),
            error=TypeError,
        )
        self._register("_modules", name, module)

    add_module = register_module

    def _register(self, home, name, value):
        role, registered = _ROLES[home][0], self.__dict__[home]
        check(
            isinstance(name, str),
            "{} name should be a string. Got {}",
            role,
            type(name).__name__,
            error=TypeError,
        )
        check("." not in name, '{} name can\'t contain ".", got: {}', role, name, error=KeyError)
        check(name, '{} name can\'t be empty string ""', role, error=KeyError)
        check(
            not hasattr(self, name) or name in registered,
            "attribute '{}' already exists",
            name,
            error=KeyError,
        )
        _check_role(home, name, value, "object to", "required")
        registered[name] = value

    # ---- walks -----------------------------------------------------------------------------------

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """(name, module) for this module (named "") and all below it, each once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                yield from child.named_modules(
                    memo, prefix + ("." if prefix else "") + name, remove_duplicate
                )

    def _named_members(self, home, prefix, recurse, remove_duplicate):
        seen = set()
        for path, module in (
            self.named_modules(None, prefix, remove_duplicate) if recurse else [(prefix, self)]
        ):
            for name, member in getattr(module, home).items():
                if member is not None and not (remove_duplicate and id(member) in seen):
                    seen.add(id(member))
                    yield path + ("." if path else "") + name, member

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """(name, parameter) pairs, in the order of registration: `("0.weight", Parameter)`."""
        yield from self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """(name, buffer) pairs."""
        yield from self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def named_children(self):
        """(name, module) for the modules directly below, each once."""
        yield from self._named_members("_modules", "", False, True)

    def parameters(self, recurse=True):
        """The parameters of this module and all below it: what an optimizer is given."""
        yield from (p for _, p in self.named_parameters(recurse=recurse))

    def buffers(self, recurse=True):
        yield from (b for _, b in self.named_buffers(recurse=recurse))

    def modules(self):
        yield from (m for _, m in self.named_modules())

    def children(self):
        yield from (m for _, m in self.named_children())

    def get_submodule(self, target):
        """The module called "features.0" below this one; "" is this one. Raises AttributeError for
        what is no module.
        """
        module = self
        for name in filter(None, target.split(".")):
            module = _asked_for(module, name, "_modules", "an nn.Module")
        return module

    def get_parameter(self, target):
        """The parameter called "features.0.weight" below this module. Raises AttributeError for
        what is none.
        """
        path, _, name = target.rpartition(".")
        return _asked_for(self.get_submodule(path), name, "_parameters", "an nn.Parameter")

    def get_buffer(self, target):
        """The buffer called "features.1.running_mean" below this module. Raises AttributeError for
        what is none.
        """
        path, _, name = target.rpartition(".")
        return _asked_for(self.get_submodule(path), name, "_buffers", "a buffer")

    def apply(self, fn):
        """Call `fn` on every module, children first."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    # ---- state -----------------------------------------------------------------------------------

    def train(self, mode=True):
        """Training or evaluation mode, for the layers that differ in them. It freezes nothing."""
        check(isinstance(mode, bool), "training mode is expected to be boolean", error=ValueError)
        for module in self.modules():
            module.training = mode
        return self

    def eval(self):
        """`train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Ask for gradients of all parameters, or no longer: freezing."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Clear `.grad` of all parameters: to None, or to zeros."""
        with recording.during("during_zero_grad", self):
            for p in self.parameters():
                p._clear_grad(set_to_none)

    def to(self, *args, **kwargs):
        """Change the type of all floating-point parameters and buffers, in place."""
        for dtype in (*args, *kwargs.values()):
            check(
                getattr(dtype, "is_floating_point", True),
                "nn.Module.to only accepts floating point or complex dtypes, "
                "but got desired dtype={}",
                dtype,
                error=TypeError,
            )
        for tensor in (*self.parameters(), *self.buffers()):
            if tensor.is_floating_point():
                tensor._array = tensor.detach().to(*args, **kwargs)._storage()
                if tensor.grad is not None:
                    tensor._grad = tensor.grad.to(*args, **kwargs)
        return self

    def cpu(self):
        return self

    def double(self):
        return self.to(dtypes.float64)

    def float(self):
        return self.to(dtypes.float32)

    def state_dict(self, destination=None, prefix="", keep_vars=False):
        """All parameters and persistent buffers by name, outside the graph, sharing memory."""
        state = collections.OrderedDict() if destination is None else destination
        for path, module in self.named_modules(remove_duplicate=False):
            for name, tensor in (*module._parameters.items(), *module._buffers.items()):
                if tensor is not None and name not in module._non_persistent:
                    key = prefix + path + ("." if path else "") + name
                    state[key] = tensor if keep_vars else tensor.detach()
        return state

    def load_state_dict(self, state_dict, strict=True):
        """Copy the numbers of `state_dict` into parameters and buffers, by name.

        Raises RuntimeError, before anything is changed, when names (if `strict`) or sizes do not
        fit."""
        own = self.state_dict(keep_vars=True)
        missing = [k for k in own if k not in state_dict]
        unexpected = [k for k in state_dict if k not in own]
        problems = [
            f"{what} key(s) in state_dict: " + ", ".join(f'"{k}"' for k in keys) + ". "
            for what, keys in (("Missing", missing), ("Unexpected", unexpected))
            if strict and keys
        ]
        shared = [k for k in own if k in state_dict]
        for key in shared:
            if not isinstance(state_dict[key], Tensor):
                problems.append(
                    f'While copying the parameter named "{key}", expected torch.Tensor or'
                    f" Tensor-like object from checkpoint but received {type(state_dict[key])}"
                )
            elif own[key].shape != state_dict[key].shape:
                problems.append(
                    f"size mismatch for {key}: copying a param with shape {state_dict[key].shape}"
                    f" from checkpoint, the shape in current model is {own[key].shape}."
                )
        check(
            not problems,
            "Error(s) in loading state_dict for {}:\n\t{}",
            type(self).__name__,
            "\n\t".join(problems),
        )
        for key in shared:
            own[key].detach().copy_(state_dict[key].detach())
        return _IncompatibleKeys(missing, unexpected)

    # ---- printing --------------------------------------------------------------------------------

    def extra_repr(self):
        """What a layer says of itself between the parentheses of its repr."""
        return ""

    def _lines(self):
        """What the repr says of each child."""
        return [f"({name}): {child!r}" for name, child in self._modules.items()]

    def __repr__(self):
        extra, children = self.extra_repr(), list(self._lines())
        if not children and "\n" not in extra:
            return f"{type(self).__name__}({extra})"
        lines = "\n".join([extra, *children] if extra else children)
        return f"{type(self).__name__}(\n  " + lines.replace("\n", "\n  ") + "\n)"


class _IncompatibleKeys(collections.namedtuple("IncompatibleKeys", "missing_keys unexpected_keys")):
    """What `load_state_dict` returns."""

    def __repr__(self):
        return super().__repr__() if any(self) else "<All keys matched successfully>"


# What a module registers, and where: how it is called, PyTorch's name for its type, the type.
_ROLES = {
    "_parameters": ("parameter", "torch.nn.Parameter", Parameter),
    "_buffers": ("buffer", "torch.Tensor", Tensor),
    "_modules": ("module", "torch.nn.Module", Module),
}


def _check_role(home, name, value, joint, demand):
    """Raises TypeError, in PyTorch's words, unless `value` is None or of the type that belongs
    there.
    """
    role, wanted, kind = _ROLES[home]
    check(
        isinstance(value, (kind, type(None))),
        "cannot assign '{}' {} {} '{}' ({} or None {})",
        _typename(value),
        joint,
        role,
        name,
        wanted,
        demand,
        error=TypeError,
    )


def _typename(value):
    return value.dtype.tensor_type if isinstance(value, Tensor) else type(value).__name__


def _asked_for(module, name, home, what):
    """What `module` holds under `name` in its dict `home`. Raises AttributeError where there is
    nothing, or no `what`.
    """
    check(
        hasattr(module, name),
        "{} has no attribute `{}`",
        type(module).__name__,
        name,
        error=AttributeError,
    )
    check(name in module.__dict__[home], "`{}` is not {}", name, what, error=AttributeError)
    return module.__dict__[home][name]

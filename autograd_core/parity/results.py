"""What a cell left behind, by name: tensors, gradients, settings, numbers, each under the path one would type.

net.0.weight    net.0.weight.grad    losses[2]    batch['mask']    opt.state[0].exp_avg    opt.param_groups[0].lr
"""

import functools
import types
from dataclasses import dataclass

import numpy as np

from .parts import PLAIN, is_plain, learners, parts_of
from .surroundings import next_numbers

# How a sum is worked out, not what it is: PyTorch alone has these switches.
IMPLEMENTATION_SWITCHES = {"foreach", "capturable", "differentiable", "fused"}

# Results judged by what they say, not by which object they are.
VALUE_KINDS = ("number", "value", "setting", "random generator", "detail")

# Results that hold nothing of an engine: an ordinary cell may make them for both sides.
PLAIN_KINDS = ("array", "number", "value", "structure", "detail")

_HELD = ("dataset", "tensors", "generator", "optimizer")  # by data sets, loaders, schedulers
_OPAQUE = ("_abc_impl", "_is_full_backward_hook", "__dict__", "__weakref__")


@dataclass(frozen=True, slots=True)
class Result:
    """One thing to compare.

    kind   tensor, gradient, parameter, buffer, optimizer state, array, number, value, setting, graph,
           random generator; "detail" for a setting of an engine's own object: compared where both
           engines have it, and not counted; "structure" for what has its parts under their own
           paths; "unknown" for what cannot be compared; "foreign" for what is the other engine's.
    value  the thing itself.
    root   the variable it is reached from: "net" for "net.0.weight".
    text   of a structure what it is ("list of 3"), of an unknown why; otherwise "".
    """

    kind: str
    value: object
    root: str
    text: str = ""

    def mark(self):
        """What changes when the result changes, and can be kept without keeping it alive."""
        array = self.value
        if self.kind in VALUE_KINDS:
            return repr(array)
        if hasattr(array, "detach"):
            array = array.detach().numpy()
        if isinstance(array, np.ndarray) and self.kind != "structure":
            needs = getattr(self.value, "requires_grad", None)
            return array.shape, str(array.dtype), needs, hash(array.tobytes())
        return self.text


def as_array(value) -> np.ndarray:
    """The numbers of a tensor of either engine, of an array or of a NumPy scalar."""
    return np.asarray(value.detach().numpy() if hasattr(value, "detach") else value)


def name_results(namespace: dict, engine, other=None) -> dict[str, Result]:
    """Everything comparable in `namespace` by path, in the order of its names.

    `engine` is the one whose tensors belong here, `other` the one whose tensors do not: "foreign".
    A container met twice under one name is followed once; the second place says where the first was.
    """
    found: dict[str, Result] = {}
    for name, value in namespace.items():
        _Namer(name, engine, other, found).visit_all(name, value)
    return found


class _Namer:
    """Names what one variable leads to. What is still to be visited waits in a list, however deep."""

    def __init__(self, root, engine, other, found):
        self.root, self.engine, self.other, self.found = root, engine, other, found
        self.first_path: dict[int, str] = {}
        self.waiting: list = []

    def visit_all(self, path, value):
        stack = [(path, value, None)]
        while stack:
            self.visit(*stack.pop())
            stack.extend(reversed(self.waiting))
            self.waiting.clear()

    def later(self, path, value, kind=None):
        """Visit `value` next, after those that were named before it."""
        self.waiting.append((path, value, kind))

    def add(self, path, kind, value, text=""):
        self.found[path] = Result(kind, value, self.root, text)

    def visit(self, path, value, kind):
        engine, other = self.engine, self.other
        if isinstance(value, engine.Tensor):
            is_parameter = isinstance(value, engine.nn.Parameter)
            self.add(path, kind or ("parameter" if is_parameter else "tensor"), value)
            if (value.is_leaf or value.retains_grad) and value.grad is not None:
                self.later(f"{path}.grad", value.grad, "gradient")
            self.visit_attributes(path, value, _usual_names(engine, "Tensor"))
        elif isinstance(value, type | types.FunctionType) and not learners(value):
            if hasattr(value, "__wrapped__"):  # a decorator, around a function of the learner's
                self.later(path, value.__wrapped__, kind)
        elif isinstance(value, types.ModuleType | types.BuiltinFunctionType | types.CodeType):
            pass
        elif isinstance(value, np.ma.MaskedArray):
            self.later(f"{path}.mask", np.ma.getmaskarray(value), kind)
            self.add(path, kind or "array", value.filled(0))
        elif isinstance(value, np.ndarray) and value.dtype.hasobject and not value.dtype.names:
            self.add(path, "structure", value, f"array of {value.size} objects")
            for number, item in enumerate(value.ravel().tolist()):
                self.later(f"{path}.flat[{number}]", item, kind)
        elif isinstance(value, np.ndarray | np.generic):
            self.add(path, kind or "array", value)
        elif isinstance(value, int | float | complex) and not isinstance(value, bool):
            self.add(path, kind or "number", value)
        elif isinstance(value, PLAIN):
            self.add(path, kind or "value", value)
        elif isinstance(value, (engine.dtype, engine.device)):
            self.add(path, kind or "value", str(value))
        elif isinstance(value, engine.Generator):
            self.add(path, "random generator", f"state {next_numbers(engine, value)}")
        elif hasattr(type(value), "next_functions"):
            self.add(path, "graph", value)
        elif other and isinstance(value, (other.Tensor, other.nn.Module, other.optim.Optimizer)):
            self.add(path, "foreign", value)
        elif hasattr(value, "__next__"):
            self.add(path, "unknown", value, "looking at an iterator uses it up")
        elif isinstance(value, set | frozenset):
            kinds = ("value", "") if is_plain(value) else ("unknown", "a set has no order")
            self.add(path, kinds[0], value, kinds[1])
        else:
            self.visit_structure(path, value, kind)

    def visit_structure(self, path, value, kind):
        engine = self.engine
        engines_own = not learners(value) and type(value).__module__.startswith(engine.__name__)
        engines_own = engines_own and not isinstance(value, tuple)
        parts = {} if engines_own else parts_of(value)
        if parts is None:
            if type(value).__eq__ is not object.__eq__ and _equals_itself(value):
                self.add(path, kind or "value", value)
            else:
                self.add(path, "unknown", value, f"no rule for {type(value).__name__}")
            return
        first = self.first_path.setdefault(id(value), path)
        what = _what_it_is(value) if first == path else f"the same as {first}"
        self.add(path, "structure", value, what)
        if first != path:
            return
        if isinstance(value, engine.nn.Module):
            self.visit_module(path, value)
        elif isinstance(value, engine.optim.Optimizer):
            self.visit_optimizer(path, value)
        elif engines_own:
            self.visit_attributes(path, value, ())
        elif isinstance(value, type | types.FunctionType):
            self.visit_code(path, value)
        else:
            for name, part in parts.items():
                if name[1:] not in _OPAQUE:
                    self.later(f"{path}{name}", part, kind)
            if learners(value):
                self.visit_class_of(value)

    def visit_class_of(self, value):
        """Attributes that all objects of a class share, once for each class."""
        kind = type(value)
        if id(kind) not in self.first_path:
            self.first_path[id(kind)] = kind.__name__
            if kind.__name__ not in self.found:
                self.visit_code(kind.__name__, kind)

    def visit_code(self, path, code):
        """What a function or class remembers. Plain defaults and closures are not counted."""
        for name, part in (parts_of(code) or {}).items():
            hidden = name.startswith(".__") and not name.startswith(".__defaults__")
            descriptor = isinstance(part, property | staticmethod | classmethod)
            slot = isinstance(part, types.MemberDescriptorType)
            if not (hidden or descriptor or slot or name[1:] in _OPAQUE):
                counted = isinstance(code, type) or not is_plain(part)
                self.later(f"{path}{name}", part, None if counted else "detail")

    def visit_module(self, path, module):
        for name, parameter in module.named_parameters():
            self.later(f"{path}.{name}", parameter, "parameter")
        for name, buffer in module.named_buffers():
            self.later(f"{path}.{name}", buffer, "buffer")
        for name, part in module.named_modules():
            part_path = f"{path}.{name}" if name else path
            self.later(f"{part_path}.training", part.training, "setting")
            if name:
                self.add(part_path, "structure", part, type(part).__name__)
            self.visit_attributes(part_path, part, _usual_names(self.engine, "Module"))
            if learners(part):
                self.visit_class_of(part)

    def visit_optimizer(self, path, optimizer):
        parameters = []
        for number, group in enumerate(optimizer.param_groups):
            parameters += group["params"]
            for key, value in group.items():
                if key not in IMPLEMENTATION_SWITCHES:
                    group_path = f"{path}.param_groups[{number}].{key}"
                    self.later(group_path, value, None if key == "params" else "setting")
        for number, parameter in enumerate(parameters):
            for key, value in optimizer.state.get(parameter, {}).items():
                if value is not None:
                    self.later(f"{path}.state[{number}].{key}", value, "optimizer state")
        for key, value in optimizer.state.items():
            if isinstance(key, str):
                self.later(f"{path}.state[{key!r}]", value)
        self.visit_attributes(path, optimizer, {"param_groups", "state", "defaults"})

    def visit_attributes(self, path, value, usual):
        """What hangs on an engine's object: settings of its own, p of a Dropout, and what the learner put there.

        `usual` are names that the engine gives to all of them.
        """
        own, tensor = learners(value), isinstance(value, self.engine.Tensor)
        for name, attribute in vars(value).items():
            private = name[:1] == "_" and not own and not tensor
            if name in usual or private or f"{path}.{name}" in self.found:
                continue
            if not own and not tensor and is_plain(attribute):
                attribute = tuple(attribute) if isinstance(attribute, list) else attribute
                self.add(f"{path}.{name}", "detail", attribute)
            elif (
                own
                or tensor
                or name in _HELD
                or isinstance(attribute, (self.engine.Tensor, np.ndarray, list, tuple, dict))
            ):
                self.later(f"{path}.{name}", attribute)


@functools.cache
def _usual_names(engine, kind):
    """The attributes that every tensor has, or every module."""
    example = engine.nn.Module()
    if kind == "Tensor":
        example = engine.ones(1, requires_grad=True) * 1
        example.retain_grad()
    declared = [vars(base).get("__annotations__", {}) for base in type(example).__mro__]
    return set(vars(example)).union({"training", "retains_grad"}, *declared)


def _what_it_is(value):
    """ "list of 3", "Net"; a subclass of a container by its own name."""
    if isinstance(value, type | types.FunctionType):
        return f"{'class' if isinstance(value, type) else 'function'} {value.__name__}"
    is_tuple = isinstance(value, tuple) and not learners(value)
    name = "tuple" if is_tuple else type(value).__name__
    return f"{name} of {len(value)}" if isinstance(value, list | tuple | dict) else name


def _equals_itself(value):
    """Whether `==` gives an answer for this type: a table of answers, or an exception, is none."""
    try:
        return (value == value) is True
    except Exception:
        return False

"""What a cell left behind, by name: tensors, gradients, settings, numbers, each under the path one would type.

    net.0.weight    net.0.weight.grad    losses[2]    batch['mask']    opt.state[0].exp_avg    opt.param_groups[0].lr
"""

import functools
import hashlib
import types
from dataclasses import dataclass

import numpy as np

from .contents import contents_of, is_plain, learners

# How a sum is worked out, not what it is: PyTorch alone has these switches.
IMPLEMENTATION_SWITCHES = {"foreach", "capturable", "differentiable", "fused"}

# Results judged by what they say, not by which object they are.
VALUE_KINDS = ("number", "value", "setting", "random generator", "detail")

# Results that hold nothing of an engine: an ordinary cell may make them for both sides.
PLAIN_KINDS = ("array", "number", "value", "structure", "unknown", "detail")

_PLAIN = (int, float, complex, str, bytes, bool, type(None))
_UNNAMED = (types.ModuleType, types.BuiltinFunctionType, types.CodeType)
_HELD = ("dataset", "tensors", "generator", "optimizer")       # what data sets, loaders and schedulers of both hold
_OPAQUE_ATTRIBUTE = ("_abc_impl", "_is_full_backward_hook")


@dataclass(frozen=True, slots=True)
class Result:
    """One thing to compare.

    kind   tensor, gradient, parameter, buffer, optimizer state, array, number, value, setting, random generator, graph;
           "detail" for a setting of an engine's own object: compared where both engines have it, and not counted;
           "structure" for a container or object whose contents follow under their own paths;
           "unknown" for what cannot be compared; "foreign" for a tensor, module or optimizer of the other engine.
    value  the thing itself.
    root   the variable it is reached from: "net" for "net.0.weight".
    text   for a structure what it is ("list of 3"), for an unknown why it is not compared; otherwise "".
    """

    kind: str
    value: object
    root: str
    text: str = ""


def keeps_grad(tensor) -> bool:
    """Whether `tensor` may hold a `.grad`: a leaf, or one that asked with `retain_grad()`."""
    return tensor.is_leaf or tensor.retains_grad


def is_node(value) -> bool:
    """Whether `value` is a node of a graph, of either engine."""
    return hasattr(type(value), "next_functions")


def name_results(namespace: dict, engine, other=None) -> dict[str, Result]:
    """Everything comparable in `namespace` by path, in the order of its names.

    `engine` is the one whose tensors belong here, `other` the one whose tensors do not (they become "foreign").
    A container met twice under one name is followed once; the second place says where the first was.
    """
    found: dict[str, Result] = {}
    for name, value in namespace.items():
        _Namer(name, engine, other, found).visit_all(name, value)
    return found


class _Namer:
    """Names what one variable leads to. What is still to be visited waits in a list: no chain is too long."""

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
        engine = self.engine
        if isinstance(value, engine.Tensor):
            self.visit_tensor(path, value, kind)
        elif isinstance(value, _UNNAMED) or isinstance(value, type) and not learners(value):
            pass
        elif isinstance(value, types.FunctionType) and value.__globals__.get("__name__") != "__main__":
            if hasattr(value, "__wrapped__"):               # somebody's decorator, around a function of the learner's
                self.later(path, value.__wrapped__, kind)
        elif isinstance(value, (np.ndarray, np.generic)):
            self.visit_array(path, value, kind)
        elif isinstance(value, (int, float, complex)) and not isinstance(value, bool):
            self.add(path, kind or "number", value)
        elif type(value) in _PLAIN + (type(...), range, slice):
            self.add(path, kind or "value", value)
        elif isinstance(value, (engine.dtype, engine.device)):
            self.add(path, kind or "value", str(value))
        elif isinstance(value, engine.Generator):
            state = hashlib.sha256(bytes(np.asarray(value.get_state()))).hexdigest()
            self.add(path, "random generator", f"state {state[:12]}")
        elif is_node(value):
            self.add(path, "graph", value)
        elif self.other is not None and isinstance(
                value, (self.other.Tensor, self.other.nn.Module, self.other.optim.Optimizer)):
            self.add(path, "foreign", value)
        elif hasattr(value, "__next__"):
            self.add(path, "unknown", value, "looking at an iterator uses it up")
        elif isinstance(value, (set, frozenset)):
            self.visit_set(path, value)
        else:
            self.visit_structure(path, value, kind)

    def visit_tensor(self, path, tensor, kind):
        is_parameter = isinstance(tensor, self.engine.nn.Parameter)
        self.add(path, kind or ("parameter" if is_parameter else "tensor"), tensor)
        if keeps_grad(tensor) and tensor.grad is not None:
            self.later(f"{path}.grad", tensor.grad, "gradient")
        self.visit_attributes(path, tensor, private=False)

    def visit_array(self, path, array, kind):
        if isinstance(array, np.ma.MaskedArray):
            self.later(f"{path}.mask", np.ma.getmaskarray(array), kind)
            self.add(path, kind or "array", array.filled(0) if array.dtype.kind in "fciub" else array.data)
        elif array.dtype.hasobject and array.dtype.names is None:
            self.add(path, "structure", array, f"array of {array.size} objects")
            for number, item in enumerate(array.ravel().tolist()):
                self.later(f"{path}.flat[{number}]", item, kind)
        else:
            self.add(path, kind or "array", array)

    def visit_set(self, path, members):
        if all(map(is_plain, members)):
            self.add(path, "value", members)
        else:
            self.add(path, "unknown", members, "the members of a set have no order")

    def visit_structure(self, path, value, kind):
        contents = contents_of(value)
        if not contents:
            if type(value).__eq__ is not object.__eq__ and _equals_itself(value):
                self.add(path, kind or "value", value)
            else:
                self.add(path, "unknown", value, f"no rule for {type(value).__name__}")
            return
        first = self.first_path.setdefault(id(value), path)
        if first != path:
            self.add(path, "structure", value, f"the same as {first}")
            return
        self.add(path, "structure", value, _what_it_is(value))
        if isinstance(value, self.engine.nn.Module):
            self.visit_module(path, value)
        elif isinstance(value, self.engine.optim.Optimizer):
            self.visit_optimizer(path, value)
        elif isinstance(value, (type, types.FunctionType)):
            self.visit_code(path, contents, isinstance(value, type))
        elif not learners(value) and type(value).__module__.startswith(self.engine.__name__) and not \
                isinstance(value, tuple):
            self.visit_details(path, value)
        else:
            for name, part in ((name, part) for each in contents for name, part in each.parts.items()):
                if name[1:] not in _OPAQUE_ATTRIBUTE:
                    self.later(f"{path}{name}", part, kind)
            if learners(value) and not isinstance(value, type):
                self.visit_class_of(value)

    def visit_class_of(self, value):
        """Attributes that all objects of a class share, once for each class."""
        kind = type(value)
        if id(kind) not in self.first_path:
            self.first_path[id(kind)] = kind.__name__
            if kind.__name__ not in self.found:
                self.visit_code(kind.__name__, contents_of(kind), True)

    def visit_code(self, path, contents, is_class):
        """What a function or a class remembers. Plain defaults and closed-over numbers are compared, but not counted."""
        for name, part in ((name, part) for each in contents for name, part in each.parts.items()):
            hidden = name.startswith(".__") and not name.startswith(".__defaults__")
            if not hidden and not isinstance(part, (property, staticmethod, classmethod)) and name[1:] not in _OPAQUE_ATTRIBUTE:
                self.later(f"{path}{name}", part, None if is_class or not is_plain(part) else "detail")

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
            if learners(part):
                self.visit_attributes(part_path, part)
                self.visit_class_of(part)
            else:
                self.visit_details(part_path, part)

    def visit_attributes(self, path, value, private=True):
        """Attributes that the learner gave to a tensor or a module, and not the engine to all of them."""
        engines_own = vars(value).keys() & (_attributes_of_a_module(self.engine) if private else ())
        for name, attribute in vars(value).items():
            if name not in engines_own and name != "training" and (private or not name.startswith("_")) and \
                    name != "retains_grad" and f"{path}.{name}" not in self.found:
                self.later(f"{path}.{name}", attribute)

    def visit_details(self, path, value):
        """The settings of an engine's own object: p of a Dropout, momentum of a BatchNorm, gamma of a scheduler."""
        for name, attribute in vars(value).items():
            if not name.startswith("_") and name != "training" and (
                    is_plain(attribute) or isinstance(attribute, (list, tuple)) and all(map(is_plain, attribute))):
                self.add(f"{path}.{name}", "detail", tuple(attribute) if isinstance(attribute, list) else attribute)
            elif name in _HELD:
                self.later(f"{path}.{name}", attribute)

    def visit_optimizer(self, path, optimizer):
        parameters = []
        for number, group in enumerate(optimizer.param_groups):
            parameters += group["params"]
            for key, value in group.items():
                if key not in IMPLEMENTATION_SWITCHES:
                    self.later(f"{path}.param_groups[{number}].{key}", value, None if key == "params" else "setting")
        for number, parameter in enumerate(parameters):
            for key, value in optimizer.state.get(parameter, {}).items():
                if value is not None:
                    self.later(f"{path}.state[{number}].{key}", value, "optimizer state")


@functools.cache
def _attributes_of_a_module(engine):
    return vars(engine.nn.Module()).keys()


def _what_it_is(value):
    """ "list of 3", "Net"; a subclass of a container by its own name."""
    if isinstance(value, (type, types.FunctionType)):
        return f"{'class' if isinstance(value, type) else 'function'} {value.__name__}"
    name = type(value).__name__
    if isinstance(value, tuple) and not learners(value):
        name = "tuple"
    return f"{name} of {len(value)}" if isinstance(value, (list, tuple, dict)) else name


def _equals_itself(value):
    """Whether `==` gives an answer for this type: a table of answers, or an exception, is none."""
    try:
        return (value == value) is True
    except Exception:
        return False

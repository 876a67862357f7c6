"""What a cell left behind, by name: tensors, gradients, settings, numbers, each under the path one would type.

    net.0.weight    net.0.weight.grad    losses[2]    batch['mask']    opt.state[0].exp_avg    opt.param_groups[0].lr
"""

import hashlib
import types
from dataclasses import dataclass

import numpy as np

# How a sum is worked out, not what it is: PyTorch alone has these switches.
IMPLEMENTATION_SWITCHES = {"foreach", "capturable", "differentiable", "fused"}

# Results judged by what they say, not by which object they are.
VALUE_KINDS = ("number", "value", "setting", "random generator")

# Results that hold nothing of an engine: an ordinary cell may make them for both sides.
PLAIN_KINDS = ("array", "number", "value", "structure", "unknown")

_PLAIN = (int, float, complex, str, bytes, bool, type(None))
_UNNAMED = (types.ModuleType, type, types.FunctionType, types.BuiltinFunctionType, types.MethodType)


@dataclass(frozen=True, slots=True)
class Result:
    """One thing to compare.

    kind   tensor, gradient, parameter, buffer, optimizer state, array, number, value, setting, random generator, graph;
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
    return hasattr(value, "next_functions") and not isinstance(value, type)


def defined_by_learner(value) -> bool:
    """Whether the class of `value` was written in the notebook."""
    return type(value).__module__ == "__main__"


def name_results(namespace: dict, engine, other=None) -> dict[str, Result]:
    """Everything comparable in `namespace` by path, in the order of its names.

    `engine` is the one whose tensors belong here, `other` the one whose tensors do not (they become "foreign").
    A container met twice under one name is followed once; the second place says where the first was.
    """
    found: dict[str, Result] = {}
    for name, value in namespace.items():
        _Namer(name, engine, other, found).visit(name, value)
    return found


class _Namer:
    def __init__(self, root, engine, other, found):
        self.root, self.engine, self.other, self.found = root, engine, other, found
        self.first_path: dict[int, str] = {}

    def add(self, path, kind, value, text=""):
        self.found[path] = Result(kind, value, self.root, text)

    def visit(self, path, value, kind=None):
        engine = self.engine
        if isinstance(value, engine.Tensor):
            self.visit_tensor(path, value, kind)
        elif isinstance(value, _UNNAMED):
            pass
        elif isinstance(value, (np.ndarray, np.generic)):
            self.add(path, kind or "array", value)
        elif isinstance(value, (int, float, complex)) and not isinstance(value, bool):
            self.add(path, kind or "number", value)
        elif isinstance(value, _PLAIN + (type(...),)):
            self.add(path, kind or "value", value)
        elif type(value).__name__ in ("dtype", "device"):
            self.add(path, kind or "value", str(value))
        elif isinstance(value, engine.Generator):
            state = hashlib.sha256(bytes(np.asarray(value.get_state()))).hexdigest()
            self.add(path, "random generator", f"state {state[:12]}")
        elif is_node(value):
            self.add(path, "graph", value)
        elif defined_by_learner(value) or isinstance(
                value, (list, tuple, dict, engine.nn.Module, engine.optim.Optimizer)):
            self.visit_structure(path, value, kind)
        elif self.other is not None and isinstance(
                value, (self.other.Tensor, self.other.nn.Module, self.other.optim.Optimizer)):
            self.add(path, "foreign", value)
        elif hasattr(value, "__next__"):
            self.add(path, "unknown", value, "looking at an iterator uses it up")
        elif isinstance(value, (set, frozenset)) and not all(isinstance(item, _PLAIN) for item in value):
            self.add(path, "unknown", value, "the members of a set have no order")
        elif type(value).__eq__ is not object.__eq__ and _equals_itself(value):
            self.add(path, kind or "value", value)
        else:
            self.add(path, "unknown", value, f"no rule for {type(value).__name__}")

    def visit_tensor(self, path, tensor, kind):
        is_parameter = isinstance(tensor, self.engine.nn.Parameter)
        self.add(path, kind or ("parameter" if is_parameter else "tensor"), tensor)
        if keeps_grad(tensor) and tensor.grad is not None:
            self.visit(f"{path}.grad", tensor.grad, "gradient")

    def visit_structure(self, path, value, kind):
        first = self.first_path.setdefault(id(value), path)
        if first != path:
            self.add(path, "structure", value, f"the same as {first}")
            return
        text = type(value).__name__
        if isinstance(value, dict):
            text = f"dict of {len(value)}"
        elif isinstance(value, (list, tuple)):
            text = f"{'list' if isinstance(value, list) else 'tuple'} of {len(value)}"
        self.add(path, "structure", value, text)
        if isinstance(value, self.engine.nn.Module):
            self.visit_module(path, value)
        elif isinstance(value, self.engine.optim.Optimizer):
            self.visit_optimizer(path, value)
        elif isinstance(value, dict):
            for number, (key, item) in enumerate(value.items()):
                shown = repr(key) if isinstance(key, _PLAIN) else f"key {number}"
                self.visit(f"{path}[{shown}]", item, kind)
        elif isinstance(value, (list, tuple)):
            for number, item in enumerate(value):
                self.visit(f"{path}[{number}]", item, kind)
        else:
            self.visit_attributes(path, value)

    def visit_module(self, path, module):
        for name, parameter in module.named_parameters():
            self.visit(f"{path}.{name}", parameter, "parameter")
        for name, buffer in module.named_buffers():
            self.visit(f"{path}.{name}", buffer, "buffer")
        for name, part in module.named_modules():
            part_path = f"{path}.{name}" if name else path
            self.visit(f"{part_path}.training", part.training, "setting")
            if defined_by_learner(part):
                self.visit_attributes(part_path, part)

    def visit_attributes(self, path, value):
        for name, attribute in getattr(value, "__dict__", {}).items():
            if not name.startswith("_") and f"{path}.{name}" not in self.found:
                self.visit(f"{path}.{name}", attribute)

    def visit_optimizer(self, path, optimizer):
        parameters = []
        for number, group in enumerate(optimizer.param_groups):
            parameters += group["params"]
            for key, value in group.items():
                if key not in IMPLEMENTATION_SWITCHES:
                    self.visit(f"{path}.param_groups[{number}].{key}", value, None if key == "params" else "setting")
        for number, parameter in enumerate(parameters):
            for key, value in optimizer.state.get(parameter, {}).items():
                if value is not None:
                    self.visit(f"{path}.state[{number}].{key}", value, "optimizer state")


def _equals_itself(value):
    """Whether `==` gives an answer for this type: a table of answers, or an exception, is none."""
    try:
        return (value == value) is True
    except Exception:
        return False

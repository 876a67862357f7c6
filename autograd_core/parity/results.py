"""What the two sides hold, walked together: a pair of results under each path that one would type.

net.0.weight    net.0.weight.grad    losses[2]    batch['mask']    opt.state[0].exp_avg
                opt.param_groups[0].lr
"""

import functools
import sys
import types
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..core.graph import Node
from .surroundings import next_numbers

PLAIN = (int, float, complex, str, bytes, bool, type(None), type(...), range, slice, np.generic)
VALUE_KINDS = (
    "number",
    "value",
    "setting",
    "random generator",
    "detail",
    "code",
)  # no object, only what it says
SWITCHES = {"foreach", "capturable", "differentiable", "fused"}  # how PyTorch works a step out
# the modules whose objects are told by what `pickle` saves of them, besides the learner's
LOOKED_INTO = (
    *("__main__", "builtins", "collections", "functools", "types", "random", "numpy", "_queue"),
    *("queue", "itertools", "io", "_io", "datetime", "decimal", "fractions", "pathlib", "enum"),
)
HELD = ("dataset", "tensors", "generator", "optimizer")  # by data sets, loaders and schedulers
OTHER = {"torch": "autograd_core", "autograd_core": "torch"}
CODE = (
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    types.CodeType,
    np.ufunc,
)
MISSING = object()


@dataclass(frozen=True, slots=True)
class Result:
    """One thing to compare.

    kind   tensor, gradient, parameter, buffer, optimizer state, array, number, value, setting,
           graph, random generator; "detail" for what belongs to an engine's own object: compared
           where both engines have it, and not counted; "structure" for what has its parts under
           their own paths; "code" for functions, classes and modules that everybody has; "unknown"
           for what cannot be compared; "foreign" for what is the other engine's; "missing".
    value  the thing itself.
    text   of a structure what it is ("list of 3"), of an unknown why; otherwise "".
    parts  what follows the path of each part -> (part, its kind or None)
    """

    kind: str
    value: object
    text: str = ""
    parts: dict = field(default_factory=dict)

    def mark(self):
        """What changes when the result changes, and can be kept without keeping it alive."""
        if self.kind in VALUE_KINDS:
            return repr(self.value)
        if self.text or not hasattr(self.value, "dtype"):
            return None if self.value is MISSING else (self.kind, self.text)
        array, needs = as_array(self.value), getattr(self.value, "requires_grad", None)
        return array.shape, str(array.dtype), needs, hash(array.tobytes())

    @property
    def numbers(self):
        """The array that it is, or the number; of what is plain the text in which its numbers
        stand; else None.
        """
        if self.kind in VALUE_KINDS and not isinstance(self.value, int | float | complex):
            return str(self.value)
        plain = self.kind in VALUE_KINDS or not self.text and hasattr(self.value, "dtype")
        return as_array(self.value) if plain else None


class Pair(NamedTuple):
    """What the sides have under one path; `root` is the variable it is reached from: "net" for
    "net.0.weight".
    """

    root: str
    ours: Result
    theirs: Result


def as_array(value) -> np.ndarray:
    """The numbers of a tensor of either engine, of an array or of a NumPy scalar."""
    return np.asarray(value.detach().numpy() if hasattr(value, "detach") else value)


def walk_together(ours: dict, theirs: dict, engines) -> dict[str, Pair]:
    """A pair for each path to which a name of either side leads, in the order of the names.

    A container met twice under one name is followed once; the second place says where the first
    was."""
    found, classes = {}, ({}, {})
    for root in dict.fromkeys([*ours, *theirs]):
        waiting = [(root, [side.get(root, MISSING) for side in (ours, theirs)], None)]
        first_paths = {}, {}
        while waiting:
            path, values, kind = waiting.pop()
            if path in found:
                continue
            results = [look(value, engine, kind) for value, engine in zip(values, engines)]
            for side, (value, result) in enumerate(zip(values, results)):
                known = (classes if isinstance(value, type) else first_paths)[side]
                if result.kind == "structure" and known.setdefault(id(value), path) != path:
                    results[side] = Result("structure", value, f"the same as {known[id(value)]}")
            found[path] = Pair(root, *results)
            kinds = {suffix: part[1] for each in results for suffix, part in each.parts.items()}
            for suffix in reversed(kinds):
                parts = [each.parts.get(suffix, (MISSING,))[0] for each in results]
                waiting.append((path + suffix, parts, kinds[suffix] or kind))
    return found


def look(value, engine, kind=None) -> Result:
    """`value` as a result of the side of `engine`; `kind` where its place decides it."""
    other = sys.modules[OTHER[engine.__name__]]
    if value is MISSING:
        return Result("missing", value)
    if isinstance(value, engine.Tensor):
        usual = "parameter" if isinstance(value, engine.nn.Parameter) else "tensor"
        grad = value.grad if value.is_leaf or value.retains_grad else None
        parts = {} if grad is None else {".grad": (grad, "gradient")}
        return Result(kind or usual, value, "", parts | _attributes(value, engine))
    if isinstance(value, (engine.dtype, engine.device)):
        return Result(kind or "value", str(value))
    if isinstance(value, engine.Generator):
        return Result("random generator", f"state {next_numbers(engine, value)}")
    if isinstance(value, (other.Tensor, other.nn.Module, other.optim.Optimizer)):
        return Result("foreign", value)
    if isinstance(value, _node_type(engine)):
        return Result("graph", value, "graph")
    if isinstance(value, np.ndarray | np.generic) and value.dtype != object:
        parts = {f".{name}": (part, None) for name, part in getattr(value, "__dict__", {}).items()}
        return Result(kind or "array", value, "", parts)  # of a masked array its mask
    if isinstance(value, PLAIN) or kind in ("value", "detail") and is_plain(value):
        is_number = isinstance(value, int | float | complex) and not isinstance(value, bool)
        return Result(kind or ("number" if is_number else "value"), value)
    if isinstance(value, set | frozenset):
        plain = is_plain(value)
        return Result("value", value) if plain else Result("unknown", value, "a set has no order")
    if isinstance(value, CODE) and not learners(value):
        home = (getattr(value, "__module__", None) or "torch").partition(".")[0]
        return Result("code", "" if home in OTHER else getattr(value, "__name__", ""), "code")
    if type(value).__name__ == "RemovableHandle":
        return Result("code", "", "code")  # its number is a counter of the engine's
    parts = _parts_of(value, engine)
    if parts is None:
        return Result("unknown", value, f"no rule for {type(value).__name__}")
    if learners(type(value)):
        parts[".__class__"] = type(value), None
    return Result("structure", value, _what_it_is(value), parts)


def _node_type(engine):
    """The class of the nodes of a graph."""
    return Node if engine.__name__ == "autograd_core" else engine.autograd.graph.Node


def learners(value) -> bool:
    """Whether a class or a function was written in a cell, or is an object of such a class."""
    if isinstance(value, types.FunctionType):
        return value.__globals__.get("__name__") == "__main__"
    return (value if isinstance(value, type) else type(value)).__module__ == "__main__"


def importable(value) -> bool:
    """Whether an imported module has `value` under its own name: everybody's, not the learner's."""
    if isinstance(value, types.ModuleType):
        return True
    found = sys.modules.get(getattr(value, "__module__", None) or "")
    if found is None or found.__name__ == "__main__":
        return False
    for name in getattr(value, "__qualname__", "?").split("."):
        found = getattr(found, name, None)
    return found is value


def is_plain(value, leaf=lambda each: False) -> bool:
    """Whether `value` is a number, a string, or a list, dict, set or tuple of such and of each
    `leaf`.
    """
    waiting, seen = [value], set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, PLAIN) or leaf(each):
            continue
        containers = isinstance(each, list | tuple | dict | set | frozenset)
        if not containers or not importable(type(each)):
            return False
        if id(each) not in seen:
            seen.add(id(each))
            waiting += [*each.keys(), *each.values()] if isinstance(each, dict) else each
    return True


def is_shareable(name: str, value) -> bool:
    """Whether an ordinary cell may make `value` for a %%both cell: what is plain, arrays, what is
    imported.
    """

    def leaf(each):
        return importable(each) or isinstance(each, np.ndarray) and not each.dtype.hasobject

    return is_plain(value, leaf) or is_imported(name, value)


def is_imported(name: str, value) -> bool:
    """Whether an imported module has `value`, whatever it is, under `name`."""
    modules = [each for each in [*sys.modules.values()] if each is not sys.modules["__main__"]]
    return any(getattr(each, "__dict__", {}).get(name) is value for each in modules)


def _parts_of(value, engine):
    """The parts of a value, or None if it cannot be looked into."""
    if isinstance(value, type | types.FunctionType):
        return _remembered(value)
    if isinstance(value, engine.nn.Module):
        return _of_a_module(value, engine)
    if isinstance(value, engine.optim.Optimizer):
        return _of_an_optimizer(value, engine)
    if isinstance(value, tuple):
        return {f"[{number}]": (item, None) for number, item in enumerate(value)}
    is_loader = isinstance(value, engine.utils.data.DataLoader)  # also one of the learner's class
    is_engines = type(value).__module__.partition(".")[0] == engine.__name__
    if is_loader or is_engines and not learners(value):
        return _attributes(value, engine)
    if isinstance(value, types.MethodType):
        return {".__self__": (value.__self__, None)}
    if isinstance(value, np.ndarray):
        return {f".flat[{number}]": (item, None) for number, item in enumerate(value.flat)}
    return _saved(value) if _is_looked_into(value, engine) else None


def _saved(value):
    """What `pickle` would save of an object: what it was made with, its attributes and slots, its
    items.
    """
    try:
        how = value.__reduce_ex__(4)
    except Exception:
        return None
    if isinstance(how, str):
        return {}
    _, arguments, state, items, pairs = (*how, None, None, None)[:5]
    found = {f".args[{n}]": each for n, each in enumerate(arguments) if each is not type(value)}
    slots = isinstance(state, tuple) and len(state) == 2 and isinstance(state[1], dict)
    for each in state if slots else (state,):
        if isinstance(each, dict):
            found |= {f".{name}": part for name, part in each.items() if name[0] != "_"}
        elif each is not None:
            found[".__getstate__()"] = each
    found |= {f"[{number}]": item for number, item in enumerate(items or ())}
    for number, (key, item) in enumerate(pairs or ()):
        if is_plain(key):
            found[f"[{key!r}]"] = item
        else:
            found |= {f".keys()[{number}]": key, f".values()[{number}]": item}
    whole = {".__getstate__()"} & found.keys() if is_plain(found.get(".__getstate__()")) else ()
    return {name: (part, "value" if name in whole else None) for name, part in found.items()}


def _remembered(code):
    """What a function or class remembers. Plain defaults and closures are not counted."""
    if isinstance(code, type):
        hidden = property | staticmethod | classmethod | types.MemberDescriptorType
        return {
            f".{name}": (part, None)
            for name, part in vars(code).items()
            if not (name.startswith(("__", "_abc_")) or isinstance(part, hidden))
        }
    parts = {".__code__": code.__code__.co_code}
    parts |= {f".__defaults__[{n}]": item for n, item in enumerate(code.__defaults__ or ())}
    parts |= {f".{name}": item for name, item in (code.__kwdefaults__ or {}).items()}
    parts |= {f".{name}": item for name, item in vars(code).items()}
    for name, cell in zip(code.__code__.co_freevars, code.__closure__ or ()):
        if name != "__class__" and cell != types.CellType():  # nothing may be in it yet
            parts[f".{name}"] = cell.cell_contents
    return {name: (part, "detail" if is_plain(part) else None) for name, part in parts.items()}


def _of_a_module(module, engine):
    parts = {f".{name}": (each, "parameter") for name, each in module.named_parameters()}
    parts |= {f".{name}": (each, "buffer") for name, each in module.named_buffers()}
    parts[".training"] = module.training, "setting"
    parts |= _attributes(module, engine)
    return parts | {f".{name}": (child, None) for name, child in module._modules.items()}


def _of_an_optimizer(optimizer, engine):
    parts, parameters = {}, []
    for number, group in enumerate(optimizer.param_groups):
        parameters += group["params"]
        for key, value in group.items():
            if key not in SWITCHES:
                kind = None if key == "params" else "setting"
                parts[f".param_groups[{number}].{key}"] = value, kind
    for number, parameter in enumerate(parameters):
        for key, value in optimizer.state.get(parameter, {}).items():
            if value is not None:
                parts[f".state[{number}].{key}"] = value, "optimizer state"
    for key, value in optimizer.state.items():
        if isinstance(key, str):
            parts[f".state[{key!r}]"] = value, None
    usual = {".param_groups", ".state", ".defaults"}
    return parts | {
        name: part for name, part in _attributes(optimizer, engine).items() if name not in usual
    }


def _attributes(value, engine):
    """What hangs on an engine's object: settings of its own, p of a Dropout, and what the learner
    put there.
    """
    parts, is_loader = {}, isinstance(value, engine.utils.data.DataLoader)
    everything = isinstance(value, engine.Tensor) or learners(value) and not is_loader
    is_ours = isinstance(value, engine.nn.Module | engine.optim.Optimizer)
    for name, part in getattr(value, "__dict__", {}).items():
        if name.startswith("_") or name in _usual_names(engine):
            continue
        if not everything and is_plain(part):
            parts[f".{name}"] = tuple(part) if isinstance(part, list) else part, "detail"
        elif everything or name in HELD or is_ours and _is_looked_into(part, engine):
            parts[f".{name}"] = part, None
    return parts


def _is_looked_into(value, engine):
    return (
        isinstance(value, engine.Tensor) or type(value).__module__.partition(".")[0] in LOOKED_INTO
    )


@functools.cache
def _usual_names(engine):
    """The attributes that every tensor and every module has."""
    tensor = engine.ones(1, requires_grad=True) * 1
    tensor.retain_grad()
    declared = [vars(base).get("__annotations__", {}) for base in type(tensor).__mro__]
    return set().union(vars(tensor), vars(engine.nn.Module()), *declared) | {"retains_grad"}


def _what_it_is(value):
    """ "list of 3", "Net"; a subclass of a container by its own name."""
    if isinstance(value, type | types.FunctionType):
        return f"{'class' if isinstance(value, type) else 'function'} {value.__name__}"
    is_tuple = isinstance(value, tuple) and not learners(value)
    name = "tuple" if is_tuple else type(value).__name__
    return f"{name} of {len(value)}" if isinstance(value, list | tuple | dict) else name

"""The results of both sides, paired by the path that a learner would type.

net.0.weight    net.0.weight.grad    losses[2]    batch['mask']    opt.state[0].exp_avg
                opt.param_groups[0].lr
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch

import autograd_core

from ..core.graph import Node

ENGINES = (autograd_core, torch)
NODES = {autograd_core: Node, torch: torch.autograd.graph.Node}
TENSORS = ("tensor", "parameter", "buffer", "gradient", "optimizer state")
STEP_SWITCHES = {"foreach", "capturable", "differentiable", "fused"}  # only choose PyTorch's kernel
MISSING = object()


@dataclass(frozen=True, slots=True)
class Result:
    """One thing to compare.

    kind   tensor, parameter, buffer, gradient, optimizer state, array, number, value, graph;
           "container" for an object whose parts have paths of their own; "foreign" for an object
           of the other engine; "unknown" for one that is not compared; "missing".
    value  the object itself.
    text   the type of a container ("list of 3").
    parts  the end of each part's path -> the part and its kind (see `look`)
    """

    kind: str
    value: object
    text: str = ""
    parts: dict = field(default_factory=dict)

    def mark(self):
        """A value that changes when the result changes, and that doesn't keep the result alive."""
        if self.kind in ("number", "value"):
            return repr(self.value)
        if self.kind in (*TENSORS, "array"):
            array, needs = as_array(self.value), getattr(self.value, "requires_grad", None)
            return array.shape, str(array.dtype), needs, hash(array.tobytes())
        return self.kind, self.text


class Pair(NamedTuple):
    """The results of both sides under one path.

    `root` is the variable that the path begins with. `scale` is the largest number in the same
    list, dict or object."""

    root: str
    ours: Result
    theirs: Result
    scale: float = 0.0


def as_array(value) -> np.ndarray:
    """The numbers of a tensor of either engine, of an array or of a NumPy scalar."""
    return np.asarray(value.detach().numpy() if hasattr(value, "detach") else value)


def walk_together(ours: dict, theirs: dict) -> dict[str, Pair]:
    """A pair for each path that begins with a name of either side. For each of these names, a
    container is followed once, even if several paths lead to it.
    """
    found = {}
    for root in dict.fromkeys([*ours, *theirs]):
        waiting = [(root, ours.get(root, MISSING), theirs.get(root, MISSING), None, 0.0)]
        followed = set()
        while waiting:
            path, here, there, kind, scale = waiting.pop()
            if path in found:
                continue
            pair = [look(each, engine, kind) for each, engine in zip((here, there), ENGINES)]
            found[path] = Pair(root, *pair, scale)
            if pair[0].kind == "container" and id(here) in followed:
                continue
            followed.add(id(here))
            parts = [each.parts for each in pair]
            largest = max(map(_size, [*parts[0].values(), *parts[1].values()]), default=0.0)
            for end in reversed(dict.fromkeys([*parts[0], *parts[1]])):
                (mine, kind), (other, its) = [each.get(end, (MISSING, None)) for each in parts]
                waiting.append((path + end, mine, other, kind or its, largest))
    return found


def look(value, engine, kind=None) -> Result:
    """`value` as a result of `engine`'s side. `kind` is given if a tensor's place decides it."""
    if value is MISSING:
        return Result("missing", value)
    if isinstance(value, engine.Tensor):
        usual = "parameter" if isinstance(value, engine.nn.Parameter) else "tensor"
        grad = value.grad if value.is_leaf or value.retains_grad else None
        parts = {} if grad is None else {".grad": (grad, "gradient")}
        return Result(kind or usual, value, "", parts)
    if isinstance(value, bool | type(None)):
        return Result("value", value)
    if isinstance(value, int | float | complex):
        return Result("number", value)
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fciub":
        return Result("array", value)
    if isinstance(value, engine.dtype | engine.device):
        return Result("value", str(value))
    if isinstance(value, NODES[engine]):
        return Result("graph", value)
    other = torch if engine is autograd_core else autograd_core
    if isinstance(value, (other.Tensor, other.nn.Module, other.optim.Optimizer)):
        return Result("foreign", value)
    parts = _parts_of(value, engine)
    if parts is None:
        return Result("unknown", value)
    return Result("container", value, _type_of(value), parts)


def learners(value) -> bool:
    """Whether `value` is an instance of a class that a cell defines."""
    return not isinstance(value, type) and type(value).__module__ == "__main__"


def _parts_of(value, engine):
    """The parts of a container: the end of the path -> (part, its kind or None). None if `value`
    isn't a container.
    """
    if isinstance(value, engine.nn.Module):
        parts = {f".{name}": (each, "parameter") for name, each in value._parameters.items()}
        parts |= {f".{name}": (each, "buffer") for name, each in value._buffers.items()}
        parts |= {f".{name}": (child, None) for name, child in value._modules.items()}
        return parts | {".training": (value.training, None)} | _attributes(value, engine)
    if isinstance(value, engine.optim.Optimizer):
        return _of_an_optimizer(value)
    if isinstance(value, list | tuple):
        return {f"[{number}]": (item, None) for number, item in enumerate(value)}
    if isinstance(value, dict):
        plain = (str, int, float, bool, type(None), tuple)
        return {
            f"[{key!r}]" if isinstance(key, plain) else f".values()[{number}]": (item, None)
            for number, (key, item) in enumerate(value.items())
        }
    is_scheduler = isinstance(value, engine.optim.lr_scheduler.LRScheduler)
    return _attributes(value, engine) if learners(value) and not is_scheduler else None


def _of_an_optimizer(optimizer):
    parts, parameters = {}, []
    for number, group in enumerate(optimizer.param_groups):
        parameters += group["params"]
        for key, value in group.items():
            if key not in STEP_SWITCHES and key != "params":
                parts[f".param_groups[{number}].{key}"] = value, None
        for place, parameter in enumerate(group["params"]):
            parts[f".param_groups[{number}].params[{place}]"] = parameter, None
    for number, parameter in enumerate(parameters):
        for key, value in optimizer.state.get(parameter, {}).items():
            if value is not None:
                parts[f".state[{number}].{key}"] = value, "optimizer state"
    return parts


def _attributes(value, engine):
    """The public attributes of a learner's object, or the public tensors of an engine's module."""
    usual, is_module = set(vars(engine.nn.Module())), isinstance(value, engine.nn.Module)
    return {
        f".{name}": (part, None)
        for name, part in getattr(value, "__dict__", {}).items()
        if not name.startswith("_") and name not in (usual if is_module else ())
        if learners(value) or isinstance(part, engine.Tensor)
    }


def _size(part):
    """The absolute value of a finite number; 0 for everything else."""
    value = part[0]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return abs(value) if is_number and abs(value) < float("inf") else 0.0


def _type_of(value):
    """ "list of 3", "Net"."""
    name = type(value).__name__
    if isinstance(value, tuple) and not learners(value):
        name = "tuple"  # also for torch.Size and the named tuples of the engines
    return f"{name} of {len(value)}" if isinstance(value, list | tuple | dict) else name

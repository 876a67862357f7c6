"""What the learner calls things: tensors, modules and their parameters, by the caller's variables,
and by what these keep: `self.model`, `models["h"]`, `nets[0]`.
"""

import inspect
import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, islice
from typing import Any

from .nodes import engine_of, is_a, key_of, node_of

OF_IPYTHON = re.compile(r"In|Out|_+|_\d+|_i+\d*|_(oh|ih|dh)")  # its notes of what cells gave
MOST_KEPT = 100  # things in a list, a dict or an object that are looked at
MOST_INNER = 1_000  # things in all that are kept by what one variable keeps: `self.nets["G"]`
NO_KEEPERS = types.ModuleType, types.FunctionType, type, str, bytes, int, float, types.NoneType
DICT_SLOTS = types.GetSetDescriptorType, types.MemberDescriptorType  # a __dict__, no property


@dataclass(frozen=True)
class Names:
    """The names in a namespace. Unlike a trace it holds what is named.

    tensors     {id of a tensor that no node made: name}
    results     {(engine, key) of a node: (output, name) of its first named result}
    models      (variable, module), of what is no part of one before it
    modules     (path, module), each once, in model order: "net", "net.0"
    parameters  (path, parameter), each once, in model order: "net.0.weight"
    optimizers  (variable, optimizer)
    """

    tensors: dict[int, str]
    results: dict[tuple[str, int], tuple[int, str]]
    models: tuple[tuple[str, Any], ...] = ()
    modules: tuple[tuple[str, Any], ...] = ()
    parameters: tuple[tuple[str, Any], ...] = ()
    optimizers: tuple[tuple[str, Any], ...] = ()

    def of_node(self, engine: str, node: Any) -> str:
        """The name of the first result of `node` that has one, or ""."""
        return self.results.get((engine, key_of(node)), (0, ""))[1]

    def with_models(self, models: Iterable[tuple[str, Any]]) -> "Names":
        """With the parts of each (name, module) too that has no name yet; "" stands for the name of
        its class.
        """
        parts = {id(module): (path, module) for path, module in self.modules}
        parameters = {id(parameter): (path, parameter) for path, parameter in self.parameters}
        taken, named = {path for path, _ in self.modules}, [*self.models]
        for name, model in models:
            if id(model) in parts:
                continue
            kind = type(model).__name__
            several = (f"{kind}_{k}" for k in count(2))
            name = name or next(each for each in chain([kind], several) if each not in taken)
            taken.add(name)
            named.append((name, model))
            for path, module in model.named_modules():
                parts.setdefault(id(module), (f"{name}.{path}".rstrip("."), module))
            for path, parameter in model.named_parameters():
                parameters.setdefault(id(parameter), (f"{name}.{path}", parameter))
        return replace(
            self,
            tensors={key: path for key, (path, _) in parameters.items()} | self.tensors,
            models=tuple(named),
            modules=tuple(parts.values()),
            parameters=tuple(parameters.values()),
        )


def names_in(namespace: Mapping[str, Any]) -> Names:
    """The learner's names in a dict of variables; of tensors those that begin with _ are left out.

    A module's parts are named by their path below the variable: "net.0.weight". A variable is also
    looked into, for modules and optimizers that a list, a dict or an object keeps.
    """
    tensors: dict[int, str] = {}
    results: dict[tuple[str, int], tuple[int, str]] = {}
    models: list[tuple[str, Any]] = []
    optimizers: dict[int, tuple[str, Any]] = {}
    variables = [(name, x) for name, x in namespace.items() if not OF_IPYTHON.fullmatch(name)]
    kept = (pair for variable in variables for pair in _kept_by(*variable))
    for name, value in [*variables, *kept]:
        if is_module(value):
            models.append((name, value))
        elif is_optimizer(value):
            optimizers.setdefault(id(value), (name, value))
        elif not is_a(value, "Tensor") or name.startswith("_"):
            continue
        elif (node := node_of(value)) is None:
            tensors.setdefault(id(value), name)
        else:
            key, found = (engine_of(value), key_of(node)), (value.output_nr, name)
            results[key] = min(results.get(key, found), found, key=lambda pair: pair[0])
    named = Names({}, results, optimizers=tuple(optimizers.values())).with_models(models)
    return replace(named, tensors=tensors | named.tensors)


def names_at(frame: types.FrameType) -> Names:
    """The names of all variables that are seen in a frame."""
    names = names_in({**frame.f_globals, **frame.f_locals})
    if sys.version_info < (3, 13) and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        frame.f_locals.clear()  # Python's copy, which keeps a former loss until the function ends
    return names


def leaf_names(nameless: Sequence[int]) -> dict[int, str]:
    """{key: name} of leaves for which the learner has none: "a leaf" for one alone, or "leaf 1"."""
    if len(nameless) == 1:
        return {nameless[0]: "a leaf"}
    return {key: f"leaf {number}" for number, key in enumerate(nameless, 1)}


def is_module(value: Any) -> bool:
    """Whether it is a module of an engine's whose own `__init__` has been called."""
    return is_a(value, "nn.Module") and "_modules" in attributes_of(value)


def is_optimizer(value: Any) -> bool:
    """Whether it is an optimizer of an engine's, with groups of parameters."""
    try:
        groups = value.param_groups if is_a(value, "optim.Optimizer") else None
    except Exception:  # of a wrapper that has none yet
        return False
    return isinstance(groups, list) and all("params" in group for group in groups)


def _kept_by(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """(how to get at it, module or optimizer) of what a variable keeps, and what that keeps."""
    outer = [*parts_of(name, value)]
    inner = chain.from_iterable(parts_of(*part) for part in outer)
    for path, each in chain(outer, islice(inner, MOST_INNER)):
        if is_module(each) or is_optimizer(each):
            yield path, each


def parts_of(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    """(how to get at it, thing) of what is in a dict, a list or an object that is no tensor or
    module.
    """
    parts: Iterable[tuple[str, Any]] = ()
    kind = type(value)
    if issubclass(kind, dict):
        parts = (
            (f"{name}[{key!r}]".replace("'", '"'), each)
            for key, each in dict.items(value)
            if type(key) in (str, int)
        )
    elif issubclass(kind, list | tuple):
        listed = list if issubclass(kind, list) else tuple  # not by an __iter__ of its own
        parts = ((f"{name}[{k}]", each) for k, each in enumerate(listed.__iter__(value)))
    elif not issubclass(kind, NO_KEEPERS) and not engine_of(value):
        parts = ((f"{name}.{key}", each) for key, each in attributes_of(value).items())
    return islice(parts, MOST_KEPT)


def attributes_of(value: Any) -> dict[str, Any]:
    """What an object keeps under names; nothing is called for it, no property, no __getattr__."""
    known = (vars(base)["__dict__"] for base in type(value).__mro__ if "__dict__" in vars(base))
    own = next(known, None)
    return dict(own.__get__(value)) if isinstance(own, DICT_SLOTS) else {}

"""The names of the learner's variables: tensors, and modules with their parameters."""

import re
import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any

from .nodes import engine_of, is_a, key_of, node_of

OF_IPYTHON = re.compile(r"In|Out|_+|_\d+|_i+\d*|_(oh|ih|dh)")  # IPython's own
DICT_SLOTS = types.GetSetDescriptorType, types.MemberDescriptorType  # of a real __dict__


@dataclass(frozen=True)
class Names:
    """The names in a namespace. Unlike a trace, it refers to modules and parameters.

    tensors     {id of a tensor without a grad_fn: name}
    results     {(engine, key) of a node: (output, name) of its first named result}
    models      (variable, module), without modules that are part of an earlier model
    modules     (path, module), each once, in model order: "net", "net.0"
    parameters  (path, parameter), each once, in model order: "net.0.weight"
    retaining   the results that retain their gradient
    """

    tensors: dict[int, str]
    results: dict[tuple[str, int], tuple[int, str]]
    models: tuple[tuple[str, Any], ...] = ()
    modules: tuple[tuple[str, Any], ...] = ()
    parameters: tuple[tuple[str, Any], ...] = ()
    retaining: tuple[Any, ...] = ()

    def with_models(self, models: Iterable[tuple[str, Any]]) -> "Names":
        """These names, and names for each (name, module) that isn't part of a known model. A module
        with the name "" gets the name of its class.
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
    """The learner's names in a dict of variables, without tensors whose names begin with _. Modules
    are found only in variables. Their parts are named by their path: "net.0.weight".
    """
    tensors: dict[int, str] = {}
    results: dict[tuple[str, int], tuple[int, str]] = {}
    models: list[tuple[str, Any]] = []
    retaining: list[Any] = []
    for name, value in namespace.items():
        if OF_IPYTHON.fullmatch(name):
            continue
        if is_module(value):
            models.append((name, value))
        elif is_a(value, "Tensor"):
            node = node_of(value)
            if node is not None and value.retains_grad:
                retaining.append(value)
            if name.startswith("_"):
                continue
            if node is None:
                tensors.setdefault(id(value), name)
            else:
                key, found = (engine_of(value), key_of(node)), (value.output_nr, name)
                results[key] = min(results.get(key, found), found, key=lambda pair: pair[0])
    named = Names({}, results, retaining=tuple(retaining)).with_models(models)
    return replace(named, tensors=tensors | named.tensors)


def notebook_names() -> Names:
    """The names of the notebook's variables; no names outside of IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    return names_in(getattr(shell, "user_ns", {}))


def leaf_names(nameless: Sequence[int]) -> dict[int, str]:
    """{key: name} of leaves that the learner hasn't named: "a leaf" for one, else "leaf 1" etc."""
    if len(nameless) == 1:
        return {nameless[0]: "a leaf"}
    return {key: f"leaf {number}" for number, key in enumerate(nameless, 1)}


def is_module(value: Any) -> bool:
    """Whether `value` is a module of either engine on which `Module.__init__` has been called."""
    return is_a(value, "nn.Module") and "_modules" in attributes_of(value)


def attributes_of(value: Any) -> dict[str, Any]:
    """The instance attributes of an object, read without calling a property or __getattr__."""
    known = (vars(base)["__dict__"] for base in type(value).__mro__ if "__dict__" in vars(base))
    own = next(known, None)
    return dict(own.__get__(value)) if isinstance(own, DICT_SLOTS) else {}

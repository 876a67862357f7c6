"""What the learner calls things: tensors, modules and their parameters, by the caller's variables."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .nodes import engine_of


@dataclass(frozen=True)
class Names:
    """The names in a namespace. Unlike a trace it holds what is named.

    tensors     {id of a leaf or constant, or (engine, sequence number, output) of a result: name}
    modules     (path, module), each once, in model order: "net", "net.0"
    parameters  (path, parameter), each once, in model order: "net.0.weight"
    optimizers  (variable, optimizer)
    """

    tensors: dict[int | tuple[str, int, int], str]
    modules: tuple[tuple[str, Any], ...] = ()
    parameters: tuple[tuple[str, Any], ...] = ()
    optimizers: tuple[tuple[str, Any], ...] = ()

    def of_node(self, engine: str, node: Any) -> str:
        """The name of the first result of `node` that has one, or ""."""
        return self._of_results.get((engine, node._sequence_nr()), "")

    @functools.cached_property
    def _of_results(self) -> dict[tuple[str, int], str]:
        results = [(k, name) for k, name in self.tensors.items() if isinstance(k, tuple) and name]
        return {key[:2]: name for key, name in sorted(results, reverse=True)}

    def of_engine(self, engine: str) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
        """The modules and the parameters that are of one engine."""
        modules = [(path, m) for path, m in self.modules if engine_of(m) == engine]
        return modules, [(path, p) for path, p in self.parameters if engine_of(p) == engine]


def names_in(namespace: Mapping[str, Any]) -> Names:
    """The learner's names in a dict of variables; those that begin with _ are left out.

    A module's parts are named by their path below the variable: "net.0.weight".
    """
    tensors: dict[int | tuple[str, int, int], str] = {}
    modules: dict[int, tuple[str, Any]] = {}
    parameters: dict[int, tuple[str, Any]] = {}
    optimizers: list[tuple[str, Any]] = []
    for name, value in namespace.items():
        if name.startswith("_"):
            continue
        if hasattr(type(value), "named_modules"):
            for path, module in value.named_modules():
                modules.setdefault(id(module), (f"{name}.{path}".rstrip("."), module))
            for path, parameter in value.named_parameters():
                parameters.setdefault(id(parameter), (f"{name}.{path}", parameter))
        elif hasattr(type(value), "zero_grad") and hasattr(value, "param_groups"):
            optimizers.append((name, value))
        elif hasattr(type(value), "grad_fn"):
            key: Any = id(value)
            if value.grad_fn is not None:
                key = engine_of(value), value.grad_fn._sequence_nr(), value.output_nr
            tensors.setdefault(key, name)
    tensors.update((key, path) for key, (path, _) in parameters.items())
    return Names(tensors, tuple(modules.values()), tuple(parameters.values()), tuple(optimizers))

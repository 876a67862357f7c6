"""What the learner calls things: tensors, modules and their parameters, by the caller's variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .nodes import engine_of


@dataclass(frozen=True)
class Names:
    """The names in a namespace. Unlike a trace it holds what is named.

    tensors     {id of a tensor that no node made: name}
    results     {(engine, sequence number) of a node: (output, name) of its first named result}
    modules     (path, module), each once, in model order: "net", "net.0"
    parameters  (path, parameter), each once, in model order: "net.0.weight"
    optimizers  (variable, optimizer)
    """

    tensors: dict[int, str]
    results: dict[tuple[str, int], tuple[int, str]]
    modules: tuple[tuple[str, Any], ...] = ()
    parameters: tuple[tuple[str, Any], ...] = ()
    optimizers: tuple[tuple[str, Any], ...] = ()

    def of_node(self, engine: str, node: Any) -> str:
        """The name of the first result of `node` that has one, or ""."""
        return self.results.get((engine, node._sequence_nr()), (0, ""))[1]

    def of_engine(self, engine: str) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
        """The modules and the parameters that are of one engine."""
        modules = [(path, m) for path, m in self.modules if engine_of(m) == engine]
        return modules, [(path, p) for path, p in self.parameters if engine_of(p) == engine]


def names_in(namespace: Mapping[str, Any]) -> Names:
    """The learner's names in a dict of variables; those that begin with _ are left out.

    A module's parts are named by their path below the variable: "net.0.weight".
    """
    tensors: dict[int, str] = {}
    results: dict[tuple[str, int], tuple[int, str]] = {}
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
        elif hasattr(type(value), "grad_fn") and value.grad_fn is None:
            tensors.setdefault(id(value), name)
        elif hasattr(type(value), "grad_fn"):
            key, found = (engine_of(value), value.grad_fn._sequence_nr()), (value.output_nr, name)
            results[key] = min(results.get(key, found), found, key=lambda pair: pair[0])
    tensors.update((key, path) for key, (path, _) in parameters.items())
    named = tuple(modules.values()), tuple(parameters.values())
    return Names(tensors, results, *named, tuple(optimizers))

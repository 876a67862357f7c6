"""The names of the learner's variables, and the parameters that a trace lists: all parameters of the
given models or of the models in variables, and leaves that were used in these models but aren't
registered.
"""

import re
import sys
import types
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count, islice
from typing import Any, NamedTuple

from .nodes import engine_of, is_a, is_leaf, key_of, living, node_of
from .provenance import Operation
from .sentences import WHY
from .tape import Tape

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


MOST_KEPT = 100  # elements of a list or a dict that are searched
DEPTH = 2  # how deep containers are searched, as in `self.heads["a"][0]`, which isn't registered
OF_MODULES = "_parameters", "_buffers", "_modules"  # attributes for registered things


class Listed(NamedTuple):
    """A parameter, or a leaf that is used like one. `model` and `loose` are as in `Parameter`."""

    name: str
    tensor: Any
    model: str = ""
    loose: str = ""


def models_of(model: Any) -> list[tuple[str, Any]]:
    """(key of a dict or "", module) of each module in the argument `model`."""
    if isinstance(model, Mapping) and not is_module(model):
        pairs = [(str(name), each) for name, each in model.items()]
    else:
        listed = model if isinstance(model, list | tuple) else [model]
        pairs = [("", each) for each in listed]
    if not pairs:
        raise ValueError("no model is in it: give a module, or leave `model` out")
    for _, each in pairs:
        if not is_module(each):
            raise TypeError(
                f"the model is a module, or a list or a dict of modules, not {type(each).__name__}"
            )
    return pairs


def named_models(names: Names | None, engine: str, model: Any) -> tuple[Names, list[Any] | None]:
    """(the names of this `engine`, also for the parts of the given `model` and for layers added
    since; the given models, or None).
    """
    if names is None and model is None:
        return Names({}, {}), None
    names, given = names or Names({}, {}), [] if model is None else models_of(model)
    mine = [pair for pair in names.models if engine_of(pair[1]) == engine]
    names = replace(names, models=(), modules=(), parameters=())
    named = names.with_models([*(pair for pair in given if pair[0]), *mine, *given])
    return named, None if model is None else [module for _, module in given]


@dataclass
class Listing:
    """The listed parameters of one loss. `names` and `given` are the result of `named_models`.

    live      {id of a leaf of the loss's graph: the leaf}
    drawn     the operations of the trace, including operations upstream of cuts
    complete  whether the whole forward pass was recorded
    """

    names: Names
    tape: Tape
    live: Mapping[int, Any]
    drawn: Collection[Operation]
    complete: bool
    given: list[Any] | None = None

    @cached_property
    def seen(self) -> dict[int, Any]:
        """{id: leaf or frozen parameter} of those that the loss or a call of a module has used."""
        called = [each for each in self.tape.forward.values() if each.calls]
        return self._used_by(called) | self._taken

    @cached_property
    def _taken(self) -> dict[int, Any]:
        """{id: leaf or frozen parameter} of those from which the loss was computed."""
        return self._used_by(self.drawn) | dict(self.live)

    def _used_by(self, operations: Iterable[Operation]) -> dict[int, Any]:
        leaves = dict(self.tape.leaves)
        sources = (x.source for each in operations for x in each.inputs if x.source)
        return {s.producer: leaves[s.producer] for s in sources if s.producer in leaves}

    @cached_property
    def models(self) -> list[tuple[str, Any]]:
        """(name, module) of the given models, or of models in variables with a `seen` parameter."""
        if self.given is not None:
            return [(self._path(model), model) for model in self.given]
        seen = self.seen.keys()
        return [x for x in self.names.models if not seen.isdisjoint(map(id, x[1].parameters()))]

    def _path(self, module: Any) -> str:
        return next(path for path, each in self.names.modules if each is module)

    @cached_property
    def all(self) -> list[Listed]:
        """The parameters in model order, then the leaves that belong to no model."""
        mine = {id(p): name for name, model in reversed(self.models) for p in model.parameters()}
        listed = [
            Listed(path, p, mine[id(p)]) for path, p in self.names.parameters if id(p) in mine
        ]
        inside, known = self._inside(), {id(each.tensor) for each in listed}
        rest = {
            key: leaf
            for key, leaf in self.seen.items()
            if key not in known and (key in self._taken or key in inside)
        }
        return [*listed, *self._beside(rest, inside, mine.keys())]

    def _beside(
        self, rest: dict[int, Any], inside: Mapping[int, str], mine: Collection[int]
    ) -> Iterator[Listed]:
        """Leaves that no listed model registers: Parameters, and leaves that a model keeps in a list
        or an attribute; every leaf if no parameter is listed (`mine` has the ids of listed ones).
        """
        kept = (each for _, model in self.models for each in kept_in(self._path(model), model))
        places = {id(leaf): (path, how) for path, how, leaf in kept if id(leaf) in rest}
        nameless = [key for key in rest if key not in places.keys() | self.names.tensors.keys()]
        numbers = leaf_names(nameless)
        free = [leaf for key, leaf in rest.items() if key not in places.keys() | self._registered]
        apart = {id(leaf) for leaf in without_owner(free, mine)}
        for key, leaf in rest.items():
            is_parameter = isinstance(leaf, self.tape.engine.nn.Parameter)
            named = key in self.names.tensors  # then it may be an argument of the model
            name, how = places.get(key, ("", "")) if is_parameter or not named else ("", "")
            within = is_parameter and key in inside
            # a model that ran outside the recording may still register it
            known = named or key in self._registered or not self.complete
            lost = how or within and not known or key in apart
            if lost or within or (is_parameter or not mine) and self.given is None:
                name = name or numbers.get(key) or self.names.tensors[key]
                place = f"inside {inside[key]}" if key in inside else "in this forward"
                loose = WHY["unregistered"].format(place=place, how=how) if lost else ""
                yield Listed(name, leaf, "", loose)

    @cached_property
    def _registered(self) -> set[int]:
        """The ids of the registered parameters of all models that ran, even of unlisted ones."""
        called = (each.calls[0].root() for each in self.tape.forward.values() if each.calls)
        models = {id(model): model for model in called if model is not None}
        return {id(p) for model in models.values() for p in model.parameters()}

    def _inside(self) -> dict[int, str]:
        """{id of a leaf: the name of the listed model that used it in a call}"""
        found: dict[int, str] = {}
        listed = {id(part) for _, model in self.models for part in model.modules()}
        for operation in self.tape.forward.values():
            root = operation.calls[0].root() if operation.calls else None
            if id(root) in listed:
                keys = (x.source.producer for x in operation.inputs if x.source)
                found |= dict.fromkeys(keys, self._path(root))
        return found


def without_owner(leaves: Iterable[Any], mine: Collection[int]) -> list[Any]:
    """The Parameters in `leaves` that no living module registers and no optimizer moves, although an
    optimizer moves parameters whose ids are in `mine`.
    """
    found = [leaf for leaf in leaves if is_a(leaf, "nn.Parameter")]
    if not found:
        return []
    optimizers, modules = (
        map(attributes_of, living(kind)) for kind in ("optim.Optimizer", "nn.Module")
    )
    groups = [group["params"] for each in optimizers for group in each.get("param_groups", ())]
    moved = {id(p) for group in groups for p in group}
    owned = {id(p) for each in modules for p in each.get("_parameters", {}).values()}
    return [] if moved.isdisjoint(mine) else [p for p in found if id(p) not in moved | owned]


def kept_in(path: str, model: Any) -> Iterator[tuple[str, str, Any]]:
    """(name, how it is kept, leaf) of the tensors that a model called `path`, or a module in it, keeps
    but doesn't register.
    """
    for inner, module in model.named_modules():
        place = f"{path}.{inner}".rstrip(".")
        for attribute, value in attributes_of(module).items():
            if attribute not in OF_MODULES:
                yield from _unregistered(f"{place}.{attribute}", value)
        for name, buffer in module.named_buffers(recurse=False):
            yield f"{place}.{name}", f": {place}.{name} is a buffer, no nn.Parameter", buffer


def _unregistered(where: str, value: Any, depth: int = DEPTH) -> Iterator[tuple[str, str, Any]]:
    if is_a(value, "Tensor"):
        yield from _leaf_in(where, value, f": {where} is a plain tensor, no nn.Parameter")
    for path, each in _parts_of(where, value) if depth else ():
        if is_module(each):
            for inner, leaf in each.named_parameters():
                yield f"{path}.{inner}", f": {where} is {_kind(value, 'Module')}", leaf
        elif is_a(each, "Tensor"):
            yield from _leaf_in(path, each, f": {where} is {_kind(value, 'Parameter')}")
        else:
            yield from _unregistered(path, each, depth - 1)


def _leaf_in(where: str, tensor: Any, how: str) -> Iterator[tuple[str, str, Any]]:
    """The tensor if it is a leaf, or else the leaf from which alone it was computed."""
    node = node_of(tensor)
    if node is None:
        yield where, how, tensor
    while node is not None and not is_leaf(node):
        inputs = [producer for producer, _ in node.next_functions if producer is not None]
        node = inputs[0] if len(inputs) == 1 else None
    if node is not None:
        how = f": {where} is computed from a Parameter, and must itself be one"
        yield where, how, node.variable


def _parts_of(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """(expression, element) of each element of a dict, a list or a tuple."""
    kind = type(value)
    pairs = value.items() if kind is dict else enumerate(value) if kind in (list, tuple) else ()
    for key, each in islice(pairs, MOST_KEPT):
        if type(key) in (str, int):
            yield f"{name}[{key!r}]".replace("'", '"'), each


def _kind(keeper: Any, of: str) -> str:
    """ "a list, no nn.ModuleList" for a container whose modules or parameters aren't registered."""
    kind = type(keeper).__name__
    proper = {"list": f"{of}List", "tuple": f"{of}List", "dict": f"{of}Dict"}.get(kind, "Module")
    return f"a {kind}, no nn.{proper}"

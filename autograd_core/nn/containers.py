"""Modules that contain modules: in a sequence, a list or a dict."""

import itertools
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, ValuesView
from typing import Any, Self

from .module import Module


class _Numbered(Module):
    """The base of `Sequential` and `ModuleList`, whose modules have the names "0", "1", …"""

    def append(self, module: Module) -> Self:
        """Append a module."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Append several modules."""
        for module in list(modules):
            self.append(module)
        return self

    __iadd__ = extend

    def _name(self, index):
        return list(self._modules)[index]

    def __getitem__(self, index) -> Any:
        if isinstance(index, slice):
            return self._of(list(self._modules.items())[index])
        return self._modules[self._name(index)]

    def __setitem__(self, index, module):
        self.add_module(self._name(index), module)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._modules.values()))

    def __len__(self) -> int:
        return len(self._modules)


class Sequential(_Numbered):
    """Calls modules in order, each on the result of the previous one. An `OrderedDict` names them."""

    def __init__(self, *args) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            self.extend(args)

    def _of(self, named):
        return type(self)(OrderedDict(named))

    def forward(self, input) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input


class ModuleList(_Numbered):
    """A list of modules that registers their parameters. It can't be called."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def _of(self, named):
        return type(self)([module for _, module in named])

    def _lines(self):
        """The lines of the repr. Equal neighbors share a line."""
        first = 0
        for text, alike in itertools.groupby(map(repr, self)):
            count = len(list(alike))
            last = first + count - 1
            yield f"({first}): {text}" if count == 1 else f"({first}-{last}): {count} x {text}"
            first += count


class ModuleDict(Module):
    """An ordered dict of modules that registers their parameters. It can't be called."""

    def __init__(self, modules: dict[str, Module] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def update(self, modules) -> None:
        """Add the modules of a dict, or of (name, module) pairs."""
        for name, module in dict(modules).items():
            self[name] = module

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def keys(self) -> KeysView[str]:
        return self._modules.keys()

    def values(self) -> ValuesView[Any]:
        return self._modules.values()

    def items(self) -> ItemsView[str, Any]:
        return self._modules.items()

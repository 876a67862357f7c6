"""Modules that hold modules: one after the other, by number, by name."""

import itertools
import operator
from collections import OrderedDict

from ..compat.tensor import Tensor
from ..core.graph import check
from .module import Module, Parameter


class _Numbered(Module):
    """What `Sequential` and `ModuleList` share: their modules, in order, are called "0", "1", …"""

    def append(self, module):
        """Put a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Append several modules."""
        for module in list(modules):
            self.append(module)
        return self

    __iadd__ = extend

    def insert(self, index, module):
        """Put a module before number `index`."""
        self._renumber([*list(self)[:index], module, *list(self)[index:]])

    def pop(self, key):
        """Take a module out, and return it."""
        module = self[key]
        del self[key]
        return module

    def _renumber(self, modules):
        self._modules.clear()
        self.extend(modules)

    def _name(self, index):
        check(-len(self) <= index < len(self), "index {} is out of range", index, error=IndexError)
        return list(self._modules)[index]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._of(list(self._modules.items())[index])
        return self._modules[self._name(index)]

    def __setitem__(self, index, module):
        self.add_module(self._name(index), module)

    def __delitem__(self, index):
        for name in list(self._modules)[index] if isinstance(index, slice) else [self._name(index)]:
            del self._modules[name]
        self._renumber(list(self))

    def __add__(self, modules):
        return self._of([(str(i), module) for i, module in enumerate([*self, *modules])])

    def __iter__(self):
        return iter(list(self._modules.values()))

    def __len__(self):
        return len(self._modules)


class Sequential(_Numbered):
    """Modules one after the other; each takes what the one before it returned. An `OrderedDict`
    gives them names.
    """

    def __init__(self, *modules):
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], OrderedDict):
            for name, module in modules[0].items():
                self.add_module(name, module)
        else:
            self.extend(modules)

    def _of(self, named):
        return type(self)(OrderedDict(named))

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input


class ModuleList(_Numbered):
    """A list of modules whose parameters count. It is looped over, not called."""

    def __init__(self, modules=None):
        super().__init__()
        self.extend(modules or ())

    def _of(self, named):
        return type(self)([module for _, module in named])

    def _lines(self):
        """Equal neighbours are said once."""
        for text, alike in itertools.groupby(
            enumerate(map(repr, self)), key=lambda numbered: numbered[1]
        ):
            numbers = [number for number, _ in alike]
            if len(numbers) == 1:
                yield f"({numbers[0]}): {text}"
            else:
                yield f"({numbers[0]}-{numbers[-1]}): {len(numbers)} x {text}"


class ParameterList(Module):
    """A list of parameters. Tensors that are put in become parameters; other objects stay what they
    are.
    """

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        self.extend(values or ())

    def append(self, value):
        """Put a value at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values):
        """Append several values."""
        check(
            not isinstance(values, Tensor) and hasattr(values, "__iter__"),
            "ParameterList.extend should be called with an iterable, but got {}",
            type(values).__name__,
            error=TypeError,
        )
        for value in list(values):
            self.append(value)
        return self

    __iadd__ = extend

    def _name(self, index):
        index = operator.index(index)
        check(
            -self._size <= index < self._size, "index {} is out of range", index, error=IndexError
        )
        return str(index % self._size)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, self._name(index))

    def __setitem__(self, index, value):
        plain = isinstance(value, Tensor) and not isinstance(value, Parameter)
        setattr(self, self._name(index), Parameter(value) if plain else value)

    def __iter__(self):
        return iter([self[i] for i in range(self._size)])

    def __len__(self):
        return self._size

    def extra_repr(self):
        lines = []
        for i, value in enumerate(self):
            kind = (
                f"{'Parameter' if isinstance(value, Parameter) else 'Tensor'} containing:"
                f" [{value.dtype!r} of size " + "x".join(map(str, value.shape)) + "]"
                if isinstance(value, Tensor)
                else f"Object of type: {type(value).__name__}"
            )
            lines.append(f"  ({i}): {kind}")
        return "\n".join(lines)


def _of_names(method):
    """A dict's method, on the names and modules that are held."""
    return lambda self, *args: getattr(self._modules, method)(*args)


class ModuleDict(Module):
    """Modules by name, in the order in which they came, whose parameters count. It is read as a
    dict, not called.
    """

    __getitem__, __delitem__, __contains__ = map(
        _of_names, ("__getitem__", "__delitem__", "__contains__")
    )
    __iter__, __len__, keys, values = map(_of_names, ("__iter__", "__len__", "keys", "values"))
    items, pop, clear = map(_of_names, ("items", "pop", "clear"))

    def __init__(self, modules=None):
        super().__init__()
        self.update(modules or {})

    def update(self, modules):
        """Put in the modules of a dict, or of (name, module) pairs."""
        for name, module in dict(modules).items():
            self[name] = module

    def __setitem__(self, name, module):
        self.add_module(name, module)

"""Modules that hold modules: by number, by name."""

from .module import Module


class ModuleList(Module):
    """A list of modules whose parameters count. It is looped over, not called."""

    def __init__(self, modules=None):
        super().__init__()
        self.extend(modules or ())

    def extend(self, modules):
        """Append several modules."""
        for module in modules:
            self.append(module)
        return self

    __iadd__ = extend

    def append(self, module):
        """Put a module at the end."""
        self.add_module(str(len(self)), module)
        return self

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

    def _number(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return index % len(self)

    def __getitem__(self, index):
        return type(self)(list(self)[index]) if isinstance(index, slice) else list(self)[self._number(index)]

    def __setitem__(self, index, module):
        self.add_module(str(self._number(index)), module)

    def __delitem__(self, index):
        modules = list(self)
        del modules[index if isinstance(index, slice) else self._number(index)]
        self._renumber(modules)

    def __add__(self, modules):
        return ModuleList([*self, *modules])

    def __iter__(self):
        return iter(list(self._modules.values()))

    def __len__(self):
        return len(self._modules)

    def __repr__(self):
        blocks = []                                         # [first, last, text]: equal neighbours are said once
        for i, text in enumerate(map(repr, self)):
            if blocks and blocks[-1][2] == text:
                blocks[-1][1] = i
            else:
                blocks.append([i, i, text])
        lines = [f"({a}): {text}" if a == b else f"({a}-{b}): {b - a + 1} x {text}" for a, b, text in blocks]
        inner = "".join("\n  " + line.replace("\n", "\n  ") for line in lines)
        return f"{type(self).__name__}({inner}{chr(10) * bool(blocks)})"


def _of_names(method):
    """A dict's method, on the names and modules that are held."""
    return lambda self, *args: getattr(self._modules, method)(*args)


class ModuleDict(Module):
    """Modules by name, in the order in which they came, whose parameters count. It is read as a dict, not called."""

    __getitem__, __delitem__, __iter__, __len__, __contains__, keys, values, items, pop, clear = map(
        _of_names, "__getitem__ __delitem__ __iter__ __len__ __contains__ keys values items pop clear".split())

    def __init__(self, modules=None):
        super().__init__()
        self.update(modules or {})

    def update(self, modules):
        """Put in the modules of a dict, or of (name, module) pairs."""
        for name, module in dict(modules).items():
            self[name] = module

    def __setitem__(self, name, module):
        self.add_module(name, module)

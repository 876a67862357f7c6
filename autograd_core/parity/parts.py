"""What a value is made of: the learner's names and data in it, each under what one would type after the value's name.

parts_of([1, x])        {"[0]": 1, "[1]": x}
parts_of(counter)       {".n": 3}, also its slots; of a class or function of the learner's what it remembers
parts_of(open(name))    None: it cannot be looked into
"""

import collections
import functools
import io
import sys
import types

import numpy as np

PLAIN = (int, float, complex, str, bytes, bool, type(None), type(...), range, slice, np.generic)
_ATTRIBUTES_TELL_ALL = (
    types.SimpleNamespace,
    functools.partialmethod,
    collections.UserDict,
    collections.UserList,
    collections.UserString,
    collections.ChainMap,
)
_PAIRS = {
    functools.partial: ("func", "args", "keywords"),
    types.MethodType: ("__self__", "__func__"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    property: ("fget", "fset", "fdel"),
    type(functools.lru_cache(len)): ("__wrapped__",),
}


def learners(value) -> bool:
    """Whether a class or a function was written in a cell; for anything else, whether its class was."""
    if isinstance(value, types.FunctionType) and value.__globals__.get("__name__") == "__main__":
        return True
    return (
        value if isinstance(value, type | types.FunctionType) else type(value)
    ).__module__ == "__main__"


def importable(value) -> bool:
    """Whether an imported module has `value` under its name: everybody's, not the learner's."""
    if isinstance(value, types.ModuleType):
        return True
    found = sys.modules.get(getattr(value, "__module__", None) or "")
    if found is None or found.__name__ == "__main__":
        return False
    for name in getattr(value, "__qualname__", "?").split("."):
        found = getattr(found, name, None)
    return found is value


def is_imported(name: str, value) -> bool:
    """Whether an imported module has `value`, whatever it is, under `name`."""
    modules = [
        module for module in [*sys.modules.values()] if module is not sys.modules.get("__main__")
    ]
    return any(getattr(module, "__dict__", {}).get(name) is value for module in modules)


def is_plain(value, leaf=lambda each: False) -> bool:
    """Whether `value` is a number, a string, or a list, dict, set or tuple of such and of each `leaf`."""
    waiting, seen = [value], set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, PLAIN) or leaf(each):
            continue
        if not isinstance(each, list | tuple | dict | set | frozenset) or not importable(
            type(each)
        ):
            return False
        if id(each) not in seen:
            seen.add(id(each))
            waiting += [*each.keys(), *each.values()] if isinstance(each, dict) else each
    return True


def is_shareable(value) -> bool:
    """Whether an ordinary cell may make `value` for a %%both cell: what is plain, arrays, what is imported."""
    return is_plain(
        value,
        lambda each: (
            importable(each) or (isinstance(each, np.ndarray) and not each.dtype.hasobject)
        ),
    )


def parts_of(value) -> dict[str, object] | None:
    """The parts of `value` by what follows its name; None for what cannot be looked into."""
    if isinstance(value, types.FunctionType):
        return None if importable(value) else _of_a_function(value) | _attributes(value)
    if isinstance(value, type):
        return _attributes(value) if learners(value) else None
    parts = None
    if isinstance(value, list | tuple | collections.deque):
        parts = {f"[{number}]": item for number, item in enumerate(value)}
    elif isinstance(value, dict | types.MappingProxyType):
        parts = {}
        for number, (key, item) in enumerate(value.items()):
            if isinstance(key, PLAIN) or type(key) is tuple and is_plain(key):
                parts[f"[{key!r}]"] = item
            else:
                parts |= {f".keys()[{number}]": key, f".values()[{number}]": item}
    elif isinstance(value, io.StringIO | io.BytesIO) and not value.closed:
        parts = {".getvalue()": value.getvalue()}
    elif isinstance(value, bytearray):
        parts = {"[:]": bytes(value)}
    for kind, names in _PAIRS.items():
        if isinstance(value, kind):
            parts = {f".{name}": getattr(value, name) for name in names}
    if parts is not None or learners(value) or isinstance(value, _ATTRIBUTES_TELL_ALL):
        parts = (parts or {}) | _attributes(value) | _slots(value)
    return parts


def _attributes(value):
    return {f".{name}": item for name, item in dict(getattr(value, "__dict__", {})).items()}


def _slots(value):
    names = {
        name
        for base in type(value).__mro__
        if learners(base)
        for name, slot in vars(base).items()
        if isinstance(slot, types.MemberDescriptorType)
    }
    return {f".{name}": getattr(value, name) for name in sorted(names) if hasattr(value, name)}


def _of_a_function(function):
    parts = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        if name != "__class__" and cell != types.CellType():  # nothing may be in it yet
            parts[f".{name}"] = cell.cell_contents
    parts |= {f".__defaults__[{n}]": item for n, item in enumerate(function.__defaults__ or ())}
    return parts | {f".{name}": item for name, item in (function.__kwdefaults__ or {}).items()}

"""What a value holds: its parts by name, and how to put them back. The comparison and the snapshot both ask this.

    contents_of(net)        [Attributes]                parts: .weight, .training, …
    contents_of(counter)    [Items, Attributes]         for one's own subclass of list
    contents_of(f)          [Attributes, Closure]       what a function of the learner's remembers

Only what holds the learner's data is taken apart: builtin and standard containers, instances and classes that a cell
defined, functions with what they close over, modules, optimizers and data sets of both engines. Everything else is
opaque: it is not compared, and the report says so.
"""

import collections
import functools
import io
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass

ENGINES = ("autograd_core", "torch")
ENGINE_ROOMS = tuple(f"{engine}.{room}" for engine in ENGINES for room in ("nn", "optim", "utils"))

_STANDARD = (types.SimpleNamespace, functools.partial, functools.partialmethod, functools.cached_property,
             collections.UserDict, collections.UserList, collections.UserString, collections.ChainMap)
_NO_SLOT = ("__dict__", "__weakref__")
_NONE = object()


@dataclass(slots=True)
class Contents:
    """One kind of contents of one value: its parts, each under what follows the value's own name, and the way back."""

    parts: dict[str, object]
    restore: Callable[[], None]


def learners(value) -> bool:
    """Whether a class or a function was written in a cell; for anything else, whether its class was."""
    owner = value if isinstance(value, (type, types.FunctionType)) else type(value)
    if isinstance(value, types.FunctionType) and value.__globals__.get("__name__") == "__main__":
        return True
    return owner.__module__ == "__main__"


def importable(value) -> bool:
    """Whether a class or a function is what an imported module has under its name: everybody's, not the learner's."""
    found = sys.modules.get(getattr(value, "__module__", None) or "")
    if found is None or found.__name__ == "__main__":
        return False
    for name in getattr(value, "__qualname__", "?").split("."):
        found = getattr(found, name, None)
    return found is value


def package_of(value) -> str:
    """The package that the class of `value` comes from."""
    return type(value).__module__.partition(".")[0]


def contents_of(value) -> list[Contents]:
    """How `value` is taken apart; nothing for what is opaque, or holds nothing."""
    if isinstance(value, types.FunctionType):
        return [] if importable(value) else [_function(value), _attributes(value)]
    if isinstance(value, type):
        return [_class(value)] if learners(value) else []
    found = [describe(value) for kind, describe in _CONTAINERS if isinstance(value, kind)][:1]
    standard = isinstance(value, _STANDARD)
    if found or standard or learners(value) or any(base.__module__.startswith(ENGINE_ROOMS) for base in type(value).__mro__):
        if getattr(value, "__dict__", None) is not None:
            found.append(_attributes(value))
        found += _slots(value)
    return found


# ---- containers ----------------------------------------------------------------------------------------------------


def _items(value):
    kind, content = (list if isinstance(value, list) else collections.deque), list(value)

    def restore():
        kind.clear(value)
        kind.extend(value, content)
    return Contents({f"[{number}]": item for number, item in enumerate(content)}, restore)


def _members(value):
    content = set(value)

    def restore():
        set.clear(value)
        set.update(value, content)
    return Contents({f".{number}": item for number, item in enumerate(content)}, restore)


def _mapping(value):
    kind = collections.OrderedDict if isinstance(value, collections.OrderedDict) else dict
    content = list(kind.items(value))

    def restore():
        kind.clear(value)
        for key, item in content:
            kind.__setitem__(value, key, item)
    parts = {}
    for number, (key, item) in enumerate(content):
        if is_plain(key):
            parts[f"[{key!r}]"] = item
        else:
            parts |= {f".keys()[{number}]": key, f".values()[{number}]": item}
    return Contents(parts, restore)


def _bytes(value):
    content = bytes(value)
    return Contents({"[:]": content}, lambda: value.__setitem__(slice(None), content))


def _stream(value):
    state = None if value.closed else value.__getstate__()
    return Contents({} if state is None else {".getvalue()": value.getvalue(), ".tell()": value.tell()},
                    lambda: None if state is None or value.closed else value.__setstate__(state))


def _iterator(value):
    """An iterator over a list or a range: where it stands. What has run to its end has let go of its list."""
    _, (items, *_), *place = value.__reduce__()
    return Contents({}, lambda: value.__setstate__(*place) if place and value.__reduce__()[1][0] is items else None)


def _fixed(parts):
    return lambda value: Contents(parts(value), lambda: None)


_CONTAINERS = [
    ((list, collections.deque), _items),
    (dict, _mapping),
    (set, _members),
    (tuple, _fixed(lambda value: {f"[{number}]": item for number, item in enumerate(value)})),
    (bytearray, _bytes),
    ((io.StringIO, io.BytesIO), _stream),
    (functools.partial, _fixed(lambda value: {".func": value.func, ".args": value.args, ".keywords": value.keywords})),
    (types.MethodType, _fixed(lambda value: {".__self__": value.__self__, ".__func__": value.__func__})),
    ((staticmethod, classmethod), _fixed(lambda value: {".__func__": value.__func__})),
    (property, _fixed(lambda value: {f".{name}": getattr(value, name) for name in ("fget", "fset", "fdel")})),
    (types.MappingProxyType, _fixed(lambda value: {f"[{key!r}]": item for key, item in value.items() if is_plain(key)})),
    (type(functools.lru_cache(len)), _fixed(lambda value: {".__wrapped__": value.__wrapped__})),
    (type(iter([])), _iterator),
]

_PLAIN = (int, float, complex, str, bytes, bool, type(None))


def is_plain(value) -> bool:
    """Whether `value` is a number, a string, None, or a tuple or slice of such: it cannot change, and its repr says it all."""
    return type(value) in _PLAIN or type(value) is tuple and all(map(is_plain, value)) or \
        type(value) is slice and is_plain((value.start, value.stop, value.step))


# ---- attributes ----------------------------------------------------------------------------------------------------


def _attributes(value):
    attributes = vars(value)
    content = dict(attributes)

    def restore():
        attributes.clear()
        attributes.update(content)
    return Contents({f".{name}": item for name, item in content.items()}, restore)


def _slots(value):
    slots = {name: slot for base in type(value).__mro__ if learners(base) for name, slot in vars(base).items()
             if isinstance(slot, types.MemberDescriptorType) and name not in _NO_SLOT}
    if not slots:
        return []
    content = {name: getattr(value, name, _NONE) for name in slots}

    def restore():
        for name, slot in slots.items():
            if content[name] is not _NONE:
                slot.__set__(value, content[name])
            elif getattr(value, name, _NONE) is not _NONE:
                slot.__delete__(value)
    return [Contents({f".{name}": item for name, item in content.items() if item is not _NONE}, restore)]


def _class(value):
    content = dict(vars(value))

    def restore():
        for name in vars(value).keys() - content.keys():
            type.__delattr__(value, name)
        for name, item in content.items():
            if vars(value).get(name, _NONE) is not item:
                type.__setattr__(value, name, item)
    return Contents({f".{name}": item for name, item in content.items()
                     if not isinstance(item, (types.MemberDescriptorType, types.GetSetDescriptorType))}, restore)


def _function(value):
    names, cells = value.__code__.co_freevars, value.__closure__ or ()
    content = [_cell(cell) for cell in cells]
    defaults, keywords = value.__defaults__, value.__kwdefaults__
    code = value.__code__

    def restore():
        for cell, item in zip(cells, content):
            if item is not _NONE:
                cell.cell_contents = item
            elif _cell(cell) is not _NONE:
                del cell.cell_contents
        value.__defaults__, value.__kwdefaults__, value.__code__ = defaults, keywords, code
    parts = {f".{name}": item for name, item in zip(names, content) if item is not _NONE and name != "__class__"}
    parts |= {f".__defaults__[{number}]": item for number, item in enumerate(defaults or ())}
    return Contents(parts | {f".{name}": item for name, item in (keywords or {}).items()}, restore)


def _cell(cell):
    try:
        return cell.cell_contents
    except ValueError:                      # nothing is in it yet
        return _NONE

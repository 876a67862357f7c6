"""How what ordinary cells made, with autograd_core alone, comes to PyTorch's side.

Everything that either side could change, or that runs the learner's code, is made a second time: containers, objects,
functions with what they close over, classes, iterators over lists. It is taken apart as `pickle` does it, so a class
says itself how its objects are made; functions and classes that `pickle` can only name are rebuilt, and find PyTorch's
names where they found autograd_core's. What has a counterpart in PyTorch (`nn.ReLU`, `T.float64`, `@T.no_grad()`)
becomes that. What is neither, such as a tensor, is refused, and the reason told.
"""

import collections
import contextlib
import copy
import enum
import functools
import sys
import types
import weakref

import numpy as np

from .contents import importable, learners, package_of
from .results import is_node

# Rooms of autograd_core whose objects are plain data or pictures, so that both sides may hold them.
_PLAIN_ROOMS = ("autograd_core.trace", "autograd_core.parity", "autograd_core.widgets", "autograd_core.lessons")

_NO_ATTRIBUTE = {"__dict__", "__weakref__", "_abc_impl"}
_UNCHANGING = (int, float, complex, str, bytes, bool, type(None), type(...), range, slice, types.ModuleType,
               types.BuiltinFunctionType, types.CodeType, enum.Enum, enum.EnumMeta, np.generic, np.dtype, np.ufunc)
_CODE = (types.FunctionType, staticmethod, classmethod, property, functools.cached_property, functools.partialmethod)


class NotTransferable(Exception):
    """A value is, or holds, something that cannot be made a second time. The message says what."""


class ToTorch:
    """Makes PyTorch's counterparts of values. What two values share, their counterparts share too.

    `ours`, `theirs` are the namespaces with their engines (`namespaces.Side`); `counterparts` maps `id(ours)` to
    PyTorch's object for what both sides have already.
    """

    def __init__(self, ours, theirs, counterparts: dict[int, object]):
        self.ours, self.theirs = ours, theirs
        self.known = counterparts
        self.made: list[object] = []            # what was transferred, in order; holding it keeps the ids valid
        self.unfinished: list = []              # what is still to be filled, the innermost last

    def __call__(self, value):
        """PyTorch's counterpart of `value`. Raises NotTransferable if there is none; then nothing is remembered."""
        before = len(self.made)
        try:
            result = self.transfer(value)
            self.finish(0)
            return result
        except (NotTransferable, RecursionError) as error:
            self.forget(before)
            raise error if isinstance(error, NotTransferable) else NotTransferable("it is nested too deeply") from None
        except Exception as error:              # of a class of somebody's, which will not be made a second time
            self.forget(before)
            raise NotTransferable(f"a second one cannot be made: {type(error).__name__}: {error}") from error

    def forget(self, before):
        """Drop what was made for a value that is refused."""
        for value in self.made[before:]:
            self.known.pop(id(value), None)
        self.unfinished.clear()

    def finish(self, depth):
        """Fill what waits, without recursion: a chain of a million objects is no deeper than one."""
        while len(self.unfinished) > depth:
            self.unfinished.pop()()

    def transfer(self, value):
        """The counterpart of one value, which may still have to be filled."""
        if isinstance(value, _UNCHANGING) and not _has_attributes(value):
            return self.counterpart_module(value) if isinstance(value, types.ModuleType) else value
        if id(value) in self.known:
            return self.known[id(value)]
        public = _public_counterparts(self.ours.engine, self.theirs.engine)
        if id(value) in public:
            return public[id(value)]
        self.made.append(value)
        result = self.make(value)
        self.known.setdefault(id(value), result)
        return self.known[id(value)]

    def complete(self, value):
        """The counterpart of one value, filled: what is handed to a constructor must be whole."""
        depth = len(self.unfinished)
        result = self.transfer(value)
        self.finish(depth)
        return result

    def make(self, value):
        """Make the counterpart of a value that has none yet."""
        self.refuse_engines_own(value)
        kind = type(value)
        if isinstance(value, types.FunctionType):
            return value if importable(value) else self.function(value)
        if isinstance(value, type):
            return value if importable(value) or not learners(value) else self.rebuilt_class(value)
        if kind is tuple:
            return tuple([self.transfer(item) for item in value])
        if kind is types.CellType:
            return self.cell(value)
        if isinstance(value, (staticmethod, classmethod)):
            return kind(self.transfer(value.__func__))
        if kind is property:
            return property(*map(self.transfer, (value.fget, value.fset, value.fdel)), value.__doc__)
        if kind is functools._lru_cache_wrapper:
            return functools.lru_cache(**value.cache_parameters())(self.complete(value.__wrapped__))
        if kind is functools.cached_property:
            return functools.cached_property(self.transfer(value.func))
        if kind is types.MethodType:
            return types.MethodType(self.complete(value.__func__), self.transfer(value.__self__))
        if kind is types.MappingProxyType:
            return types.MappingProxyType(self.complete(dict(value)))
        if kind in (weakref.WeakKeyDictionary, weakref.WeakValueDictionary):
            return kind(self.complete(dict(value)))
        if isinstance(value, np.ndarray):
            return self.array(value)
        if isinstance(value, self.ours.engine.Size):
            return self.theirs.engine.Size(value)
        if isinstance(value, self.ours.engine.device):
            return self.theirs.engine.device(str(value))
        if _is_grad_mode(value):
            other = getattr(self.theirs.engine, kind.__name__)
            return other(value.mode) if "mode" in vars(value) else other()
        if package_of(value) == "autograd_core" or not _is_data(value):
            return value
        return self.by_parts(value)

    def refuse_engines_own(self, value):
        """Raises NotTransferable for what one engine made: the other one has no such thing."""
        for side, other in ((self.ours, self.theirs), (self.theirs, self.ours)):
            engine = side.engine
            own = isinstance(value, (engine.Tensor, engine.nn.Module, engine.optim.Optimizer))
            if not own and not isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType, engine.Size,
                                                  engine.dtype, engine.device)) and not _is_grad_mode(value):
                room = type(value).__module__
                own = room.partition(".")[0] == engine.__name__ and not room.startswith(_PLAIN_ROOMS)
            if own or is_node(value) and side is self.ours:
                raise NotTransferable(f"{side.label}'s own {type(value).__name__}, of which {other.label} has none")

    # ---- code --------------------------------------------------------------------------------------------------

    def function(self, value):
        """The same code, which finds what it names, closes over and has as defaults on PyTorch's side."""
        if value.__globals__.get("__name__") == "autograd_core.autograd.grad_mode":
            return self.decorated(value)
        named = self.theirs.namespace if value.__globals__ is self.ours.namespace else value.__globals__
        cells = None if value.__closure__ is None else tuple([self.transfer(cell) for cell in value.__closure__])
        result = types.FunctionType(value.__code__, named, value.__name__, None, cells)
        result.__qualname__, result.__module__, result.__doc__ = value.__qualname__, value.__module__, value.__doc__

        def fill():
            result.__defaults__ = self.transfer(value.__defaults__)
            result.__kwdefaults__ = self.transfer(value.__kwdefaults__)
            result.__dict__.update(self.complete(value.__dict__))
            result.__annotations__ = value.__annotations__
        self.unfinished.append(fill)
        return result

    def decorated(self, value):
        """What `@T.no_grad()` and its kin made of a function: PyTorch's decorator, of PyTorch's function."""
        inside = dict(zip(value.__code__.co_freevars, value.__closure__))
        context, function = inside["context"].cell_contents, inside["function"].cell_contents
        mode = context if isinstance(context, type) else context.__closure__[0].cell_contents
        mode = self.transfer(mode() if isinstance(mode, type) else mode)
        return mode(self.complete(function))

    def cell(self, value):
        """A variable that a function closes over."""
        result = types.CellType()

        def fill():
            with contextlib.suppress(ValueError):           # nothing is in it yet
                result.cell_contents = self.transfer(value.cell_contents)
        self.unfinished.append(fill)
        return result

    def rebuilt_class(self, value):
        """A class of the learner's: the same methods, on PyTorch's bases. Its other attributes follow."""
        bases = tuple([self.complete(base) for base in value.__bases__])
        attributes = {name: item for name, item in vars(value).items() if name not in _NO_ATTRIBUTE
                      and not isinstance(item, (types.MemberDescriptorType, types.GetSetDescriptorType))}
        code = {name: self.transfer(item) if isinstance(item, _CODE) else self.complete(item)
                for name, item in attributes.items() if name.startswith("__") or isinstance(item, _CODE)}
        own = {"metaclass": self.complete(type(value))} if learners(type(value)) else {}
        result = types.new_class(value.__name__, bases, own, lambda namespace: namespace.update(code))
        self.known[id(value)] = result

        def fill():
            for name in attributes.keys() - code.keys():
                setattr(result, name, self.transfer(attributes[name]))
        self.unfinished.append(fill)
        return result

    # ---- data --------------------------------------------------------------------------------------------------

    def array(self, value):
        """A copy; a view of another array becomes a view of its copy, so both still share their memory."""
        base = value.base
        if type(value) is np.ndarray is type(base) and not value.dtype.hasobject and base.flags.c_contiguous:
            offset = value.__array_interface__["data"][0] - base.__array_interface__["data"][0]
            return np.ndarray(value.shape, value.dtype, self.transfer(base).data.cast("B") if base.size else None, offset,
                              value.strides) if base.flags.writeable else value.copy()
        if not value.dtype.hasobject:
            return copy.deepcopy(value)
        result = value.copy()
        self.unfinished.append(lambda: [result.itemset(i, self.transfer(item)) if hasattr(result, "itemset") else
                                        result.flat.__setitem__(i, self.transfer(item)) for i, item in enumerate(value.flat)])
        return result

    def by_parts(self, value):
        """An object as `pickle` takes it apart: how it is made, its state, its items."""
        try:
            parts = value.__reduce_ex__(4)
        except TypeError as error:
            raise NotTransferable(f"a {type(value).__name__}, of which no second one can be made") from error
        if isinstance(parts, str):
            return value                        # known by its name: there is one
        make, arguments, state, items, pairs = (*parts, None, None, None)[:5]
        result = make(*[self.complete(argument) for argument in arguments])
        self.known[id(value)] = result
        items, pairs = list(items or ()), list(pairs or ())

        def fill():
            content, content_by_key, new_state = [], [], []
            # Waits below its parts: a key must be whole before it is hashed, and a state before it is set.
            self.unfinished.append(lambda: _put_into(result, content, content_by_key, *new_state))
            content += [self.transfer(item) for item in items]
            content_by_key += [(self.transfer(key), self.transfer(item)) for key, item in pairs]
            new_state.append(self.transfer(state))
        self.unfinished.append(fill)
        return result

    def counterpart_module(self, module):
        """PyTorch's module for one of autograd_core's; any other as it is."""
        path = module.__name__.split(".")
        if path[0] != self.ours.engine.__name__ or module.__name__.startswith(_PLAIN_ROOMS):
            return module
        found = self.theirs.engine
        for name in path[1:]:
            found = getattr(found, name, None)
        return found if isinstance(found, types.ModuleType) else module


def _has_attributes(value):
    return learners(value) and not isinstance(value, (type, types.ModuleType, enum.Enum)) and bool(
        getattr(value, "__dict__", None))


def _is_grad_mode(value):
    return type(value).__name__ in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode") \
        and package_of(value) == "autograd_core"


def _is_data(value):
    """Whether `value` is data: the learner's, the standard library's or NumPy's. All else stands for something outside
    of the program, a screen or a progress bar, of which there is one. (A constant of a module is everybody's as well.)"""
    package = package_of(value)
    if not (learners(value) or package == "numpy" or package in sys.stdlib_module_names):
        return False
    room = vars(sys.modules.get(type(value).__module__, types)).values()
    return learners(value) or package == "builtins" or not any(value is item for item in room)


def _put_into(result, items, pairs, state):
    if state is not None and hasattr(result, "__setstate__"):
        result.__setstate__(state)
    elif state is not None:
        attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
        vars(result).update(attributes or {}) if attributes else None
        for name, item in (slots or {}).items():
            setattr(result, name, item)
    if isinstance(result, (list, collections.deque)):
        (list if isinstance(result, list) else collections.deque).extend(result, items)
    else:
        for item in items:
            result.append(item)
    kind = collections.OrderedDict if isinstance(result, collections.OrderedDict) else dict
    for key, item in pairs:
        kind.__setitem__(result, key, item)


@functools.cache
def _public_counterparts(ours, theirs) -> dict[int, object]:
    """PyTorch's function, class or constant for each one that autograd_core has under the same public name."""
    found: dict[int, object] = {}
    waiting, seen = [(ours, theirs), (ours.Tensor, theirs.Tensor)], set()
    while waiting:
        here, there = waiting.pop(0)
        if id(here) in seen:
            continue
        seen.add(id(here))
        for name in dir(here):
            mine, other = getattr(here, name, None), getattr(there, name, None)
            if name.startswith("_") or other is None:
                continue
            if isinstance(mine, types.ModuleType):
                if mine.__name__.startswith(ours.__name__ + ".") and isinstance(other, types.ModuleType):
                    waiting.append((mine, other))
            elif isinstance(mine, (type, types.FunctionType, types.BuiltinFunctionType, ours.dtype)) and \
                    getattr(mine, "__module__", type(mine).__module__).startswith(ours.__name__):
                found.setdefault(id(mine), other)
    return found

"""The two sides of a %%both cell. Each side has an engine, under the names torch, F, nn and optim,
and its own variables.
"""

import contextlib
import copy
import re
import sys
import types
from dataclasses import dataclass

import numpy as np
import torch

from ..trace import Tape
from .cell import ENGINE_NAMES, OneSentence
from .torch_tape import TorchTape

PLAIN = (int, float, complex, str, bytes, bool, type(None), type(...), range, slice, np.generic)
# The names that IPython and Python define, and the names of the engines.
_NOT_THE_LEARNERS = re.compile(
    r"_{1,3}|_i{1,3}|_i?\d+|_[dio]h|__\w+__|In|Out|exit|quit|open|get_ipython|on_torch|"
    + "|".join(ENGINE_NAMES)
)


def learners_names(namespace: dict) -> list[str]:
    """The names in `namespace` that cells made, in order."""
    return [name for name in namespace if not _NOT_THE_LEARNERS.fullmatch(name)]


class MadeOutside(OneSentence, NameError):
    """A %%both cell uses an object from an ordinary cell that can't be copied to PyTorch's side."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a cell ended on one side: with the value of its last expression, or with an exception."""

    value: object = None
    error: BaseException | None = None


class Side:
    """One engine and the namespace in which it runs cells.

    `label` is its name in messages: "autograd_core" or "PyTorch". `engine` is the package
    (`autograd_core` or `torch`)."""

    def __init__(self, engine):
        self.engine, self.namespace = engine, {"__name__": "__main__"}
        self.label = "PyTorch" if engine is torch else "autograd_core"
        self.tape = TorchTape() if engine is torch else Tape()
        packages = engine, engine.nn.functional, engine.nn, engine.optim
        self.bindings = dict(zip(ENGINE_NAMES, packages))
        self.names: set[str] = set()  # the learner's names before the current cell

    def run(self, cell, recorded=True) -> Outcome:
        """Run a cell to its end or to its exception."""
        __tracebackhide__ = True
        self.namespace |= self.bindings
        self.names = {*learners_names(self.namespace)}
        try:
            with self.tape.recording() if recorded else contextlib.nullcontext():
                return Outcome(cell.run(self.engine, self.namespace))
        except (Exception, KeyboardInterrupt) as error:
            return Outcome(error=error)

    def results(self, last_text="", value=None) -> dict[str, object]:
        """The learner's variables by name, and the value of the last expression by its text."""
        found = {name: self.namespace[name] for name in learners_names(self.namespace)}
        return found if value is None else found | {last_text: found.get(last_text, value)}


def is_shareable(name: str, value) -> bool:
    """Whether a %%both cell can use `value` from an ordinary cell: `value` is imported, or one of
    PLAIN, or an array, or a list, dict, set or tuple of such values.
    """
    waiting, seen = [] if _is_imported(name, value) else [value], set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, PLAIN) or _importable(each):
            continue
        if isinstance(each, np.ndarray) and not each.dtype.hasobject:
            continue
        is_container = isinstance(each, list | tuple | dict | set | frozenset)
        if not (is_container and _importable(type(each))):
            return False
        if id(each) not in seen:
            seen.add(id(each))
            waiting += [*each.keys(), *each.values()] if isinstance(each, dict) else each
    return True


def copied(values: dict) -> dict:
    """Copies of shareable values; imported objects are not copied."""
    imported = [value for name, value in values.items() if _is_imported(name, value)]
    return copy.deepcopy(values, {id(each): each for each in [*sys.modules.values(), *imported]})


def _importable(value):
    """Whether `value` is a module, or an imported module has it under its `__qualname__`."""
    if isinstance(value, types.ModuleType):
        return True
    found = sys.modules.get(getattr(value, "__module__", None) or "")
    if found is None or found.__name__ == "__main__":
        return False
    for name in getattr(value, "__qualname__", "?").split("."):
        found = getattr(found, name, None)
    return found is value


def _is_imported(name, value):
    """Whether an imported module has `value`, which is not a plain value, under `name`."""
    if isinstance(value, PLAIN):
        return False
    modules = [each for each in [*sys.modules.values()] if each is not sys.modules["__main__"]]
    return any(getattr(each, "__dict__", {}).get(name) is value for each in modules)


class OnTorch:
    """The variables of the %%both cells on PyTorch's side, such as `on_torch.loss`."""

    def __init__(self, namespace):
        object.__setattr__(self, "_namespace", namespace)

    def __dir__(self):
        return learners_names(self._namespace)

    def __getattr__(self, name):
        if name in dir(self):
            return self._namespace[name]
        known = ", ".join(dir(self)) or "no variables yet: run a %%both cell first"
        raise AttributeError(f"PyTorch's side has no {name!r}. It has {known}")

    def __setattr__(self, name, value):
        raise AttributeError(f"on_torch is read-only: assign {name} in a %%both cell")

"""The two namespaces of a %%both cell: each has its engine, under the names T, F, nn and optim."""

import contextlib
import re
import types

from ..trace import Tape
from .compare import OneSentence
from .guard import guard_against
from .results import Result, name_results

ENGINE_NAMES = ("T", "F", "nn", "optim")

# What IPython keeps in the namespace for itself, and what names the engines.
_NOT_THE_LEARNERS = re.compile(
    r"_{1,3}|_i{1,3}|_i?\d+|_[dio]h|__\w+__|In|Out|exit|quit|get_ipython|on_torch|"
    + "|".join(ENGINE_NAMES)
)


def learners_names(namespace: dict) -> list[str]:
    """The names in `namespace` that cells made, in order: neither IPython's own nor T, F, nn, optim."""
    return [name for name in namespace if not _NOT_THE_LEARNERS.fullmatch(name)]


class MadeOutside(OneSentence, NameError):
    """A %%both cell uses what an ordinary cell made, and what cannot be copied."""


class Side:
    """One engine and the namespace in which it runs cells.

    `label` names it in messages: "autograd_core" or "PyTorch". `engine` is the package (`autograd_core` or `torch`).
    """

    def __init__(self, label: str, engine, namespace: dict):
        self.label, self.engine, self.namespace = label, engine, namespace
        namespace.setdefault("__name__", "__main__")
        self.tape = _tape(engine)
        self.bindings = {
            "T": engine,
            "F": engine.nn.functional,
            "nn": engine.nn,
            "optim": engine.optim,
        }

    def bind(self):
        """Let T, F, nn and optim mean this engine."""
        self.namespace.update(self.bindings)

    def check_names(self):
        """Raises MadeOutside if T, F, nn or optim is a value of the learner's."""
        for name in ENGINE_NAMES:
            value = self.namespace.get(name)
            if value is not None and not isinstance(value, types.ModuleType):
                raise MadeOutside(
                    f"{name} means the engine in a %%both cell, but an ordinary cell made it "
                    f"{type(value).__name__}: use another name, and del {name}"
                )

    @contextlib.contextmanager
    def running(self, recorded: bool = True):
        """The context in which a cell runs here: the other engine is refused, what happens goes on the tape."""
        other = "PyTorch" if self.label == "autograd_core" else "autograd_core"
        with (
            guard_against(other, self.label),
            self.tape.recording() if recorded else contextlib.nullcontext(),
        ):
            yield

    def results(self, last_text: str = "", value=None, but=(), other=None) -> dict[str, Result]:
        """What the names hold, and the last expression's value under the expression's own text; not `but`."""
        names = {
            name: self.namespace[name] for name in learners_names(self.namespace) if name not in but
        }
        found = name_results(names, self.engine, other)
        if value is not None and last_text not in found:
            found |= name_results({last_text: value}, self.engine, other)
        return found


def _tape(engine):
    if engine.__name__ != "torch":
        return Tape()
    from .torch_tape import TorchTape

    return TorchTape()


class OnTorch:
    """PyTorch's side of what the %%both cells made: `on_torch.loss`, `on_torch["loss"]`."""

    def __init__(self, side_of_torch):
        object.__setattr__(self, "_side", side_of_torch)

    def _names(self):
        side = self._side()
        return (
            {}
            if side is None
            else {name: side.namespace[name] for name in learners_names(side.namespace)}
        )

    def __getattr__(self, name):
        names = self._names()
        if name in names:
            return names[name]
        known = ", ".join(names) or "nothing yet: run a %%both cell first"
        raise AttributeError(f"PyTorch's side has no {name!r}. It has: {known}")

    def __getitem__(self, name):
        try:
            return getattr(self, name)
        except AttributeError as error:
            raise LookupError(str(error)) from None

    def __setattr__(self, name, value):
        raise AttributeError(f"on_torch only shows PyTorch's side: make {name!r} in a %%both cell")

    def __dir__(self):
        return list(self._names())

    def __repr__(self):
        return f"PyTorch's side: {', '.join(self._names()) or 'nothing yet'}"

"""The two sides of a %%both cell: each has its engine, under the names T, F, nn and optim, and
names of its own.
"""

import contextlib
import copy
import io
import re
import sys
import types
from dataclasses import dataclass

from ..core.recording import recording
from ..trace import Tape
from .cell import ENGINE_NAMES, Cell
from .compare import OneSentence
from .guard import guard_against
from .results import is_imported
from .rounding import Shaking
from .surroundings import Settings

# What IPython keeps in the namespace for itself, and what names the engines.
_NOT_THE_LEARNERS = re.compile(
    r"_{1,3}|_i{1,3}|_i?\d+|_[dio]h|__\w+__|In|Out|exit|quit|open|get_ipython|on_torch|"
    + "|".join(ENGINE_NAMES)
)


def learners_names(namespace: dict) -> list[str]:
    """The names in `namespace` that cells made, in order: neither IPython's own nor T, F, nn,
    optim.
    """
    return [name for name in namespace if not _NOT_THE_LEARNERS.fullmatch(name)]


class MadeOutside(OneSentence, NameError):
    """A %%both cell uses what an ordinary cell made, and what cannot be copied."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a cell on one side: the value of its last expression or its exception, and what
    it printed.
    """

    value: object = None
    error: BaseException | None = None
    printed: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A cell, what ordinary cells made for it, and the settings that it found: enough to run it
    again.
    """

    cell: Cell
    given: dict[str, object]
    settings: Settings


class Side:
    """One engine and the namespace in which it runs cells.

    `label` names it in messages: "autograd_core" or "PyTorch". `engine` is the package
    (`autograd_core` or `torch`)."""

    def __init__(self, engine, namespace: dict):
        self.engine, self.namespace = engine, namespace
        self.label = "PyTorch" if engine.__name__ == "torch" else "autograd_core"
        namespace.setdefault("__name__", "__main__")
        self.tape = Tape()
        if self.label == "PyTorch":
            from .torch_tape import TorchTape

            self.tape = TorchTape()
        packages = engine, engine.nn.functional, engine.nn, engine.optim
        self.bindings = dict(zip(ENGINE_NAMES, packages))

    def bind(self):
        """Let T, F, nn and optim mean this engine. Raises MadeOutside if one is a value of the
        learner's.
        """
        for name in ENGINE_NAMES:
            value = self.namespace.get(name)
            if value is not None and not isinstance(value, types.ModuleType):
                raise MadeOutside(
                    f"{name} means the engine in a %%both cell, but an ordinary cell made it "
                    f"{type(value).__name__}: use another name, and del {name}"
                )
        self.namespace.update(self.bindings)

    def run(self, cell, recorded=True, seen=None, asserting=True) -> Outcome:
        """Run a cell to its own end, or to its exception; `seen` is where one sees what it prints."""
        __tracebackhide__ = True
        other = "autograd_core" if self.label == "PyTorch" else "PyTorch"
        heard = self.tape.recording() if recorded else contextlib.nullcontext()
        printed, value, raised = _Printed(seen), None, None
        try:
            with contextlib.redirect_stdout(printed), guard_against(other, self.label), heard:
                value = cell.run(self.namespace, asserting)
        except (Exception, KeyboardInterrupt) as error:
            raised = error
        return Outcome(value, raised, printed.getvalue())

    def names(self, but=(), last_text="", value=None) -> dict[str, object]:
        """What the learner's names hold, and the last expression's value under the expression's own
        text.
        """
        names = [name for name in learners_names(self.namespace) if name not in but]
        found = {name: self.namespace[name] for name in names}
        return found if value is None else found | {last_text: found.get(last_text, value)}


class _Printed(io.StringIO):
    """Keeps what is printed, and shows it on `seen`."""

    def __init__(self, seen):
        super().__init__()
        self.seen = seen

    def write(self, text):
        if self.seen is not None:
            self.seen.write(text)
        return super().write(text)


class Trial:
    """Our side's cells once more, in names of their own, with the last places of every number
    shaken.
    """

    def __init__(self, engine, seed, is_still=False):
        self.side, self.shaking, self.done = Side(engine, {}), Shaking(seed, is_still), 0

    def run(self, history) -> Outcome:
        """Run those cells that are new; returns what came of the last. The engine keeps its
        settings.
        """
        now = Settings.of(self.side.engine)
        for step in history[self.done :]:
            self.done += 1
            self.side.bind()
            self.side.namespace |= copied(step.given)
            step.settings.give_to(self.side.engine)
            with recording.subscribed(self.shaking):
                outcome = self.side.run(step.cell, recorded=False, asserting=False)
        now.give_to(self.side.engine)
        return outcome


def copied(values):
    """Copies of plain values; what is imported is the same for all."""
    imported = [value for name, value in values.items() if is_imported(name, value)]
    return copy.deepcopy(values, {id(each): each for each in [*sys.modules.values(), *imported]})


class OnTorch:
    """PyTorch's side of what the %%both cells made: `on_torch.loss`, `on_torch["loss"]`."""

    def __init__(self, side_of_torch):
        object.__setattr__(self, "_side", side_of_torch)

    def __dir__(self):
        side = self._side()
        return learners_names(side.namespace) if side else []

    def __getattr__(self, name):
        if name in dir(self):
            return self._side().namespace[name]
        known = ", ".join(dir(self)) or "nothing yet: run a %%both cell first"
        raise AttributeError(f"PyTorch's side has no {name!r}. It has: {known}")

    def __getitem__(self, name):
        try:
            return getattr(self, name)
        except AttributeError as error:
            raise LookupError(str(error)) from None

    def __setattr__(self, name, value):
        raise AttributeError(f"on_torch only shows PyTorch's side: make {name!r} in a %%both cell")

    def __repr__(self):
        return f"PyTorch's side: {', '.join(dir(self)) or 'nothing yet'}"

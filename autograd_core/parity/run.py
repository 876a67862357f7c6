"""A cell run on one side: once to be compared, and once more with shaken numbers for a trial."""

import contextlib
import copy
import io
import sys
from dataclasses import dataclass

from .cell import Cell
from .namespaces import Side
from .parts import is_imported
from .rounding import Shaking
from .surroundings import Settings


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a cell on one side: the value of its last expression or its exception, and what it printed."""

    value: object = None
    error: Exception | None = None
    printed: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A cell, what ordinary cells made for it, and the settings that it found: enough to run it again."""

    cell: Cell
    given: dict[str, object]
    settings: Settings


class Trial:
    """Our side's cells once more, in names of their own, with the last places of every number shaken."""

    def __init__(self, engine, seed):
        self.side, self.shaking, self.done = Side("autograd_core", engine, {}), Shaking(seed), 0

    def run(self, history):
        """Run those cells that are new; returns what came of the last."""
        for step in history[self.done :]:
            self.done += 1
            self.side.bind()
            self.side.namespace |= copied(step.given)
            step.settings.give_to(self.side.engine)
            with self.shaking.watching():
                outcome = run_on(self.side, step, recorded=False, asserting=False)
        return outcome


class _Printed(io.StringIO):
    """Keeps what is printed, and shows it on `seen`."""

    def __init__(self, seen):
        super().__init__()
        self.seen = seen

    def write(self, text):
        if self.seen is not None:
            self.seen.write(text)
        return super().write(text)


def run_on(side, step, recorded, seen=None, asserting=True):
    __tracebackhide__ = True
    printed = _Printed(seen)
    try:
        with contextlib.redirect_stdout(printed), side.running(recorded):
            return Outcome(step.cell.run(side.namespace, asserting), None, printed.getvalue())
    except Exception as error:
        return Outcome(None, error, printed.getvalue())


def copied(values):
    """Copies of plain values; what is imported is the same for all."""
    same = [
        *sys.modules.values(),
        *(value for name, value in values.items() if is_imported(name, value)),
    ]
    return copy.deepcopy(values, {id(each): each for each in same})

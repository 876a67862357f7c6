"""Missing gradients: of one parameter at every step, or of all parameters at some steps."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .sentences import FOLLOW
from .surprises import Surprise


@dataclass
class Run:
    """Consecutive steps without any gradient. `begins` if they are the first steps, `brought` if a
    backward pass brought a gradient before one of these steps.
    """

    first: int
    last: int
    begins: bool
    brought: bool = False

    @property
    def alarming(self) -> bool:
        return self.brought or self.begins and self.last > self.first

    @property
    def text(self) -> str:
        when = f"in steps {self.first} to {self.last}" if self.last > self.first else "in this step"
        return FOLLOW["none, taken away" if self.brought else "none"].format(when=when)


class Missing:
    """Finds missing gradients. Arrays have one element for each parameter in `names`."""

    def __init__(self, names: tuple[str, ...]):
        self.names = names
        self._runs: list[Run] = []
        self._latest: Run | None = None  # None after a step that found a gradient
        self._first = np.full(len(names), -1)  # the first step at which it was held
        self._steps, self._had = np.zeros((2, len(names)), int)  # its steps; with a gradient

    def see(self, step: int, held: np.ndarray, there: np.ndarray, brought: bool) -> None:
        """Record a step of an optimizer that holds the parameters at `held`. `there` tells which
        parameters have a gradient, `brought` whether a backward pass has added one since the step
        before.
        """
        if not held.any():
            return
        begins = not self._steps.any()
        self._first[held & (self._first < 0)] = step
        self._steps += held
        self._had += held & there
        if (held & there).any():
            self._latest = None
            return
        if self._latest is None:
            self._latest = Run(step, step, begins)
            self._runs.append(self._latest)
        self._latest.last = step
        self._latest.brought |= brought

    def found(self) -> Iterator[Surprise]:
        if run := next((run for run in self._runs if run.alarming), None):
            yield Surprise(run.first, "all parameters", "none", run.text)
        if self._latest and (self._latest.alarming or self._latest.begins):
            return
        for place in np.flatnonzero((self._steps > 1) & (self._had == 0)).tolist():
            yield Surprise(int(self._first[place]), self.names[place], "none", FOLLOW["none, one"])

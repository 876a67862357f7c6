"""Missing gradients: of one parameter at every step, or of all parameters at some steps."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from .sentences import FOLLOW
from .surprises import Surprise


@dataclass
class Run:
    """Consecutive steps of one optimizer without any gradient. `begins` if they are its first steps.

    brought  whether a backward pass brought a gradient before one of these steps
    """

    first: int
    begins: bool
    last: int = 0
    count: int = 0
    brought: bool = False

    def add(self, step: int, brought: bool) -> None:
        self.last, self.count, self.brought = step, self.count + 1, self.brought or brought

    @property
    def alarming(self) -> bool:
        return self.brought or self.begins and self.count > 1

    @property
    def text(self) -> str:
        when = f"in steps {self.first} to {self.last}" if self.count > 1 else "in this step"
        return FOLLOW["none, taken away" if self.brought else "none"].format(when=when)


class Missing:
    """Finds missing gradients. Arrays have one element for each parameter in `names`."""

    def __init__(self, names: tuple[str, ...]):
        self.names = names
        self._runs: dict[int, list[Run]] = {}  # number of an optimizer -> its runs
        self._latest: dict[int, Run | None] = {}  # None after a step that found a gradient
        # the first step of an optimizer that holds the parameter, and the number of this optimizer
        self._first, self._optimizer = (np.full(len(names), -1) for _ in range(2))
        self._steps, self._had = np.zeros((2, len(names)), int)  # its steps; with a gradient

    def see(
        self, step: int, optimizer: int, held: np.ndarray, there: np.ndarray, brought: bool
    ) -> None:
        """Record a step of an optimizer that holds the parameters at `held`. `there` tells which
        parameters have a gradient, `brought` whether a backward pass has added one since its last
        step."""
        if not held.any():
            return
        self._first[held & (self._first < 0)] = step
        self._optimizer[held] = optimizer
        self._steps += held
        self._had += held & there
        run, begins = self._latest.get(optimizer), optimizer not in self._latest
        if (held & there).any():
            self._latest[optimizer] = None
            return
        if run is None:
            run = self._latest[optimizer] = Run(step, begins)
            self._runs.setdefault(optimizer, []).append(run)
        run.add(step, brought)

    def found(self, whose: Callable[[int], str]) -> Iterator[Surprise]:
        """The surprises. `whose(optimizer)` returns words for all its parameters."""
        for optimizer, runs in self._runs.items():
            if run := next((run for run in runs if run.alarming), None):
                yield Surprise(run.first, whose(optimizer), "none", run.text)
        for place, name in enumerate(self.names):
            run = self._latest.get(int(self._optimizer[place]))
            all_lack = run is not None and (run.alarming or run.begins)
            if self._steps[place] > 1 and not self._had[place] and not all_lack:
                yield Surprise(int(self._first[place]), name, "none", FOLLOW["none, one"])

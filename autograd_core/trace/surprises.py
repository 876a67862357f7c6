"""What is surprising in rows of gradients, found as the rows come."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from .rows import brief
from .sentences import FOLLOW

JUMP = 100.0  # times what the gradient's norm was in the median of the steps before
BEFORE_JUMP = 5  # steps that must have been
MOST_ALIKE = 3  # sentences of one step and one kind
MOST_BEFORE = 100  # steps that the median is of
FAR = 0.1  # of its length that a step moves a matrix: enough to change all gradients after it
LEAP = 2.0  # times its own length that one step may move a matrix: what begins at 0 needs 1


class Surprise(NamedTuple):
    """At which step, of which parameter; of which kind, and that in words.

    "nan", "inf", "jump", "leap"  of a gradient, or of a step's length: by `Surprises`
    "none"                        no gradient arrived: by `Missing`
    "twice"                       of a gradient that is used twice: by `Arrivals`
    "unused", "grows"             by `History`
    """

    step: int
    name: str
    kind: str
    text: str


class Surprises:
    """`found` has each parameter's first nan, inf, jump and leap, of steps of so many `optimizers`."""

    def __init__(self, names: tuple[str, ...], optimizers: int):
        self.names = names
        self.found: list[Surprise] = []
        self._steps, self._optimizers = 0, optimizers
        self._before: deque[np.ndarray] = deque(maxlen=MOST_BEFORE)
        # of the latest steps, one of each optimizer: the share of the matrix that moved farthest
        self._farthest: deque[tuple[float, int, str]] = deque(maxlen=optimizers)
        kinds = ("nan", "inf", "jump", "leap")
        self._found_of = {kind: np.zeros(len(names), bool) for kind in kinds}

    def see(
        self, gradient: np.ndarray, nan: np.ndarray, inf: np.ndarray, share: np.ndarray
    ) -> None:
        """The next step: of each parameter the gradient's norm, nan for none, how much is nan and
        inf; of matrices how many times its own length the step moved it.
        """
        self._tell("nan", nan > 0, lambda place: FOLLOW["nan"])
        self._tell("inf", inf > 0, lambda place: FOLLOW["inf"])
        self._tell_jumps(gradient)
        told = {surprise.name for surprise in self.found}
        leaps = ~(share <= LEAP) & [name not in told for name in self.names]
        self._tell("leap", leaps, lambda place: _leap(share[place]))
        place = int(np.argmax(np.where(np.isnan(share), np.inf, share)))
        self._farthest.append((float(share[place]), self._steps, self.names[place]))
        former = self._before[-1] if self._before else np.inf
        self._before.append(np.where(np.isnan(gradient), former, gradient))
        self._steps += 1

    def _tell_jumps(self, gradient: np.ndarray) -> None:
        """A jump is told of the step before it, which moved a matrix far."""
        if len(self._before) < BEFORE_JUMP * self._optimizers:
            return
        share, step, name = max(self._farthest)
        if not share > FAR or not np.any(gradient > JUMP * np.fmin.reduce(list(self._before))):
            return  # the median is no smaller, and takes longer
        with np.errstate(all="ignore"):  # of nan and inf
            usual = np.median(list(self._before), axis=0)

        def text(place: int) -> str:
            times, now = gradient[place] / usual[place], brief(gradient[place])
            return FOLLOW["jump"].format(times=times, now=now, name=name, share=brief(share))

        jumps = np.isfinite(gradient) & (gradient > JUMP * usual) & (usual > 0)
        self._tell("jump", jumps, text, step)

    def _tell(
        self, kind: str, here: np.ndarray, text: Callable[[int], str], step: int | None = None
    ) -> None:
        """A surprise where `here` is True for the first time."""
        new = here & ~self._found_of[kind]
        self._found_of[kind] |= here
        step = self._steps if step is None else step
        for place in map(int, np.flatnonzero(new)):
            self.found.append(Surprise(step, self.names[place], kind, text(place)))


def _leap(share: float) -> str:
    return FOLLOW["leap" if np.isfinite(share) else "leap, not finite"].format(share=brief(share))


def in_sentences(found: Iterable[Surprise]) -> list[tuple[int, str]]:
    """(step, sentence): of more than three of one step and kind the first, and how many more."""
    alike: dict[tuple[int, str], list[str]] = {}
    for step, name, kind, text in found:
        alike.setdefault((step, kind), []).append(f"{name}: {text}")
    for rows in alike.values():
        if len(rows) > MOST_ALIKE:
            rows[:] = [f"{rows[0]}; and {len(rows) - 1} more like it"]
    return [(step, row) for (step, _), rows in alike.items() for row in rows]


def first_lines(told: Sequence[tuple[int, str]], most: int) -> list[str]:
    """The first sentences, each with its step; and how many more there are."""
    lines = [f"step {step}: {text}" for step, text in told[:most]]
    return [*lines, f"and {len(told) - most} more"] if len(told) > most else lines

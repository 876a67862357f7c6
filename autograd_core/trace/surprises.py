"""Detect surprises in the gradients during training, step by step."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from .rows import brief
from .sentences import FOLLOW

JUMP = 100.0  # times the median norm of the gradient in earlier steps
BEFORE_JUMP = 5  # steps before a jump can be detected
MOST_ALIKE = 3  # sentences of one step and one kind
MOST_BEFORE = 100  # steps that enter the median
FAR = 0.1  # times a matrix's norm: a step this long can change all gradients after it
LEAP = 2.0  # times a matrix's norm: the longest normal step. A matrix that starts at 0 needs 1


class Surprise(NamedTuple):
    """A surprise at `step` about the parameter `name`. `text` describes it. Its `kind` is a key of
    `FOLLOW`.
    """

    step: int
    name: str
    kind: str
    text: str


class Surprises:
    """`found` has the first nan, inf, jump and leap of each parameter."""

    def __init__(self, names: tuple[str, ...]):
        self.names = names
        self.found: list[Surprise] = []
        self._steps = 0
        self._before: deque[np.ndarray] = deque(maxlen=MOST_BEFORE)
        self._farthest = 0.0, ""  # the share of the matrix that moved farthest, and its name
        kinds = ("nan", "inf", "jump", "leap")
        self._found_of = {kind: np.zeros(len(names), bool) for kind in kinds}

    def see(
        self, gradient: np.ndarray, nan: np.ndarray, inf: np.ndarray, share: np.ndarray
    ) -> None:
        """Record the next step. For each parameter: the norm of its gradient (nan if none), the
        numbers of nan and inf in it, and for a matrix the share by which the step moved it.
        """
        self._tell("nan", nan > 0, lambda place: FOLLOW["nan"])
        self._tell("inf", inf > 0, lambda place: FOLLOW["inf"])
        self._tell_jumps(gradient)
        told = {surprise.name for surprise in self.found}
        leaps = ~(share <= LEAP) & [name not in told for name in self.names]
        self._tell("leap", leaps, lambda place: _leap(share[place]))
        place = int(np.argmax(np.where(np.isnan(share), np.inf, share)))
        self._farthest = float(share[place]), self.names[place]
        former = self._before[-1] if self._before else np.inf
        self._before.append(np.where(np.isnan(gradient), former, gradient))
        self._steps += 1

    def _tell_jumps(self, gradient: np.ndarray) -> None:
        """Report a jump at the step before, if that moved a matrix far."""
        if len(self._before) < BEFORE_JUMP:
            return
        share, name = self._farthest
        if not share > FAR:
            return
        with np.errstate(all="ignore"):  # for nan and inf
            usual = np.median(list(self._before), axis=0)

        def text(place: int) -> str:
            times, now = gradient[place] / usual[place], brief(gradient[place])
            return FOLLOW["jump"].format(times=times, now=now, name=name, share=brief(share))

        jumps = np.isfinite(gradient) & (gradient > JUMP * usual) & (usual > 0)
        self._tell("jump", jumps, text, self._steps - 1)

    def _tell(
        self, kind: str, here: np.ndarray, text: Callable[[int], str], step: int | None = None
    ) -> None:
        new = here & ~self._found_of[kind]
        self._found_of[kind] |= here
        step = self._steps if step is None else step
        for place in np.flatnonzero(new).tolist():
            self.found.append(Surprise(step, self.names[place], kind, text(place)))


def _leap(share: float) -> str:
    return FOLLOW["leap" if np.isfinite(share) else "leap, not finite"].format(share=brief(share))


def missing(
    names: Sequence[str], held: np.ndarray, there: np.ndarray, brought: np.ndarray
) -> Iterator[Surprise]:
    """The missing gradients. Arrays are steps × parameters: whether the optimizer holds the parameter,
    whether it has a gradient; `brought` tells for each step whether a backward pass has added one.
    """
    used, steps = held & there, np.flatnonzero(held.any(1)).tolist()
    if not steps:
        return
    runs = [[*run] for none, run in groupby(steps, lambda step: not used[step].any()) if none]
    alarming = [run for run in runs if brought[run].any() or run[0] == steps[0] and run[1:]]
    for first, *rest in alarming[:1]:
        when = f"in steps {first} to {rest[-1]}" if rest else "in this step"
        taken = "none, taken away" if brought[[first, *rest]].any() else "none"
        yield Surprise(first, "all parameters", "none", FOLLOW[taken].format(when=when))
    if runs and runs[-1][-1] == steps[-1] and (runs[-1] in alarming or runs[-1] == steps):
        return  # the latest step found none either
    for place in np.flatnonzero((held.sum(0) > 1) & ~used.any(0)).tolist():
        first = int(np.flatnonzero(held[:, place])[0])
        yield Surprise(first, names[place], "none", FOLLOW["none, one"])


def in_sentences(found: Iterable[Surprise]) -> list[tuple[int, str]]:
    """(step, sentence). More than three of one step and kind become the first and a count."""
    alike: dict[tuple[int, str], list[str]] = {}
    for step, name, kind, text in found:
        alike.setdefault((step, kind), []).append(f"{name}: {text}")
    for rows in alike.values():
        if len(rows) > MOST_ALIKE:
            rows[:] = [f"{rows[0]}; and {len(rows) - 1} more like it"]
    return [(step, row) for (step, _), rows in alike.items() for row in rows]


def first_lines(told: Sequence[tuple[int, str]], most: int) -> list[str]:
    """The first `most` sentences, each with its step, and a line that counts the rest."""
    lines = [f"step {step}: {text}" for step, text in told[:most]]
    return [*lines, f"and {len(told) - most} more"] if len(told) > most else lines

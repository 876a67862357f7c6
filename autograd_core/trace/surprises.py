"""What is surprising in rows of gradients, found as the rows come."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from .report import brief

JUMP = 100.0  # times what the gradient's norm was in the median of the steps before
BEFORE_JUMP = 5  # steps that must have been
MOST_ALIKE = 3  # sentences of one step and one kind
MOST_BEFORE = 100  # steps that the median is of
LEAP = 2.0  # times its own length that one step may move a matrix: what begins at 0 needs 1


class Surprise(NamedTuple):
    """At which step, of which parameter; of which kind ("nan", "inf", "jump", "gone", "leap",
    "unused", "none", "grows"), and that in words.
    """

    step: int
    name: str
    kind: str
    text: str


class Surprises:
    """`found` has each parameter's first nan, inf, jump and leap, and its gradient's end."""

    def __init__(self, names: tuple[str, ...]):
        self.names = names
        self.found: list[Surprise] = []
        self._steps = 0
        self._before: deque[np.ndarray] = deque(maxlen=MOST_BEFORE)
        kinds = ("nan", "inf", "jump", "gone", "leap")
        self._found_of = {kind: np.zeros(len(names), bool) for kind in kinds}

    def see(
        self,
        gradient: np.ndarray,
        nan: np.ndarray,
        inf: np.ndarray,
        share: np.ndarray | None = None,
    ) -> bool:
        """The next step: of each parameter the gradient's norm, nan for none, how much is nan and
        inf, and, of matrices, how many times its own length the step moved it.

        Returns whether something is surprising.
        """
        before, gone = len(self.found), np.isnan(gradient) & (nan == 0)
        if self._steps == 0:
            self._found_of["gone"] |= gone  # what never had a gradient does not lose one
        self._tell("nan", nan > 0, lambda place: "first nan in its gradient")
        self._tell("inf", inf > 0, lambda place: "first inf in its gradient")
        self._tell_jumps(gradient)
        self._tell("gone", gone, lambda place: "no gradient any more")
        if share is not None:
            told = {surprise.name for surprise in self.found}
            self._tell(
                "leap",
                (share > LEAP) & [name not in told for name in self.names],
                lambda place: (
                    f"moved by {brief(share[place])} times its own length: the learning rate or the"
                    " gradient is too large"
                ),
            )
        self._before.append(gradient)
        self._steps += 1
        return len(self.found) > before

    def _tell_jumps(self, gradient: np.ndarray) -> None:
        if len(self._before) < BEFORE_JUMP:
            return
        if not np.any(gradient > JUMP * np.fmin.reduce(list(self._before))):
            return  # the median is no smaller, and takes longer
        with np.errstate(all="ignore"):  # of nan and inf
            usual = np.median(list(self._before), axis=0)
        self._tell(
            "jump",
            np.isfinite(gradient) & (gradient > JUMP * usual) & (usual > 0),
            lambda place: (
                f"gradient of norm {brief(gradient[place])}, {brief(usual[place])} before"
            ),
        )

    def _tell(self, kind: str, here: np.ndarray, text: Callable[[int], str]) -> None:
        """A surprise where `here` is True for the first time."""
        new = here & ~self._found_of[kind]
        self._found_of[kind] |= here
        for place in map(int, np.flatnonzero(new)):
            self.found.append(Surprise(self._steps, self.names[place], kind, text(place)))


def in_sentences(found: Iterable[Surprise]) -> list[tuple[int, str]]:
    """(step, sentence): of more than three of one step and kind the first, and how many more."""
    alike: dict[tuple[int, str], list[str]] = {}
    for step, name, kind, text in found:
        alike.setdefault((step, kind), []).append(f"{name}: {text}")
    for rows in alike.values():
        if len(rows) > MOST_ALIKE:
            rows[:] = [f"{rows[0]}; and {len(rows) - 1} more like it"]
    return [(step, row) for (step, _), rows in alike.items() for row in rows]

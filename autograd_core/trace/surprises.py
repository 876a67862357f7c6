"""What is surprising in a row of gradients, found as the rows come: the first nan, a jump, a
gradient that is gone.
"""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .report import brief

# times what the gradient's norm was in the median of the steps before
JUMP = 100.0
BEFORE_JUMP = 5  # steps that must have been
MOST_ALIKE = 3  # sentences of one step and one kind
MOST_BEFORE = 100  # steps that the median is of
# times its own length that one step may move a matrix: what begins at 0 needs 1
LEAP = 2.0


class Surprise(NamedTuple):
    """At which step, of which parameter; of which kind ("nan", "inf", "jump", "gone", "leap",
    "unused"), and that in words.
    """

    step: int
    name: str
    kind: str
    text: str


class Surprises:
    """`found` has each parameter's first nan, first inf, first jump, its gradient's end, and a
    first leap of its own.
    """

    def __init__(self, names: tuple[str, ...]):
        self.names = names
        self.found: list[Surprise] = []
        self._steps = 0
        self._before: deque[np.ndarray] = deque(maxlen=MOST_BEFORE)
        self._told = {
            word: np.zeros(len(names), bool) for word in ("nan", "inf", "jump", "gone", "leap")
        }

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
        step, self._steps, before = self._steps, self._steps + 1, len(self.found)
        gone = np.isnan(gradient) & (nan == 0)
        if step == 0:
            # what never had a gradient does not lose one
            self._told["gone"] |= gone
        for word, count in (("nan", nan), ("inf", inf)):
            for place in self._first(word, count > 0):
                self.found.append(
                    Surprise(step, self.names[place], word, f"first {word} in its gradient")
                )
        if len(self._before) >= BEFORE_JUMP and np.any(
            gradient > JUMP * np.fmin.reduce(list(self._before))
        ):
            with np.errstate(all="ignore"):  # of nan and inf
                usual = np.median(list(self._before), axis=0)
            for place in self._first(
                "jump", np.isfinite(gradient) & (gradient > JUMP * usual) & (usual > 0)
            ):
                self.found.append(
                    Surprise(
                        step,
                        self.names[place],
                        "jump",
                        f"gradient of norm {brief(gradient[place])}, {brief(usual[place])} before",
                    )
                )
        for place in self._first("gone", gone):
            self.found.append(Surprise(step, self.names[place], "gone", "no gradient any more"))
        if share is not None:
            for place in self._first("leap", share > LEAP):
                # else it is told of already
                if all(other.name != self.names[place] for other in self.found):
                    self.found.append(
                        Surprise(
                            step,
                            self.names[place],
                            "leap",
                            f"moved by {brief(share[place])} times its "
                            "own length: the learning rate or the gradient is too large",
                        )
                    )
        self._before.append(gradient)
        return len(self.found) > before

    def _first(self, word: str, here: np.ndarray) -> list[int]:
        """The places where `here` is True for the first time."""
        new = here & ~self._told[word]
        self._told[word] |= here
        return [int(place) for place in np.flatnonzero(new)]


def in_sentences(found: Iterable[Surprise]) -> list[tuple[int, str]]:
    """(step, sentence): of one step and kind three at most, of more the first and how many there
    were.
    """
    alike: dict[tuple[int, str], list[str]] = {}
    for step, name, kind, text in found:
        alike.setdefault((step, kind), []).append(f"{name}: {text}")
    return [
        (step, row)
        for (step, _), rows in alike.items()
        for row in (
            rows if len(rows) <= MOST_ALIKE else [f"{rows[0]}; and {len(rows) - 1} more like it"]
        )
    ]

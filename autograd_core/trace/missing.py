"""Missing gradients: of all parameters at some steps, or of one parameter at every step."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from .sentences import FOLLOW
from .surprises import Surprise


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

"""Right answers to the exercises, written differently from the solutions in the notebooks.

    @right("12.1")                       a function that `check` must accept
    @right("14.4", "relu")               the same, for an exercise that asks for several functions
    right_values("15.3", 2 / 3, 0.6667)  values that `check` must accept

The answers are in `answers/lesson_01.py` and so on.
"""

import importlib
from collections import defaultdict
from collections.abc import Callable, Iterator

import torch

from autograd_core.lessons.exercises import check as checks

ANSWERS: dict[tuple[str, str], list] = defaultdict(list)
"""The right answers by exercise and keyword of `check`; the keyword is "" if there is only one."""


def right(exercise: str, key: str = "") -> Callable:
    """Register the decorated function as a right answer."""

    def register(function):
        ANSWERS[exercise, key].append(function)
        return function

    return register


def right_values(exercise: str, *values) -> None:
    """Register `values` as right answers."""
    ANSWERS[exercise, ""].extend(values)


def right_answers(exercise: str) -> Iterator[dict]:
    """The keyword arguments of `check`, once for each right answer to `exercise`."""
    importlib.import_module(f"tests.lessons.answers.lesson_{exercise[:2]}")
    with torch.random.fork_rng(devices=[]):
        keys = list(checks._find(exercise).answer())
    answers = {key: ANSWERS[exercise, key if len(keys) > 1 else ""] for key in keys}
    first = {key: each[0] for key, each in answers.items()}
    for key, each in answers.items():
        yield from ({**first, key: answer} for answer in each)

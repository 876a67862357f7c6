"""Exercises: what a learner hands in, compared with what PyTorch computes at that moment.

    check("01.1", a_grad=-0.555)        ✓ 01.1 correct. Yours −0.555, PyTorch −0.55505, within 0.001.

A wrong or missing answer is a result, not an exception, so a notebook runs on. It is told its mistake where that is
known, and never the solution. The references are in `answers/`:

    @exercise("01.1", tolerance=1e-3, mistakes={"That is one path of two.": {"a_grad": -0.5}})
    def answer(torch):
        a = torch.tensor(2.0, requires_grad=True)
        ...
        return {"a_grad": a.grad}
"""

import html
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...parity.report import STYLE
from .functions import BackwardRule, Function, Loss, Mistake
from .judge import OPEN, judge, same

__all__ = ["BackwardRule", "Function", "Loss", "Mistake", "Verdict", "check", "exercise"]


@dataclass(frozen=True)
class Verdict:
    """The answer to an answer. `correct` is whether everything was right; `attempted` whether anything was there."""

    exercise: str
    correct: bool
    attempted: bool
    message: str

    def __repr__(self):
        return f"{'✓ ' if self.correct else ''}{self.exercise} {self.status}{self.message}"

    @property
    def status(self) -> str:
        """ "correct.", "not yet." or "not attempted yet"."""
        return "correct." if self.correct else "not yet." if self.attempted else "not attempted yet"

    def _repr_html_(self):
        mark = "<b>✓</b> " if self.correct else ""
        return (f'{STYLE}<div class="ac-parity">{mark}<strong>{html.escape(f"{self.exercise} {self.status}")}</strong>'
                f"{html.escape(self.message)}</div>")


@dataclass(frozen=True)
class _Exercise:
    answer: Callable
    tolerance: float
    mistakes: Mapping[str, Mapping]


_exercises: dict[str, _Exercise] = {}


def exercise(name: str, tolerance: float = 1e-6, mistakes: Mapping[str, Mapping] | None = None):
    """Register the reference of exercise `name` ("01.1": lesson 01, first exercise).

    The decorated function takes `torch` and returns a dict: for each keyword of `check` a number, tensor, list,
    string, bool, `Function` or `BackwardRule`. `tolerance` is how far a number may be off, absolutely.
    `mistakes` maps what to say to wrong answers, a dict {keyword: value}: it is said where the learner gives the same.
    """
    def register(answer):
        _exercises[name] = _Exercise(answer, tolerance, mistakes or {})
        return answer
    return register


def check(name: str, /, **answers) -> Verdict:
    """Compare the learner's `answers` with PyTorch's. An answer that is `...` or None is not attempted yet.

    Raises LookupError for an exercise that does not exist and TypeError for other keywords than it has; both say
    what exists. A wrong answer raises nothing: see `.correct`.
    """
    found = _find(name)
    import torch
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        references = found.answer(torch)
        if answers.keys() != references.keys():
            raise TypeError(f"exercise {name} takes {_listed(references)}, not {_listed(answers) or 'nothing'}: write "
                            f"check({name!r}, {', '.join(f'{key}=...' for key in references)})")
        attempted = {key: value for key, value in answers.items()
                     if not (value is ... or value is None and references[key] is not None)}
        if not attempted:
            return Verdict(name, False, False, "")
        good = []
        for key, value in attempted.items():
            label = "" if len(references) == 1 else f"{key}: "
            outcome = judge(value, references[key], found.tolerance, torch)
            if outcome is OPEN:
                return Verdict(name, False, False, "")
            right, sentence = outcome
            if not right:
                sentence = _known(attempted, found) or sentence
                return Verdict(name, False, True, f" {label}{sentence}")
            good.append(f"{label}{sentence}")
    missing = [key for key in references if key not in attempted]
    if missing:
        return Verdict(name, False, True, f" {', '.join(attempted)} is right; {', '.join(missing)} is still open.")
    return Verdict(name, True, True, f" {' '.join(good)}")


def _find(name):
    lesson = str(name).partition(".")[0]
    module = f"{__package__}.answers.lesson_{lesson}"
    lessons = {info.name for info in pkgutil.iter_modules(importlib.import_module(f"{__package__}.answers").__path__)}
    if name not in _exercises and f"lesson_{lesson}" in lessons:
        importlib.import_module(module)
    if name not in _exercises:
        there = [known for known in _exercises if known.partition(".")[0] == lesson]
        known = f"Lesson {lesson} has {_listed(sorted(there))}" if there else \
            f"Lessons with exercises: {_listed(sorted(part.removeprefix('lesson_') for part in lessons)) or 'none yet'}"
        raise LookupError(f"there is no exercise {name!r}. {known}.")
    return _exercises[name]


def _known(answers, found):
    """What is said to a wrong answer that is known, or ""."""
    for sentence, wrong in found.mistakes.items():
        if all(key in answers and same(answers[key], value, found.tolerance) for key, value in wrong.items()):
            return sentence
    return ""


def _listed(names):
    return ", ".join(names)

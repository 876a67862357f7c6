"""Exercises: compare a learner's answer with a result that PyTorch computes at that moment.

    check("01.1", a_grad=-0.555)    ✓ 01.1 correct. Yours −0.555, PyTorch −0.55505, within 0.001.

A wrong or missing answer raises nothing. `check` names the mistake, but never the solution. The
references are in `answers/`: `exercise` registers an exercise that asks for values, and
`function_exercise` one that asks for a function.
"""

import contextlib
import html
import importlib
import inspect
import io
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import ipywidgets
import torch

from ...parity.agreement_report import STYLE, counted, first_line, place_of
from ...widgets.kit.shown import show
from . import answers as lessons
from .conduct import Conduct, few_lines
from .judging import judge_numbers, judge_value
from .references import Function, Refused

INTERRUPTED = "Your function was interrupted. Does its loop end?"
NOTHING = "Your function returns None: it has no `return`, or the `return` has no value."


@dataclass(frozen=True)
class Verdict:
    """The result of a check: whether the whole answer is `correct`, whether anything was `attempted`,
    a `view` of the learner's own computation, shown below, and the names of the `right` parts."""

    exercise: str
    correct: bool
    attempted: bool
    message: str
    view: object = field(default=None, compare=False)
    right: tuple[str, ...] = ()

    def __repr__(self):
        return f"{'✓ ' if self.correct else ''}{self.exercise} {self.status}{self.message}"

    @property
    def status(self) -> str:
        """ "correct.", "not yet." or "not attempted yet"."""
        return "correct." if self.correct else "not yet." if self.attempted else "not attempted yet"

    def _repr_html_(self):
        mark = "<b>✓</b> " if self.correct else ""
        title, message = html.escape(f"{self.exercise} {self.status}"), html.escape(self.message)
        return f'{STYLE}<div class="ac-parity">{mark}<strong>{title}</strong>{message}</div>'

    def _ipython_display_(self) -> None:
        if self.view is None:
            raise NotImplementedError  # IPython then asks for the mimebundle
        show(self)

    def _repr_mimebundle_(self, **options) -> dict:
        words = {"text/plain": repr(self), "text/html": self._repr_html_()}
        if self.view is None:
            return words
        parts = [ipywidgets.HTML(words["text/html"]), self.view]
        box = ipywidgets.VBox(parts, layout={"align_items": "stretch"})
        return {**box._repr_mimebundle_(**options), **words}


@dataclass(frozen=True)
class _Exercise:
    answer: Callable[..., Mapping]
    tolerance: float
    mistakes: Mapping[str, object] = field(default_factory=dict)
    look: Callable | None = None


_exercises: dict[str, _Exercise] = {}


def exercise(name: str, tolerance=1e-6, mistakes: Mapping | None = None, look=None):
    """Register the reference of exercise `name` ("01.1": lesson 01, first exercise).

    The decorated function returns a dict: for each keyword of `check` a number, tensor, list of
    words, `Function`, or an object that judges the answer itself, such as `YouRun`. A number may be
    off by `tolerance`, absolutely. `mistakes` is {the sentence for the learner: a wrong value}.
    `look` takes a wrong function and returns a view of its computation. The arguments of the
    decorated function, each with a default, are not judged: the lesson passes them to `check`."""

    def register(answer):
        _exercises[name] = _Exercise(answer, tolerance, mistakes or {}, look)
        return answer

    return register


def function_exercise(name: str, tolerance=1e-6, **references: Function) -> None:
    """Register an exercise that asks for one function: the keyword of `check` and its reference."""
    ((key, reference),) = references.items()
    _exercises[name] = _Exercise(lambda: {key: reference}, tolerance)


def check(name: str, /, **answers) -> Verdict:
    """Compare the learner's `answers` with PyTorch's. An answer that is `...` or None is not
    attempted yet.

    Raises LookupError for an exercise that does not exist and TypeError for other keywords than it
    has; both say what exists. A wrong answer raises nothing: see `.correct`."""
    found = _find(name)
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        takes = answers.keys() & inspect.signature(found.answer).parameters
        references = found.answer(**{key: answers.pop(key) for key in takes})
        if answers.keys() != references.keys():
            takes = f"exercise {name} takes {', '.join(references)}"
            write = f"write check({name!r}, {', '.join(f'{key}=...' for key in references)})"
            raise TypeError(f"{takes}, not {', '.join(answers) or 'nothing'}: {write}")
        good, wrong, view = {}, "", None
        for key, value in answers.items():
            if value is ... or value is None:
                continue
            label = "" if len(references) == 1 else f"{key}: "
            right, sentence = _judge(value, references[key], found)
            if right:
                good[key] = f"{label}{sentence}"
            elif sentence and not wrong:
                looks = found.look and sentence != INTERRUPTED and callable(value)
                wrong, view = f" {label}{sentence}", found.look(value) if looks else None
    if wrong:
        return Verdict(name, False, True, wrong, view, (*good,))
    missing = [key for key in references if key not in good]
    if not missing:
        return Verdict(name, True, True, f" {' '.join(good.values())}", right=(*good,))
    so_far = f" Right: {', '.join(good)}. Still open: {', '.join(missing)}." if good else ""
    return Verdict(name, False, bool(good), so_far, right=(*good,))


def _find(name: str) -> _Exercise:
    there = {each.name.removeprefix("lesson_") for each in pkgutil.iter_modules(lessons.__path__)}
    lesson = str(name).partition(".")[0]
    if lesson in there:
        importlib.import_module(f"{lessons.__name__}.lesson_{lesson}")
    if name in _exercises:
        return _exercises[name]
    known = sorted(each for each in _exercises if each.partition(".")[0] == lesson)
    has = f"Lesson {lesson} has" if known else "Lessons with exercises:"
    raise LookupError(f"there is no exercise {name!r}. {has} {', '.join(known or sorted(there))}.")


def _judge(value: object, reference: object, found: _Exercise) -> tuple[bool, str]:
    """(whether it is right, a sentence); no sentence for a function that returns nothing yet."""
    if hasattr(reference, "judge"):
        try:
            return reference.judge(value)
        except KeyboardInterrupt:
            return False, INTERRUPTED
    if isinstance(reference, Function):
        return _judge_function(value, reference, found.tolerance)
    if callable(value):
        return False, "This is a function. Pass a value."
    right, sentence = judge_value(value, reference, found.tolerance)
    if not right:
        for words, wrong in found.mistakes.items():
            if judge_value(value, wrong, found.tolerance)[0]:
                return False, _sentence(words)
    return right, sentence


def _sentence(words: str) -> str:
    """`words` with a capital and one mark at the end; "" stays as it is."""
    end = "" if words.endswith((".", "?", "!")) else "."
    return words and f"{words[:1].upper()}{words[1:]}{end}"


class _Outcome(NamedTuple):
    """A verdict on a function: `error` is the one that it raised, `sentence` is for the learner."""

    right: bool
    sentence: str
    error: BaseException | None = None
    is_known_mistake: bool = False


def _judge_function(function: object, reference: Function, tolerance: float) -> tuple[bool, str]:
    """Call `function` with each engine's tensors until it is right or its mistake is known.

    A function that is written for autograd_core raises on PyTorch's tensors. One that is written
    for PyTorch raises TypeError on autograd_core's, so this error isn't shown. The lines that
    `function` prints are shown for the engine whose outcome is shown.
    """
    if not callable(function):
        return False, f"Pass a function, not {type(function).__name__}."
    shown, prints = None, ""
    for given_by in reference.engines:
        with contextlib.redirect_stdout(io.StringIO()) as printed, few_lines():
            outcome = _run(function, reference, tolerance, given_by)
        refuses_tensors = isinstance(outcome.error, TypeError)
        if shown is None or outcome.right or (shown.error and not refuses_tensors):
            shown, prints = outcome, printed.getvalue()
        if shown.right or shown.is_known_mistake or isinstance(shown.error, KeyboardInterrupt):
            break
    print(prints, end="")
    return shown.right, shown.sentence


def _run(function: Callable, reference: Function, tolerance: float, given_by: Callable) -> _Outcome:
    """Judge the results of `function` for arguments that `given_by` makes of PyTorch's tensors."""
    generator, seen = torch.Generator().manual_seed(0), Conduct()
    wrong, tried = "", []  # the first wrong result; the arguments and results of each trial
    for inputs in reference.trials(generator):
        arguments, expected, names = reference.trial(generator, inputs)
        try:
            with seen.watching():
                results = reference.call(function, [given_by(each) for each in arguments])
        except KeyboardInterrupt as error:
            return _Outcome(False, INTERRUPTED, error)
        except Refused as refused:
            return _Outcome(False, f"{reference.subject} {refused}.")
        except (Exception, SystemExit) as error:
            if wrong:
                break
            if (words := _raising_mistake(inputs, error, seen, reference)) is not None:
                return _Outcome(False, _sentence(words))
            slips = [slip for text, slip in reference.slips.items() if text in str(error)]
            raises = (*slips, f"raises {first_line(error)}")[0]
            told = f"{_sentence(f'{reference.subject} {raises}')} {place_of(error)}".rstrip()
            return _Outcome(False, told, error)
        if results is ...:
            return _Outcome(False, "")
        if results is None:
            return _Outcome(False, NOTHING)
        results = results if isinstance(results, (tuple, list)) else [results]
        if len(results) != len(expected):
            are = f"{len(expected)} are" if len(expected) > 1 else "one tensor is"
            returned = counted(len(results), "result")
            return _Outcome(False, f"Your function returns {returned}, and {are} asked for.")
        tried.append((arguments, results))
        for name, yours, theirs in zip(names, results, expected):
            right, sentence = judge_numbers(yours, theirs, tolerance)
            if not right and not wrong:
                wrong = f"In {name}: {sentence[0].lower()}{sentence[1:]}"
    if wrong:
        words = _mistake_in(tried, reference, tolerance)
        return _Outcome(False, wrong if words is None else words, None, words is not None)
    if complaint := reference.conduct(seen):
        return _Outcome(False, _sentence(complaint))
    return _Outcome(True, reference.praise(seen, tolerance))


def _mistake_in(tried: list[tuple], reference: Function, tolerance: float) -> str | None:
    """The sentence of the first wrong function that has the learner's results in every trial."""
    for words, function in reference.wrong_functions():
        if all(
            _has_results(function, reference, arguments, results, tolerance)
            for arguments, results in tried
        ):
            return _sentence(words)
    return None


def _raising_mistake(inputs, error, seen, reference: Function) -> str | None:
    """The sentence of the first wrong function that raises the same error in the same calls."""
    for words, function in reference.wrong_functions():
        other = Conduct()
        try:
            with other.watching():
                reference.call(function, [reference.engines[0](each) for each in inputs])
        except Exception as same:
            if str(same) == str(error) and vars(other) == {**vars(seen), "calls": 1}:
                return words
    return None


def _has_results(function, reference, arguments, results, tolerance) -> bool:
    """Whether the wrong `function` returns `results`; not if it raises."""
    try:
        same = reference.call(function, [reference.engines[0](each) for each in arguments])
    except Exception:
        return False
    same = same if isinstance(same, (tuple, list)) else [same]
    return len(same) == len(results) and all(
        judge_numbers(*pair, tolerance)[0] for pair in zip(results, same)
    )

"""Exercises: what a learner hands in, compared with what PyTorch computes at that moment.

    check("01.1", a_grad=-0.555)        ✓ 01.1 correct. Yours −0.555, PyTorch −0.55505, within
                                        0.001.

A wrong or missing answer is a result, not an exception, so a notebook runs on. The references are
in `answers/`:

    @exercise("01.1", tolerance=1e-3, mistakes={"one path of two: the sigmoid's is missing": -0.5})
    def answer(torch):
        a = torch.tensor(2.0, requires_grad=True)
        ...
        return {"a_grad": a.grad}

A wrong answer is told its mistake, never the solution. `mistakes` says what those answers mean that
people give."""

import html
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import ipywidgets
import numpy as np

from ... import from_numpy
from ...parity.report import STYLE, counted, first_line
from ...parity.results import as_array
from .conduct import Conduct, few_lines
from .judging import judge_numbers, judge_value

TRIALS = 5  # random inputs that a learner's function is run on
INTERRUPTED = "Your function was interrupted. Does its loop end?"
OF_PYTORCH = (
    "Your function uses `torch`, but what it is given is not PyTorch's: write `T.` where it says"
    " `torch.`, or `np.` for arrays."
)
OPEN = object()  # the verdict on a function that nobody has written yet


@dataclass(frozen=True)
class Function:
    """A reference for a function: what `reference` returns on random inputs.

    `inputs` maps each argument's name to its shape (standard normal numbers, float64), or to a
    function of a `torch.Generator` that makes the tensor. The learner's function is called with
    autograd_core tensors, in that order."""

    reference: Callable
    inputs: dict[str, tuple | Callable]
    conduct: Callable[[Conduct], str] | None = field(default=None, kw_only=True)
    """Given what the learner's function did, what is not allowed about it, or ""."""
    cases: Sequence[Sequence] = field(default=(), kw_only=True)
    """Inputs that are tried after the random ones: the edges, where another answer would differ.
    Tensors of PyTorch.
    """

    def trial(self, torch, generator, arguments):
        """One case: (the learner's arguments, the expected results, what to call each result)."""
        expected = self.reference(*arguments)
        if not isinstance(expected, tuple):
            return arguments, [expected], ["the result"]
        return arguments, list(expected), [f"result {number}" for number in range(len(expected))]

    def call(self, function, arguments):
        """What the learner's `function` returns for `arguments`, tensors of PyTorch: one result or
        a tuple of them.
        """
        given = [_ours(argument) for argument in arguments]
        results = function(*given)
        for position, (mine, argument) in enumerate(zip(given, arguments, strict=True), 1):
            if not np.array_equal(as_array(mine), as_array(argument), equal_nan=True):
                raise _Refused(
                    f"writes into argument {position}, which belongs to its caller: make a new"
                    " tensor"
                )
        return results

    def mistaken(self, wrong, arguments):
        """What `wrong`, a mistake written with PyTorch, makes of `arguments`: a list of results."""
        results = wrong(*arguments)
        return list(results) if isinstance(results, tuple) else [results]

    def arguments(self, torch, generator):
        """Random inputs, as tensors of PyTorch."""
        return [
            (
                make(generator)
                if callable(make)
                else torch.randn(make, generator=generator, dtype=torch.float64)
            )
            for make in self.inputs.values()
        ]

    def trials(self, torch, generator):
        """The inputs of every trial: `TRIALS` random ones, then each of `cases`."""
        for _ in range(TRIALS):
            yield self.arguments(torch, generator)
        for case in self.cases:
            yield [given.clone() if isinstance(given, torch.Tensor) else given for given in case]


@dataclass(frozen=True)
class BackwardRule(Function):
    """A reference for a backward rule: `reference` is the *forward*, and PyTorch's autograd
    differentiates it.

    The learner's rule is called as `rule(gradient, *inputs)` and returns one gradient for each
    input."""

    def trial(self, torch, generator, arguments):
        arguments = [argument.requires_grad_() for argument in arguments]
        out = self.reference(*arguments)
        gradient = torch.randn(out.shape, generator=generator, dtype=out.dtype)
        expected = torch.autograd.grad(out, arguments, gradient)
        return (
            [gradient, *arguments],
            list(expected),
            [f"the gradient of {name}" for name in self.inputs],
        )


@dataclass(frozen=True)
class Loss(Function):
    """A reference for a loss: its value and the gradient of each input. No gradient (`None`) is not
    a gradient of 0.

    A mask, which is boolean, has none.
    """

    def trial(self, torch, generator, arguments):
        arguments = _leaves(arguments)
        loss = self.reference(*arguments)
        loss.backward()
        return (
            arguments,
            [loss, *(argument.grad for argument in arguments)],
            ["the value", *(f"the gradient of {name}" for name in self.inputs)],
        )

    def call(self, function, arguments):
        leaves = _leaves(map(_ours, arguments))
        loss = function(*leaves)
        if loss is ... or loss is None:
            return loss
        if not hasattr(loss, "backward"):
            raise _Refused(f"returns {_a(loss)}, not a tensor: nothing can go back through it")
        if not loss.requires_grad:
            raise _Refused("returns a tensor without a graph: no path leads from it to the inputs")
        loss.backward()
        return loss, *(leaf.grad for leaf in leaves)

    def mistaken(self, wrong, arguments):
        leaves = _leaves(argument.detach().clone() for argument in arguments)
        loss = wrong(*leaves)
        if loss.requires_grad:
            loss.backward()
        return [loss, *(leaf.grad for leaf in leaves)]


def _leaves(tensors):
    return [tensor.requires_grad_() if tensor.is_floating_point() else tensor for tensor in tensors]


class _Refused(Exception):
    """What the learner's function did, as the end of a sentence that begins with "Your function"."""


def _a(value):
    """ "a list", "an int"."""
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _ours(tensor):
    """A tensor of PyTorch as one of autograd_core, with memory of its own."""
    return from_numpy(as_array(tensor).copy())


@dataclass(frozen=True)
class Verdict:
    """The answer to an answer. `correct` is whether everything was right; `attempted` whether
    anything was there.
    """

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
        title = html.escape(f"{self.exercise} {self.status}")
        return (
            f'{STYLE}<div class="ac-parity">{mark}<strong>{title}</strong>'
            f"{html.escape(self.message)}</div>"
        )


@dataclass(frozen=True, repr=False)
class VerdictWithView(Verdict):
    """A verdict, and below it what the learner's own answer did."""

    view: object = field(compare=False)

    def _repr_mimebundle_(self, **options) -> dict:
        box = ipywidgets.VBox(
            [ipywidgets.HTML(self._repr_html_()), self.view], layout={"align_items": "stretch"}
        )
        return {**box._repr_mimebundle_(**options), "text/plain": repr(self)}


@dataclass(frozen=True)
class _Exercise:
    answer: Callable
    tolerance: float
    mistakes: Mapping[str, object] = field(default_factory=dict)
    look: Callable | None = None


_exercises: dict[str, _Exercise] = {}


def exercise(
    name: str,
    tolerance: float = 1e-6,
    mistakes: Mapping[str, object] | None = None,
    look: Callable | None = None,
):
    """Register the reference of exercise `name` ("01.1": lesson 01, first exercise).

    The decorated function takes `torch` and returns a dict: for each keyword of `check` a number,
    tensor, list, string, bool, `Function` or `BackwardRule`. `tolerance` is how far a number may be
    off, absolutely. `mistakes` holds wrong answers under the words that they get; for a function,
    another one, written with PyTorch, that takes what the learner's function takes, or a tuple of
    such. `look` makes of a wrong answer a view of what it did."""

    def register(answer):
        _exercises[name] = _Exercise(answer, tolerance, mistakes or {}, look)
        return answer

    return register


def check(name: str, /, **answers) -> Verdict:
    """Compare the learner's `answers` with PyTorch's. An answer that is `...` or None is not
    attempted yet.

    Raises LookupError for an exercise that does not exist and TypeError for other keywords than it
    has; both say what exists. A wrong answer raises nothing: see `.correct`.
    """
    found = _find(name)
    import torch

    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        references = found.answer(torch)
        if answers.keys() != references.keys():
            raise TypeError(
                f"exercise {name} takes {_listed(references)}, not {_listed(answers) or 'nothing'}:"
                f" write check({name!r}, {', '.join(f'{key}=...' for key in references)})"
            )
        attempted = {
            key: value
            for key, value in answers.items()
            if not (value is ... or value is None and references[key] is not None)
        }
        if not attempted:
            return Verdict(name, False, False, "")
        good = {}
        for key, value in attempted.items():
            label = "" if len(references) == 1 else f"{key}: "
            with few_lines():
                outcome = _judge(value, references[key], found, torch)
            if outcome is OPEN:
                continue
            right, sentence = outcome
            if not right:
                message = f" {label}{sentence}"
                if found.look is None or sentence == INTERRUPTED or not callable(value):
                    return Verdict(name, False, True, message)
                return VerdictWithView(name, False, True, message, found.look(value))
            good[key] = f"{label}{sentence}"
    missing = [key for key in references if key not in good]
    if missing:
        return Verdict(
            name,
            False,
            bool(good),
            f" Right: {_listed(good)}. Still open: {_listed(missing)}." if good else "",
        )
    return Verdict(name, True, True, f" {' '.join(good.values())}")


def _find(name):
    lesson = str(name).partition(".")[0]
    module = f"{__package__}.answers.lesson_{lesson}"
    lessons = {
        info.name
        for info in pkgutil.iter_modules(importlib.import_module(f"{__package__}.answers").__path__)
    }
    if name not in _exercises and f"lesson_{lesson}" in lessons:
        importlib.import_module(module)
    if name not in _exercises:
        there = [known for known in _exercises if known.partition(".")[0] == lesson]
        known = (
            f"Lesson {lesson} has {_listed(sorted(there))}"
            if there
            else (
                "Lessons with exercises:"
                f" {_listed(sorted(part.removeprefix('lesson_') for part in lessons)) or 'none yet'}"
            )
        )
        raise LookupError(f"there is no exercise {name!r}. {known}.")
    return _exercises[name]


def _listed(names):
    return ", ".join(names)


def _judge(value, reference, found, torch):
    """(whether it is right, a sentence), or OPEN for a function that returns nothing yet."""
    if isinstance(reference, Function):
        return _judge_function(value, reference, found, torch)
    if callable(value):
        return False, "That is a function; a value is asked for."
    right, sentence = judge_value(value, reference, found.tolerance)
    if not right:
        for words, wrong in found.mistakes.items():
            if (
                not callable(wrong)
                and _same_kind(value, wrong)
                and judge_value(value, wrong, found.tolerance)[0]
            ):
                return False, _sentence(words)
    return right, sentence


def _same_kind(value, wrong):
    return isinstance(value, (str, bool)) == isinstance(wrong, (str, bool))


def _sentence(words):
    """`words` with a capital and one mark at the end."""
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '?', '!')) else '.'}"


def _judge_function(function, reference, found, torch):
    if not callable(function):
        return False, f"A function is asked for, not {type(function).__name__}."
    generator = torch.Generator().manual_seed(0)
    possible = [
        (words, wrong)
        for words, ways in found.mistakes.items()
        for wrong in (ways if isinstance(ways, tuple) else (ways,))
        if callable(wrong)
    ]
    verdict, seen = None, Conduct()
    for inputs in reference.trials(torch, generator):
        arguments, expected, names = reference.trial(torch, generator, inputs)
        try:
            with seen.watching():
                results = reference.call(function, arguments)
        except KeyboardInterrupt:
            return False, INTERRUPTED
        except _Refused as refused:
            return False, f"Your function {refused}."
        except (Exception, SystemExit) as error:
            if verdict is None:
                raised = _sentence(f"your function raises {first_line(error)}")
                return False, OF_PYTORCH if _names_torch(function) else raised
            break
        if results is ...:
            return OPEN
        if results is None and expected[0] is not None:
            return (
                False,
                (
                    "Your function returns None: a return is missing, or nothing was written into"
                    " what it returns."
                ),
            )
        if not isinstance(results, (tuple, list)):
            results = [results]
        if any(isinstance(result, torch.Tensor) for result in results):
            return False, OF_PYTORCH
        if len(results) != len(expected):
            asked = (
                f"{len(expected)} are asked for" if len(expected) > 1 else "one tensor is asked for"
            )
            return False, f"Your function returns {counted(len(results), 'result')}, and {asked}."
        possible = [
            (words, wrong)
            for words, wrong in possible
            if _all_equal(results, reference.mistaken(wrong, arguments), found.tolerance)
        ]
        for name, yours, theirs in zip(names, results, expected):
            right, sentence = judge_numbers(yours, theirs, found.tolerance)
            if not right and verdict is None:
                verdict = False, f"In {name}: {sentence[0].lower()}{sentence[1:]}"
    if verdict:
        return (False, _sentence(possible[0][0])) if possible else verdict
    if reference.conduct and (complaint := reference.conduct(seen)):
        return False, _sentence(complaint)
    return True, f"The same as PyTorch on {seen.calls} inputs, within {found.tolerance:g}."


def _names_torch(function):
    """Whether the code of `function`, or of a function inside of it, uses the name `torch`."""
    codes = [getattr(function, "__code__", None)]
    for code in codes:
        if code is not None:
            if "torch" in code.co_names:
                return True
            codes += [constant for constant in code.co_consts if hasattr(constant, "co_names")]
    return False


def _all_equal(results, others, tolerance):
    return len(results) == len(others) and all(
        judge_numbers(yours, theirs, tolerance)[0] for yours, theirs in zip(results, others)
    )

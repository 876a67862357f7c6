"""Exercises: what a learner hands in, compared with what PyTorch computes at that moment.

    check("01.1", a_grad=-0.555)    ✓ 01.1 correct. Yours −0.555, PyTorch −0.55505, within 0.001.

A wrong or missing answer is a result, not an exception: it is told its mistake, never the solution.
The references are in `answers/`: `exercise` registers one that asks for values, `function_exercise`
one that asks for a function.
"""

import html
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace

import ipywidgets
import numpy as np
import torch

from ... import from_numpy
from ...parity.agreement_report import STYLE, counted, first_line
from ...parity.results import as_array
from ...widgets.kit.shown import show
from . import answers as lessons
from .conduct import Conduct, few_lines, kind_of
from .judging import judge_numbers, judge_value
from .you_run import YouRun

TRIALS = 5  # random inputs that a learner's function is run on
INTERRUPTED = "Your function was interrupted. Does its loop end?"
OF_PYTORCH = (
    "Your function uses `torch`, but what it is given is not PyTorch's: write `T.` where it says"
    " `torch.`, or `np.` for arrays."
)
NOTHING = (
    "Your function returns None: a return is missing, or nothing was written into what it returns."
)


class Refused(Exception):
    """What the learner's function did, as the end of a sentence that begins with "Your function"."""


@dataclass(frozen=True)
class Function:
    """A reference for a function: what `reference` returns on random inputs, and on each of `cases`.

    The learner's function is called with autograd_core tensors, in the order of `inputs`.

    inputs    for each argument its shape (standard normal numbers, float64), or a function of a
              `torch.Generator` that makes the tensor.
    cases     inputs that are tried after the `random` ones: the edges, where another answer would
              differ. Tensors of PyTorch, or numbers and lists of them.
    conduct   given what the learner's function did, what is not allowed about it, or "".
    slips     what an error means here: {a part of its text: how "Your function" goes on}.
    mistakes  given the arguments, as tensors of PyTorch: wrong results under the words that they
              get. A list holds several wrong results that get the same words.
    """

    reference: Callable
    inputs: Mapping[str, tuple | Callable]
    cases: Sequence[Sequence] = ()
    _: KW_ONLY
    random: int = TRIALS
    conduct: Callable[[Conduct], str] = lambda seen: ""
    slips: Mapping[str, str] = field(default_factory=dict)
    mistakes: Callable[..., Mapping] = lambda *arguments: {}

    def trials(self, generator: torch.Generator) -> Iterator[list]:
        """The inputs of every trial, as tensors of PyTorch."""
        for _ in range(self.random):
            yield [
                make(generator)
                if callable(make)
                else torch.randn(make, generator=generator, dtype=torch.float64)
                for make in self.inputs.values()
            ]
        for case in self.cases:
            yield [_tensor(given) for given in case]

    def trial(self, generator: torch.Generator, arguments: list) -> tuple[list, list, list[str]]:
        """One case: (the learner's arguments, the expected results, what to call each result)."""
        expected = self.reference(*arguments)
        if not isinstance(expected, tuple):
            return arguments, [expected], ["the result"]
        return arguments, list(expected), [f"result {number}" for number in range(len(expected))]

    def call(self, function: Callable, arguments: list) -> object:
        """What the learner's `function` returns for `arguments`: one result or a tuple of them."""
        given = [_ours(argument) for argument in arguments]
        results = function(*given)
        for position, (mine, argument) in enumerate(zip(given, arguments, strict=True), 1):
            if not np.array_equal(as_array(mine), as_array(argument), equal_nan=True):
                caller = "which belongs to its caller: make a new tensor"
                raise Refused(f"writes into argument {position}, {caller}")
        return results

    def praise(self, seen: Conduct, tolerance: float) -> str:
        """What is said of a right answer."""
        return f"The same as PyTorch on {seen.calls} inputs, within {tolerance:g}."

    def mistaken(self, arguments: list) -> list[tuple[str, list]]:
        """Each mistake: the words, and the results that it has for `arguments`."""
        ways = each_way(self.mistakes(*arguments))
        return [(words, list(way) if isinstance(way, tuple) else [way]) for words, way in ways]


def each_way(mistakes: Mapping) -> list[tuple]:
    """(words, what is wrong) for each mistake: a list holds several that get the same words."""
    return [
        (words, way)
        for words, ways in mistakes.items()
        for way in (ways if isinstance(ways, list) else [ways])
    ]


class BackwardRule(Function):
    """A reference for a backward rule: `reference` is the *forward*, which PyTorch differentiates.
    The learner's `rule(gradient, *inputs)` returns one gradient for each input."""

    def trial(self, generator, arguments):
        leaves = leaves_of(arguments)
        out = self.reference(*leaves)
        gradient = torch.randn(out.shape, generator=generator, dtype=out.dtype)
        expected = torch.autograd.grad(out, leaves, gradient)
        return [gradient, *leaves], list(expected), [f"the gradient of {n}" for n in self.inputs]


class Loss(Function):
    """A reference for a loss: its value and the gradient of each input, where None is not 0."""

    def trial(self, generator, arguments):
        leaves = leaves_of(arguments)
        names = ["the value", *(f"the gradient of {name}" for name in self.inputs)]
        return arguments, _with_gradients(self.reference(*leaves), leaves), names

    def call(self, function, arguments):
        leaves = leaves_of(map(_ours, arguments))
        loss = function(*leaves)
        if loss is ... or loss is None:
            return loss
        if not hasattr(loss, "backward"):
            kind = kind_of(loss)
            raise Refused(f"returns {kind}, not a tensor: nothing can go back through it")
        if not loss.requires_grad:
            raise Refused("returns a tensor without a graph: no path leads from it to the inputs")
        loss.backward()
        return loss, *(leaf.grad for leaf in leaves)

    def mistaken(self, arguments):
        leaves = leaves_of(arguments)
        return [
            (words, _with_gradients(loss, leaves)) for words, (loss,) in super().mistaken(leaves)
        ]


def leaves_of(tensors: Iterable) -> list:
    """The tensors as new leaves. A mask, which is boolean, is none."""
    detached = [tensor.detach() for tensor in tensors]
    return [each.requires_grad_() if each.is_floating_point() else each for each in detached]


def _with_gradients(loss: torch.Tensor, leaves: list) -> list:
    """[the loss, its gradient at each leaf]; None where no path leads."""
    for leaf in leaves:
        leaf.grad = None
    if loss.requires_grad:
        loss.backward(retain_graph=True)
    return [loss, *(leaf.grad for leaf in leaves)]


def _tensor(given: object) -> object:
    if callable(given):
        return given
    made = given if isinstance(given, torch.Tensor) else torch.from_numpy(np.array(given))
    return made.clone() if made.dtype == torch.bool else made.to(torch.float64, copy=True)


def _ours(tensor):
    """A tensor of PyTorch as one of autograd_core, with memory of its own."""
    return from_numpy(as_array(tensor).copy())


@dataclass(frozen=True)
class Verdict:
    """The answer to an answer: whether all of it was right, whether anything was `attempted`, and a
    `view` of what the learner's own answer did, shown below."""

    exercise: str
    correct: bool
    attempted: bool
    message: str
    view: object = field(default=None, compare=False)

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


def exercise(name: str, tolerance: float = 1e-6, mistakes: Mapping[str, object] | None = None):
    """Register the reference of exercise `name` ("01.1": lesson 01, first exercise).

    The decorated function returns a dict: for each keyword of `check` a number, tensor, list,
    string, bool, `Function` or `YouRun`. A number may be off by `tolerance`, absolutely.
    `mistakes` holds wrong values under the words that they get. What the function takes, each with
    a default, is not judged: the lesson gives it to `check` under these names."""

    def register(answer):
        _exercises[name] = _Exercise(answer, tolerance, mistakes or {})
        return answer

    return register


def function_exercise(name: str, tolerance=1e-6, look=None, **references: Function):
    """Register an exercise that asks for one function: the keyword of `check`, and its reference,
    whose `mistakes` are decorated. `look` makes of a wrong answer a view of what it did."""
    ((key, reference),) = references.items()

    def register(mistakes):
        whole = {key: replace(reference, mistakes=mistakes)}
        _exercises[name] = _Exercise(lambda: whole, tolerance, look=look)
        return mistakes

    return register


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
        good = {}
        for key, value in answers.items():
            if value is ... or value is None and references[key] is not None:
                continue
            label = "" if len(references) == 1 else f"{key}: "
            with few_lines():
                right, sentence = _judge(value, references[key], found)
            if not right and sentence:
                looks = found.look and sentence != INTERRUPTED and callable(value)
                view = found.look(value) if looks else None
                return Verdict(name, False, True, f" {label}{sentence}", view)
            if right:
                good[key] = f"{label}{sentence}"
    missing = [key for key in references if key not in good]
    if not missing:
        return Verdict(name, True, True, f" {' '.join(good.values())}")
    so_far = f" Right: {', '.join(good)}. Still open: {', '.join(missing)}." if good else ""
    return Verdict(name, False, bool(good), so_far)


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
    if isinstance(reference, Function):
        return _judge_function(value, reference, found.tolerance)
    if isinstance(reference, YouRun):
        return reference.judge(value)
    if callable(value):
        return False, "That is a function; a value is asked for."
    right, sentence = judge_value(value, reference, found.tolerance)
    if not right:
        for words, wrong in found.mistakes.items():
            of_one_kind = isinstance(value, (str, bool)) == isinstance(wrong, (str, bool))
            if of_one_kind and judge_value(value, wrong, found.tolerance)[0]:
                return False, _sentence(words)
    return right, sentence


def _sentence(words: str) -> str:
    """`words` with a capital and one mark at the end."""
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '?', '!')) else '.'}"


def _judge_function(function: object, reference: Function, tolerance: float) -> tuple[bool, str]:
    if not callable(function):
        return False, f"A function is asked for, not {type(function).__name__}."
    generator, seen = torch.Generator().manual_seed(0), Conduct()
    wrong, tried = "", []  # what is wrong; the arguments of each trial, and the learner's results
    for inputs in reference.trials(generator):
        arguments, expected, names = reference.trial(generator, inputs)
        try:
            with seen.watching():
                results = reference.call(function, arguments)
        except KeyboardInterrupt:
            return False, INTERRUPTED
        except Refused as refused:
            return False, f"Your function {refused}."
        except (Exception, SystemExit) as error:
            if wrong:
                break
            slips = [slip for text, slip in reference.slips.items() if text in str(error)]
            if not slips and _names_torch(function):
                return False, OF_PYTORCH
            return False, _sentence(f"Your function {(*slips, f'raises {first_line(error)}')[0]}")
        if results is ...:
            return False, ""
        if results is None and expected[0] is not None:
            return False, NOTHING
        results = results if isinstance(results, (tuple, list)) else [results]
        if any(isinstance(result, torch.Tensor) for result in results):
            return False, OF_PYTORCH
        if len(results) != len(expected):
            are = f"{len(expected)} are" if len(expected) > 1 else "one tensor is"
            returned = counted(len(results), "result")
            return False, f"Your function returns {returned}, and {are} asked for."
        tried.append((arguments, results))
        for name, yours, theirs in zip(names, results, expected):
            right, sentence = judge_numbers(yours, theirs, tolerance)
            if not right and not wrong:
                wrong = f"In {name}: {sentence[0].lower()}{sentence[1:]}"
    if wrong:
        return False, _mistake_in(tried, reference, tolerance) or wrong
    if complaint := reference.conduct(seen):
        return False, _sentence(complaint)
    return True, reference.praise(seen, tolerance)


def _mistake_in(tried: list[tuple], reference: Function, tolerance: float) -> str:
    """What is said of the first mistake that has the learner's results in every trial, or ""."""
    mistakes = [reference.mistaken(arguments) for arguments, _ in tried]
    for ways in zip(*mistakes):
        same = (
            len(mine) == len(way)
            and all(judge_numbers(*pair, tolerance)[0] for pair in zip(mine, way))
            for (_, mine), (_, way) in zip(tried, ways)
        )
        if all(same):
            return _sentence(ways[0][0])
    return ""


def _names_torch(function: Callable) -> bool:
    """Whether the code of `function`, or of a function inside of it, uses the name `torch`."""
    codes = [function.__code__] if hasattr(function, "__code__") else []
    for code in codes:
        if "torch" in code.co_names:
            return True
        codes += [constant for constant in code.co_consts if hasattr(constant, "co_names")]
    return False

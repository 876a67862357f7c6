"""Change each right answer to an exercise a little; `check` must refuse whatever then answers
differently.

    python -m tests.lessons.answer_mutants 12         every change of lesson 12's answers: a table,
    and what survived
    python -m tests.lessons.answer_mutants 12.3 07    one exercise, and a lesson
    python -m tests.lessons.answer_mutants            all of them

The right answers are the solution in the notebook and those of `answers/lesson_12.py`, which people
write otherwise:

    @right("12.3")                            one that `check` must accept; right("14.4", "relu")
    where several are asked def clip(g1, g2): ...

    right_values("15.3", 2 / 3, 0.6667)       where a value is asked
    wide("12.3", [(g1, g2), ...])             inputs (as `cases` has them), many more than the check
    tries; or a function
                                              of a `torch.Generator` that makes such a list
    no_mistake("12.3", "norm > 1 -> norm >= 1", "at exactly 1 both divide by 1")

A change is one place in the syntax tree: see `changes`. It *differs* if on any of the inputs, the
check's own or the wide ones, it answers otherwise than the answer that it was made of. If it
differs and `check` accepts it, it survives: either the check has a hole, or the difference is no
mistake, and `no_mistake` says why (its words are a part of what is printed)."""

import argparse
import ast
import contextlib
import importlib
import inspect
import io
import random
import signal
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import nbformat
import numpy as np
import torch

import autograd_core as T
from autograd_core import nn
from autograd_core.lessons.exercises import check as checks
from autograd_core.lessons.own_engine import Tensor
from autograd_core.nn import functional as F
from autograd_core.parity.results import as_array
from notebooks.authoring.exercises import exercises
from tests.budget import SEED

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
NAMES = {"T": T, "nn": nn, "F": F, "np": np, "Tensor": Tensor}
"""What every lesson's cells have at hand."""
CPU_SECONDS = 2.0
"""An answer that computes for longer is in a loop without end: refused."""
SEEDS = 4

OPERATORS = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
OTHER_COMPARISONS = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
SWAPPED = {
    "sum": "mean",
    "mean": "sum",
    "max": "min",
    "min": "max",
    "any": "all",
    "all": "any",
    "sqrt": "abs",
    "exp": "abs",
    "sin": "cos",
    "cos": "sin",
    "arctan2": "arctan",
    "zeros_like": "ones_like",
    "clamp": "clamp_",
    "append": "extend",
}


@dataclass
class Answers:
    """What `answers/lesson_NN.py` says of one exercise."""

    functions: list[tuple[str, Callable]] = field(default_factory=list)
    """(the key of `check`, or "" for the only one; the function)."""
    values: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    no_mistake: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """One right answer: `source` run in `names` leaves what `keys` names; the rest of the answers
    is the solution's.
    """

    exercise: str
    title: str
    source: str
    keys: dict[str, str]
    """The keyword of `check`, and the name in the source that it is given."""
    names: dict

    def run(self, source: str) -> dict:
        """What `check` is given, or the error that the cell ends with."""
        names = dict(self.names)
        exec(compile(source, f"<{self.exercise} {self.title}>", "exec"), names)
        return {key: names[name] for key, name in self.keys.items()}


@dataclass(frozen=True)
class Mutant:
    """A changed answer; `words` say what was changed."""

    answer: Source
    words: str
    source: str

    def __str__(self):
        return f"{self.answer.exercise} {self.answer.title}: {self.words}"


_known: dict[str, Answers] = {}


def _of(name: str) -> Answers:
    return _known.setdefault(name, Answers())


def right(name: str, key: str = "") -> Callable:
    """Register a function that `check` must accept as the answer `key` of exercise `name`."""

    def register(function):
        _of(name).functions.append((key, function))
        return function

    return register


def right_values(name: str, *values) -> None:
    """Values that `check` must accept; for an exercise with several answers, dicts."""
    _of(name).values.extend(values)


def wide(name: str, inputs: Sequence | Callable) -> None:
    """Further inputs on which a changed answer may differ; a dict of them where several functions
    are asked.
    """
    _of(name).inputs.append(inputs)
    trials.cache_clear()


def no_mistake(name: str, words: str, why: str) -> None:
    """A change, described by a part of its words, that may be accepted, and the reason."""
    assert why
    _of(name).no_mistake[words] = why


# ---- the right answers ---------------------------------------------------------------------------


@cache
def _notebook(lesson: str):
    (path,) = NOTEBOOKS.glob(f"{lesson}_*.ipynb")
    return nbformat.read(path, 4)


def names_of(lesson: str) -> list[str]:
    """The exercises of a lesson."""
    return [exercise.name for exercise in exercises(_notebook(lesson))]


def lessons() -> list[str]:
    """The lessons that have exercises: "01", "02", …"""
    return sorted(
        path.name[:2] for path in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb") if names_of(path.name[:2])
    )


def solution(name: str) -> Source:
    """The solution that is folded away in the notebook."""
    found = next(each for each in exercises(_notebook(name[:2])) if each.name == name)
    body, keys = [], {}
    for statement in ast.parse(found.solution).body:
        calls = [
            node
            for node in ast.walk(statement)
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "check"
        ]
        if calls:
            keys = {part.arg: ast.unparse(part.value) for part in calls[0].keywords}
            keys = {key: keys[key] for key in _references(name) if key in keys}
            break
        body.append(statement)
    return Source(name, "solution", "\n".join(map(ast.unparse, body)), keys, dict(NAMES))


def right_answers(name: str) -> list[Source]:
    """The solution, then the functions that were written otherwise."""
    with contextlib.suppress(ModuleNotFoundError):
        importlib.import_module(f"tests.lessons.answers.lesson_{name[:2]}")
    first = solution(name)
    found = [first]
    for number, (key, function) in enumerate(_of(name).functions, 1):
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        tree.body[0].decorator_list = []
        key = key or next(iter(first.keys))
        names = {**NAMES, **vars(inspect.getmodule(function))}
        found.append(
            Source(name, f"answer {number}", ast.unparse(tree), {key: function.__name__}, names)
        )
    return found


# ---- the changes ---------------------------------------------------------------------------------


def changes(source: str) -> list[tuple[str, str]]:
    """Each change of `source` that parses: (what was changed, the whole changed source)."""
    tree, found = ast.parse(source), {}

    def note(words):
        with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
            changed = ast.unparse(ast.fix_missing_locations(tree))
            if changed != ast.unparse(ast.parse(source)):
                compile(changed, "", "exec")
                found.setdefault(changed, words)

    for parent, name, index, node in list(_places(tree)):
        was = ast.unparse(node)
        place = getattr(parent, name)
        for new in _variants(node, parent, tree):
            if index is None:
                setattr(parent, name, new)
            elif isinstance(new, list):
                setattr(parent, name, [*place[:index], *new, *place[index + 1 :]])
            else:
                setattr(parent, name, [*place[:index], new, *place[index + 1 :]])
            now = "\n".join(map(_text, new)) if isinstance(new, list) else _text(new)
            note(f"{_short(was)} -> {_short(now) or '(left out)'}")
            setattr(parent, name, place)
    return [(words, changed) for changed, words in found.items()]


def _text(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(node))


def _short(text: str) -> str:
    return text if len(text) <= 90 else f"{text[:60]} … {text[-27:]}"


def _places(node: ast.AST) -> Iterator[tuple]:
    """(parent, field, index or None, child) for every expression and statement below."""
    for name, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        for index, child in enumerate(children):
            if isinstance(child, ast.expr | ast.stmt) and not isinstance(child, ast.JoinedStr):
                yield node, name, index if isinstance(value, list) else None, child
            if isinstance(child, ast.AST):
                yield from _places(child)


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _variants(node: ast.AST, parent: ast.AST, tree: ast.AST) -> Iterator:
    """What `node` may become: expressions, or a list of statements."""
    if isinstance(node, ast.stmt):
        yield from _statements(node, parent)
        if isinstance(node, ast.Return):
            yield from (
                [ast.Return(ast.Name(name, ast.Load()))] for name in sorted(_variables(tree))
            )
    elif not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return
    elif isinstance(node, ast.BinOp):
        for kind in OPERATORS.get(type(node.op), ()):
            yield ast.BinOp(node.left, kind(), node.right)
        yield from (node.left, node.right)
        if isinstance(node.op, ast.Sub | ast.Div | ast.MatMult | ast.Pow):
            yield ast.BinOp(node.right, node.op, node.left)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Compare):
        kinds = (
            COMPARISONS
            if isinstance(node.ops[0], COMPARISONS)
            else (OTHER_COMPARISONS[type(node.ops[0])],)
        )
        for kind in kinds:
            if not isinstance(node.ops[0], kind):
                yield ast.Compare(node.left, [kind(), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        yield from node.values
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse, ast.IfExp(node.test, node.orelse, node.body))
    elif isinstance(node, ast.Constant):
        yield from map(ast.Constant, _other_constants(node.value, tree))
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.Subscript):
        yield node.value
    elif (
        isinstance(node, ast.Tuple | ast.List)
        and len(node.elts) > 1
        and not isinstance(parent, ast.Subscript)
    ):
        for index in range(len(node.elts) - 1):
            elements = list(node.elts)
            elements[index : index + 2] = reversed(elements[index : index + 2])
            yield type(node)(elements, ast.Load())
        yield type(node)(node.elts[:-1], ast.Load())
        yield type(node)([node.elts[0]] * len(node.elts), ast.Load())
    elif isinstance(node, ast.Name) and not (isinstance(parent, ast.Call) and parent.func is node):
        for other in sorted(_variables(tree) - {node.id}):
            if node.id in _variables(tree):
                yield ast.Name(other, ast.Load())
        if node.id in _variables(tree):
            yield from (_parsed(f"{node.id}.{word}()") for word in ("detach", "abs"))


def _other_constants(value, tree):
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [
            value + 1,
            value - 1,
            2 * value,
            value / 2,
            1.1 * value,
            0.9 * value,
            -value,
            0 * value,
        ]
    if isinstance(value, str):
        return {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        } - {value}
    return []


def _variables(tree: ast.AST) -> set[str]:
    """Arguments and what is assigned."""
    return {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)} | {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _calls(node: ast.Call) -> Iterator[ast.expr]:
    function, arguments, keywords = node.func, node.args, node.keywords
    if isinstance(function, ast.Attribute):
        if not (isinstance(function.value, ast.Name) and function.value.id in NAMES):
            # x.clone(), x.detach(), x.clamp(min=1) -> x
            yield function.value
        if function.attr in SWAPPED:
            yield ast.Call(
                ast.Attribute(function.value, SWAPPED[function.attr], ast.Load()),
                arguments,
                keywords,
            )
        if isinstance(function.value, ast.Name) and hasattr(T.Tensor, f"{function.attr}_"):
            yield ast.Call(
                ast.Attribute(function.value, f"{function.attr}_", ast.Load()), arguments, keywords
            )
    elif isinstance(function, ast.Name) and function.id in SWAPPED:
        yield ast.Call(ast.Name(SWAPPED[function.id], ast.Load()), arguments, keywords)
    for index, argument in enumerate(arguments):
        yield argument  # T.sqrt(x) -> x
        yield ast.Call(function, arguments[:index] + arguments[index + 1 :], keywords)
        if index:
            turned = [
                *arguments[: index - 1],
                argument,
                arguments[index - 1],
                *arguments[index + 1 :],
            ]
            yield ast.Call(function, turned, keywords)
    for index, keyword in enumerate(keywords):
        yield ast.Call(function, arguments, keywords[:index] + keywords[index + 1 :])
        if keyword.arg in ("min", "max"):
            other = ast.keyword("max" if keyword.arg == "min" else "min", keyword.value)
            yield ast.Call(function, arguments, [*keywords[:index], other, *keywords[index + 1 :]])
    if isinstance(function, ast.Attribute) and function.attr in ("sum", "mean") and not arguments:
        yield from (ast.Call(function, [ast.Constant(dim)], []) for dim in (0, -1))


def _statements(node: ast.stmt, parent: ast.AST) -> Iterator[list[ast.stmt]]:
    if isinstance(node, ast.FunctionDef | ast.Import | ast.ImportFrom):
        return
    if len(getattr(parent, "body", ())) > 1 or not isinstance(
        parent, ast.FunctionDef | ast.If | ast.For | ast.While
    ):
        yield []
    else:
        yield [ast.Pass()]
    if isinstance(node, ast.If):
        yield node.body
        yield node.orelse or [ast.Pass()]
        yield [ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)]
    elif isinstance(node, ast.For | ast.While | ast.With):
        if not isinstance(node, ast.With):
            yield [type(node)(**{**vars(node), "body": [*node.body, ast.Break()]})]
        else:
            yield node.body
    elif isinstance(node, ast.AugAssign):
        for kind in OPERATORS.get(type(node.op), ()):
            yield [ast.AugAssign(node.target, kind(), node.value)]
        yield [ast.Assign([node.target], node.value)]
    elif (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.BinOp)
        and isinstance(node.value.left, ast.Name)
        and len(node.targets) == 1
    ):
        # a new array becomes an in-place write
        operation, target = node.value, node.targets[0]
        left = ast.Name(operation.left.id, ast.Store())
        yield [
            ast.AugAssign(left, operation.op, operation.right),
            ast.Assign([target], operation.left),
        ]
    elif isinstance(node, ast.Return) and node.value is not None:
        value = ast.unparse(node.value)
        if isinstance(node.value, ast.BinOp) and isinstance(node.value.left, ast.Name):
            left = node.value.left
            yield [
                ast.AugAssign(ast.Name(left.id, ast.Store()), node.value.op, node.value.right),
                ast.Return(left),
            ]
        if isinstance(node.value, ast.Tuple):
            parts = [ast.unparse(part) for part in node.value.elts]
            each = [
                [*parts[:i], change.format(part), *parts[i + 1 :]]
                for i, part in enumerate(parts)
                for change in ("-({})", "2 * ({})", "({}).detach()")
            ]
            yield from ([ast.Return(_parsed(", ".join(texts)))] for texts in each)
        else:
            for change in (
                "-({})",
                "2 * ({})",
                "({}) + 1",
                "({}).detach()",
                "({}).round()",
                "({}).sum()",
                "({}).mean()",
                "[{}]",
            ):
                yield [ast.Return(_parsed(change.format(value)))]


# ---- what differs, and what is refused -----------------------------------------------------------


class Endless(BaseException):
    """The answer computed for too long."""


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Raise `Endless` inside once it has used `CPU_SECONDS` of this process."""

    def stop(*_):
        raise Endless

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS, CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@cache
def trials(name: str, key: str) -> list[tuple]:
    """(the reference, the arguments of one call) for the check's own inputs under several seeds,
    and the wide ones.
    """
    inputs = []
    for seed in range(SEEDS):
        reference = _references(name)[key]
        inputs += [(seed, each) for each in reference.trials(torch.Generator().manual_seed(seed))]
    for given in _of(name).inputs:
        given = given(torch.Generator().manual_seed(99)) if callable(given) else given
        given = given.get(key, []) if isinstance(given, dict) else given
        inputs += enumerate(given)
    found = []
    for seed, each in inputs:
        each = [part.detach().clone() if isinstance(part, torch.Tensor) else part for part in each]
        # an input for which PyTorch itself has no answer says nothing
        with contextlib.suppress(Exception):
            found.append((reference, reference.trial(torch.Generator().manual_seed(seed), each)[0]))
    return found


def _references(name: str) -> dict:
    with torch.random.fork_rng(devices=[]):
        return checks._find(name).answer()


def outcomes(name: str, key: str, answer) -> list:
    """What `answer` gives for each input, as arrays, or the name of what it raises."""
    if not callable(answer):
        return [[answer]]
    found = []
    for reference, arguments in trials(name, key):
        try:
            results = reference.call(answer, arguments)
            results = results if isinstance(results, tuple | list) else [results]
            found.append(
                [
                    None if part is None else np.asarray(as_array(part), np.float64)
                    for part in results
                ]
            )
        except Exception as error:
            found.append(type(error).__name__)
    return found


def differ(first: list, second: list) -> bool:
    """Whether two answers answered otherwise on any input on which the first has an answer."""
    for one, other in zip(first, second, strict=True):
        if isinstance(one, list) and not (isinstance(other, list) and _same(one, other)):
            return True
    return False


def _same(one, other) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and np.allclose(
            one, other, rtol=1e-4, atol=2e-6, equal_nan=True
        )
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return bool(np.isclose(one, other, rtol=1e-3))
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and (
        one is other or not isinstance(one, np.ndarray) and bool(np.all(one == other))
    )


def quietly(function, *arguments, **keywords):
    """The result, without what is printed on the way."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        np.errstate(all="ignore"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        return function(*arguments, **keywords)


@dataclass
class Row:
    """What became of the changes of one exercise."""

    exercise: str
    answers: int = 0
    made: int = 0
    differing: int = 0
    refused: int = 0
    listed: int = 0
    survived: list[Mutant] = field(default_factory=list)

    def __str__(self):
        return (
            f"{self.exercise:>8} {self.answers:8} {self.made:6} {self.differing:10} {self.refused:8} {self.listed:7}"
            f" {len(self.survived):9}"
        )


HEADER = f"{'exercise':>8} {'answers':>8} {'made':>6} {'differing':>10} {'refused':>8} {'listed':>7} {'survived':>9}"


def mutants(name: str) -> list[Mutant]:
    """Every change of every right answer of an exercise."""
    return [
        Mutant(answer, *change)
        for answer in right_answers(name)
        for change in changes(answer.source)
    ]


def tried(name: str, chosen: list[Mutant] | None = None) -> Row:
    """Run the changes of exercise `name`, all or the chosen ones."""
    answers = right_answers(name)
    row = Row(name, len(answers))
    first = quietly(answers[0].run, answers[0].source)
    chosen = mutants(name) if chosen is None else chosen
    for answer in answers:
        own = [mutant for mutant in chosen if mutant.answer == answer]
        if not own:
            continue
        base = quietly(answer.run, answer.source)
        expected = {key: quietly(outcomes, name, key, value) for key, value in base.items()}
        for mutant in own:
            row.made += 1
            differs = True
            try:
                with _limited():
                    given = quietly(answer.run, mutant.source)
                    differs = any(
                        differ(expected[key], quietly(outcomes, name, key, value))
                        for key, value in given.items()
                    )
                    accepted = differs and quietly(checks.check, name, **{**first, **given}).correct
            # the cell itself ends with an error, or never: nothing is ticked
            except (Exception, Endless):
                accepted = False
            if not differs:
                continue
            row.differing += 1
            if not accepted:
                row.refused += 1
            elif any(words in str(mutant) for words in _of(name).no_mistake):
                row.listed += 1
            else:
                row.survived.append(mutant)
    return row


def sample(name: str, number: int, seed: int = SEED) -> list[Mutant]:
    """Some of the changes, drawn anew each day."""
    every = mutants(name)
    return random.Random(f"{seed} {name}").sample(every, min(number, len(every)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return how many survived."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("which", nargs="*", help="exercises (12.3) or lessons (12); default: all")
    which = parser.parse_args(arguments).which or lessons()
    names = [name for each in which for name in ([each] if "." in each else names_of(each))]
    print(HEADER)
    survived = []
    for name in names:
        row = tried(name)
        print(row, flush=True)
        survived += row.survived
    for mutant in survived:
        print(f"\n{mutant}\n{textwrap.indent(mutant.source, '    ')}")
    return len(survived)


if __name__ == "__main__":
    from tests.lessons import answer_mutants  # one module, also when it is run as a program

    sys.exit(bool(answer_mutants.main()))

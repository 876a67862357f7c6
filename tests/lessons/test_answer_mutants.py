"""Right answers are accepted however they are written, and a change that answers otherwise is
refused.

A sample of the day on every push; every change of every answer in `make prove`.
"""

import importlib

import pytest
import torch

from autograd_core.lessons.exercises import check as checks
from tests.budget import budget
from tests.lessons import answer_mutants

EXERCISES = [
    name for lesson in answer_mutants.lessons() for name in answer_mutants.names_of(lesson)
]
FEWEST = 5
"""Right answers for each exercise, the notebook's solution not counted."""


def entry(name: str) -> answer_mutants.Answers:
    importlib.import_module(f"tests.lessons.answers.lesson_{name[:2]}")
    return answer_mutants._of(name)


@pytest.mark.parametrize("name", EXERCISES)
def test_right_answers_written_otherwise_are_accepted(name):
    answers = answer_mutants.right_answers(name)
    first = answers[0].run(answers[0].source)
    for answer in answers:
        verdict = checks.check(name, **{**first, **answer.run(answer.source)})
        assert verdict.correct, f"{answer.title}: {verdict!r}\n{answer.source}"
    for value in entry(name).values:
        given = value if isinstance(value, dict) else {next(iter(first)): value}
        verdict = checks.check(name, **{**first, **given})
        assert verdict.correct, repr(verdict)


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_that_asks_for_functions_has_five_right_answers_to_each(name):
    known, (first, *_) = entry(name), answer_mutants.right_answers(name)
    for key, value in first.run(first.source).items():
        if callable(value):
            written = [
                each
                for each, _ in known.functions
                if each == key or not each and key == next(iter(first.keys))
            ]
            assert len(written) >= FEWEST, f"{name} {key}: {len(written)}"


@pytest.mark.parametrize("name", EXERCISES)
def test_a_change_that_answers_otherwise_is_refused(name):
    row = answer_mutants.tried(name, answer_mutants.sample(name, budget(4, 100_000)))
    assert not row.survived, "\n\n".join(f"{mutant}\n{mutant.source}" for mutant in row.survived)


def test_a_check_with_a_hole_is_found(monkeypatch):
    """Where only short gradients are tried, a change of the bound survives."""
    found = checks._find("12.3")

    def answer():
        def short(generator):
            return torch.randn(2, generator=generator, dtype=torch.float64) * 0.01

        whole = found.answer()["clip"]
        return {"clip": checks.Function(whole.reference, {"g1": short, "g2": short})}

    answer_mutants.wide(
        "12.3", lambda generator: [(3 * generator_numbers(generator), generator_numbers(generator))]
    )
    monkeypatch.setitem(checks._exercises, "12.3", checks._Exercise(answer, found.tolerance))
    assert answer_mutants.tried("12.3").survived
    answer_mutants._of("12.3").inputs.pop()
    answer_mutants.trials.cache_clear()


def generator_numbers(generator):
    return torch.randn(2, generator=generator, dtype=torch.float64)


def test_the_changes_are_those_that_people_make():
    made = {
        changed.splitlines()[-1].strip()
        for _, changed in answer_mutants.changes("def f(x, y):\n    return x.sum() - 2 * y")
    }
    assert {
        "return x.sum() + 2 * y",
        "return x.mean() - 2 * y",
        "return x - 2 * y",
        "return 2 * y - x.sum()",
        "return x.sum() - y",
        "return x.sum()",
        "return 2 * (x.sum() - 2 * y)",
        "return y.sum() - 2 * y",
    } <= made


def test_a_condition_a_branch_and_a_write_are_changed():
    source = "def f(x):\n    if x > 1:\n        x = x * 2\n    return x"
    made = {changed for _, changed in answer_mutants.changes(source)}
    assert {
        source.replace(">", ">="),
        source.replace("x = x * 2", "x *= 2\n        x = x"),
        source.replace("x > 1", "not x > 1"),
        "def f(x):\n    x = x * 2\n    return x",
    } <= made


def test_an_answer_without_end_is_refused():
    source = answer_mutants.solution("12.3")
    endless = answer_mutants.Mutant(
        source, "loops", "def clip(g1, g2):\n    while True:\n        pass"
    )
    row = answer_mutants.tried("12.3", [endless])
    assert row.refused == 1

"""`check` accepts right answers that are written differently from the solution."""

import pytest

from autograd_core.lessons.exercises.check import check
from notebooks.authoring.exercises import exercises
from tests.lessons.right_answers import right_answers
from tests.notebooks.test_notebooks import LESSONS, read

EXERCISES = [exercise.name for path in LESSONS for exercise in exercises(read(path))]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_right_answers_are_accepted(exercise):
    for answers in right_answers(exercise):
        verdict = check(exercise, **answers)
        assert verdict.correct, f"{answers}: {verdict!r}"

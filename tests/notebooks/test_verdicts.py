"""Planted faults in the verdicts of a lesson are found."""

import pytest

from autograd_core.lessons.questions.choice import Question
from autograd_core.lessons.questions.predict import Prediction
from tests.notebooks import verdicts


@pytest.fixture
def asked(monkeypatch):
    monkeypatch.setattr(verdicts, "VERDICTS", {"01.1": "yes", "02.1": "no"})
    question = Question("Is it?", ("no", "yes | it is"), "")
    return {"01.1": Prediction(question, lambda found: found, "")}


def test_a_right_verdict_has_no_fault(asked):
    asked["01.1"].settle({"found"}, {"found": 1})
    assert verdicts.faults_of(asked, "01") == []


@pytest.mark.parametrize(
    ("found", "fault"),
    [
        (0, "01.1: 'no' happened"),
        (2, "01.1 has no result: The result fits no choice: 2"),
        (None, "01.1 has no result: no cell settles it"),
    ],
)
def test_a_fault_is_named(asked, found, fault):
    if found is not None:
        asked["01.1"].settle({"found"}, {"found": found})
    assert verdicts.faults_of(asked, "01") == [fault]


def test_a_question_that_only_one_of_the_two_knows_is_named(asked):
    asked["01.1"].settle({"found"}, {"found": 1})
    assert verdicts.faults_of({}, "01") == ["01.1 is asked in one place only"]
    both = ["01.1 is asked in one place only", "02.1 is asked in one place only"]
    assert sorted(verdicts.faults_of(asked, "02")) == both

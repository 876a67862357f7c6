"""The exercises of the lessons: answers that leave out what the exercise is about are not accepted."""

import pytest

from autograd_core.lessons.exercises.check import check


def mined_without_min(loss, text):
    wanted = 2 * int(text.sum())
    return (loss[text].sum() + loss[~text].topk(wanted)[0].sum()) / max(int(text.sum()) + wanted, 1)


def mined_without_max(loss, text):
    wanted = min(2 * int(text.sum()), int((~text).sum()))
    return (loss[text].sum() + loss[~text].topk(wanted)[0].sum()) / (text.sum() + wanted)


@pytest.mark.parametrize(
    "mined, message",
    [
        (mined_without_min, "selected index k out of range"),
        (mined_without_max, "it divides by 0"),
    ],
)
def test_lesson_07_tries_crops_without_text_and_of_nothing_else(mined, message):
    verdict = check("07.4", loss=mined)
    assert not verdict.correct and message in repr(verdict)

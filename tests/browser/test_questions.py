"""Predictions and the quiz, by keyboard and by mouse."""

import json

import pytest

from autograd_core.lessons.questions import quiz as quiz_module
from autograd_core.lessons.questions.predict import predict
from autograd_core.lessons.questions.quiz import quiz
from tests.browser.page import deliver, until

CHOICES = ["the last | it overwrites", "the sum | it adds", "the <i>mean</i>"]


@pytest.fixture
def asked(show):
    """A page with a question, and a function that runs its experiment."""

    def open_(name, width=1280):
        question = predict(
            name,
            "The gradient at `u` is",
            CHOICES,
            result=lambda at_u: at_u,
            because="`u` is used twice",
        )
        page = show(question, kernel=True, viewport={"width": width, "height": 900})

        def run():
            question.settle({"at_u"}, {"at_u": 1})
            deliver(page)

        return page, page.get_by_role("radio"), page.locator(".ac-choice-status"), run

    return open_


def test_a_prediction_by_keyboard(asked):
    page, radios, status, run = asked("71.1")
    assert page.get_by_role("radiogroup", name="Predict first. The gradient at u is").count() == 1
    assert radios.count() == 3 and "<i>mean</i>" in radios.nth(2).inner_text()
    assert [radios.nth(i).get_attribute("tabindex") for i in range(3)] == ["0", "-1", "-1"]

    radios.first.focus()
    page.keyboard.press("ArrowLeft")
    assert radios.nth(2).get_attribute("aria-checked") == "true"
    page.keyboard.press("ArrowLeft")
    assert status.inner_text() == "Not kept yet. Enter commits."
    focused = "radio => document.activeElement === radio && getComputedStyle(radio).outlineStyle"
    assert radios.nth(1).evaluate(focused) == "solid"

    page.keyboard.press("Enter")
    page.get_by_text("Your answer is kept. Run the cells below").wait_for()
    assert page.locator('[data-kept] >> text="the sum"').count() == 1
    run()
    page.get_by_text(
        "You predicted: the sum. That is what happened, because u is used twice."
    ).wait_for()


def test_a_prediction_by_mouse_on_a_narrow_page(asked):
    page, radios, _, run = asked("71.2", 600)
    run()
    page.get_by_text("The experiment has run. Choose an answer to see the verdict.").wait_for()
    radios.first.click()
    page.get_by_text("Chosen after the run: the last. What happened: the sum, because").wait_for()
    boxes = [radios.nth(i).bounding_box() for i in range(3)]
    assert len({box["x"] for box in boxes}) == 1 and all(box["height"] >= 32 for box in boxes)


def test_the_quiz_before_and_after(show, tmp_path, monkeypatch):
    monkeypatch.setattr(quiz_module, "answers_file", lambda: tmp_path / "quiz.json")
    page = show(quiz("before"), kernel=True)
    status = page.locator(".ac-choice-status")
    page.get_by_role("radio").nth(0).click()
    assert status.inner_text().startswith("Kept. Lesson 01 settles it.")
    page.keyboard.press("Enter")
    assert page.locator(".ac-choice-heading").inner_text().startswith("2 of 10.")
    assert page.locator(".ac-choice-summary").inner_text() == ""
    page.get_by_role("button", name="Question 10: not answered").click()
    until(page, (tmp_path / "quiz.json").exists)

    page = show(quiz("after"), kernel=True)
    page.get_by_role("radio").nth(1).click()
    page.locator(".ac-choice-mark-right").wait_for()
    marks = [
        page.get_by_role("radio").nth(i).locator(".ac-choice-marks").inner_text() for i in range(3)
    ]
    assert marks == ["before", "now", "✓ right"]
    page.get_by_role("radio").nth(2).click(force=True)
    assert page.locator("[data-kept]").count() == 1, "what is settled stays"
    assert page.get_by_role("button", name="Question 1: answered, settled").count() == 1
    assert json.loads((tmp_path / "quiz.json").read_text()) == {
        "before": {"graph-made": 0},
        "after": {"graph-made": 1},
    }

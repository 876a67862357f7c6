"""Predictions: asked, kept, compared, and never given away."""

import pytest
import traitlets

from autograd_core.lessons.questions import predict as module
from autograd_core.lessons.questions.choice import Question
from autograd_core.lessons.questions.predict import Prediction, predict, predicted, shuffled

QUESTION = "The gradient at `u` is"
CHOICES = [
    "the last one | the second path overwrites the first",
    "the sum | each adds its part",
    "<b>the mean</b>",
]


@pytest.fixture(autouse=True)
def nothing_asked(monkeypatch):
    monkeypatch.setattr(module, "_predictions", {})


def choose(asked: Prediction, choice: int) -> None:
    """As the browser sends it: the place of the choice in the order that is shown."""
    asked.set_state({"answers": [asked.order.index(choice)]})


def previews(widget) -> tuple[str, str]:
    data, _ = widget._repr_mimebundle_()
    return data["text/plain"], data["text/html"]


def test_a_right_prediction():
    asked = predict("02.1", QUESTION, CHOICES)
    choose(asked, 1)
    text, html = previews(predicted("02.1", 1, because="`u` is used twice"))
    assert text == "✓ You predicted the sum, and so it is. u is used twice. "
    assert "✓" in html and "<code>u</code> is used twice." in html
    assert "ac-settled-agreed" in html


def test_another_prediction_is_told_without_a_verdict():
    choose(predict("02.1", QUESTION, CHOICES), 0)
    text, html = previews(predicted("02.1", 1))
    assert text == "You predicted: the last one. What happened: the sum. "
    assert "ac-settled-agreed" not in html and "wrong" not in html


def test_no_prediction_is_no_error():
    text, _ = previews(predicted("02.1", 1))
    assert "02.1 was not asked yet" in text
    predict("02.1", QUESTION, CHOICES)
    text, html = previews(predicted("02.1", 1))
    assert "02.1 not predicted yet" in text
    assert "<details>" in html


def test_a_late_prediction_shows_at_once_and_does_not_count():
    asked = predict("02.1", QUESTION, CHOICES)
    settled = predicted("02.1", 1)
    assert "not predicted yet" in settled.content
    choose(asked, 1)
    assert (
        "After the experiment you chose <b>the sum</b>" in settled.content
        and "agreed" not in settled.content
    )
    assert "does not count" in asked.results[0]["status"]


@pytest.mark.parametrize("revealed", [False, True])
def test_the_first_answer_counts(revealed):
    asked = predict("02.1", QUESTION, CHOICES)
    choose(asked, 0)
    settled = predicted("02.1", 1) if revealed else None
    choose(asked, 1)
    assert asked.answer == 0 and asked.answers == [asked.order.index(0)]
    assert "locked" in asked.results[0]["status"], (
        "what has a status takes no other answer in the browser"
    )
    assert "You predicted: <b>the last one</b>" in (settled or predicted("02.1", 1)).content


def test_the_order_is_the_same_for_everybody_and_no_place_is_preferred():
    asked = [Question(f"Is it {i}?", ("a", "b", "c"), "") for i in range(300)]
    orders = [shuffled(question) for question in asked]
    assert orders == [shuffled(question) for question in asked]
    assert all(70 < sum(order[place] == 0 for order in orders) < 130 for place in range(3))


def test_asking_again_keeps_the_answer_and_another_question_does_not():
    choose(predict("02.1", QUESTION, CHOICES), 2)
    assert predict("02.1", QUESTION, CHOICES).answer == 2
    assert predict("02.1", QUESTION, CHOICES[:2]).answer is None


def test_the_answer_is_not_in_the_question():
    """The widget's whole state is the same whichever answer is right, even after the experiment."""
    states = []
    for result in range(3):
        asked = predict(f"02.{result}", QUESTION, CHOICES)
        choose(asked, 0)
        predicted(f"02.{result}", result, because="told")
        states.append(
            {
                name: value
                for name, value in asked.get_state().items()
                if name not in ("layout", "children")
            }
        )
    assert states[0] == states[1] == states[2]
    assert "told" not in str(states)


def test_a_preview_shows_question_and_choices_as_text():
    asked = predict("02.1", QUESTION, CHOICES)
    text, html = previews(asked)
    first, *lines = text.splitlines()
    choices = [
        "the last one: the second path overwrites the first",
        "the sum: each adds its part",
        "<b>the mean</b>",
    ]
    assert first == "Predict first. The gradient at `u` is"
    assert lines == [f"  ( ) {choices[i]}" for i in asked.order]
    assert "<code>u</code>" in html and "&lt;b&gt;the mean&lt;/b&gt;" in html


@pytest.mark.parametrize(
    "choices", [[], ["one"], ["same", "same | other words"], ["a", " | only a detail"]]
)
def test_bad_choices_are_refused(choices):
    with pytest.raises(ValueError, match="two or more different choices"):
        predict("02.1", QUESTION, choices)


def test_a_result_that_is_no_choice_is_refused():
    predict("02.1", QUESTION, CHOICES)
    for result in (-1, 3):
        with pytest.raises(ValueError, match="the choices are 0 to 2"):
            predicted("02.1", result)


@pytest.mark.parametrize("answers", [[3], [-2], [], [0, 0], ["0"], "0"])
def test_a_browser_cannot_answer_outside_the_choices(answers):
    asked = predict("02.1", QUESTION, CHOICES)
    with pytest.raises(traitlets.TraitError):
        asked.set_state({"answers": answers})
    assert asked.answer is None

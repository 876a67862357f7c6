"""Predictions: asked, kept, settled by the experiment, and never given away."""

import sys

import pytest
import traitlets
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from autograd_core.lessons.questions import predict as module
from autograd_core.lessons.questions.choice import Question
from autograd_core.lessons.questions.predict import KEPT, UNANSWERED, Prediction, predict

QUESTION = "The gradient at `u` is"
CHOICES = [
    "the last one | the second path overwrites the first",
    "the sum | each adds its part",
    "<b>the mean</b>",
]


@pytest.fixture(autouse=True)
def nothing_asked(monkeypatch):
    monkeypatch.setattr(module, "_predictions", {})


def ask(name: str = "02.1", choices: list[str] = CHOICES) -> Prediction:
    return predict(name, QUESTION, choices, result=lambda at_u: at_u, because="`u` is used twice")


def run(asked: Prediction, at_u: object) -> None:
    asked.settle({"at_u"}, {"at_u": at_u})


def choose(asked: Prediction, choice: int) -> None:
    """As the browser sends it: the place of the choice in the order that is shown."""
    asked.set_state({"answers": [asked.order.index(choice)]})


def previews(widget) -> tuple[str, str]:
    data, _ = widget._repr_mimebundle_()
    return data["text/plain"], data["text/html"]


def test_a_right_prediction():
    asked = ask()
    choose(asked, 1)
    assert asked.results == [{"status": KEPT}]
    run(asked, 1)
    (told,) = asked.results
    said = "You predicted: the sum. That is what happened, because `u` is used twice."
    assert told["status"] == said and told["state"] == "right"
    place = asked.order.index(1)
    assert told["marks"] == [[place, "right", "what happened"], [place, "yours", "your answer"]]
    text, html = previews(asked)
    assert said in text and "<code>u</code> is used twice." in html


def test_another_prediction_is_told_without_scolding():
    asked = ask()
    choose(asked, 0)
    run(asked, 1)
    (told,) = asked.results
    assert told["status"].startswith("You predicted: the last one. What happened: the sum, because")
    assert told["state"] == "other" and "wrong" not in str(told)


def test_an_answer_after_the_run_is_shown_as_late():
    asked = ask()
    run(asked, 1)
    assert asked.summary == UNANSWERED and asked.results == [{}]
    choose(asked, 1)
    said = "Chosen after the run: the sum. That is what happened"
    assert asked.summary == "" and asked.results[0]["status"].startswith(said)


@pytest.mark.parametrize("has_run", [False, True])
def test_the_first_answer_is_kept(has_run):
    asked = ask()
    choose(asked, 0)
    if has_run:
        run(asked, 1)
    choose(asked, 1)
    assert asked.answer == 0 and asked.answers == [asked.order.index(0)]
    assert "status" in asked.results[0], "the browser locks a question that has a status"


def test_a_verdict_waits_for_every_name_and_later_cells_do_not_change_it():
    asked = predict("02.1", QUESTION, CHOICES, result=lambda a, b: a + b)
    values = {"a": 1, "b": 1, "c": 0}
    asked.settle({"a", "c"}, values)
    assert asked.result is None
    asked.settle({"b"}, values)
    assert asked.result == 2
    asked.settle({"a", "b"}, {"a": 0, "b": 0})
    assert asked.result == 2, "a name used again for something else"
    predict("02.1", QUESTION, CHOICES, result=lambda a, b: a + b)
    asked.settle({"a", "b"}, {"a": 0, "b": 0})
    assert asked.result == 0, "asked again, it awaits the experiment again"


@pytest.mark.parametrize("at_u", [3, -1, None, 0.5])
def test_a_result_that_is_no_choice_is_reported(at_u):
    asked = ask()
    choose(asked, 0)
    run(asked, at_u)
    assert asked.message == f"The result fits no choice: {at_u!r}" and asked.result is None
    failing = predict("02.2", QUESTION, CHOICES, result=lambda at_u: [0, 1].index(at_u))
    run(failing, 7)
    assert failing.message == "The result fits no choice: ValueError: 7 is not in list"


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("a = 1\nb, (c, d) = 1, (2, 3)", "a b c d"),
        ("%%both rtol=1e-3\nfor i in range(3):\n    total = i", "i total"),
        ("def f(x):\n    y = x\n    return y", "f"),
        ("import copy\nwith open('x') as file: pass", "copy file"),
        ("squares = [k * k for k in range(3)]", "squares"),
        ("x.grad = None\nw[0] = 1", ""),
        ("%load_ext autograd_core.parity", ""),
        ("a = ", ""),
    ],
)
def test_assigned_names(cell, names):
    assert module.assigned_names(cell) == set(names.split())


@pytest.fixture
def shell():
    main = sys.modules["__main__"]  # the shell puts its own in this place
    yield InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    InteractiveShell.clear_instance()
    sys.modules["__main__"] = main


def test_in_ipython_the_cells_after_the_question_settle_it(shell):
    shell.run_cell("from autograd_core.lessons.questions.predict import predict; before = 1")
    shell.run_cell(
        "asked = predict('02.9', 'It is', ['a', 'b'], result=lambda before, after: after)"
    )
    asked = module._predictions["02.9"]
    shell.run_cell("before = 0")
    shell.run_cell("after = 1; 1 / 0")
    assert asked.result is None, "a cell that raised settles nothing"
    shell.run_cell("after = 1")
    assert asked.result == 1


def test_the_order_is_the_same_for_everybody_and_no_place_is_preferred():
    asked = [Question(f"Is it {i}?", ("a", "b", "c"), "") for i in range(300)]
    orders, again = ([module.shuffled(question) for question in asked] for _ in range(2))
    assert orders == again
    assert all(70 < sum(order[place] == 0 for order in orders) < 130 for place in range(3))


def test_asking_again_keeps_the_answer_and_another_question_does_not():
    choose(ask(), 2)
    assert ask().answer == 2
    assert ask(choices=CHOICES[:2]).answer is None


def test_the_state_does_not_give_the_result_away():
    """Until there is an answer, the state is the same whichever choice is right."""
    states = []
    for result in range(3):
        asked = ask(f"02.{result}")
        run(asked, result)
        state = asked.get_state()
        states.append({key: state[key] for key in state if key not in ("layout", "children")})
    assert states[0] == states[1] == states[2]
    assert "twice" not in str(states)


def test_a_preview_shows_question_and_choices_as_text():
    asked = ask()
    text, html = previews(asked)
    first, *lines = text.splitlines()
    choices = [choice.replace(" | ", ": ") for choice in CHOICES]
    assert first == "Predict first. The gradient at `u` is"
    assert lines == [f"  ( ) {choices[i]}" for i in asked.order]
    assert "<code>u</code>" in html and "&lt;b&gt;the mean&lt;/b&gt;" in html


@pytest.mark.parametrize(
    "choices", [[], ["one"], ["same", "same | other words"], ["a", " | only a detail"]]
)
def test_bad_choices_are_refused(choices):
    with pytest.raises(ValueError, match="two or more different choices"):
        ask(choices=choices)


@pytest.mark.parametrize("answers", [[3], [-2], [], [0, 0], ["0"], "0"])
def test_a_browser_cannot_answer_outside_the_choices(answers):
    asked = ask()
    with pytest.raises(traitlets.TraitError):
        asked.set_state({"answers": answers})
    assert asked.answer is None

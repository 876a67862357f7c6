"""The quiz: its answers are true, kept in a file, and judged only in the end."""

import json

import pytest
import torch

from autograd_core.lessons.questions import quiz as module
from autograd_core.lessons.questions.choice import NONE, marked_up
from autograd_core.lessons.questions.quiz import load_answers, quiz
from autograd_core.lessons.questions.quiz_questions import QUESTIONS

KEYS = [question.key for question in QUESTIONS]


# The experiments behind the questions: each returns the index of the choice that PyTorch bears out.


def graph_made():
    linear = torch.nn.Linear(1, 1)
    assert not hasattr(linear, "grad_fn")
    return 2 if linear(torch.ones(1)).grad_fn is not None else 1


def interior_grad():
    w = torch.ones(2, requires_grad=True)
    h = w * 3
    h.sum().backward()
    with pytest.warns(UserWarning, match="non-leaf"):
        return 1 if h.grad is None else 0


def step_needs_loss():
    w = torch.ones(1, requires_grad=True)
    loss = (w**2).sum()
    loss.backward()
    assert w.item() == 1
    del loss
    torch.optim.SGD([w], lr=0.1).step()
    return 2 if w.item() != 1 else 1


def grad_accumulates():
    w = torch.ones(1, requires_grad=True)
    for factor in (3.0, 5.0):
        (factor * w).sum().backward()
    return {8.0: 0, 5.0: 1, 4.0: 2}[w.grad.item()]


def second_time():
    def learns(anew: bool, retain: bool, zero_first: bool):
        w, x = torch.ones(1, requires_grad=True), torch.ones(1)
        optimizer = torch.optim.SGD([w], lr=0.1)
        h, seen = w**2, []
        for _ in range(3):
            h = w**2 if anew else h
            loss = (h * x).sum()
            if zero_first:
                optimizer.zero_grad()
            loss.backward(retain_graph=retain)
            optimizer.step()
            seen.append(loss.item())
        return seen[0] != seen[-1]

    with pytest.raises(RuntimeError, match="second time"):
        learns(anew=False, retain=False, zero_first=True)
    with pytest.raises(RuntimeError, match="inplace"):
        learns(anew=False, retain=True, zero_first=False)
    assert learns(anew=True, retain=False, zero_first=True)
    return 1


def in_place():
    def raises(operation):
        y = torch.ones(1, requires_grad=True) * 2
        z = operation(y)
        y.add_(1)
        try:
            z.sum().backward()
        except RuntimeError:
            return True
        return False

    assert raises(torch.square) and not raises(lambda y: y + 1)
    return 1


def where_nan():
    p = torch.zeros(1, requires_grad=True)
    loss = torch.where(p > 0, torch.log(p), 0.0).sum()
    loss.backward()
    assert loss.item() == 0
    return 2 if p.grad.isnan().all() else 0


def which_head():
    trunk, *heads = (torch.ones(1, requires_grad=True) for _ in range(3))
    losses = [(head * trunk * (i + 2)).sum() for i, head in enumerate(heads)]
    (losses[1] + losses[0]).backward()
    return 0 if [head.grad.item() for head in heads] == [2.0, 3.0] else 1


def frozen():
    torch.manual_seed(0)
    net1, net2, x = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1), torch.ones(1, 3)
    grads = []
    for needed in (True, False):
        net2.requires_grad_(needed)
        net1.zero_grad()
        net2(net1(x)).sum().backward()
        grads.append(net1.weight.grad.clone())
    return 2 if torch.equal(*grads) and grads[0].any() else 1


def zero_gradient():
    moved = []
    for options in ({}, {"momentum": 0.9}, {"weight_decay": 0.1}):
        w = torch.ones(1, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.1, **options)
        for grad in (1.0, 0.0):
            before = w.item()
            w.grad = torch.tensor([grad])
            optimizer.step()
        moved.append(w.item() != before)
    assert moved == [False, True, True]
    return 1


EXPERIMENTS = {key: globals()[key.replace("-", "_")] for key in KEYS}


@pytest.mark.parametrize("question", QUESTIONS, ids=KEYS)
def test_the_right_choice_is_what_happens(question):
    assert EXPERIMENTS[question.key]() == question.right


def test_the_table():
    assert len(QUESTIONS) == len(set(KEYS)) == 10
    lessons = [question.lesson for question in QUESTIONS]
    assert lessons == sorted(lessons)
    rights = [question.right for question in QUESTIONS]
    assert all(rights.count(place) >= 2 for place in range(3)), "the place gives nothing away"
    for question in QUESTIONS:
        assert len(set(question.choices)) == len(question.choices) == 3


@pytest.fixture
def file(tmp_path, monkeypatch):
    file = tmp_path / "autograd_core" / "quiz.json"
    monkeypatch.setattr(module, "answers_file", lambda: file)
    return file


def answer(widget, *choices):
    widget.set_state({"answers": [*choices, *[NONE] * (10 - len(choices))]})


def test_before_keeps_and_does_not_judge(file):
    asked = quiz("before")
    answer(asked, 0, 1)
    assert json.loads(file.read_text()) == {"before": {KEYS[0]: 0, KEYS[1]: 1}, "after": {}}
    assert [path.name for path in file.parent.iterdir()] == ["quiz.json"]
    assert asked.results == [{}] * 10 and asked.summary == "" and asked.message == ""
    assert asked.questions[0]["kept"] == "Kept. Lesson 01 settles it."
    state = str(asked.get_state())
    assert not any(question.why in state for question in QUESTIONS)
    assert quiz("before").answers[:3] == [0, 1, NONE]
    answer(asked, *[0] * 10)
    assert asked.summary == "All ten are kept."


def test_after_shows_both_answers_and_the_right_one(file):
    answer(quiz("before"), 0, 1)
    asked = quiz("after")
    assert asked.answers == [NONE] * 10 and asked.results == [{}] * 10
    answer(asked, 1, 1)
    first, second, third, *_ = asked.results
    assert first["marks"] == [[2, "right", "right"], [1, "yours", "now"], [0, "before", "before"]]
    assert (first["state"], second["state"], third) == ("other", "right", {})
    assert QUESTIONS[0].why in first["status"] and QUESTIONS[2].why not in str(asked.get_state())
    assert asked.summary == ""
    answer(asked, *[question.right for question in QUESTIONS])
    assert asked.summary == "1 of 10 right before the lessons, 10 now."
    assert quiz("after").summary == asked.summary


def test_after_without_before(file):
    asked = quiz("after")
    answer(asked, *[question.right for question in QUESTIONS])
    assert asked.summary == "10 of 10 right now. There are no answers from before the lessons."


def test_two_kernels_do_not_overwrite_each_others_round(file):
    before, after = quiz("before"), quiz("after")
    answer(before, 0)
    answer(after, 2)
    assert load_answers(file)[0] == {"before": {KEYS[0]: 0}, "after": {KEYS[0]: 2}}
    assert [0, "before", "before"] in after.results[0]["marks"]


DAMAGED = {
    "empty": b"",
    "cut": b'{"before": {"graph-m',
    "not text": b"\xff\xfe\x00",
    "a list": b"[1, 2]",
    "a round missing": b'{"before": {}}',
    "a round too many": b'{"before": {}, "after": {}, "x": {}}',
    "a round no table": b'{"before": [], "after": {}}',
    "an unknown question": b'{"before": {"who": 1}, "after": {}}',
    "no such choice": b'{"before": {"graph-made": 3}, "after": {}}',
    "a negative choice": b'{"before": {"graph-made": -1}, "after": {}}',
    "not a number": b'{"before": {"graph-made": true}, "after": {}}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_file_is_moved_aside(file, damage):
    file.parent.mkdir()
    file.write_bytes(DAMAGED[damage])
    asked = quiz("before")
    assert "damaged" in asked.message and "starts afresh" in asked.message
    assert asked.answers == [NONE] * 10
    assert file.with_name("quiz.json.damaged").read_bytes() == DAMAGED[damage]
    answer(asked, 1)
    assert asked.message == "" and quiz("before").answers[0] == 1


def test_a_place_that_cannot_be_written_is_no_crash(file):
    file.parent.write_text("a file where the folder should be")
    asked = quiz("before")
    answer(asked, 1)
    assert "cannot be kept" in asked.message
    assert asked.answers[0] == 1


def test_without_a_kernel_the_questions_and_the_answers_are_read(file):
    answer(quiz("before"), 1)
    shown = quiz("before")._repr_mimebundle_()[0]
    for mime in ("text/plain", "text/html"):
        assert all(str(i) + " of 10." in shown[mime] for i in range(1, 11))
    chosen = QUESTIONS[0].choices[1]
    assert shown["text/html"].count(" ← your answer") == 1
    assert f"{marked_up(chosen)}</b> ← your answer" in shown["text/html"]


def test_the_file_lies_in_jupyters_data_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    assert module.answers_file() == tmp_path / "autograd_core" / "quiz.json"


def test_another_round_is_refused():
    with pytest.raises(ValueError, match=r"ask quiz\('before'\) or quiz\('after'\)"):
        quiz("during")

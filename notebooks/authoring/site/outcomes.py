"""What each answer and each move of a control would show: asked of the kernel of a lesson that has run, for its page.

Answers are tried with questions of the same words. Controls are moved one at a time, each from where it stands.
"""

import itertools
import json
import math
from pathlib import Path
from typing import Any

from ipywidgets.widgets.widget import _instances

from autograd_core.lessons.questions import predict as asked
from autograd_core.lessons.questions.choice import NONE
from autograd_core.lessons.questions.quiz import Quiz

MOST_VALUES = 13
"""Of a slider, so many are tried."""

_new = map("a copy, {}".format, itertools.count())


def write(path: str) -> None:
    """Write the outcomes of this kernel's widgets to the file at `path`, as JSON."""
    Path(path).write_text(json.dumps(outcomes(), allow_nan=False), encoding="utf-8")


def outcomes() -> dict[str, dict[str, Any]]:
    """For each widget that answers change, by its id, what it shows.

    A question:             "results": what is told, by question and choice, "summaries": by how many are right.
    What came of questions: "of": their ids, "contents": by choice, or, of a score, by "right of made".
    Any with controls:      "controls", their sliders in larger steps, "moves": by name, [value, state that differs].
    """
    widgets = list(_instances.values())
    named = {prediction: name for name, prediction in asked._predictions.items()}
    found = {quiz.model_id: _quiz(quiz) for quiz in widgets if isinstance(quiz, Quiz)}
    for prediction in named:
        found[prediction.model_id] = {"results": [[_answered(prediction, i)[1].results[0] for i in _choices(prediction)]],
                                      "summaries": [""] * 2}
    found |= {widget.model_id: _moves(widget) for widget in widgets if widget.has_trait("controls") and widget.controls}
    for settled in (widget for widget in widgets if isinstance(widget, asked.Settled)):
        about = [prediction for prediction, name in named.items() if name in settled.names]
        if len(about) < len(settled.names):
            continue                                    # asked elsewhere: it says so itself
        if settled.because is None:
            contents, right = _score(about), [_right(each) for each in about]
        else:
            contents, right = _contents(about[0], settled.because), [NONE]
        found[settled.model_id] = {"of": [each.model_id for each in about], "right": right, "contents": contents}
    return found


def _choices(prediction: asked.Prediction) -> range:
    return range(len(prediction.question.choices))


def _answered(prediction: asked.Prediction, choice: int) -> tuple[str, asked.Prediction]:
    """The name of a new question in the words of `prediction`, and the question, answered unless `choice` is NONE."""
    name, question = next(_new), prediction.question
    copy = asked.predict(name, question.text, list(question.choices))
    if choice != NONE:
        copy.set_state({"answers": [choice]})
    return name, copy


def _contents(prediction: asked.Prediction, because: str) -> list[str]:
    return [asked.predicted(_answered(prediction, i)[0], prediction.result, because).content for i in _choices(prediction)]


def _right(prediction: asked.Prediction) -> int:
    """The place of what came out, in the order that is shown; NONE where nothing has."""
    if prediction.result is None:
        return NONE
    return next(i for i, content in enumerate(_contents(prediction, "")) if "ac-settled-agreed" in content)


def _score(about: list[asked.Prediction]) -> dict[str, str]:
    """A score by "right of made"."""
    known = next(each for each in about if each.result is not None)
    right, count, contents = _right(known), len(about), {}
    agreed, other, still_open = ([_answered(known, choice)[0] for _ in about] for choice in (right, int(not right), NONE))
    for name in (*agreed, *other, *still_open):
        asked.predicted(name, known.result)
    for made in range(count + 1):
        for good in range(made + 1):
            names = (*agreed[:good], *other[good:made], *still_open[made:])
            contents[f"{good} of {made}"] = asked.score(*names).content
    return contents


def _quiz(quiz: Quiz) -> dict[str, Any]:
    """Each question of the quiz is tried alone, then each number of right answers."""
    none = list(quiz.answers)
    results: list[list[dict]] = []
    for i, question in enumerate(quiz.questions):
        results.append([])
        for choice in range(len(question["choices"])):
            quiz.answers = [*none[:i], choice, *none[i + 1:]]
            results[-1].append(quiz.results[i])
    right = [next((j for j, each in enumerate(told) if each.get("state") == "right"), 0) for told in results]
    summaries = []
    for good in range(len(right) + 1):
        quiz.answers = [choice if i < good else int(not choice) for i, choice in enumerate(right)]
        summaries.append(quiz.summary)
    quiz.answers = none
    return {"results": results, "summaries": summaries}


def _moves(widget: Any) -> dict[str, Any]:
    """Each control at each of its values, the others as they are; a text and what sends bytes have no moves."""
    before, moves = _state(widget), {}
    if any(isinstance(value, bytes) for value in before.values()):
        return {"controls": widget.controls, "moves": moves}
    controls = [_coarse(control) for control in widget.controls]
    for control in controls:
        moves[control["name"]] = told = []
        for value in _values(control):
            widget._handle_msg(_change(control["name"], value))
            state = _state(widget)
            told.append([value, {key: state[key] for key in state if state[key] != before[key]}])
        widget._handle_msg(_change(control["name"], control["value"]))
    return {"controls": controls, "moves": moves}


def _change(name: str, value: object) -> dict[str, Any]:
    """The message of a browser in which the reader moved a control."""
    return {"content": {"data": {"method": "custom", "content": {"kind": "change", "name": name, "value": value}}}, "buffers": []}


def _state(widget: Any) -> dict[str, Any]:
    return {key: value for key, value in widget.get_state().items() if key not in ("layout", "controls", "answer")}


def _coarse(control: dict[str, Any]) -> dict[str, Any]:
    """A slider in larger steps, among them where it stands."""
    if control["kind"] != "slider":
        return control
    low, high, step, value = (control[key] for key in ("min", "max", "step", "value"))
    step *= math.ceil(round((high - low) / step) / (MOST_VALUES - 1))
    return control | {"step": step, "min": value - math.floor((value - low) / step + 1e-9) * step}


def _values(control: dict[str, Any]) -> list[Any]:
    if control["kind"] == "slider":
        count = math.floor((control["max"] - control["min"]) / control["step"] + 1e-9)
        return [control["min"] + i * control["step"] for i in range(count + 1)]
    return {"switch": [True, False], "choice": control.get("choices"), "text": []}[control["kind"]]

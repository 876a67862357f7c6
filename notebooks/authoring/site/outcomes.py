"""What each answer and each move of a control would show: asked of the kernel of a lesson that has
run, for its page.

Controls are moved one at a time, each from where it stands."""

import json
import math
import time
from pathlib import Path
from typing import Any

from ipywidgets.widgets.widget import _instances

from autograd_core.lessons.questions import predict as asked
from autograd_core.lessons.questions.quiz import Quiz
from autograd_core.widgets import GraphView

TRIES = 36
"""Of a widget, so many moves. Its sliders share what its switches and choices leave, or are not
tried.
"""

SLOW = 0.5
"""Seconds of the processor: a widget that needs more for a move is not tried."""

WIDTHS = 334, 362, 464, 620, 716, 1040
"""CSS pixels: the widths at which a picture that a kernel draws to measure is kept. The page shows the
widest one that has room.
"""

LEAST = 5
"""With fewer values a slider shows too little to be worth it."""


def write(path: str) -> None:
    """Write the outcomes of this kernel's widgets to the file at `path`, as JSON."""
    Path(path).write_text(json.dumps(outcomes(), allow_nan=False), encoding="utf-8")


def outcomes() -> dict[str, dict[str, Any]]:
    """For each widget that the reader's hands change, by its id, what they change.

    A graph needs none of this, because its page computes it (js/graph/saved.js).

    A question:             "results": what is told, by question and choice, "summaries": by how
                            many are right.
    Any with controls:      "controls", their sliders in larger steps, "moves": by name, [value,
                            state that differs].
    Any drawn to measure:   "widths": [width, what differs in the picture].
    """
    found = {}
    for widget in list(_instances.values()):
        if isinstance(widget, Quiz):
            found[widget.model_id] = _quiz(widget)
        elif isinstance(widget, asked.Prediction):
            results = [widget.verdict(place) for place in range(len(widget.order))]
            found[widget.model_id] = {"results": [results], "summaries": ["", ""]}
        elif getattr(widget, "controls", ()) and not isinstance(widget, GraphView):
            found[widget.model_id] = _moves(widget)
        if widget.has_trait("width") and widget.has_trait("drawn"):
            found.setdefault(widget.model_id, {})["widths"] = _widths(widget)
    return found


def _quiz(quiz: Quiz) -> dict[str, Any]:
    """Each question of the quiz is tried alone, then each number of right answers."""
    none = list(quiz.answers)
    results: list[list[dict]] = []
    for i, question in enumerate(quiz.questions):
        results.append([])
        for choice in range(len(question["choices"])):
            quiz.answers = [*none[:i], choice, *none[i + 1 :]]
            results[-1].append(quiz.results[i])
    right = [
        next((j for j, each in enumerate(told) if each.get("state") == "right"), 0)
        for told in results
    ]
    summaries = []
    for good in range(len(right) + 1):
        quiz.answers = [choice if i < good else int(not choice) for i, choice in enumerate(right)]
        summaries.append(quiz.summary)
    quiz.answers = none
    return {"results": results, "summaries": summaries}


def _moves(widget: Any) -> dict[str, Any]:
    """Each control at each of its values, the others as they are. A text, what is slow and what
    sends bytes: no moves.
    """
    start, first = time.process_time(), widget.controls[0]
    _move(widget, first["name"], first["value"])
    is_slow = time.process_time() - start > SLOW
    before, moves = _state(widget), {}
    if is_slow or any(isinstance(value, bytes) for value in before.values()):
        return {"controls": widget.controls, "moves": moves}
    sliders = sum(control["kind"] == "slider" for control in widget.controls)
    most = (TRIES - sum(len(_values(control)) for control in widget.controls)) // max(sliders, 1)
    controls = [_coarse(control, most) for control in widget.controls]
    for control in controls:
        moves[control["name"]] = told = []
        for value in _values(control, most):
            _move(widget, control["name"], value)
            state = _state(widget)
            told.append([value, {key: state[key] for key in state if state[key] != before[key]}])
        _move(widget, control["name"], control["value"])
    return {"controls": controls, "moves": moves}


def _widths(widget: Any) -> list[list[Any]]:
    """What differs in the picture at each of WIDTHS, those apart at which other bytes are sent."""
    own, before, found = widget.width, _state(widget), []
    for width in WIDTHS:
        widget.width = width
        state = _state(widget)
        if all(state[key] == before[key] for key in state if isinstance(state[key], bytes)):
            drawn, old = state["drawn"], before["drawn"]
            found.append([width, {key: drawn[key] for key in drawn if drawn[key] != old[key]}])
    widget.width = own
    return found


def _move(widget: Any, name: str, value: object) -> None:
    """The message of a browser in which the reader moved a control."""
    content = {"kind": "change", "name": name, "value": value}
    data = {"method": "custom", "content": content}
    widget._handle_msg({"content": {"data": data}, "buffers": []})


def _state(widget: Any) -> dict[str, Any]:
    return {
        key: value
        for key, value in widget.get_state().items()
        if key not in ("layout", "controls", "answer")
    }


def _coarse(control: dict[str, Any], most: int) -> dict[str, Any]:
    """A slider in larger steps, at most so many values; among them is where it stands."""
    if control["kind"] != "slider" or most < LEAST:
        return control
    low, high, step, value = (control[key] for key in ("min", "max", "step", "value"))
    step *= math.ceil(round((high - low) / step) / (most - 1))
    start = value - math.floor((value - low) / step + 1e-9) * step
    return control | {"step": step, "min": start}


def _values(control: dict[str, Any], most: int = 0) -> list[Any]:
    if control["kind"] == "slider":
        count = math.floor((control["max"] - control["min"]) / control["step"] + 1e-9)
        return (
            [control["min"] + i * control["step"] for i in range(count + 1)]
            if most >= LEAST
            else []
        )
    return {"switch": [True, False], "choice": control.get("choices"), "text": []}[control["kind"]]

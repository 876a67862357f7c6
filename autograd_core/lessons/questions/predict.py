"""Predict, run, see: an answer before the experiment, met again after it.

    predict("01.1", "The gradient at u is", ["the last to arrive", "the sum | each path adds to it"])
    predicted("01.1", 1, because="`u` feeds two nodes, and each sends its own contribution back")

The options are shown in an order drawn from the question, the same for everybody; indices are those
of the source. The first answer counts and is locked. One that comes after the result is told so.
Predictions last as long as the kernel."""

import html
import random
import re
from dataclasses import replace

import traitlets

from ...widgets.kit.bundle import BundledWidget
from .choice import NONE, ChoiceWidget, Question, marked_up

KEPT = "Kept, and locked: your first answer counts. Run the cells below to see."
KEPT_LATE = "Kept, and locked. The result was there before it, so it does not count."

_predictions: dict[str, "Prediction"] = {}


class Prediction(ChoiceWidget):
    """One question, asked before its experiment. `answer` is the index of the learner's choice, or
    `None`; `is_late` says whether the result was there before it."""

    def __init__(self, question: Question):
        self.order = shuffled(question)
        choices = tuple(question.choices[i] for i in self.order)
        super().__init__([replace(question, choices=choices)], [NONE])
        self.question = question
        self.result: int | None = None  # once the experiment has shown it
        self.is_late = False
        self._first = NONE
        self.observe(self._keep_first, "answers")

    def _keep_first(self, _change):
        if self._first == NONE:
            self._first = self.answers[0]
            self.is_late = self.result is not None
            # what has a status is locked
            self.results = [{"status": KEPT_LATE if self.is_late else KEPT}]
        elif self.answers[0] != self._first:
            self.answers = [self._first]

    @property
    def answer(self) -> int | None:
        return None if self._first == NONE else self.order[self._first]


def shuffled(question: Question) -> list[int]:
    """In which order the choices are shown: drawn from the words, so the same for everybody."""
    order = list(range(len(question.choices)))
    random.Random(question.text).shuffle(order)
    return order


class Settled(BundledWidget):
    """What was predicted beside what came out. The static site writes down, from `name` and
    `because`, what each answer would show."""

    view = traitlets.Unicode("settled").tag(sync=True)
    content = traitlets.Unicode().tag(sync=True)
    remembered = ("content",)

    def __init__(self, name: str, result: int, because: str):
        self.name, self.result, self.because = name, result, because
        self._prediction = _predictions.get(name)
        super().__init__(content=self._compose())

    def update(self, _change=None):
        self.content = self._compose()

    def _repr_mimebundle_(self, **options):
        data, metadata = super()._repr_mimebundle_(**options)
        words = re.sub(r"<[^>]*>", "", re.sub("</(p|summary)>", " ", self.content))
        return {**data, "text/html": self.content, "text/plain": html.unescape(words)}, metadata

    def _compose(self) -> str:
        """The comparison as HTML."""
        prediction, name = self._prediction, self.name
        if prediction is None:
            return _card(
                f"<p>{name} was not asked yet. Run the cell that asks it, then this one.</p>"
            )
        titles = [title for title, _ in prediction.question.parts()]
        reason = self.because and f"{self.because[:1].upper()}{self.because[1:].rstrip('.')}."
        why = f"<p class='ac-settled-note'>{marked_up(reason)}</p>" if reason else ""
        shown = f"<b>{marked_up(titles[self.result])}</b>"
        if prediction.answer is None:
            page = f"<p><b>{name}</b> not predicted yet. Choose above, and this line compares.</p>"
            fold = f"<details><summary>What came out</summary><p>{shown}.</p>{why}</details>"
            return _card(page + fold)
        chosen = f"<b>{marked_up(titles[prediction.answer])}</b>"
        if agreed := prediction.answer == self.result and not prediction.is_late:
            page = f"<span class='ac-settled-tick'>✓</span> You predicted {shown}, and so it is."
        elif prediction.is_late:
            page = f"After the experiment you chose {chosen}. What happened: {shown}."
        else:
            page = f"You predicted: {chosen}. What happened: {shown}."
        return _card(f"<p>{page}</p>{why}", agreed)


def predict(name: str, question: str, choices: list[str]) -> Prediction:
    """Ask `question` and keep the answer under `name`, "01.1" for the first question of lesson 01.

    A choice is "title" or "title | detail". Asked again in the same words, it keeps its answer.
    Raises `ValueError` on fewer than two different choices."""
    asked = Question(question, tuple(choices), KEPT, "Predict first.")
    if name not in _predictions or _predictions[name].question != asked:
        _predictions[name] = Prediction(asked)
    return _predictions[name]


def predicted(name: str, result: int, because: str = "") -> Settled:
    """Show the prediction `name` beside `result`, the index of the choice that the experiment bore
    out. `because` is the reason, one short sentence.

    Raises `ValueError` when `result` is none of the choices."""
    prediction = _predictions.get(name)
    if prediction and result not in range(count := len(prediction.question.choices)):
        raise ValueError(f"predicted({name!r}, {result}): the choices are 0 to {count - 1}")
    settled = Settled(name, result, because)
    if prediction is not None:
        prediction.result = result
        prediction.observe(settled.update, "answers")
    return settled


def _card(content: str, agreed: bool = False) -> str:
    looks = "ac-root ac-settled" + (" ac-settled-agreed" if agreed else "")
    return f"<div class='{looks}'>{content}</div>"

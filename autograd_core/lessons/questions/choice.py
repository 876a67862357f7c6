"""Questions with one answer each, as radio groups: what `predict` and `quiz` show. Which answer is
right stays in Python until there is something to tell, and then comes as `results`."""

import html
import re
from dataclasses import dataclass

import traitlets

from ...widgets.kit.bundle import BundledWidget

NONE = -1  # the answer to a question that was not answered


@dataclass(frozen=True)
class Question:
    """`text` is asked, after `lead`; each choice is "title" or "title | detail"; `kept` is said as
    soon as an answer is given. Words in `backticks` are shown as code.

    Raises `ValueError` when there are fewer than two choices, or two with the same title."""

    text: str
    choices: tuple[str, ...]
    kept: str
    lead: str = ""

    def __post_init__(self):
        titles = [title for title, _ in self.parts()]
        if len(titles) < 2 or len(set(titles)) < len(titles) or not all(titles):
            got = list(self.choices)
            raise ValueError(f"{self.text!r} needs two or more different choices, got {got}")

    def parts(self) -> list[tuple[str, str]]:
        """Title and detail of each choice, the detail "" where there is none."""
        parts = [choice.partition("|") for choice in self.choices]
        return [(title.strip(), detail.strip()) for title, _, detail in parts]

    def heading(self) -> str:
        return f"{self.lead} {self.text}".strip()

    def as_text(self) -> str:
        choices = [": ".join(filter(None, part)) for part in self.parts()]
        return "\n  ( ) ".join([self.heading(), *choices])

    def as_html(self, answer: int = NONE) -> str:
        items = ""
        for i, (title, detail) in enumerate(self.parts()):
            more = f": {marked_up(detail)}" if detail else ""
            yours = " ← your answer" if i == answer else ""
            items += f"<li><b>{marked_up(title)}</b>{more}{yours}</li>"
        return f"<p><b>{marked_up(self.heading())}</b></p><ul>{items}</ul>"


def marked_up(text: str) -> str:
    """`text` as HTML: escaped, `backticks` as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


class ChoiceWidget(BundledWidget):
    """One question, or several with a pager. `answers` holds the index of each answer, or `NONE`;
    `results`, for each, `{}` or what to tell about its answer: `status` (a sentence or two), `marks`
    (a list of `[choice, kind, word]`; kind "right", "yours" or "before") and `state` ("right" or
    "other"). A question with a result can no longer be answered. `message` is something that went
    wrong, in words; `summary` is said below all questions."""

    remembered = ("answers", "results")
    view = traitlets.Unicode("choice").tag(sync=True)
    questions = traitlets.List(traitlets.Dict()).tag(sync=True)
    answers = traitlets.List(traitlets.Int()).tag(sync=True)
    results = traitlets.List(traitlets.Dict()).tag(sync=True)
    message = traitlets.Unicode("").tag(sync=True)
    summary = traitlets.Unicode("").tag(sync=True)

    def __init__(self, asked: list[Question], answers: list[int], **traits):
        self._asked = asked
        self.questions = [
            {"heading": q.heading(), "choices": q.parts(), "kept": q.kept} for q in asked
        ]
        self.answers, self.results = answers, [{} for _ in asked]
        self._settle()
        super().__init__(**traits)

    def _settle(self) -> None:
        """Set `results` and `summary` for the present answers. A subclass knows which are right."""

    @traitlets.validate("answers")
    def _check_answers(self, proposal):
        answers, counts = proposal["value"], [len(question.choices) for question in self._asked]
        alike = len(answers) == len(counts)
        if not alike or not all(NONE <= n < count for n, count in zip(answers, counts)):
            raise traitlets.TraitError(f"answers {answers} to questions of {counts} choices")
        return answers

    def _repr_mimebundle_(self, **options):
        """The live widget; without a kernel the questions, answers and verdicts as text and HTML."""
        data, metadata = super()._repr_mimebundle_(**options)
        verdicts = [result["status"] if "state" in result else "" for result in self.results]
        asked = list(zip(self._asked, self.answers, verdicts))
        data["text/plain"] = "\n\n".join(f"{q.as_text()}\n{said}".rstrip() for q, _, said in asked)
        data["text/html"] = "".join(
            q.as_html(answer) + f"<p>{marked_up(said)}</p>" * bool(said)
            for q, answer, said in asked
        )
        return data, metadata

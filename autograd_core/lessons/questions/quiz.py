"""Ten questions about autograd, asked before the first lesson and again after the last.

    quiz("before")      lesson 00: answers are kept, nothing is judged
    quiz("after")       lesson 16: both answers and the right one, side by side

Answers survive a restart of the kernel, in a small JSON file in Jupyter's data directory."""

import json
import os
from pathlib import Path

from ...widgets.kit.files import write_whole
from .choice import NONE, ChoiceWidget, Question
from .quiz_questions import QUESTIONS

ROUNDS = ("before", "after")


def answers_file() -> Path:
    """Where the answers are kept."""
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "autograd_core" / "quiz.json"


def load_answers(file: Path) -> tuple[dict[str, dict[str, int]], str]:
    """For each round {key of a question: index of its choice}; and in words what was wrong with the
    file, or "". A damaged one is moved aside, to `quiz.json.damaged`."""
    none = {name: {} for name in ROUNDS}
    try:
        return _checked(json.loads(file.read_text(encoding="utf-8"))), ""
    except FileNotFoundError:
        return none, ""
    except OSError as error:
        return none, f"Earlier answers cannot be read ({error})."
    except (ValueError, RecursionError) as error:
        aside = file.with_name(file.name + ".damaged")
        damaged = f"The file of earlier answers is damaged ({error})"
        try:
            os.replace(file, aside)
        except OSError as refused:
            return none, f"{damaged} and cannot be moved aside ({refused})."
        return none, f"{damaged}. It is now {aside}; the quiz starts afresh."


def _checked(stored: object) -> dict:
    """`stored` if it has the form of a file by `Quiz`. Raises `ValueError` otherwise."""
    choices = {question.key: len(question.choices) for question in QUESTIONS}
    if not isinstance(stored, dict) or set(stored) != set(ROUNDS):
        raise ValueError(f"it does not hold the rounds {' and '.join(ROUNDS)}")
    for answers in stored.values():
        if not isinstance(answers, dict):
            raise ValueError("a round is not a table of answers")
        for key, choice in answers.items():
            if type(choice) is not int or not 0 <= choice < choices.get(key, 0):
                raise ValueError(f"{key!r}: {choice!r} is not an answer")
    return stored


class Quiz(ChoiceWidget):
    """The ten questions. A round "after" settles each question as soon as it is answered."""

    def __init__(self, round: str, file: Path):
        self._round, self._file = round, file
        stored, problem = load_answers(file)
        self._before = stored["before"]
        kept = "Kept. Lesson {} settles it." if round == "before" else ""
        asked = [
            Question(q.text, q.choices, kept.format(q.lesson), f"{i} of {len(QUESTIONS)}.")
            for i, q in enumerate(QUESTIONS, start=1)
        ]
        given = [stored[round].get(q.key, NONE) for q in QUESTIONS]
        super().__init__(asked, given, message=problem)
        self.observe(self._keep, "answers")

    def _keep(self, _change) -> None:
        """Save the answers of this round. Another kernel may have changed the other round."""
        given = {q.key: answer for q, answer in zip(QUESTIONS, self.answers) if answer != NONE}
        stored, problem = load_answers(self._file)
        self._before = stored["before"]
        self._settle()
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._file, json.dumps(stored | {self._round: given}, indent=1))
        except OSError as error:
            problem = f"Your answers cannot be kept ({error}). They last as long as this kernel."
        self.message = problem

    def _settle(self) -> None:
        whole = NONE not in self.answers
        if self._round == "before":
            self.summary = "All ten are kept." if whole else ""
        else:
            self.results = list(map(self._result, QUESTIONS, self.answers))
            self.summary = self._count() if whole else ""

    def _result(self, question, answer: int) -> dict:
        if answer == NONE:
            return {}
        marks = [[question.right, "right", "right"], [answer, "yours", "now"]]
        before = self._before.get(question.key)
        if before is not None:
            marks.append([before, "before", "before"])
        state = "right" if answer == question.right else "other"
        status = f"{question.why} Lesson {question.lesson} shows it."
        return {"status": status, "marks": marks, "state": state}

    def _count(self) -> str:
        now = sum(answer == question.right for question, answer in zip(QUESTIONS, self.answers))
        if not self._before:
            of = f"{now} of {len(QUESTIONS)}"
            return f"{of} right now. There are no answers from before the lessons."
        before = sum(self._before.get(question.key) == question.right for question in QUESTIONS)
        return f"{before} of {len(QUESTIONS)} right before the lessons, {now} now."


def quiz(round: str) -> Quiz:
    """Ask the ten questions: `round` is "before" or "after", else `ValueError`."""
    if round not in ROUNDS:
        raise ValueError(f"quiz({round!r}): ask quiz('before') or quiz('after')")
    return Quiz(round, answers_file())

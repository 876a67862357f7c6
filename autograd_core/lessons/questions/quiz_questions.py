"""The ten questions of the quiz, each about something that people who write PyTorch commonly
believe, in the order of the lessons that settle them. A test runs the experiment behind each."""

from dataclasses import dataclass
from pathlib import Path

TEXT = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
"""For each question its key in the file of answers and the lesson that settles it, the question, its
choices (the right one has a star), and what is told in the end."""


@dataclass(frozen=True)
class QuizQuestion:
    """`right` is the index of the one right choice; `lesson` is "03"."""

    key: str
    lesson: str
    text: str
    choices: tuple[str, ...]
    right: int
    why: str


def _read(block: str) -> QuizQuestion:
    head, *lines = block.splitlines()
    marks = [i for i, line in enumerate(lines) if line[:2] in ("- ", "* ")]
    text, why = (" ".join(part) for part in (lines[: marks[0]], lines[marks[-1] + 1 :]))
    return QuizQuestion(
        *head.split(", lesson "),
        text,
        tuple(lines[i][2:] for i in marks),
        next(place for place, i in enumerate(marks) if lines[i][0] == "*"),
        why.removeprefix("because: "),
    )


QUESTIONS = tuple(map(_read, TEXT.strip().split("\n\n")))

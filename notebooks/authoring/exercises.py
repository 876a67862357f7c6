"""The exercises of a lesson: where they stand in its notebook, and their solutions.

An exercise is a markdown cell with the task, a code cell tagged with the metadata `{"exercise":
"01.1"}` (the stub), and, before the next stub, a markdown cell that folds away a hint and the
solution:

    <details><summary>Hint</summary> … </details>
    <details><summary>Answer</summary> one fenced python block </details>

The solution replaces the stub's whole source. The check, in the stub or after it, prints `01.1
correct` when it is, and `01.1 not attempted yet` as long as the stub is as it was.
"""

import copy
import re
from dataclasses import dataclass
from itertools import pairwise

from nbformat import NotebookNode

FOLD = r"<details>\s*<summary>\s*(?:{title})\s*</summary>(.*?)</details>"
FENCE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Exercise:
    """An exercise: its name, the index of its stub, one past its last cell, and what is folded away
    (or `None`).
    """

    name: str
    stub: int
    end: int
    hint: str | None
    solution: str | None


def exercises(notebook: NotebookNode) -> list[Exercise]:
    """The exercises of `notebook`, in the order of their stubs."""
    stubs = [i for i, cell in enumerate(notebook.cells) if "exercise" in cell.metadata]
    found = []
    for stub, end in pairwise([*stubs, len(notebook.cells)]):
        prose = "\n".join(
            cell.source for cell in notebook.cells[stub + 1 : end] if cell.cell_type == "markdown"
        )
        blocks = FENCE.findall(_folded(prose, "Solution|Answer") or "")
        found.append(
            Exercise(
                name=notebook.cells[stub].metadata["exercise"],
                stub=stub,
                end=end,
                hint=_folded(prose, "Hint"),
                solution=blocks[0].rstrip("\n") if len(blocks) == 1 else None,
            )
        )
    return found


def _folded(prose: str, title: str) -> str | None:
    match = re.search(FOLD.format(title=title), prose, re.DOTALL)
    return match and match[1].strip()


def solved(notebook: NotebookNode) -> NotebookNode:
    """A copy of `notebook` in which every solution stands in its stub. Raises `ValueError` where
    one is missing.
    """
    result = copy.deepcopy(notebook)
    for exercise in exercises(notebook):
        if exercise.solution is None:
            raise ValueError(
                f"exercise {exercise.name} has no folded solution with exactly one python block"
                " after its stub"
            )
        result.cells[exercise.stub].source = exercise.solution
    return result


def printed(notebook: NotebookNode, exercise: Exercise) -> str:
    """What the cells of `exercise` print and show as text in `notebook`."""
    cells = notebook.cells[exercise.stub : exercise.end]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return "\n".join(
        output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs
    )

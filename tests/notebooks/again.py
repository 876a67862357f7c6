"""After nbval has run a notebook, the same kernel runs parts of it again.

    python -m pytest notebooks --nbval --nbval-current-env -p tests.notebooks.again

During the first run each view is observed: its pass must not add to a `.grad` that was left before,
and its two layouts must keep the five rules of tests/widgets/layout_rules.py. Every prediction must
come to the verdict that tests/notebooks/verdicts.py states.
Then the cells of the exercises run with their solutions, but not the claims, which have run and
train for long. Each check must call its solution correct.

`make prove` instead runs the whole notebook again from the top, with the solutions, and at the end
each `%%both` cell twice in a row: PyTorch may refuse the second run, but the engines never differ.
If a cell says `STEPS = 300`, these runs take `SHORT` steps. Claims about such a training no longer
hold, so an AssertionError is accepted there, but no other error."""

import copy
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbval.kernel
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from nbval.plugin import IPyNbCell, IPyNbFile, NbCellError

from notebooks.authoring.exercises import Exercise, exercises, printed, solved
from notebooks.authoring.kernels import through_files
from tests import budget

pytest_plugins = ["tests.notebooks.results"]

ROOT = Path(__file__).resolve().parents[2]
SHORT = 20
STEPS = re.compile(r"^STEPS = \d+", re.MULTILINE)
MESSAGE_SECONDS = 600
"""How long nbval waits for the next message of a kernel that has answered: its 5 s are few where
others compute.
"""

WATCHED = """
import functools
from autograd_core.trace.summary import summary_of
from autograd_core.widgets.graph import view
_traces, _init = [], view.GraphView.__init__

@functools.wraps(_init)
def _noted(self, trace, *args, **options):
    _traces.append(trace)
    _init(self, trace, *args, **options)
view.GraphView.__init__ = _noted
"""
ADDED_UP = """
view.GraphView.__init__ = _init
_added = {_trace.nodes[event.node].label for _trace in _traces for event in _trace.events
          if event.kind == "accumulate" and event.before is not None and summary_of(event.before).norm > 0}
assert not _added, f"in a view of this notebook the pass adds to what was left in .grad of {sorted(_added)}"
"""
JUDGED = """
from autograd_core.lessons.questions.predict import _predictions
from tests.notebooks.verdicts import faults_of
_faults = faults_of(_predictions, {!r})
assert not _faults, _faults
"""
LAID_OUT = f"""
import sys
sys.path.append({str(ROOT)!r})
from tests.widgets.layout_rules import faults_of
_faults = [fault for _trace in _traces for fault in faults_of(_trace)]
assert not _faults, _faults
"""


class Manager(nbval.kernel.KernelManager):
    """Starts a kernel that is reached through files."""

    def __init__(self, **options: Any) -> None:
        self.sockets = tempfile.TemporaryDirectory()
        super().__init__(config=through_files(self.sockets.name), **options)


nbval.kernel.KernelManager = Manager


class Again(IPyNbCell):
    """A cell that runs once more, in the kernel of nbval's run. What it shows is kept, and may
    differ.
    """

    passed_over: tuple[str, ...] = ()
    """Kinds of error that it may end with."""

    def runtest(self) -> None:
        try:
            super().runtest()
        except NbCellError:
            if self.raised() not in self.passed_over:
                raise
        self.cell.outputs = self.test_outputs

    def raised(self) -> str | None:
        """The kind of error that the cell ended with."""
        return next(
            (output.ename for output in self.test_outputs if output.output_type == "error"), None
        )


class AtOnce(Again):
    """A `%%both` cell that runs twice at once. It may fail as PyTorch does; it never hangs or finds
    the engines apart.
    """

    def runtest(self) -> None:
        for _ in range(2):
            try:
                super().runtest()
            except NbCellError:
                if self.raised() in (None, "KeyboardInterrupt", "ParityError"):
                    raise


class Solution(pytest.Item):
    """Whether the check of an exercise has called its solution correct."""

    exercise: Exercise
    notebook: NotebookNode

    def runtest(self) -> None:
        said = printed(self.notebook, self.exercise)
        assert f"{self.exercise.name} correct" in said, said


def _item(
    kind: type[IPyNbCell], lesson: IPyNbFile, name: str, cell: NotebookNode, number: int = -1
) -> IPyNbCell:
    options = defaultdict(bool, check_exception="raises-exception" in cell.metadata.get("tags", ()))
    return kind.from_parent(lesson, name=name, cell_num=number, cell=cell, options=options)


def _code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def later(lesson: IPyNbFile) -> Iterator[pytest.Item]:
    """The items that run in the kernel of `lesson` after its first run."""
    notebook = solved(lesson.nb)
    found = exercises(notebook)
    trains = any(STEPS.search(cell.source) for cell in _code(notebook))
    yield _item(IPyNbCell, lesson, "views", new_code_cell(ADDED_UP))
    yield _item(IPyNbCell, lesson, "layouts", new_code_cell(LAID_OUT))
    yield _item(IPyNbCell, lesson, "verdicts", new_code_cell(JUDGED.format(lesson.path.name[:2])))
    for number, cell in enumerate(_code(notebook)):
        cell.source = STEPS.sub(f"STEPS = {SHORT}", cell.source)
        answers = any(cell in notebook.cells[each.stub : each.end] for each in found)
        if budget.PROVE or answers and "claims" not in cell.metadata.get("tags", ()):
            item = _item(Again, lesson, f"again, Cell {number}", cell, number)
            item.passed_over = ("AssertionError",) if trains and budget.PROVE else ()
            yield item
    for exercise in found:
        item = Solution.from_parent(lesson, name=f"solution {exercise.name}")
        item.exercise, item.notebook = exercise, notebook
        yield item
    for number, cell in enumerate(_code(notebook) if budget.PROVE else ()):
        if cell.source.startswith("%%both"):
            yield _item(AtOnce, lesson, f"at once, Cell {number}", copy.deepcopy(cell), number)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put before and after the cells of each notebook what else its kernel runs."""
    lessons: dict[IPyNbFile, list[pytest.Item]] = {}
    for item in items:
        lessons.setdefault(item.parent, []).append(item)
    items[:] = [
        each
        for lesson, cells in lessons.items()
        for each in (
            _item(IPyNbCell, lesson, "watched", new_code_cell(WATCHED)),
            *cells,
            *later(lesson),
        )
    ]
    for item in items:
        item.output_timeout = MESSAGE_SECONDS

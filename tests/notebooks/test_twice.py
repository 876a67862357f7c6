"""A learner goes back: every lesson runs twice in one kernel, and on from any earlier cell; a cell runs twice at once.

A cell repeated at once does what PyTorch does, also where PyTorch raises. It never finds the engines apart.
"""

import copy
import random

import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from notebooks.authoring import pattern, refresh
from tests.notebooks.test_notebooks import NOTEBOOKS, read

BACK = 3
"""From so many cells on a lesson runs again."""

in_every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def ran(cells: list[NotebookNode], folder) -> list[tuple[int, str, str]]:
    """(number of the cell, kind, message) of each error when `cells` run in one kernel, whatever fails."""
    notebook = new_notebook(cells=[copy.deepcopy(cell) for cell in cells], metadata=refresh.METADATA)
    for i, cell in enumerate(notebook.cells):
        cell.id = f"cell-{i}"
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", extra_arguments=["--log-level=ERROR"],
                            allow_errors=True, store_widget_state=False, resources={"metadata": {"path": str(folder)}})
    client.comm_open_handlers.clear()
    client.execute()
    return [(i, output.ename, output.evalue.splitlines()[0] if output.evalue else "")
            for i, cell in enumerate(notebook.cells) for output in cell.outputs
            if output.output_type == "error" and "raises-exception" not in cell.metadata.get("tags", ())]


def there_and_back(cells: list[NotebookNode], seed: str) -> list[NotebookNode]:
    """All cells, all again, and then on from a few that are drawn."""
    drawn = random.Random(seed)
    back = [cells[k:] for k in sorted(drawn.sample(range(1, len(cells)), min(BACK, len(cells) - 1)))]
    return [*cells, *cells, *(cell for part in back for cell in part)]


@in_every_notebook
def test_a_lesson_runs_twice_and_on_from_earlier_cells(path):
    cells = code(read(path))
    assert [(i % len(cells), *error) for i, *error in ran(there_and_back(cells, path.stem), path.parent)] == []


@in_every_notebook
def test_a_cell_that_runs_twice_at_once_does_what_pytorch_does(path):
    cells = [cell for cell in code(read(path)) for _ in range(2)]
    assert [error for error in ran(cells, path.parent) if "Parity" in error[1]] == []


def test_a_lesson_that_overwrites_what_it_needs_is_found(tmp_path):
    cells = [new_code_cell("def loss(x):\n    return x"), new_code_cell("a = loss(1)"), new_code_cell("loss = 3")]
    assert ran(cells, tmp_path) == []
    assert ran([*cells, *cells[1:]], tmp_path) == [(3, "TypeError", "'int' object is not callable")]
    assert pattern.executed_in_order(new_notebook(cells=cells)) != []


def test_a_cell_that_finds_the_engines_apart_when_repeated_is_found(tmp_path):
    cells = [new_code_cell("%load_ext autograd_core.parity"), new_code_cell("%%both\nx = T.ones(2)"),
             new_code_cell("x = x + 1"), new_code_cell("%%both\ny = x * 2")]
    assert [kind for _, kind, _ in ran(cells, tmp_path)] == ["ParityError"]

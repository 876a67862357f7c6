"""A learner goes back: a cell runs twice at once, a lesson from its top again in the same kernel, and on from earlier.

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
    """Each cell twice at once, then all from the top, and again on from one that is drawn."""
    drawn = random.Random(seed).randrange(1, len(cells))
    return [*(cell for cell in cells for _ in range(2)), *cells, *cells[drawn:]]


@in_every_notebook
def test_a_lesson_runs_cell_by_cell_again_then_from_the_top_and_on_from_an_earlier_cell(path):
    cells = code(read(path))
    at_once, later = 2 * len(cells), ran(there_and_back(cells, path.stem), path.parent)
    assert [error for error in later if error[0] >= at_once or "Parity" in error[1]] == []


def test_a_lesson_that_overwrites_what_it_needs_is_found(tmp_path):
    cells = [new_code_cell("def loss(x):\n    return x"), new_code_cell("a = loss(1)"), new_code_cell("loss = 3")]
    assert ran(cells, tmp_path) == []
    assert ran([*cells, *cells[1:]], tmp_path) == [(3, "TypeError", "'int' object is not callable")]
    assert pattern.executed_in_order(new_notebook(cells=cells)) != []


def test_a_cell_that_finds_the_engines_apart_when_repeated_is_found(tmp_path):
    cells = [new_code_cell("%load_ext autograd_core.parity"), new_code_cell("%%both\nx = T.ones(2)"),
             new_code_cell("x = x + 1"), new_code_cell("%%both\ny = x * 2")]
    assert [kind for _, kind, _ in ran(cells, tmp_path)] == ["ParityError"]

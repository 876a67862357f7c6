"""A learner goes back: a lesson runs from its top again, on from an earlier cell, each cell from the last up, and each twice.

A cell repeated at once does what PyTorch does, also where PyTorch raises. It never finds the engines apart. In the first
run every view is looked at: `.grad` is what its pass brought.
"""

import copy
import json
import random

import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from notebooks.authoring import pattern, refresh
from tests.notebooks.test_notebooks import NOTEBOOKS, read

WATCHED = """
import functools, json, pathlib
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
_added = {{_trace.nodes[event.node].label for _trace in _traces for event in _trace.events
          if event.kind == "accumulate" and event.before is not None and summary_of(event.before).norm > 0}}
pathlib.Path({!r}).write_text(json.dumps([len(_traces), sorted(_added)]))
"""
in_every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def ran(cells: list[NotebookNode], folder) -> list[tuple[int, str, str]]:
    """(number of the cell, kind, message) of each error when `cells` run in one kernel, whatever fails."""
    cells = [NotebookNode(copy.deepcopy(cell), id=f"cell-{i}") for i, cell in enumerate(cells)]
    notebook = new_notebook(cells=cells, metadata=refresh.METADATA)
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", extra_arguments=["--log-level=ERROR"],
                            allow_errors=True, store_widget_state=False, resources={"metadata": {"path": str(folder)}})
    client.comm_open_handlers.clear()
    client.execute()
    return [(i, output.ename, output.evalue.splitlines()[0] if output.evalue else "")
            for i, cell in enumerate(notebook.cells) for output in cell.outputs
            if output.output_type == "error" and "raises-exception" not in cell.metadata.get("tags", ())]


def looked_at(cells: list[NotebookNode], found) -> list[NotebookNode]:
    """The cells, and what writes into the file `found` how many views there were and to which leaves a pass added."""
    return [new_code_cell(WATCHED), *cells, new_code_cell(ADDED_UP.format(str(found)))]


@in_every_notebook
def test_a_lesson_runs_again_on_from_an_earlier_cell_from_the_last_up_and_each_cell_twice(path, tmp_path):
    cells, looked = code(read(path)), tmp_path / "looked.json"
    drawn = random.Random(path.stem).randrange(1, len(cells))
    again = [*looked_at(cells, looked), *cells, *cells[drawn:], *reversed(cells)]
    at_once = [one for cell in cells for one in [cell] * (1 + cell.source.startswith("%%both"))]
    errors = ran([*again, *at_once], path.parent)
    assert [error for error in errors if error[0] < len(again) or "Parity" in error[1]] == []
    views, added = json.loads(looked.read_text(encoding="utf-8"))
    assert added == [], f"in {views} views"


def test_a_lesson_that_overwrites_what_it_needs_is_found(tmp_path):
    cells = [new_code_cell("def loss(x):\n    return x"), new_code_cell("a = loss(1)"), new_code_cell("loss = 3")]
    assert ran(cells, tmp_path) == []
    assert ran([*cells, *cells[1:]], tmp_path) == [(3, "TypeError", "'int' object is not callable")]
    assert pattern.executed_in_order(new_notebook(cells=cells)) != []


def test_a_cell_that_finds_the_engines_apart_when_repeated_is_found(tmp_path):
    cells = [new_code_cell("%load_ext autograd_core.parity"), new_code_cell("%%both\nx = T.ones(2)"),
             new_code_cell("x.add_(1)"), new_code_cell("%%both\ny = x * 2")]
    assert [kind for _, kind, _ in ran(cells, tmp_path)] == ["ParityError"]


def test_a_view_whose_pass_adds_to_what_was_left_is_found(tmp_path):
    passed = "with watching():\n    loss = (w * 2).sum()\n    loss.backward()\nwatch(loss)"
    cells = ["from autograd_core.parity import watching\nfrom autograd_core.widgets import watch\nimport autograd_core as T\n"
             "w = T.ones(2, requires_grad=True)", passed, passed]
    for count, added in ((2, []), (3, ["w"])):
        assert ran(looked_at([new_code_cell(source) for source in cells[:count]], tmp_path / "found.json"), tmp_path) == []
        assert json.loads((tmp_path / "found.json").read_text(encoding="utf-8")) == [count - 1, added]

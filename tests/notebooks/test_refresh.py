"""`make notebooks`: an unchanged notebook gives an empty diff, and nothing volatile reaches the
file.
"""

import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from notebooks.authoring import pattern, refresh

CELLS = {
    "stream": "import sys, time\nfor i in range(3):\n    print(i, flush=True); time.sleep(0.02)\n",
    "address": "object()",
    "widget": "import ipywidgets\nipywidgets.IntSlider()",
    "picture": (
        "class Drawing:\n"
        "    def _repr_mimebundle_(self, **kwargs):\n"
        "        view = {'model_id': hex(id(self)), 'version_major': 2, 'version_minor': 0}\n"
        "        return {'text/plain': 'Drawing', 'image/svg+xml': '<svg/>',\n"
        "                'application/vnd.jupyter.widget-view+json': view}\n"
        "Drawing()"
    ),
    "raises": "raise ValueError('no')",
}


@pytest.fixture
def notebook_file(tmp_path):
    cells = [new_markdown_cell("# Sample"), *(new_code_cell(source) for source in CELLS.values())]
    cells[-1].metadata["tags"] = ["raises-exception"]
    path = tmp_path / "sample.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    return path


def test_second_run_changes_nothing(notebook_file, capsys):
    """What is kept and what is dropped is seen in the first."""
    assert refresh.main([str(notebook_file)]) == 0
    first = notebook_file.read_bytes()
    assert first.endswith(b"}\n")
    notebook = nbformat.read(notebook_file, as_version=4)
    assert pattern.executed_in_order(notebook) == pattern.clean_outputs(notebook) == []
    assert notebook.metadata == refresh.METADATA
    stream, address, widget, picture, raised = (cell.outputs for cell in notebook.cells[1:])
    assert [output.text for output in stream] == ["0\n1\n2\n"]
    assert address[0].data["text/plain"] == "<object at 0x...>"
    assert list(widget[0].data) == ["text/plain"]
    assert sorted(picture[0].data) == ["image/svg+xml", "text/plain"]
    assert raised[0].traceback == ["ValueError: no"]
    assert refresh.main([str(notebook_file)]) == 0
    assert notebook_file.read_bytes() == first
    assert capsys.readouterr().out.count("unchanged") == 1


def test_volatile_metadata_is_dropped_and_the_rest_kept(notebook_file):
    raw = json.loads(notebook_file.read_text())
    raw["metadata"]["widgets"] = {"state": {}}
    raw["cells"][1]["metadata"] = {"execution": {"iopub.status.busy": "now"}, "exercise": "01.1"}
    notebook = refresh.clean(nbformat.from_dict(raw))
    assert notebook.metadata == refresh.METADATA
    assert notebook.cells[1].metadata == {"exercise": "01.1"}
    assert notebook.cells[1].id == raw["cells"][1]["id"]


def test_notebook_that_raises_is_left_as_it_was(tmp_path, capsys):
    path = tmp_path / "broken.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("1 / 0")]), path)
    before = path.read_bytes()
    assert refresh.main([str(path)]) == 1
    assert path.read_bytes() == before
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_a_timeout_names_the_cell_and_what_the_kernel_has_computed(tmp_path):
    notebook = new_notebook(cells=[new_code_cell("import time\ntime.sleep(3600)")])
    with pytest.raises(
        TimeoutError,
        match=r"after 1 s, in which the kernel computed for \d+\.\d s:\nimport time\ntime.sleep",
    ):
        refresh.execute(notebook, tmp_path, timeout=1)

"""`make lab` signs the lessons as they were shipped, and no notebook of anybody else. What they show
before anything is run is words.
"""

import shutil

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_notebook, new_output

from notebooks.authoring import refresh, shipped


@pytest.fixture
def notary(tmp_path):
    return NotebookNotary(data_dir=str(tmp_path), db_file=":memory:", secret=b"of this test")


def a_stranger():
    html = {"text/html": "<script>parent.stolen = document.cookie</script>"}
    cell = new_code_cell("1", outputs=[new_output("display_data", data=html)])
    return new_notebook(cells=[cell])


def signed(notary, path):
    return notary.check_signature(nbformat.read(path, as_version=4))


def test_the_hashes_are_those_of_the_lessons():
    assert shipped.HASHES.read_text(encoding="utf-8") == shipped.written(), (
        "a notebook has changed since: python -m notebooks.authoring.refresh NOTEBOOK writes notebooks/authoring/shipped.sha256"
    )


def test_the_lessons_are_signed_and_nothing_else(tmp_path, notary):
    folder, hashes = tmp_path / "notebooks", tmp_path / "hashes"
    folder.mkdir()
    for path in sorted(shipped.NOTEBOOKS.glob("*.ipynb"))[:5]:
        shutil.copy(path, folder)
    hashes.write_text(shipped.written(folder))
    whole, changed, swapped, in_place_of_it, gone = sorted(folder.glob("*.ipynb"))
    gone.unlink()
    lesson = nbformat.read(changed, as_version=4)
    lesson.cells.append(a_stranger().cells[0])
    nbformat.write(lesson, changed)
    shutil.copy(whole, swapped)  # unchanged, but of another name
    nbformat.write(a_stranger(), in_place_of_it)
    nbformat.write(a_stranger(), folder / "from_a_stranger.ipynb")
    (folder / "broken.ipynb").write_bytes(b"\xff")
    assert shipped.sign(folder, hashes, notary) == [whole.name]
    assert signed(notary, whole)
    assert not any(
        signed(notary, path) for path in (changed, in_place_of_it, folder / "from_a_stranger.ipynb")
    )


def test_with_windows_ends_of_lines_it_is_the_same_lesson(tmp_path, notary):
    text = nbformat.writes(a_stranger())
    (tmp_path / "lesson.ipynb").write_bytes(text.encode().replace(b"\n", b"\r\n"))
    (tmp_path / "hashes").write_text(f"{shipped.hash_of(text)}  lesson.ipynb\n")
    assert shipped.sign(tmp_path, tmp_path / "hashes", notary) == ["lesson.ipynb"]


def test_refresh_writes_the_hashes(tmp_path, monkeypatch):
    monkeypatch.setattr(refresh, "NOTEBOOKS", tmp_path)
    monkeypatch.setattr(shipped, "HASHES", tmp_path / "hashes")
    monkeypatch.setattr(shipped, "written", lambda: "written")
    monkeypatch.setattr(refresh, "refresh", lambda path: True)
    refresh.main([str(tmp_path / "other" / "one.ipynb")])
    assert not shipped.HASHES.exists()
    refresh.main([str(tmp_path / "one.ipynb")])
    assert shipped.HASHES.read_text() == "written"


def test_make_lab_signs_by_it():
    makefile = (shipped.NOTEBOOKS.parent / "Makefile").read_text(encoding="utf-8")
    assert "notebooks.authoring.shipped" in makefile and "jupyter trust" not in makefile


PREFERRED = ("text/html", "image/svg+xml", "application/pdf", "text/markdown", "text/plain")
"""Of these kinds of an output JupyterLab takes the first, for the line in place of a folded result."""


def lines_of_folded_results(notebook: NotebookNode) -> list[str]:
    """The line that JupyterLab shows in place of each folded result."""
    folded = (
        cell.outputs[0]
        for cell in notebook.cells
        if cell.metadata.get("jupyter", {}).get("outputs_hidden")
    )
    lines = []
    for output in folded:
        kinds = output.get("data", {})
        text = output.get("text") or next((kinds[kind] for kind in PREFERRED if kind in kinds), "")
        lines.append(next((line for line in text.split("\n") if line), ""))
    return lines


@pytest.mark.parametrize(
    "path", sorted(shipped.NOTEBOOKS.glob("[01]*.ipynb")), ids=lambda path: path.stem
)
def test_a_folded_result_greets_with_words(path):
    lines = lines_of_folded_results(nbformat.read(path, as_version=4))
    assert lines and set(lines) == {refresh.FOLDED}


def test_the_words_stand_before_what_is_folded_and_nowhere_else():
    shown = (
        {"text/html": "<style>p{}</style><p>no difference</p>", "text/plain": "no difference"},
        {"image/svg+xml": "<svg/>", "text/plain": "a view"},
        {"text/plain": "tensor(nan)"},
    )
    outputs = [
        *(new_output("display_data", data) for data in shown),
        new_output("stream", text="1"),
    ]
    cells = [new_code_cell("1", outputs=[output]) for output in outputs]
    for cell in cells:
        cell.metadata["jupyter"] = {"outputs_hidden": True}
    folded = new_notebook(cells=cells)
    assert refresh.FOLDED not in lines_of_folded_results(folded)
    folded.cells.append(new_code_cell("1", outputs=[outputs[0]]))
    refresh.announce(folded)
    assert lines_of_folded_results(folded) == [refresh.FOLDED] * 4
    assert [len(cell.outputs) for cell in folded.cells] == [2, 2, 2, 2, 1]
    assert [refresh.results(cell) for cell in folded.cells[:4]] == [[each] for each in outputs]

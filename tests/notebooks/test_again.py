"""The second run of a notebook finds each planted fault.

One run of pytest has two notebooks: `planted` has the faults of PLANTED one after another, and
`long` names its STEPS. They run as `make prove` runs them. That sound cells pass is seen in the
lessons.
"""

import os
import subprocess
import sys
from typing import NamedTuple
from xml.etree import ElementTree

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbval.plugin import IPyNbFile

from notebooks.authoring.refresh import NOTEBOOKS
from tests import budget
from tests.notebooks import again


class Fault(NamedTuple):
    """Cells of which the last is wrong, the item that fails, and what that says."""

    cells: tuple[str, ...]
    kind: str
    cell: int | None  # of these cells; `None` where the item's name has no number
    says: str


OPENING = (
    "%load_ext autograd_core.parity\nfrom autograd_core.parity import watching\nfrom autograd_core.widgets import watch\n"
    "import autograd_core as T",
    "%%both\nv = torch.ones(2, requires_grad=True)\nsquares = (v * v).sum()",
    # at once it raises the second time, as PyTorch does: the graph is freed
    "%%both\nsquares.backward()",
)
CALLED = "%%both\ncalls += 1\ny = torch.ones(2) * (1 if calls == 1 else "
PASS = "with watching():\n    loss = (w * 2).sum()\n    loss.backward()\nwatch(loss)"
SOLUTION = "<details><summary>Solution</summary>\n\n```python\nanswer = {}\n```\n\n</details>"
CHECK = "print('01.1', {None: 'not attempted yet', 4: 'correct'}.get(answer, 'is wrong'))"
PLANTED = {
    "a cell overwrites what an earlier one needs": Fault(
        ("total = sum([1, 2])", "sum = total"),
        "again",
        0,
        "'int' object is not callable",
    ),
    "an assertion holds once": Fault(
        ("import math\nassert math.tau > 6", "math.tau = 0"),
        "again",
        0,
        "AssertionError",
    ),
    "the engines are apart when a cell is repeated": Fault(
        ("%%both\ncalls = 0", f"{CALLED}len(torch.__name__))"),
        "at once",
        1,
        "ParityError",
    ),
    "the pass of a view adds to what was left": Fault(
        ("w = T.ones(2, requires_grad=True)", PASS, PASS),
        "views",
        None,
        "the pass adds to what was left in .grad of ['w']",
    ),
    "a solution is wrong": Fault(
        ("answer = None", CHECK, SOLUTION.format(5)),
        "solution 01.1",
        None,
        "01.1 is wrong",
    ),
    # the last: after it nbval expects nothing of its notebook
    "a cell hangs when it is repeated": Fault(
        ("pause = 0", "%%both\nimport time\ntime.sleep(pause)", "pause = 1000"),
        "at once",
        1,
        "Timeout of 2 seconds exceeded executing cell",
    ),
}
LONG = ("STEPS = 300", "assert STEPS == 300", "share = 1 / (STEPS - 20)", "answer = None",
        "print('01.1', {None: 'not attempted yet', 300: 'correct'}.get(answer, 'is wrong'))",
        SOLUTION.format("STEPS"), "claims = 1")  # fmt: skip
HANGS = """
def pytest_runtest_setup(item):
    hangs = item.path.stem == "planted" and item.name.startswith("at once") and "pause" in item.cell.source
    item.config.option.nbval_cell_timeout = 2 if hangs else 7200
"""


def cell_of(source):
    if source.startswith("<details>"):
        return new_markdown_cell(source)
    exercise = {"exercise": "01.1"} if source == "answer = None" else {}
    tags = ["nbval-ignore-output", *(["claims"] if source.startswith("claims") else [])]
    return new_code_cell(source, execution_count=1, metadata={"tags": tags, **exercise})


def planted_items():
    """{what is wrong: name of the item that fails} of the notebook `planted`."""
    items, before = {}, len(OPENING)
    for what, fault in PLANTED.items():
        items[what] = (
            fault.kind if fault.cell is None else f"{fault.kind}, Cell {before + fault.cell}"
        )
        before += sum(cell_of(source).cell_type == "code" for source in fault.cells)
    return items


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The two notebooks."""
    folder = tmp_path_factory.mktemp("again")
    planted = [*OPENING, *(source for fault in PLANTED.values() for source in fault.cells)]
    for name, sources in (("planted", planted), ("long", LONG)):
        nbformat.write(
            new_notebook(cells=[cell_of(source) for source in sources]), folder / f"{name}.ipynb"
        )
    (folder / "conftest.py").write_text(HANGS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def ran(folder):
    """{(notebook, item): what it says when it fails, else ""}."""
    plugins = "nbval.plugin", "tests.notebooks.again", "no:cacheprovider"
    command = [sys.executable, "-m", "pytest", folder, "-c", "pyproject.toml", "--nbval"]
    command += ["--nbval-current-env", "--disable-plugin-autoload"]
    command += [f"--junitxml={folder / 'ran.xml'}"]
    subprocess.run(
        [*command, *(word for plugin in plugins for word in ("-p", plugin))],
        cwd=NOTEBOOKS.parent,
        capture_output=True,
        env=os.environ | {"PROVE": "1"},
    )
    return {
        (case.get("classname").split(".")[-2], case.get("name")): "".join(
            each.text for each in case
        )
        for case in ElementTree.parse(folder / "ran.xml").iter("testcase")
    }


def test_nothing_else_fails(ran):
    """In `long` an assertion fails with 20 steps too, and is passed over; so does its exercise."""
    expected = {("planted", item) for item in planted_items().values()}
    expected |= {("long", "again, Cell 2"), ("long", "solution 01.1")}
    assert {item for item, said in ran.items() if said} == expected


def test_make_test_runs_only_the_exercises_again(folder, request, monkeypatch):
    monkeypatch.setattr(budget, "PROVE", False)
    lesson = IPyNbFile.from_parent(request.session, path=folder / "long.ipynb")
    lesson.nb = nbformat.read(lesson.path, as_version=4)
    ran = [item.name for item in again.later(lesson)]
    assert ran[3:] == ["again, Cell 3", "again, Cell 4", "solution 01.1"]


@pytest.mark.parametrize("what", PLANTED)
def test_planted_fault_is_found(ran, what):
    assert PLANTED[what].says in ran["planted", planted_items()[what]]


def test_what_fails_with_few_steps_is_found(ran):
    assert "ZeroDivisionError" in ran["long", "again, Cell 2"]

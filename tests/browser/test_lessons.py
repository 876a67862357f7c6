"""Notebooks in real JupyterLab: each opens, runs to its end, and nothing goes wrong on the way.

Here are those that have no file of their own, two of them on every push and all in `make prove`;
test_lesson_03.py and the like run theirs, and go on with its widgets.
"""

from pathlib import Path

import pytest

from tests.browser.one_screen import faults
from tests.browser.server import HOUSE

NOTEBOOKS = {path.name for path in (HOUSE / "notebooks").glob("*.ipynb")}
ON_EVERY_PUSH = {"00_start_here.ipynb", "02_backward_step_by_step.ipynb"}
ELSEWHERE = {
    path.stem.removeprefix("test_lesson_")
    for path in Path(__file__).parent.glob("test_lesson_*.py")
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ON_EVERY_PUSH else pytest.mark.prove)
        for name in sorted(NOTEBOOKS)
        if name[:2] not in ELSEWHERE
    ],
)
def test_notebook_runs_to_its_end(lab, name):
    with lab.open(name) as page:
        page.run_all()
        assert page.problems() == []
        assert page.unfinished() == []
        assert faults(page.page) == []


def test_every_file_of_a_lesson_has_its_notebook():
    assert {name[:2] for name in NOTEBOOKS} >= ELSEWHERE

"""Notebooks in real JupyterLab: each opens, runs to its end, and nothing goes wrong on the way. One
of them on every push, all in `make prove`.

Pages that have the same notebook open share its kernel, so only the tests of this file, which run one
after another, open a lesson.
"""

import pytest

from tests.browser.one_screen import LAPTOP, NARROW, faults
from tests.browser.server import HOUSE

ON_EVERY_PUSH = "00_start_here.ipynb"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(path.name, marks=() if path.name == ON_EVERY_PUSH else pytest.mark.prove)
        for path in sorted((HOUSE / "notebooks").glob("*.ipynb"))
    ],
)
def test_notebook_runs_to_its_end(lab, name):
    with lab.open(name) as page:
        page.run_all()
        assert page.problems() == []
        assert page.unfinished() == []
        assert faults(page.page, (LAPTOP, NARROW)) == []


def test_printed_address_opens_the_first_lesson_with_nothing_over_it(lab):
    with lab.open_address(lab.server.start) as page:
        assert page.name() == "00_start_here.ipynb"
        assert page.page.locator(".jp-Dialog, .Toastify__toast").count() == 0
        assert page.problems() == []

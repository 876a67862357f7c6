"""Notebooks in real JupyterLab: each opens, runs to its end, and nothing goes wrong on the way. The
first on every push, all in `make prove`.

Pages that have the same notebook open share its kernel, so only the tests of this file, which run one
after another, open a lesson.
"""

import pytest

from tests.browser.one_screen import LAPTOP, NARROW, faults
from tests.browser.server import HOUSE

FIRST, *LESSONS = sorted(path.name for path in (HOUSE / "notebooks").glob("*.ipynb"))


def runs_to_its_end(page):
    page.run_all()
    assert page.problems() == []
    assert page.unfinished() == []
    assert faults(page.page, (LAPTOP, NARROW)) == []


def test_printed_address_opens_the_first_lesson_with_nothing_over_it_and_it_runs(lab):
    with lab.open_address(lab.server.start) as page:
        assert page.name() == FIRST
        assert page.page.locator(".jp-Dialog, .Toastify__toast").count() == 0
        runs_to_its_end(page)


@pytest.mark.prove
@pytest.mark.parametrize("name", LESSONS)
def test_notebook_runs_to_its_end(lab, name):
    with lab.open(name) as page:
        runs_to_its_end(page)

"""One JupyterLab for all browser tests, one Chromium for each process that runs some, and pages that need no kernel.

A test of a lesson has the mark `lesson("05_masked_losses.ipynb")`: tests of the same notebook come one after the other,
in the same process, on the same page, which ran it from the top once.
"""

from collections.abc import Callable, Iterator

import ipywidgets
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Page, sync_playwright

from notebooks.authoring.refresh import METADATA
from tests.browser.chromium import launch
from tests.browser.lab import Lab, LabPage, Lessons
from tests.browser.page import put
from tests.browser.server import shared

SIZE = {"width": 1280, "height": 900}


def pytest_configure(config):
    config.addinivalue_line("markers", "lesson(notebook): the test works on this notebook, which has run to its end")


def pytest_collection_modifyitems(items):
    """Tests of one notebook stand together and run in one process (`--dist loadgroup`), before all others."""
    for item in items:
        if mark := item.get_closest_marker("lesson"):
            item.add_marker(pytest.mark.xdist_group(mark.args[0]))
    items.sort(key=lambda item: mark.args[0] if (mark := item.get_closest_marker("lesson")) else "~")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all: Playwright allows only one of itself in a process."""
    with sync_playwright() as playwright, launch(playwright) as browser:
        yield browser


@pytest.fixture(scope="session")
def lab(tmp_path_factory, worker_id, browser) -> Iterator[Lab]:
    """JupyterLab on a copy of the notebooks: what tests do there changes nothing in the checkout."""
    folder = tmp_path_factory.getbasetemp()
    with shared(folder if worker_id == "master" else folder.parent) as server:
        yield Lab(browser, server)


@pytest.fixture(scope="session")
def lessons(lab) -> Iterator[Lessons]:
    with Lessons(lab) as lessons:
        yield lessons


@pytest.fixture
def lesson(request, lessons) -> Iterator[LabPage]:
    """The test's lesson, run to its end; it closes without a problem. What a test changes on its page stays changed."""
    page = lessons.open(request.node.get_closest_marker("lesson").args[0])
    yield page
    page.page.set_viewport_size(SIZE)
    assert page.problems() == []


@pytest.fixture
def notebook(lab, request) -> Callable[..., str]:
    """Serve a notebook of the given code cells, saved as if they had run; its name, which no other test has."""

    def write(*sources: str, name: str = "made") -> str:
        path = lab.server.folder / f"{request.node.name.replace('/', ' ')} {name}.ipynb"
        cells = [new_code_cell(source, execution_count=1) for source in sources]
        nbformat.write(new_notebook(cells=cells, metadata=METADATA), path)
        return path.name

    return write


@pytest.fixture
def show(browser) -> Iterator[Callable[..., Page]]:
    """Show widgets on a page without JupyterLab; what goes wrong on it fails the test."""
    pages: list[Page] = []
    wrong: list[str] = []

    def show(*widgets: ipywidgets.Widget, kernel: bool = False, **options) -> Page:
        page = browser.new_page(**{"viewport": SIZE, **options})
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        pages.append(page)
        put(page, widgets, kernel)
        return page

    yield show
    for page in pages:
        page.close()
    assert wrong == []

"""One JupyterLab for all browser tests, and pages of a browser for what needs no kernel."""

from collections.abc import Iterator

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Page, sync_playwright

from autograd_core.widgets import GraphView
from tests.browser.chromium import launch
from tests.browser.lab import Lab
from tests.browser.server import serve
from tests.browser.view_page import page_of

KERNEL = {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all: Playwright allows only one of itself in a process."""
    with sync_playwright() as playwright, launch(playwright) as browser:
        yield browser


@pytest.fixture(scope="session")
def lab(tmp_path_factory, browser) -> Iterator[Lab]:
    """JupyterLab on a copy of the notebooks: what tests do there changes nothing in the checkout."""
    with serve(tmp_path_factory.mktemp("lab")) as server:
        yield Lab(browser, server)


@pytest.fixture
def opened(lab):
    """Open a notebook of the given cells, run it, and close it without a problem in the end."""
    pages = []

    def open_(sources: list[str], **size):
        notebook = new_notebook(cells=[new_code_cell(source) for source in sources], metadata=KERNEL)
        nbformat.write(notebook, lab.server.folder / "widgets.ipynb")
        manager = lab.open("widgets.ipynb", **size)
        page = manager.__enter__()
        pages.append((manager, page))
        page.run_all()
        return page

    yield open_
    for manager, page in pages:
        problems = page.problems()
        manager.__exit__(None, None, None)
        assert problems == []


@pytest.fixture
def show(browser) -> Iterator:
    """Show views on a page; what goes wrong on it fails the test."""
    pages, wrong = [], []

    def show(*views: GraphView, **options) -> Page:
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.set_content(page_of(*views))
        page.wait_for_function("window.ends")
        pages.append(page)
        return page

    yield show
    for page in pages:
        page.close()
    assert wrong == []

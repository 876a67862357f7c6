"""One JupyterLab for all browser tests, one Chromium for each process that runs some, and pages that need no kernel.

The files are shared out whole (`--dist loadfile`), so that no notebook is opened twice: test_lesson_06.py runs lesson
06 from the top once, and all its tests go on on that page.
"""

from collections.abc import Callable, Iterator

import ipywidgets
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.chromium import launch
from tests.browser.lab import SIZE, Lab, LabPage
from tests.browser.one_screen import faults
from tests.browser.page import put
from tests.browser.server import shared
from tests.budget import PATIENCE

expect.set_options(timeout=PATIENCE * 1000)


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
        lab = Lab(browser, server)
        yield lab
        lab.close()


@pytest.fixture(scope="module")
def opened(lab, request) -> Iterator[LabPage]:
    """The lesson that the module names as NOTEBOOK, run to its end."""
    with lab.open(request.module.NOTEBOOK) as page:
        page.run_all()
        page.screen_faults = faults(page.page)
        yield page


@pytest.fixture
def lesson(opened) -> Iterator[LabPage]:
    """The module's lesson, after what earlier tests did on its page. Nothing goes wrong on it."""
    assert opened.screen_faults == []
    yield opened
    opened.page.set_viewport_size(SIZE)
    assert opened.problems() == []


@pytest.fixture
def notebook(lab, request) -> Callable[..., str]:
    """Serve a notebook of the given code cells; its name, which no other test has."""
    return lambda *sources, name="made": lab.write(f"{request.node.name} {name}.ipynb", sources)


@pytest.fixture
def show(browser) -> Iterator[Callable[..., Page]]:
    """Show widgets on a page without JupyterLab; what goes wrong on it fails the test."""
    pages: list[Page] = []
    wrong: list[str] = []

    def show(*widgets: ipywidgets.Widget, kernel: bool = False, clock: bool = False, **options) -> Page:
        page = browser.new_page(**{"viewport": SIZE, **options})
        if clock:                                           # the test's own: `page.clock.run_for(ms)`
            page.clock.install()
        page.set_default_timeout(PATIENCE * 1000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        pages.append(page)
        put(page, widgets, kernel)
        return page

    yield show
    for page in pages:
        page.close()
    assert wrong == []

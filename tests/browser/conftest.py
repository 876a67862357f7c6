"""One JupyterLab for all browser tests, and pages of a browser for what needs no kernel."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, sync_playwright

from autograd_core.widgets import GraphView

from tests.browser.chromium import launch
from tests.browser.lab import Lab
from tests.browser.server import serve
from tests.browser.view_page import page_of


@pytest.fixture(scope="session")
def lab(tmp_path_factory) -> Iterator[Lab]:
    """JupyterLab on a copy of the notebooks: what tests do there changes nothing in the checkout."""
    with serve(tmp_path_factory.mktemp("lab")) as server, sync_playwright() as playwright, launch(playwright) as browser:
        yield Lab(browser, server)


@pytest.fixture(scope="module")
def browser() -> Iterator:
    with sync_playwright() as playwright, launch(playwright) as browser:
        yield browser


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

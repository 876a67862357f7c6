"""One JupyterLab for all browser tests, one Chromium for each process that runs some, and pages
that need no kernel.

The files are shared out whole (`--dist loadfile`), so that a notebook serves all tests of its file.
"""

from collections.abc import Callable, Iterator

import ipywidgets
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.chromium import launch
from tests.browser.lab import SIZE, Lab
from tests.browser.page import KERNELS, put, stop_clock
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


@pytest.fixture
def notebook(lab, request) -> Callable[..., str]:
    """Serve a notebook of the given code cells; its name, which no other test has."""
    return lambda *sources, name="made": lab.write(f"{request.node.name} {name}.ipynb", sources)


@pytest.fixture(scope="session")
def resting(browser) -> dict[bool, list[Page]]:
    """Pages that no test shows anything on now, with a kernel and without: a page that is used
    again costs half.
    """
    return {True: [], False: []}


@pytest.fixture
def show(browser, resting) -> Iterator[Callable[..., Page]]:
    """Show widgets on a page without JupyterLab; what goes wrong on it fails the test."""
    used: list[tuple[Page, bool]] = []
    wrong: list[str] = []
    told = {
        "pageerror": lambda error: wrong.append(str(error)),
        "console": lambda message: wrong.append(message.text) if message.type == "error" else None,
    }

    def show(
        *widgets: ipywidgets.Widget,
        kernel: bool = False,
        clock: bool = False,
        viewport=SIZE,
        **options,
    ) -> Page:
        # it begins otherwise, and no other test gets it
        own = clock or bool(options)
        page = (
            resting[kernel].pop()
            if resting[kernel] and not own
            else browser.new_page(viewport=viewport, **options)
        )
        used.append((page, own))
        if clock:
            stop_clock(page)
        page.goto("about:blank")
        page.set_default_timeout(PATIENCE * 1000)
        page.set_viewport_size(viewport)
        for name, listener in told.items():
            page.on(name, listener)
        put(page, widgets, kernel)
        page.mouse.move(0, 0)
        return page

    yield show
    for page, own in used:
        for name, listener in told.items():
            page.remove_listener(name, listener)
        if own or wrong:
            page.close()
        else:
            resting[page in KERNELS].append(page)
    assert wrong == []

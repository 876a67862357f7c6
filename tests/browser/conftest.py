"""One JupyterLab for all browser tests, one Chromium for each process that runs some, and pages
that need no kernel.

The files are shared out whole (`--dist loadfile`), so that a notebook serves all tests of its file.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import ipywidgets
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.chromium import launch
from tests.browser.lab import SIZE, Lab
from tests.browser.page import listeners, put, stop_clock
from tests.browser.server import shared
from tests.budget import PATIENCE

MEDIA = {"color_scheme": "light", "forced_colors": "none", "reduced_motion": "no-preference"}

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
def resting(browser) -> dict[tuple, list[Page]]:
    """The pages that no test uses now, by the options that can't be changed later. A page that is
    used again costs half, because Chromium starts no process for it.
    """
    return defaultdict(list)


@pytest.fixture
def wrong() -> Iterator[list[str]]:
    """The errors on the pages of a test. An error fails the test."""
    found: list[str] = []
    yield found
    assert found == []


@pytest.fixture
def borrow(browser, resting, wrong) -> Iterator[Callable[..., Page]]:
    """Lend empty pages to a test."""
    used: list[tuple[Page, list[Page]]] = []
    told = listeners(wrong)

    def borrow(
        kernel: bool = False,
        clock: bool = False,
        has_touch: bool = False,
        offline: bool = False,
        viewport=SIZE,
        **media: str,
    ) -> Page:
        pool = resting[kernel, clock, has_touch, offline]
        if pool:
            page = pool.pop()
        else:
            page = browser.new_page(viewport=viewport, has_touch=has_touch, offline=offline)
            if clock:
                stop_clock(page)
        used.append((page, pool))
        page.goto("about:blank")
        page.set_default_timeout(PATIENCE * 1000)
        page.set_viewport_size(viewport)
        page.emulate_media(**MEDIA | media)
        for name, listener in told.items():
            page.on(name, listener)
        return page

    yield borrow
    for page, pool in used:
        for name, listener in told.items():
            page.remove_listener(name, listener)
        if wrong:
            page.close()
        else:
            pool.append(page)


@pytest.fixture
def show(borrow) -> Callable[..., Page]:
    """Show widgets on a page without JupyterLab."""

    def show(*widgets: ipywidgets.Widget, kernel: bool = False, **options) -> Page:
        page = borrow(kernel=kernel, **options)
        put(page, widgets, kernel)
        page.mouse.move(0, 0)
        return page

    return show


@pytest.fixture
def saved(borrow, wrong, tmp_path) -> Iterator[Callable[..., Page]]:
    """Save a widget, and open the file with the network off. Any request of the page fails the
    test.
    """
    with ExitStack() as listening:

        def saved(widget, ready: str, **options) -> Page:
            path = tmp_path / "saved.html"
            widget.save(path)
            page = borrow(offline=True, **options)

            def note(request) -> None:
                if request.url != path.as_uri():
                    wrong.append(request.url)

            page.on("request", note)
            listening.callback(page.remove_listener, "request", note)
            page.goto(path.as_uri())
            page.locator(ready).first.wait_for()
            return page

        yield saved

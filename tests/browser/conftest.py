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
    """Pages that no test shows anything on now, by what can't be changed in them: a page that is
    used again costs half.
    """
    return defaultdict(list)


@pytest.fixture
def show(browser, resting) -> Iterator[Callable[..., Page]]:
    """Show widgets on a page without JupyterLab; what goes wrong on it fails the test."""
    used: list[tuple[Page, list[Page]]] = []
    wrong: list[str] = []
    told = listeners(wrong)

    def show(
        *widgets: ipywidgets.Widget,
        kernel: bool = False,
        clock: bool = False,
        has_touch: bool = False,
        viewport=SIZE,
        **media: str,
    ) -> Page:
        pool = resting[kernel, clock, has_touch]
        if pool:
            page = pool.pop()
        else:
            page = browser.new_page(viewport=viewport, has_touch=has_touch)
            if clock:
                stop_clock(page)
        used.append((page, pool))
        page.goto("about:blank")
        page.set_default_timeout(PATIENCE * 1000)
        page.set_viewport_size(viewport)
        page.emulate_media(**MEDIA | media)
        for name, listener in told.items():
            page.on(name, listener)
        put(page, widgets, kernel)
        page.mouse.move(0, 0)
        return page

    yield show
    for page, pool in used:
        for name, listener in told.items():
            page.remove_listener(name, listener)
        if wrong:
            page.close()
        else:
            pool.append(page)
    assert wrong == []


@pytest.fixture
def saved(browser, tmp_path) -> Iterator[Callable[..., Page]]:
    """Save a widget, and open the file with the network off. What goes wrong on the page and
    whatever it asks for fail the test.
    """
    wrong: list[str] = []
    with ExitStack() as opened:

        def saved(widget, ready: str, viewport=SIZE, **options) -> Page:
            path = tmp_path / "saved.html"
            widget.save(path)
            context = browser.new_context(viewport=viewport, offline=True, **options)
            page = opened.enter_context(context).new_page()
            page.set_default_timeout(PATIENCE * 1000)
            page.on(
                "request",
                lambda asked: wrong.append(asked.url) if asked.url != path.as_uri() else None,
            )
            for name, listener in listeners(wrong).items():
                page.on(name, listener)
            page.goto(path.as_uri())
            page.locator(ready).first.wait_for()
            return page

        yield saved
    assert wrong == []

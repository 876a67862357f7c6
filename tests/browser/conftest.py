"""One browser and one JupyterLab for all browser tests."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.chromium import launch
from tests.browser.lab import Lab
from tests.browser.server import serve


@pytest.fixture(scope="session")
def lab(tmp_path_factory) -> Iterator[Lab]:
    """JupyterLab on a copy of the notebooks: what tests do there changes nothing in the checkout."""
    with serve(tmp_path_factory.mktemp("lab")) as server, sync_playwright() as playwright, launch(playwright) as browser:
        yield Lab(browser, server)

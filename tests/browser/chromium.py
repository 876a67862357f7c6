"""A Chromium for the browser tests: `python -m tests.browser.chromium` finds one that starts, or
gets one.

The order: the system's, Playwright's own download, Debian's package where it may be installed (root
and apt-get). When none can be had, the command fails and says what to install. The tests themselves
install nothing."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable

from playwright.sync_api import Browser, Playwright, sync_playwright
from playwright.sync_api import Error as PlaywrightError

ON_PATH = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
DOWNLOAD_SECONDS = 3600
HELP = (
    "The browser tests need Chromium, and none starts here. Install it and run again:\n"
    "  Debian: apt-get install chromium\n"
    "  Ubuntu, macOS, Windows: python -m playwright install --with-deps chromium"
)


class NoChromium(RuntimeError):
    """No Chromium starts on this machine; the message says what was tried and what to install."""


def launch(playwright: Playwright) -> Browser:
    """The first Chromium that starts: one on PATH, else Playwright's own. Raises `NoChromium`."""
    found = [path for name in ON_PATH if (path := shutil.which(name))]
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    tried = []
    for executable in (*found, None):
        try:
            return playwright.chromium.launch(executable_path=executable, args=[*QUIET, *sandbox])
        except PlaywrightError as error:
            tried.append(f"{executable or 'Playwright'}: {error.message.splitlines()[0]}")
    raise NoChromium("\n".join([HELP, "What was tried:", *tried]))


def version() -> str | None:
    """The version of the Chromium that `launch` finds, or `None`."""
    with sync_playwright() as playwright:
        try:
            with launch(playwright) as browser:
                return browser.version
        except NoChromium as error:
            print(error, file=sys.stderr)
            return None


def playwright_download() -> list[list[str]]:
    """Playwright's own build, into its cache."""
    return [[sys.executable, "-m", "playwright", "install", "chromium"]]


def debian_package() -> list[list[str]]:
    """Debian's package, where this process may install it."""
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return []
    return [
        ["apt-get", "update"],
        ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"],
    ]


def run(command: list[str]) -> bool:
    """Run `command` in view of the user; tell whether it succeeded within `DOWNLOAD_SECONDS`."""
    print("+", *command, flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        return (
            subprocess.run(
                command, env=environment, stdin=subprocess.DEVNULL, timeout=DOWNLOAD_SECONDS
            ).returncode
            == 0
        )
    except subprocess.TimeoutExpired:
        return False


def obtain(
    version: Callable[[], str | None] = version, run: Callable[[list[str]], bool] = run
) -> str:
    """The version of a Chromium that starts, got first where there is none. Raises `NoChromium`."""
    if found := version():
        return found
    for source in (playwright_download, debian_package):
        if all(map(run, source())) and (found := version()):
            return found
    raise NoChromium(HELP)


if __name__ == "__main__":
    try:
        print("Chromium", obtain())
    except NoChromium as error:
        sys.exit(str(error))

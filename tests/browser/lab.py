"""A driver for JupyterLab in a real browser.

    with lab.open("00_start_here.ipynb") as page:
        page.run_all()
        assert page.problems() == []
        page.cell_output("watch(").get_by_role("slider").press("ArrowRight")
        page.screenshot("light.png")

A page collects what goes wrong while it is open: errors on the console, and requests that would leave the machine
(they are stopped). `page.page` is Playwright's own page, for clicks and drags.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Locator, Page, Route

from tests.browser.server import Server

OPEN_SECONDS = 60
RUN_SECONDS = 180
LESSON_SECONDS = 240
ASK_SECONDS = 20
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
LOOPBACK = {"127.0.0.1", "localhost", "::1"}

# What JavaScript asks JupyterLab: `app` is the application, `notebook` the open notebook's widget.
PRELUDE = """
const app = window.jupyterapp, panel = app?.shell.currentWidget, notebook = panel?.content;
const code = () => notebook.widgets.filter(cell => cell.model.type === "code");
"""
IDLE = """
    !window.running && panel?.sessionContext?.session?.kernel?.status === "idle" && panel.context.isReady
    && code().every(cell => cell.model.executionState !== "running")
"""


class LabPage:
    """One notebook, open in JupyterLab."""

    def __init__(self, page: Page):
        self.page = page
        self.console_errors: list[str] = []
        self.outside_requests: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.console_errors.append(str(error)))
        page.on("websocket", lambda socket: self._allow(socket.url))
        page.route("**/*", self._on_request)

    def wait_open(self) -> None:
        """Wait until JupyterLab has started whole, the notebook is in front and its kernel idle."""
        self.page.wait_for_function("window.jupyterapp?.shell.currentWidget?.context?.isReady")
        self.wait_idle(OPEN_SECONDS)

    def run_all(self, seconds: float = RUN_SECONDS) -> None:
        """Run the notebook from the top, wait for its end, and bring every cell into view once, so that all draw.

        What was saved in the file is cleared first, so that nothing old is taken for a result.
        Raises `TimeoutError` when the end is not reached within `seconds`.
        """
        self._ask("""await app.commands.execute("notebook:clear-all-cell-outputs");
            window.running = app.commands.execute("notebook:run-all-cells").finally(() => { window.running = null; });
            return null""")
        self.wait_idle(seconds)
        for cell in range(self._ask("return notebook.widgets.length")):
            self._cell(cell)
        self.wait_idle()

    def wait_idle(self, seconds: float = RUN_SECONDS) -> None:
        """Wait until the kernel is idle, no cell waits, and both still hold a moment later. Raises `TimeoutError`."""
        deadline = time.monotonic() + seconds
        quiet = 0
        while quiet < 3:
            if time.monotonic() > deadline:
                dialogs = self.page.locator(".jp-Dialog").all_inner_texts()
                raise TimeoutError(f"the notebook was not idle within {seconds:g} s; dialogs that wait: {dialogs}")
            quiet = quiet + 1 if self._ask(f"return ({IDLE})") else 0
            self.page.wait_for_timeout(100)

    def errors(self) -> list[str]:
        """What ended in an error, as the learner sees it; cells tagged `raises-exception` are meant to."""
        raised = self._ask(
            """return code().filter(cell => !(cell.model.getMetadata("tags") ?? []).includes("raises-exception"))
                .flatMap(cell => cell.model.outputs.toJSON())
                .filter(output => output.output_type === "error")
                .map(output => `${output.ename}: ${output.evalue}`)"""
        )
        return raised + self.page.locator(".jupyter-widgets-error-widget, .jp-RenderedText.jp-mod-error").all_inner_texts()

    def unfinished(self) -> list[int]:
        """The code cells, by their place among the code cells, that have no execution count."""
        return self._ask("return code().flatMap((cell, i) => cell.model.executionCount === null ? [i] : [])")

    def name(self) -> str:
        """The file name of the notebook in front."""
        return self._ask("return panel.context.path").rpartition("/")[2]

    def problems(self) -> list[str]:
        """All that must be empty: errors in outputs, errors on the console, requests that leave the machine."""
        found = {"error": self.errors(), "console": self.console_errors, "outside request": self.outside_requests}
        return [f"{kind}: {text}" for kind, texts in found.items() for text in texts]

    def cell_output(self, cell: int | str) -> Locator:
        """The output area of a cell, in view: the cell at an index of the file, or the first code cell that contains a text."""
        if isinstance(cell, str):
            sources = self._ask('return notebook.widgets.map(c => c.model.type === "code" ? c.model.sharedModel.source : "")')
            cell = next((i for i, source in enumerate(sources) if cell in source), cell)
        if isinstance(cell, str):
            raise LookupError(f"no code cell contains {cell!r}")
        return self._cell(cell).locator(".jp-Cell-outputArea")

    def screenshot(self, path: str | Path) -> None:
        """Write what is in view as a PNG file."""
        self.page.screenshot(path=path, animations="disabled")

    def set_theme(self, theme: Literal["light", "dark"]) -> None:
        """Change JupyterLab's theme and wait until it is in force."""
        self._ask('await app.commands.execute("apputils:change-theme", {theme: argument})', THEMES[theme])
        self.page.locator(f'body[data-jp-theme-name="{THEMES[theme]}"]').wait_for(state="attached")

    def save(self) -> None:
        """Save the notebook, as Ctrl-S does."""
        self._ask('await app.commands.execute("docmanager:save")')

    def shut_down(self) -> None:
        """Stop the notebook's kernel."""
        self._ask("await panel?.sessionContext?.shutdown()")

    def _cell(self, index: int) -> Locator:
        self._ask("await notebook.scrollToItem(argument)", index)
        return self.page.locator(f'.jp-Notebook-cell[data-windowed-list-index="{index}"]')

    def _ask(self, body: str, argument: Any = None) -> Any:
        """Run the body of an async JavaScript function in the page, with the names of `PRELUDE` and `argument`."""
        late = f'new Promise((_, no) => setTimeout(() => no(new Error("no answer in {ASK_SECONDS} s")), {ASK_SECONDS * 1000}))'
        script = f"argument => Promise.race([{late}, (async () => {{ {PRELUDE} {body} }})()])"
        return self.page.evaluate(script, argument)

    def _on_console(self, message) -> None:
        if message.type == "error":
            self.console_errors.append(message.text)

    def _on_request(self, route: Route) -> None:
        if self._allow(route.request.url):
            route.continue_()
        else:
            route.abort()

    def _allow(self, url: str) -> bool:
        """Whether `url` stays on this machine; one that does not is noted."""
        parts = urlsplit(url)
        local = parts.scheme in ("data", "blob") or parts.hostname in LOOPBACK
        if not local:
            self.outside_requests.append(url)
        return local


class Lab:
    """A running JupyterLab and a browser to look at it."""

    def __init__(self, browser: Browser, server: Server):
        self.browser = browser
        self.server = server

    @contextmanager
    def open(self, notebook: str, width: int = 1280, height: int = 900) -> Iterator[LabPage]:
        """Open a notebook of the served folder in a fresh browser profile and wait for its idle kernel."""
        if not (self.server.folder / notebook).is_file():
            raise FileNotFoundError(f"{notebook} is not among the served notebooks in {self.server.folder}")
        address = f"{self.server.url}doc/tree/notebooks/{notebook}?reset&token={self.server.token}"
        with self.open_address(address, width, height) as page:
            yield page

    @contextmanager
    def open_address(self, address: str, width: int = 1280, height: int = 900) -> Iterator[LabPage]:
        """Open an address of the server that leads to a notebook."""
        with self.browser.new_context(viewport={"width": width, "height": height}) as context:
            page = LabPage(context.new_page())
            page.page.goto(address)
            page.wait_open()
            try:
                yield page
            finally:
                page.shut_down()


class Lessons:
    """The lessons in JupyterLab, one at a time: to open another closes the one that was open."""

    def __init__(self, lab: Lab):
        self.lab, self.name, self.opened = lab, "", ExitStack()

    def open(self, name: str) -> LabPage:
        """The page of the lesson with this name. If it is not the one that is open, it is run to its end first."""
        if self.name != name:
            self.close()
            self.page = self.opened.enter_context(self.lab.open(name))
            self.page.run_all(LESSON_SECONDS)
            self.name = name
        return self.page

    def close(self) -> None:
        self.name = ""
        self.opened.close()

    def __enter__(self) -> "Lessons":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

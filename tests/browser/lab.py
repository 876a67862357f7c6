"""A driver for JupyterLab in a real browser.

    with lab.open("00_start_here.ipynb") as page:
        page.run_all()
        assert page.problems() == []
        page.cell_output(3).get_by_role("slider").press("ArrowRight")

A page collects what goes wrong while it is open: errors on the console, and requests that would
leave the machine (they are stopped). `page.page` is Playwright's own page, for clicks and drags.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import urlsplit

import nbformat
import psutil
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Locator, Page, Route

from notebooks.authoring.refresh import METADATA
from tests.browser.page import drawn
from tests.browser.server import Server
from tests.budget import PATIENCE

SIZE = {"width": 1280, "height": 900}
LOOPBACK = {"127.0.0.1", "localhost", "::1"}

# What JavaScript asks JupyterLab: `app` is the application, `notebook` the open notebook's widget.
PRELUDE = """
const app = window.jupyterapp, panel = app?.shell.currentWidget, notebook = panel?.content;
const code = () => notebook.widgets.filter(cell => cell.model.type === "code");
"""
IDLE = """
    !window.running && panel?.sessionContext?.session?.kernel?.status === "idle" && panel.context.isReady
    && code().every(cell => cell.model.executionState !== "running") && !document.querySelector(".ac-busy:not(.jupyter-widgets-disconnected *)")
"""


class LabPage:
    """One notebook, open in JupyterLab."""

    def __init__(self, page: Page):
        self.page = page
        self.console_errors: list[str] = []
        self.outside_requests: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", self._on_page_error)
        page.on("websocket", lambda socket: self._allow(socket.url))
        page.route("**/*", self._on_request)

    def wait_open(self) -> None:
        """Wait until JupyterLab has started whole, the notebook is in front and its kernel idle."""
        self.page.wait_for_function("window.jupyterapp?.shell.currentWidget?.context?.isReady")
        self.wait_idle()

    def run_all(self, seconds: float = PATIENCE) -> None:
        """Run the notebook from the top, wait for its end, and bring every cell into view once, so
        that all draw.

        Raises `TimeoutError` when the end is not reached within `seconds`.
        """
        self.start_all()
        self.wait_idle(seconds)
        for cell in range(self._ask("return notebook.widgets.length")):
            self._cell(cell)
        self.wait_idle()

    def start_all(self) -> None:
        """Have the notebook run from the top. What was saved in it is cleared, so that nothing old
        is taken for a result.
        """
        self._ask("await app.commands.execute('notebook:clear-all-cell-outputs')")
        self._start("notebook:run-all-cells")

    def start_cell(self, cell: int) -> None:
        """Have the cell at this index run."""
        self._ask("notebook.activeCellIndex = argument", cell)
        self._start("notebook:run-cell")

    def _start(self, command: str) -> None:
        self._ask(
            """const run = window.running = app.commands.execute(argument);
            run.finally(() => { if (window.running === run) window.running = null; });
            return null""",
            command,
        )

    def wait_idle(self, seconds: float = PATIENCE) -> None:
        """Wait until the kernel is idle, no cell and no widget waits, all still holds a moment
        later, and what came is drawn.

        Raises `TimeoutError`, which says what ran and how much of the processor it had.
        """
        deadline = time.monotonic() + seconds
        quiet = 0
        while quiet < 3:
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"the notebook was not idle within {seconds:g} s: {self._waiting()}"
                )
            quiet = quiet + 1 if self._ask(f"return ({IDLE})") else 0
            self.page.wait_for_timeout(50)
        drawn(self.page)

    def _waiting(self) -> str:
        """The cell that runs, how much of the processor its kernel has had, and the dialogs that
        are open.
        """
        cell, kernel = (
            self._ask("""return [code().findIndex(cell => cell.model.executionState === "running"),
            panel?.sessionContext?.session?.kernel?.id ?? "none"]""")
        )
        kernels = (
            each
            for each in psutil.process_iter(["cmdline", "cpu_times"])
            if kernel in str(each.info["cmdline"])
        )
        spent = sum(sum(each.info["cpu_times"][:2]) for each in kernels)
        dialogs = self.page.locator(".jp-Dialog").all_inner_texts()
        return f"code cell {cell} runs, the kernel has had {spent:.1f} s of CPU, dialogs that wait: {dialogs}"

    def errors(self) -> list[str]:
        """What ended in an error, as the learner sees it; cells tagged `raises-exception` are meant
        to.
        """
        raised = self._ask(
            """return code().filter(cell => !(cell.model.getMetadata("tags") ?? []).includes("raises-exception"))
                .flatMap(cell => cell.model.outputs.toJSON())
                .filter(output => output.output_type === "error")
                .map(output => `${output.ename}: ${output.evalue}`)"""
        )
        return (
            raised
            + self.page.locator(
                ".jupyter-widgets-error-widget, .jp-RenderedText.jp-mod-error"
            ).all_inner_texts()
        )

    def unfinished(self) -> list[int]:
        """The code cells, by their place among the code cells, that have no execution count."""
        return self._ask(
            "return code().flatMap((cell, i) => cell.model.executionCount === null ? [i] : [])"
        )

    def name(self) -> str:
        """The file name of the notebook in front."""
        return self._ask("return panel.context.path").rpartition("/")[2]

    def problems(self) -> list[str]:
        """All that must be empty: errors in outputs, errors on the console, requests that leave the
        machine.
        """
        found = {
            "error": self.errors(),
            "console": self.console_errors,
            "outside request": self.outside_requests,
        }
        return [f"{kind}: {text}" for kind, texts in found.items() for text in texts]

    def cell_output(self, cell: int) -> Locator:
        """The output area of the cell at this index, in view."""
        return self._cell(cell).locator(".jp-Cell-outputArea")

    def save(self) -> None:
        """Save the notebook, as Ctrl-S does."""
        self._ask('await app.commands.execute("docmanager:save")')

    def restart(self) -> None:
        """Restart the notebook's kernel, and wait until it is idle again."""
        self._ask("await panel.sessionContext.restartKernel()")
        self.wait_idle()

    def go_to(self, notebook: str) -> None:
        """Open another notebook in the same JupyterLab, or bring it to the front, and wait for its
        idle kernel.
        """
        self._ask(
            'await app.commands.execute("docmanager:open", {path: argument})',
            f"notebooks/{notebook}",
        )
        self.page.wait_for_function(
            "path => window.jupyterapp.shell.currentWidget?.context?.path === path",
            arg=f"notebooks/{notebook}",
        )
        self.wait_open()

    def close_notebooks(self) -> None:
        """Close every notebook, without saving, and stop their kernels."""
        self._ask("""for (const each of [...app.shell.widgets("main")]) {
            await each.sessionContext?.shutdown();
            each.dispose();
        }""")

    def forget_problems(self) -> None:
        """What went wrong until now is of another test."""
        self.console_errors.clear()
        self.outside_requests.clear()

    def _cell(self, index: int) -> Locator:
        self._ask(
            """await notebook.scrollToItem(argument);
            const cell = notebook.widgets[argument], drawn = () => cell.outputArea.node.querySelector("*");
            const empty = !cell.model.outputs?.length, there = () => cell.node.isConnected && !cell.isPlaceholder();
            while (!there() || !(empty || drawn())) await new Promise(requestAnimationFrame)""",
            index,
        )
        in_front = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook-cell"
        return self.page.locator(f'{in_front}[data-windowed-list-index="{index}"]')

    def _ask(self, body: str, argument: Any = None) -> Any:
        """Run the body of an async JavaScript function in the page, with the names of `PRELUDE` and
        `argument`.
        """
        late = f"new Promise((_, no) => setTimeout(() => no(new Error('no answer')), {PATIENCE * 1000}))"
        script = f"argument => Promise.race([{late}, (async () => {{ {PRELUDE} {body} }})()])"
        return self.page.evaluate(script, argument)

    def _on_console(self, message) -> None:
        if message.type == "error":
            self.console_errors.append(message.text)

    def _on_page_error(self, error) -> None:
        """Note an uncaught error with its stack, except two.

        JupyterLab's own "removeChild", without a frame of an extension or of a widget: its windowed
        list of cells raised it once, on a busy machine, in a notebook without a widget. And
        anywidget's report that a model was late: see `kit.bundle.Stub`, which needs no messages.
        """
        stack = error.stack or ""
        if str(error) == "[anywidget] Failed to initialize model.":
            return
        foreign = "blob:" in stack or "/extensions/" in stack or "/static/lab/" not in stack
        if foreign or "'removeChild' on 'Node'" not in str(error):
            self.console_errors.append(f"{error} {stack}")

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
        self._page: LabPage | None = None
        self._closing = ExitStack()

    def write(self, name: str, sources: list[str]) -> str:
        """Serve a notebook of these code cells, saved as if they had run; its name."""
        cells = [new_code_cell(source, execution_count=1) for source in sources]
        nbformat.write(new_notebook(cells=cells, metadata=METADATA), self.server.folder / name)
        return name

    @contextmanager
    def open(self, notebook: str, width: int = 1280, height: int = 900) -> Iterator[LabPage]:
        """Open a notebook of the served folder and wait for its idle kernel; it and its kernel are
        closed in the end.

        JupyterLab itself takes seconds to start: its page is kept for the next notebook, unless
        something went wrong."""
        if not (self.server.folder / notebook).is_file():
            raise FileNotFoundError(
                f"{notebook} is not among the served notebooks in {self.server.folder}"
            )
        page = self._kept_page(notebook)
        page.page.set_viewport_size({"width": width, "height": height})
        with self._kept(page):
            yield page

    @contextmanager
    def open_printed(self) -> Iterator[LabPage]:
        """Open the address that the server prints, in a fresh browser profile. Its page is kept
        too.
        """
        self.close()
        self._page = self._closing.enter_context(self._open_address(self.server.start))
        with self._kept(self._page):
            yield self._page

    @contextmanager
    def _kept(self, page: LabPage) -> Iterator[None]:
        """Close the notebooks of a page in the end, and the page too if something went wrong."""
        try:
            yield
            page.close_notebooks()
        except BaseException:
            self.close()
            raise

    def _kept_page(self, notebook: str) -> LabPage:
        if self._page is None:
            address = (
                f"{self.server.url}doc/tree/notebooks/{notebook}?reset&token={self.server.token}"
            )
            self._page = self._closing.enter_context(self._open_address(address))
        else:
            self._page.forget_problems()
            self._page.go_to(notebook)
        return self._page

    def close(self) -> None:
        """Close the page that is kept."""
        self._page = None
        self._closing.close()

    @contextmanager
    def _open_address(self, address: str) -> Iterator[LabPage]:
        """Open an address of the server that leads to a notebook, in a fresh browser profile."""
        with self.browser.new_context(viewport=SIZE) as context:
            context.set_default_timeout(PATIENCE * 1000)
            page = LabPage(context.new_page())
            page.page.goto(address)
            page.wait_open()
            try:
                yield page
            finally:
                page.close_notebooks()

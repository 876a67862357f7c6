"""Widgets on a page without JupyterLab: the page, and this process as its kernel.

    page = show(GraphView(trace))           a page on which nobody answers: what models send is in
    models[0].sent
    page = show(widget, kernel=True)        a page that this process answers, as a kernel does

A widget is drawn as in JupyterLab: its stub finds the model of the bundle, loads it and lets the
view draw."""

import base64
import json
import time
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import ipywidgets
import numpy as np
from comm.base_comm import BaseComm
from playwright.sync_api import Locator, Page

from autograd_core.widgets.graph.view import GraphView
from tests.budget import PATIENCE

SCRIPT = (Path(__file__).parents[2] / "notebooks" / "authoring" / "site" / "host.mjs").read_text(
    encoding="utf-8"
)
EMPTY = f"""<!doctype html><meta charset="utf-8"><title>widgets</title>
<script type="module">{SCRIPT}</script><body data-jp-theme-light="true"></body>"""


KERNELS: dict[Page, "Kernel"] = {}
"""What answers on each page that has a kernel."""


class Kernel:
    """This process as the kernel of a page: what its widgets send is collected, and goes with the
    next answer.
    """

    def __init__(self, widgets: Iterable[ipywidgets.Widget]):
        self.messages: list[dict] = []
        self.widgets = {widget.model_id: widget for widget in widgets}
        for widget in self.widgets.values():
            widget.comm = _Comm(self, widget.model_id)

    def ask(self, question: dict) -> list[dict]:
        """Hand a model's message to its widget; all that the widgets have sent until then. Raises
        what they raise.
        """
        widget = self.widgets[question["id"]]
        widget._handle_msg(
            {"content": {"data": {"buffer_paths": [], **question["data"]}}, "buffers": []}
        )
        taken, self.messages = self.messages, []
        return taken


class _Comm(BaseComm):
    def __init__(self, kernel: Kernel, model_id: str):
        self.kernel = kernel
        super().__init__(comm_id=model_id, primary=False)

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        if msg_type == "comm_msg" and data["method"] in ("update", "custom"):
            places = [path[0] for path in data.get("buffer_paths", ())]
            self.kernel.messages.append(
                {**data, "id": self.comm_id, "bytes": _texts(buffers or ()), "places": places}
            )


def _texts(buffers: Iterable[bytes]) -> list[str]:
    return [base64.b64encode(bytes(buffer)).decode() for buffer in buffers]


def _opened(widget: ipywidgets.Widget) -> dict:
    """A model as the page is told of it."""
    state = {name: value for name, value in widget.get_state().items() if name != "layout"}
    places = [name for name, value in state.items() if isinstance(value, bytes)]
    return {
        "id": widget.model_id,
        "places": places,
        "bytes": _texts(state.pop(name) for name in places),
        "state": json.loads(json.dumps(state)),
    }


def put(page: Page, widgets: Iterable[ipywidgets.Widget], kernel: bool = False) -> None:
    """Show `widgets` on `page`, below each other; with a kernel, this process answers what they
    ask.
    """
    widgets = list(widgets)
    bundles = {widget.bundle.model_id: widget.bundle for widget in widgets}
    if kernel:
        if page not in KERNELS:
            page.expose_function("kernel", lambda question: KERNELS[page].ask(question))
        KERNELS[page] = Kernel(widgets)
    page.set_content(EMPTY)
    stubs = [stub for widget in widgets for stub in widget.children]
    opened = [_opened(model) for model in (*bundles.values(), *stubs, *widgets)]
    page.evaluate(
        "([opened, shown]) => show(opened, shown)",
        [opened, [widget.model_id for widget in widgets]],
    )


def listeners(wrong: list[str]) -> dict[str, Callable]:
    """Notes in `wrong` what goes wrong on a page: its uncaught errors and what it prints as errors."""
    return {
        "pageerror": lambda error: wrong.append(str(error)),
        "console": lambda message: wrong.append(message.text) if message.type == "error" else None,
    }


def deliver(page: Page) -> None:
    """Send the page what its widgets have sent of their own accord, without being asked."""
    kernel = KERNELS[page]
    taken, kernel.messages = kernel.messages, []
    page.evaluate("messages => receive(messages)", taken)


def stop_clock(page: Page) -> None:
    """Stop the page's clock, so that only `page.clock.run_for(ms)` moves it.

    An installed clock follows real time until it is paused: on a slow machine a film plays on."""
    page.clock.install(time=0)
    page.clock.pause_at(timedelta(days=1).total_seconds())


def drawn(page: Page) -> None:
    """Wait until the page has drawn what it knows now."""
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def until(page: Page, holds: Callable[[], Any]) -> Any:
    """What `holds()` gives once it is true: a kernel answers in its own time. Raises
    `TimeoutError`.
    """
    deadline = time.monotonic() + PATIENCE
    while not (found := holds()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {PATIENCE} s it still does not hold")
        page.wait_for_timeout(20)
    return found


def event(page: Page, view: int = 0) -> int:
    return page.evaluate("view => models[view].state.event", view)


OVERLAPS = """(view, selector) => {
  const parts = [...view.querySelectorAll(selector)].filter((part) => part.textContent || part.tagName !== "text")
    .map((part) => [part.parentNode, part.getBoundingClientRect()]);
  const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  return parts.flatMap(([a, box], i) => parts.slice(i + 1).filter(([b, other]) => a !== b && over(box, other))
    .map(([b]) => `${a.textContent} over ${b.textContent}`));
}"""


def overlaps(view: Locator, selector: str) -> list[str]:
    """Which of these parts of a picture lie over each other, those of one box or of one label
    aside.
    """
    return view.evaluate(OVERLAPS, selector)


COLOURS = """(papers, [rows, columns]) => papers.map((paper) => {
  const size = paper.width / columns, pencil = paper.getContext("2d");
  return Array.from({ length: rows * columns }, (_, i) => [...pencil.getImageData(
    (i % columns + 0.5) * size, (Math.floor(i / columns) + 0.5) * size, 1, 1).data].slice(0, 3));
})"""


def colours(canvases: Locator, rows: int, columns: int) -> list[np.ndarray]:
    """The color in the middle of each cell of some maps."""
    found = canvases.evaluate_all(COLOURS, [rows, columns])
    return [np.array(each).reshape(rows, columns, 3) for each in found]


def answer(page: Page, view: GraphView, number: int = 0) -> list[dict]:
    """Hand what the page has asked of view `number` to `view`, once, as a kernel does, and its
    answers to the page.
    """
    questions = page.evaluate("number => models[number].sent.splice(0)", number)
    process = Kernel([view])
    data = ({"method": "custom", "content": question} for question in questions)
    answers = [
        message for each in data for message in process.ask({"id": view.model_id, "data": each})
    ]
    page.evaluate("messages => receive(messages)", answers)
    return questions

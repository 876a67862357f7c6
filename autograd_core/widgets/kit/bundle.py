"""The base of our widgets, and the bundle of scripts and styles that draws them.

The kernel sends the bundle once. Each widget adds a stub of a few hundred bytes, which anywidget
runs. The stub finds the models of the widget and of the bundle, loads the bundle unless the page has
it already, and calls the view that the widget names. Sources and build are in widgets/js."""

import hashlib
import uuid
import weakref
from functools import cache
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets
import traitlets

from .shown import shell, show, show_again
from .theme import palette_css

STATIC = Path(__file__).parents[1] / "static"


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


@cache
def contents(of: str = "widgets") -> dict[str, str]:
    """The script, the style with its palette, and their version. `of` is "widgets", or "view" for
    a page that contains only a step view.
    """
    script, style = _read(f"{of}.js"), palette_css(of == "widgets") + _read(f"{of}.css")
    version = hashlib.sha256(f"{script}\0{style}".encode()).hexdigest()[:16]
    return {"version": version, "script": script, "style": style}


class Bundle(ipywidgets.Widget):
    """The model that holds the bundle. It has no view of its own."""

    version = traitlets.Unicode().tag(sync=True)
    script = traitlets.Unicode().tag(sync=True)
    style = traitlets.Unicode().tag(sync=True)

    _shared: "Bundle | None" = None

    @classmethod
    def shared(cls) -> "Bundle":
        """The bundle of this kernel. It is created with the first widget, and again after it was
        closed.
        """
        if cls._shared is None or cls._shared.comm is None:
            cls._shared = cls(**contents())
        return cls._shared


def run_of_cell() -> tuple[str, str] | None:
    """The notebook's cell that is being run, and which run of it this is; None outside of a cell.

    JupyterLab, Notebook 7 and VS Code say so with each run.
    """
    ipython = shell()
    request: dict[str, Any] = ipython.get_parent() if hasattr(ipython, "get_parent") else {}
    cell = request.get("metadata", {}).get("cellId")
    return (str(cell), str(request["header"]["msg_id"])) if cell else None


class Stub(anywidget.AnyWidget):
    """The script that draws one widget. Its state never changes.

    The model of an anywidget ignores all messages if its script isn't loaded within two seconds,
    which happens on a busy page. So no message goes to the stub: the state of a widget is in a model
    of ipywidgets, which has no time limit, and the stub only refers to that model.
    """

    _esm = _read("stub.js")

    widget = traitlets.Unicode().tag(sync=True)  # "anywidget:" and the id of the widget's model


class BundledWidget(ipywidgets.Box):
    """A widget that a view of the bundle draws. A subclass names this view in `view`, as js/index.js
    does.

    `__init__` sends the whole state to the page. A subclass sets its traits before it calls
    `super().__init__()`, so that the first picture needs no second message.

    The page and the kernel keep a widget until `close()` is called. If a cell runs again, the widgets
    of its previous run are closed.
    """

    # cell: its latest run, the widgets of this run
    _made_in: dict[str, tuple[str, "weakref.WeakSet[BundledWidget]"]] = {}

    remembered: tuple[str, ...] = ()
    """The traits that the saved words of the widget contain."""

    def __init__(self, **traits: Any):
        name = uuid.uuid4().hex
        stub = Stub(widget=f"anywidget:{name}")
        # The stub fills the box, as if it were the whole widget.
        layout = {"display": "block", "overflow": "visible"}
        super().__init__([stub], model_id=name, layout=layout, **traits)
        if self.remembered:
            self.observe(lambda _: show_again(self), self.remembered)
        now = run_of_cell()
        if now is not None:
            cell, run = now
            latest, made = self._made_in.get(cell, (run, weakref.WeakSet()))
            for former in [] if latest == run else list(made):
                former.close()
            self._made_in[cell] = run, weakref.WeakSet([*(made if latest == run else ()), self])

    def close(self) -> None:
        """Remove the widget from the page and from the kernel's memory."""
        parts: list[ipywidgets.Widget] = []
        if self.comm is not None:
            parts = [self.layout, *(part for stub in self.children for part in (stub, stub.layout))]
        super().close()
        for part in parts:
            part.close()

    __repr__ = object.__repr__

    view = traitlets.Unicode().tag(sync=True)
    bundle = anywidget.WidgetTrait().tag(sync=True)

    @traitlets.default("bundle")
    def _shared_bundle(self) -> Bundle:
        return Bundle.shared()

    def _ipython_display_(self) -> None:
        show(self)

    def still(self) -> str | None:
        """The picture as the text of an SVG file for previews, or None."""
        return None

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, picture = super()._repr_mimebundle_(**kwargs), self.still()
        data["text/plain"] = repr(self)  # ipywidgets would cut it after 110 characters
        return {**data, **({"image/svg+xml": picture} if picture else {})}, {}

"""A widget without a kernel: its picture, and the words that it needs a kernel.

A notebook saves the output of a cell. For a widget, this is a reference to a model in a kernel that
has ended. So the widget, the words and the picture are displayed one after the other, and a style in
the words shows either the widget or the other two. The style depends on whether the widget is drawn,
so it works each time a notebook is opened, without saved state. In an untrusted notebook, JupyterLab
removes the style and draws neither widgets nor SVG, so the words and the text remain."""

from typing import Any

import IPython
import ipywidgets

_ipython: Any = IPython
_display: Any = IPython.display.display

VIEW = "application/vnd.jupyter.widget-view+json"
WORDS = "Run this cell first: it brings this to life."
PICTURED = "ac-still ac-pictured"
"""The class of words before a picture."""

_CHILD, _WIDGET = ".jp-OutputArea-child", "> .jp-OutputArea-output:not([data-mime-type])"
_DRAWN = f"{_CHILD}:has({_WIDGET} > *):not(:has(.jupyter-widgets-disconnected))"
_LEFT = f"{_CHILD}:has({_WIDGET}):has(+ * .ac-still)"
STYLE = f"""<style>
{_DRAWN} + :has(.ac-still), {_DRAWN} + :has(.ac-pictured) + *,
{_LEFT}:not(:has({_WIDGET} > *)), {_LEFT}:has(.jupyter-widgets-disconnected) {{ display: none }}
.ac-still {{ color: var(--jp-ui-font-color2, #4A525E); display: none }}
{_CHILD} .ac-still {{ display: block }}
</style>"""


def shell() -> Any:
    """The IPython that runs this cell; None outside of notebooks and consoles."""
    return _ipython.get_ipython()


def show(widget: Any) -> None:
    """Display `widget`, which has a `_repr_mimebundle_`, with its words and its picture."""
    data = _data_of(widget)
    if VIEW in data:
        _display({VIEW: data.pop(VIEW)}, raw=True)
    if "image/svg+xml" in data:
        _display({"text/html": _words(PICTURED)}, raw=True)
        _display(data, raw=True)
    else:
        # only a display that is updated later has a name, because a second one would change the first
        name = widget.model_id if getattr(widget, "remembered", ()) else None
        _display(_with_words(data), raw=True, display_id=name)


def show_again(widget: ipywidgets.Widget) -> None:
    """In a notebook, update the words of a `widget` without a picture, wherever it was displayed."""
    if shell():
        data = _data_of(widget)
        data.pop(VIEW, None)
        _display(_with_words(data), raw=True, display_id=widget.model_id, update=True)


def show_all() -> None:
    """In a notebook, display every widget of ipywidgets like this, also those of `interact`."""
    if ipython := shell():
        ipython.display_formatter.ipython_display_formatter.for_type(ipywidgets.Widget, show)


def _data_of(widget: Any) -> dict[str, Any]:
    bundle = widget._repr_mimebundle_()
    return dict(bundle[0] if isinstance(bundle, tuple) else bundle)


def _with_words(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "text/html": _words("ac-still") + data.get("text/html", "")}


def _words(name: str) -> str:
    return f'{STYLE}<p class="{name}">{WORDS}</p>'

"""A widget as one HTML file that asks nobody for anything: its scripts, its style, its state, and
known answers.

What the reader may ask of Python is answered from a table that is in the file; js/kit/page.js looks
it up there."""

import base64
import html
import json
import zlib
from typing import Any

from .bundle import contents

NO_REQUESTS = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
)
ROOM = (
    "body { margin: 0; padding: 16px; background: Canvas; color-scheme: light dark; font-family:"
    " sans-serif }"
)


def packed(data: Any) -> str:
    """JSON, deflated, in letters that stand safely in a page."""
    text = json.dumps(data, separators=(",", ":"), default=_bytes)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _bytes(value: object) -> dict[str, str]:
    if not isinstance(value, bytes | memoryview):
        raise TypeError(f"{type(value).__name__} cannot stand in a page")
    return {"base64": base64.b64encode(value).decode()}


def page(
    view: str,
    state: dict[str, Any],
    *,
    title: str,
    still: str | None = None,
    answers: dict[str, Any] | None = None,
) -> str:
    """The file's text. `view` is the view's name in js/index.js; `state` what it reads from its
    model.

    still    a picture for readers without scripts, as SVG.
    answers  what Python would answer: to folds what graph/save.py says of them; to settings
             {"stops": {name: values}, "changes": {"0,2": traits}}, by the places of their values.
    """
    bundle, data = contents(), packed({"view": view, "state": state, "answers": answers or {}})
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{NO_REQUESTS}">
<title>{html.escape(title)}</title>
<style>{ROOM}</style>
<style>{bundle["style"]}</style>
<main id="ac-saved" data-state="{data}"></main>
<noscript>{still or ""}</noscript>
<script type="module">{_inline(bundle["script"])}</script>
</html>
"""


def _inline(script: str) -> str:
    """A script as it may stand within a page: nothing in it ends the element that it stands in."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")

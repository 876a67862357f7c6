"""A widget as one HTML file without outside requests: its scripts, its style, its state, and a table
of answers.

Questions to Python are answered from this table, see js/kit/page.js."""

import base64
import html
import json
import re
import zlib
from functools import cache
from typing import Any

from .bundle import contents

NO_REQUESTS = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
)
ROOM = (
    "body { margin: 0; padding: 16px; background: Canvas; color-scheme: light dark; font-family:"
    " sans-serif }"
)


# It is inserted unchanged, and it unpacks scripts and style into the page.
UNPACK = """(async () => {
  const letters = atob(document.getElementById("ac-saved").dataset.code);
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  for (const [name, textContent] of Object.entries(await new Response(stream).json())) {
    const type = name === "script" ? "module" : "text/css";
    document.head.append(Object.assign(document.createElement(name), { type, textContent }));
  }
})();"""


def packed(data: Any) -> str:
    """JSON, deflated, in characters that are safe in a page."""
    text = json.dumps(data, separators=(",", ":"), default=_bytes)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


@cache
def _code(of: str) -> str:
    return packed({name: contents(of)[name] for name in ("script", "style")})


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
    """The text of the file. `view` is the name of the view in js/index.js, and `state` the state of
    its model.

    still    a picture for readers without scripts, as SVG.
    answers  the answers of Python: for folds, the result of graph/save.py; for settings,
             {"stops": {name: values}, "changes": {"0,2": traits}}, by the places of their values.
    """
    picture = re.sub(r"(?<=>)\s(?=<)| (?=/>)", "", still or "")
    data = packed({"view": view, "state": state, "answers": answers or {}})
    code = _code("view" if view == "graph" else "widgets")
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{NO_REQUESTS}">
<title>{html.escape(title)}</title>
<style>{ROOM}</style>
<main id="ac-saved" data-state="{data}" data-code="{code}"></main>
<noscript>{picture}</noscript>
<script>{UNPACK}</script>
</html>
"""

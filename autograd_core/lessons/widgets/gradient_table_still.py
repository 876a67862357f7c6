"""The gradient table as the text of an SVG file, for previews."""

from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

import numpy as np

from ...widgets.kit.format import number, shorten
from ...widgets.kit.svg import dark_style, tag
from ...widgets.kit.theme import FONT

LABEL, TOP = 130, 36                # room for the names of rows and of columns, in pixels
WIDTH, HEIGHT = 84, 30              # of a cell
DARKEST = 0.5                       # so that a number can be read on it


def still(title: str, losses: Sequence[str], kernels: Sequence[str], places: Sequence[str], norms: np.ndarray) -> str:
    """`norms` as a table: kernels and the trunk, by losses and all at once. The column of one that is off is grey."""
    rows, columns = [*kernels, "trunk, shared"], [*losses, "all at once"]
    finite = np.where(np.isfinite(norms), norms, 0)
    shades = DARKEST * np.sqrt(finite / (finite.max() or 1))
    parts = [_text(LABEL + (j + 0.5) * WIDTH, TOP - 12, name, font_weight=700) for j, name in enumerate(columns)]
    for i, name in enumerate(rows):
        y = TOP + i * HEIGHT
        parts.append(_text(LABEL - 10, y + 19, name, text_anchor="end", font_weight=700 if i == len(kernels) else 400))
        for j, norm in enumerate(norms[i]):
            off = j < len(losses) and places[j] == "off"
            box = {"x": LABEL + j * WIDTH + 1, "y": y + 1, "width": WIDTH - 2, "height": HEIGHT - 2, "rx": 3}
            shade = 1 if off else round(float(shades[i, j]), 3)
            fill = "masked-tint" if off else "gradient-solid"
            parts += [tag("rect", **box, fill=fill, fill_opacity=shade, stroke="border-quiet"),
                      _text(LABEL + (j + 0.5) * WIDTH, y + 19, "off" if off else number(norm))]
    width, height = LABEL + len(columns) * WIDTH + 10, TOP + len(rows) * HEIGHT + 10
    norms_in_words = "; ".join(f"{name}: {', '.join(map(number, row))}" for name, row in zip(rows, norms))
    body = [tag("title", f"{title}. {norms_in_words}"), tag("style", dark_style()),
            tag("rect", width=width, height=height, fill="card"), *parts]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img" font-size="12" font-family={quoteattr(FONT)}>{"".join(body)}</svg>')


def _text(x: float, y: float, text: str, **look: object) -> str:
    return tag("text", shorten(text, 20), x=x, y=y, **{"fill": "text", "text_anchor": "middle", **look})

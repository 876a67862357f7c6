"""The gradient table as the text of an SVG file, for previews."""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from .numerals import number, shorten
from .theme import DARK, FONT, LIGHT

LABEL, WIDTH, HEIGHT, TOP = 130, 84, 30, 36         # of the names of rows, of a cell, and above the first row, in pixels
DARKEST = {"light": 0.75, "dark": 0.5}              # of a cell, so that its number can be read


def still(title: str, losses: Sequence[str], kernels: Sequence[str], places: Sequence[str], norms: np.ndarray) -> str:
    """`norms` as a table, (kernels and the trunk) × (losses and all at once). A loss that is off has its column hatched."""
    rows, columns = [*kernels, "trunk, shared"], [*losses, "all at once"]
    largest = np.nanmax(np.where(np.isfinite(norms), norms, 0)) or 1.0
    parts = [_text(LABEL + (j + 0.5) * WIDTH, TOP - 12, name, "b") for j, name in enumerate(columns)]
    for i, name in enumerate(rows):
        y = TOP + i * HEIGHT
        parts.append(_text(LABEL - 10, y + 19, name, "e b" if i == len(kernels) else "e"))
        for j, norm in enumerate(norms[i]):
            off = j < len(losses) and places[j] == "off"
            share = 0 if off or not np.isfinite(norm) else norm / largest
            box = f'x="{LABEL + j * WIDTH + 1}" y="{y + 1}" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="3"'
            parts += [f'<rect class="{"o" if off else "c"}" {box}/>', f'<rect class="h" {box} opacity="{share:.2f}"/>',
                      _text(LABEL + (j + 0.5) * WIDTH, y + 19, "off" if off else number(norm))]
    width, height = LABEL + len(columns) * WIDTH + 10, TOP + len(rows) * HEIGHT + 10
    said = "; ".join(f"{name}: {', '.join(map(number, row))}" for name, row in zip(rows, norms))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img" font-size="12" font-family={quoteattr(FONT)}><title>{escape(title)}. {escape(said)}</title>'
            f"<style>{_style('light', LIGHT)} @media (prefers-color-scheme: dark) {{ {_style('dark', DARK)} }}</style>"
            f'<rect class="p" width="{width}" height="{height}"/>{"".join(parts)}</svg>')


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}">{escape(shorten(text, 20))}</text>'


def _style(theme: str, palette: dict[str, str]) -> str:
    return (f"text {{ fill: {palette['text']}; text-anchor: middle }} .e {{ text-anchor: end }} .b {{ font-weight: 700 }} "
            f".p {{ fill: {palette['card']} }} .c {{ fill: none; stroke: {palette['border-quiet']} }} "
            f".o {{ fill: {palette['masked-tint']} }} "
            f".h {{ fill: {palette['gradient-solid']}; fill-opacity: {DARKEST[theme]} }}")

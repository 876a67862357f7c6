"""Results as a table with names for its rows and columns, for the output of a cell."""

import html
import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from ...widgets.kit.format import number
from ...widgets.kit.theme import DARK, LIGHT

STYLE = f"""<style>
.ac-table :is(td, th) {{ text-align: left !important; font-variant-numeric: tabular-nums }}
.ac-table .ac-nan {{ color: {LIGHT["error"]}; font-weight: 700 }}
[data-jp-theme-light=false] .ac-table .ac-nan {{ color: {DARK["error"]} }}
</style>"""


class table:
    """Show `rows`, {the name of a row: its cells}, below the names of all columns, `head`.

    A cell is a text, a number or a list of numbers. A nan or inf has the color of errors.
    """

    def __init__(self, rows: Mapping[str, Sequence[Any]], head: Sequence[str]):
        self.head = list(head)
        self.rows = [[name, *map(_text, cells)] for name, cells in rows.items()]
        self.cells = [[name, *cells] for name, cells in rows.items()]

    def __repr__(self) -> str:
        lines = [self.head, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{_code(each)}</th>" for each in self.head)
        body = "".join(
            f"<tr>{''.join(f'<td>{_html(cell)}</td>' for cell in row)}</tr>" for row in self.cells
        )
        return f'{STYLE}<table class="ac-table"><tr>{head}</tr>{body}</table>'


def _text(cell: Any) -> str:
    if isinstance(cell, (list, tuple)):
        return ", ".join(map(number, cell))
    return number(cell) if isinstance(cell, Real) and not isinstance(cell, bool) else str(cell)


def _html(cell: Any) -> str:
    if isinstance(cell, (list, tuple)):
        return ", ".join(map(_html, cell))
    text = _code(_text(cell))
    wrong = isinstance(cell, float) and not math.isfinite(cell)
    return f'<span class="ac-nan">{text}</span>' if wrong else text


def _code(text: str) -> str:
    """The text as HTML. Every second part between backticks is code."""
    parts = html.escape(text).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))

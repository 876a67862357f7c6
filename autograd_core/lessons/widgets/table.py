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

    A cell is a text, a number or a list of numbers. A cell with nan or inf has the color of errors.
    """

    def __init__(self, rows: Mapping[str, Sequence[Any]], head: Sequence[str]):
        self.head = list(head)
        self.rows = [[name, *map(_text, cells)] for name, cells in rows.items()]
        self.wrong = [[False, *map(_is_wrong, cells)] for cells in rows.values()]

    def __repr__(self) -> str:
        lines = [self.head, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{_code(each)}</th>" for each in self.head)
        body = "".join(
            f"<tr>{''.join(map(_cell, cells, wrong))}</tr>"
            for cells, wrong in zip(self.rows, self.wrong)
        )
        return f'{STYLE}<table class="ac-table"><tr>{head}</tr>{body}</table>'


def _text(cell: Any) -> str:
    if isinstance(cell, (list, tuple)):
        return ", ".join(map(number, cell))
    return number(cell) if isinstance(cell, Real) and not isinstance(cell, bool) else str(cell)


def _is_wrong(cell: Any) -> bool:
    cells = cell if isinstance(cell, (list, tuple)) else [cell]
    return any(isinstance(each, float) and not math.isfinite(each) for each in cells)


def _cell(text: str, wrong: bool) -> str:
    look = ' class="ac-nan"' if wrong else ""
    return f"<td{look}>{_code(text)}</td>"


def _code(text: str) -> str:
    """The text as HTML. Every second part between backticks is code."""
    parts = html.escape(text).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))

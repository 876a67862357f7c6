"""The output of a %%both cell: one line, and a table that a click on the line opens."""

import html
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .compare import Comparison, Row, listed
from .graphs import LEFT_OPEN

ROWS_SHOWN = 60
PLACES = tomllib.loads(Path(__file__).with_name("places.toml").read_text(encoding="utf-8"))
VARIES = ("largest difference", "where")  # columns that depend on how a processor rounds

# JupyterLab's own colors, so that the line suits both the light and the dark theme.
STYLE = (
    "<style>.ac-parity{font:13px/20px"
    " system-ui,sans-serif;color:var(--jp-ui-font-color1,#1A1D21)}.ac-parity"
    " summary{color:var(--jp-ui-font-color2,#4A525E);cursor:pointer}.ac-parity"
    " b{color:#00665C}[data-jp-theme-light=false] .ac-parity b{color:#5FD0C0}.ac-parity"
    " td,.ac-parity th{text-align:left!important;font-variant-numeric:tabular-nums}</style>"
)


def first_line(error: BaseException) -> str:
    """An exception as `RuntimeError: the first line of its message`."""
    return ": ".join([type(error).__name__, *str(error).splitlines()[:1]])


def place_of(error: BaseException) -> str:
    """ "See find_your_error.md#scalar_only (lesson 02).", or "" if no row fits."""
    said = first_line(error)
    places = [place for start, place in PLACES.items() if said.startswith(start)]
    return f"See find_your_error.md{places[0]}." if places else ""


def counted(number: int, noun: str) -> str:
    """ "1 tensor", "6 tensors"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _table(head, rows):
    """An HTML table. Cells that differ from machine to machine have the class ac-varies, so that a
    test can skip them.
    """
    tags = ['<td class="ac-varies">' if name in VARIES else "<td>" for name in head]
    lines = ["".join(f"<th>{name}</th>" for name in head)]
    for row in rows:
        lines.append("".join(f"{tag}{html.escape(cell)}</td>" for tag, cell in zip(tags, row)))
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


@dataclass(frozen=True, repr=False)
class AgreementReport:
    """The results are the same on both engines: one line, and in HTML also a table.

    `asserts` counts the assertions of the cell. `apart` says where the sides differ in a result that
    the cell did not make. `raised` are the messages of both engines, if the cell should raise; the
    exceptions themselves would keep the graph alive."""

    comparison: Comparison
    asserts: int = 0
    apart: str = ""
    raised: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """A tick, unless `apart`."""
        return "≠" if self.apart else "✓"

    @property
    def is_worth_a_line(self) -> bool:
        """Whether the cell did more than define something."""
        return bool(self.comparison.rows or self.comparison.graphs or self.asserts or self.apart)

    def line(self) -> str:
        """The outcome, then the results that PyTorch leaves open, then what else differs."""
        line = "same on PyTorch"
        if self.raised:
            line = f"both engines raise {self.raised[0].partition(':')[0]}"
        for reason, names in _left_open(self.comparison.rows).items():
            line = f"{line.removesuffix('.')}. {reason}{names}."
        return f"{line}, but {self.apart}" if self.apart else line

    def __repr__(self):
        line = f"{self.mark} {self.line()}"
        if not self.raised:
            return line
        ours, theirs = self.raised
        return f"{line}\n  autograd_core  {ours}\n  PyTorch        {theirs}"

    def _repr_html_(self):
        opened = "open " if self.raised else ""
        return (
            f'{STYLE}<details {opened}class="ac-parity"><summary><b>{self.mark}</b>'
            f" {html.escape(self.line())}</summary>{self.table()}</details>"
        )

    def table(self) -> str:
        """As HTML: name, kind, dtype, shape, largest difference and where it is; or both messages."""
        if self.raised:
            return _table(("autograd_core", "PyTorch"), [self.raised])
        rows = [
            (name, "graph", "", "", f"{counted(nodes, 'node')}, the same", "")
            for name, nodes in self.comparison.graphs
        ]
        if self.asserts:
            rows.append((counted(self.asserts, "assertion"), "", "", "", "true on both", ""))
        shown = [_cells(row) for row in self.comparison.rows[:ROWS_SHOWN]] + rows[:ROWS_SHOWN]
        hidden = len(self.comparison.rows) + len(rows) - len(shown)
        if hidden:
            shown.append((f"… and {hidden} more", "", "", "", "", ""))
        return _table(("name", "kind", "dtype", "shape", "largest difference", "where"), shown)


def _left_open(rows):
    """Each reason why PyTorch leaves results open, and the names of these results."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.not_compared.startswith(LEFT_OPEN):
            reasons.setdefault(row.not_compared.removesuffix("it"), []).append(row.name)
    return {reason: listed(names) for reason, names in reasons.items()}


def _cells(row: Row):
    shape = "" if row.shape is None else str(list(row.shape))
    outcome = f"{row.difference:.0e}" if row.difference else "0"
    if row.not_compared:
        outcome = f"not compared: {row.not_compared}"
    return row.name, row.kind, row.dtype, shape, outcome, row.where

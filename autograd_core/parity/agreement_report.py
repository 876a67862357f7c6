"""The output of a %%both cell: one line, and a table that a click on the line opens."""

import html
from dataclasses import dataclass

from .compare import Comparison, Row
from .graphs import LEFT_OPEN

ROWS_SHOWN = 60
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


class _Line:
    """A report: one line, and in HTML also a table."""

    apart: str
    comparison: Comparison

    @property
    def mark(self) -> str:
        """A tick, unless the sides differ in a result that the cell did not make."""
        return "≠" if self.apart else "✓"

    def line(self) -> str:
        """The outcome, then the results that PyTorch leaves open, then what else differs."""
        line = self.says()
        for reason, names in _left_open(self.comparison.rows).items():
            line = f"{line.removesuffix('.')}. {reason}{names}."
        return f"{line}, but {self.apart}" if self.apart else line

    def __repr__(self):
        return f"{self.mark} {self.line()}"

    def _repr_html_(self):
        return (
            f'{STYLE}<details class="ac-parity"><summary><b>{self.mark}</b>'
            f" {html.escape(self.line())}</summary>{self.table()}</details>"
        )


@dataclass(frozen=True, repr=False)
class AgreementReport(_Line):
    """The results are the same on both engines. `asserts` counts the assertions of the cell, and
    `apart` says where the sides already differed before the cell.
    """

    comparison: Comparison
    asserts: int = 0
    apart: str = ""

    @property
    def is_worth_a_line(self) -> bool:
        """Whether the cell did more than define something."""
        return bool(self.comparison.rows or self.comparison.graphs or self.asserts or self.apart)

    def says(self) -> str:
        """The line without its additions."""
        return "same on PyTorch"

    def table(self) -> str:
        """The rows as HTML: name, kind, dtype, shape, largest difference and where it is."""
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
    return {reason: _joined(names) for reason, names in reasons.items()}


def _joined(names):
    *others, last = names if len(names) < 9 else [*names[:7], f"{len(names) - 7} more"]
    return f"{', '.join(others)} and {last}" if others else last


def _cells(row: Row):
    shape = "" if row.shape is None else str(list(row.shape))
    outcome = f"{row.difference:.0e}" if row.difference else "0"
    if row.not_compared:
        outcome = f"not compared: {row.not_compared}"
    return row.name, row.kind, row.dtype, shape, outcome, row.where


class RaisesReport(_Line):
    """Both engines raise the expected exception. The report keeps only the messages, because the
    exceptions would keep the graph alive.
    """

    def __init__(self, ours: BaseException, theirs: BaseException, comparison, apart: str = ""):
        self.name, self.apart = type(ours).__name__, apart
        self.messages = first_line(ours), first_line(theirs)
        self.comparison = comparison

    def says(self) -> str:
        """The line without its additions."""
        return f"both engines raise {self.name}"

    def table(self) -> str:
        """The first lines of both messages, side by side, as HTML."""
        return _table(("autograd_core", "PyTorch"), [self.messages])

    def __repr__(self):
        ours, theirs = self.messages
        return f"{super().__repr__()}\n  autograd_core  {ours}\n  PyTorch        {theirs}"

    def _repr_html_(self):
        return super()._repr_html_().replace("<details ", "<details open ")


@dataclass(frozen=True, repr=False)
class ParityReport:
    """How many %%both cells a notebook has run, and how many had the same results on PyTorch."""

    cells: int = 0
    same: int = 0

    def with_cell(self, same: bool) -> "ParityReport":
        """The report with one more cell."""
        return ParityReport(self.cells + 1, self.same + same)

    def __repr__(self):
        return f"{self.same} of {counted(self.cells, '%%both cell')}: same on PyTorch"

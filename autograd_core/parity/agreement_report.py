"""What a %%both cell shows: one quiet line, and a table to unfold."""

import html
from collections import Counter
from dataclasses import dataclass

from .compare import Comparison, Row
from .graphs import LEFT_OPEN

COUNTED = (
    *("tensor", "gradient", "parameter", "buffer", "optimizer state", "array"),
    *("number", "value", "setting", "random generator", "printed text"),
)
ROWS_SHOWN = 60
VARIES = ("largest difference", "where")  # columns that depend on how a processor rounds

# JupyterLab's own colours, so that a line is quiet in its light and its dark theme.
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


def shown_difference(difference: float) -> str:
    """ "no difference", or "largest difference 6e-08"."""
    return f"largest difference {difference:.0e}" if difference else "no difference"


def _table(head, rows):
    """An HTML table. Cells that differ from machine to machine have the class ac-varies: a test can
    skip them.
    """
    tags = ['<td class="ac-varies">' if name in VARIES else "<td>" for name in head]
    lines = ["".join(f"<th>{name}</th>" for name in head)]
    for row in rows:
        lines.append("".join(f"{tag}{html.escape(cell)}</td>" for tag, cell in zip(tags, row)))
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


class _Line:
    """A result that is shown as one line of text, or as that line and a table."""

    mark = "✓"

    def __repr__(self):
        return f"{self.mark} {self.line()}"

    def _repr_html_(self):
        return (
            f'{STYLE}<details class="ac-parity"><summary><b>{self.mark}</b>'
            f" {html.escape(self.line())}</summary>{self.table()}</details>"
        )


@dataclass(frozen=True, repr=False)
class AgreementReport(_Line):
    """Both engines agree. `claims` is what the cell asserted, `apart` where the sides differ since
    earlier.
    """

    comparison: Comparison
    claims: str = ""
    apart: str = ""

    @property
    def mark(self) -> str:
        """A tick only where something was compared or asserted, and nothing else is apart."""
        if self.apart:
            return "≠"
        return "✓" if self.comparison.compared or self.comparison.graphs or self.claims else "–"

    def line(self) -> str:
        """What was compared, and the largest difference."""
        rows, graphs = self.comparison.rows, self.comparison.graphs
        kinds = Counter(row.kind for row in rows if not row.not_compared)
        parts = [counted(kinds[kind], kind) for kind in COUNTED if kinds[kind]]
        if graphs:
            nodes = counted(sum(nodes for _, nodes in graphs), "node")
            parts.append(f"{counted(len(graphs), 'graph')} of {nodes}")
        missed = [*_left_out(rows)]
        line = ", ".join([*parts, *missed])
        line = f"both engines agree: {line}; {shown_difference(self.comparison.largest)}"
        if not parts:
            did = f"holds on both engines: {self.claims}" if self.claims else "ran on both engines"
            line = "; ".join([did, *missed])
        return _with_left_open(f"{line}; but {self.apart}" if self.apart else line, rows)

    def table(self) -> str:
        """The rows as HTML: name, kind, dtype, shape, largest difference and where it is."""
        graphs = [
            (name, "graph", "", "", f"{counted(nodes, 'node')}, the same", "")
            for name, nodes in self.comparison.graphs
        ]
        rows = [_cells(row) for row in self.comparison.rows[:ROWS_SHOWN]] + graphs[:ROWS_SHOWN]
        hidden = len(self.comparison.rows) + len(graphs) - len(rows)
        if hidden:
            rows.append((f"… and {hidden} more", "", "", "", "", ""))
        return _table(("name", "kind", "dtype", "shape", "largest difference", "where"), rows)


def _left_out(rows):
    """How many results, and how many elements of others, were not compared, and how far rounding
    moves them.
    """
    missed = [row for row in rows if row.not_compared]
    partly = [row for row in rows if row.unknown and not row.not_compared]
    elements = counted(sum(row.unknown for row in partly), "element")
    for number, some in ((str(len(missed)), missed), (elements, partly)):
        moved = [row.moved for row in some if row.unknown]
        which = "it" if len(moved) == 1 else "them"
        why = f": rounding alone moves {which} by {max(moved):.0e}" if moved else ""
        if some:
            yield f"{number} not compared{why}"


def _with_left_open(line, rows):
    """The line, and a sentence for each reason why PyTorch leaves results open, with their names."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.not_compared.startswith(LEFT_OPEN):
            reasons.setdefault(row.not_compared.removesuffix("it"), []).append(row.name)
    for reason, names in reasons.items():
        *others, last = names if len(names) < 9 else [*names[:7], f"{len(names) - 7} more"]
        joined = f"{', '.join(others)} and {last}" if others else last
        line = f"{line.removesuffix('.')}. {reason}{joined}."
    return line


def _cells(row: Row):
    shape = "" if row.shape is None else str(list(row.shape))
    outcome = f"{row.difference:.0e}" if row.difference else "0"
    if row.not_compared:
        outcome = f"not compared: {row.not_compared}"
    return row.name, row.kind, row.dtype, shape, outcome, row.where


class RaisesReport(_Line):
    """Both engines raise the expected exception. Keeps the messages, not the exceptions, which hold
    the graph.
    """

    def __init__(self, ours: BaseException, theirs: BaseException, comparison, apart: str = ""):
        self.name, self.apart = type(ours).__name__, apart
        self.messages = first_line(ours), first_line(theirs)
        self.comparison, self.mark = comparison, "≠" if apart else "✓"

    def line(self) -> str:
        """Which exception, what was not compared, and what else is apart."""
        rows = self.comparison.rows
        line = "; ".join([f"both engines raise {self.name}", *_left_out(rows)])
        return _with_left_open(f"{line}; but {self.apart}" if self.apart else line, rows)

    def table(self) -> str:
        """The first lines of both messages, side by side, as HTML."""
        return _table(("autograd_core", "PyTorch"), [self.messages])

    def __repr__(self):
        return (
            f"{self.mark} {self.line()}\n  autograd_core  {self.messages[0]}\n  PyTorch       "
            f" {self.messages[1]}"
        )

    def _repr_html_(self):
        return super()._repr_html_().replace("<details ", "<details open ")


@dataclass(frozen=True, repr=False)
class ParityReport:
    """The count for a lesson: %%both cells run, results made in them, results compared, and why the
    others were not.
    """

    cells: int = 0
    made: int = 0
    compared: int = 0
    not_compared: tuple[str, ...] = ()

    def __add__(self, cell: Comparison) -> "ParityReport":
        left_out = [f"{row.name}: {row.not_compared}" for row in cell.rows if row.not_compared]
        made, compared = self.made + cell.made, self.compared + cell.compared
        return ParityReport(self.cells + 1, made, compared, (*self.not_compared, *left_out))

    def __repr__(self):
        cells = counted(self.cells, "%%both cell")
        line = f"{self.compared} of {self.made} results compared, in {cells}"
        return "\n  not compared: ".join([line, *self.not_compared])

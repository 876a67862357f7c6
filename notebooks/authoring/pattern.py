"""What holds for every notebook of the series, as checks.

Each check takes a notebook and returns what it found wrong, one sentence each; an empty list is a
clean notebook."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from nbformat import NotebookNode

from autograd_core.lessons.questions.predict import assigned_names
from notebooks.authoring.exercises import exercises, printed

MOST_LINES = 25
MOST_MINUTES = 25
FORM = {"words": 900, "visible lines of code": 100, "code cells": 25, "predictions": 4}
"""The most of each that a lesson has outside of its folds."""
WORDS_BEFORE_WIDGET = 120
WORDS_A_MINUTE, LINES_A_MINUTE, PREDICTIONS_A_MINUTE = 200, 10, 1

# What differs between machines or between runs, and therefore has no place in a committed output.
VOLATILE = {
    "a path": re.compile(r"(?<![\w:/.-])/(?:[\w.+-]+/){2,}|~/\w|\b[A-Za-z]:\\\w|\bfile://"),
    "a memory address": re.compile(r"\b0x[0-9a-fA-F]{6,}"),
    "a network address": re.compile(r"\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0):\d+"),
    "a duration": re.compile(
        r"(?<![\w.])\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|seconds?|it/s|s/it)\b(?!/)"
    ),
    "a time of day": re.compile(r"(?<!\d)\d{1,2}:\d{2}:\d{2}\b"),
    "a date": re.compile(r"\b20\d\d-\d\d-\d\d(?!\d)"),
    "a kernel's file": re.compile(r"\bipykernel_\d+"),
}
FOLDED = re.compile(r"<details.*?</details>", re.DOTALL)
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
ASSERTING = re.compile(r"^ *assert |^%%both raises", re.MULTILINE)
AWAITED = re.compile(r"^    result=lambda ([\w, ]+):", re.MULTILINE)
NOT_READ = re.compile(r"data:[\w/+.-]+;base64,[\w+/=\s]+|<style.*?</style>", re.DOTALL)
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def executed_in_order(notebook: NotebookNode) -> list[str]:
    """Every code cell was run, once, from the top: the execution counts are 1, 2, 3 …"""
    counts = [cell.execution_count for cell in _code(notebook)]
    if not counts:
        return ["the notebook has no code cell"]
    wrong = [(i, count) for i, count in enumerate(counts, start=1) if count != i]
    return [
        f"code cell {i} has execution count {count}: run the notebook from the top"
        for i, count in wrong
    ]


def clean_outputs(notebook: NotebookNode) -> list[str]:
    """No output holds a path, an address, a time or a widget's state, and none is an untagged
    error.
    """
    found = (
        ["widget state is stored in the notebook's metadata"]
        if "widgets" in notebook.metadata
        else []
    )
    for i, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", ()):
            if WIDGET_VIEW in output.get("data", {}):
                found.append(f"cell {i} has a stored widget view, which is dead without its kernel")
            if output.output_type == "error" and "raises-exception" not in cell.metadata.get(
                "tags", ()
            ):
                found.append(f"cell {i} ends in {output.ename}: {output.evalue}")
            for text in _texts(output):
                for what, pattern in VOLATILE.items():
                    if match := pattern.search(text):
                        found.append(
                            f"cell {i} shows {what}: {text[match.start() : match.start() + 60]!r}"
                        )
    return found


def number_of_exercises(notebook: NotebookNode) -> list[str]:
    """A lesson has two to four exercises."""
    number = len(exercises(notebook))
    return [] if 2 <= number <= 4 else [f"the lesson has {number} exercises, not two to four"]


def short_cells(notebook: NotebookNode) -> list[str]:
    """No code cell is above 25 lines, claims aside."""
    numbered = enumerate(_code(notebook), start=1)
    lines = {i: len(c.source.splitlines()) for i, c in numbered if not _asserts_claims(c)}
    return [
        f"code cell {i} has {n} lines, more than {MOST_LINES}"
        for i, n in lines.items()
        if n > MOST_LINES
    ]


def short_form(notebook: NotebookNode) -> list[str]:
    """A lesson asks a question in its title, keeps the limits of FORM, shows a widget early, and
    asserts its claims in the last code cell, which is folded.
    """
    code, prose = _code(notebook), [c.source for c in notebook.cells if c.cell_type == "markdown"]
    counted = {
        "words": sum(len(FOLDED.sub("", text).split()) for text in prose),
        "visible lines of code": sum(map(_visible_lines, code)),
        "code cells": len(code),
        "predictions": sum(bool(awaited_names(cell.source)) for cell in code),
    }
    found = [
        f"the lesson has {n} {what}, more than {FORM[what]}"
        for what, n in counted.items()
        if n > FORM[what]
    ]
    widget = next((i for i, cell in enumerate(notebook.cells) if _shows_a_picture(cell)), None)
    before = sum(
        len(c.source.split()) for c in notebook.cells[:widget] if c.cell_type == "markdown"
    )
    if widget is None or before > WORDS_BEFORE_WIDGET:
        found.append(f"{before} words come before the first widget: at most {WORDS_BEFORE_WIDGET}")
    found += _title(notebook)
    if "What to take away" not in sections(notebook):
        found.append("the lesson has no section 'What to take away'")
    found += [
        f"code cell {i} asserts: move its assertions into the claims"
        for i, cell in enumerate(code)
        if re.search(r"^ *assert ", cell.source, re.MULTILINE) and not _asserts_claims(cell)
    ]
    if not code or not _asserts_claims(code[-1]) or is_shown(code[-1]):
        found.append('the last code cell is not a folded cell tagged "claims"')
    elif not ASSERTING.search(code[-1].source):
        found.append("the claims assert nothing")
    return found


def _asserts_claims(cell: NotebookNode) -> bool:
    return "claims" in cell.metadata.get("tags", ())


def _visible_lines(cell: NotebookNode) -> int:
    return sum(bool(line.strip()) for line in cell.source.splitlines()) if is_shown(cell) else 0


def _shows_a_picture(cell: NotebookNode) -> bool:
    shown = {mime for output in cell.get("outputs", ()) for mime in output.get("data", ())}
    return bool(shown & {"text/html", "image/svg+xml"}) and not awaited_names(cell.source)


def is_shown(cell: NotebookNode) -> bool:
    """Whether it is code that a reader reads: questions, and assertions that would disturb, are
    folded.
    """
    return cell.cell_type == "code" and not cell.metadata.get("jupyter", {}).get("source_hidden")


def minutes(notebook: NotebookNode) -> float:
    """About how long a lesson takes without its exercises: to read its prose and its code, and to
    predict.

    What is folded is not read. The pace is an assumption; with it lessons can be compared.
    """
    words = lines = asked = 0
    section = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            section = next(iter(re.findall(r"^## (.*)$", cell.source, re.MULTILINE)), section)
        if section == "Exercises":
            continue
        if cell.cell_type == "markdown":
            words += len(FOLDED.sub("", cell.source).split())
        elif is_shown(cell):
            lines += _visible_lines(cell)
        asked += cell.cell_type == "code" and bool(awaited_names(cell.source))
    return words / WORDS_A_MINUTE + lines / LINES_A_MINUTE + asked / PREDICTIONS_A_MINUTE


def half_an_hour(notebook: NotebookNode) -> list[str]:
    """A lesson takes at most `MOST_MINUTES` without its exercises."""
    if (spent := minutes(notebook)) <= MOST_MINUTES:
        return []
    return [f"the lesson takes {spent:.0f} minutes, more than {MOST_MINUTES}"]


def complete_exercises(notebook: NotebookNode) -> list[str]:
    """Each exercise has a task before its stub, a hint, one solution, and a check that says "not
    attempted yet".
    """
    found = []
    for exercise in exercises(notebook):
        before = notebook.cells[exercise.stub - 1] if exercise.stub else None
        said = f"{exercise.name} not attempted yet"
        missing = {
            "a code cell as its stub": notebook.cells[exercise.stub].cell_type == "code",
            "a task in a markdown cell before its stub": (
                before is not None and before.cell_type == "markdown"
            ),
            "a folded hint after its stub": bool(exercise.hint),
            "a folded solution with one python block": bool(exercise.solution),
            f"an output that says {said!r}": said in printed(notebook, exercise),
        }
        found += [
            f"exercise {exercise.name} lacks {what}" for what, there in missing.items() if not there
        ]
    return found


def everything_compared(notebook: NotebookNode) -> list[str]:
    """No %%both cell says that the engines differ in a result that an ordinary cell changed."""
    return [
        f"code cell {i} says {text}"
        for i, cell in enumerate(_code(notebook))
        for output in cell.outputs
        if (text := output.get("data", {}).get("text/plain", "")).startswith("≠")
    ]


class _Bindings(ast.NodeVisitor):
    """{name: kinds of thing that a cell binds it to}, outside of functions, classes and
    comprehensions.
    """

    def __init__(self) -> None:
        self.kinds: dict[str, set[str]] = defaultdict(set)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.kinds[node.name].add("a function")

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.kinds[node.name].add("a class")

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self.kinds[(alias.asname or alias.name).partition(".")[0]].add("what is imported")

    visit_ImportFrom = visit_Import

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.kinds[node.id].add("a value")

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.value, ast.Lambda) and isinstance(node.targets[0], ast.Name):
            self.kinds[node.targets[0].id].add("a function")
        else:
            self.generic_visit(node)

    def visit_Lambda(self, node: ast.expr) -> None:
        """Its names are its own, and so are those of comprehensions."""

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_Lambda


def one_kind_each(notebook: NotebookNode) -> list[str]:
    """No name stands for two kinds of thing: who goes back to an earlier cell would call a number,
    or add a function.
    """
    bindings = _Bindings()
    for cell in _code(notebook):
        lines = (
            "" if line.lstrip().startswith(("%", "!")) else line
            for line in cell.source.splitlines()
        )
        bindings.visit(ast.parse("\n".join(lines)))
    return [
        f"{name} is {' and '.join(sorted(kinds))}"
        for name, kinds in bindings.kinds.items()
        if len(kinds) > 1
    ]


def awaited_names(source: str) -> set[str]:
    """The names whose assignment settles the questions that the cell asks."""
    names = AWAITED.findall(source)
    return {name for found in names for name in found.split(", ")}


def folded_questions(notebook: NotebookNode) -> list[str]:
    """The sources of questions are folded, and so are saved results until a question is settled."""
    found, awaited = [], set()
    for i, cell in enumerate(_code(notebook)):
        asked, folds = awaited_names(cell.source), cell.metadata.get("jupyter", {})
        if asked and not (folds.get("source_hidden") and cell.source[0] == "#"):
            found.append(f"code cell {i} shows the source of a question")
        if awaited and not asked and cell.get("outputs") and not folds.get("outputs_hidden"):
            found.append(f"code cell {i} shows a saved result while {sorted(awaited)} is awaited")
        awaited = (awaited - assigned_names(cell.source)) | asked
    if awaited:
        found.append(f"no cell assigns {sorted(awaited)}, which a question awaits")
    return found


def _title(notebook: NotebookNode) -> list[str]:
    first = notebook.cells[0] if notebook.cells else None
    if first is None or first.cell_type != "markdown" or not first.source.startswith("# "):
        return ["the first cell is no markdown cell with a title"]
    return [] if "?" in first.source else ["the first cell asks no question"]


def sections(notebook: NotebookNode) -> list[str]:
    """Its headings of the second rank."""
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return [
        heading.strip() for heading in re.findall(r"^## (.*)$", FENCE.sub("", prose), re.MULTILINE)
    ]


def _code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _texts(output: NotebookNode) -> Iterator[str]:
    """Every text that `output` shows, pictures aside."""
    shown = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", ())]
    data = output.get("data", {})
    shown += [
        text for mime, text in data.items() if mime.startswith("text/") or mime.endswith("+xml")
    ]
    return (NOT_READ.sub("", text) for text in shown)

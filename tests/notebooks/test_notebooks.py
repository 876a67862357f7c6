"""The notebooks as committed: run from the top, clean, of one shape, with exercises whose solutions
are right.
"""

import itertools
import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from notebooks.authoring import pattern, refresh
from notebooks.authoring.exercises import exercises, solved

NOTEBOOKS = sorted(refresh.NOTEBOOKS.glob("*.ipynb"))
# no lesson: PyTorch only, nothing is compared, nothing predicted, no exercise
ALONE = "the_day_after"
SERIES = [path for path in NOTEBOOKS if path.stem != ALONE]
LESSONS = [path for path in SERIES if path.stem != "00_start_here"]

in_every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


@in_every_notebook
@pytest.mark.parametrize(
    "check",
    [
        pattern.executed_in_order,
        pattern.clean_outputs,
        pattern.short_cells,
        pattern.complete_exercises,
        pattern.everything_compared,
    ],
    ids=lambda check: check.__name__,
)
def test_notebook(path, check):
    assert check(read(path)) == []


@in_every_notebook
def test_short_form(path):
    notebook = read(path)
    assert pattern.short_form(notebook) == []
    assert path not in LESSONS or pattern.number_of_exercises(notebook) == []


@in_every_notebook
def test_no_answer_is_given_away_and_the_time_is_kept(path):
    notebook = read(path)
    assert pattern.folded_questions(notebook) == pattern.half_an_hour(notebook) == []


def test_the_readme_states_the_counted_minutes():
    readme = (refresh.NOTEBOOKS.parent / "README.md").read_text(encoding="utf-8")
    stated = re.search(r"Skimming takes (\d+) to (\d+) minutes", readme)
    counted = [pattern.minutes(read(path)) for path in SERIES]
    assert [int(minutes) for minutes in stated.groups()] == [
        5 * round(minutes / 5) for minutes in (min(counted), max(counted))
    ]
    words, lines = pattern.WORDS_A_MINUTE, pattern.LINES_A_MINUTE
    assert pattern.PREDICTIONS_A_MINUTE == 1
    assert f"{words} words, {lines} lines of code or one prediction a minute" in readme


LOCATED = {
    "1.": "First nan at Log1PBackward0 in resnet.layer3.1",
    "2.": "listener.mix: The path to the loss ends at detach()",
    "3.": "Gradients 2.3e-22 to 0.56",
    "4.": "fc.weight: has a gradient but never changes",
    "5.": "step 4: lstm.weight_hh_l0",
    "6.": "First inf at LogBackward0",
    "7.": "no step moves one by more than",
    "8.": "The path to the loss ends at a checkpoint with use_reentrant=True",
}
"""A section of the day after -> the words of its first output that locate the bug."""


def unlocated(notebook: NotebookNode) -> list[str]:
    """The sections of the day after whose first screen doesn't locate their bug, or that have no
    cause or fix. On the first screen are a symptom of 40 words, 20 lines of code, and their output.
    """
    found, sections = [], dict.fromkeys(LOCATED, "")
    cells = {number: list[NotebookNode]() for number in LOCATED}
    number = ""
    for cell in notebook.cells:
        heading = re.match(r"## (\d\.)?", cell.source) if cell.cell_type == "markdown" else None
        number = (heading[1] or "") if heading else number
        if number:
            cells[number].append(cell)
            sections[number] += cell.source
    for number, (symptom, *rest) in cells.items():
        code = list(itertools.takewhile(lambda cell: cell.cell_type == "code", rest))
        lines = sum(len(cell.source.splitlines()) for cell in code if pattern.is_shown(cell))
        texts = "\n".join(text for cell in code for out in cell.outputs for text in texts_of(out))
        if len(symptom.source.split()) > 40 or lines > 20 or LOCATED[number] not in texts:
            found.append(f"the first screen of section {number} doesn't locate the bug")
        if not re.search(r"\*\*Cause\.\*\*.*\*\*Fix\.\*\*", sections[number], re.DOTALL):
            found.append(f"section {number} has no cause and fix")
    return found


def texts_of(output: NotebookNode) -> list[str]:
    return [output.get("text", ""), output.get("data", {}).get("text/plain", "")]


def test_each_section_of_the_day_after_locates_its_bug_on_the_first_screen():
    assert unlocated(read(refresh.NOTEBOOKS / f"{ALONE}.ipynb")) == []


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("## 2.", "## 2." + " word" * 20, "the first screen of section 2."),
        ("report(loss)", "\n" * 20, "the first screen of section 2."),
        ("ends at detach()", "ends", "the first screen of section 2."),
        ("**Fix.**", "", "section 2. has no cause and fix"),
    ],
)
def test_a_section_that_locates_nothing_is_found(old, new, found):
    notebook = read(refresh.NOTEBOOKS / f"{ALONE}.ipynb")
    start = next(i for i, cell in enumerate(notebook.cells) if cell.source.startswith("## 2."))
    for cell in notebook.cells[start : start + 4]:
        cell.source = cell.source.replace(old, new)
        for output in cell.get("outputs", ()):
            output.data["text/plain"] = output.data["text/plain"].replace(old, new)
    assert [text[: len(found)] for text in unlocated(notebook)] == [found]


@in_every_notebook
def test_a_name_stands_for_one_kind_of_thing_also_in_the_solutions(path):
    assert pattern.one_kind_each(solved(read(path))) == []


# Below, a sound notebook is made, and then one defect at a time is planted in it.


def code(source: str, count: int, *texts: str, **metadata) -> NotebookNode:
    outputs = [new_output("stream", name="stdout", text=text) for text in texts]
    return new_code_cell(source, execution_count=count, outputs=outputs, metadata=metadata)


def sound_lesson() -> NotebookNode:
    """A lesson in small: some sections, and two exercises with a stub, a check, a hint and a
    solution.
    """
    cells = [
        new_markdown_cell("# Does it add?\nWhat is two and two?"),
        code("answers = {}", 1),
    ]
    cells += [new_markdown_cell(f"## {section}") for section in ("Predict", "Experiment", "Why")]
    cells.append(new_markdown_cell("## Exercises"))
    for i, name in enumerate(("01.1", "01.2")):
        cells += [
            new_markdown_cell("Say what two and two is."),
            code("answer = None", 2 + 2 * i, exercise=name),
            code(
                "verdict = {None: 'not attempted yet', 4: 'correct'}\n"
                f"print('{name}', verdict.get(answer, 'is wrong'))",
                3 + 2 * i,
                f"{name} not attempted yet\n",
            ),
            new_markdown_cell(
                "<details><summary>Hint</summary>\n\nUse your fingers.\n\n</details>\n"
                "<details><summary>Solution</summary>\n\n```python\nanswer = 2 + 2\n```\n\n</details>"
            ),
        ]
    cells += [new_markdown_cell("## What to take away\nIt is four."), code("%%both\nfour = 4", 6)]
    cells[-1].outputs = [new_output("display_data", {"text/plain": "✓ same on PyTorch"})]
    return new_notebook(cells=cells)


def short_lesson() -> NotebookNode:
    """The small lesson in the new form: a picture at once, and its claims at the end."""
    notebook = sound_lesson()
    picture = new_output("display_data", {"text/html": "<svg/>"})
    notebook.cells[1].outputs = [picture]
    claims = new_code_cell("%%both\nassert 2 + 2 == 4")
    claims.metadata = {"tags": ["claims"], "jupyter": {"source_hidden": True}}
    notebook.cells[-1] = claims
    return notebook


def says(text: str) -> Callable[[NotebookNode], None]:
    def plant(notebook):
        notebook.cells[1].outputs = [new_output("stream", text=text)]

    return plant


def shows(mime: str, data: str) -> Callable[[NotebookNode], None]:
    def plant(notebook):
        notebook.cells[1].outputs = [new_output("display_data", {mime: data})]

    return plant


def raises(notebook):
    notebook.cells[1].outputs = [new_output("error", ename="ValueError", evalue="no", traceback=[])]


def changes(cell: int, **fields) -> Callable[[NotebookNode], None]:
    return lambda notebook: notebook.cells[cell].update(fields)


def stores_widget_state(notebook):
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {}}


def runs(*sources: str) -> Callable[[NotebookNode], None]:
    def plant(notebook):
        notebook.cells += [new_code_cell(source) for source in sources]

    return plant


def says_below(text: str) -> Callable[[NotebookNode], None]:
    """In the section Experiment, with no code beside it."""

    def plant(notebook):
        notebook.cells[3].source += f"\n{text}"

    return plant


def asks(notebook):
    """A question, a cell, and the cell that answers the question; nothing is folded."""
    question = 'predict("01.9", "Is it?", ["yes", "no"],\n    result=lambda x: x)'
    sources = (question, "y = 3", "x = 0")
    shown = [new_output("stream", text="shown\n")]
    notebook.cells[3:3] = [new_code_cell(source, outputs=shown) for source in sources]


def asks_in_vain(notebook):
    asks(notebook)
    del notebook.cells[5]


def asks_folded(notebook):
    asks(notebook)
    refresh.fold(notebook)
    notebook.cells[4].metadata.pop("jupyter")


STUB = exercises(sound_lesson())[0].stub
CHECK, FOLDED = STUB + 1, STUB + 2
PLANTED = {
    pattern.executed_in_order: [
        (changes(STUB, execution_count=None), "execution count None"),
        (changes(STUB, execution_count=1), "execution count 1"),
        (lambda notebook: notebook.update(cells=[]), "no code cell"),
    ],
    pattern.clean_outputs: [
        (says("saved in /srv/people/ann/net.npz"), "a path"),
        (says("C:\\Users\\ann"), "a path"),
        (says("see ~/lessons"), "a path"),
        (shows("text/plain", "<Node at 0x7f3a5c00d0>"), "a memory address"),
        (shows("image/svg+xml", "<svg><dc:date>2026-01-31</dc:date></svg>"), "a date"),
        (says("at http://localhost:8888"), "a network address"),
        (says("100 steps in 0.12 s"), "a duration"),
        (says("17.3it/s"), "a duration"),
        (says("done at 10:11:12"), "a time of day"),
        (says("in ipykernel_123"), "a kernel's file"),
        (shows(pattern.WIDGET_VIEW, ""), "stored widget view"),
        (stores_widget_state, "widget state"),
        (raises, "ends in ValueError: no"),
    ],
    pattern.folded_questions: [
        (asks, "code cell 1 shows the source of a question"),
        (asks_folded, "code cell 2 shows a saved result while ['x'] is awaited"),
        (asks_in_vain, "no cell assigns ['x']"),
    ],
    pattern.short_cells: [
        (changes(1, source="\n".join(["pass"] * 26)), "code cell 1 has 26 lines"),
    ],
    pattern.half_an_hour: [
        (changes(4, source="## Why\n" + "word " * 7000), "takes 35 minutes, more than 25"),
    ],
    pattern.complete_exercises: [
        (changes(STUB - 1, cell_type="raw"), "lacks a task"),
        (changes(STUB, cell_type="markdown"), "lacks a code cell"),
        (changes(FOLDED, source=""), "lacks a folded hint"),
        (changes(FOLDED, source=""), "lacks a folded solution"),
        (changes(CHECK, outputs=[]), "'01.1 not attempted yet'"),
    ],
    # A reader who goes back from the last of these cells calls a number, or finds no module.
    pattern.one_kind_each: [
        (runs("def loss(x): ...", "a = loss(1)", "loss = 3"), "loss is a function and a value"),
        (runs("import math", "for math in range(3): pass"), "math is a value and what is"),
        (runs("class Net: ...", "def Net(): ..."), "Net is a class and a function"),
        (runs("mean = lambda x: x", "mean, spread = 1, 2"), "mean is a function and a value"),
        (runs("%%both\ndef f(x): ...", "with open(0) as f: ..."), "f is a function and a value"),
        (runs("from math import tau as x", "if tau:\n    x += 1"), "x is a value and what is"),
        (runs("from torch.nn import functional as F", "[F := 1]"), "F is a value and what is"),
    ],
    pattern.everything_compared: [
        (shows("text/plain", "≠ same, but x differs"), "code cell 0 says ≠ same, but x differs"),
    ],
}


@pytest.mark.parametrize("check", PLANTED, ids=lambda check: check.__name__)
def test_a_planted_defect_is_found_and_a_sound_notebook_passes(check):
    assert check(sound_lesson()) == []
    for plant, found in PLANTED[check]:
        notebook = sound_lesson()
        plant(notebook)
        assert found in "\n".join(check(notebook))


@pytest.mark.parametrize(
    "text",
    [
        "tensor(0.5250, grad_fn=<SigmoidBackward0>)",
        "<MulBackward0 object at 0x...>",
        "torch.float64, 3/4 of 2 steps, 5 in 4 sums",
        '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>',
        '<style>.ac-edge { transition: 240ms }</style><img src="data:image/png;base64,iVB/ab/cd/ef+/gh/ij/==">',
    ],
)
def test_clean_outputs_lets_pass(text):
    notebook = sound_lesson()
    shows("text/html", text)(notebook)
    assert pattern.clean_outputs(notebook) == []


def test_expected_error_is_allowed_where_it_is_tagged():
    notebook = sound_lesson()
    raises(notebook)
    notebook.cells[1].metadata["tags"] = ["raises-exception"]
    assert pattern.clean_outputs(notebook) == []


@pytest.mark.parametrize(
    "sources",
    [
        ("x = 1", "x = 'one'", "x += 's'", "for x in 'abc': pass"),
        ("def loss(x):\n    return x", "loss = lambda x: 2 * x"),
        ("import torch.nn", "import torch", "from torch import nn", "import torch.nn as nn"),
        (
            "def loss(): ...",
            "def f(loss):\n    loss = 1",
            "class Net:\n    loss = 1",
            "net.loss = 1",
            "table['loss'] = 1",
        ),
        (
            "def loss(): ...",
            "[loss for loss in 'ab']",
            "{loss: 1 for loss in 'ab'}",
            "f = lambda loss: loss",
            "del loss",
        ),
        ("%load_ext loss\n!loss\ndef loss(): ...",),
    ],
)
def test_one_kind_each_lets_pass(sources):
    notebook = sound_lesson()
    runs(*sources)(notebook)
    assert pattern.one_kind_each(notebook) == []


def test_a_solution_that_makes_a_function_of_a_value_is_found():
    notebook = sound_lesson()
    notebook.cells[FOLDED].source = notebook.cells[FOLDED].source.replace(
        "answer = 2 + 2", "def answer(): ..."
    )
    assert pattern.one_kind_each(notebook) == []
    assert pattern.one_kind_each(solved(notebook)) == ["answer is a function and a value"]


def test_questions_are_folded_by_refresh():
    notebook = sound_lesson()
    asks(notebook)
    refresh.fold(notebook)
    refresh.fold(notebook)
    assert pattern.folded_questions(notebook) == []
    assert [cell.metadata.get("jupyter") for cell in notebook.cells[3:7]] == [
        {"source_hidden": True},
        {"outputs_hidden": True},
        {"outputs_hidden": True},
        None,
    ]


def asks_five_times(notebook):
    question = 'predict("01.9", "Is it?", ["yes", "no"],\n    result=lambda x: x)'
    notebook.cells[3:3] = [new_code_cell(question) for _ in range(5)]


@pytest.mark.parametrize(
    ("plant", "found"),
    [
        (says_below("word " * 900), "words, more than 900"),
        (changes(1, source="\n".join(["pass"] * 101)), "visible lines of code, more than 100"),
        (runs(*["pass"] * 25), "code cells, more than 25"),
        (asks_five_times, "5 predictions, more than 4"),
        (changes(0, source="Adding"), "no markdown cell with a title"),
        (changes(0, source="# Adding"), "asks no question"),
        (changes(0, source="# Why?\n" + "word " * 120), "122 words come before the first widget"),
        (changes(1, outputs=[]), "come before the first widget"),
        (
            changes(len(short_lesson().cells) - 2, source="It is four."),
            "no section 'What to take away'",
        ),
        (changes(STUB, source="    assert True"), "code cell 1 asserts"),
        (runs("pass"), "the last code cell is not a folded cell"),
        (
            changes(len(short_lesson().cells) - 1, source="%%both\nclaims = 4"),
            "the claims assert nothing",
        ),
        (
            changes(len(short_lesson().cells) - 1, metadata={"tags": ["claims"]}),
            "the last code cell is not a folded cell",
        ),
    ],
)
def test_a_fault_of_the_short_form_is_found(plant, found):
    notebook = short_lesson()
    assert pattern.short_form(notebook) == []
    plant(notebook)
    assert any(found in fault for fault in pattern.short_form(notebook))


@pytest.mark.parametrize("blocks", ["", "```python\na = 1\n```\n\n```python\nb = 2\n```\n"])
def test_exercise_without_exactly_one_solution_is_refused(blocks):
    notebook = sound_lesson()
    notebook.cells[FOLDED].source = f"<details><summary>Solution</summary>\n\n{blocks}\n</details>"
    with pytest.raises(
        ValueError, match="exercise 01.1 has no folded solution with exactly one python block"
    ):
        solved(notebook)

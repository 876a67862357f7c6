"""Lessons on a page that is slowed down twenty times: every widget starts, every answer arrives.

anywidget gives a model two seconds to load its script, and later ignores its messages. On a page as
slow as this one, most models need longer. The kernel isn't slowed down.
"""

import re
import symtable
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType

import nbformat
import pytest

from tests.browser.lab import LabPage
from tests.browser.server import HOUSE

SLOWER = 20
LESSONS = (
    "05_stale_and_in_place",
    "11_two_networks",
    "12_optimizer_steps",
    "13_debug_the_loop",
)
PICTURE = re.compile(r"\b(watch|typed|curves|switchboard|race|ward)\(")
SHOWS = re.compile(rf"\bpredict(ed)?\(|{PICTURE.pattern}")
RUN = "%%capture\nfor source in {}:\n    get_ipython().run_cell(source).raise_error()"

# Commit to the first choice of every question, and wait until the kernel has sent its answers.
ANSWER = """
const chosen = [], kernel = panel.sessionContext.session.kernel;
for (const question of notebook.node.querySelectorAll(".ac-choice")) {
  const radio = question.querySelector("[role=radio]");
  radio.click();
  chosen.push(radio.querySelector(".ac-choice-title").textContent);
  await new Promise((done) => setTimeout(done, 300));
}
await kernel.requestExecute({ code: "" }).done;
return chosen"""
# A widget's output, and not the words that are left of it without a kernel.
WIDGET = ".jp-OutputArea-output:not([data-mime-type])"
TEXTS = "texts => texts.map((each) => each.textContent)"
DRAWN = """views => views.map((view) => [view.className, Math.max(0, ...[...view.querySelectorAll("svg")]
  .map((svg) => svg.getBoundingClientRect().width && svg.querySelectorAll("*").length))])"""


def names_of(source: str) -> tuple[set[str], set[str]]:
    """The names that a cell assigns, and the global names and attributes that it uses."""
    source = re.sub(r"(?m)^%.*", "", source)
    symbols = symtable.symtable(source, "cell", "exec").get_symbols()

    def used(code: CodeType) -> set[str]:
        inner = (used(each) for each in code.co_consts if isinstance(each, CodeType))
        return {*code.co_names}.union(*inner)

    assigned = {each.get_name() for each in symbols if each.is_assigned() or each.is_imported()}
    return assigned, used(compile(source, "cell", "exec"))


def shortened(lesson: str) -> list[str]:
    """The cells of a lesson that show a widget. Before each of them, one cell runs the cells that it
    needs.
    """
    cells = nbformat.read(HOUSE / "notebooks" / f"{lesson}.ipynb", as_version=4).cells
    sources = [each.source for each in cells if each.cell_type == "code"]
    needed: set[str] = set()
    kept: list[str] = []
    between: list[str] = []
    for source in ["", *sources][::-1]:
        assigned, used = names_of(source)
        if "globals" in used:  # it runs code that is given as text, which may use any name
            used = set().union(*(names_of(each)[0] for each in sources))
        if not source or SHOWS.search(source):
            kept += [RUN.format(between[::-1]), source] if between else [source]
            between = []
        elif assigned & needed:
            between.append(source)
        else:
            continue
        needed = needed - assigned | used
    return kept[-2::-1]


@contextmanager
def slowed(page: LabPage) -> Iterator[None]:
    session = page.page.context.new_cdp_session(page.page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    yield
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    session.detach()


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_widget_starts_and_every_answer_arrives(lab, lesson):
    sources = shortened(lesson)
    with lab.open(lab.write(f"slow {lesson}.ipynb", sources)) as page:
        with slowed(page):
            page.start_all()
            page.wait_idle()
        for cell in range(len(sources)):
            page.cell_output(cell)
        with slowed(page):
            chosen = page._ask(ANSWER)
        page.wait_idle()
        widgets = page.page.locator(f".jp-Notebook {WIDGET}")
        assert len(chosen) == sum("predict(" in source for source in sources)
        told = widgets.locator(".ac-settled").evaluate_all(TEXTS)
        assert len(told) == len(chosen)
        assert [text for title, text in zip(chosen, told) if title not in text] == []
        kept = widgets.locator(".ac-choice-status").evaluate_all(TEXTS)
        assert len(kept) == len(chosen)
        assert [text for text in kept if not text.startswith("Kept, and locked.")] == []
        drawn = widgets.locator(".ac-view").evaluate_all(DRAWN)
        assert len(drawn) == sum(bool(PICTURE.search(source)) for source in sources)
        assert [name for name, parts in drawn if parts < 10] == []
        shown = "\n".join(page.page.locator(".jp-Notebook .jp-Cell-outputArea").evaluate_all(TEXTS))
        assert "undefined" not in shown and "did not start" not in shown
        assert page.problems() == []

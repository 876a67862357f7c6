"""Widgets on a page that is slowed down twenty times: each starts, and every answer arrives.
Three classes, drawn anew every day, on every push; all in `make prove`.

anywidget gives a model two seconds to load its script, and later ignores its messages. On a page as
slow as this one, most models need longer. The kernel isn't slowed down.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager

from tests.browser.lab import LabPage
from tests.browser.server import HOUSE
from tests.budget import SEED, budget
from tests.widgets.test_contract import MAKERS

SLOWER = 20
QUESTIONS = 2
SETUP = f"""
import sys
sys.path.insert(0, {str(HOUSE)!r})
from autograd_core.lessons import predict
from tests.widgets.test_contract import MAKERS
make = {{kind.__name__: maker for kind, maker in MAKERS.items()}}
"""
ASK = f"""
for number in range({QUESTIONS}):
    display(predict(f"9{{number}}.1", "It is", ["this", "that"], result=lambda found: found))
found = 0
"""
VIEWS = [kind.__name__ for kind in MAKERS if kind.__name__ not in ("Prediction", "Quiz")]
SHOWN = random.Random(SEED).sample(VIEWS, budget(3, len(VIEWS)))
SOURCES = [
    SETUP,
    ASK,
    f"for name in {SHOWN}:\n    display(make[name]())",
]

# Commit to the first choice of every question, and wait until the kernel has sent its answers.
ANSWER = """
const questions = [...notebook.node.querySelectorAll(".ac-choice")];
for (const question of questions) {
  question.querySelector("[role=radio]").click();
  await new Promise((done) => setTimeout(done, 300));
}
await panel.sessionContext.session.kernel.requestExecute({ code: "" }).done;
return questions.length"""
# A widget's output, and not the words that are left of it without a kernel.
WIDGET = ".jp-OutputArea-output:not([data-mime-type])"
PARTS = "views => views.map((view) => [view.className, view.querySelectorAll('*').length])"


@contextmanager
def slowed(page: LabPage) -> Iterator[None]:
    session = page.page.context.new_cdp_session(page.page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    yield
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    session.detach()


def test_every_widget_starts_and_every_answer_arrives(lab):
    with lab.open(lab.write("slow.ipynb", SOURCES)) as page:
        page.start_cell(0)  # its imports need not be waited for on a slow page
        page.wait_idle()
        with slowed(page):
            page.start_all()
            page.wait_idle()
        for cell in range(len(SOURCES)):
            page.cell_output(cell)
        with slowed(page):
            assert page._ask(ANSWER) == QUESTIONS
        page.wait_idle()
        widgets = page.page.locator(f".jp-Notebook {WIDGET}")
        told = widgets.locator(".ac-choice-status").all_text_contents()
        assert len(told) == QUESTIONS
        assert [text for text in told if not text.startswith("Chosen after the run")] == []
        drawn = widgets.locator(".ac-view").evaluate_all(PARTS)
        assert len(drawn) == len(SHOWN)
        assert [name for name, parts in drawn if parts < 20] == []
        outputs = page.page.locator(".jp-Notebook .jp-Cell-outputArea").all_text_contents()
        assert not any("undefined" in text or "did not start" in text for text in outputs)
        assert page.problems() == []

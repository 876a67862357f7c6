"""Notebooks in real JupyterLab, as `make lab` starts it: the lessons run, widgets start on a slow
page, a saved notebook is opened again, and plain keys stay in a widget. The driver of these tests
finds planted problems.

JupyterLab starts once for all these tests, so they are in one file. Pages that have the same notebook
open share its kernel, so no other file opens a lesson.
"""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from autograd_core.widgets.kit.shown import WORDS
from tests.browser.lab import LabPage
from tests.browser.one_screen import LAPTOP, NARROW, faults
from tests.browser.page import until
from tests.browser.server import HOUSE
from tests.budget import SEED, budget
from tests.widgets.test_contract import MAKERS

# ---- lessons: the first on every push, all in `make prove` ----------------------------------------

FIRST, *LESSONS = sorted(path.name for path in (HOUSE / "notebooks").glob("*.ipynb"))


def runs_to_its_end(page):
    page.run_all()
    assert page.problems() == []
    assert page.unfinished() == []
    assert faults(page.page, (LAPTOP, NARROW)) == []


def test_printed_address_opens_the_first_lesson_with_nothing_over_it_and_it_runs(lab):
    with lab.open_printed() as page:
        assert page.name() == FIRST
        assert page.page.locator(".jp-Dialog, .Toastify__toast").count() == 0
        runs_to_its_end(page)


@pytest.mark.prove
@pytest.mark.parametrize("name", LESSONS)
def test_notebook_runs_to_its_end(lab, name):
    with lab.open(name) as page:
        runs_to_its_end(page)


# ---- a page that is slowed down twenty times -----------------------------------------------------

SLOWER = 20
QUESTIONS = budget(1, 2)
VIEWS = [kind.__name__ for kind in MAKERS if kind.__name__ not in ("Prediction", "Quiz")]
SHOWN = random.Random(SEED).sample(VIEWS, budget(2, len(VIEWS)))
MAKE = f"""
import sys
sys.path.insert(0, {str(HOUSE)!r})
from autograd_core.lessons import predict
from tests.widgets.test_contract import MAKERS
make = {{kind.__name__: maker for kind, maker in MAKERS.items()}}
"""
SHOW = f"""
for number in range({QUESTIONS}):
    display(predict(f"9{{number}}.1", "It is", ["this", "that"], result=lambda found: found))
found = 0
for name in {SHOWN}:
    display(make[name]())
"""

# Commit to the first choice of every question.
ANSWER = """
for (const question of notebook.node.querySelectorAll(".ac-choice")) {
  question.querySelector("[role=radio]").click();
  await new Promise((done) => setTimeout(done, 300));
}"""
# The output of a widget. The words that replace it without a kernel have a MIME type.
WIDGET = ".jp-OutputArea-output:not([data-mime-type])"
PARTS = "views => views.map((view) => [view.className, view.querySelectorAll('*').length])"


@contextmanager
def slowed(page: LabPage) -> Iterator[None]:
    session = page.page.context.new_cdp_session(page.page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    yield
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    session.detach()


def test_every_widget_starts_and_every_answer_arrives_on_a_slow_page(lab, notebook):
    """`make test` shows two classes, a different sample each day. `make prove` shows all classes.

    anywidget gives a model two seconds to load its script. After that, it ignores the model's
    messages. On a page as slow as this one, most models need longer. Chromium slows a page down by
    keeping a core busy, so the page is slow only while the widgets start and answer.
    """
    with lab.open(notebook(MAKE, SHOW)) as page:
        page.start_cell(0)
        page.wait_idle()
        widgets = page.page.locator(f".jp-Notebook {WIDGET}")
        views, told = widgets.locator(".ac-view"), widgets.locator(".ac-choice-status")
        with slowed(page):
            page.start_cell(1)
            until(page.page, lambda: (views.count(), told.count()) == (len(SHOWN), QUESTIONS))
            page._ask(ANSWER)
            answered = told.filter(has_text="Chosen after the run")
            until(page.page, lambda: answered.count() == QUESTIONS)
        page.wait_idle()
        assert [name for name, parts in views.evaluate_all(PARTS) if parts < 20] == []
        outputs = page.page.locator(".jp-Notebook .jp-Cell-outputArea").all_text_contents()
        assert not any("undefined" in text or "did not start" in text for text in outputs)
        assert page.problems() == []


# ---- a second day --------------------------------------------------------------------------------

NAN = """
import torch
from ipywidgets import FloatProgress, interact
from autograd_core.lessons import check, predict
from autograd_core import watch
x = torch.tensor([0.5, 2.0], requires_grad=True)
loss = (torch.log(x - 0.5) * torch.tensor([0.0, 1.0])).sum()
"""
ASK = """predict("77.1", "The gradient at `x` is", ["finite", "nan", "inf"],
    result=lambda found: found, because="0 times inf is nan")"""
NEXT = """found = 1
predict("77.2", "The gradient at `loss` is", ["0", "1"], result=lambda later: later)"""
WATCH = 'watch(loss, title="A nan")'
SLIDER = "@interact(w=(0, 3))\ndef shown(w=1): print(w)"
BAR = "FloatProgress(7)"
WIDGETS = ".ac-root.ac-view, .ac-root.ac-choice, .jupyter-widgets"


def texts(page) -> list[str]:
    """The visible text of each output."""
    return [page.cell_output(cell).inner_text() for cell in range(1, 6)]


def is_left(page) -> None:
    """Wait until each cell shows the remains of its widget, and check that they contain no control."""
    until(page.page, lambda: [text.count(WORDS) for text in texts(page)] == [1] * 5)
    ask, _next, watch, slider, bar = shown = texts(page)
    assert "inf ← your answer" in ask and "What happened: nan, because" in ask
    assert (slider, bar) == (WORDS, WORDS) and "Error" not in "".join(shown)
    pictures = page.cell_output(3).locator("img")
    assert pictures.count() == 1 and pictures.first.bounding_box()["height"] > 200
    assert page.page.locator(f":is({WIDGETS}):visible").count() == 0
    hands = ":is(input, button, [role=radio], [role=slider]):visible"
    assert page.page.locator(f".jp-Cell-outputArea {hands}").count() == 0


def is_live(page) -> None:
    """Wait until each cell shows its widget instead of its remains."""
    until(page.page, lambda: WORDS not in "".join(texts(page)))
    assert page.page.locator(f":is({WIDGETS}):visible").count() >= 5


def saved(lab, name: str) -> dict:
    return json.loads((lab.server.folder / name).read_text(encoding="utf-8"))


def test_a_saved_notebook_shows_what_is_left_and_its_next_save_changes_nothing(lab, notebook):
    """A lesson was run, saved and opened again. The file contains no widget state. The page shows
    stills and the words "run this cell first", and no dead control accepts a click.
    """
    name = notebook(NAN, ASK, NEXT, WATCH, SLIDER, BAR)
    with lab.open(name) as page:
        page.run_all()
        is_live(page)
        assert page.page.locator(".jp-OutputArea img").count() == 1
        assert not page.page.locator(".jp-OutputArea img").is_visible(), "its view is there"
        page.cell_output(1).get_by_role("radio", name="inf").click()
        page.page.get_by_text("What happened: nan, because").first.wait_for()
        page.wait_idle()
        page.save()
        assert page.problems() == []
        first = saved(lab, name)
        page.restart()
        is_left(page)
    with lab.open(name) as page:
        is_left(page)
        page.save()
        again = saved(lab, name)
        assert "widgets" not in again["metadata"]
        assert again["cells"] == first["cells"]
        page.run_all()
        is_live(page)


# ---- a heat map that grows -----------------------------------------------------------------------

FOLLOWED = """
import time
import torch
from autograd_core import follow
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
optimizer, x = torch.optim.SGD(net.parameters(), lr=0.1), torch.linspace(-1, 1, 15).reshape(5, 3)
history = follow(net, optimizer)
"""
TRAIN = """
from pathlib import Path
steps = 0
while not Path("seen").exists():
    optimizer.zero_grad()
    (net(x) ** 2).mean().backward()
    optimizer.step()
    steps += 1
    time.sleep(0.01)
steps
"""
LOOK = """() => {
  window.seen = new Set();
  const look = () => window.seen.add(document.querySelector(".ac-history-foot .ac-q")?.textContent ?? "");
  new MutationObserver(look).observe(document.body, { childList: true, characterData: true, subtree: true });
}"""


def test_a_history_grows_while_a_cell_trains(lab, notebook):
    """The cell trains until the page has shown some of its counts: how fast the machine is does not
    matter.
    """
    with lab.open(notebook(FOLLOWED, "history", TRAIN)) as page:
        page.page.evaluate(LOOK)
        page.start_all()
        page.page.wait_for_function("window.seen.size > 4")
        (lab.server.folder / "seen").touch()
        page.wait_idle()
        steps, output = int(page.cell_output(2).locator("pre").inner_text()), page.cell_output(1)
        # the last counts appear too, although the cell doesn't call stop()
        output.get_by_text(f"{steps} steps of 2 layers.").wait_for()
        counts = [int(text.split()[0]) for text in page.page.evaluate("[...window.seen]") if text]
        assert counts == sorted(counts) and counts[-1] == steps
        assert page.problems() == []


# ---- the driver ----------------------------------------------------------------------------------


def test_token_stays_on(lab):
    with lab.browser.new_context() as context:
        page = context.new_page()
        page.goto(lab.server.url + "doc/tree/notebooks/00_start_here.ipynb")
        assert "/login" in page.url


def widget(body: str) -> str:
    return f"""
import anywidget
class Planted(anywidget.AnyWidget):
    _esm = '''export default {{ render({{ el }}) {{ {body} }} }}'''
Planted()
"""


PLANTED = {
    widget("throw new Error('thrown')"): "console: Error: thrown",
    widget("setTimeout(() => { throw new Error('late') })"): "console: late",
    widget("Promise.reject(new Error('rejected'))"): "console: rejected",
    widget(
        "setTimeout(() => el.removeChild(document.createElement('p')))"
    ): "console: Failed to execute 'removeChild' on 'Node'",
    widget("console.error('printed')"): "console: printed",
    widget(
        "fetch('https://outside.invalid/a').catch(() => {})"
    ): "outside request: https://outside.invalid/a",
    widget("new WebSocket('wss://outside.invalid/b')"): "outside request: wss://outside.invalid/b",
    "from IPython.display import HTML\nHTML('<img src=\"http://outside.invalid/c\">')": "outside request: http://outside.invalid/c",
    "1 / 0": "error: ZeroDivisionError: division by zero",
}


LATE = """() => {
  const { send } = WebSocket.prototype;
  window.mend = () => { WebSocket.prototype.send = send; };
  WebSocket.prototype.send = function (data) {
    setTimeout(() => { if (this.readyState === WebSocket.OPEN) send.call(this, data); }, 600);
  };
}"""
EXPLORED = "from autograd_core import explore\nexplore(lambda w: w * 3, w=(1, -2, 2))"


def test_the_driver_waits_and_finds_planted_problems(lab, notebook):
    with lab.open(notebook(EXPLORED, *PLANTED, "import time; time.sleep(60)")) as page:
        page.run_all()
        wanted = PLANTED.values()
        until(page.page, lambda: all(each in "\n".join(page.problems()) for each in wanted))
        assert page.unfinished() == [len(PLANTED) + 1], (
            "cells after an error have no execution count"
        )
        page.page.evaluate(LATE)
        page.cell_output(0).get_by_role("slider", name="w", exact=True).first.press("End")
        page.wait_idle()
        values = page.cell_output(0).locator(".ac-node .ac-value").all_text_contents()
        assert any(value.endswith("6") for value in values), "wait_idle waits for a late change"
        page.page.evaluate("mend()")
        page.start_cell(len(PLANTED) + 1)
        told = rf"not idle within 1 s: code cell {len(PLANTED) + 1} runs, the kernel has had \d+\.\d s of CPU"
        with pytest.raises(TimeoutError, match=told):
            page.wait_idle(seconds=1)


def test_unknown_notebook_is_refused(lab):
    with (
        pytest.raises(FileNotFoundError, match="absent.ipynb is not among"),
        lab.open("absent.ipynb"),
    ):
        pass


# ---- keys ----------------------------------------------------------------------------------------

CELLS = [
    "from autograd_core.lessons import predict\nfrom autograd_core.widgets import explore",
    'predict("73.1", "At `u` is", ["the last", "the sum", "the mean"], result=lambda at_u: at_u)',
    'explore("a * b + sin(a)", a=2.0, b=-1.0)',
    *["1"] * 12,
    "import time; time.sleep(1)",
]


@pytest.fixture(scope="module")
def page(lab):
    """The notebook that the tests of the keys share. They are the last ones of this file."""
    with lab.open(lab.write("keys.ipynb", CELLS), height=700) as page:
        for cell in range(3):
            page.start_cell(cell)
            page.wait_idle()
        yield page
        assert page.problems() == []


def shape_of(page) -> tuple:
    """The state that a key would change if it reached JupyterLab: the number of cells and of hidden
    cells, the mode, and the active cell.
    """
    return tuple(
        page._ask(f"return {what}")
        for what in (
            "notebook.widgets.length",
            "notebook.widgets.filter(cell => cell.isHidden).length",
            "notebook.mode",
            "notebook.activeCellIndex",
        )
    )


def test_enter_commits_to_an_answer_and_shift_enter_leads_to_the_next_cell(page):
    page.cell_output(1).get_by_role("radio").nth(1).focus()
    page.page.keyboard.press("Enter")
    page.page.get_by_text("Your answer is kept").first.wait_for()
    assert page._ask("return notebook.mode") == "command", "Enter did not open the cell's editor"
    page.page.keyboard.press("Shift+Enter")
    until(page.page, lambda: page._ask("return notebook.activeCellIndex") == 2)
    page.wait_idle()


def test_the_keys_of_a_slider_stay_in_the_view(page):
    view, keys = page.cell_output(2), page.page.keyboard
    slider = view.get_by_role("slider", name="a", exact=True)
    slider.click()
    slider.focus()
    value, before = float(slider.input_value()), shape_of(page)
    for key in ("ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowRight", "x", "d", "d", "a", "m"):
        keys.press(key)
    page.wait_idle()
    assert float(slider.input_value()) == pytest.approx(value - 0.02)
    assert shape_of(page) == before
    assert slider.evaluate("slider => document.activeElement === slider")


def test_a_click_and_space_plays(page):
    view = page.cell_output(2)
    view.get_by_role("slider", name="Event").press("Home")
    view.locator(".ac-status").click(position={"x": 6, "y": 6})
    place = view.locator(".ac-title").bounding_box()["y"]
    page.page.keyboard.press("Space")
    view.get_by_text("Playing").wait_for()
    assert view.locator(".ac-title").bounding_box()["y"] == place, "the page did not scroll"
    page.page.keyboard.press("Space")


def test_the_keys_of_a_box_stay_in_the_view_and_chords_go_on(page):
    view, keys = page.cell_output(2), page.page.keyboard
    view.locator(".ac-node").first.click()
    before = shape_of(page)
    for key in ("x", "d", "d", "b", "ArrowUp", "ArrowLeft", "Home", "Enter", "z"):
        keys.press(key)
    assert shape_of(page) == before
    keys.press("Shift+Enter")
    until(page.page, lambda: page._ask("return notebook.activeCellIndex") == 3)
    page.wait_idle()


def test_an_echo_from_a_busy_kernel_takes_no_step_back(page):
    track, seen = page.cell_output(2).get_by_role("slider", name="Event"), set()
    page.start_cell(len(CELLS) - 1)
    track.press("Home")
    # the kernel sleeps, so it gets this message afterwards
    page.page.wait_for_timeout(400)
    for key in ("End", "ArrowLeft") * 6:
        track.press(key)
        page.page.wait_for_timeout(100)
        seen.add(track.get_attribute("aria-valuenow"))
    page.wait_idle()
    last = track.get_attribute("aria-valuemax")
    assert seen == {last, str(int(last) - 1)}

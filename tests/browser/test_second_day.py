"""A lesson that was run loses its kernel, and is saved and opened again: a second time, a third
time. No widget state is saved; stills and the words "run this cell first" are shown, and nothing
that is dead takes a click.
"""

import json

from autograd_core.widgets.kit.shown import WORDS

SETUP = """
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
    """What a reader sees of the outputs, cell by cell."""
    return [page.cell_output(cell).inner_text() for cell in range(1, 6)]


def is_left(page) -> None:
    """Whether each cell shows what is left of its widget, and no more."""
    ask, _next, watch, slider, bar = shown = texts(page)
    assert [text.count(WORDS) for text in shown] == [1] * 5
    assert "inf ← your answer" in ask and "What happened: nan, because" in ask
    assert (slider, bar) == (WORDS, WORDS) and "Error" not in "".join(shown)
    pictures = page.cell_output(3).locator("img")
    assert pictures.count() == 1 and pictures.first.bounding_box()["height"] > 200
    assert page.page.locator(f":is({WIDGETS}):visible").count() == 0
    hands = ":is(input, button, [role=radio], [role=slider]):visible"
    assert page.page.locator(f".jp-Cell-outputArea {hands}").count() == 0


def saved(lab, name: str) -> dict:
    return json.loads((lab.server.folder / name).read_text(encoding="utf-8"))


def run_and_answer(page) -> None:
    page.run_all()
    live = texts(page)
    assert WORDS not in "".join(live) and page.page.locator(".jp-OutputArea img").count() == 1
    assert not page.page.locator(".jp-OutputArea img").is_visible(), "its view is there"
    page.cell_output(1).get_by_role("radio", name="inf").click()
    page.page.get_by_text("What happened: nan, because").first.wait_for()
    page.wait_idle()


def test_three_openings_with_saves(lab, notebook):
    name = notebook(SETUP, ASK, NEXT, WATCH, SLIDER, BAR)
    with lab.open(name) as page:
        run_and_answer(page)
        page.save()
        assert page.problems() == []
        first = saved(lab, name)
        page.restart()
        is_left(page)
    for opening in ("second", "third"):
        with lab.open(name) as page:
            is_left(page)
            page.save()
            again = saved(lab, name)
            assert "widgets" not in again["metadata"]
            assert again["cells"] == first["cells"]
            if opening == "third":
                page.run_all()
                assert WORDS not in "".join(texts(page))
                assert page.page.locator(f":is({WIDGETS}):visible").count() >= 5

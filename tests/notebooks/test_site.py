"""What a page of the site is made of: outcomes of the reader's hands, models, prose."""

import base64
import gzip
import json
import os

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_notebook

from autograd_core.lessons.questions import predict as asked
from autograd_core.lessons.questions import quiz as quiz_module
from autograd_core.lessons.questions.predict import predict
from autograd_core.lessons.widgets.curves import curves
from autograd_core.widgets import explore
from autograd_core.widgets.kit.format import number
from autograd_core.widgets.kit.live import Live
from notebooks.authoring import refresh
from notebooks.authoring.site import outcomes as module
from notebooks.authoring.site.build import (
    NEEDED,
    OWN_WORDS,
    Page,
    contents_of,
    is_fresh,
    models_of,
    packed,
    placed,
    read,
    task_of,
    title_of,
)
from notebooks.authoring.site.outcomes import WIDTHS, outcomes


@pytest.fixture(autouse=True)
def nothing_asked(monkeypatch):
    monkeypatch.setattr(asked, "_predictions", {})
    monkeypatch.setattr(module, "_instances", {})


def known(*widgets):
    """The outcomes of these widgets alone."""
    module._instances.update({widget.model_id: widget for widget in widgets})
    found = outcomes()
    return [found[widget.model_id] for widget in widgets]


def test_each_answer_shows_what_the_lesson_would_show():
    question = predict(
        "71.1",
        "It is",
        ["a", "b | yes", "c"],
        result=lambda found: found,
        because="b comes after a",
    )
    question.settle({"found"}, {"found": 1})
    (told,) = known(question)
    (verdicts,) = told["results"]
    assert len(verdicts) == 3 and question.answer is None
    assert [each["state"] == "right" for each in verdicts] == [i == 1 for i in question.order]
    assert all("because b comes after a." in each["status"] for each in verdicts)


def test_the_quiz_is_settled_question_by_question(tmp_path, monkeypatch):
    monkeypatch.setattr(quiz_module, "answers_file", lambda: tmp_path / "quiz.json")
    asks = quiz_module.quiz("after")
    [told] = known(asks)
    right = [[result["state"] for result in results].index("right") for results in told["results"]]
    assert right == [question.right for question in quiz_module.QUESTIONS] and set(
        asks.answers
    ) == {-1}
    assert [int(summary.split()[0]) for summary in told["summaries"]] == list(range(len(right) + 1))


class Doubled(Live):
    def draw(self, ours, theirs):
        return {"twice": ours["w"] * 2}


def test_each_control_is_moved_alone_and_the_widget_stays_as_it_is():
    widget = Doubled(
        lambda w, on: {"w": w if on else 0},
        title="",
        w=(0.7, 0.0, 10.0, 0.1),
        on=True,
    )
    [told] = known(widget)
    values = [value for value, _ in told["moves"]["w"]]
    assert len(values) == 25 and min(abs(value - 0.7) for value in values) < 1e-9, (
        "it can go back to where it stood"
    )
    assert all(
        state == {} or state == {"drawn": {"twice": value * 2}}
        for value, state in told["moves"]["w"]
    )
    assert told["moves"]["on"][1] == [False, {"drawn": {"twice": 0}}]
    assert widget.settings == {"w": pytest.approx(0.7), "on": True} and widget.drawn == {
        "twice": pytest.approx(1.4)
    }
    slider = told["controls"][0]
    assert slider["min"] == pytest.approx(values[0]) and slider["min"] + slider[
        "step"
    ] == pytest.approx(values[1])


def test_a_picture_drawn_to_measure_is_kept_at_each_width():
    widget = curves(lambda: {"loss": [1.0, 0.5, 0.25]}, title="")
    width, drawn = widget.width, widget.drawn
    [told] = known(widget)
    assert [each for each, _ in told["widths"]] == list(WIDTHS)
    assert (widget.width, widget.drawn) == (width, drawn)
    for each, differs in told["widths"]:
        widget.width = each
        assert {**drawn, **differs} == widget.drawn and differs.keys() == {"svg", "places"}


def test_the_nudges_of_lesson_00_are_those_in_its_text_and_its_page_computes_them():
    cells = nbformat.read(refresh.NOTEBOOKS / "00_start_here.ipynb", as_version=4).cells
    [i] = [i for i, cell in enumerate(cells) if "\nexplore(" in cell.source]
    last = cells[i].source.rpartition("\nexplore(")[2]
    view = eval(f"explore({last}", {"explore": explore})
    sliders = [control for control in view.controls if control["kind"] == "slider"]
    for nudge in sliders[0]["nudges"]:
        assert f"**+ {number(nudge)}**" in cells[i + 1].source
    with pytest.raises(KeyError):
        known(view)


def test_many_sliders_are_not_tried_and_switches_are():
    many = {f"w{i}": (1.0, 0.0, 10.0) for i in range(8)}
    widget = Doubled(lambda on, **_: {"w": on}, title="", on=True, **many)
    [told] = known(widget)
    assert [len(moves) for moves in told["moves"].values()] == [2] + 8 * [0] and told[
        "controls"
    ] == widget.controls


def test_a_page_keeps_what_views_need():
    bundle = {"state": {"version": "1", "script": "…"}}
    stub = {"state": {"_esm": "…", "_dom_classes": [], "widget": "anywidget:v"}}
    view = {
        "state": {
            "bundle": "anywidget:b",
            "_view_count": None,
            "layout": "IPY_MODEL_l",
            "event": 3,
        },
        "buffers": [{"path": ["frames"], "data": "AAA=", "encoding": "base64"}],
    }
    assert models_of({"b": bundle, "s": stub, "v": view, "l": {"state": {"width": None}}}) == {
        "b": {"id": "b", "bundle": True},
        "s": {
            "id": "s",
            "state": {"_esm": "…", "widget": "anywidget:v", "saved": True},
            "bytes": [],
            "places": [],
        },
        "v": {
            "id": "v",
            "state": {"bundle": "anywidget:b", "event": 3, "saved": True},
            "bytes": ["AAA="],
            "places": ["frames"],
        },
    }


def test_the_heaviest_part_of_a_page_that_is_too_large_is_left_out():
    models = {"a": {"id": "a", "state": {}}, "b": {"id": "b", "state": {"x": list(range(5000))}}}
    outcomes = {
        "a": {"moves": {"w": [[i, {"y": i * 7919 % 1013}] for i in range(5000)]}},
        "c": {"results": []},
    }
    kept = []
    for room in (100_000, 20_000, 1000):
        text = packed(models, outcomes, room)
        found = json.loads(gzip.decompress(base64.b64decode(text)))
        kept.append(([model["id"] for model in found["models"]], list(found["outcomes"])))
        assert len(text) <= room
    assert kept == [(["a", "b"], ["a", "c"]), (["a", "b"], ["c"]), (["a"], ["c"])]


SHOWN = """
import ipywidgets
from autograd_core.widgets.kit.bundle import BundledWidget
from autograd_core.widgets.kit.shown import show
class Pictured(BundledWidget):
    def still(self): return "<svg/>"
class Asking(BundledWidget):
    def _repr_mimebundle_(self, **options):
        data, metadata = super()._repr_mimebundle_(**options)
        return {**data, "text/html": "<ul>a question</ul>"}, metadata
print(1)
display(Pictured(), Asking())
show(ipywidgets.IntSlider())
"""


def test_a_page_has_one_output_for_each_widget(tmp_path):
    ran = refresh.execute(new_notebook(cells=[new_code_cell(SHOWN)]), tmp_path)
    outputs = ran.cells[0].outputs
    views = [
        each.data[refresh.WIDGET_VIEW]["model_id"]
        for each in outputs
        if "data" in each and refresh.WIDGET_VIEW in each.data
    ]
    stream, *rest = placed(outputs, dict.fromkeys(views[:2]))
    assert stream.text == "1\n" and len(outputs) == 8 and len(views) == 3
    picture, question, slider = rest
    assert picture.data["image/svg+xml"] == "<svg/>" and "text/html" not in picture.data
    assert question.data["text/html"] == "<ul>a question</ul>"
    assert [each.metadata.get("model") for each in rest] == [*views[:2], None]
    assert slider.data["text/html"] == f'<p class="note">{NEEDED}</p>'


def test_what_only_a_notebook_can_say_is_said_in_other_words():
    prose = [
        cell.source for cell in nbformat.read(refresh.NOTEBOOKS / "00_start_here.ipynb", 4).cells
    ]
    pages = [Page().markdown2html(None, source) for source in prose]
    assert any("<kbd>Shift</kbd>+<kbd>Enter</kbd>" in source for source in prose)
    assert not any("<kbd>Shift</kbd>+<kbd>Enter</kbd>" in page for page in pages)
    assert all(any(words in page for page in pages) for words in OWN_WORDS.values())


def test_the_contents_lead_to_the_parts():
    part = '<h2 id="Why">Why <code>x</code>?<a class="anchor-link" href="#Why">¶</a></h2>'
    assert contents_of(f"<h1 id='T'>T</h1>{part}<h3 id='a'>a</h3>") == (
        '<li><a href="#Why">Why <code>x</code>?</a></li>'
    )


def page_of(notebook, title="T", here=0):
    """The page of a notebook as it is, without a run."""
    resources = {
        "lessons": [{"name": name, "title": title} for name in ("00_a", "01_b", "02_c")],
        "here": here,
        "asking": refresh.QUESTION,
        "task": task_of,
        "numbered": [],
        "reference": False,
        "source": "00_a.ipynb",
    }
    return BeautifulSoup(Page().from_notebook_node(notebook, resources)[0], "html.parser")


def without_a_task(notebook) -> list[str]:
    """The exercises whose cell doesn't say on the page where they can be done."""
    stubs = [cell for cell in notebook.cells if "exercise" in cell.metadata]
    told = [page_of(new_notebook(cells=[cell])).select_one(".input .task") for cell in stubs]
    return [
        cell.metadata["exercise"]
        for cell, words in zip(stubs, told)
        if words is None or not words.text.endswith("Run 00_a.ipynb in JupyterLab: make lab.")
    ]


@pytest.mark.parametrize("path", sorted(refresh.NOTEBOOKS.glob("*.ipynb")), ids=lambda p: p.stem)
def test_each_exercise_says_where_it_can_be_done(path):
    assert without_a_task(nbformat.read(path, as_version=4)) == []


def test_an_exercise_that_does_not_say_so_is_found(monkeypatch):
    monkeypatch.setitem(globals(), "task_of", lambda cell: "")
    notebook = nbformat.read(refresh.NOTEBOOKS / "00_start_here.ipynb", as_version=4)
    assert without_a_task(notebook) == ["00.1", "00.2"]


@pytest.mark.parametrize("here", [0, 1, 2])
def test_titles_of_lessons_are_text(here):
    title = """</title><img src=x onerror=alert(1)> "onerror='alert(1)"""
    page = page_of(new_notebook(), title, here)
    assert not page.find_all("img") and not page.find_all(onerror=True)
    assert page.title.text == title and page.main.text.count(title) == (2 if here == 1 else 1)
    assert [link.text for link in page.select(".lessons a")] == [title] * 3


def test_formulas_are_mathml_and_links_lead_to_pages():
    page = Page().markdown2html(
        None, "$w_t$ costs `$5`, see [01](01_x.ipynb#why), [e](a.md) and\n\n$$\\frac{1}{2}$$"
    )
    assert page.count("<math") == 2 and "<mfrac>" in page and "<code>$5</code>" in page
    assert 'href="01_x.html#why"' in page and 'href="a.html"' in page


def test_a_page_of_markdown_is_a_notebook_without_its_list_of_contents(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("# A\n\n## Contents\n\n- [B](#b)\n\n## B\n\nWords.\n")
    assert [cell.source for cell in read(path).cells] == ["# A\n\n## B\n\nWords.\n"]
    assert title_of(path) == "A"


def test_a_page_older_than_its_notebook_is_not_fresh(tmp_path):
    notebook, built = tmp_path / "00_a.ipynb", tmp_path / "site"
    built.mkdir()
    notebook.write_text("")
    assert not is_fresh([notebook], built)
    page = built / "00_a.html"
    page.write_text("")
    made = notebook.stat().st_mtime + 10  # the clock's grain can be one for both
    os.utime(page, (made, made))
    assert is_fresh([notebook], built)
    os.utime(notebook, (made + 1, made + 1))
    assert not is_fresh([notebook], built)

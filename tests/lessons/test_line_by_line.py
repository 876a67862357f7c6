"""`line_by_line`: what a line sends, edits in place, the path of a pixel, and the numbers of lesson 09."""

import time
import xml.etree.ElementTree as xml

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.lessons import lesson_09
from autograd_core.lessons.widgets.line_by_line import line_by_line
from tests.lessons.page import change

SVG = "{http://www.w3.org/2000/svg}"


# fmt: off
def small(out, tr, tcl, train, goal):
    on = tcl
    ratio = out / out.sum(1, keepdim=True)
    ratio = ratio[on]
    first = ((ratio[:, 0] - goal[on]) ** 2).mean()
    return first + out[tr, 1].sum()
# fmt: on


OUT = np.array([[1.0, 3.0], [2.0, 2.0], [0.0, 0.0], [4.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
TR = np.array([True, True, False, True, False, False])
TCL = np.array([True, False, False, True, False, False])
TRAIN = np.array([True, True, True, False, True, False])
GOAL = np.array([0.5, 0, 0, 0.25, 0, 0])


def widget(loss=small, maps=None, **options):
    batches = {
        "first": (OUT, TR, TCL, TRAIN, GOAL),
        "none": (OUT, TR & False, TCL & False, TRAIN, GOAL),
    }
    maps = maps or {"both": ["one", "other"]}
    return line_by_line(loss, batches, maps=maps, joins=["ratio"], shape=(2, 3), **options)


def sent(page, line):
    """{map times pixels plus pixel: what a line sends there}; None is nan."""
    found = page.drawn["lines"][line - 1]
    return dict(zip(found["at"], found["is"]))


def planes(values):
    return {i: x for i, x in enumerate(values.T.ravel()) if x}


def test_a_line_sends_what_goes_through_its_result():
    page = widget()
    out = torch.tensor(OUT, requires_grad=True)
    rows = out[torch.tensor(TCL)]
    first = ((rows[:, 0] / rows.sum(1) - torch.tensor(GOAL[TCL])) ** 2).mean()
    expected = planes(torch.autograd.grad(first, out)[0].numpy())
    found = {at: x for at, x in sent(page, 5).items() if x is not None}
    assert found == pytest.approx(expected, rel=1e-3)
    assert {at for at, x in sent(page, 5).items() if x is None} == {2, 5, 8, 11}, "nan at (0, 0)"
    assert sent(page, 3) == sent(page, 4) == sent(page, 5)
    total = sent(page, 6)
    assert total[7] == 1 and total[6] == pytest.approx(expected[6] + 1, rel=1e-3)
    assert page.drawn["lines"][1]["share"] is None and page.drawn["lines"][4]["wrong"]
    assert page.drawn["lines"][4]["told"] == (
        "Line 5 sends a gradient to one (2 pixels) and other (2 pixels); 4 of the numbers are nan."
    )
    assert page.verdict["text"].startswith("✓ both engines agree")


def test_the_table_counts_nan_and_ignored_pixels():
    first, none = widget().drawn["rows"]
    assert first == {"batch": "first", "loss": "6.1825", "nan": 4, "learn": 1, "passed": False}
    assert none["batch"] == "none" and none["loss"] == "nan" and not none["passed"]


def test_edits_are_undone_and_moved_lines_come_back():
    page = widget()
    page.edit(2, "  on = tcl & train")
    line = page.drawn["lines"][1]
    assert line["text"] == "    on = tcl & train" and line["changed"]
    assert page.rows[0]["nan"] == 4 and page.rows[0]["learn"] == 1
    page.move_up(4)
    texts = [line["text"].strip() for line in page.drawn["lines"]]
    assert texts[2:4] == ["ratio = ratio[on]", "ratio = out / out.sum(1, keepdim=True)"]


def test_a_loss_that_selects_before_it_divides_has_no_nan():
    moved = lesson_09.edited(small, 3, "ratio = out[on]")
    page = widget(lesson_09.edited(moved, 4, "ratio = ratio / ratio.sum(1, keepdim=True)"))
    assert page.rows[0]["nan"] == 0 and not page.drawn["lines"][4]["wrong"]
    page.undo(3)
    assert page.source.splitlines()[2] == "    ratio = out[on]"


def test_undo_and_reset():
    page = widget()
    before = page.source, page.drawn
    page.edit(2, "on = tr")
    page.undo(2)
    assert (page.source, page.drawn) == before
    page.edit(5, "first = 0 * ratio.sum()")
    page.edit(2, "on = tr")
    page.reset()
    assert (page.source, page.drawn) == before
    tensors = map(autograd_core.tensor, (OUT, TR, TCL, TRAIN, GOAL))
    assert page.loss(*tensors).item() == pytest.approx(6.1825)


def test_a_line_that_is_not_complete_changes_nothing():
    page = widget()
    before = page.source, page.drawn
    error = change(page, "edit", {"line": 3, "code": "ratio = out / ("})
    assert error == "ValueError: This line isn't complete yet. Nothing has changed."
    assert (page.source, page.drawn) == before


def test_a_line_that_raises_keeps_the_last_picture():
    page = widget()
    before = sent(page, 6)
    assert change(page, "edit", {"line": 5, "code": "first = nothing"}) == ""
    line = page.drawn["lines"][4]
    assert line["text"] == "    first = nothing" and "NameError: name 'nothing'" in line["error"]
    assert page.drawn["old"] and sent(page, 6) == before
    assert page.verdict["text"] == "✓ both engines agree: the same errors"
    assert [row["passed"] for row in page.drawn["rows"]] == [False, False]
    assert page.source.splitlines()[4] == "    first = nothing"
    assert change(page, "undo", 5) == ""
    assert not page.drawn["old"] and page.drawn["lines"][4]["error"] == ""


def test_a_number_without_a_graph_has_no_backward():
    page = widget()
    assert change(page, "edit", {"line": 6, "code": "return 0.0"}) == ""
    assert "'float' object has no attribute 'backward'" in page.drawn["rows"][0]["error"]


def test_an_interrupt_is_answered_and_the_code_is_as_before():
    page = widget()
    before, run = page.source, page.run

    def interrupted(source):
        raise KeyboardInterrupt

    page.run, edit = interrupted, {"line": 2, "code": "on = tr"}
    assert change(page, "edit", edit) == "KeyboardInterrupt:" and page.source == before
    page.run = run
    assert change(page, "edit", edit) == "" and page.rows[0]["learn"] == 1


def test_a_difference_between_the_engines_is_told():
    page = widget()
    other = page.other

    def changed(source):
        found = other(source)
        found["first"]["sent"][5][0, 0] += 1e-6
        return found

    page.other = changed
    page.update()
    assert page.verdict["differs"] and "first, sent, 5" in page.verdict["text"]

    def raising(source):
        return {**other(source), "none": {"error": "ValueError: no", "line": 2, "heard": []}}

    page.other = raising
    page.update()
    assert page.verdict["differs"] and "none: no error here, ValueError: no" in page.verdict["text"]


def test_the_path_of_a_pixel():
    page = widget()
    page.choose([0, 2, 0])
    assert page.path["numbers"] == {"3": "0 and 0"} and page.path["pixel"] == [0, 2, 0]
    assert page.path["told"] == "Row 0, column 2 of one. Gradients on its path: 0 and 0 at line 3."
    page.choose([0, 0, 0])
    assert [*page.path["numbers"]] == ["3", "4", "5", "6"] and page.path["numbers"]["5"] == "1"
    page.edit(2, "on = tr")
    assert page.path == {}, "the path was of the code before"


def test_the_still_has_the_code_and_the_text_has_the_numbers():
    page = widget()
    texts = [each.text for each in xml.fromstring(page.still()).iter(f"{SVG}text")]
    assert "on = tcl" in texts and "6.1825" in texts and "other" in texts
    assert "the input crop" not in texts and "the input crop" in widget(crop="data:,").still()
    assert "first: loss 6.1825, 4 nan, 1 ignored pixels learn" in repr(page)


# ---- lesson 09 ----


@pytest.fixture(scope="module")
def lesson():
    return lesson_09.line_by_line()


def summary(page):
    return [row.get("error") or f"{row['loss']} {row['nan']} {row['learn']}" for row in page.rows]


POSTED = ["3.2517 768 60", "1.3323 0 0", "RuntimeError: selected index k out of range"]


def test_the_loss_as_posted(lesson):
    assert summary(lesson) == POSTED
    assert lesson.drawn["warning"].startswith("line 6: indexing with dtype torch.uint8 is now")
    for line, counts in {
        6: [211, 211, 0, 0, 0, 0, 0],
        7: [633, 633, 0, 0, 0, 0, 0],
        8: [633, 633, 0, 0, 0, 0, 0],
        9: [844, 844, 0, 0, 0, 0, 0],
        13: [0, 0, 211, 211, 0, 0, 0],
        18: [0, 0, 0, 0, 118, 118, 0],
        20: [0, 0, 0, 0, 118, 118, 0],
        22: [0, 0, 0, 0, 0, 0, 118],
        25: [844, 844, 211, 211, 118, 118, 118],
    }.items():
        maps = [at // 3072 for at, x in sent(lesson, line).items() if x is not None]
        assert [maps.count(k) for k in range(7)] == counts, line


@pytest.mark.parametrize(
    "line, offer, expected",
    [
        (2, 0, ["inf 768 0", "23.0049 0 0", "25.3558 0 1"]),
        (2, 1, POSTED),
        (5, 0, ["3.2517 768 60", "nan 0 0", "nan 0 0"]),
        (5, 1, ["3.2517 768 60", "1.3323 0 0", "nan 0 0"]),
        (9, 0, POSTED),
        (9, 1, POSTED),
        (13, 0, ["2.5304 768 60", *POSTED[1:]]),
        (16, 0, POSTED),
        (16, 1, ["3.1102 768 0", *POSTED[1:]]),
        (18, 0, POSTED),
        (18, 1, POSTED),
        (18, 2, ["3.2517 0 60", *POSTED[1:]]),
        (20, 0, ["3.0261 768 60", *POSTED[1:]]),
    ],
)
def test_each_offered_edit_has_the_numbers_of_the_lesson(lesson, line, offer, expected):
    lesson.reset()
    lesson.edit(line, lesson_09.OFFERED[line][offer])
    assert summary(lesson) == expected
    assert lesson.verdict["text"].startswith("✓ both engines agree")
    assert bool(lesson.drawn["warning"]) == (line != 2)


def test_all_traps_fixed_in_the_widget(lesson):
    lesson.reset()
    lesson.move_up(19)
    assert summary(lesson) == ["3.2517 0 60", *POSTED[1:]]
    for line, offer in ((2, 1), (5, 1), (9, 0), (16, 1)):
        lesson.edit(line, lesson_09.OFFERED[line][offer])
    assert summary(lesson) == ["3.1102 0 0", "1.3323 0 0", "0 0 0"]
    assert lesson.drawn["badge"] == "every row passes" and lesson.drawn["warning"] == ""
    assert lesson.source == lesson_09.corrected(lesson_09.detector_loss).source
    lesson.undo(18)
    assert summary(lesson)[0] == "3.1102 768 0"


def test_the_paths_of_the_lesson(lesson):
    lesson.reset()
    lesson.choose([24, 60, 4])
    assert lesson.path["numbers"] == {"17": "nan", "18": "0 and 0"} and lesson.path["starts"] == 18
    lesson.choose([33, 9, 4])
    scaled, ones = "−0.00413 and −0.00273", dict.fromkeys(["20", "21", "25"], "1")
    assert lesson.path["numbers"] == {"17": "−0.00102", "18": scaled, "19": scaled, **ones}
    assert lesson.path["starts"] == 0
    lesson.choose([33, 9, 0])
    assert lesson.path["told"] == "Row 33, column 9 of not text: no line reads it."


def test_an_edit_takes_less_than_half_a_second(lesson):
    lesson.reset()
    spent = []
    for _ in range(3):
        start = time.process_time()
        lesson.edit(16, lesson_09.OFFERED[16][1])
        spent.append(time.process_time() - start)
        lesson.reset()
    assert min(spent) < 0.5

"""The clinic of lesson 13 in real JupyterLab: patients by mouse and by keyboard, numbers as they must be."""

import pytest

from tests.browser.curves_page import reads, rows, wait_for

NOTEBOOK = "13_debug_the_loop.ipynb"


@pytest.fixture
def clinic(lesson):
    return lesson.cell_output('title="The clinic"')


def test_notebook_runs_to_its_end(lesson):
    assert lesson.problems() == []
    assert lesson.unfinished() == []


def test_a_patient_by_keyboard(lesson, clinic):
    keys = lesson.page.keyboard
    assert rows(clinic)["grad norm: 0.weight"] == ["None", "None"] and rows(clinic)["moved: 0.weight"] == ["0", "0"]
    clinic.get_by_role("radio", name="1", exact=True).focus()
    keys.press("ArrowRight")
    wait_for(clinic, "nodes", "0")                                          # patient 2: a loss without a graph
    keys.press("ArrowRight")
    wait_for(clinic, "nodes", "11")
    reads(clinic).focus()
    keys.press("Home")
    first = float(rows(clinic)["grad norm: 2.weight"][0])
    keys.press("ArrowRight")
    assert float(rows(clinic)["grad norm: 2.weight"][0]) == pytest.approx(2 * first, abs=2e-3)     # nobody clears it
    assert "grad norm: 2.weight" in reads(clinic).get_attribute("aria-valuetext")
    assert lesson._ask("return notebook.mode") == "command" and "✓ both engines agree" in clinic.inner_text()


def test_a_patient_by_mouse_and_its_cure(clinic):
    reads(clinic).press("End")
    clinic.get_by_text("11", exact=True).first.click()
    wait_for(clinic, "grad norm: 0.weight", "nan")
    clinic.locator("svg text", has_text="nan").first.wait_for()
    clinic.get_by_role("switch", name="cured").click()
    clinic.locator("svg text", has_text="nan").first.wait_for(state="detached")
    assert float(rows(clinic)["loss"][0]) < 0.1
    clinic.get_by_text("12", exact=True).first.click()
    wait_for(clinic, "nodes", "15")
    clinic.get_by_role("switch", name="cured").click()
    wait_for(clinic, "nodes", "288")                                        # 15, and seven more at each of 39 steps


def test_a_diagnosis_is_counted(lesson):
    assert "Nothing predicted yet; 12 of 12 still open." in _after(lesson, "Nothing predicted yet")
    lesson.cell_output('predict("13.1"').get_by_role("radio").nth(1).click()
    assert "1 of 1 right; 11 of 12 still open." in _after(lesson, "1 of 1 right")


def _after(lesson, text):
    output = lesson.cell_output("score(*")
    output.get_by_text(text).wait_for()
    return output.inner_text()

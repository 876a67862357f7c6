"""The wards of lesson 13 in real JupyterLab: a finger on a line, an edit, and what the instruments
say.
"""

import pytest

NOTEBOOK = "13_debug_the_loop.ipynb"


@pytest.fixture
def ward(lesson):
    return lesson.cell_output('title="Ward I"')


def test_notebook_runs_to_its_end(lesson):
    assert lesson.problems() == []
    assert lesson.unfinished() == []


def test_a_finger_on_a_line_and_a_mended_loop(lesson, ward):
    editor = ward.locator("textarea")
    assert editor.is_disabled()
    ward.locator("select").select_option(index=7)
    ward.get_by_text("It is this line", exact=True).click()
    ward.get_by_text("✓ Yes: zero, step, backward").wait_for()
    lines = editor.input_value().splitlines()
    lines[6:9] = [lines[8], lines[6], lines[7]]  # backward, log, step
    editor.fill("\n".join(lines))
    ward.get_by_text("Run it", exact=True).click()
    ward.get_by_text("✓ Cured: accuracy(net) > 0.9 is True.").wait_for()
    drawn = ward.locator('svg[role="img"] > title').all_text_contents()
    assert drawn == [
        f"{what} of {name}"
        for name in ("patient 1", "healthy")
        for what in ("loss and nodes", "gradients", "updates")
    ], "JupyterLab's own icons have no role"


def test_another_patient_by_keyboard(ward):
    ward.get_by_role("button", name="3", exact=True).focus()
    ward.page.keyboard.press("Enter")
    ward.get_by_text("patient 3", exact=True).wait_for()
    assert "teacher" in ward.locator("select").inner_text()

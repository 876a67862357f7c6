"""A ward on a page without JupyterLab: by mouse, by keyboard, under quick and careless hands."""

import pytest
import torch

from autograd_core.lessons.patients import PATIENTS
from autograd_core.lessons.widgets.ward import ward
from tests.lessons.test_ward import lesson


@pytest.fixture
def room():
    return ward(lesson(torch), None, PATIENTS, only=["1", "4"])


@pytest.fixture
def page(show, room):
    return show(room, kernel=True).locator(".ac-ward")


def test_a_click_on_a_line_and_a_mended_loop(page, room):
    assert page.get_by_role("textbox", name="The loop").count() == 0
    lines = page.locator(".ac-ward-loop [role=radio]")
    lines.first.click()
    page.get_by_text("Not there. At step 0 no gradient").wait_for()
    assert page.locator(".ac-choice-mark").all_text_contents() == ["not there"]
    lines.nth(min(room.patient.guilty)).click()
    page.get_by_text("✓ Yes: zero, step, backward").wait_for()
    assert page.get_by_role("radio", name="optimizer.step()").count() == 0
    edit(page, room.patient.cured)
    page.get_by_text("✓ Fixed: accuracy(net) > 0.9 is True.").wait_for()
    assert "The first difference from the failing loop: " in page.inner_text()


def test_by_keyboard(page, room):
    keys = page.page.keyboard
    page.get_by_role("radio", name="1", exact=True).focus()
    keys.press("ArrowRight")
    page.get_by_text("the size is never right").wait_for()
    keys.press("Tab")
    for _ in range(min(room.patient.guilty)):
        keys.press("ArrowDown")
    keys.press("Enter")
    page.get_by_text("✓ Yes: ").wait_for()
    # the loop to be mended has the focus
    keys.press("Control+Home")
    keys.type("a, b = 1, 2\n")
    assert page.get_by_role("textbox").input_value().startswith("a, b = 1, 2\n")
    keys.press("Shift+Enter")
    page.get_by_text("Not fixed yet: ").wait_for()


@pytest.fixture
def known(room):
    """The guilty line is known before the ward is shown."""
    room.point(max(room.patient.guilty))


def edit(page, text: str) -> None:
    page.get_by_role("textbox").fill(text)
    page.get_by_text("Run it", exact=True).click()


def test_a_loop_that_became_shorter_than_the_line_pointed_at(known, page, room):
    edit(page, "nonsense(")
    page.get_by_text("The loop raises SyntaxError").wait_for()
    edit(page, room.patient.cured)
    page.get_by_text("✓ Fixed").wait_for()


def test_what_is_typed_while_a_loop_runs_stays(known, page, room):
    editor = page.get_by_role("textbox")
    editor.evaluate(
        """(editor, text) => { editor.value = text;
          editor.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", ctrlKey: true, bubbles: true}));
          editor.value += " # more"; }""",
        room.patient.cured,
    )
    page.get_by_text("✓ Fixed").wait_for()
    assert editor.input_value() == f"{room.patient.cured} # more"
    assert room.edited["1"] == room.patient.cured


def test_a_click_on_a_loop_that_is_about_to_change_is_not_the_next_patients(page, room):
    page.evaluate(
        """ward => { ward.querySelector(".ac-controls [value='4']").click();
          ward.querySelector(".ac-ward-loop [role=radio]").click(); }"""
    )
    page.get_by_text("the size is never right").wait_for()
    page.get_by_text("Your first click counts").wait_for()
    assert room.name == "4" and room.pointed == {"1": [], "4": []}

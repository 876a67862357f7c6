"""A ward under quick and careless hands, on a page without JupyterLab."""

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
    page.get_by_text("✓ Cured").wait_for()


def test_what_is_typed_while_a_loop_runs_stays(known, page, room):
    editor = page.get_by_role("textbox")
    editor.evaluate(
        """(editor, text) => { editor.value = text;
          editor.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", ctrlKey: true, bubbles: true}));
          editor.value += " # more"; }""",
        room.patient.cured,
    )
    page.get_by_text("✓ Cured").wait_for()
    assert editor.input_value() == f"{room.patient.cured} # more"
    assert room.edited["1"] == room.patient.cured


def test_a_click_on_a_loop_that_is_about_to_change_is_not_the_next_patients(page, room):
    page.evaluate(
        """ward => { ward.querySelector(".ac-controls [value='4']").click();
          ward.querySelector(".ac-ward-loop [role=radio]").click(); }"""
    )
    page.get_by_text("the size is never right").wait_for()
    page.get_by_text("Your first answer counts").wait_for()
    assert room.name == "4" and room.pointed == {"1": [], "4": []}

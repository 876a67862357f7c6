"""A ward on a page without JupyterLab: by mouse, by keyboard, under quick hands, saved."""

import pytest

from autograd_core.lessons.failing_loops import HEALTHY
from autograd_core.lessons.lesson_13 import FAILING
from autograd_core.lessons.widgets.ward import ward


@pytest.fixture
def room():
    return ward("I")


@pytest.fixture
def page(show, room):
    return show(room, kernel=True).locator(".ac-ward")


def line(page, number):
    """A line of the loop, counted from 1."""
    return page.locator(".ac-ward-loop [role=radio]").nth(number - 1)


def edit(page, text):
    page.get_by_role("textbox").fill(text)
    page.get_by_text("Run on both engines").click()


def test_a_click_on_the_right_line_opens_the_editor_and_a_fix_is_accepted(page, room):
    assert page.get_by_role("textbox").count() == 0
    line(page, 3).click()
    page.get_by_text("Not there. The graph has 11 nodes").wait_for()
    assert page.locator(".ac-choice-mark").all_text_contents() == ["not here"]
    line(page, 6).click()
    page.get_by_text("✓ Yes: step() comes after zero_grad()").wait_for()
    assert page.get_by_role("radio", name="optimizer.step()").count() == 0
    edit(page, FAILING["1"])
    page.get_by_text("Not fixed: Only 0 steps had a gradient").wait_for()
    edit(page, HEALTHY)
    page.get_by_text("✓ Fixed.").wait_for()
    assert "0 of 3 found with the first click" in page.inner_text()
    page.get_by_text("as found").click()
    page.get_by_text("Now fix the loop").wait_for()
    assert page.get_by_role("textbox").input_value() == FAILING["1"]


def test_hints_are_questions_and_the_third_wrong_click_tells_the_bug(page):
    page.get_by_text("hint").click()
    page.get_by_text("Which call makes .grad").wait_for()
    line(page, 1).click()
    page.get_by_text("a line is missing").click()
    page.get_by_text("Not there. Go round the loop").wait_for()
    line(page, 2).click()
    page.get_by_text("The bug: step() comes after").wait_for()
    page.get_by_role("textbox").wait_for()


def test_a_missing_line_may_be_the_answer(show):
    page = show(ward("II"), kernel=True).locator(".ac-ward")
    page.get_by_text("7", exact=True).click()
    page.get_by_text("size_loss").first.wait_for(state="detached")
    page.get_by_text("a line is missing").click()
    page.get_by_text("✓ Yes: without zero_grad()").wait_for()
    page.get_by_text("1 of 5 found with the first click").wait_for()


def test_by_keyboard(page):
    keys = page.page.keyboard
    page.get_by_role("radio", name="1", exact=True).focus()
    keys.press("ArrowRight")
    page.get_by_text("requires_grad=True").wait_for()
    line(page, 1).focus()
    for _ in range(4):
        keys.press("ArrowDown")
    keys.press("Enter")
    page.get_by_text("✓ Yes: ").wait_for()
    # the loop has the focus
    keys.press("Control+Home")
    keys.type("a, b = 1, 2\n")
    assert page.get_by_role("textbox").input_value().startswith("a, b = 1, 2\n")
    keys.press("Shift+Enter")
    page.get_by_text("Not fixed: ").wait_for()
    page.locator(".ac-ward-picture").focus()
    keys.press("ArrowRight")
    keys.press("ArrowDown")
    page.get_by_text("step 1, 0.bias: gradient None; movement 0").wait_for()


def test_what_is_typed_while_a_loop_runs_stays(page, room):
    line(page, 6).click()
    editor = page.get_by_role("textbox")
    editor.evaluate(
        """(editor, text) => { editor.value = text;
          editor.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", ctrlKey: true, bubbles: true}));
          editor.value += " # more"; }""",
        HEALTHY,
    )
    page.get_by_text("✓ Fixed").wait_for()
    assert editor.input_value() == f"{HEALTHY} # more" and room.typed["1"] == HEALTHY


def test_a_click_while_another_loop_is_on_its_way_is_not_counted(page):
    page.evaluate(
        """ward => { ward.querySelector(".ac-controls [value='2']").click();
          ward.querySelector(".ac-ward-loop [role=radio]").click(); }"""
    )
    page.get_by_text("requires_grad=True").wait_for()
    page.get_by_text("Click the faulty line.").wait_for()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_saved_ward_offers_two_edits(saved, width):
    page = saved(ward("I"), ".ac-ward", viewport={"width": width, "height": 800})
    page.get_by_text("3", exact=True).click()
    page.get_by_text("teacher, net").wait_for()
    assert not page.get_by_text("edit A").is_visible()
    line(page, 2).click()
    page.get_by_text("edit A").click()
    page.get_by_text("Not fixed: No optimizer that called step()").wait_for()
    page.get_by_text("edit B").click()
    page.get_by_text("✓ Fixed.").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

"""A ward on a page without JupyterLab: by mouse, by keyboard, under quick and careless hands."""

import pytest

from autograd_core.lessons.failing_loops import HEALTHY, LOOPS
from autograd_core.lessons.widgets.ward import ward


@pytest.fixture
def room():
    return ward("I")


@pytest.fixture
def page(show, room):
    return show(room, kernel=True).locator(".ac-ward")


@pytest.fixture
def lines(page):
    return page.locator(".ac-ward-loop [role=radio]")


@pytest.fixture
def editor(page, lines):
    """The editor, which a click on the bug opens."""
    lines.nth(LOOPS["1"].faulty[0] - 1).click()
    return page.get_by_role("textbox", name="The loop")


def run(page, editor, text: str) -> None:
    editor.fill(text)
    page.get_by_role("button", name="Run on both engines").click()


def test_a_wrong_click_asks_and_the_right_one_opens_the_editor(page, lines):
    assert page.get_by_role("textbox").count() == 0
    lines.first.click()
    page.get_by_text(f"Not there. {LOOPS['1'].questions[0][:40]}").wait_for()
    assert page.locator(".ac-choice-mark").all_text_contents() == ["not here"]
    lines.nth(6).click()
    page.get_by_text("✓ Yes: ").wait_for()
    assert page.get_by_role("radio", name="optimizer.step()").count() == 0
    run(page, page.get_by_role("textbox", name="The loop"), HEALTHY)
    page.get_by_text("✓ Fixed.").wait_for()
    page.get_by_text("0 of 3 found with the first click").wait_for()


def test_the_third_wrong_click_tells_the_bug(page, lines):
    for line in range(3):
        lines.nth(line).click()
    page.get_by_text("The bug: ").wait_for()
    assert page.get_by_role("textbox", name="The loop").is_visible()


def test_hints_ask_one_question_after_the_other(page):
    for question in LOOPS["1"].questions:
        page.get_by_role("button", name="hint").click()
        page.get_by_text(question[:10]).wait_for()


def test_by_keyboard(page, room):
    keys = page.page.keyboard
    page.get_by_role("radio", name="1", exact=True).focus()
    keys.press("ArrowRight")
    page.get_by_text("0 nodes at every step").wait_for()
    page.locator(".ac-ward-loop [role=radio]").first.focus()
    for _ in range(LOOPS["2"].faulty[0] - 1):
        keys.press("ArrowDown")
    keys.press("Enter")
    page.get_by_text("✓ Yes: ").wait_for()
    # the loop that is edited has the focus
    keys.press("Control+Home")
    keys.type("a, b = 1, 2\n")
    assert page.get_by_role("textbox").input_value().startswith("a, b = 1, 2\n")
    keys.press("Shift+Enter")
    page.get_by_text("Not fixed: ").wait_for()


def test_an_error_is_shown_and_a_shorter_loop_may_follow(page, editor):
    run(page, editor, "nonsense(")
    page.get_by_text("Not fixed: The loop raises SyntaxError").wait_for()
    run(page, editor, HEALTHY)
    page.get_by_text("✓ Fixed.").wait_for()


def test_what_is_typed_while_a_loop_runs_stays(page, editor, room):
    editor.evaluate(
        """(editor, text) => { editor.value = text;
          editor.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", ctrlKey: true, bubbles: true}));
          editor.value += " # more"; }""",
        HEALTHY,
    )
    page.get_by_text("✓ Fixed.").wait_for()
    assert editor.input_value() == f"{HEALTHY} # more"
    assert room.typed["1"] == HEALTHY


def test_a_click_on_a_loop_that_is_about_to_change_is_not_the_next_loops(page, room):
    page.evaluate(
        """ward => { ward.querySelector(".ac-controls [value='2']").click();
          ward.querySelector(".ac-ward-loop [role=radio]").click(); }"""
    )
    page.get_by_text("0 nodes at every step").wait_for()
    page.get_by_text("Click the faulty line.").wait_for()
    assert room.number == "2" and page.locator(".ac-choice-mark").count() == 0


def test_the_instruments_are_read_with_the_arrow_keys(page):
    page.get_by_role("group", name="Instruments.").focus()
    page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("ArrowDown")
    page.get_by_text("step 1, 0.bias: gradient None; movement 0").wait_for()


def test_a_missing_line_may_be_the_answer(show):
    page = show(ward("II"), kernel=True).locator(".ac-ward")
    page.get_by_text("7", exact=True).click()
    page.get_by_text("size_loss").first.wait_for(state="detached")
    page.get_by_text("a line is missing").click()
    page.get_by_text("✓ Yes: without zero_grad()").wait_for()
    page.get_by_text("1 of 5 found with the first click").wait_for()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_saved_ward_offers_two_edits(saved, width):
    page = saved(ward("I"), ".ac-ward", viewport={"width": width, "height": 800})
    page.get_by_text("3", exact=True).click()
    page.get_by_text("teacher, net").wait_for()
    assert not page.get_by_text("edit A").is_visible()
    page.locator(".ac-ward-loop [role=radio]").nth(1).click()
    page.get_by_text("edit A").click()
    page.get_by_text("Not fixed: No optimizer that called step()").wait_for()
    page.get_by_text("edit B").click()
    page.get_by_text("✓ Fixed.").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

"""The loss line by line: lines and pixels are chosen on both sides, and lines are edited in place."""

import pytest

from autograd_core.lessons import lesson_09
from tests.browser.page import drawn, overlaps, until
from tests.lessons.test_line_by_line import widget


@pytest.fixture
def opened(show):
    """A page with a loss of six lines, as wide as is said."""

    def open_(width=1280, kernel=True):
        page = widget(offered={2: ["on = tcl & train"]})
        return show(page, kernel=kernel, viewport={"width": width, "height": 900})

    return open_


def line(page, number):
    return page.locator(f".ac-lines [data-line='{number}']")


def heading(page):
    return page.locator(".ac-lines-heading").inner_text()


def row(page, batch):
    found = page.locator(".ac-lines-table tr").filter(has=page.get_by_role("rowheader", name=batch))
    return found.locator("td").all_inner_texts()


def below(page):
    return page.locator(".ac-lines-maps figure .ac-lines-below").all_inner_texts()


def test_lines_are_chosen_and_edited_by_keyboard(opened):
    page = opened()
    assert heading(page) == "gradient of the total"
    page.keyboard.press("Tab")  # Reset
    page.keyboard.press("Tab")
    for _ in range(5):
        page.keyboard.press("ArrowDown")
    assert heading(page) == "sent through line 5: first"
    assert line(page, 5).get_attribute("aria-current") == "true"
    told = page.locator(".ac-lines-told").inner_text()
    assert told.startswith("Line 5 sends a gradient to one (2 pixels) and other (2 pixels)")
    page.keyboard.press("e")
    field = page.get_by_role("textbox", name="Code of line 5")
    assert field.evaluate("input => input === document.activeElement")
    field.fill("first = 0 * ratio[:, 0].sum()")
    page.keyboard.press("Enter")
    until(page, lambda: row(page, "first")[0] == "6.0000")
    assert line(page, 5).evaluate("line => line === document.activeElement")
    page.keyboard.press("u")
    until(page, lambda: row(page, "first")[0] == "6.1825")
    page.keyboard.press("Escape")
    assert heading(page) == "gradient of the total"


def test_a_line_that_raises_or_is_not_complete(opened):
    page = opened()
    before = below(page)
    line(page, 5).click()
    page.keyboard.press("e")
    field = page.get_by_role("textbox", name="Code of line 5")
    field.fill("first = (")
    page.keyboard.press("Enter")
    page.get_by_text("This line isn't complete yet.").wait_for()
    assert field.input_value() == "first = (", "what was typed stays"
    field.fill("first = nothing")
    page.keyboard.press("Enter")
    page.get_by_text("NameError: name 'nothing' is not defined").first.wait_for()
    page.keyboard.press("Escape")
    assert below(page) == before and heading(page).endswith("of the code before the error")


def test_a_pixel_shows_its_path(opened):
    page = opened()
    box = page.locator("canvas").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 6, box["y"] + box["height"] / 4)
    until(page, lambda: page.locator(".ac-lines-on").count() == 4)
    assert line(page, 5).locator(".ac-lines-arrives").inner_text() == "1"
    assert page.locator(".ac-lines-off").count() == 2
    page.locator("canvas").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    until(page, lambda: "Row 0, column 2 of one." in page.locator(".ac-lines-told").inner_text())
    page.keyboard.press("Escape")
    until(page, lambda: page.locator(".ac-lines-on").count() == 0)


def test_without_a_kernel_lines_are_chosen_and_edits_need_a_notebook(saved):
    page = saved(widget(), ".ac-lines")
    line(page, 5).click()
    until(page, lambda: heading(page) == "sent through line 5: first")
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    page.get_by_text("This needs a running notebook.").wait_for()


def test_the_loss_of_the_lesson_has_room_and_a_trap_is_found_and_fixed(show):
    page = show(lesson_09.line_by_line(), kernel=True)
    main = page.locator(".ac-lines-main")
    for width in (390, 900, 1010):
        page.set_viewport_size({"width": width, "height": 900})
        drawn(page)
        assert main.evaluate("box => box.scrollWidth <= box.clientWidth"), width
        assert overlaps(main, "figcaption, .ac-lines-below, .ac-lines-join, .ac-lines-line") == []
        assert page.locator("canvas").first.bounding_box()["width"] >= 158
    assert page.locator(".ac-lines").bounding_box()["height"] <= 820
    assert row(page, "this crop") == ["3.2517", "768", "60", "✗"]
    box = page.get_by_label("sin: ").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 60.5 / 64, box["y"] + box["height"] * 24.5 / 48)
    page.get_by_text("0 and 0 · nan starts here").wait_for()
    assert page.get_by_role("button", name="Move a line up (choose a line first)").is_disabled()
    line(page, 19).click()
    page.get_by_role("button", name="Move line 19 up").click()
    until(page, lambda: row(page, "this crop") == ["3.2517", "0", "60", "✗"])
    line(page, 16).click()
    page.keyboard.press("e")
    page.get_by_role("button", name=lesson_09.OFFERED[16][1]).click()
    until(page, lambda: row(page, "this crop") == ["3.1102", "0", "0", "✓"])
    page.get_by_role("button", name="Undo all edits").click()
    until(page, lambda: row(page, "this crop") == ["3.2517", "768", "60", "✗"])

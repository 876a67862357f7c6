"""Four ways to call backward(): the playhead by pointer and keyboard, and the graphs at an event."""

import pytest

from tests.browser.page import drawn, until
from tests.lessons.test_memory_over_time import widget


@pytest.fixture
def page(show):
    return show(widget(), kernel=True)


def units(page):
    return page.locator(".ac-memory-units").all_text_contents()


def state(page, way, node):
    """The classes of a node in the graph of a way."""
    found = page.locator(".ac-memory-graph").nth(way).locator(f'[data-part="{node}"]').last
    return found.get_attribute("class").replace("ac-memory-", "").split()


def test_the_first_event_is_that_of_the_drawing(page):
    assert units(page) == ["4", "7", "1", "1"]
    assert state(page, 0, "2.exp") == ["there", "freed", "runs-backward"]
    assert state(page, 1, "3.exp") == ["there", "held", "runs-forward"]
    assert state(page, 1, "3.mean")[0] == "gone" and state(page, 2, "1.bend")[0] == "gone"
    assert state(page, 3, "3.bend") == ["there", "freed", "runs-backward"]


def test_the_playhead_by_keyboard(page):
    slider = page.get_by_role("slider", name="Event")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "event 21 of 29"
    page.keyboard.press("End")
    assert units(page) == ["0", "0", "0", "0"], "a function that has returned holds nothing"
    slider.fill("26")
    assert units(page) == ["0", "4", "1", "0"]
    assert "One sum: 0 · Each loss, kept: 4 ·" in page.locator(".ac-memory-status").inner_text()
    assert state(page, 1, "T.tanh")[1] == "freed" and state(page, 1, "2.exp")[1] == "held"


def test_the_playhead_is_dragged_in_a_curve(page):
    box = page.locator(".ac-memory-stage").nth(2).bounding_box()
    left, y = box["x"] + box["width"] * 0.04, box["y"] + 40
    page.mouse.move(left + 5, y)
    page.mouse.down()
    assert units(page) == ["0", "0", "0", "0"]
    page.mouse.move(left + box["width"] * 0.96 * 10.5 / 29, y, steps=4)
    page.mouse.up()
    assert page.get_by_role("slider", name="Event").input_value() == "11" and units(page)[2] == "1"


def test_a_peak_leads_to_its_event_and_play_goes_on(page):
    page.locator(".ac-memory-peak").nth(2).click()
    assert page.get_by_role("slider", name="Event").input_value() == "4"
    page.get_by_role("button", name="Play").click()
    until(page, lambda: int(page.get_by_role("slider", name="Event").input_value()) > 5)
    page.get_by_role("button", name="Pause").click()


def test_more_branches_are_recorded_by_the_kernel(page):
    page.get_by_role("slider", name="branches").fill("4")
    until(
        page, lambda: page.locator(".ac-memory-peak b").all_text_contents() == ["9", "9", "3", "3"]
    )
    assert state(page, 0, "4.bend") and "of 38" in page.locator(".ac-memory-status").inner_text()


def test_a_phone_shows_one_way_at_a_time(show):
    page = show(widget(), viewport={"width": 390, "height": 844})
    drawn(page)
    shown = page.locator(".ac-memory-way:visible")
    assert shown.count() == 1 and shown.get_attribute("aria-label") == "One sum"
    page.get_by_role("button", name="A detached copy").click()
    assert shown.count() == 1 and shown.get_attribute("aria-label") == "A detached copy"
    assert page.locator('.ac-memory-way:visible [data-part="other"]:visible').count() == 3

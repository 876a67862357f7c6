"""The film of a detector: its snake follows the steps, in place of the photo a map, and two snakes
next to each other.
"""

import pytest

from autograd_core.lessons import lesson_10
from tests.browser.page import drawn, until


@pytest.fixture
def page(show):
    return show(lesson_10.film(), kernel=True, viewport={"width": 1110, "height": 800})


def path(page, name: str, photo: int = 0) -> str:
    return page.locator(f".ac-snake-{name}").nth(photo).get_attribute("d") or ""


def numbers(page) -> list[str]:
    return page.locator(".ac-curves-table td:nth-child(2)").all_inner_texts()


def test_a_reader_scrubs_switches_a_loss_off_and_compares(page):
    slider = page.get_by_role("slider", name="Read the curves along step")
    assert numbers(page) == ["0.61", "0.67", "0.54", "9.73", "0.59"] and path(page, "discs")
    at_160 = path(page, "line")
    for key, step in (("Home", 0), ("ArrowRight", 10), ("ArrowRight", 20)):
        slider.press(key)
        assert slider.get_attribute("aria-valuenow") == str(step)
    assert path(page, "line") == "" and numbers(page)[1:3] == ["0", "0"]
    slider.press("End")
    assert page.locator(".ac-snake-photos figcaption").first.inner_text() == "the photo"

    page.get_by_role("radio", name="radius").check(force=True)
    until(page, lambda: numbers(page)[0] == "1.17")
    assert page.get_by_text("no gradient", exact=True).filter(visible=True).count() == 1
    page.get_by_role("button", name="compare with all losses").click()
    assert path(page, "line") == at_160 != path(page, "line", 1) != ""
    left = page.locator(".ac-snake-photos figure").first.bounding_box()
    page.set_viewport_size({"width": 780, "height": 1100})
    drawn(page)
    right = page.locator(".ac-snake-photos figure").nth(1).bounding_box()
    assert right["x"] > left["x"] + 200, "there is room for both in one row"
    room = page.locator(".ac-curves-stage").bounding_box()
    picture = page.locator(".ac-curves-picture svg")
    until(page, lambda: abs(picture.bounding_box()["width"] - room["width"]) < 8)
    assert room["width"] > 300

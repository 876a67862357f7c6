"""The painted mask on a page without JupyterLab: by mouse, by keyboard, by fingers on a phone."""

import numpy as np
import pytest
from playwright.sync_api import expect

from autograd_core.lessons.widgets.paint import paint
from tests.browser.page import drawn, overlaps, until

X, MASK = np.linspace(-2, 2, 36).reshape(6, 6), np.eye(6) > 0


def run(x, mask):
    x, mask = np.array(x), np.array(mask)
    losses, count = np.where(mask, x**2, 0.0), mask.sum()
    gradient = np.where(mask, 2 * x, 0.0) / max(count, 1)
    result = {"kept": losses, "divided by": count, "x.grad": gradient}
    numbers = {"loss": losses.sum(), "w.grad": x[mask].sum(), "b.grad": np.float64(count)}
    return {f"a way of masking, {i}": {**result, **numbers} for i in range(8)}


class Painting:
    """The widget as a reader meets it: cells to paint, and what the cards say."""

    def __init__(self, page):
        self.page, self.cells = page, page.get_by_role("gridcell")

    def cell(self, row, column):
        return self.cells.nth(6 * row + column)

    def text(self, row, column):
        return self.cell(row, column).locator("text").text_content()

    def masked(self):
        """The cells outside of the diagonal that are masked, and those of it that are not."""
        selected = self.cells.evaluate_all(
            "cells => cells.map((cell) => cell.getAttribute('aria-selected') === 'true')"
        )
        return [divmod(i, 6) for i in np.flatnonzero(np.array(selected) != MASK.ravel())]

    def drag(self, *places):
        for i, place in enumerate(places):
            box = self.cell(*place).bounding_box()
            self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=6)
            if i == 0:
                self.page.mouse.down()
        self.page.mouse.up()

    def tool(self, name):
        return self.page.get_by_role("radio", name=name)

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def counts(self, number):
        """Wait until the last card has been computed of so many cells."""
        added = self.page.locator("[data-part=added]").last
        expect(added).to_have_text(f"sum of 36 ÷ {number}")


@pytest.fixture
def painting(show):
    widget = paint(run, run, x=X, mask=MASK, poison={(3, 4): "log 0"})
    return Painting(show(widget, kernel=True))


@pytest.fixture
def phone(painting):
    painting.page.set_viewport_size({"width": 390, "height": 844})
    drawn(painting.page)
    return painting


def test_a_stroke_paints_and_takes_away_and_the_cards_follow(painting):
    painting.drag((0, 1), (0, 5))
    painting.counts(11)
    assert painting.masked() == [(0, column) for column in range(1, 6)]
    painting.drag((0, 5), (0, 3))
    painting.counts(8)
    assert painting.masked() == [(0, 1), (0, 2)]
    painting.tool("poison: nan").check(force=True)
    painting.drag((0, 1), (0, 2))
    until(painting.page, lambda: [painting.text(0, i) for i in (1, 2)] == ["nan", "nan"])
    painting.page.get_by_role("button", name="empty the mask").click()
    painting.counts(0)
    painting.page.get_by_role("button", name="start again").click()
    painting.counts(6)
    assert painting.masked() == [] and painting.text(3, 4) == "log 0"
    assert "both engines agree" in painting.page.locator(".ac-live-verdict").inner_text()


def test_everything_by_keyboard(painting):
    """Python draws a painted cell, so each check waits for its answer."""
    page = painting.page
    painting.cell(0, 1).focus()
    painting.press("ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft", "Space")
    until(page, lambda: painting.masked() == [(0, 1)])
    assert "Row 0, column 1" in page.locator(".ac-paint-status").inner_text()
    painting.press("Space")
    until(page, lambda: painting.masked() == [])
    for key, text in (("n", "nan"), ("i", "inf"), ("l", "log 0")):
        painting.press(key, "Space")
        until(page, lambda text=text: painting.text(0, 1) == text)
    painting.press("m", "Enter")
    until(page, lambda: painting.masked() == [(0, 1)])
    painting.press("e", "Enter")
    until(page, lambda: painting.masked() == [])
    assert painting.text(0, 1) not in ("nan", "inf", "log 0")
    painting.tool("erase").focus()
    painting.press("ArrowDown")
    assert painting.tool("poison: log 0").is_checked()
    assert painting.cell(0, 1).evaluate("cell => cell.tabIndex") == 0


def test_a_number_is_told_where_it_is_pointed_at(painting):
    maps = painting.page.get_by_role("group", name="a way of masking, 1", exact=True)
    maps.get_by_role("group", name="gradient").locator("rect").first.hover()
    status = painting.page.locator(".ac-paint-status")
    told = "row 0, column 0, in the mask: loss 4, gradient −0.667"
    assert status.inner_text() == f"a way of masking, 1: {told}"


def test_fingers_paint_on_a_phone(phone):
    grid = phone.page.get_by_role("grid")
    assert grid.evaluate("grid => getComputedStyle(grid.parentElement).touchAction") == "none"
    assert phone.cell(0, 0).bounding_box()["width"] >= 32
    grid.evaluate("""grid => {
      const finger = { pointerId: 7, pointerType: "touch", bubbles: true, cancelable: true };
      grid.parentElement.setPointerCapture = () => {};
      for (const [kind, i] of [["pointerdown", 1], ["pointermove", 2], ["pointermove", 3], ["pointerup", 3]]) {
        const box = grid.querySelectorAll('[role=gridcell]')[i].getBoundingClientRect();
        grid.dispatchEvent(new PointerEvent(kind, { ...finger, clientX: box.x + 9, clientY: box.y + 9 }));
      }
    }""")
    phone.counts(9)
    assert phone.masked() == [(0, 1), (0, 2), (0, 3)]


def test_on_a_phone_the_tools_are_in_one_row_and_stay_in_sight_at_the_last_card(phone):
    boxes = [label.bounding_box() for label in phone.page.locator(".ac-paint-tools label").all()]
    assert len(boxes) == 5 and len({box["y"] for box in boxes}) == 1
    assert overlaps(phone.page.locator(".ac-paint"), ".ac-paint-cards text, g[aria-label]") == []
    phone.page.locator(".ac-paint-cards > svg").last.scroll_into_view_if_needed()
    drawn(phone.page)
    card = phone.page.locator(".ac-paint-cards > svg").last.bounding_box()
    tool = phone.page.locator(".ac-paint-tools label").first.bounding_box()
    assert phone.cell(0, 0).bounding_box()["y"] >= 0
    assert tool["y"] + tool["height"] <= card["y"] and card["y"] + card["height"] <= 844
    phone.cell(0, 0).click()
    phone.counts(5)

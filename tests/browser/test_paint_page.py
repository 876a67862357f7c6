"""The painted mask on a phone, on a page without JupyterLab."""

import numpy as np
import pytest

from autograd_core.lessons.widgets.paint import paint
from tests.browser.page import drawn, overlaps

X, MASK = np.linspace(-2, 2, 36).reshape(6, 6), np.eye(6) > 0


def run(x, mask):
    x, mask = np.array(x), np.array(mask)
    losses, count = np.where(mask, x**2, 0.0), mask.sum()
    result = {"kept": losses, "divided by": count, "x.grad": 2 * x * mask / max(count, 1)}
    numbers = {"loss": losses.sum(), "w.grad": x[mask].sum(), "b.grad": np.float64(count)}
    return {f"a way of masking, {i}": {**result, **numbers} for i in range(8)}


@pytest.fixture
def phone(show):
    widget = paint(run, run, x=X, mask=MASK, poison={(3, 4): "log 0"})
    return show(widget, kernel=True, viewport={"width": 390, "height": 844})


def test_tools_are_a_row_and_nothing_is_cut(phone):
    labels = phone.locator(".ac-paint-tools label")
    boxes = [label.bounding_box() for label in labels.all()]
    assert len(boxes) == 5 and len({box["y"] for box in boxes}) == 1
    assert labels.all_inner_texts() == ["mask", "erase", "nan", "inf", "log 0"]
    for left, right in zip(boxes, boxes[1:]):
        assert left["x"] + left["width"] <= right["x"]
    assert phone.evaluate("() => document.documentElement.scrollWidth") <= 390
    for part in phone.locator(".ac-paint label, .ac-paint button").all():
        assert part.evaluate("part => part.scrollWidth <= part.clientWidth")
    assert overlaps(phone.locator(".ac-paint"), ".ac-paint-cards text, g[aria-label]") == []


def test_the_painter_stays_beside_the_last_card(phone):
    phone.locator(".ac-paint-cards > svg").last.scroll_into_view_if_needed()
    drawn(phone)
    cell, tool = phone.get_by_role("gridcell").first, phone.locator(".ac-paint-tools label").first
    assert cell.bounding_box()["y"] >= 0
    card = phone.locator(".ac-paint-cards > svg").last.bounding_box()
    below = tool.bounding_box()["y"] + tool.bounding_box()["height"]
    assert below <= card["y"] and card["y"] + card["height"] <= 844
    cell.click()
    phone.locator("[role=gridcell][aria-selected=false]").first.wait_for()
    assert cell.get_attribute("aria-selected") == "false"
    assert phone.locator("[data-part=added]").last.text_content() == "sum of 36 ÷ 5"

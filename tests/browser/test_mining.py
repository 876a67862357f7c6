"""The map of lesson 07: every control by mouse and keyboard, and the numbers beside it."""

import math

import pytest
import torch

import autograd_core
from autograd_core.lessons.widgets.mining import mining
from tests.lessons.test_mining import run_on


def run_with_plot(engine):
    """One pixel of six is text, and of the others the `taken` worst learn; up to five can."""
    return lambda softmax, taken: run_on(engine)(taken)


@pytest.fixture
def page(show):
    """A narrow page with the map."""
    runs = [run_with_plot(engine) for engine in (autograd_core, torch)]
    widget = mining(*runs, softmax=True, taken=(2, 0, 9), plot="softmax")
    return show(widget, kernel=True, viewport={"width": 800, "height": 900})


def rows_of(page) -> list[list[float]]:
    """The numbers of the panel: for output 0, output 1 and their sum."""
    rows = page.locator(".ac-mining-numbers tbody tr")
    texts = [rows.nth(i).locator("td").all_inner_texts() for i in range(3)]
    return [[float(text.replace("−", "-") or "nan") for text in row] for row in texts]


def learning(page) -> list[int]:
    """The pixels with arrows."""
    fields = page.get_by_role("gridcell")
    return [i for i in range(fields.count()) if fields.nth(i).locator("path").count() == 2]


def settled(page, others: int) -> None:
    page.get_by_text(f"1 of 1 text pixels and {others} of 5 others").first.wait_for()


def test_a_setting_chooses_pixels_and_their_numbers_are_right(page):
    settled(page, 2)
    assert len(learning(page)) == 3 and 0 in learning(page)
    dots = page.locator(".ac-mining-plot [data-part=dot]")
    assert dots.count() == 2, "one for each chosen negative"
    taken = page.get_by_role("slider", name="taken")
    taken.press("ArrowRight")
    taken.press("ArrowRight")
    settled(page, 4)
    chosen = learning(page)
    assert len(chosen) == 5 and dots.count() == 4

    page.get_by_role("gridcell").nth(chosen[-1]).click()
    (z0, p0, hot0, off0, g0), (z1, p1, hot1, off1, g1), total = rows_of(page)
    expected = math.exp(z1) / (math.exp(z0) + math.exp(z1))
    assert (hot0, hot1) == (1, 0) and p1 == pytest.approx(expected, abs=2e-3)
    assert off1 == pytest.approx(expected, abs=2e-3) and g1 == pytest.approx(expected / 5, abs=2e-3)
    assert (off0, g0) == (-off1, -g1) and total[1:] == [1, 1, 0, 0]

    taken.fill("0")
    settled(page, 0)
    assert learning(page) == [0]


def test_the_map_is_read_by_keyboard(page):
    keys, focused = page.keyboard, page.locator("[role=gridcell]:focus")
    page.get_by_role("gridcell").nth(1).click()
    for key in ("ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowLeft"):
        keys.press(key)
    told = "Row 0, column 0, labeled text: a step lowers output 0 and raises output 1"
    assert focused.get_attribute("aria-label").startswith(told)
    assert focused.get_attribute("aria-selected") == "true"
    assert focused.get_attribute("tabindex") == "0"
    keys.press("Shift+ArrowRight")
    keys.press("ArrowDown")
    last = "Row 1, column 2, labeled not text"
    assert page.locator(".ac-mining-numbers caption").inner_text().startswith(last)
    keys.press("ArrowRight")
    assert focused.get_attribute("aria-label").startswith(last), "it ends at the border"


def test_an_error_and_the_next_run(page):
    page.get_by_role("slider", name="taken").fill("7")
    page.get_by_text("RuntimeError: selected index k out of range").first.wait_for()
    assert "both engines raise RuntimeError" in page.locator(".ac-live-verdict").inner_text()
    assert page.get_by_text("The run raised an error. Before it").count() == 1
    page.get_by_role("slider", name="taken").fill("5")
    settled(page, 5)
    assert page.locator(".ac-error").text_content() == "" and len(learning(page)) == 6

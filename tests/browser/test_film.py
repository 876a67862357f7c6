"""The training film: scrubbed, played, read pixel by pixel, trained again; numbers read from the
page.
"""

import re

import numpy as np
import pytest

from autograd_core.lessons.widgets.film import film
from tests.browser.page import answer, colours, drawn
from tests.widgets.pictures import depths, misread


def run(on):
    frames = [np.arange(2 * 4 * 6).reshape(2, 4, 6) * (step + 1.0) for step in (0, 2, 4)]
    return {
        "at": [0, 2, 4],
        "output": frames,
        "gradient": [on * -frame for frame in frames],
        "curves": {"loss": [5.0, 4.0, 3.0, 2.0, 1.0]},
    }


@pytest.fixture
def page(show):
    return show(
        film(run, run, channels=["first", "second"], on=True),
        kernel=True,
        viewport={"width": 800, "height": 900},
    )


def captions(page) -> list[str]:
    """What stands below the maps: the ends of each, or the number at the pixel that is read."""
    low, high = (
        page.locator(f".ac-film-maps section:not([hidden]) [data-part={part}]").all_text_contents()
        for part in ("low", "high")
    )
    return [" to ".join(filter(None, ends)) for ends in zip(low, high)]


def test_the_maps_follow_the_step(page):
    slider = page.get_by_role("slider", name="Read the curves along step")
    assert captions(page) == ["0 to 115", "120 to 235", "−115 to 0", "−235 to −120"]
    slider.press("Home")
    assert captions(page) == ["0 to 23", "24 to 47", "−23 to 0", "−47 to −24"]
    slider.press("ArrowRight")
    assert page.locator(".ac-film-status").inner_text() == "Maps at step 0"
    slider.press("ArrowRight")
    assert captions(page)[0] == "0 to 69"
    assert slider.get_attribute("aria-valuetext") == "step 2: loss 3"


def test_a_pixel_is_read_in_all_maps_by_keyboard_and_by_mouse(page):
    maps = page.get_by_role("application", name="Maps")
    maps.focus()
    maps.press("ArrowLeft")  # from the middle, [2, 3]
    assert page.locator(".ac-film-status").inner_text() == "Maps at step 4, pixel [2, 2]"
    assert captions(page) == ["= 70", "= 190", "= −70", "= −190"]
    paper = page.locator(".ac-film-maps [data-part=plane]").nth(1)
    box = paper.bounding_box()
    paper.hover(position={"x": box["width"] * 0.99, "y": box["height"] * 0.01})
    assert captions(page)[1] == "= 145"


def seen(page, kind, signed=True):
    """The depths of the maps of a kind, as they are drawn."""
    maps = page.locator(f"section[data-kind={kind}] canvas")
    return [depths(each, signed) for each in colours(maps, 4, 6)]


def test_frames_share_one_signed_scale(page):
    slider, every = page.get_by_role("slider", name="Read the curves along step"), []
    for key in ("Home", "PageDown"):
        slider.press(key)
        every += seen(page, "gradient")
    frames = run(True)["gradient"]
    arrays = [*frames[0], *frames[2]]
    assert misread(every, arrays) == []
    assert misread([-each for each in every], arrays) and misread([abs(x) for x in every], arrays)
    assert misread([each / abs(each).max() for each in every], arrays) != []


def test_maps_turn_dark_with_the_page(page):
    light = seen(page, "gradient")[1]
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    drawn(page)
    assert np.isnan(seen(page, "gradient")[1]).any() and not np.isnan(light).any()


def test_it_opens_where_it_is_told_and_plays_from_the_beginning_to_the_end(show):
    page = show(film(run, channels=["first", "second"], opens=2, on=True), clock=True)
    status, slider = page.locator(".ac-film-status"), page.get_by_role("slider", name="Read the")
    assert status.inner_text() == "Maps at step 2" and captions(page)[0] == "0 to 69"
    assert slider.get_attribute("aria-valuenow") == "2"
    play = page.get_by_role("button", name="Play")
    play.click()
    page.clock.run_for(300)
    assert status.inner_text() == "Maps at step 0"
    page.clock.run_for(3000)
    assert status.inner_text() == "Maps at step 4"
    assert play.get_attribute("aria-pressed") == "false"


def test_a_switch_trains_again(page):
    page.get_by_role("switch", name="on").click()
    page.locator(".ac-film-zero").first.wait_for()
    assert captions(page)[2:] == ["0 to 0", "0 to 0"]
    assert re.match("✓ both engines agree", page.locator(".ac-live-verdict").inner_text())
    page.get_by_role("switch", name="on").press("Space")
    page.get_by_text("−235").last.wait_for()


def test_while_it_trains_again_no_map_of_before_is_seen(show):
    widget = film(run, run, channels=["first", "second"], on=True)
    page = show(widget, clock=True)

    def seen():
        return page.locator(".ac-controls ~ *").evaluate_all(
            "parts => parts.map(part => getComputedStyle(part).visibility)"
        )

    def words():
        return page.locator(".ac-controls").evaluate(
            "box => getComputedStyle(box, '::after').content"
        )

    page.get_by_role("switch", name="on").click()
    page.clock.run_for(100)  # a quick answer would not hide anything
    assert set(seen()) == {"visible"} and words() == "none"
    page.clock.run_for(400)
    # maps, play and curves, and the verdict on what was before
    assert seen() == ["hidden"] * 3 and "Training again" in words()
    answer(page, widget)
    assert set(seen()) == {"visible"} and words() == "none"
    assert captions(page)[2:] == ["0 to 0", "0 to 0"]
    page.get_by_role("switch", name="on").click()
    page.clock.run_for(100)
    answer(page, widget)
    page.clock.run_for(1000)  # answered in time: it is not hidden later
    assert set(seen()) == {"visible"}


def test_what_is_to_be_found_stays_above_the_frames(show):
    truth = {"image": np.arange(24.0).reshape(4, 6), "first": np.ones((4, 6), bool)}
    page = show(film(run, channels=["first", "second"], truth=truth, on=True), kernel=True)
    slider = page.get_by_role("slider", name="Read the curves along step")
    for key in ("End", "Home"):
        slider.press(key)
        assert captions(page)[:2] == ["0 to 23", "1 to 1"]
    texts = page.locator(".ac-film-maps :is(p b, figcaption)").all_text_contents()
    assert texts == ["target", "image", "first", *("output", "first", "second")] + [
        *("gradient", "first", "second")
    ]
    page.get_by_role("application", name="Maps").press("ArrowLeft")
    assert captions(page) == ["= 14", "= 1", "= 14", "= 38", "= −14", "= −38"]


def test_maps_stand_in_columns_each_output_on_its_own_scale(show):
    truth = {
        "first": np.where(np.eye(4, 6), 1.0, np.nan),
        "second": np.arange(24.0).reshape(4, 6) - 5,
    }
    widget = film(run, channels=["first", "second"], truth=truth, opens=2, on=True)
    page = show(widget, kernel=True, viewport={"width": 1128, "height": 800})
    first, second = seen(page, "output", signed=False)
    np.testing.assert_allclose(first.ravel(), np.arange(24) / 23, rtol=0, atol=0.01)
    np.testing.assert_allclose(second.ravel(), np.arange(24, 48) / 47, rtol=0, atol=0.01)
    known = seen(page, "target", signed=False)[1].ravel()
    assert np.isnan(known[:4]).all() and not np.isnan(known[5:]).any(), "below 0 it is grey"
    places = page.locator("section[data-kind] canvas").evaluate_all(
        "each => each.map((canvas) => Math.round(canvas.getBoundingClientRect().left))"
    )
    assert places[:2] == places[2:4] == places[4:] and places[0] < places[1]
    page.get_by_role("application", name="Maps").press("ArrowLeft")
    assert captions(page)[:2] == ["= 1", "= 9"]
    page.get_by_role("application", name="Maps").press("ArrowLeft")
    assert captions(page)[:2] == ["not read", "= 8"]

"""The training film: scrubbed, played, read pixel by pixel, trained again; numbers read from the
page.
"""

import re

import numpy as np
import pytest

from autograd_core.lessons.widgets.film import film
from tests.browser.page import answer


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
        page.locator(f".ac-film-maps [data-part={part}]").all_text_contents()
        for part in ("low", "high")
    )
    return [" to ".join(filter(None, ends)) for ends in zip(low, high)]


def test_the_maps_follow_the_step(page):
    slider = page.get_by_role("slider", name="Read the curves along step")
    assert captions(page) == ["0 to 120", "120 to 240", "0 to 120", "0 to 240"]
    slider.press("Home")
    assert captions(page) == ["0 to 23", "24 to 47", "0 to 23", "0 to 47"]
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


def test_darkness_follows_the_numbers(page):
    shades = page.locator(".ac-film-maps [data-part=picture]").first.evaluate("""async image => {
        const picture = new Image();
        picture.src = image.getAttribute("href");
        await picture.decode();
        const pencil = new OffscreenCanvas(6, 4).getContext("2d");
        pencil.drawImage(picture, 0, 0);
        return [...pencil.getImageData(0, 0, 6, 4).data].filter((_, i) => i % 4 === 0);
    }""")
    assert shades == [round(255 * i / 23) for i in range(24)]


def test_two_views_of_a_film_have_pictures_of_their_own(show):
    widget = film(run, run, channels=["first", "second"], on=True)
    page = show(widget, widget, kernel=True)
    ids = page.locator("mask").evaluate_all("masks => masks.map((mask) => mask.id)")
    assert len(ids) == 2 * 8 == len({*ids})


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
    page.get_by_text("all zero").filter(visible=True).first.wait_for()
    assert captions(page)[2:] == ["", ""]
    assert re.match("✓ both engines agree", page.locator(".ac-live-verdict").inner_text())
    page.get_by_role("switch", name="on").press("Space")
    page.get_by_text("240").last.wait_for()


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
    assert captions(page)[2:] == ["", ""]
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
    texts = (
        page.locator(".ac-film-maps text:not([data-part])").filter(visible=True).all_text_contents()
    )
    assert texts == ["image", "first", "to find", "first", "second", "output", "gradient"]
    page.get_by_role("application", name="Maps").press("ArrowLeft")
    assert captions(page) == ["= 14", "= 1", "= 14", "= 38", "= −14", "= −38"]

"""A step of momentum by hand on the race's map, on a page where nobody answers."""

import numpy as np
import pytest
import torch

import autograd_core as ours
from autograd_core.lessons.widgets.race import OWN, race
from tests.lessons.test_race import SETTINGS, SURFACES, own_rates, run_on, with_own_rates

VALLEY = "Rosenbrock's valley"


@pytest.fixture(params=[(1100, 760), (390, 844)], ids=["wide", "phone"])
def widget(request, show):
    surfaces = {VALLEY: None, **SURFACES}
    made = race(run_on(ours), run_on(torch), surfaces=surfaces, **SETTINGS)
    width, height = request.param
    made.page = show(made, viewport={"width": width, "height": height})
    return made


def step(widget):
    return int(widget.page.get_by_role("slider", name="Step").input_value())


def landings(widget, lr=0.05):
    """Where the ball lands from here on, and where with a mistake: each with a part of its words."""
    rows = dict(widget.drawn["runners"][1]["rows"])
    w, g, before = (
        np.array(rows[key][k])
        for key, k in (
            ("position", step(widget)),
            (".grad", step(widget)),
            ("position", step(widget) - 1),
        )
    )
    kept = 0.9 * (w - before)
    return {
        "✓ Off by 0.0": w + kept - lr * g,
        "That is the gradient alone": w - lr * g,
        "That is the velocity alone": w + kept,
        "That is uphill": w + kept + lr * g,
    }


def said(widget):
    return widget.page.locator(".ac-note").inner_text()


def press(widget, x, y):
    box = widget.page.locator(".ac-race-map > svg").bounding_box()
    across, down = (x + 2.1) / 4.2, (1.65 - y) / 3
    widget.page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])


def test_each_mistake_is_told_where_it_was_pressed(widget):
    page = widget.page
    page.get_by_role("button", name="You step").click()
    assert "Where does momentum land?" in said(widget)
    assert page.locator(".ac-by-hand path").count() == 2 and step(widget) == (first := 5)
    for words, (x, y) in landings(widget).items():
        page.get_by_role("slider", name="Step").fill(str(first))
        press(widget, min(x, 2.0), y)
        assert words in said(widget) and step(widget) == first + 1
    page.get_by_role("slider", name="Step").fill(str(first))
    press(widget, -1.9, -1.2)
    assert said(widget).startswith("Off by ") and "That" not in said(widget)
    page.get_by_role("button", name="You step").click()
    assert said(widget) == widget.drawn["note"] and page.locator(".ac-by-hand path").count() == 0


def test_by_keyboard_alone(widget):
    page = widget.page
    page.get_by_role("button", name="You step").focus()
    page.keyboard.press("Enter")
    first, place = step(widget), dict(widget.drawn["runners"][1]["rows"])["position"][step(widget)]
    for (less, more), here, end in zip(
        (("ArrowLeft", "ArrowRight"), ("ArrowDown", "ArrowUp")),
        place,
        landings(widget)["✓ Off by 0.0"],
    ):
        for _ in range(abs(round((end - here) / 0.05))):
            page.keyboard.press(more if end > here else less)
    assert said(widget).startswith("Your mark: x ")
    page.keyboard.press("Enter")
    assert said(widget).startswith("✓ Off by 0.0") and step(widget) == first + 1
    # from the end it begins again at the first step that is long enough
    page.get_by_role("slider", name="Step").fill(str(widget.drawn["steps"]))
    page.locator(".ac-race-map").focus()
    page.keyboard.press("Enter")
    assert step(widget) == first


def test_the_one_rate_is_disabled_while_each_has_its_own(show):
    made = race(
        with_own_rates(ours), with_own_rates(torch), surfaces=SURFACES, best=own_rates, **SETTINGS
    )
    page = show(made, kernel=True, viewport={"width": 1280, "height": 800})
    lr = page.get_by_role("slider", name="lr", exact=True)
    assert lr.is_enabled() and page.get_by_text("set for each optimizer").count() == 0
    page.get_by_text(OWN, exact=True).click()
    page.get_by_text("set for each optimizer").wait_for()
    assert lr.is_disabled() and made.settings["rates"] == OWN
    shown = page.locator(".ac-race-numbers tbody").all_inner_texts()
    assert all(", lr 0." in each for each in shown)
    page.get_by_text("one lr for all", exact=True).click()
    page.get_by_text("set for each optimizer").wait_for(state="detached")
    assert lr.is_enabled()

"""The race on a page without JupyterLab: steps, settings, and a step of momentum by hand."""

import numpy as np
import pytest
import torch

import autograd_core as ours
from autograd_core.lessons.datasets import BOWL, ROSENBROCK
from autograd_core.lessons.widgets.race import race
from tests.browser.page import until
from tests.lessons.test_race import RATES, SETTINGS, STEPS, run_on, with_own_rates


@pytest.fixture(scope="module")
def made():
    return race(run_on(ours), run_on(torch), surface=ROSENBROCK, step=5, by_hand=True, **SETTINGS)


@pytest.fixture
def widget(made, show):
    """The race on a phone."""
    made.page = show(made, viewport={"width": 390, "height": 844})
    return made


def step(widget):
    return int(widget.page.get_by_role("slider", name="Step").input_value())


def landings(widget, lr=0.05):
    """Where the next step ends, and where with a mistake: each with a part of its words."""
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
        "That is plain SGD's step": w - lr * g,
        "That is the old buffer only": w + kept,
        "That is uphill": w + kept + lr * g,
    }


def said(widget):
    return widget.page.locator(".ac-note").inner_text()


def press(page, x, y):
    page.locator(".ac-race-map").evaluate("map => map.scrollIntoView()")
    box = page.locator(".ac-race-map > svg").bounding_box()
    across, down = (x + 2.1) / 4.2, (1.65 - y) / 3
    page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])


def test_each_mistake_is_told_where_it_was_pressed(widget):
    page = widget.page
    assert "Where does the next step end?" in said(widget)
    assert page.locator(".ac-by-hand path").count() == 2 and step(widget) == (first := 5)
    for words, (x, y) in landings(widget).items():
        page.get_by_role("slider", name="Step").fill(str(first))
        press(page, min(x, 2.0), y)
        assert words in said(widget) and step(widget) == first + 1
    page.get_by_role("slider", name="Step").fill(str(first))
    press(page, -1.9, -1.2)
    assert said(widget).startswith("Off by ") and "That" not in said(widget)


def test_the_key_has_every_marker_of_the_map(widget):
    shapes = [runner["shape"] for runner in widget.drawn["runners"]]
    key = widget.page.locator(".ac-race-marks path")
    assert [path.get_attribute("d") for path in key.all()] == shapes
    assert all("fill: none" in path.get_attribute("style") for path in key.all())
    assert widget.page.locator(".ac-race-map circle").count() == 0, "a ring looks like a marker"


def test_by_keyboard_alone(widget):
    page = widget.page
    page.locator(".ac-race-map").focus()
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
    assert step(widget) == 1


TABLE = """bodies => bodies.map((body) => [...body.rows].map((row) =>
  [row.querySelector("th").innerText.trim(), [...row.querySelectorAll("td")].map((cell) => cell.innerText)]))"""


def table(page):
    """{optimizer: {"loss": text, row: [x, y]}} at the step that is shown."""
    shown = {}
    for (name, [loss]), *rows in page.locator(".ac-race-numbers tbody").evaluate_all(TABLE):
        shown[name] = {"loss": loss, **dict(rows)}
    return shown


def numbers(texts):
    return [float(text.replace("−", "-")) for text in texts]


def status(page):
    return page.locator(".ac-race-status").inner_text().removesuffix("; loss, log")


def test_steps_and_play_by_keyboard(show):
    page = show(race(run_on(ours), run_on(torch), surface=BOWL, **SETTINGS), clock=True)
    track, keys = page.get_by_role("slider", name="Step"), page.keyboard
    track.focus()
    keys.press("Home")
    assert status(page) == "At the start"
    before = table(page)
    assert before["Adam"]["exp_avg"] == ["none", "none"]
    assert "remembers nothing" in before["SGD"]
    keys.press("ArrowRight")
    assert status(page) == "After step 1"
    at = "position x, y"
    place, slope = (np.array(numbers(before["SGD"][row])) for row in (at, ".grad here"))
    assert numbers(table(page)["SGD"][at]) == pytest.approx(place - 0.05 * slope, abs=1e-3)
    keys.press("Space")
    page.clock.run_for(1000)
    page.get_by_role("button", name="Pause").click()
    stopped = int(track.input_value())
    page.clock.run_for(1000)
    assert 2 < int(track.input_value()) == stopped < STEPS
    track.focus()
    keys.press("End")
    assert status(page) == f"After step {STEPS}"
    page.get_by_role("button", name="One step back").click()
    assert status(page) == f"After step {STEPS - 1}"


def test_the_start_and_every_setting(show):
    made = race(run_on(ours), run_on(torch), surface=BOWL, **SETTINGS)
    page = show(made, kernel=True)
    page.get_by_role("slider", name="Step").fill("2")
    everyone = {*table(page)}
    for name, changed in {"lr": everyone, "beta2": {"RMSprop", "Adam"}}.items():
        before = table(page)
        page.get_by_role("slider", name=name, exact=True).press("ArrowLeft")
        until(page, lambda before=before: table(page) != before)
        assert {name for name, rows in table(page).items() if rows != before[name]} == changed
    press(page, 1.0, 0.5)
    start = "() => models[0].state.drawn.start"
    until(page, lambda: np.allclose(page.evaluate(start), (1.0, 0.5), atol=0.02))
    x, y = made.drawn["start"]
    page.locator(".ac-race-map").focus()
    page.keyboard.press("ArrowUp")
    until(page, lambda: page.evaluate(start)[1] > y + 0.05)
    assert made.drawn["start"][0] == x
    assert "✓ both engines agree" in page.locator(".ac-live-verdict").inner_text()


def test_the_rate_of_each_optimizer_is_shown(show):
    made = race(with_own_rates(ours), surface=BOWL, rates=RATES, beta2=SETTINGS["beta2"])
    shown = table(show(made))
    assert [each["loss"].partition(", lr ")[2] for each in shown.values()] == [
        str(rate) for rate in RATES.values()
    ]

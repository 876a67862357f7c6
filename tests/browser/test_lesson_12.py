"""The race of lesson 12 in real JupyterLab: every control by mouse and by keyboard, numbers as the
mathematics says.
"""

import re

import pytest

from tests.browser.one_screen import LAPTOP
from tests.browser.page import until

ADAM, ALL = {"Adam", "AdamW"}, {"SGD", "momentum", "RMSprop", "Adam", "AdamW"}
CHANGED_BY = {
    "lr": ALL,
    "momentum": {"momentum"},
    "beta1": ADAM,
    "beta2": {"RMSprop", *ADAM},
    "weight_decay": ALL,
}


NOTEBOOK = "12_optimizer_steps.ipynb"


@pytest.fixture
def output(lesson):
    return lesson.cell_output("race(run")


ROOM = 656  # CSS pixels that JupyterLab leaves to an output in a window of 1280 × 768
BELOW = "([a, b]) => b.getBoundingClientRect().top >= a.getBoundingClientRect().bottom - 1"
TABLE = """bodies => bodies.map((body) => [...body.rows].map((row) =>
  [row.querySelector("th").innerText.trim(), [...row.querySelectorAll("td")].map((cell) => cell.innerText)]))"""


def table(output):
    """{optimizer: {"loss": text, row: [x, y]}} as it is shown, read at one moment."""
    shown = {}
    for (name, [loss]), *rows in output.locator(".ac-race-numbers tbody").evaluate_all(TABLE):
        shown[name] = {"loss": loss.removeprefix("loss "), **dict(rows)}
    return shown


def changed_since(before, output):
    """The optimizers with other numbers, once there are some: the kernel answers in its own time."""
    return until(
        output.page, lambda: {name for name, rows in table(output).items() if rows != before[name]}
    )


def status(output):
    return output.locator(".ac-race-status").inner_text()


def numbers(texts):
    return [float(text.replace("−", "-")) for text in texts]


def go_to(output, step):
    output.get_by_role("slider", name="Step").fill(str(step))


def wait_for_start(output, x, y):
    output.locator(f'.ac-race-map[aria-label*="from x {x}, y {y}."]').wait_for()


def test_notebook_runs_to_its_end(lesson):
    assert lesson.problems() == []
    assert lesson.unfinished() == []


def test_map_sliders_and_play_are_one_screen_and_it_opens_on_the_way(lesson, output):
    lesson.page.set_viewport_size(dict(zip(("width", "height"), LAPTOP)))
    output.locator(".ac-race").scroll_into_view_if_needed()
    output.get_by_text("After step 24").wait_for()
    wait_for_start(output, "−1.4", "0.6")
    parts = [output.locator(".ac-race-map"), output.get_by_role("button", name="Play")]
    boxes = [part.bounding_box() for part in (*parts, *output.get_by_role("slider").all())]
    top, bottom = (
        f(box["y"] + h * box["height"] for box in boxes) for f, h in ((min, 0), (max, 1))
    )
    assert len(boxes) == 9 and bottom - top <= output.locator(".ac-race").bounding_box()["height"]
    assert output.locator(".ac-race").bounding_box()["height"] <= ROOM
    # and the map takes what there is
    assert output.locator(".ac-race-map > svg").bounding_box()["height"] > 440


def test_steps_by_keyboard(lesson, output):
    keys, track = lesson.page.keyboard, output.get_by_role("slider", name="Step")
    output.get_by_text("bowl", exact=True).click()
    wait_for_start(output, "−1.7", "1.2")
    track.focus()
    keys.press("Home")
    assert status(output) == "At the start"
    start = table(output)
    assert all(
        each["position"] == ["−1.7", "1.2"] and each[".grad"] == ["−1.7", "2.4"]
        for each in start.values()
    )
    assert start["Adam"]["exp_avg"] == ["none", "none"] and "remembers nothing" in start["SGD"]

    keys.press("ArrowRight")
    first = table(output)
    assert status(output) == "After step 1"
    assert numbers(first["SGD"]["position"]) == pytest.approx(
        [-1.7 + 0.05 * 1.7, 1.2 - 0.05 * 2.4], abs=1e-3
    )
    assert numbers(first["momentum"]["momentum_buffer"]) == [-1.7, 2.4]
    assert numbers(first["RMSprop"]["position"]) == pytest.approx([-1.2, 0.7], abs=1e-3), (
        "ten times lr"
    )
    assert numbers(first["Adam"]["position"]) == pytest.approx([-1.65, 1.15], abs=1e-3), "lr"
    assert numbers(first["Adam"]["exp_avg_sq"]) == pytest.approx(
        [0.01 * 1.7**2, 0.01 * 2.4**2], abs=1e-3
    )
    assert track.get_attribute("aria-valuetext").startswith("Step 1: loss SGD 2.4")

    keys.press("Space")
    output.get_by_role("button", name="Pause").wait_for()
    output.get_by_text(re.compile(r"After step ([5-9]|\d\d);")).wait_for()
    keys.press("Space")
    stopped = status(output)
    lesson.page.wait_for_timeout(200)  # three steps, did it still play
    assert status(output) == stopped and output.get_by_role("button", name="Play").count() == 1
    keys.press("End")
    assert status(output) == "After step 150"
    assert lesson._ask("return notebook.mode") == "command"


@pytest.mark.prove
def test_steps_by_mouse(output):
    go_to(output, 150)
    output.get_by_role("button", name="One step back").click()
    assert status(output) == "After step 149"
    output.get_by_role("button", name="One step on").click()
    output.get_by_role("button", name="Play").click()
    output.get_by_text(re.compile(r"After step ([3-9]|\d\d);")).wait_for()
    output.get_by_role("button", name="Pause").click()
    track = output.get_by_role("slider", name="Step").bounding_box()
    output.page.mouse.click(track["x"] + track["width"] / 2, track["y"] + track["height"] / 2)
    assert 73 <= int(status(output).removeprefix("After step ")) <= 77


@pytest.mark.prove
def test_the_start_by_mouse_and_by_keyboard(lesson, output):
    box = output.locator(".ac-race-map").bounding_box()
    output.locator(".ac-race-map").click(
        position={"x": box["width"] * (1.0 + 2.1) / 4.2, "y": box["height"] * (1.65 - 0.5) / 3}
    )
    output.locator('.ac-race-map:not([aria-label*="x −1.7"])').wait_for()
    go_to(output, 0)
    x, y = numbers(table(output)["SGD"]["position"])
    assert (x, y) == (pytest.approx(1, abs=0.02), pytest.approx(0.5, abs=0.02))
    output.locator(".ac-race-map").focus()
    for key in ("ArrowRight", "ArrowUp", "ArrowUp", "ArrowLeft", "ArrowDown"):
        lesson.page.keyboard.press(key)
    shown = f"{x:g}", f"{round(y + 0.1, 2):g}"
    wait_for_start(output, *shown)
    lesson.wait_idle()
    assert numbers(table(output)["SGD"]["position"]) == [float(each) for each in shown]
    assert lesson._ask("return notebook.mode") == "command"


def test_every_surface_and_every_slider(lesson, output):
    for surface, start in (
        ("saddle", (-1.7, 0.01)),
        ("Rosenbrock's valley", (-1.4, 0.6)),
        ("ravine", (-1.8, 0.6)),
        ("bowl", (-1.7, 1.2)),
    ):
        output.get_by_text(surface, exact=True).click()
        wait_for_start(output, *(f"{x:g}".replace("-", "−") for x in start))
        assert "✓ both engines agree" in output.locator(".ac-live-verdict").inner_text()
    go_to(output, 2)
    for name in CHANGED_BY:
        slider, before = output.get_by_role("slider", name=name, exact=True), table(output)
        slider.focus()
        lesson.page.keyboard.press("ArrowLeft" if name != "weight_decay" else "ArrowRight")
        assert changed_since(before, output) == CHANGED_BY[name], name
    assert "✓ both engines agree" in output.locator(".ac-live-verdict").inner_text()


@pytest.mark.prove
def test_the_table_is_below_on_a_narrow_page(lesson, output):
    lesson.page.set_viewport_size({"width": 800, "height": 900})
    map_, shown = (output.locator(f".ac-race-{part}").element_handle() for part in ("map", "side"))
    lesson.page.wait_for_function(BELOW, arg=[map_, shown])

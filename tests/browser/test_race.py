"""The race of lesson 10 in real JupyterLab: every control by mouse and by keyboard, numbers as the mathematics says."""

import pytest

SETTINGS = ("lr", "momentum", "beta1", "beta2", "weight_decay")


@pytest.fixture(scope="module")
def opened(lab):
    with lab.open("10_optimizer_steps.ipynb") as page:
        page.run_all()
        yield page, page.cell_output("race(run")
        assert page.problems() == []


def table(output):
    """{optimizer: {"loss": text, row: [x, y]}} as it is shown."""
    shown = {}
    for body in output.locator(".ac-race-table tbody").all():
        heads, cells = body.locator("th").all_inner_texts(), [row.locator("td").all_inner_texts() for row in body.locator("tr").all()]
        shown[heads[0].strip()] = {"loss": cells[0][0].removeprefix("loss "), **dict(zip(heads[1:], cells[1:]))}
    return shown


def numbers(texts):
    return [float(text.replace("−", "-")) for text in texts]


def go_to(output, step):
    output.get_by_role("slider", name="Step").fill(str(step))


def wait_for_start(output, x, y):
    output.locator(f'.ac-race-map[aria-label*="from x {x}, y {y}."]').wait_for()


def test_steps_by_keyboard(opened):
    page, output = opened
    keys, track = page.page.keyboard, output.get_by_role("slider", name="Step")
    track.focus()
    keys.press("Home")
    assert output.locator("caption").inner_text() == "At the start"
    start = table(output)
    assert all(each["position"] == ["−1.7", "1.2"] and each[".grad"] == ["−1.7", "2.4"] for each in start.values())
    assert start["Adam"]["exp_avg"] == ["none yet", "none yet"] and "remembers nothing" in start["SGD"]

    keys.press("ArrowRight")
    first = table(output)
    assert output.locator("caption").inner_text() == "After step 1"
    assert numbers(first["SGD"]["position"]) == pytest.approx([-1.7 + 0.05 * 1.7, 1.2 - 0.05 * 2.4], abs=1e-3)
    assert numbers(first["momentum"]["momentum_buffer"]) == [-1.7, 2.4]
    assert numbers(first["RMSprop"]["position"]) == pytest.approx([-1.2, 0.7], abs=1e-3), "ten times lr"
    assert numbers(first["Adam"]["position"]) == pytest.approx([-1.65, 1.15], abs=1e-3), "lr"
    assert numbers(first["Adam"]["exp_avg_sq"]) == pytest.approx([0.01 * 1.7 ** 2, 0.01 * 2.4 ** 2], abs=1e-3)
    assert track.get_attribute("aria-valuetext").startswith("Step 1: loss SGD 2.4")

    keys.press("Space")
    output.get_by_role("button", name="Pause").wait_for()
    output.locator("caption", has_text="After step 5").wait_for()
    keys.press("Space")
    stopped = output.locator("caption").inner_text()
    page.page.wait_for_timeout(200)
    assert output.locator("caption").inner_text() == stopped and output.get_by_role("button", name="Play").count() == 1
    keys.press("End")
    assert output.locator("caption").inner_text() == "After step 150"
    assert page._ask("return notebook.mode") == "command"


def test_steps_by_mouse(opened):
    _, output = opened
    go_to(output, 150)
    output.get_by_role("button", name="One step back").click()
    assert output.locator("caption").inner_text() == "After step 149"
    output.get_by_role("button", name="One step on").click()
    output.get_by_role("button", name="Play").click()
    output.locator("caption", has_text="After step 3").wait_for()
    output.get_by_role("button", name="Pause").click()
    track = output.get_by_role("slider", name="Step").bounding_box()
    output.page.mouse.click(track["x"] + track["width"] / 2, track["y"] + track["height"] / 2)
    assert 73 <= int(output.locator("caption").inner_text().removeprefix("After step ")) <= 77


def test_the_start_by_mouse_and_by_keyboard(opened):
    page, output = opened
    box = output.locator(".ac-race-map").bounding_box()
    output.locator(".ac-race-map").click(position={"x": box["width"] * (1.0 + 2.1) / 4.2, "y": box["height"] * (1.65 - 0.5) / 3})
    output.locator('.ac-race-map:not([aria-label*="x −1.7"])').wait_for()
    go_to(output, 0)
    x, y = numbers(table(output)["SGD"]["position"])
    assert (x, y) == (pytest.approx(1, abs=0.02), pytest.approx(0.5, abs=0.02))
    output.locator(".ac-race-map").focus()
    for key in ("ArrowRight", "ArrowUp", "ArrowUp", "ArrowLeft", "ArrowDown"):
        page.page.keyboard.press(key)
    shown = f"{x:g}", f"{round(y + 0.1, 2):g}"
    wait_for_start(output, *shown)
    page.wait_idle()
    assert numbers(table(output)["SGD"]["position"]) == [float(each) for each in shown]
    assert page._ask("return notebook.mode") == "command"


def test_every_surface_and_every_slider(opened):
    page, output = opened
    for surface, start in (("saddle", (-1.7, 0.01)), ("Rosenbrock's valley", (-1.4, 0.6)), ("ravine", (-1.8, 0.6)), ("bowl", (-1.7, 1.2))):
        output.get_by_text(surface, exact=True).click()
        wait_for_start(output, *(f"{x:g}".replace("-", "−") for x in start))
        assert "✓ both engines agree" in output.locator(".ac-live-verdict").inner_text()
    go_to(output, 2)
    for name in SETTINGS:
        slider, before = output.get_by_role("slider", name=name, exact=True), table(output)
        slider.focus()
        page.page.keyboard.press("ArrowLeft" if name != "weight_decay" else "ArrowRight")
        page.wait_idle()
        page.page.wait_for_timeout(300)
        changed = {optimizer for optimizer, rows in table(output).items() if rows != before[optimizer]}
        adam = {"Adam", "AdamW"}
        assert changed == {"lr": {"SGD", "momentum", "RMSprop", *adam}, "momentum": {"momentum"}, "beta1": adam, "beta2": {"RMSprop", *adam},
                           "weight_decay": {"SGD", "momentum", "RMSprop", *adam}}[name], name
    assert "✓ both engines agree" in output.locator(".ac-live-verdict").inner_text()


def test_no_label_over_another_and_the_table_below_on_a_narrow_page(lab):
    with lab.open("10_optimizer_steps.ipynb", 800) as page:
        page.run_all()
        output = page.cell_output("race(run")
        map_, shown = output.locator(".ac-race-map").bounding_box(), output.locator(".ac-race-table").bounding_box()
        assert shown["y"] >= map_["y"] + map_["height"] - 1
        for step in (0, 7, 60, 150):
            go_to(output, step)
            boxes = [label.bounding_box() for label in output.locator(".ac-race-label").all()]
            for i, a in enumerate(boxes):
                assert not any(a["x"] < b["x"] + b["width"] - 1 and b["x"] < a["x"] + a["width"] - 1 and
                               a["y"] < b["y"] + b["height"] - 1 and b["y"] < a["y"] + a["height"] - 1 for b in boxes[:i]), step
        assert page.problems() == []

"""The curves of lesson 03 in real JupyterLab: every control by mouse and by keyboard, numbers as
they must be.
"""

from tests.browser.curves_page import reads, rows, wait_for

NOTEBOOK = "03_accumulate_and_step.ipynb"
CURVES = "curves(run"


def test_notebook_runs_to_its_end(lesson):
    assert lesson.problems() == []
    assert lesson.unfinished() == []


def test_three_calls_by_keyboard(lesson):
    output, keys = lesson.cell_output(CURVES), lesson.page.keyboard
    reads(output).focus()
    keys.press("Home")
    assert rows(output) == {"w": ["0", "0"], "w.grad": ["−3", "−3"]}
    keys.press("ArrowRight")
    assert rows(output)["w"] == ["0.3", "0.3"]  # 0 + 0.1 * 3
    # never zeroed: −3 − 2.7
    assert reads(output).get_attribute("aria-valuetext") == "pass 1: w 0.3, w.grad −5.7"
    ball = output.locator("[data-part=ball]")
    before = float(ball.get_attribute("cx"))
    keys.press("ArrowRight")
    assert float(ball.get_attribute("cx")) > before
    keys.press("ArrowLeft")

    output.get_by_role("switch", name="step").focus()
    keys.press("Space")
    wait_for(output, "w", "0")
    # never: three is added in every pass
    assert rows(output)["w.grad"] == ["−6", "−6"]
    output.get_by_role("radio", name="never").focus()
    keys.press("ArrowRight")
    wait_for(output, "w.grad", "−3")
    output.get_by_role("switch", name="backward").focus()
    keys.press("Space")
    wait_for(output, "w.grad", "None")
    assert not output.locator("[data-part=pile]").is_visible()
    output.get_by_role("slider", name="lr").focus()
    for _ in range(10):
        keys.press("ArrowRight")
    for name in ("backward", "step"):
        output.get_by_role("switch", name=name).focus()
        keys.press("Space")
    wait_for(output, "w", "0.6")  # 0 + 0.2 * 3
    assert (
        lesson._ask("return notebook.mode") == "command"
        and "✓ both engines agree" in output.inner_text()
    )


def test_three_calls_by_mouse_on_a_narrow_page(lesson):
    lesson.page.set_viewport_size({"width": 800, "height": 900})
    output = lesson.cell_output(CURVES)
    chart, table = output.locator(".ac-curves-stage"), output.locator(".ac-curves-table")
    assert (
        table.bounding_box()["y"] >= chart.bounding_box()["y"] + chart.bounding_box()["height"] - 1
    )
    output.get_by_text("before step", exact=True).click()
    # zeroed before the step: nothing moves
    wait_for(output, "w", "0")
    output.get_by_text("never", exact=True).click()
    box = chart.bounding_box()
    lesson.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    middle = output.locator("caption").inner_text()
    assert middle.startswith("pass ") and 25 <= int(middle.split()[1]) <= 33
    output.get_by_role("switch", name="step").click()
    wait_for(output, "w", "0")
    assert "✓ both engines agree" in output.inner_text()

"""The curves of lessons 03 and 04 in real JupyterLab: every control by mouse and by keyboard, numbers as they must be."""

import pytest


@pytest.fixture(scope="module")
def open_lesson(lab):
    """Open a lesson once, run it, and give the output of its curves; it closes without a problem in the end."""
    opened = {}

    def open_(name, width=1280):
        if (name, width) not in opened:
            manager = lab.open(name, width)
            page = manager.__enter__()
            opened[name, width] = manager, page
            page.run_all()
        page = opened[name, width][1]
        return page, page.cell_output("curves(run")

    yield open_
    for manager, page in opened.values():
        problems = page.problems()
        manager.__exit__(None, None, None)
        assert problems == []


def rows(output):
    """{name: [autograd_core's number, PyTorch's]} at the step that is read."""
    return {row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in output.locator("tbody tr").all()}


def wait_for(output, name, number):
    output.locator(f'tbody tr:has(th:text-is("{name}")) td:text-is("{number}")').first.wait_for()


def reads(output):
    return output.get_by_role("slider", name="Read the curves along")


def test_three_calls_by_keyboard(open_lesson):
    page, output = open_lesson("03_accumulate_and_step.ipynb")
    keys = page.page.keyboard
    reads(output).focus()
    keys.press("Home")
    assert rows(output) == {"w": ["0", "0"], "w.grad": ["−3", "−3"]}
    keys.press("ArrowRight")
    assert rows(output)["w"] == ["0.3", "0.3"]                              # 0 + 0.1 * 3
    assert reads(output).get_attribute("aria-valuetext") == "call 1: w 0.3, w.grad −2.7"

    output.get_by_role("switch", name="step").focus()
    keys.press("Space")
    wait_for(output, "w", "0")
    assert rows(output)["w.grad"] == ["−3", "−3"]
    output.get_by_role("radio", name="before backward").focus()
    keys.press("ArrowRight")                                                # never: three is added at every call
    wait_for(output, "w.grad", "−6")
    output.get_by_role("switch", name="backward").focus()
    keys.press("Space")
    wait_for(output, "w.grad", "None")
    output.get_by_role("slider", name="lr").focus()
    for _ in range(10):
        keys.press("ArrowRight")
    for name in ("backward", "step"):
        output.get_by_role("switch", name=name).focus()
        keys.press("Space")
    wait_for(output, "w", "0.6")                                            # 0 + 0.2 * 3
    assert page._ask("return notebook.mode") == "command" and "✓ both engines agree" in output.inner_text()


def test_three_calls_by_mouse_on_a_narrow_page(open_lesson):
    page, output = open_lesson("03_accumulate_and_step.ipynb", 800)
    chart, table = output.locator(".ac-curves-stage"), output.locator(".ac-curves-table")
    assert table.bounding_box()["y"] >= chart.bounding_box()["y"] + chart.bounding_box()["height"] - 1
    output.get_by_text("before step", exact=True).click()
    wait_for(output, "w", "0")                                              # zeroed before the step: nothing moves
    output.get_by_text("never", exact=True).click()
    box = chart.bounding_box()
    page.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    middle = output.locator("caption").inner_text()
    assert middle.startswith("call ") and 25 <= int(middle.split()[1]) <= 33
    output.get_by_role("switch", name="step").click()
    wait_for(output, "w", "0")
    assert "✓ both engines agree" in output.inner_text()


def test_the_live_graph(open_lesson):
    page, output = open_lesson("04_the_life_of_a_graph.ipynb")
    nodes = lambda: rows(output)["nodes"]  # noqa: E731
    assert nodes() == ["6", "6"] and rows(output)["saved bytes"] == ["0", "0"]
    output.get_by_text("carried", exact=True).click()
    output.get_by_text("Trying to backward through the graph a second time").wait_for()
    opacity = "main => getComputedStyle(main).opacity"
    assert output.locator(".ac-live-main").evaluate(opacity) == "0.35", "the curves are those from before the error"
    output.get_by_text("carried, retain_graph", exact=True).click()
    wait_for(output, "nodes", "183")                                        # three for every step, and three
    assert output.locator(".ac-error").inner_text() == ""
    assert output.locator(".ac-live-main").evaluate(opacity) == "1"
    output.get_by_text("detached", exact=True).click()
    wait_for(output, "nodes", "6")
    output.get_by_role("radio", name="loss", exact=True).focus()
    page.page.keyboard.press("Space")
    wait_for(output, "nodes", "361")                                        # six husks for every step, and one
    assert rows(output)["saved bytes"] == ["0", "0"]
    output.get_by_role("switch", name="backward").click()
    wait_for(output, "saved bytes", "3904")                                 # nobody frees what was saved
    output.get_by_role("switch", name="no_grad").click()
    wait_for(output, "nodes", "0")
    assert "✓ both engines agree" in output.inner_text()

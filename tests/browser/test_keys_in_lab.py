"""The keys of a widget in real JupyterLab: plain ones stay in it, Jupyter's own go on."""

import pytest

CELLS = [
    "from autograd_core.lessons import predict\nfrom autograd_core.widgets import explore",
    'predict("73.1", "At `u` is", ["the last", "the sum", "the mean"], result=lambda at_u: at_u)',
    'explore("a * b + sin(a)", a=2.0, b=-1.0)',
    *["1"] * 12,
    "import time; time.sleep(1)",
]


@pytest.fixture(scope="module")
def page(lab):
    with lab.open(lab.write("keys.ipynb", CELLS), height=700) as page:
        page.run_all()
        yield page
        assert page.problems() == []


def shape_of(page) -> tuple:
    """What a key that reaches JupyterLab would change: the cells, those folded away, the mode, the
    active cell.
    """
    return tuple(
        page._ask(f"return {what}")
        for what in (
            "notebook.widgets.length",
            "notebook.widgets.filter(cell => cell.isHidden).length",
            "notebook.mode",
            "notebook.activeCellIndex",
        )
    )


def test_enter_commits_to_an_answer_and_shift_enter_leads_to_the_next_cell(page):
    page.cell_output(1).get_by_role("radio").nth(1).focus()
    page.page.keyboard.press("Enter")
    page.page.get_by_text("Your answer is kept").first.wait_for()
    assert page._ask("return notebook.mode") == "command", "Enter did not open the cell's editor"
    page.page.keyboard.press("Shift+Enter")
    assert page._ask("return notebook.activeCellIndex") == 2, "Jupyter's own keys still work"
    page.wait_idle()


def test_the_keys_of_a_slider_stay_in_the_view(page):
    view, keys = page.cell_output(2), page.page.keyboard
    slider = view.get_by_role("slider", name="a", exact=True)
    slider.click()
    slider.focus()
    value, before = float(slider.input_value()), shape_of(page)
    for key in ("ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowRight", "x", "d", "d", "a", "m"):
        keys.press(key)
    page.wait_idle()
    assert float(slider.input_value()) == pytest.approx(value - 0.02)
    assert shape_of(page) == before
    assert slider.evaluate("slider => document.activeElement === slider")


def test_a_click_and_space_plays(page):
    view = page.cell_output(2)
    view.get_by_role("slider", name="Event").press("Home")
    view.locator(".ac-status").click(position={"x": 6, "y": 6})
    place = view.locator(".ac-title").bounding_box()["y"]
    page.page.keyboard.press("Space")
    view.get_by_text("Playing").wait_for()
    assert view.locator(".ac-title").bounding_box()["y"] == place, "the page did not scroll"
    page.page.keyboard.press("Space")


def test_the_keys_of_a_box_stay_in_the_view_and_chords_go_on(page):
    view, keys = page.cell_output(2), page.page.keyboard
    view.locator(".ac-node").first.click()
    before = shape_of(page)
    for key in ("x", "d", "d", "b", "ArrowUp", "ArrowLeft", "Home", "Enter", "z"):
        keys.press(key)
    assert shape_of(page) == before
    keys.press("Shift+Enter")
    page.wait_idle()
    assert page._ask("return notebook.activeCellIndex") == 3


def test_an_echo_from_a_busy_kernel_takes_no_step_back(page):
    track, seen = page.cell_output(2).get_by_role("slider", name="Event"), set()
    page.start_cell(len(CELLS) - 1)
    track.press("Home")
    # the kernel sleeps: it is told of this at its end
    page.page.wait_for_timeout(400)
    for key in ("End", "ArrowLeft") * 6:
        track.press(key)
        page.page.wait_for_timeout(100)
        seen.add(track.get_attribute("aria-valuenow"))
    page.wait_idle()
    last = track.get_attribute("aria-valuemax")
    assert seen == {last, str(int(last) - 1)}

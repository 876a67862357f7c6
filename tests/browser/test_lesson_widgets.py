"""Predictions, the quiz and the typed expression in real JupyterLab, by keyboard and by mouse."""

import json

import pytest

PREDICT = [
    "from autograd_core.widgets.predict import predict, predicted",
    'predict("02.1", "The gradient at `u` is", ["the last | it overwrites", "the sum | it adds", "the <i>mean</i>"])',
    'predicted("02.1", 1, because="`u` is used twice")',
]
QUIZ = ["from autograd_core.widgets.quiz import quiz", 'quiz("before", again=True)', 'quiz("after", again=True)']
EXPLORE = ["from autograd_core.widgets.explore import explore", 'explore("a * b + sin(a)", a=2.0, b=-1.0)']


def status(output) -> str:
    return output.locator(".ac-choice-status").inner_text()


def test_a_prediction_by_keyboard(opened):
    page = opened(PREDICT)
    keys, asked = page.page.keyboard, page.cell_output(1)
    group, radios = asked.get_by_role("radiogroup", name="Predict first. The gradient at u is"), asked.get_by_role("radio")
    assert group.count() == 1 and radios.count() == 3
    assert "<i>mean</i>" in radios.nth(2).inner_text()
    assert [radios.nth(i).get_attribute("tabindex") for i in range(3)] == ["0", "-1", "-1"]

    radios.first.focus()
    keys.press("ArrowLeft")
    assert radios.nth(2).get_attribute("aria-checked") == "true"
    keys.press("ArrowLeft")
    assert status(asked) == "Not kept yet. Enter commits."
    assert "not predicted yet" in page.cell_output(2).inner_text()
    assert radios.nth(1).evaluate("radio => document.activeElement === radio && getComputedStyle(radio).outlineStyle") == "solid"

    page.cell_output(1)
    keys.press("Enter")
    assert status(asked).startswith("Your answer is kept. Run the cells below to see.")
    page.page.get_by_text("and so it is").wait_for()
    assert page._ask("return notebook.mode") == "command", "Enter did not open the cell's editor"
    keys.press("Shift+Enter")
    assert page._ask("return notebook.activeCellIndex") == 2, "Jupyter's own keys still work"
    page.wait_idle()
    assert page.cell_output(1).locator('[data-kept] >> text="the sum"').count() == 1


def test_a_prediction_by_mouse_on_a_narrow_page(opened):
    page = opened(PREDICT, width=800)
    radios = page.cell_output(1).get_by_role("radio")
    radios.first.click()
    page.page.get_by_text("You predicted: the last. What happened: the sum.").wait_for()
    boxes = [radios.nth(i).bounding_box() for i in range(3)]
    assert len({box["x"] for box in boxes}) == 1 and all(box["height"] >= 32 for box in boxes)


def test_the_quiz_before_and_after(opened, lab):
    page = opened(QUIZ)
    before = page.cell_output(1)
    before.get_by_role("radio").nth(0).click()
    assert status(before).startswith("Kept. Lesson 01 settles it.")
    page.page.keyboard.press("Enter")
    assert before.locator(".ac-choice-heading").inner_text().startswith("2 of 10.")
    assert before.locator(".ac-choice-summary").inner_text() == ""
    before.get_by_role("button", name="Question 10: not answered").click()
    assert before.get_by_role("button", name="Next question").is_disabled()
    page.wait_idle()

    after = page.cell_output(2)
    after.get_by_role("radio").nth(1).click()
    after.locator(".ac-choice-mark-right").wait_for()
    marks = [after.get_by_role("radio").nth(i).locator(".ac-choice-marks").inner_text() for i in range(3)]
    assert marks == ["before", "now", "✓ right"]
    after.get_by_role("radio").nth(2).click(force=True)
    assert after.locator("[data-kept]").count() == 1, "what is settled stays"
    assert after.get_by_role("button", name="Question 1: answered, settled").count() == 1
    [file] = lab.server.folder.parents[1].rglob("autograd_core/quiz.json")
    assert json.loads(file.read_text()) == {"before": {"graph-made": 0}, "after": {"graph-made": 1}}


def test_a_typed_expression(opened):
    page = opened(EXPLORE)
    view = page.cell_output(1)
    text = view.locator("input[type=text]").first
    text.fill("a * b + c")
    text.press("Enter")
    view.get_by_role("slider", name="c", exact=True).wait_for()
    text = view.locator("input[type=text]").first
    text.press("Control+a")
    page.page.keyboard.insert_text("a * import")
    text.press("Enter")
    view.get_by_text("column 5: `import` is not allowed here").wait_for()
    assert view.get_by_role("slider", name="c", exact=True).count() == 1, "the last good graph stays"
    assert view.get_by_role("alert").inner_text().endswith("The picture shows a * b + c")


def shape_of(page) -> tuple:
    """What a key that reaches JupyterLab would change: the cells, those folded away, the mode, the active cell."""
    return tuple(page._ask(f"return {what}") for what in (
        "notebook.widgets.length", "notebook.widgets.filter(cell => cell.isHidden).length", "notebook.mode", "notebook.activeCellIndex"))


def test_the_keys_of_a_slider_stay_in_the_view(opened):
    page = opened(EXPLORE)
    view, keys = page.cell_output(1), page.page.keyboard
    slider = view.get_by_role("slider", name="a", exact=True)
    slider.click()
    slider.focus()
    value, before = float(slider.input_value()), shape_of(page)
    for key in ("ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowRight", "x", "d", "d", "a", "m"):
        keys.press(key)
    page.wait_idle()
    assert float(slider.input_value()) == pytest.approx(value - 0.2)
    assert shape_of(page) == before
    assert slider.evaluate("slider => document.activeElement === slider")


def test_the_keys_of_a_box_stay_in_the_view_and_chords_go_on(opened):
    page = opened([*EXPLORE, "1"])
    view, keys = page.cell_output(1), page.page.keyboard
    view.locator(".ac-node").first.click()
    before = shape_of(page)
    for key in ("x", "d", "d", "b", "ArrowUp", "ArrowLeft", "Home", "Enter", "z"):
        keys.press(key)
    assert shape_of(page) == before
    keys.press("Shift+Enter")
    page.wait_idle()
    assert page._ask("return notebook.activeCellIndex") == 2


@pytest.mark.parametrize("part", [".ac-title", ".ac-direction", ".ac-picture", ".ac-status"])
def test_a_click_anywhere_and_space_plays(opened, part):
    page = opened([*EXPLORE, *["1"] * 12], height=700)
    view = page.cell_output(1)
    view.get_by_role("slider", name="Event").press("Home")
    view.locator(part).click(position={"x": 6, "y": 6})
    place = view.locator(".ac-title").bounding_box()["y"]
    page.page.keyboard.press("Space")
    view.get_by_text("Playing").wait_for()
    assert view.locator(".ac-title").bounding_box()["y"] == place, "the page did not scroll"
    page.page.keyboard.press("Space")


def test_an_expression_on_a_narrow_page_opens_at_its_left(opened):
    page = opened(EXPLORE, width=800)
    view = page.cell_output(1)
    assert view.locator(".ac-scroller").evaluate("scroller => scroller.scrollLeft") == 0
    rows = {view.get_by_role("slider", name=name, exact=True).bounding_box()["y"] for name in "ab"}
    assert len(rows) == 1


MODEL = [
    "import torch\nfrom autograd_core.widgets import explore, watch\nmodel = torch.nn.Linear(40, 90)",
    "loss = model(torch.linspace(-1, 1, 80).reshape(2, 40)).square().mean()\nwatch(loss, event=-1)",
    "def loss_at(w, x=0.5):\n    if w.item() > 2.95:\n        raise ValueError('too <b>far</b>')\n    return (w * x - 1) ** 2\nexplore(loss_at, w=(2.0, -3, 3))",
]


def test_a_map_of_a_pytorch_weight_comes_from_the_kernel(opened):
    page = opened(MODEL)
    view = page.cell_output(1)
    view.locator(".ac-node", has_text="weight").first.click()
    view.locator(".ac-tabs").get_by_role("tab", name="Details").click()
    heat = view.locator(".ac-heat", has=page.page.locator("canvas")).first
    heat.wait_for()
    canvas = heat.locator("canvas")
    assert canvas.get_attribute("aria-label").startswith("Map of model.weight, 45 rows and 40 columns.")
    canvas.focus()
    before = shape_of(page)
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.page.keyboard.press(key)
    assert heat.locator("output").inner_text().startswith("[2:4, 1] = ")
    assert shape_of(page) == before


def test_a_function_under_a_slider_and_what_it_raises(opened):
    page = opened(MODEL)
    view = page.cell_output(2)
    slider = view.get_by_role("slider", name="w", exact=True)
    slider.press("End")
    view.get_by_role("alert").filter(has_text="loss_at(w=3) raised ValueError: too <b>far</b>.").wait_for()
    slider.press("Home")
    view.locator(".ac-node", has_text="w = −3").wait_for()
    assert not view.get_by_role("alert").is_visible()


NETWORK = [
    "import torch\nfrom torch import nn\nfrom autograd_core.parity import watching\nfrom autograd_core.widgets import watch",
    "block = lambda: nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8), nn.LayerNorm(8))\n"
    "net = nn.Sequential(*[block() for _ in range(4)])\nwith watching():\n"
    "    loss = net(torch.ones(2, 5, 8)).square().mean()\nwatch(loss, event=-1)",
]


def test_a_module_opens_and_closes_with_a_kernel(opened):
    page = opened(NETWORK)
    view = page.cell_output(1)
    view.locator(".ac-fold").first.wait_for()
    assert [view.locator(f"[data-fold='net.{i}'] .ac-name .ac-b").text_content() for i in range(4)] == ["0", "1", "2", "3"]
    before = shape_of(page)
    view.locator("[data-fold='net.1']").click()
    frame = view.get_by_role("button", name="1 Sequential, 16 nodes, 6 of them shape only, open")
    frame.wait_for()
    assert view.locator(".ac-leaf").count() == 6
    frame.press("Space")
    view.locator(".ac-frame").wait_for(state="detached")
    assert view.locator(".ac-fold").count() == 4 and shape_of(page) == before

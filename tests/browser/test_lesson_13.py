"""The wards of lesson 13 in real JupyterLab: a click on a line, an edit, and what the instruments
say.
"""

import pytest

from tests.browser.one_screen import LAPTOP

NOTEBOOK = "13_debug_the_loop.ipynb"
ROOM = 640  # CSS pixels of height, in a window of 1280 × 800
# the texts of a picture that stand on each other
OVERLAPS = """ward => [...ward.querySelectorAll(".ac-ward-instruments > svg")].flatMap((svg) => {
  const texts = [...svg.querySelectorAll("text")].map((each) => [each.textContent, each.getBoundingClientRect()]);
  return texts.flatMap(([a, one], i) => texts.slice(i + 1).filter(([, two]) => one.left < two.right - 1
    && two.left < one.right - 1 && one.top < two.bottom - 3 && two.top < one.bottom - 3).map(([b]) => `${a}, ${b}`));
})"""


@pytest.fixture
def ward(lesson):
    return lesson.cell_output('title="Ward I"').locator(".ac-ward")


def test_notebook_runs_to_its_end(lesson):
    assert lesson.problems() == []
    assert lesson.unfinished() == []


@pytest.mark.parametrize("title, patients", {"I": "123", "II": "456", "III": "789"}.items())
def test_a_ward_is_one_screen_and_no_text_stands_on_another(lesson, title, patients):
    lesson.page.set_viewport_size(dict(zip(("width", "height"), LAPTOP)))
    ward = lesson.cell_output(f'title="Ward {title}"').locator(".ac-ward")
    for patient in patients:
        ward.get_by_text(patient, exact=True).first.click()
        lesson.wait_idle()
        assert ward.bounding_box()["height"] <= ROOM
        assert ward.evaluate(OVERLAPS) == []
    ward.evaluate("ward => ward.querySelector('svg text').textContent = 'norm of it all, healthy'")
    assert ward.evaluate(OVERLAPS) != [], "what is planted is found"


def test_a_click_on_a_line_and_a_mended_loop(lesson, ward):
    editor = ward.get_by_role("textbox", name="The loop")
    assert editor.count() == 0
    ward.get_by_text("1", exact=True).first.click()
    # a click on a line counts once its patient has come
    lesson.wait_idle()
    lesson.page.wait_for_timeout(500)
    ward.get_by_role("radio", name="net = network()").click()
    ward.get_by_text("Not there. At step 0 no gradient").wait_for()
    assert ward.locator(".ac-choice-mark").all_text_contents() == ["not there"]
    ward.get_by_role("radio", name="optimizer.step()").click()
    ward.get_by_text("✓ Yes: zero, step, backward").wait_for()
    assert ward.get_by_role("radio", name="net = network()").count() == 0
    lines = editor.input_value().splitlines()
    lines[6:9] = [lines[8], lines[6], lines[7]]  # backward, log, step
    editor.fill("\n".join(lines))
    ward.get_by_text("Run it", exact=True).click()
    ward.get_by_text("✓ Cured: accuracy(net) > 0.9 is True.").wait_for()
    assert ward.bounding_box()["height"] <= ROOM
    drawn = ward.locator(".ac-ward-instruments > svg > title").all_text_contents()
    assert drawn == [
        f"{what} of {names}"
        for what, names in (
            ("loss", "cure and patient"),
            ("nodes", "cure and patient"),
            ("norm of the gradient", "patient and cure, apart, as a share of the larger"),
            ("share of the weight moved", "patient and cure, apart, as a share of the larger"),
        )
    ]


def test_another_patient_by_keyboard(lesson, ward):
    keys = lesson.page.keyboard
    ward.get_by_role("radio", name="1", exact=True).focus()
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    ward.get_by_role("radio", name="optimizer = optim.Adam(teacher").wait_for()
    keys.press("Tab")
    for key in ("ArrowDown", "Enter"):
        keys.press(key)
    ward.get_by_text("✓ Yes: the optimizer holds another").wait_for()
    # the loop to be mended has the focus, where no key is the notebook's
    editor = ward.get_by_role("textbox", name="The loop")
    keys.press("Control+Home")
    keys.type("a, b = 1, 2\n")
    assert editor.input_value().startswith("a, b = 1, 2\nteacher, net")
    keys.press("Shift+Enter")
    ward.get_by_text("Not cured yet: accuracy(net) > 0.9 is False.").wait_for()
    assert editor.input_value().startswith("a, b = 1, 2\nteacher, net")

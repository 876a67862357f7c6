"""Lesson 14 in real JupyterLab: the learner's graph in the step view, and a bug planted by mouse
and by keyboard.
"""

from playwright.sync_api import expect

from tests.browser.curves_page import rows

NOTEBOOK = "14_build_your_own.ipynb"


def test_notebook_runs_to_its_end(lesson):
    assert lesson.problems() == []
    assert lesson.unfinished() == []


def test_ones_own_graph_is_stepped_beside_pytorchs(lesson):
    output = lesson.cell_output('title="Your engine")')
    output.get_by_text("10 nodes, 20 events").wait_for()
    texts = output.locator(".ac-picture text")
    assert "CrossEntropy" in "".join(texts.all_text_contents())
    output.get_by_role("slider", name="Event").press("End")
    mine = texts.all_text_contents()
    assert "∂ lossnot yet" not in "".join(mine)
    output.get_by_text("PyTorch", exact=True).first.click()
    assert texts.all_text_contents() == mine


def test_a_planted_bug_is_told(lesson):
    output, keys = lesson.cell_output('engine="your engine"'), lesson.page.keyboard
    output.get_by_text("✓ both engines agree").wait_for()
    expect(output.locator("thead th")).to_have_text(["your engine", "PyTorch"])

    output.get_by_text("relu passes all", exact=True).click()
    output.get_by_text("The engines differ: loss").wait_for()
    output.get_by_role("slider", name="Read the curves along").focus()
    keys.press("Home")
    first = rows(output)
    assert first["loss"][0] == first["loss"][1], "the forward pass is right"
    assert first["size of w1.grad"][0] != first["size of w1.grad"][1], (
        "the gradient is off from the first step on"
    )

    output.get_by_role("radio", name="relu passes all").focus()
    keys.press("ArrowLeft")  # none
    output.get_by_text("✓ both engines agree").wait_for()
    output.get_by_role("slider", name="lr").focus()
    keys.press("ArrowLeft")
    output.get_by_text("✓ both engines agree").wait_for()
    assert lesson._ask("return notebook.mode") == "command"

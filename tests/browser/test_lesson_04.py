"""The live graph of lesson 04 in real JupyterLab: every control, numbers as they must be."""

from tests.browser.curves_page import rows, wait_for

NOTEBOOK = "04_freed_and_retained.ipynb"


def test_notebook_runs_to_its_end(lesson):
    assert lesson.problems() == []
    assert lesson.unfinished() == []


def test_the_live_graph(lesson):
    output = lesson.cell_output("curves(run")
    assert rows(output)["nodes"] == ["6", "6"] and rows(output)["saved bytes"] == ["0", "0"]
    output.get_by_text("carried", exact=True).click()
    output.get_by_text("Trying to backward through the graph a second time").wait_for()
    opacity = "main => getComputedStyle(main).opacity"
    assert output.locator(".ac-live-main").evaluate(opacity) == "0.7", (
        "the curves are those from before the error"
    )
    output.get_by_text("carried, retain_graph", exact=True).click()
    # three for every step, and three
    wait_for(output, "nodes", "183")
    assert output.locator(".ac-error").inner_text() == ""
    assert output.locator(".ac-live-main").evaluate(opacity) == "1"
    output.get_by_text("detached", exact=True).click()
    wait_for(output, "nodes", "6")
    output.get_by_role("radio", name="loss", exact=True).focus()
    lesson.page.keyboard.press("Space")
    # six husks for every step, and one
    wait_for(output, "nodes", "361")
    assert rows(output)["saved bytes"] == ["0", "0"]
    output.get_by_role("switch", name="backward").click()
    # nobody frees what was saved
    wait_for(output, "saved bytes", "3904")
    output.get_by_role("switch", name="no_grad").click()
    wait_for(output, "nodes", "0")
    assert "✓ both engines agree" in output.inner_text()

"""The switchboard of lesson 11 in real JupyterLab, by mouse and by keyboard."""

from tests.browser.page import until

NOTEBOOK = "11_two_networks.ipynb"


def weights(output):
    """What stands under net1 and under net2: (gradient, movement) each."""
    shown = [
        text
        for text in output.locator(".ac-drawing-main svg text").all_text_contents()
        if text.startswith(("grad", "moved", "has"))
    ]
    return [tuple(shown[:2]), tuple(shown[2:4])]


def wait_for(output, text):
    output.locator(f'.ac-drawing-main svg text:text-is("{text}")').first.wait_for()


def test_notebook_runs_to_its_end(lesson):
    assert lesson.problems() == []
    assert lesson.unfinished() == []


def test_every_switch(lesson):
    output, keys = lesson.cell_output("switchboard(run"), lesson.page.keyboard
    trained = weights(output)
    assert all(
        gradient.startswith("grad ") and moved.startswith("moved ") for gradient, moved in trained
    )

    output.get_by_text("frozen", exact=True).click()
    wait_for(output, "grad None")
    assert weights(output)[0][0] != "grad None" and weights(output)[1] == (
        "grad None",
        "has not moved",
    )

    output.get_by_role("radio", name="frozen").focus()
    keys.press("ArrowRight")  # inputs=net1
    keys.press("ArrowRight")  # detached input
    wait_for(output, "cut")
    assert weights(output)[1][1].startswith("moved ")
    output.get_by_text("eval()", exact=True).click()
    wait_for(output, "kept")
    output.get_by_text("trained", exact=True).click()
    wait_for(output, trained[1][0])

    output.get_by_role("switch", name="step2").focus()
    keys.press("Space")
    wait_for(output, "has not moved")
    assert weights(output)[0][1].startswith("moved ") and weights(output)[1][1] == "has not moved"
    output.get_by_role("switch", name="zero_grad2").click()
    lesson.wait_idle()
    output.get_by_role("slider", name="passes").fill("3")
    piled = until(
        lesson.page,
        lambda: float(weights(output)[1][0].split()[1]) > 2 * float(trained[1][0].split()[1]),
    )
    assert piled, "three gradients"
    output.get_by_role("radio", name="loss1", exact=True).focus()
    keys.press("Space")
    wait_for(output, "grad None")
    assert "✓ both engines agree" in output.inner_text()

"""Curves on a page where nobody draws them again for its width."""

from autograd_core.lessons.widgets.curves import curves

STEPS = 60


def run():
    return {"w": [float(step) for step in range(STEPS)], "w.grad": [1.0] * STEPS}


def test_on_a_phone_the_end_of_the_curves_is_scrolled_to_and_read(show):
    widget = curves(run, run, bowl=(lambda w: w**2, -1.0, 60.0))
    page = show(widget, viewport={"width": 390, "height": 844})
    stage = page.locator(".ac-curves-stage")
    box = stage.bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 50)
    page.mouse.wheel(2000, 0)
    page.wait_for_function(
        "() => { const { scrollLeft, scrollWidth, clientWidth } = document.querySelector('.ac-curves-stage');"
        " return scrollLeft > 100 && scrollLeft + clientWidth > scrollWidth - 2; }"
    )
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 50)
    page.locator("caption", has_text=f"step {STEPS - 1}").wait_for()


def test_beside_a_bowl_no_step_is_cut_off(show):
    widget = curves(run, run, bowl=(lambda w: w**2, -1.0, 60.0))
    page = show(widget, viewport={"width": 1020, "height": 844})
    room = page.locator(".ac-curves-stage").evaluate(
        "stage => stage.scrollWidth - stage.clientWidth"
    )
    assert room <= 1

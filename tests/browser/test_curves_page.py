"""Curves on a page without JupyterLab: settings by mouse and by keyboard, an error, a phone."""

import json

import pytest
import torch
from playwright.sync_api import Locator, Page, expect

import autograd_core
from autograd_core.lessons.widgets.curves import curves
from autograd_core.widgets.kit.bundle import contents
from notebooks.authoring.site import build
from notebooks.authoring.site.outcomes import WIDTHS
from tests.browser.page import SCRIPT, _opened, drawn
from tests.notebooks.test_site import known

STEPS = 60


def run_on(engine):
    """Sixty training steps of one weight, with each of the three calls."""

    def run(backward, step, zero_grad, lr):
        w = engine.tensor(0.0, dtype=engine.float64, requires_grad=True)
        optimizer, seen = engine.optim.SGD([w], lr=lr), {"w": [], "w.grad": []}
        if zero_grad == "raise":
            raise RuntimeError("<b>no</b> gradient")
        for _ in range(STEPS):
            loss = (w - 3) ** 2 / 2
            if zero_grad == "before backward":
                optimizer.zero_grad()
            if backward:
                loss.backward()
            seen["w"].append(w.item())
            seen["w.grad"].append(None if w.grad is None else w.grad.item())
            if step:
                optimizer.step()
        return seen

    return run


@pytest.fixture
def page(show) -> Page:
    widget = curves(
        run_on(autograd_core),
        run_on(torch),
        x="pass",
        backward=True,
        step=True,
        zero_grad=["never", "before backward", "raise"],
        lr=(0.1, 0.01, 2.1, 0.01),
        bowl=(lambda w: (w - 3) ** 2 / 2, -1.0, 7.0),
    )
    return show(widget, kernel=True)


def rows(page: Page) -> dict[str, list[str]]:
    """{name: [autograd_core's number, PyTorch's]} at the step that is read."""
    return {
        row.locator("th").text_content(): row.locator("td").all_text_contents()
        for row in page.locator("tbody tr").all()
    }


def wait_for(page: Page, name: str, number: str) -> None:
    """Wait until this number is in the row with this name."""
    page.locator(f'tbody tr:has(th:text-is("{name}")) td:text-is("{number}")').first.wait_for()


def reader(page: Page) -> Locator:
    """The curves, as a slider along their steps."""
    return page.get_by_role("slider", name="Read the curves along")


def test_every_setting_by_keyboard(page):
    keys = page.keyboard
    reader(page).focus()
    keys.press("Home")
    assert rows(page) == {"w": ["0", "0"], "w.grad": ["−3", "−3"]}
    keys.press("ArrowRight")
    # never zeroed: −3 − 2.7
    assert reader(page).get_attribute("aria-valuetext") == "pass 1: w 0.3, w.grad −5.7"
    ball = page.locator("[data-part=ball]")
    before = float(ball.get_attribute("cx"))
    keys.press("ArrowRight")
    assert float(ball.get_attribute("cx")) > before
    keys.press("ArrowLeft")

    page.get_by_role("switch", name="step").focus()
    keys.press("Space")
    wait_for(page, "w", "0")
    assert rows(page)["w.grad"] == ["−6", "−6"]
    page.get_by_role("radio", name="never").focus()
    keys.press("ArrowRight")
    wait_for(page, "w.grad", "−3")
    page.get_by_role("switch", name="backward").focus()
    keys.press("Space")
    wait_for(page, "w.grad", "None")
    page.get_by_role("slider", name="lr").focus()
    for _ in range(10):
        keys.press("ArrowRight")
    for name in ("backward", "step"):
        page.get_by_role("switch", name=name).focus()
        keys.press("Space")
    wait_for(page, "w", "0.6")  # 0 + 0.2 * 3
    assert "✓ both engines agree" in page.locator(".ac-live-verdict").inner_text()


def test_after_an_error_the_curves_are_dimmed_until_the_next_run(page):
    main = page.locator(".ac-live-main")
    page.get_by_text("raise", exact=True).click()
    page.get_by_text("<b>no</b> gradient").wait_for()
    assert float(main.evaluate("main => getComputedStyle(main).opacity")) < 1
    page.get_by_text("never", exact=True).click()
    expect(page.locator(".ac-error")).to_have_text("")
    expect(main).to_have_css("opacity", "1")


def test_curves_are_read_by_mouse_on_a_narrow_page(page):
    page.set_viewport_size({"width": 640, "height": 900})
    drawn(page)
    chart = page.locator(".ac-curves-stage").bounding_box()
    assert page.locator(".ac-curves-table").bounding_box()["y"] >= chart["y"] + chart["height"] - 1
    page.mouse.move(chart["x"] + chart["width"] / 2, chart["y"] + 60)
    middle = page.locator("caption").inner_text()
    assert middle.startswith("pass ") and 25 <= int(middle.split()[1]) <= 33


def line():
    return {"w": [float(step) for step in range(STEPS)], "w.grad": [1.0] * STEPS}


def test_on_a_phone_the_end_of_the_curves_is_scrolled_to_and_read(show):
    widget = curves(line, line, bowl=(lambda w: w**2, -1.0, 60.0))
    page = show(widget, viewport={"width": 390, "height": 844})
    box = page.locator(".ac-curves-stage").bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 50)
    page.mouse.wheel(2000, 0)
    page.wait_for_function(
        "() => { const { scrollLeft, scrollWidth, clientWidth } = document.querySelector('.ac-curves-stage');"
        " return scrollLeft > 100 && scrollLeft + clientWidth > scrollWidth - 2; }"
    )
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 50)
    page.locator("caption", has_text=f"step {STEPS - 1}").wait_for()


def page_of_the_site(widget) -> str:
    """A page of the site that has only this widget: host.mjs starts it."""
    [told] = known(widget)
    opened = {each.model_id: _opened(each) for each in (*widget.children, widget)}
    opened[widget.bundle.model_id] = {"id": widget.bundle.model_id, "bundle": True}
    given = build.packed(opened, {widget.model_id: told}, 10**7)
    return f"""<!doctype html><details class="contents"></details><input type="search"><ul class="found"></ul>
        <div class="widget" data-model="{widget.model_id}"></div><script>bundle = {json.dumps(contents())}</script>
        <script type="application/gzip" id="given">{given}</script><script type="module">{SCRIPT}</script>"""


def test_a_page_of_the_site_shows_the_widest_picture_that_has_room(borrow):
    page, shown = borrow(), []
    page.set_content(page_of_the_site(curves(lambda: {"loss": [1.0, 0.5, 0.25]}, title="")))
    page.wait_for_selector("body[data-ready]")
    for viewport in (380, 560, 1180, 380):
        page.set_viewport_size({"width": viewport, "height": 800})
        drawn(page)
        room = page.locator(".ac-curves-stage").evaluate("each => each.clientWidth")
        width = int(page.locator(".ac-curves-picture svg").get_attribute("width"))
        shown.append(width)
        assert width == max([each for each in WIDTHS if each <= room], default=WIDTHS[0])
    assert len(set(shown)) == 3

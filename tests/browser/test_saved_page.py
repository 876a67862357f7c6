"""A saved page in a browser without a network: it plays, steps, folds, searches and shows the
panel.
"""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import autograd_core
from autograd_core.lessons.widgets.curves import curves
from autograd_core.lessons.widgets.film import film
from autograd_core.lessons.widgets.paint import paint
from autograd_core.widgets import GraphView, explore
from tests.browser.page import until
from tests.browser.test_film import run as frames
from tests.browser.test_you_run import try_all, verdict
from tests.widgets.large_traces import residual
from tests.widgets.sample_traces import logistic, product

PICTURE = ".ac-picture"


def event(page):
    return int(page.get_by_role("slider", name="Event").get_attribute("aria-valuenow"))


def test_a_reader_runs_the_pass_there(saved):
    page = saved(GraphView(residual(3)), PICTURE)
    page.emulate_media(reduced_motion="reduce")
    page.locator(".ac-you-run").click()
    try_all(page)
    assert "and you agree: 21 events, 7 gradients" in verdict(page)


def test_it_stands_where_the_view_stood_steps_and_plays(saved):
    page = saved(GraphView(logistic(), event=14), PICTURE)
    assert event(page) == 14
    assert page.get_by_role("heading", level=1).inner_text() == "Step view"
    page.get_by_role("button", name="One event on").click()
    assert (
        event(page) == 15
        and "SigmoidBackward0 runs" in page.get_by_role("region", name="Details").inner_text()
    )
    page.get_by_role("button", name="Speed").click()
    page.get_by_role("button", name="Play", exact=True).click()
    until(page, lambda: event(page) >= 17)
    page.get_by_role("button", name="Pause").click()


def test_it_folds_unfolds_and_searches(saved):
    page = saved(GraphView(residual(10)), PICTURE)
    folds = page.locator(".ac-fold")
    closed = folds.count()
    assert closed > 1
    names = [each.get_attribute("data-fold") for each in folds.all()]
    for name in names[:2]:
        page.locator(f".ac-fold[data-fold='{name}']").click()
        page.locator(f".ac-frame[data-fold='{name}']").wait_for()
    assert page.locator(".ac-frame").count() == 2
    page.get_by_role("button", name="Fold all").click()
    expect(page.locator(".ac-frame")).to_have_count(0)
    assert page.locator(".ac-fold").count() == closed
    page.get_by_role("searchbox", name="Find a box").fill("relu")
    assert page.locator(".ac-hits").inner_text().startswith("1 of ")


def test_its_colours_are_those_of_the_readers_system(saved):
    page = saved(GraphView(product(), event=9), PICTURE, color_scheme="dark")
    ground = "getComputedStyle(document.querySelector('.ac-view')).backgroundColor"
    assert page.evaluate(ground) == "rgb(23, 27, 32)"


def test_what_people_type_ends_no_script(saved):
    trace = logistic()
    view = GraphView(trace, title="</script><script>alert(1)</script>", note="<!-- <b>bold</b>")
    page = saved(view, PICTURE)
    assert page.locator(".ac-title").inner_text() == "</script><script>alert(1)</script>"


def decaying(lr, kind, twice):
    x, losses = 1.0, []
    for _ in range(20):
        x -= lr * x * (2 if kind == "steep" else 1)
        losses.append(x * (2 if twice else 1))
    return {"loss": losses}


def test_settings_that_can_be_counted_go_on_working(saved):
    widget = curves(
        decaying, decaying, lr=(0.1, 0.0, 0.5, 0.1), kind=["flat", "steep"], twice=False
    )
    page = saved(widget, ".ac-curves-picture svg")
    before = widget.settings
    page.get_by_role("radio", name="steep").check(force=True)
    page.get_by_role("slider", name="lr").press("ArrowRight")
    page.get_by_role("switch", name="twice").check()
    [expected] = {f"{2 * (1 - 2 * 0.2) ** 20:.1e}".replace("e-0", "e−")}
    expect(page.locator(".ac-curves-table tbody td").first).to_have_text(expected)
    assert page.locator(".ac-fixed").count() == 0 and widget.settings == before


def test_a_setting_with_too_many_values_says_what_it_needs(saved):
    page = saved(
        curves(decaying, lr=(0.1, 0.0, 0.5), kind=["flat", "steep"], twice=False),
        ".ac-curves-picture svg",
    )
    assert page.get_by_role("slider", name="lr").is_disabled()
    assert page.locator(".ac-fixed").all_inner_texts() == ["needs a running notebook"]
    page.get_by_role("switch", name="twice").check()
    expect(page.locator(".ac-curves-table tbody td").first).to_have_text("0.243")


def test_maps_of_a_film_follow_its_settings_and_its_steps(saved):
    page = saved(film(frames, channels=["first", "second"], on=True), ".ac-film-maps canvas")
    page.get_by_role("slider", name="Read the curves along step").press("Home")
    expect(page.locator("[data-part=high]").nth(1)).to_have_text("47")
    page.get_by_role("switch", name="on").click()
    expect(page.get_by_text("all zero").filter(visible=True)).to_have_count(2)


def test_what_is_painted_says_that_it_needs_a_notebook_and_the_picture_stays(saved):
    def run(x, mask, way):
        x, mask = np.array(x), np.array(mask)
        return {
            way: {
                "kept": mask * x,
                "divided by": np.float64(mask.size),
                "x.grad": mask / mask.size,
                "loss": (mask * x).mean(),
            }
        }

    widget = paint(run, x=np.eye(3), mask=np.eye(3) > 0, way=["product", "another"])
    page = saved(widget, ".ac-paint-cards > svg")
    cell = page.get_by_role("gridcell").nth(1)
    cell.click()
    expect(page.locator(".ac-error")).to_have_text("This needs a running notebook.")
    assert (
        cell.get_attribute("aria-selected") == "false"
        and page.locator(".ac-paint-touched").count() == 0
    )
    page.get_by_role("radio", name="another").check(force=True)
    expect(page.get_by_role("group", name="another", exact=True)).to_be_visible()


COVERED = """slider => {
  const parts = [...slider.querySelectorAll('span:first-child, output, .ac-button, .ac-known, .ac-plot > svg')];
  const places = parts.map((part) => [part.className || part.tagName, part.getBoundingClientRect()]);
  const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return places.flatMap(([a, x], i) => places.slice(i + 1).filter(([, y]) => over(x, y)).map(([b]) => `${a} over ${b}`));
}"""


def gap(f, a, b):
    return (f * a - b) ** 2


def test_a_saved_page_computes_the_loss_of_each_place_of_a_slider(saved):
    page = saved(explore(gap, f=-1.0, a=2.0, b=(0.5, 0, 1), nudge=(0.5, 0.01)), PICTURE)
    sliders = page.locator(".ac-control-slider")
    assert sliders.count() == 3 == page.locator(".ac-tangent").count()
    for each in sliders.all():
        assert each.evaluate(COVERED) == []
    page.get_by_role("button", name="Nudge f by 0.01").click()
    told = page.locator(".ac-nudged div")
    expect(told.first).to_have_text(f"● on the curve{change(gap(-0.99, 2, 0.5) - gap(-1, 2, 0.5))}")
    slider = page.get_by_role("slider", name="a", exact=True)
    slider.press("ArrowRight")
    place = f"gap over a: {gap(-0.99, 2.01, 0.5)} at 2.01"
    expect(
        page.locator(f".ac-plot[aria-label^='{place[:18]}'][aria-label*='at 2.01']")
    ).to_be_visible()
    expect(page.get_by_text("a.grad was None and is now 4.930")).to_be_visible()
    assert page.get_by_text("needs a running notebook").count() == 0


def change(x: float) -> str:
    return f"{x:+.4g}".replace("-", "−")


def erf(x):
    return autograd_core.erf(x) * x


def dropped(x):
    return autograd_core.nn.functional.dropout(x, 0.5) * x


@pytest.mark.parametrize(
    "view, why",
    [
        (
            lambda: explore(erf, x=0.5),
            "This page has no rule for Erf. A slider needs a running notebook.",
        ),
        (
            lambda: explore(dropped, x=1.0),
            "no curve: dropped draws random numbers; a slider needs a running notebook",
        ),
    ],
    ids=["unknown", "random"],
)
def test_a_saved_page_says_which_graph_it_cannot_compute(saved, view, why):
    page = saved(view(), PICTURE)
    assert page.get_by_role("slider", name="x", exact=True).is_disabled()
    assert page.get_by_role("button", name="Nudge x by 0.5").is_disabled()
    assert page.get_by_text(why).locator("visible=true").count() == 1


def test_a_saved_page_keeps_the_last_finite_numbers(saved):
    page = saved(explore("log(a) * b", a=0.01, b=2.0), PICTURE)
    assert page.get_by_role("textbox").is_disabled()
    slider = page.get_by_role("slider", name="a", exact=True)
    slider.press("ArrowLeft")
    error = page.get_by_role("alert")
    expect(error).to_have_text("A number is inf or nan at a = 0. The picture shows 0.01.")
    slider.press("End")
    expect(error).to_be_hidden()
    expect(page.locator(".ac-node", has_text=re.compile(r"a\s*3"))).to_be_visible()

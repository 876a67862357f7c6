"""The step view with this process as its kernel: typed expressions, functions under sliders, folds,
maps.
"""

import pytest
import torch
from torch import nn

import autograd_core
from autograd_core.lessons.widgets.versions import typed
from autograd_core.parity import watching
from autograd_core.trace import names_in
from autograd_core.widgets import explore, watch


def test_an_unfinished_line_hides_the_verdict_on_the_previous_lines(show):
    page = show(typed("T.sin(w)", "h += 1"), kernel=True)
    line, verdict = page.get_by_role("textbox", name="h ="), page.locator(".ac-notice")
    assert verdict.inner_text().startswith("✓ Right")
    line.fill("T.sin(w")
    page.get_by_text("The picture still shows the previous lines.").wait_for()
    assert not verdict.is_visible()
    line.fill("T.sin(w)")
    verdict.wait_for()
    assert verdict.inner_text().startswith("✓ Right")


def test_a_typed_expression(show):
    page = show(explore("a * b + sin(a)", a=2.0, b=-1.0), kernel=True)
    text = page.locator("input[type=text]").first
    text.fill("a * b + c")
    page.get_by_role("slider", name="c", exact=True).wait_for()
    text = page.locator("input[type=text]").first
    text.press("Control+a")
    page.keyboard.insert_text("a * import")
    page.get_by_text("column 5: `import` is not allowed here").wait_for()
    assert page.get_by_role("slider", name="c", exact=True).count() == 1, (
        "the last good graph stays"
    )
    assert page.get_by_role("alert").inner_text().endswith("The picture shows a * b + c")


def loss_at(w, x=0.5):
    if w.item() > 2.95:
        raise ValueError("too <b>far</b>")
    return (w * x - 1) ** 2


def test_a_function_under_a_slider_and_what_it_raises(show):
    page = show(explore(loss_at, w=(2.0, -3, 3)), kernel=True)
    slider = page.get_by_role("slider", name="w", exact=True)
    slider.press("End")
    page.get_by_role("alert").filter(
        has_text="loss_at(w=3) raised ValueError: too <b>far</b>."
    ).wait_for()
    slider.press("Home")
    page.locator(".ac-node", has_text="w−3").first.wait_for()
    assert not page.get_by_role("alert").is_visible()


@pytest.fixture
def network():
    def block():
        return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8), nn.LayerNorm(8))

    net = nn.Sequential(*[block() for _ in range(4)])
    with watching():
        loss = net(torch.ones(2, 5, 8)).square().mean()
    return watch(loss, names=names_in({"net": net}), event=-1)


def test_a_module_opens_and_closes_with_a_kernel(show, network):
    page = show(network, kernel=True)
    page.locator(".ac-fold").first.wait_for()
    names = [page.locator(f"[data-fold='net.{i}'] .ac-name .ac-b").text_content() for i in range(4)]
    assert names == ["0", "1", "2", "3"]
    page.locator("[data-fold='net.1']").click()
    frame = page.get_by_role("button", name="1 Sequential, 16 nodes, 6 of them shape only, open")
    frame.wait_for()
    assert page.locator(".ac-leaf").count() == 6
    frame.press("Space")
    page.locator(".ac-frame").wait_for(state="detached")
    assert page.locator(".ac-fold").count() == 4


def test_a_fold_closes_while_a_number_moves(show, network):
    page = show(network, kernel=True, clock=True)
    page.locator("[data-fold='net.1']").click()
    frame = page.locator(".ac-frame")
    frame.wait_for()
    first = next(k for k, event in enumerate(network.trace.events) if event.kind == "backward")
    page.evaluate("at => models[0].set('event', at)", first + 1)
    page.get_by_role("button", name="One event on").click()
    page.clock.run_for(300)
    assert page.locator(".ac-flyer").count() > 0
    frame.press("Space")
    frame.wait_for(state="detached")
    page.locator(".ac-current").wait_for()
    assert page.locator(".ac-flyer").count() == 0


def squared(a, b, c):
    return (a * b + c) ** 2


def test_a_nudge_parts_the_dot_from_the_tangent_and_a_drag_ends_it(show):
    """The nudges of lesson 00, by 0.5 and by 2."""
    view = explore(squared, nudge=0.5, a=(-0.5, -1.5, 1.5), b=(2.0, -2.5, 2.5), c=(-0.2, -2.5, 2.5))
    page = show(view, kernel=True)
    told, plus = page.locator(".ac-nudged"), page.get_by_role("button", name="Nudge a by 0.5")
    slider, picture = page.get_by_role("slider", name="a", exact=True), page.locator(".ac-plot svg")
    assert slider.bounding_box()["width"] == picture.first.bounding_box()["width"], "dot over thumb"
    assert told.inner_text().startswith("Curve: squared along a leaf.")
    before = page.locator(".ac-at").first.bounding_box()
    plus.click()
    told.get_by_text("a moves by +0.5").wait_for()
    assert told.inner_text().split("\n")[1:] == [
        "● squared moves by −1.4",
        "◌ gradient × +0.5 = −2.4",
    ]
    dot, ring = (page.locator(f".ac-{part}").first.bounding_box() for part in ("at", "foretold"))
    assert dot["x"] - before["x"] > 20, "it is seen to move"
    assert ring["y"] + ring["height"] / 2 - dot["y"] - dot["height"] / 2 > 5, "and they part"
    plus.hover()
    page.mouse.down()
    told.get_by_text("a moves by +2", exact=True).wait_for()
    page.mouse.up()
    assert told.inner_text().split("\n")[1:] == [
        "● squared moves by +6.4",
        "◌ gradient × +2 = −9.6",
    ]
    page.wait_for_timeout(100)
    assert told.get_by_text("a moves by +2", exact=True).count() == 1, "releasing is no nudge"
    assert page.locator(".ac-foretold").count() == page.locator(".ac-parted").count() == 1
    page.locator(".ac-node", has_text="2.8").first.wait_for()
    page.get_by_role("slider", name="b", exact=True).press("ArrowRight")
    page.locator(".ac-foretold").wait_for(state="detached")
    assert told.inner_text().startswith("Curve: squared along a leaf.")


def test_no_curve_says_why_and_a_saved_page_shows_it_still(show, tmp_path):
    def dropped(x):
        return autograd_core.nn.functional.dropout(x, 0.5) * x

    view = explore(dropped, x=1.0)
    page = show(view)
    assert page.locator(".ac-plot").inner_text() == "no curve: dropped draws random numbers"
    explore(squared, a=2.0, b=-0.5, c=1.3).save(tmp_path / "saved.html")
    page.goto((tmp_path / "saved.html").as_uri())
    page.locator(".ac-tangent").nth(2).wait_for()
    assert page.get_by_role("button", name="Nudge a by 0.01").is_disabled()

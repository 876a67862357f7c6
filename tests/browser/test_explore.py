"""The step view with this process as its kernel: typed expressions, functions under sliders, folds,
maps.
"""

import re

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
    page.get_by_text("Unfinished line. No verdict").wait_for()
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
    page.locator(".ac-node", has_text=re.compile(r"w\s*−3")).first.wait_for()
    assert not page.get_by_role("alert").is_visible()


@pytest.fixture
def network():
    def block():
        return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8), nn.LayerNorm(8))

    net = nn.Sequential(*[block() for _ in range(4)])
    with watching():
        loss = net(torch.ones(2, 5, 8)).square().mean()
    return watch(loss, names=names_in({"net": net}), event=-1)


def test_a_module_opens_and_closes_with_a_kernel_while_a_number_moves_too(show, network):
    page = show(network, kernel=True, clock=True)
    names = [page.locator(f"[data-fold='net.{i}'] .ac-name .ac-b").text_content() for i in range(4)]
    assert names == ["0", "1", "2", "3"]
    page.locator("[data-fold='net.1']").click()
    frame = page.get_by_role("button", name="1 Sequential, 16 nodes, 6 of them shape only, open")
    frame.wait_for()
    assert page.locator(".ac-leaf").count() == 6
    first = next(k for k, event in enumerate(network.trace.events) if event.kind == "backward")
    page.evaluate("at => models[0].set('event', at)", first + 1)
    page.get_by_role("button", name="One event on").click()
    page.clock.run_for(300)
    assert page.locator(".ac-flyer").count() > 0
    frame.press("Space")
    page.locator(".ac-frame").wait_for(state="detached")
    assert page.locator(".ac-fold").count() == 4 and page.locator(".ac-flyer").count() == 0


def squared(a, b, c):
    return (a * b + c) ** 2


DRAWN = """card => {
  const svg = card.querySelector(".ac-plot svg");
  const places = (name) => card.querySelector(name).getAttribute("d").slice(1).split("L").map((p) => p.split(" ").map(Number));
  const marks = [...card.querySelectorAll(".ac-mark[text-anchor=end]")];
  const axis = marks.map((mark) => [Number(mark.textContent.replace("−", "-")), Number(mark.getAttribute("y")) - 4]);
  const dot = card.querySelector(".ac-at"), thumb = card.querySelector("input");
  const { x, width } = thumb.getBoundingClientRect(), share = (thumb.value - thumb.min) / (thumb.max - thumb.min);
  return { axis, tangent: places(".ac-tangent"), dot: ["cx", "cy"].map((key) => Number(dot.getAttribute(key))),
    thumb: x + 9 + share * (width - 18) - svg.getBoundingClientRect().x, grad: card.querySelector(".ac-known").textContent };
}"""


def drawn(page, name: str) -> dict:
    """What is drawn above a slider, with losses in the units of the y-axis."""
    slider = page.get_by_role("slider", name=name, exact=True)
    found = slider.locator("xpath=..").evaluate(DRAWN)
    (low, bottom), (high, top) = found["axis"][0], found["axis"][-1]
    up = (high - low) / (top - bottom)
    (x1, y1), (x2, y2) = found["tangent"]
    return {
        **found,
        "rise": (y2 - y1) * up,
        "wide": x2 - x1,
        "loss": low + (found["dot"][1] - bottom) * up,
    }


def test_tangents_rank_as_gradients_do_and_each_dot_is_above_its_thumb(show):
    view = explore(squared, a=(2.0, -4, 4), b=(-0.5, -4, 4), c=(1.3, -4, 4))
    page = show(view, kernel=True)
    for press, a in ((None, 2.0), ("Home", -4.0), ("PageUp", -3.2)):
        if press:
            page.get_by_role("slider", name="a", exact=True).press(press)
            page.locator(
                f".ac-plot[aria-label^='squared over a: '][aria-label*=' at {a:g},']"
            ).wait_for()
        at = {"a": a, "b": -0.5, "c": 1.3}
        inner = 2 * (at["a"] * at["b"] + at["c"])
        grads = {"a": inner * at["b"], "b": inner * at["a"], "c": inner}
        for name, grad in grads.items():
            seen = drawn(page, name)
            assert seen["rise"] == pytest.approx(grad, rel=0.02, abs=0.02), "it spans ±0.5"
            assert seen["loss"] == pytest.approx(squared(**at), abs=0.02)
            assert seen["dot"][0] == pytest.approx(seen["thumb"], abs=1)
            assert seen["axis"] == drawn(page, "a")["axis"], "one scale"
            assert float(seen["grad"].split()[1].replace("−", "-")) == pytest.approx(grad, abs=5e-4)
        bars = page.locator(".ac-bars > div").all_inner_texts()
        ranked = sorted(grads, key=lambda name: -abs(grads[name]))
        assert [text.split()[0] for text in bars] == ranked
        violet = page.locator(".ac-bars .ac-negative").count()
        assert violet == sum(grad < 0 for grad in grads.values())


def test_a_nudge_parts_the_dot_from_the_tangent_and_a_drag_ends_it(show):
    """The nudge of lesson 00."""
    view = explore(squared, a=(-0.5, -3, 3), b=(2.0, -3, 3), c=(-0.2, -3, 3))
    page = show(view, kernel=True)
    told, plus = page.locator(".ac-nudged"), page.get_by_role("button", name="Nudge a by 0.5")
    still = "() => [...document.querySelectorAll('.ac-plot')].map((each) => each.innerHTML)"
    before, tangent = page.evaluate(still), drawn(page, "a")["tangent"]
    plus.click()
    told.get_by_text("a nudged by 0.5").wait_for()
    assert told.locator("div").all_inner_texts() == ["● on the curve\n−1.4", "◯ on the line\n−2.4"]
    dot, ring = (page.locator(f".ac-{part}").first.bounding_box() for part in ("at", "foretold"))
    assert ring["y"] + ring["height"] / 2 - dot["y"] - dot["height"] / 2 >= 24, "they part"
    assert page.evaluate(still)[1:] == before[1:] and drawn(page, "a")["tangent"] == tangent
    assert page.get_by_role("slider", name="a", exact=True).input_value() == "0"
    assert page.locator(".ac-control-slider output").first.inner_text() == "−0.5 → 0"
    assert plus.get_attribute("aria-pressed") == "true"
    plus.click()
    page.locator(".ac-foretold").wait_for(state="detached")
    page.locator(".ac-node", has_text="−0.5").first.wait_for()
    assert page.get_by_role("slider", name="a", exact=True).input_value() == "-0.5", "it lets go"
    page.get_by_role("button", name="Nudge c by −0.5").click()
    told.get_by_text("c nudged by −0.5").wait_for()
    page.get_by_role("slider", name="b", exact=True).press("ArrowLeft")
    page.locator(".ac-foretold").wait_for(state="detached")
    assert page.get_by_role("slider", name="c", exact=True).input_value() == "-0.7", "it stays"


def test_no_curve_says_why(show):
    def dropped(x):
        return autograd_core.nn.functional.dropout(x, 0.5) * x

    page = show(explore(dropped, x=1.0))
    assert page.locator(".ac-plot").inner_text() == "no curve: dropped draws random numbers"

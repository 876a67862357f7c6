"""The step view with this process as its kernel: typed expressions, functions under sliders, folds,
maps.
"""

import pytest
import torch
from torch import nn

from autograd_core.parity import watching
from autograd_core.trace import names_in
from autograd_core.widgets import explore, watch


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


def test_an_expression_on_a_narrow_page_opens_at_its_left(show):
    page = show(explore("a * b + sin(a)", a=2.0, b=-1.0), viewport={"width": 640, "height": 900})
    assert page.locator(".ac-scroller").evaluate("scroller => scroller.scrollLeft") == 0
    rows = {page.get_by_role("slider", name=name, exact=True).bounding_box()["y"] for name in "ab"}
    assert len(rows) == 1


def test_a_map_of_a_pytorch_weight_comes_from_the_kernel(show):
    model = torch.nn.Linear(40, 90)
    loss = model(torch.linspace(-1, 1, 80).reshape(2, 40)).square().mean()
    page = show(watch(loss, names=names_in({"model": model}), event=-1), kernel=True)
    page.locator(".ac-node", has_text="weight").first.click()
    page.locator(".ac-tabs").get_by_role("tab", name="Details").click()
    heat = page.locator(".ac-heat", has=page.locator("canvas")).first
    heat.wait_for()
    assert (
        heat.locator("canvas")
        .get_attribute("aria-label")
        .startswith("Map of model.weight, 45 rows and 40 columns.")
    )
    heat.locator("canvas").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    assert heat.locator("output").inner_text().startswith("[2:4, 1] = ")


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
    page.locator(".ac-node", has_text="w = −3").wait_for()
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

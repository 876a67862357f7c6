"""The heat map of a training as a reader meets it: read by keyboard and pointer, with a kernel and
as a saved page. How it grows in JupyterLab is tested in test_lab.py.
"""

import math

import torch

from autograd_core.widgets import follow
from tests.browser.page import until


def trained():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    optimizer, x = (
        torch.optim.SGD(net.parameters(), lr=0.1),
        torch.linspace(-1, 1, 15).reshape(5, 3),
    )
    history = follow(net, optimizer)
    for step in range(12):
        optimizer.zero_grad()
        (net(x) ** 2).mean().backward()
        if step == 9:
            net[2].weight.grad[0, 0] = math.nan
        optimizer.step()
        if step == 9:
            net[2].weight.data.nan_to_num_()
    history.stop()
    return history


def fitted(page, history) -> None:
    """Wait until Python has drawn the map as wide as the page, and the page shows it."""
    places, picture = "() => models[0].state.drawn.places", history.picture
    page.wait_for_function("() => models[0].state.width > 1000")
    until(page, lambda: picture.width > 1000)
    until(page, lambda: page.evaluate(places) == picture.drawn["places"])


def said(page) -> str:
    return page.locator(".ac-history-cell").inner_text()


def test_the_arrow_keys_and_a_click_read_cells_and_nothing_opens(show):
    history = trained()
    page = show(history.picture)
    page.wait_for_function("() => models[0].state.width > 1000")
    map = page.get_by_role("application", name="Layers and steps")
    map.focus()
    map.press("Home")
    largest = history.gradient[0, :2].max()
    assert said(page) == f"(0) Linear, step 0: norm {largest:.3f}"
    map.press("ArrowRight")
    map.press("ArrowDown")
    assert said(page).startswith("(2) Linear, step 1: norm ")
    for _ in range(8):
        map.press("ArrowRight")
    assert said(page) == "(2) Linear, step 9: nan or inf"
    map.press("ArrowLeft")
    assert said(page).startswith("(2) Linear, step 8: norm")
    places = history.picture.drawn["places"]
    cell = {"x": places["left"] + 4.5 * places["column"], "y": places["row"] / 2}
    before = page.locator(".ac-history-main").inner_text().replace(said(page), "")
    page.evaluate("() => { models[0].sent.length = 0; }")
    map.click(position=cell)
    map.press("Enter")
    assert said(page).startswith("(0) Linear, step 4: norm ")
    assert page.locator(".ac-history-main").inner_text().replace(said(page), "") == before
    assert not page.locator(".ac-history-surprises").get_by_role("button").count()
    assert page.evaluate("() => models[0].sent") == []


def test_a_choice_changes_the_map(show):
    history = trained()
    page = show(history.picture, kernel=True)
    fitted(page, history)
    places = history.picture.drawn["places"]
    page.get_by_text("update", exact=True).click()
    page.get_by_text("share of the weight moved").wait_for()
    page.locator(".ac-history-map").hover(
        position={"x": places["left"] + 4.5 * places["column"], "y": places["row"] / 2}
    )
    assert said(page).startswith("(0) Linear, step 4: moved by ")


def test_on_a_phone_a_saved_map_shows_all_steps(saved):
    page = saved(trained(), ".ac-history-map", viewport={"width": 390, "height": 800})
    map = page.get_by_role("application", name="Layers and steps")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    map.evaluate("map => { map.scrollLeft = 10_000; }")
    shown = map.evaluate("map => map.scrollLeft")
    page.wait_for_function(
        "shown => document.querySelector('.ac-history-head').scrollLeft === shown", arg=shown
    )
    # the last of twelve steps
    map.click(position={"x": 720 - 16 - 10 - shown, "y": 10})
    assert said(page).startswith("(0) Linear, step 11: ")
    surprises = page.locator(".ac-history-surprises")
    assert "step 9: 2.weight: first nan" in surprises.inner_text()


def test_it_opens_with_the_most_important_row_in_sight_and_is_as_wide_as_its_room(show):
    torch.manual_seed(0)
    net = torch.nn.Sequential(*(torch.nn.Linear(2, 2) for _ in range(60)))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
    history = follow(net, optimizer)
    for step in range(4):
        optimizer.zero_grad()
        net(torch.ones(1, 2)).sum().backward()
        if step == 2:
            net[50].weight.grad[0, 0] = math.nan
        optimizer.step()
    history.stop()
    page = show(history.picture, kernel=True)
    fitted(page, history)
    places, drawn = history.picture.drawn["places"], history.picture.drawn
    assert drawn["rows"][drawn["first"]] == "(50) Linear"
    map = page.locator(".ac-history-map")
    top = map.evaluate("map => map.scrollTop") + map.bounding_box()["height"]
    assert top - map.bounding_box()["height"] < 50 * places["row"] < top - places["row"]
    width = page.evaluate("() => models[0].state.width")
    assert places["left"] + 4 * places["column"] == width - 16

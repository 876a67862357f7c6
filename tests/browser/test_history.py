"""The heat map of a training as a reader meets it: read by keyboard and pointer, a step's view
opened from it.
"""

import math

import torch

from autograd_core.widgets import follow


def trained(keep=4):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    optimizer, x = (
        torch.optim.SGD(net.parameters(), lr=0.1),
        torch.linspace(-1, 1, 15).reshape(5, 3),
    )
    history = follow(net, optimizer, keep)
    for step in range(12):
        optimizer.zero_grad()
        history.backward((net(x) ** 2).mean())
        if step == 9:
            net[2].weight.grad[0, 0] = math.nan
        optimizer.step()
        if step == 9:
            net[2].weight.data.nan_to_num_()
    history.stop()
    return history


def said(page) -> str:
    return page.locator(".ac-history-cell").inner_text()


def test_the_arrow_keys_read_cells_and_enter_opens_a_step(show):
    history = trained()
    page = show(history.picture, kernel=True)
    page.wait_for_function("() => models[0].state.width > 1000")
    map = page.get_by_role("application", name="Layers and steps")
    map.focus()
    map.press("Home")
    largest = history.gradient[0, :2].max()
    assert said(page) == f"0, step 0: norm {largest:.3f}; its view was kept"
    map.press("ArrowRight")
    map.press("ArrowDown")
    assert said(page).startswith("2, step 1: norm ") and "kept" not in said(page)
    map.press("Enter")
    page.get_by_text(
        "No view was kept of step 1. The nearest that was kept is of step 0."
    ).wait_for()
    for _ in range(8):
        map.press("ArrowRight")
    assert said(page) == "2, step 9: nan or inf"
    map.press("ArrowLeft")
    assert said(page).startswith("2, step 8: norm")
    map.press("Enter")
    page.get_by_text("The step view of step 8, below.").wait_for()
    assert history.picture.opened.trace is history.views[8]


def test_a_click_asks_for_its_step_and_a_choice_changes_the_map(show):
    history = trained()
    page = show(history.picture, kernel=True)
    page.wait_for_function("() => models[0].state.width > 1000")
    places = history.picture.drawn["places"]
    map, cell = (
        page.locator(".ac-history-map"),
        {"x": places["left"] + 4.5 * places["column"], "y": places["row"] / 2},
    )
    map.click(position=cell)
    page.get_by_text("The step view of step 4, below.").wait_for()
    assert history.picture.opened.title == "Step 4"
    page.get_by_text("update", exact=True).click()
    page.get_by_text("share of the weight moved").wait_for()
    map.hover(position=cell)
    assert said(page).startswith("0, step 4: moved by ")
    page.get_by_role("button", name="step 9").click()
    page.get_by_text(
        "No view was kept of step 9. The nearest that was kept is of step 8."
    ).wait_for()


def test_the_view_that_was_opened_stands_below(show):
    history = trained()
    history.picture.look_at(8)
    page = show(history.picture)
    view = page.locator(".ac-history-view").get_by_text("Step 8", exact=True)
    view.wait_for()
    page.evaluate(
        "() => receive([{ id: models[0].id, method: 'update', state: { opened: null }, bytes: [] }])"
    )
    view.wait_for(state="detached")


SETUP = """
import time
import torch
from autograd_core import follow
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
optimizer, x = torch.optim.SGD(net.parameters(), lr=0.1), torch.linspace(-1, 1, 15).reshape(5, 3)
history = follow(net, optimizer, keep=50)
"""
TRAIN = """
from pathlib import Path
steps = 0
while not Path("seen").exists() or steps % 50 != 1:         # a view is kept of the last step
    optimizer.zero_grad()
    history.backward((net(x) ** 2).mean())
    optimizer.step()
    steps += 1
    time.sleep(0.01)
steps
"""
LOOK = """() => {
  window.seen = new Set();
  const look = () => window.seen.add(document.querySelector(".ac-history-foot .ac-q")?.textContent ?? "");
  new MutationObserver(look).observe(document.body, { childList: true, characterData: true, subtree: true });
}"""


def test_in_jupyterlab_it_grows_while_a_cell_trains_and_opens_a_step(lab, notebook):
    """The cell trains until the page has shown some of its counts: how fast the machine is does not
    matter.
    """
    with lab.open(notebook(SETUP, "history", TRAIN)) as page:
        page.page.evaluate(LOOK)
        page.start_all()
        page.page.wait_for_function("window.seen.size > 4")
        (lab.server.folder / "seen").touch()
        page.wait_idle()
        steps, output = int(page.cell_output(2).locator("pre").inner_text()), page.cell_output(1)
        # the last ones too: nobody has called stop()
        output.get_by_text(f"{steps} steps of 2 layers.").wait_for()
        counts = [int(text.split()[0]) for text in page.page.evaluate("[...window.seen]") if text]
        assert counts == sorted(counts) and counts[-1] == steps
        map = output.get_by_role("application", name="Layers and steps")
        map.press("End")
        map.press("Enter")
        output.locator(".ac-history-view").get_by_text(f"Step {steps - 1}", exact=True).wait_for()
        assert page.problems() == []

"""The heat map of a history: each cell's darkness is read back from the picture and compared with
the numbers.
"""

import base64
import io
import math
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from PIL import Image

from autograd_core.trace.sentences import FOLLOW
from autograd_core.widgets import follow
from autograd_core.widgets.graph.follow import STILL_WIDTH, PicturedHistory
from autograd_core.widgets.graph.heat import HeatMap, grid_of
from autograd_core.widgets.kit.theme import LIGHT

SVG = "{http://www.w3.org/2000/svg}"


def history_of(steps, layers=4, plant=lambda step, net: None):
    torch.manual_seed(0)
    net = torch.nn.Sequential(*(torch.nn.Linear(3, 3) for _ in range(layers)))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    x = torch.linspace(-1, 1, 15).reshape(5, 3)
    history = follow(net, optimizer)
    for step in range(steps):
        optimizer.zero_grad()
        (net(x) ** 2).mean().backward()
        plant(step, net)
        optimizer.step()
    history.stop()
    return history


def filled(history: PicturedHistory, rows: np.ndarray) -> PicturedHistory:
    """A history with these numbers, steps × parameters × columns."""
    history._rows = list(rows)
    history._held_at = [np.ones(rows.shape[1], bool)] * len(rows)
    history._brought = [True] * len(rows)
    return history


def layers_of(picture: str) -> dict[str, np.ndarray]:
    """The map in a picture: for each colour its darkness, 0 to 15, rows × columns."""
    root = ElementTree.fromstring(picture)
    masks = {mask.get("id"): mask.find(f"{SVG}image") for mask in root.iter(f"{SVG}mask")}
    found = {}
    for rect in root.iter(f"{SVG}rect"):
        if rect.get("mask"):
            image = masks[rect.get("mask")[5:-1]]
            data = base64.b64decode(image.get("href").partition(",")[2])
            found[rect.get("fill")] = np.asarray(Image.open(io.BytesIO(data)).convert("L")) // 17
    return found


def faults(history: PicturedHistory, picture: str) -> list[tuple[int, int]]:
    """The cells (layer, step) of a picture that do not show the norm of the gradient, the largest
    of a layer's.
    """
    drawn, found = layers_of(picture), []
    gradient, wrong = history.gradient, history.nan + history.inf > 0
    cells = {}
    for step in range(len(history)):
        layers = dict.fromkeys(name.rpartition(".")[0] for name in history.names)
        for row, layer in enumerate(layers):
            own = [i for i, name in enumerate(history.names) if name.rpartition(".")[0] == layer]
            norms = [gradient[step, i] for i in own if not math.isnan(gradient[step, i])]
            cells[row, step] = math.nan if wrong[step, own].any() else max(norms, default=None)
    sizes = [math.log10(x) for x in cells.values() if x is not None and x > 0]
    high = math.ceil(max(sizes))
    low = min(max(math.floor(min(sizes)), high - 12), high - 2)
    for (row, step), x in cells.items():
        colours = [LIGHT[name] for name in ("gradient-solid", "border", "error")]
        shown = [int(drawn[each][row, step]) if each in drawn else 0 for each in colours]
        expected = [0, 15, 0] if x is None else [0, 0, 15]
        if x is not None and not math.isnan(x):
            shade = 0 if x == 0 else round(2 + 13 * max(math.log10(x) - low, 0) / (high - low))
            expected = [shade, 0, 0]
        found += [(row, step)] * (shown != expected)
    return found


def plant(step, net):
    if step == 4:
        net[1].weight.grad[0, 0] = math.inf
    if step == 5:
        net[2].weight.grad = net[2].bias.grad = None
    if step == 6:
        net[3].weight.grad.zero_()
        net[3].bias.grad.zero_()
    for p in net.parameters():
        p.data.clamp_(-1, 1)


def test_each_cell_shows_its_number():
    def finite(step, net):
        plant(step, net)
        net[1].weight.grad.clamp_(-1e9, 1e9)

    history = history_of(9, plant=finite)
    picture = history.picture.still()
    assert faults(history, picture) == [], "from 1e9 down to 0, and none"
    shown = layers_of(picture)
    assert shown[LIGHT["border"]][2, 5] == 15 and shown[LIGHT["gradient-solid"]][3, 6] == 0
    history = history_of(5, plant=plant)
    picture = history.picture.still()
    assert faults(history, picture) == [] and layers_of(picture)[LIGHT["error"]][1, 4] == 15


@pytest.mark.parametrize("parameter", [0, 3, 7])
def test_a_planted_wrong_number_is_found_in_the_picture(parameter):
    history = history_of(8)
    picture = history.picture.still()
    assert faults(history, picture) == []
    largest = history.gradient.max()
    history._rows[6][parameter, 0] = largest  # the picture has another one
    assert faults(history, picture) == [(parameter // 2, 6)]


@pytest.mark.parametrize("step", [0, 1234, 4999])
@pytest.mark.parametrize("shown", ["gradient", "update", "zeros"])
def test_a_nan_in_one_of_5000_steps_is_seen(step, shown):
    rows = np.ones((5000, 8, 5)) * [1e-3, 1e-4, 0.1, 0, 0]
    rows[step, 4, [0, 3]] = np.nan, 1
    grid = grid_of(filled(history_of(1), rows), shown, 270)
    assert (grid.per, grid.numbers.shape) == (20, (4, 250))
    assert "the largest of 20 steps" in grid.note
    assert np.argwhere(np.isnan(grid.numbers)).tolist() == [[2, step // 20]]
    image = layers_of(HeatMap(grid, STILL_WIDTH).svg("a nan"))[LIGHT["error"]]
    assert np.argwhere(image).tolist() == [[2, step // 20]]
    assert HeatMap(grid, STILL_WIDTH).column >= 2, "pixels"


def test_many_layers_are_merged_by_module():
    blocks = (torch.nn.Sequential(*(torch.nn.Linear(1, 1) for _ in range(6))) for _ in range(24))
    net = torch.nn.ModuleDict({"h": torch.nn.ModuleList(blocks), "head": torch.nn.Linear(1, 1)})
    history = follow(net, torch.optim.SGD(net.parameters(), lr=0.1))
    history.stop()
    rows = np.ones((3, len(history.names), 5)) * [1, 1, 1, 0, 0]
    rows[1, history.names.index("h.5.3.bias"), 0] = 77.0
    grid = grid_of(filled(history, rows))
    assert grid.merged and "largest of a module" in grid.note
    assert grid.rows == (*(f"h.{i}" for i in range(24)), "head")
    assert np.argwhere(grid.numbers == 77).tolist() == [[5, 1]]


def test_steps_and_surprises_are_told():
    def plant(step, net):
        if step == 7:
            net[1].weight.grad.fill_(math.nan)

    history = history_of(9, plant=plant)
    still, text = history.picture.still(), repr(history)
    assert all("step 7: 1.weight: first nan in its gradient" in each for each in (still, text))
    assert f"step 8: 0.weight: {FOLLOW['nan']}; and 6 more like it" in text
    assert "9 steps of 4 layers." in still
    assert history.picture.drawn["surprises"] == [list(pair) for pair in history.sentences()]


def test_it_grows_while_a_training_runs_and_is_whole_at_its_end(monkeypatch):
    now, seen = [0.0], []
    monkeypatch.setattr("autograd_core.widgets.graph.follow.time.monotonic", lambda: now[0])
    net = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    history = follow(net, optimizer)
    assert history.picture.drawn["steps"] == 0 and "no step yet" in history.picture.still()
    for _ in range(10):
        optimizer.zero_grad()
        net(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        now[0] += 0.2
        seen.append(history.picture.drawn["steps"])
    assert seen == [1, 1, 1, 4, 4, 4, 7, 7, 7, 10], "twice a second"
    history.stop()
    assert history.picture.drawn["steps"] == 10


def test_what_is_shown_can_be_chosen_also_in_a_saved_page(tmp_path):
    history = history_of(4)
    known = {"update": history.share, "zeros": history.zeros, "gradient": history.gradient}
    for shown, column in known.items():
        history.picture.set("show", shown)
        cells = np.frombuffer(history.picture.cells, np.float32).reshape(4, 4)
        np.testing.assert_allclose(cells[1], column[:, 2:4].max(axis=1), rtol=1e-6)
    history.save(tmp_path / "history.html")
    assert "ac-saved" in (tmp_path / "history.html").read_text()


def test_a_notebook_gets_the_widget_a_still_and_text():
    history = history_of(3)
    data, _ = history._repr_mimebundle_()
    assert data["text/plain"] == repr(history) == "3 steps of 8 parameters; no surprise"
    assert faults(history, data["image/svg+xml"]) == []
    assert "application/vnd.jupyter.widget-view+json" in data
    history.picture.close()
    assert history.picture.comm is not None, "its cell ran again: a new one"

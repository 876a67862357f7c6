"""The shards of lesson 16: what is drawn and said is what NumPy says of what the run returned, and the
lesson's own run is the loss that its name says.
"""

import re
import xml.etree.ElementTree as xml

import pytest
import torch

import autograd_core as T
from autograd_core.lessons import lesson_16
from autograd_core.lessons.widgets.shards import SCALE, shards

SVG = "{http://www.w3.org/2000/svg}"
WAYS = ["same", "half", "nothing", "rounded"]
FIRST, LABEL = [True, True, True, False, False, False], [True, False, False, False, False, True]


def run(ways="same"):
    whole = T.tensor([0.3, -0.4], dtype=T.float64)
    factor = dict(zip(WAYS, (1.0, 0.5, 0.0, 1.0 + 1e-12)))[ways]
    return {
        "first": T.tensor(FIRST),
        "label": T.tensor(LABEL),
        "taken": T.tensor([True, True, False, False, False, True]),
        "whole_taken": T.tensor([True, True, True, False, True, True]),
        "gradients": T.stack([whole, 0 * whole, factor * whole, whole]),
    }


def widget(other=run, **settings):
    return shards(run, other, ways=WAYS, **settings)


def drawn(widget, form="wide"):
    return xml.fromstring(widget.drawn[form])


def words(root):
    return [each.text or "" for each in root.iter(f"{SVG}text")]


def test_it_says_who_counts_and_how_far_the_gradient_is():
    shown = widget()
    assert repr(shown).startswith(
        "Shards: same, process 0 counts 2, process 1 counts 1, whole batch counts 5; gradient "
    )
    for ways, said in zip(WAYS, ("✓ the same", "50% off", "100% off", "✓ the same")):
        shown.set("ways", ways)
        assert repr(shown).endswith(said)
        assert said in words(drawn(shown, "narrow"))


def test_rows_show_the_elements_of_each_process_and_of_the_whole():
    root = drawn(widget())
    squares = [each for each in root.iter(f"{SVG}rect") if each.get("height") == "14"]
    assert len(squares) == 12  # three, three, and all six
    heights = dict.fromkeys(each.get("y") for each in squares)
    rows = {y: [each for each in squares if each.get("y") == y] for y in heights}
    for row, expected in zip(rows.values(), ([1, 1, 0], [0, 0, 1], [1, 1, 1, 0, 1, 1])):
        assert ["fill: var(--ac-value)" in each.get("style") for each in row] == list(
            map(bool, expected)
        )
    whole = list(rows.values())[-1]
    assert [each.get("style").endswith("stroke: var(--ac-text)") for each in whole] == LABEL
    assert len([each for each in root.iter(f"{SVG}circle") if each.get("r") == "2"]) == 2
    rows = [each for each in words(root) if ": " in each][1:]
    marked = "• unlike the whole batch: 1"
    assert rows == [f"process 0: 2 count, {marked}", f"process 1: 1 count, {marked}"] + [
        "whole batch: 5 count"
    ]


def test_arrows_are_as_long_as_the_gradients():
    shown = widget()
    shown.set("ways", "half")
    arrows = [each for each in drawn(shown).iter(f"{SVG}g") if "rotate" in each.get("transform")]
    lengths = [float(each.find(f"{SVG}path").get("d")[1:].split()[0]) for each in arrows]
    assert lengths == [28, SCALE / 2, 28, 28, SCALE / 4]  # with those of the key; one is a dot
    assert arrows[1].get("transform") == f"translate({540 + 100} {8 + 12}) rotate(53.1)"
    ring = [each for each in drawn(shown).iter(f"{SVG}circle") if each.get("r") == "8"][-1]
    place = 640 + 0.3 * SCALE, 20 + 0.4 * SCALE
    assert (float(ring.get("cx")), float(ring.get("cy"))) == pytest.approx(place, abs=0.1)
    assert {"0.150, −0.200", "0.300, −0.400", "0.000, 0.000"} <= {*words(drawn(shown))}


def test_gradients_of_zero_are_drawn():
    nothing = {**run(), "gradients": T.zeros(4, 2), "taken": T.tensor(6 * [False])}
    shown = shards(lambda: nothing)
    assert repr(shown).endswith("✓ the same") and words(drawn(shown)).count("0.000, 0.000") == 4
    xml.fromstring(shown.still())


@pytest.mark.parametrize("form", ["wide", "narrow", "still"])
def test_everything_is_within_the_picture(form):
    shown = widget()
    picture = shown.still() if form == "still" else shown.drawn[form]
    root = xml.fromstring(picture)
    places = [float(x) for x in re.findall(r' x="([\d.-]+)"', picture)]
    assert min(places) >= 0 and max(places) <= float(root.get("width"))


@pytest.mark.parametrize("border", range(12, 37, 4))
def test_the_arrows_of_the_lesson_are_within_the_picture(border):
    shown = lesson_16.shards()
    shown.set("border", border)
    for loss in ("masked mean", "plain mean", "OHEM"):
        shown.set("loss", loss)
        assert "differs" not in shown.verdict or not shown.verdict["differs"]
        for x, y in shown.result["gradients"]:
            assert 10 < 100 + SCALE * x < 280 and 10 < 12 - SCALE * y < 240


@pytest.mark.parametrize("exchange", ["average", "sums and count", "choose together"])
@pytest.mark.parametrize("loss", ["masked mean", "plain mean", "OHEM"])
def test_the_run_of_the_lesson_is_the_gradient_of_its_loss(loss, exchange):
    torch.manual_seed(2)
    place = torch.arange(48)
    text, valid = place < 9, (place < 24) | (place >= 40)
    x = torch.randn(48, 2, dtype=torch.float64) + text[:, None]

    def mined(part, losses):
        count = min(3 * int((part & text).sum()), int((part & ~text).sum()))
        kept = losses.detach().where(part & ~text, torch.tensor(-1.0)).topk(count)[1]
        return (part & text).index_fill(0, kept, True)

    def chosen(part, losses):
        return {"masked mean": part & valid, "plain mean": part}.get(loss, mined(part, losses))

    w = torch.tensor([0.5, -0.5], dtype=torch.float64, requires_grad=True)
    losses = torch.nn.functional.binary_cross_entropy_with_logits(
        x @ w, text.double(), reduction="none"
    )
    first, everything = place < 20, chosen(place >= 0, losses)
    parts = [chosen(part, losses) for part in (first, ~first)]
    if exchange == "choose together":
        parts = [everything & first, everything & ~first]
    if exchange == "average":
        total = sum(losses[part].sum() / max(int(part.sum()), 1) for part in parts) / 2
    else:
        total = losses[parts[0] | parts[1]].mean()
    (whole,) = torch.autograd.grad(losses[everything].mean(), w, retain_graph=True)
    (gradient,) = torch.autograd.grad(total, w)
    found = lesson_16.exchange(torch)(loss, exchange, 20)
    assert torch.allclose(found["gradients"][2:], torch.stack([gradient, whole]))
    assert found["taken"].equal(parts[0] | parts[1]) and found["whole_taken"].equal(everything)

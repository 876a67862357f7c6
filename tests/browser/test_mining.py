"""The map of lesson 07: every control by mouse and keyboard, and the numbers beside it."""

import math
import re

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.lessons.widgets.mining import mining


def run_on(engine):
    F = engine.nn.functional

    def run(ratio, crop, cure, steps):
        noise = np.random.RandomState(0).randn(3, 4, 2)
        logits = engine.tensor(noise, dtype=engine.float64, requires_grad=True)
        text = engine.tensor(np.arange(12).reshape(3, 4) < (9 if crop == "full of text" else 2))
        optimizer = engine.optim.SGD([logits], lr=1.0)
        for step in range(steps + 1):
            optimizer.zero_grad()
            loss = F.cross_entropy(
                logits.reshape(12, 2), text.reshape(12).long(), reduction="none"
            ).reshape(3, 4)
            wanted = int(ratio * text.sum())
            wanted = min(wanted, int((~text).sum())) if cure else wanted
            total = (loss[text].sum() + loss[~text].topk(wanted)[0].sum()) / (
                int(text.sum()) + wanted
            )
            total.backward()
            if step < steps:
                optimizer.step()
        train = engine.ones(3, 4, dtype=engine.bool)
        return {
            "logits": logits,
            "p": F.softmax(logits, -1),
            "gradient": logits.grad,
            "text": text,
            "train": train,
            "loss": total,
        }

    return run


@pytest.fixture
def opened(show):
    """A page with the map, as wide as is said."""

    def open_(width=1280):
        widget = mining(
            run_on(autograd_core),
            run_on(torch),
            ratio=(1.0, 0.0, 4.0, 0.5),
            crop=["a word", "full of text"],
            cure=False,
            steps=(0, 0, 20),
            plot="cure",
        )
        return show(widget, kernel=True, viewport={"width": width, "height": 900})

    return open_


def rows_of(page) -> list[list[float]]:
    """The numbers of the panel: for output 0, output 1 and their sum."""
    rows = page.locator(".ac-mining-numbers tbody tr")
    texts = [rows.nth(i).locator("td").all_inner_texts() for i in range(3)]
    return [[float(text.replace("−", "-") or "nan") for text in row] for row in texts]


def learning(page) -> list[int]:
    """The pixels with arrows."""
    fields = page.get_by_role("gridcell")
    return [i for i in range(fields.count()) if fields.nth(i).locator("path").count() == 2]


def settled(page, text: str) -> None:
    page.get_by_text(text).first.wait_for()


def test_ratio_chooses_and_the_numbers_are_right_on_a_narrow_page(opened):
    page = opened(800)
    keys = page.keyboard
    ratio = page.get_by_role("slider", name="ratio")
    settled(page, "2 of 2 text pixels and 2 of 10 others get a gradient")
    assert len(learning(page)) == 4 and {0, 1} <= set(learning(page))
    inside, card = (page.locator(part).bounding_box() for part in (".ac-mining-map", ".ac-mining"))
    assert inside["x"] >= card["x"] and inside["x"] + inside["width"] <= card["x"] + card["width"]

    ratio.focus()
    for _ in range(4):
        keys.press("ArrowRight")
    settled(page, "6 of 10 others")
    chosen = learning(page)
    assert len(chosen) == 8

    page.get_by_role("gridcell").nth(chosen[-1]).click()
    (z0, p0, hot0, off0, g0), (z1, p1, hot1, off1, g1), total = rows_of(page)
    expected = math.exp(z1) / (math.exp(z0) + math.exp(z1))
    assert (hot0, hot1) == (1, 0) and p1 == pytest.approx(expected, abs=2e-3)
    assert off1 == pytest.approx(expected, abs=2e-3) and g1 == pytest.approx(expected / 8, abs=2e-3)
    assert (off0, g0) == (-off1, -g1) and total[1:] == [1, 1, 0, 0]

    ratio.fill("0")
    settled(page, "0 of 10 others")
    assert learning(page) == [0, 1]


def test_the_map_is_read_by_keyboard(opened):
    page = opened()
    keys = page.keyboard
    page.get_by_role("gridcell").first.click()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft"):
        keys.press(key)
    focused = page.locator("[role=gridcell]:focus")
    told = "Row 0, column 1, labeled text: a step lowers output 0 and raises output 1"
    assert focused.get_attribute("aria-label").startswith(told)
    assert (
        focused.get_attribute("aria-selected") == "true"
        and focused.get_attribute("tabindex") == "0"
    )
    keys.press("End")
    keys.press("PageDown")
    assert (
        page.locator(".ac-mining-numbers caption")
        .inner_text()
        .startswith("Row 2, column 3, labeled not text")
    )
    keys.press("ArrowRight")
    assert (
        page.locator("[role=gridcell]:focus")
        .get_attribute("aria-label")
        .startswith("Row 2, column 3")
    ), "it ends at the border"


def test_error_and_its_cure(opened):
    page = opened()
    page.get_by_text("full of text").click()
    settled(page, "RuntimeError: selected index k out of range")
    assert "both engines raise RuntimeError" in page.locator(".ac-live-verdict").inner_text()
    assert page.get_by_text("The run raised an error. Before it").count() == 1
    page.get_by_role("switch", name="cure").click()
    settled(page, "9 of 9 text pixels and 3 of 3 others")
    assert page.locator(".ac-error").text_content() == "" and len(learning(page)) == 12


def test_arrows_point_as_a_step_moves_the_logits(opened):
    page = opened()
    settled(page, "2 of 2 text pixels and 2 of 10 others get a gradient")
    text = page.get_by_role("gridcell").first.locator("path")
    ends = [float(re.match(r"M0 0V(\S+?)M", path.get_attribute("d"))[1]) for path in text.all()]
    # a step lowers "not text" and raises "text"
    assert ends[0] > 0 > ends[1] and ends[0] == -ends[1]


def test_the_plot_has_a_dot_for_each_chosen_negative(opened):
    page = opened()
    settled(page, "2 of 10 others")
    assert page.locator(".ac-mining-plot [data-part=dot]").count() == 2
    page.get_by_role("slider", name="ratio").fill("4")
    settled(page, "8 of 10 others")
    assert page.locator(".ac-mining-plot [data-part=dot]").count() == 8

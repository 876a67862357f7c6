"""The gradient table: every control by mouse and by keyboard, numbers as they must be."""

import math
import re

import numpy as np
import pytest

from autograd_core.lessons.widgets.curves import curves
from autograd_core.lessons.widgets.gradient_table import gradient_table

KERNELS = {"a": np.array([[3.0, 4.0], [0.0, 0.0]]), "b": np.array([[0.0, 0.0], [6.0, 8.0]])}
TRUNK = {"a": np.array([1.0, 2.0, 2.0]), "b": np.array([0.0, -3.0, 4.0])}


def run(places, weights, halved):
    scale = {
        name: (places[name] != "off") * weights[name] / (2 if halved else 1) for name in KERNELS
    }
    heard = {name: scale[name] * (places[name] != "detached") for name in KERNELS}
    sent = {name: (KERNELS[name] * scale[name], TRUNK[name] * heard[name]) for name in KERNELS}
    kernels, trunk = (sent["a"][i] + sent["b"][i] for i in (0, 1))
    return {
        "losses": {"a": 0.5, "b": 2.0},
        "gradients": sent,
        "all at once": (kernels, trunk),
    }


@pytest.fixture
def opened(show):
    """A page with a table, as wide as is said, and another widget below it."""

    def open_(width=1280):
        table = gradient_table(
            run,
            run,
            losses=["a", "b"],
            kernels=["first", "<i>second</i>"],
            words={"halved": "half as much"},
            halved=False,
        )
        another = curves(lambda: {"w": [1.0, 2.0]})
        return show(table, another, kernel=True, viewport={"width": width, "height": 900})

    return open_


def rows(page):
    """{name of a row: its cells} of the table."""
    found = page.locator(".ac-gradients-table [role=row]:has([role=rowheader])").all()
    return {
        row.locator("[role=rowheader]").text_content(): row.locator(
            "text:not([role=rowheader])"
        ).all_text_contents()
        for row in found
    }


def wait_for(page, row, number):
    cells = page.locator(
        ".ac-gradients-table [role=row]", has=page.get_by_role("rowheader", name=row, exact=True)
    )
    cells.locator("text:not([role=rowheader])").filter(
        has_text=re.compile(f"^{number}$")
    ).first.wait_for()


def test_a_table_by_keyboard(opened):
    page = opened()
    keys = page.keyboard
    assert rows(page) == {
        "loss": ["0.5", "2", "all"],
        "in sum": ["0.5", "2", "2.5"],
        "first": ["5", "0", "5"],
        "<i>second</i>": ["0", "10", "10"],
        "trunk": ["3", "5", f"{math.hypot(1, -1, 6):.3f}"],
        "cosine": ["0.59", "0.88"],
    }
    assert "both engines agree" in page.locator(".ac-live-verdict").first.inner_text()

    page.get_by_role("radiogroup", name="b").get_by_role("radio", name="on").focus()
    keys.press("ArrowDown")
    wait_for(page, "trunk", "cut")
    assert rows(page)["<i>second</i>"] == ["0", "10", "10"]
    assert rows(page)["cosine"] == ["1", "none"]
    keys.press("ArrowDown")
    wait_for(page, "first", "off")
    assert rows(page)["in sum"] == ["0.5", "off", "0.5"]

    page.get_by_role("slider", name="weight of a").focus()
    for _ in range(4):
        keys.press("ArrowRight")
    wait_for(page, "first", "10")
    page.get_by_role("switch", name="half as much").focus()
    keys.press("Space")
    wait_for(page, "first", "5")
    assert rows(page)["in sum"][0] == "1"


def test_a_table_by_mouse_on_a_narrow_page(opened):
    page = opened(800)
    page.get_by_role("radiogroup", name="a").get_by_text("off", exact=True).click()
    wait_for(page, "first", "off")
    track = page.get_by_role("slider", name="weight of b").bounding_box()
    middle = track["y"] + track["height"] / 2
    page.mouse.move(track["x"] + track["width"] / 4, middle)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"] - 1, middle, steps=8)
    page.mouse.up()
    wait_for(page, "<i>second</i>", "40")  # 4 * hypot(6, 8)
    assert rows(page)["in sum"] == ["off", "8", "8"]

"""The loss tree: its switches by mouse and by keyboard, and the path that is lit."""

import numpy as np
import pytest

from autograd_core.lessons import lesson_08
from autograd_core.lessons.widgets.loss_tree import loss_tree
from tests.browser.page import drawn, overlaps, until
from tests.lessons.test_loss_tree import HEADS, run


@pytest.fixture
def opened(show):
    """A page with a tree of two losses, as wide as is said."""

    def open_(width=1280, kernel=True):
        tree = loss_tree(run, run, heads=HEADS, doubled=False)
        return show(tree, kernel=kernel, viewport={"width": width, "height": 900})

    return open_


def cells(page, loss):
    """The texts in the column of a loss."""
    head, *rows = [
        each.locator("text").all_text_contents()
        for each in page.locator(".ac-losses [role=row]").all()
    ]
    return [row[1 + head.index(loss)] for row in rows]


def dim(page):
    """The losses whose column is faded."""
    return page.locator(".ac-losses-dim [role=columnheader]").all_text_contents()


def test_switches_by_keyboard(opened):
    page = opened()
    assert cells(page, "a") == ["5", "5", "·", "3"] and cells(page, "all")[:3] == ["5", "5", "10"]
    page.get_by_role("radiogroup", name="b").get_by_role("radio", name="on").focus()
    assert dim(page) == ["a"], "the loss that has the focus is lit"
    page.keyboard.press("ArrowDown")
    until(page, lambda: cells(page, "b")[-1] == "cut")
    assert cells(page, "b")[:3] == ["·", "·", "10"] and dim(page) == ["a"]
    page.keyboard.press("ArrowDown")
    until(page, lambda: cells(page, "b") == ["off"] * 4)
    told = page.locator(".ac-losses-told")
    assert (
        "b off: no gradient arrives at third; the other 2 kernels are unchanged"
        in told.inner_text()
    )
    page.get_by_role("button", name="Reset").click()
    until(page, lambda: cells(page, "b") == ["·", "·", "10", "5"])
    page.get_by_role("switch", name="doubled").focus()
    page.keyboard.press("Space")
    until(page, lambda: cells(page, "b") == ["·", "·", "20", "10"])


def test_the_path_of_a_loss_is_lit_under_the_pointer(opened):
    page = opened()
    page.locator(".ac-losses-tree [data-part='0'] text").first.hover()
    assert dim(page) == ["b"]
    page.locator(".ac-losses-leaves [role=img][data-part='1']").hover()
    assert dim(page) == ["a"]
    page.mouse.move(0, 0)
    assert dim(page) == []


def run_of_five(places, doubled):
    """Five losses, each with a kernel: too many settings for a page."""
    size = {name: (place != "off") * (1.0 + doubled) for name, place in places.items()}
    sent = {
        name: tuple(x * np.ones(shape) for shape in ((5, 1, 2), (5, 2), 3))
        for name, x in size.items()
    }
    everything = tuple(sum(each) for each in zip(*sent.values()))
    return {"losses": size, "gradients": sent, "all at once": everything}


def test_without_a_kernel_the_page_says_what_to_do(saved):
    heads = {name: [f"kernel {name}"] for name in "abcde"}
    page = saved(loss_tree(run_of_five, heads=heads, doubled=False), ".ac-losses")
    page.get_by_text("needs a running notebook").first.wait_for()
    before = float(cells(page, "a")[0])
    page.get_by_role("switch").check()
    until(page, lambda: float(cells(page, "a")[0]) == pytest.approx(2 * before, abs=0.01))


def test_switches_stand_below_their_losses_and_all_is_on_one_screen(show):
    page = show(lesson_08.loss_tree())
    main = page.locator(".ac-losses-main")
    # JupyterLab leaves 1042 × 732 on a laptop of 1280 × 800, and 1128 × 700 on 1366 × 768
    for width in (390, 800, 1042, 1128):
        page.set_viewport_size({"width": width, "height": 700})
        drawn(page)
        assert main.evaluate("box => box.scrollWidth <= box.clientWidth"), width
        assert overlaps(main, "svg text") == [], width
        sizes = main.locator(".ac-losses-leaves [role=img] svg > rect:first-child").all()
        assert len(sizes) == 7
        least = 160 if width >= 800 else 64
        assert all(round(each.bounding_box()["width"]) >= least for each in sizes), width
        for j, name in enumerate(lesson_08.HEADS if width > 600 else ()):
            group = page.get_by_role("radiogroup", name=name).bounding_box()
            loss = page.locator(f".ac-losses-tree [data-part='{j}'] rect").bounding_box()
            assert abs(group["x"] + group["width"] / 2 - loss["x"] - loss["width"] / 2) < 4
        labels = page.locator(".ac-losses .ac-choices label")
        assert labels.evaluate_all(
            "all => all.every((each) => each.scrollWidth <= each.clientWidth)"
        )
    assert page.locator(".ac-losses-picture").bounding_box()["height"] <= 656

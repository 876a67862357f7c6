"""The painted mask of lesson 06 in real JupyterLab: every stroke, and the numbers that it leads to."""

import math
import re

import pytest

from tests.browser.page import overlaps
from tests.budget import PROVE

WAYS = [
    "mask * nll",
    "nll[mask]",
    "where(mask, nll, 0)",
    "nll.masked_fill(~mask, 0)",
    "nll[mask.long()]",
    "p = where(mask, p, 1)",
    "x = x[mask]",
    "x = where(mask, x, 0)",
]
W, B = 1.2, 0.3


class Painting:
    """The widget as a reader meets it: cells to paint, and what the cards say."""

    def __init__(self, page):
        self.page, self.view = page, page.cell_output("paint(run")
        self.grid = self.view.get_by_role("grid")

    def settle(self):
        """Wait until every stroke has been answered."""
        self.page.wait_idle()

    def cell(self, row, column):
        return self.grid.get_by_role("gridcell").nth(6 * row + column)

    def masked(self):
        script = "cells => cells.map((cell) => cell.getAttribute('aria-selected'))"
        selected = self.grid.get_by_role("gridcell").evaluate_all(script)
        return [divmod(i, 6) for i, each in enumerate(selected) if each == "true"]

    def text(self, row, column):
        return self.cell(row, column).locator("text").text_content()

    def start_again(self):
        self.view.get_by_role("button", name="start again").click()
        self.view.get_by_text("the mask", exact=True).click()
        self.choose("mask: let it learn")
        self.settle()

    def drag(self, *places):
        mouse = self.page.page.mouse
        for i, place in enumerate(places):
            box = self.cell(*place).bounding_box()
            mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=6)
            if i == 0:
                mouse.down()
        mouse.up()
        self.settle()

    def tool(self, name):
        return self.view.get_by_role("radio", name=name)

    def choose(self, name):
        self.tool(name).check(force=True)

    def press(self, *keys):
        for key in keys:
            self.page.page.keyboard.press(key)
        self.settle()

    def card(self, way):
        return self.view.get_by_role("group", name=way, exact=True)

    def parts(self, way, name):
        return self.card(way).locator(f"[data-part={name}]").all_text_contents()

    def verdict(self, way):
        return " ".join(self.parts(way, "verdict"))

    def map(self, way, which):
        """The numbers of a map, as the reader sees them in full; nan, inf and "not used" too."""
        titles = self.card(way).get_by_role("group", name=which).locator("title")
        return [text.replace("−", "-") for text in titles.all_text_contents()]

    def inputs(self):
        labels = self.grid.get_by_role("gridcell").evaluate_all(
            "cells => cells.map((cell) => cell.getAttribute('aria-label'))"
        )
        return [float(re.search(r"x = (\S+),", each)[1].replace("−", "-")) for each in labels]

    def numbers(self, way):
        values = [float(text.replace("−", "-")) for text in self.parts(way, "number")]
        return dict(zip(("b.grad", "w.grad", "loss"), values, strict=True))


NOTEBOOK = "06_masked_losses.ipynb"


@pytest.fixture
def painting(lesson):
    found = Painting(lesson)
    found.start_again()
    return found


def test_notebook_runs_to_its_end(lesson):
    assert lesson.problems() == []
    assert lesson.unfinished() == []


def test_the_numbers_are_those_of_the_mathematics_at_every_stroke(painting):
    painting.choose("poison: log 0")
    painting.drag((3, 4))  # there already: this takes it away
    for row, divide_by, count in ((0, "the mask", 16), (5, "the batch", 6), (5, "all cells", 36)):
        painting.choose("mask: let it learn")
        painting.drag((row, 0), (row, 5))
        painting.view.get_by_text(divide_by, exact=True).click()
        painting.settle()
        mask, x = painting.masked(), painting.inputs()
        inside = [divmod(i, 6) in mask for i in range(36)]
        count = len(mask) if divide_by == "the mask" else count
        p = [1 / (1 + math.exp(-(W * value + B))) for value in x]
        losses = [-math.log(q) if kept else 0 for q, kept in zip(p, inside)]
        gradients = [(q - 1) * W / count if kept else 0 for q, kept in zip(p, inside)]
        for way in WAYS[:2] + WAYS[-1:] if not PROVE else set(WAYS) - {"nll[mask.long()]"}:
            shown = [
                0 if text == "not used" else float(text)
                for text in painting.map(way, "loss of each cell")
            ]
            assert shown == pytest.approx(losses, abs=2e-3)
            assert [float(text) for text in painting.map(way, "gradient")] == pytest.approx(
                gradients, abs=1e-3
            )
            outside = [
                text for text, kept in zip(painting.map(way, "gradient"), inside) if not kept
            ]
            assert outside == ["0"] * (36 - len(mask))
            numbers = painting.numbers(way)
            assert numbers["loss"] == pytest.approx(sum(losses) / count, abs=5e-3)
            assert numbers["b.grad"] == pytest.approx(sum(gradients) / W, abs=5e-3)
            assert numbers["w.grad"] == pytest.approx(
                sum(g * value for g, value in zip(gradients, x)) / W, abs=5e-3
            )
            assert painting.parts(way, "added")[0].endswith(f"÷ {count}")
            assert painting.verdict(way) == "Clean: nothing leaks."
    assert "both engines agree" in painting.view.locator(".ac-live-verdict").inner_text()


@pytest.mark.prove
def test_each_poison_and_who_survives_it(painting):
    survivors = {
        "log 0": {"p = where(mask, p, 1)", "x = x[mask]", "x = where(mask, x, 0)"},
        "nan": {"x = x[mask]", "x = where(mask, x, 0)"},
        "inf": {"x = x[mask]", "x = where(mask, x, 0)"},
    }
    for kind, clean in survivors.items():
        if kind != "log 0":
            painting.choose(f"poison: {kind}")
            painting.drag((3, 4))
        assert painting.text(3, 4) == kind
        assert {way for way in WAYS if painting.verdict(way) == "Clean: nothing leaks."} == clean
        assert (
            painting.verdict("nll[mask.long()]")
            == "Not a mask: it takes 216 numbers, from 12 cells."
        )
    painting.choose("mask: let it learn")
    painting.drag((3, 4))
    assert all(
        "The poison is inside." in painting.verdict(way) for way in set(WAYS) - {"nll[mask.long()]"}
    )


@pytest.mark.prove
def test_an_empty_mask_and_starting_again(painting):
    before = painting.masked()
    painting.view.get_by_role("button", name="empty the mask").click()
    painting.settle()
    assert painting.masked() == []
    assert painting.verdict("x = x[mask]") == "Loss is nan. Gradient is 0. Nothing is selected."
    assert set(painting.map("mask * nll", "gradient")) == {"nan"}
    painting.view.get_by_text("all cells", exact=True).click()
    painting.settle()
    assert painting.verdict("x = x[mask]") == "Nothing is trained, and nothing breaks."
    painting.view.get_by_role("button", name="start again").click()
    painting.settle()
    assert painting.masked() == before and painting.text(3, 4) == "log 0"


def test_everything_by_keyboard_and_no_key_reaches_the_notebook(painting):
    page = painting.page
    before = page._ask("return [notebook.widgets.length, notebook.mode, notebook.activeCellIndex]")
    cells, masked = page._ask("return notebook.widgets.length"), painting.masked()
    painting.cell(0, 0).focus()
    painting.press("ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowLeft", "Space")
    assert painting.masked() == sorted([(0, 0), *masked])
    assert "Row 0, column 0" in painting.view.locator(".ac-paint-status").inner_text()
    painting.press("Space")
    assert painting.masked() == masked
    for key, text in (("n", "nan"), ("i", "inf"), ("l", "log 0")):
        painting.press(key, "Space")
        assert painting.text(0, 0) == text
    painting.press("m", "Enter", "e", "Enter")
    assert painting.masked() == masked and painting.text(0, 0) not in ("nan", "inf", "log 0")
    painting.tool("erase").focus()
    painting.press("ArrowDown")
    assert painting.tool("poison: nan").is_checked()
    assert painting.cell(0, 0).evaluate("cell => cell.tabIndex") == 0
    assert page._ask("return notebook.widgets.length") == cells
    assert page._ask("return notebook.mode") == before[1]


def test_painter_and_cards_are_on_one_screen(painting):
    """On a laptop all is seen at once; on any screen the painter stays beside the last card."""
    page = painting.page.page
    for width, height in ((1280, 800), (1366, 768), (800, 768)):
        page.set_viewport_size({"width": width, "height": height})
        painting.settle()
        view, room = (
            painting.view.locator(".ac-paint"),
            page.locator(".jp-WindowedPanel-outer").last,
        )
        if width > 800:
            view.evaluate("view => view.scrollIntoView({ block: 'start' })")
        else:
            painting.card(WAYS[-1]).scroll_into_view_if_needed()
        painting.settle()
        for part in (painting.cell(0, 0), painting.tool("erase"), painting.card(WAYS[-1])):
            box, seen = part.bounding_box(), room.bounding_box()
            assert box["y"] >= seen["y"] - 1
            assert box["y"] + box["height"] <= seen["y"] + seen["height"] + 1


def test_a_number_is_told_where_it_is_pointed_at(painting):
    painting.card("nll[mask]").get_by_role("group", name="gradient").locator("rect").nth(22).hover()
    status = painting.view.locator(".ac-paint-status")
    assert status.inner_text() == "nll[mask], row 3, column 4: gradient nan"
    painting.page.page.mouse.move(0, 0)
    assert status.inner_text().startswith("Row ")


@pytest.mark.parametrize("width", [1280, 800])
def test_no_words_run_into_each_other(painting, width):
    painting.page.page.set_viewport_size({"width": width, "height": 900})
    painting.settle()
    for way in WAYS:
        assert overlaps(painting.card(way), "text, g[aria-label]") == []


def test_on_a_narrow_page_nothing_is_cut_off_and_fingers_paint(painting):
    painting.page.page.set_viewport_size({"width": 800, "height": 900})
    painting.settle()
    view = painting.view.locator(".ac-paint")
    right = view.bounding_box()["x"] + view.bounding_box()["width"]
    for part in (*(painting.card(way) for way in WAYS), *painting.view.locator("label").all()):
        box = part.bounding_box()
        assert box["x"] + box["width"] <= right
    assert (
        painting.grid.evaluate("grid => getComputedStyle(grid.parentElement).touchAction") == "none"
    )
    assert painting.cell(0, 0).bounding_box()["width"] >= 32
    before = painting.masked()
    painting.grid.evaluate("""grid => {
      const finger = { pointerId: 7, pointerType: "touch", bubbles: true, cancelable: true };
      grid.parentElement.setPointerCapture = () => {};
      for (const [kind, i] of [["pointerdown", 0], ["pointermove", 1], ["pointermove", 2], ["pointerup", 2]]) {
        const box = grid.querySelectorAll('[role=gridcell]')[i].getBoundingClientRect();
        grid.dispatchEvent(new PointerEvent(kind, { ...finger, clientX: box.x + 9, clientY: box.y + 9 }));
      }
    }""")
    painting.settle()
    assert painting.masked() == [(0, 0), (0, 1), (0, 2), *before]

"""The switchboard and the shards on a page without JupyterLab, by mouse and by keyboard."""

import re

from playwright.sync_api import expect

from autograd_core.lessons import lesson_11, lesson_16
from autograd_core.lessons.widgets.shards import shards
from autograd_core.lessons.widgets.switchboard import switchboard
from tests.lessons import test_shards, test_switchboard


def test_the_switchboard(show):
    board = switchboard(test_switchboard.run, test_switchboard.run, **test_switchboard.SETTINGS)
    page = show(board, kernel=True)
    texts = page.locator(".ac-switchboard-main svg text").filter(visible=True)
    expect(texts.filter(has_text="grad 5")).to_have_count(2)
    assert page.locator("s").all_inner_texts() == ["net2.trained()"]
    page.get_by_text("frozen", exact=True).click()
    expect(texts.filter(has_text="grad None")).to_have_count(1)
    expect(texts.filter(has_text="weights kept")).to_have_count(1)
    expect(page.locator("s")).to_have_count(0)
    page.get_by_role("radio", name="net2(h)", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(texts.filter(has_text=re.compile("^cut$"))).to_have_count(1)
    assert "✓ both engines agree" in page.locator(".ac-live-verdict").inner_text()


CUT_OFF = """() => [...document.querySelectorAll(".ac-controls :is(label, span)")].filter((part) => {
  const box = part.getBoundingClientRect(), room = part.closest(".ac-controls").getBoundingClientRect();
  return box.right > room.right || box.left < room.left || part.scrollWidth > part.clientWidth + 1 && part.clientWidth;
}).map((part) => part.textContent)"""
"""The settings, or parts of them, that have no room."""


def test_the_switchboard_and_its_settings_fit_a_phone(show):
    page = show(lesson_11.switchboard(), viewport={"width": 364, "height": 844})
    assert page.evaluate(CUT_OFF) == []
    room = page.locator(".ac-switchboard-main").evaluate(
        "each => [each.scrollWidth, each.clientWidth]"
    )
    assert room[0] == room[1]
    page.add_style_tag(content=".ac-view.ac-live .ac-control { flex-wrap: nowrap !important; }")
    assert page.evaluate(CUT_OFF) != []


def test_the_shards(show):
    ways = ["same", "half", "nothing", "rounded"]
    page = show(shards(test_shards.run, test_shards.run, ways=ways), kernel=True)
    title = page.locator(".ac-drawing-main svg title").first
    expect(title).to_have_text(re.compile("process 0 counts 2, process 1 counts 1"))
    page.get_by_text("half", exact=True).click()
    expect(title).to_have_text(re.compile("50% off"))
    page.get_by_role("radio", name="half").focus()
    page.keyboard.press("ArrowLeft")
    expect(title).not_to_have_text(re.compile("off"))
    assert "✓ both engines agree" in page.locator(".ac-live-verdict").inner_text()


def test_the_shards_fit_a_phone(show):
    page = show(lesson_16.shards(), viewport={"width": 364, "height": 844})
    room = page.locator(".ac-drawing-main").evaluate("each => [each.scrollWidth, each.clientWidth]")
    assert room[0] == room[1] and page.evaluate("document.documentElement.scrollWidth") == 364
    choices = page.locator(".ac-choices").evaluate_all(
        "all => all.map((each) => each.clientHeight)"
    )
    assert len(choices) == 2 and max(choices) < 36  # each in one row

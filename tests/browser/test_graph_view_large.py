"""Large graphs and cuts in a real browser: folding, stepping over folds, zoom, pan, search, what a
cut looks like.
"""

from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Page

from autograd_core.widgets import GraphView
from autograd_core.widgets.graph.drawn import keys_of
from autograd_core.widgets.graph.folds import folds_of
from tests.browser.page import drawn, event, overlaps
from tests.widgets.large_traces import frozen_teacher, transformer
from tests.widgets.sample_traces import encoder

TRACE = transformer()


def answer(page: Page, trace=TRACE) -> list[str]:
    """Do what a kernel does with the last message: send what is drawn. Returns the keys that were
    asked for.
    """
    message = page.evaluate("models[0].sent.at(-1)")
    assert message["kind"] == "fold"
    view = GraphView(trace, opened=message["open"])
    page.evaluate(
        "([drawn, changes]) => { models[0].set('drawn', drawn); models[0].set('changes', changes); }",
        [view.get_state()["drawn"], view.changes],
    )
    page.wait_for_function(
        "count => document.querySelectorAll('.ac-frame').length === count", arg=len(message["open"])
    )
    return message["open"]


def fold(page: Page, key: str):
    return page.locator(f".ac-node[data-fold='{key}']")


def test_a_large_graph_is_folded_by_module(show):
    page = show(GraphView(TRACE, event=-1))
    assert page.locator(".ac-fold").count() == 8
    attention = page.get_by_role("button", name="attn Attention, 23 nodes · 75.934, 0.196, folded")
    assert (
        attention.get_attribute("aria-expanded") == "false"
        and attention.locator(".ac-gradient").text_content() == "0.196"
    )
    assert fold(page, "pos").locator(".ac-gradient").text_content() == "no gradient"
    assert page.locator(".ac-small-plus").count() == 3


def test_a_fold_opens_and_closes_in_place(show):
    page = show(GraphView(TRACE, event=-1))
    before = fold(page, "ff").bounding_box()["y"]
    fold(page, "ff").click(position={"x": 60, "y": 20})
    assert answer(page) == ["ff"]
    frame = page.get_by_role("button", name="ff Sequential, 13 nodes, 6 of them shape only, open")
    assert frame.get_attribute("aria-expanded") == "true"
    assert page.evaluate("document.activeElement.dataset.fold") == "ff"
    assert frame.bounding_box()["y"] == pytest.approx(before, abs=12), (
        "what was pressed stays where it was"
    )
    assert page.locator(".ac-small-dot").count() == 4 and page.locator(".ac-way").count() == 2
    page.keyboard.press("Enter")
    assert answer(page) == [] and page.locator(".ac-fold").count() == 8
    assert event(page) == len(TRACE.events), "playing and stepping have not begun"


def test_fold_all_and_the_state_that_a_page_is_saved_in(show):
    page = show(GraphView(TRACE, opened=["ff", "attn"]))
    assert page.locator(".ac-frame").count() == 2
    page.get_by_role("button", name="Fold all").click()
    assert answer(page) == [] and page.locator(".ac-frame").count() == 0


def test_a_closed_fold_is_one_step_and_an_open_one_many(show):
    page = show(GraphView(TRACE), clock=True)
    page.get_by_role("slider", name="Event").focus()
    steps = []
    for _ in range(6):
        page.keyboard.press("ArrowRight")
        steps.append(event(page))
    kinds = [TRACE.nodes[TRACE.events[k - 1].node].module for k in steps]
    assert kinds == ["tok", "pos", "", "norm1", "attn.out", ""] and steps[4] - steps[3] == 15
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert event(page) == steps[3], "back over the fold too"
    page.keyboard.press("i")
    assert answer(page) == ["attn"] and event(page) == steps[3] + 1
    page.keyboard.press("ArrowRight")
    assert event(page) == steps[3] + 2


def test_zoom_by_button_and_key(show):
    page = show(GraphView(TRACE, event=-1))

    def width():
        return fold(page, "attn").bounding_box()["width"]

    whole = width()
    page.get_by_role("button", name="Zoom in").click()
    assert width() == pytest.approx(1.25 * whole, rel=0.01)
    page.get_by_role("slider", name="Event").focus()
    page.keyboard.press("-")
    assert width() == pytest.approx(whole, rel=0.01)


def test_a_drag_on_the_empty_canvas_pans_and_selects_nothing(show):
    page = show(GraphView(TRACE, event=-1, opened=["ff", "attn"]))
    room = page.locator(".ac-scroller")
    room.evaluate("room => { room.scrollTop = 300; }")
    box = room.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 30, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 30, box["y"] + 180, steps=4)
    page.mouse.up()
    assert room.evaluate("room => room.scrollTop") == 420
    page.mouse.wheel(0, 50)
    page.wait_for_function("document.querySelector('.ac-scroller').scrollTop > 420")


def test_one_finger_pans(show):
    page = show(GraphView(TRACE, event=-1, opened=["ff", "attn"]), has_touch=True)
    room = page.locator(".ac-scroller")
    room.evaluate("room => { room.scrollTop = 0; }")
    drawn(page)
    box = room.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 300
    touch = page.context.new_cdp_session(page)
    moves = [("touchStart", 0), *(("touchMove", 15 * step) for step in range(1, 11))]
    for kind, up in moves:
        points = [{"x": x, "y": y - up}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("document.querySelector('.ac-scroller').scrollTop > 100")
    assert page.locator(".ac-selected").count() == 0 and page.evaluate("models[0].sent.length") == 0


def test_a_fold_says_that_it_needs_a_kernel_where_none_answers(show):
    page = show(GraphView(TRACE, event=-1), clock=True)
    hint = page.locator(".ac-hint")
    fold(page, "ff").click(position={"x": 60, "y": 20})
    assert not hint.is_visible()
    page.clock.fast_forward(3000)
    page.get_by_text(
        "Folds open and close where a Python kernel runs, and none has answered."
    ).wait_for()
    assert answer(page) == ["ff"], "a kernel answers late"
    assert not hint.is_visible()
    fold(page, "ff").click(position={"x": 60, "y": 20})
    answer(page)
    page.clock.fast_forward(3000)
    assert not hint.is_visible()


def test_search_rings_the_boxes_and_enter_goes_to_the_next(show):
    page = show(GraphView(TRACE, event=-1, opened=["ff"]))
    page.get_by_role("slider", name="Event").focus()
    page.keyboard.press("f")
    page.keyboard.type("addmm")
    found = page.locator(".ac-found")
    assert found.count() == 4, "two boxes, and two folds that hold one"
    status = page.locator(".ac-hits")
    assert status.inner_text() == "1 of 4"
    page.keyboard.press("Enter")
    assert status.inner_text() == "2 of 4" and page.locator(".ac-found-now").count() == 1
    now, room = (
        page.locator(".ac-found-now").bounding_box(),
        page.locator(".ac-scroller").bounding_box(),
    )
    assert room["y"] <= now["y"] and now["y"] + now["height"] <= room["y"] + room["height"]
    page.keyboard.press("Shift+Enter")
    assert status.inner_text() == "1 of 4"
    page.keyboard.press("Escape")
    assert found.count() == 0
    page.keyboard.type("<img src=x>")
    assert status.inner_text() == "none" and page.locator("img").count() == 0


def test_cuts_are_dashed_and_named_and_nothing_is_drawn_like_zero(show):
    trace = encoder()
    page = show(GraphView(trace, event=-1))
    assert page.locator(".ac-severs text").all_text_contents() == [
        "cut: detach()",
        "cut: no_grad",
        "cut: argmax is not differ…",
    ]
    assert page.locator(".ac-cut .ac-head").count() == 0, "nothing travels there"
    words = {
        index: page.locator(f".ac-node[data-node='{index}'] .ac-gradient").text_content()
        for index, node in enumerate(trace.nodes)
        # a transpose has no box of its own
        if node.kind in ("severed", "frozen") and node.name != "t"
    }
    assert {trace.nodes[i].kind: text for i, text in words.items()} == {
        "severed": "no gradient",
        "frozen": "frozen",
    }
    unreached = next(i for i, node in enumerate(trace.nodes) if node.label == "pos.weight")
    assert page.locator(f".ac-node[data-node='{unreached}'] .ac-gradient").text_content() == "None"


def test_what_is_nan_is_striped_and_zero_is_a_number(show):
    kept = {"ff.0.bias": 0.0, "ff.2.bias": np.nan}
    events = [
        replace(each, after=np.full(each.after.shape, kept[TRACE.nodes[each.node].label]))
        if each.kind == "accumulate" and TRACE.nodes[each.node].label in kept
        else each
        for each in TRACE.events
    ]
    page = show(GraphView(replace(TRACE, events=tuple(events)), event=-1, opened=["ff"]))

    for label, text, striped in (("ff.0.bias", "0", False), ("ff.2.bias", "nan", True)):
        leaf = page.locator(f".ac-node[aria-label*='{label},']")
        assert leaf.locator(".ac-gradient").text_content() == text
        fill = leaf.locator(".ac-part").evaluate("part => getComputedStyle(part).fill")
        assert ("url(" in fill) == striped


@pytest.mark.parametrize("trace", [TRACE, frozen_teacher()], ids=["transformer", "teacher"])
def test_no_label_lies_over_another(show, trace):
    page = show(GraphView(trace, event=-1, opened=keys_of(folds_of(trace))))
    labels = ".ac-pill.ac-shown rect, .ac-node .ac-name, .ac-node .ac-gradient, .ac-shape-name, .ac-count"
    for width in (1280, 800):
        page.set_viewport_size({"width": width, "height": 900})
        drawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert overlaps(page.locator(".ac-view"), labels) == [], width


def test_a_step_in_a_large_graph_touches_few_boxes(show):
    """What a step costs is what it changes: counted, since no machine that others use can be timed."""
    trace = transformer(2, "m.")
    page = show(GraphView(trace, opened=keys_of(folds_of(trace)), event=80))
    page.evaluate("""() => {
      window.touched = new Set();
      new MutationObserver((list) => list.forEach(({ target }) => {
        const box = (target.closest ? target : target.parentElement).closest('.ac-node');
        if (box) touched.add(box.dataset.box);
      })).observe(document.querySelector('.ac-picture'), {
        subtree: true, childList: true, attributes: true, characterData: true });
    }""")
    page.get_by_role("slider", name="Event").focus()
    most = 0
    for _ in range(12):
        page.evaluate("touched.clear()")
        page.keyboard.press("ArrowRight")
        most = max(most, page.evaluate("touched.size"))
    assert 1 <= most <= 8 and page.locator(".ac-node").count() > 80


def test_a_large_graph_opens_at_its_current_node_on_a_phone(show):
    page = show(GraphView(transformer(), event=60), viewport={"width": 390, "height": 844})
    drawn(page)
    seen = page.locator(".ac-scroller").bounding_box()
    box = page.locator(".ac-current .ac-box").first.bounding_box()
    assert seen["x"] <= box["x"] and box["x"] + box["width"] <= seen["x"] + seen["width"]

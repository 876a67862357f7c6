"""The graph view in a real browser, without a kernel: by mouse, by keyboard, and what it draws at
each event.
"""

from autograd_core.widgets import GraphView
from autograd_core.widgets.graph.changes import forms
from autograd_core.widgets.graph.states import states
from tests.browser.page import drawn, event, overlaps
from tests.widgets.sample_traces import chain, logistic, product

DRAWN = """at => {
  models[0].set('event', at);
  return new Promise(requestAnimationFrame).then(() => [...document.querySelectorAll('.ac-node')].map((box) => ({
    node: Number(box.dataset.node), ghost: box.classList.contains('ac-ghost'),
    value: box.querySelector('.ac-value')?.textContent, gradient: box.querySelector('.ac-gradient')?.textContent })));
}"""


def test_every_event_is_drawn_as_python_knows_it(show):
    trace = logistic()
    page = show(GraphView(trace))
    for at in range(len(trace.events) + 1):
        known = states(trace, at)
        for box in page.evaluate(DRAWN, at):
            node, state = trace.nodes[box["node"]], known[box["node"]]
            assert box["ghost"] is not state.recorded
            if node.kind == "constant" or not state.recorded:
                continue
            has = state.gradient is not None or node.kind == "leaf"
            # in full, or in fewer words where there is no room
            allowed = forms(state.gradient, True) if state.gradient is not None else ["None"]
            assert box["gradient"] in (allowed if has else ["not yet"])
            assert box["value"].endswith(tuple(forms(state.value, False)))


def test_a_click_looks_into_a_box_and_escape_goes_back(show):
    page = show(GraphView(logistic(), event=15))
    panel = page.get_by_role("region", name="Details")
    assert "SigmoidBackward0 runs" in panel.inner_text()
    page.get_by_role("button", name="LogBackward0").click()
    assert (
        "LogBackward0" in panel.inner_text()
        and "∂loss/∂q = ∂loss/∂result / q" in panel.inner_text()
    )
    page.keyboard.press("Escape")
    assert "SigmoidBackward0 runs" in panel.inner_text()


def test_the_keyboard_goes_everywhere(show):
    page = show(GraphView(logistic()))
    slider = page.get_by_role("slider", name="Event")
    slider.focus()
    visited = []
    for key in (
        "ArrowRight",
        "Shift+ArrowRight",
        "Shift+ArrowRight",
        "Shift+ArrowLeft",
        "End",
        "ArrowLeft",
        "Home",
    ):
        page.keyboard.press(key)
        visited.append(event(page))
    assert visited == [1, 9, 10, 9, 23, 22, 0]
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext").startswith(
        "Event 1 of 23. Mv computes its result. Computed from x and w."
    )
    page.keyboard.press("?")
    assert page.get_by_text("one phase").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_text("one phase").is_visible()


def test_arrows_walk_along_the_edges_and_enter_selects(show):
    trace = logistic()
    page = show(GraphView(trace, event=23))
    page.locator(".ac-node[data-node='11']").focus()

    def walked(*keys: str) -> list[int]:
        places = []
        for key in keys:
            page.keyboard.press(key)
            places.append(int(page.evaluate("document.activeElement.dataset.node")))
        return places

    edges = {(edge.consumer, edge.producer) for edge in trace.edges}
    up = walked(*["ArrowUp"] * 8)
    assert up == [10, 9, 8, 5, 4, 2, 1, 1] and all(pair in edges for pair in zip(up, up[1:-1]))
    assert walked("ArrowDown", "ArrowUp", "ArrowDown") == [2, 0, 2], (
        "the second time up the next input"
    )
    assert walked("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowDown") == [
        4,
        5,
        6,
        5,
        8,
    ], "and down, the next consumer"
    page.keyboard.press("Enter")
    assert page.locator(".ac-selected[data-node='8']").count() == 1


def test_a_click_anywhere_takes_the_keys(show):
    page = show(GraphView(logistic()), clock=True)
    for part in (
        ".ac-title",
        ".ac-note",
        ".ac-source >> nth=0",
        ".ac-band >> nth=1",
        ".ac-footer .ac-status",
    ):
        page.evaluate("() => { models[0].set('event', 0); document.activeElement.blur(); }")
        page.locator(part).click(position={"x": 8, "y": 8})
        page.keyboard.press("ArrowRight")
        assert event(page) == 1, part
        page.keyboard.press("Space")
        page.get_by_role("button", name="Pause").wait_for()
        page.keyboard.press("Space")
        page.keyboard.press("ArrowUp")
        assert page.evaluate("document.activeElement.classList.contains('ac-node')"), part


def test_plain_keys_stay_and_chords_go_on(show):
    control = {"kind": "slider", "name": "a", "min": -3, "max": 3, "step": 0.1, "value": 2.0}
    page = show(GraphView(product(), event=9, controls=[control], on_change=lambda *_: None))
    page.evaluate(
        "window.passed = []; document.addEventListener('keydown', (event) => passed.push(event.key))"
    )
    for place in (
        ".ac-node[data-node='3']",
        ".ac-panel",
        ".ac-track",
        "input[type=range]",
        ".ac-play",
    ):
        page.locator(place).focus()
        for key in ("x", "d", "ArrowLeft", "ArrowDown", "1", "Delete"):
            page.keyboard.press(key)
    assert page.evaluate("passed") == []
    for key in ("Escape", "Shift+Enter", "Control+s"):
        page.keyboard.press(key)
    assert page.evaluate(
        "passed.filter((key) => key.length > 1 && !['Shift', 'Control'].includes(key))"
    ) == [
        "Escape",
        "Enter",
    ]


def test_one_tab_stop_for_each_part(show):
    page = show(GraphView(logistic(), other=logistic("PyTorch"), event=15))
    page.keyboard.press("Tab")
    stops = []
    for _ in range(10):
        stops.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
        page.keyboard.press("Tab")
    assert stops[:2] == ["numbers from autograd_core", "numbers from PyTorch"]
    assert stops[2:4] == ["You run it: the backward pass by hand", "Keys"]
    assert stops[4].startswith("SigmoidBackward0, p = ") and stops[5] == "Details"
    assert stops[6:9] == [None, "Play", "Event"], "the open tab of the panel names itself"


def test_play_runs_to_the_end_and_pauses_on_the_way(show):
    trace = chain(6)
    page = show(GraphView(trace, event=len(trace.events) - 3), clock=True)
    page.get_by_role("button", name="Speed").click()
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Pause").wait_for()
    page.clock.run_for(5000)
    page.get_by_role("button", name="Play", exact=True).wait_for()
    assert event(page) == len(trace.events)
    page.keyboard.press("Home")
    page.get_by_role("slider", name="Event").focus()
    page.keyboard.press("Space")
    page.clock.run_for(1000)
    page.keyboard.press("Space")
    stopped = event(page)
    page.clock.fast_forward(20_000)
    assert 1 <= event(page) == stopped < 8


LABELS = ".ac-pill.ac-shown rect, .ac-tab rect, .ac-node .ac-glyph, .ac-slot, .ac-source text"
SPOKEN = """() => [...document.querySelectorAll("[aria-live], [role=status], [role=alert]")]
  .filter((region) => region.getAttribute("aria-live") !== "off").map((region) => region.textContent).filter(Boolean)"""


def test_a_screen_reader_is_told_each_event_once(show):
    """Counted: how often the text of a live region changes, and what all of them say. The clock
    stands, since what moves says nothing.
    """
    trace = logistic()
    page = show(GraphView(trace), clock=True)
    page.evaluate("""() => {
      window.told = [];
      const watcher = new MutationObserver((list) => list.forEach(({ target }) => {
        const element = target.closest ? target : target.parentElement;
        const region = element.closest("[aria-live], [role=status], [role=alert]");
        if (region && region.getAttribute("aria-live") !== "off") told.push(region.textContent);
      }));
      watcher.observe(document.querySelector(".ac-view"), { subtree: true, childList: true, characterData: true });
    }""")
    slider, next_ = (
        page.get_by_role("slider", name="Event"),
        page.get_by_role("button", name="One event on"),
    )
    for at in range(1, len(trace.events) + 1):
        next_.press("Enter")
        sentence = slider.get_attribute("aria-valuetext")
        assert sentence.startswith(f"Event {at} of 23. ")
        assert page.evaluate("told.splice(0)") == [sentence] == page.evaluate(SPOKEN)
    slider.focus()
    for key in ("ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    assert page.evaluate("told.splice(0)") == [] == page.evaluate(SPOKEN), (
        "the timeline has the focus: its value is the sentence"
    )
    page.get_by_role("button", name="LogBackward0").click()
    assert page.evaluate("told.splice(0)") == [page.locator(".ac-voice").inner_text()]
    assert (
        "LogBackward0. An operation. Its result has shape 2, float64."
        in page.locator(".ac-voice").text_content()
    )


def test_a_screen_reader_hears_nothing_while_playing_and_where_it_stopped(show):
    page = show(GraphView(logistic()), clock=True)
    before = page.locator(".ac-voice").text_content()
    page.get_by_role("button", name="Play", exact=True).click()
    page.clock.run_for(2500)
    assert page.locator(".ac-voice").text_content() == before and event(page) >= 2
    page.get_by_role("button", name="Pause").click()
    at = event(page)
    page.clock.run_for(1000)
    assert page.locator(".ac-voice").text_content().startswith(f"Event {at} of")


def test_the_timeline_is_scrubbed_and_its_phases_are_buttons(show):
    page = show(GraphView(logistic()))
    box = page.get_by_role("slider", name="Event").bounding_box()
    y = box["y"] + 54
    page.mouse.move(box["x"] + 30, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, y, steps=5)
    middle = event(page)
    page.mouse.move(box["x"] + box["width"], y)
    page.mouse.up()
    assert 10 < middle < 14 and event(page) == 23
    saved = page.evaluate("models[0].saved")
    page.locator(".ac-phase.ac-backward").click()
    assert event(page) == 10
    assert page.evaluate("models[0].saved") == saved + 1, "Python is told at once"


def test_the_switch_shows_the_other_engine(show):
    page = show(GraphView(logistic(), other=logistic("PyTorch", w=(0.5, 0.5)), event=9))
    page.get_by_role("button", name="numbers from PyTorch").click()
    assert page.locator(".ac-node[data-node='1'] .ac-value").text_content() == "[0.5, 0.5]"


def test_views_are_independent_and_leave_nothing_behind(show):
    page = show(GraphView(logistic()), GraphView(product()))
    page.get_by_role("slider", name="Event").nth(1).focus()
    page.keyboard.press("End")
    assert (event(page, 0), event(page, 1)) == (0, 12)
    page.evaluate("ends[0]()")
    assert page.locator(".ac-view").count() == 1
    assert page.evaluate(
        "Object.values(models[0].handlers).every((handlers) => handlers.size === 0)"
    )


def test_a_view_may_come_onto_the_page_later(show):
    page = show(GraphView(logistic(), event=15))
    page.evaluate("""() => {
      ends[0]();
      window.late = document.createElement("div");
      return render(models[0], late).then(() => models[0].set("event", 3));
    }""")
    page.evaluate("document.body.append(late)")
    page.get_by_role("button", name="SigmoidBackward0").wait_for()
    assert page.get_by_role("slider", name="Event").get_attribute("aria-valuenow") == "3"


def test_only_the_latest_value_waits_while_python_works(show):
    control = {"kind": "slider", "name": "a", "min": -3, "max": 3, "step": 0.1, "value": 2.0}
    page = show(GraphView(product(), controls=[control], on_change=lambda *_: None))
    slider = page.get_by_role("slider", name="a", exact=True)
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    assert page.evaluate("models[0].sent.map((message) => message.value)") == [1.9]
    page.evaluate("models[0].set('answer', { change: 1, error: 'too <b>small' })")
    assert page.evaluate("models[0].sent.map((message) => message.value)") == [1.9, 1]
    assert page.get_by_role("alert").inner_text() == "too <b>small"
    page.evaluate("models[0].set('answer', { change: 2, error: '' })")
    assert (
        page.evaluate("models[0].sent.length") == 2 and not page.get_by_role("alert").is_visible()
    )


def test_a_field_that_stays_keeps_its_focus(show):
    text, slider = (
        {"kind": "text", "name": "e", "value": "a"},
        {"kind": "slider", "name": "a", "min": 0, "max": 1, "step": 0.1, "value": 0.5},
    )
    labelled = [{"label": each["name"], **each} for each in (text, slider, slider | {"name": "b"})]
    page = show(GraphView(product(), controls=[text, slider]))
    page.get_by_role("textbox", name="e").focus()
    page.keyboard.type("+b")
    page.evaluate("controls => models[0].set('controls', controls)", labelled)
    page.keyboard.type("+c")
    assert page.get_by_role("textbox", name="e").input_value() == "a+b+c"
    assert page.locator("input[type=range]").count() == 2


def test_a_page_that_was_narrower_and_lower_looks_as_before(show):
    """The loss must not be gone for good after the file browser was opened and closed."""
    page = show(GraphView(chain(20)))
    for width, height in ((1280, 900), (1280, 600)):
        page.set_viewport_size({"width": width, "height": height})
        drawn(page)
        before = page.locator(".ac-scroller").bounding_box()
        for other in ((900, height), (1280, 400), (560, 500)):
            page.set_viewport_size(dict(zip(("width", "height"), other)))
            drawn(page)
        page.set_viewport_size({"width": width, "height": height})
        drawn(page)
        assert page.locator(".ac-scroller").bounding_box() == before


def test_a_tall_graph_scrolls_and_shows_the_current_node(show):
    page = show(GraphView(chain(20)))
    height = page.evaluate("innerHeight")
    assert height - 40 < page.locator(".ac-view").bounding_box()["height"] < height
    page.get_by_role("slider", name="Event").focus()
    room = page.locator(".ac-scroller").bounding_box()
    for key in ("ArrowRight", "Shift+ArrowRight", "End", "Home"):
        page.keyboard.press(key)
        if key != "Home":
            box = page.locator(".ac-node.ac-current").bounding_box()
            assert room["y"] <= box["y"] and box["y"] + box["height"] <= room["y"] + room["height"]


def test_no_label_lies_over_another(show):
    page = show(*(GraphView(trace, event=-1) for trace in (logistic(), product(), chain(20))))
    pills = page.locator(".ac-view").nth(1).locator(".ac-pill.ac-shown")
    assert pills.count() == len(product().edges), "every edge that carried a gradient shows it"
    for width in (1280, 1000, 800):
        page.set_viewport_size({"width": width, "height": 900})
        drawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for view in page.locator(".ac-view").all():
            assert overlaps(view, LABELS) == [], width
    pills.nth(1).evaluate(
        "(pill, place) => pill.setAttribute('transform', place)",
        pills.first.get_attribute("transform"),
    )
    assert len(overlaps(page.locator(".ac-view").nth(1), LABELS)) >= 1, "a planted one is found"


def test_a_box_keeps_the_focus_when_the_page_gets_narrow(show):
    page = show(GraphView(logistic()), viewport={"width": 900, "height": 800})
    page.locator(".ac-node[tabindex='0']").focus()
    before = page.locator(".ac-picture").get_attribute("width")
    page.set_viewport_size({"width": 400, "height": 800})
    page.wait_for_function(
        "before => document.querySelector('.ac-picture').getAttribute('width') !== before",
        arg=before,
    )
    assert page.evaluate("document.activeElement.matches('.ac-node')")
    page.keyboard.press("ArrowRight")
    assert event(page) == 1

"""What moves in an event: the number leaves its field, becomes the product, and the box that it
reaches changes only when it lands.

The page's clock is the test's: each moment of a motion is looked at.
"""

from dataclasses import replace

import numpy as np
import pytest

from autograd_core.widgets import GraphView
from tests.browser.page import event, overlaps, put, stop_clock
from tests.widgets.large_traces import transformer
from tests.widgets.sample_traces import logistic, product

SIGMOID, MV = 5, 2


@pytest.fixture
def moving(browser):
    """A page whose clock stands: (page, wait) of a view at an event; `wait(ms)` lets that time go
    by.
    """
    pages = []

    def open_at(trace, at, **options):
        page = browser.new_page(**options)
        pages.append(page)
        stop_clock(page)
        put(page, [trace if isinstance(trace, GraphView) else GraphView(trace)])
        page.evaluate("at => models[0].set('event', at)", at)
        page.clock.run_for(500)
        return page, page.clock.run_for

    yield open_at
    for page in pages:
        page.close()


def box(page, node):
    return page.locator(f".ac-node[data-node='{node}']")


def compartment(page, node):
    return [
        box(page, node).locator(name).text_content() for name in (".ac-caption", ".ac-gradient")
    ]


def flyers(page):
    """The labels that are seen on their way, with where they are."""
    return page.evaluate("""() => [...document.querySelectorAll('.ac-flyer:not(.ac-rule)')]
      .filter((each) => Number(each.getAttribute('opacity')) > 0.3)
      .map((each) => each.textContent)""")


def place_of(page, text):
    moving = page.locator(".ac-flyer:not(.ac-rule)", has_text=text)
    place = moving.get_attribute("transform")
    return [float(each) for each in place.removeprefix("translate(").rstrip(")").split()]


def trails(page):
    """How much of each edge has its new color."""
    return [
        float(line.get_attribute("stroke-dasharray").split()[2])
        for line in page.locator(".ac-trail path").all()
    ]


TANH = 5


@pytest.mark.parametrize(
    "at, total, products",
    [(5, "1", ["−0.604", "−1"]), (8, "−1.239", ["0.620", "−2.478"])],
    ids=["an edge around boxes and a vertical one", "side edges"],
)
def test_every_edge_makes_the_same_five_moves(moving, at, total, products):
    page, wait = moving(product(), at)
    page.get_by_role("button", name="One event on").click()
    wait(300)
    assert flyers(page) == [total, total], "the sum has lifted off"
    for _ in range(5):
        wait(150)
        said = flyers(page)
        assert said.count(total) == 2 and len(said) == 4, "two slopes stand for 500 ms"
        assert sum("×" in text for text in said) == 2
    assert trails(page) == [0, 0]
    wait(270)
    assert sorted(flyers(page)) == sorted(products), "they are the products now"
    travelling = []
    for _ in range(5):
        wait(125)
        travelling.append(trails(page))
    assert all(
        earlier[i] < later[i]
        for earlier, later in zip(travelling, travelling[1:])
        for i in range(2)
    ), "the edges take their color behind the numbers"
    wait(300)  # 2245
    landed = page.locator(".ac-ran").count()
    wait(60)
    assert page.locator(".ac-ran").count() > landed and flyers(page) == []
    wait(250)
    assert page.locator(".ac-flyer, .ac-trail").count() == 0


def test_the_tab_is_solid_while_its_value_is_used_and_struck_through_after_that(moving):
    page, wait = moving(product(), 6)
    tab = box(page, TANH).locator(".ac-tab")
    page.get_by_role("button", name="One event on").click()
    seen = []
    for _ in range(50):
        wait(50)
        style = "each => getComputedStyle(each.querySelector('text')).textDecorationLine"
        seen.append(("ac-sends" in tab.get_attribute("class"), tab.evaluate(style)))
    solid = [50 * (i + 1) for i, (sends, _) in enumerate(seen) if sends]
    assert 350 <= solid[0] <= 450 and 1950 <= solid[-1] <= 2050
    struck = [50 * (i + 1) for i, (_, line) in enumerate(seen) if line == "line-through"]
    assert 2250 <= struck[0] <= 2350 and len(struck) == (2500 - struck[0]) // 50 + 1
    assert tab.evaluate("each => getComputedStyle(each).opacity") == "1"


def test_the_rule_stands_whole_beside_the_slope(moving):
    page, wait = moving(logistic(), 14)
    page.get_by_role("button", name="One event on").click()
    wait(900)
    assert "slope = p · (1 − p)" in page.locator(".ac-rule").all_text_contents()


@pytest.mark.parametrize(
    "trace, at", [(product(), 5), (logistic(), 9)], ids=["product", "logistic"]
)
def test_the_caption_leaves_the_words_at_the_root_free(moving, trace, at):
    page, wait = moving(trace, at)
    page.get_by_role("button", name="One event on").click()
    wait(100)
    said, start = page.locator(".ac-says").bounding_box(), page.locator(".ac-start").bounding_box()
    assert said["width"] and start["width"] and page.locator(".ac-start.ac-shown").count() == 1
    assert (
        said["x"] + said["width"] <= start["x"]
        or start["x"] + start["width"] <= said["x"]
        or said["y"] + said["height"] <= start["y"]
        or start["y"] + start["height"] <= said["y"]
    )


def test_what_meets_stands_below_the_field_with_a_plus_before_the_field_has_the_sum(moving):
    page, wait = moving(logistic(), 13)
    page.get_by_role("button", name="One event on").click()
    waiting = compartment(page, SIGMOID)
    assert event(page) == 14 and waiting[0] == "1 of 2 arrived"
    assert "ac-half" in box(page, SIGMOID).get_attribute("class"), "what waits is half filled"
    wait(2200)
    assert sorted(flyers(page)) == ["+", "[0, 0.703]", "[−0.952, 0]"]
    assert compartment(page, SIGMOID) == waiting
    (left, y), (right, same) = place_of(page, "[−0.952, 0]"), place_of(page, "[0, 0.703]")
    field = box(page, SIGMOID).locator(".ac-part").bounding_box()
    plus = page.locator(".ac-plus").bounding_box()
    assert y == same and left < place_of(page, "+")[0] < right
    assert plus["y"] > field["y"] + field["height"]
    wait(90)
    assert compartment(page, SIGMOID) == waiting and "+" in flyers(page)
    wait(180)
    assert compartment(page, SIGMOID)[0] == "Σ 2 of 2 arrived"
    assert compartment(page, SIGMOID)[1] != waiting[1]
    wait(400)
    assert page.locator(".ac-flyer").count() == 0
    assert "ac-half" not in box(page, SIGMOID).get_attribute("class")


@pytest.mark.parametrize("trace", [logistic(), product()], ids=["logistic", "product"])
def test_a_caption_has_at_most_twelve_words_and_does_not_change(moving, trace):
    page, wait = moving(trace, 0)
    for at in range(len(trace.events)):
        page.evaluate("at => models[0].set('event', at)", at)
        wait(50)
        page.get_by_role("button", name="One event on").click()
        caption = page.locator(".ac-says")
        words = caption.text_content()
        assert 2 <= len(words.split()) <= 12
        wait(700)
        assert caption.text_content() == words
        over = overlaps(
            page.locator(".ac-view"), ".ac-says, .ac-node .ac-number, .ac-node .ac-name"
        )
        assert over == [], f"event {at + 1}"


WORDS = ".ac-motion:last-child .ac-flyer rect, .ac-node .ac-number, .ac-node .ac-name"


def covered(page):
    """Numbers and names of boxes that lie under what a motion says; numbers on their way pass
    beneath the boxes.
    """
    view = page.locator(".ac-view")
    view.evaluate(
        """view => view.querySelectorAll(".ac-motion:last-child .ac-flyer").forEach(
        (each) => { each.style.display = each.getAttribute("opacity") > 0.3 ? "" : "none"; })"""
    )
    found = [pair.split(" over ") for pair in overlaps(view, WORDS)]
    # a copy that lifts off a field hides the same number there
    return [(words, moving) for words, moving in found if moving not in words]


@pytest.mark.parametrize("trace", [logistic(), product()], ids=["logistic", "product"])
def test_nothing_that_is_said_lies_over_a_number_or_a_name(moving, trace):
    page, wait = moving(trace, 0)
    for at, each in enumerate(trace.events):
        if each.kind not in ("backward", "accumulate"):
            continue
        page.evaluate("at => models[0].set('event', at)", at)
        wait(50)
        page.get_by_role("button", name="One event on").click()
        wait(70)
        for _ in range(8):
            wait(300)
            assert covered(page) == [], f"event {at + 1}"


def test_a_planted_label_over_a_name_is_found(moving):
    page, wait = moving(logistic(), 13)
    page.get_by_role("button", name="One event on").click()
    wait(400)
    place = box(page, SIGMOID).get_attribute("transform")
    page.locator(".ac-motion:last-child .ac-flyer").first.evaluate(
        "(flyer, place) => flyer.setAttribute('transform', `${place} translate(80 12)`)", place
    )
    assert covered(page) != []


def test_a_number_waits_at_a_leafs_door_until_it_is_taken_in(moving):
    """It lands once: in the event that sends it as far as the door, in the next into .grad."""
    trace = product()
    at = next(i for i, each in enumerate(trace.events) if each.kind == "accumulate")
    leaf = trace.events[at].node
    page, wait = moving(trace, at - 1)
    page.get_by_role("button", name="One event on").click()
    wait(2600)
    pills = page.locator(".ac-pill.ac-waits")
    waiting = pills.count()
    assert waiting and compartment(page, leaf)[1] == "None"
    doors = [pill.bounding_box() for pill in pills.all()]
    left, picture = box(page, leaf).bounding_box()["x"], page.locator(".ac-picture")
    zoom = picture.bounding_box()["width"] / float(picture.get_attribute("viewBox").split()[2])
    assert any(0 < left - (door["x"] + door["width"]) < 16 * zoom for door in doors)
    page.get_by_role("button", name="One event on").click()
    wait(700)
    assert compartment(page, leaf)[1] == "None"
    wait(200)
    assert compartment(page, leaf)[1] != "None" and pills.count() == waiting - 1


def test_of_an_open_fold_too_a_number_enters_a_leaf_only_when_it_is_taken_in(moving):
    view = GraphView(transformer())
    view.unfold(["head"])
    events, edges = view.trace.events, view.trace.edges
    leaf = next(i for i, node in enumerate(view.trace.nodes) if node.label == "head.bias")
    sent = next(
        i for i, each in enumerate(events) if any(edges[e].producer == leaf for e, _ in each.sent)
    )
    taken_in = next(i for i, e in enumerate(events) if (e.kind, e.node) == ("accumulate", leaf))
    for at, ms, inside in ((sent, 750, False), (taken_in, 750, True)):
        page, wait = moving(view, at)
        page.get_by_role("button", name="One event on").click()
        wait(ms)
        left = box(page, leaf).bounding_box()["x"]
        numbers = page.locator(".ac-climbs").all()
        middles = [n.bounding_box()["x"] + n.bounding_box()["width"] / 2 for n in numbers]
        assert middles and any(middle > left + 6 for middle in middles) == inside


def test_nothing_is_dimmed(moving):
    page, wait = moving(logistic(), 13)
    page.get_by_role("button", name="One event on").click()
    wait(1200)
    parts = ".ac-node, .ac-edge, .ac-source, .ac-pill.ac-shown, .ac-start.ac-shown"
    assert page.locator(".ac-picture").evaluate(
        "(all, parts) => [...all.querySelectorAll(parts)].every((each) => getComputedStyle(each).opacity === '1')",
        parts,
    )


def test_forward_the_inputs_run_down_and_then_the_value_stands(moving):
    page, wait = moving(logistic(), 1)
    page.get_by_role("button", name="One event on").click()
    wait(600)
    assert "ac-ghost" in box(page, 4).get_attribute("class")
    assert flyers(page) == ["[0, −1]", "0.1"]
    wait(300)
    assert "ac-ghost" not in box(page, 4).get_attribute("class")


def test_played_steps_of_all_leaves_are_one_and_the_old_numbers_fade(moving):
    trace = logistic()
    first = next(i for i, each in enumerate(trace.events) if each.kind == "step")
    page, wait = moving(trace, first)
    page.get_by_role("button", name="Play", exact=True).click()
    wait(100)
    assert event(page) == first + 2 and flyers(page) == ["[0.8, −0.4]", "0.1"]


def test_an_old_number_that_is_nan_fades_as_an_error(moving):
    trace = logistic()
    first = next(i for i, each in enumerate(trace.events) if each.kind == "step")
    before = np.full(2, np.nan)
    events = [*trace.events]
    events[first] = replace(events[first], before=before)
    page, wait = moving(replace(trace, events=tuple(events)), first)
    page.get_by_role("button", name="One event on").click()
    wait(100)
    assert "ac-bad" in page.locator(".ac-flyer.ac-falls").get_attribute("class")


def test_another_step_breaks_a_motion_off_and_scrubbing_has_none(moving):
    page, wait = moving(logistic(), 13)
    following = page.get_by_role("button", name="One event on")
    following.click()
    wait(200)
    following.click()
    wait(20)
    assert compartment(page, SIGMOID)[0] == "Σ 2 of 2 arrived", "what it brought is there"
    page.evaluate("models[0].set('event', 12)")
    wait(20)
    assert page.locator(".ac-flyer").count() == 0
    page.get_by_role("slider", name="Event").focus()
    page.keyboard.press("Home")
    wait(20)
    assert page.locator(".ac-flyer").count() == 0


def test_with_reduced_motion_nothing_moves(moving):
    page, wait = moving(logistic(), 13, reduced_motion="reduce")
    page.get_by_role("button", name="One event on").click()
    wait(20)
    assert page.locator(".ac-flyer").count() == 0
    assert compartment(page, SIGMOID)[0] == "Σ 2 of 2 arrived", "what it brought is there"


def test_the_pass_of_lesson_02_takes_less_than_30_seconds(moving):
    """2.5 s for a backward event, 1 s for the others."""
    page, wait = moving(product(), 0)
    page.get_by_role("button", name="Play", exact=True).click()
    began = [0]
    for now in range(0, 30_000, 250):
        if event(page) > len(began):
            began.append(now)
        if page.locator(".ac-flyer").count() == 0 and event(page) == 12:
            break
        wait(250)
    lasts = [later - earlier for earlier, later in zip(began, began[1:])]
    kinds = [each.kind for each in product().events]
    assert lasts == pytest.approx(
        [2500 if kind == "backward" else 1000 for kind in kinds[:-1]], abs=300
    )
    assert now < 20_000


def test_the_pace_is_that_of_the_player(moving):
    page, wait = moving(product(), 5)
    page.get_by_role("button", name="Speed").click()
    page.get_by_role("button", name="Play", exact=True).click()
    wait(1000)
    assert event(page) == 6
    wait(350)
    assert event(page) == 7, "at 2× the next event begins after 1250 ms"
    page.get_by_role("button", name="Pause").click()
    wait(3000)
    assert event(page) == 7

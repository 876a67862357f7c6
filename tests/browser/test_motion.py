"""What moves in an event: the number leaves its box, becomes the contribution, and only where it
lands a box changes.

The page's clock is the test's: each moment of a motion is looked at.
"""

import math
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
    return page.evaluate("""() => [...document.querySelectorAll('.ac-flyer')]
      .filter((each) => Number(each.getAttribute('opacity')) > 0.3)
      .map((each) => each.textContent)""")


def place_of(page, text):
    place = page.locator(".ac-flyer", has_text=text).get_attribute("transform")
    return [float(each) for each in place.removeprefix("translate(").rstrip(")").split()]


def test_a_box_fills_only_when_the_number_has_landed(moving):
    page, wait = moving(logistic(), 13)
    page.get_by_role("button", name="One event on").click()
    waiting, full = ["1 of 2 arrived", "[−0.952, 0]"], ["Σ 2 of 2 arrived", "[−0.952, 0.703]"]
    assert event(page) == 14 and compartment(page, SIGMOID) == waiting
    assert "ac-half" in box(page, SIGMOID).get_attribute("class"), "what waits is half filled"
    wait(120)
    assert flyers(page) == ["[0, −0.703]"], "the sum has lifted off"
    for _ in range(5):
        wait(130)
        assert sorted(flyers(page)) == ["[0, −0.703]", "× −1"], "the slope stands for 500 ms"
    wait(250)
    assert flyers(page) == ["↑ [0, 0.703]"], "it is the contribution now"
    before = place_of(page, "↑")
    wait(430)
    assert math.dist(place_of(page, "↑"), before) > 20, "which travels, and enters the box"
    assert compartment(page, SIGMOID) == waiting
    assert page.locator(".ac-pill.ac-flying").count() == 1, "the label of the line is not there yet"
    wait(300)
    assert page.locator(".ac-pill.ac-flying").count() == 0
    assert flyers(page) == ["[−0.952, 0] + [0, 0.703] = [−0.952, 0.703]"]
    assert compartment(page, SIGMOID) == waiting, "the addition is seen before its sum"
    wait(900)
    assert compartment(page, SIGMOID) == full
    wait(400)
    assert page.locator(".ac-flyer").count() == 0 and page.locator(".ac-acting").count() == 0
    assert "ac-half" not in box(page, SIGMOID).get_attribute("class")


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
    return overlaps(view, WORDS)


@pytest.mark.parametrize("trace", [logistic(), product()], ids=["logistic", "product"])
def test_nothing_that_is_said_lies_over_a_number_or_a_name(moving, trace):
    page, wait = moving(trace, 0)
    for at, each in enumerate(trace.events):
        if each.kind not in ("backward", "accumulate"):
            continue
        page.evaluate("at => models[0].set('event', at)", at)
        wait(50)
        page.get_by_role("button", name="One event on").click()
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
    left = box(page, leaf).bounding_box()["x"]
    assert any(0 < left - (door["x"] + door["width"]) < 16 for door in doors)
    page.get_by_role("button", name="One event on").click()
    wait(600)
    assert compartment(page, leaf)[1] == "None"
    wait(300)
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
    for at, ms, inside in ((sent, 1480, False), (taken_in, 600, True)):
        page, wait = moving(view, at)
        page.get_by_role("button", name="One event on").click()
        wait(ms)
        left = box(page, leaf).bounding_box()["x"]
        numbers = page.locator(".ac-flyer", has_text="↑").all()
        middles = [n.bounding_box()["x"] + n.bounding_box()["width"] / 2 for n in numbers]
        assert middles and any(middle > left + 6 for middle in middles) == inside


def test_what_takes_no_part_is_dimmed_while_something_moves(moving):
    page, wait = moving(logistic(), 13)
    page.get_by_role("button", name="One event on").click()
    wait(400)
    page.evaluate("document.getAnimations().forEach((each) => each.finish())")
    opacity = (
        "node => getComputedStyle(document.querySelector(`.ac-node[data-node='${node}']`)).opacity"
    )
    assert [page.evaluate(opacity, node) for node in (6, SIGMOID, MV)] == ["1", "1", "0.45"]


def test_forward_the_inputs_run_down_and_then_the_value_stands(moving):
    page, wait = moving(logistic(), 1)
    page.get_by_role("button", name="One event on").click()
    wait(200)
    assert "ac-ghost" in box(page, 4).get_attribute("class")
    assert flyers(page) == ["↓ [0, −1]", "↓ 0.1"]
    wait(150)
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
    assert "ac-bad" in page.locator(".ac-flyer").get_attribute("class")


def test_another_step_breaks_a_motion_off_and_scrubbing_has_none(moving):
    page, wait = moving(logistic(), 13)
    following = page.get_by_role("button", name="One event on")
    following.click()
    wait(200)
    following.click()
    wait(20)
    assert compartment(page, SIGMOID) == ["Σ 2 of 2 arrived", "[−0.952, 0.703]"], (
        "what it brought is there"
    )
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
    assert compartment(page, SIGMOID) == ["Σ 2 of 2 arrived", "[−0.952, 0.703]"]


def test_an_event_stays_until_its_words_can_have_been_read(moving):
    """220 ms a word, also where its motion is shorter."""
    page, wait = moving(product(), 0)
    page.get_by_role("button", name="Play", exact=True).click()
    wait(20)
    said = page.evaluate("models[0].state.structure.events[0].text")
    # numbers stand in it as names of their places, "after" or "value 5"
    texts = ["0" if style in ("nv", "ng") else text for style, text in said]
    words = len("".join(texts).split())
    assert event(page) == 1 and words >= 5
    wait(220 * words - 200)
    assert event(page) == 1
    wait(400)
    assert event(page) == 2


def test_the_pace_is_that_of_the_player(moving):
    page, wait = moving(product(), 9)
    page.get_by_role("button", name="Speed").click()
    page.get_by_role("button", name="Play", exact=True).click()
    wait(800)
    assert page.locator(".ac-pill.ac-flying").count() == 0, "at 2× it has landed after 750 ms"
    page.get_by_role("button", name="Pause").click()
    at = event(page)
    wait(3000)
    assert event(page) == at

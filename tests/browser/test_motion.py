"""What moves in an event: the number leaves its field, becomes the product, and the box that it
reaches changes only when it lands.

The page's clock is the test's: each moment of a motion is looked at.
"""

from dataclasses import replace

import numpy as np
import pytest

from autograd_core.widgets import GraphView
from tests.browser.page import event, overlaps
from tests.widgets.large_traces import transformer
from tests.widgets.sample_traces import logistic, product

SIGMOID, TANH = 5, 5
"""Nodes of `logistic()` and of `product()`."""


@pytest.fixture
def moving(show):
    """A page whose clock stands: (page, wait) of a view at an event; `wait(ms)` lets that time go
    by, and draws at its beginning and its end alone.
    """

    def open_at(trace, at, **options):
        view = trace if isinstance(trace, GraphView) else GraphView(trace)
        page = show(view, clock=True, **options)
        go_to(page, at)
        page.clock.run_for(500)

        def wait(ms):
            page.clock.run_for(min(ms, 20))
            if ms > 40:
                page.clock.fast_forward(ms - 40)
            page.clock.run_for(max(0, min(ms - 20, 20)))

        return page, wait

    return open_at


def go_to(page, at):
    page.evaluate("at => models[0].set('event', at)", at)


def step(page):
    page.get_by_role("button", name="One event on").press("Enter")


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


@pytest.mark.parametrize(
    "at, total, products",
    [(5, "1", ["−0.604", "−1"]), (8, "−1.239", ["0.620", "−2.478"])],
    ids=["an edge around boxes and a vertical one", "side edges"],
)
def test_every_edge_makes_the_same_five_moves(moving, at, total, products):
    page, wait = moving(product(), at)
    step(page)
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


def signs(page):
    """For each number on its way, whether it has a minus sign, and whether it is violet."""
    violet = page.evaluate(
        """() => {
        const probe = document.querySelector('.ac-flyer rect').cloneNode();
        probe.style.fill = 'var(--ac-negative-solid)';
        document.querySelector('.ac-flyer').append(probe);
        const { fill } = getComputedStyle(probe);
        probe.remove();
        return fill;
      }"""
    )
    fills = page.locator(".ac-flyer:not(.ac-rule)").evaluate_all("""all => all
      .filter((each) => Number(each.getAttribute('opacity')) > 0.3 && !each.textContent.includes('×'))
      .map((each) => [each.textContent, getComputedStyle(each.querySelector('rect')).fill])""")
    return [(text.startswith("−"), fill == violet) for text, fill in fills]


@pytest.mark.parametrize("at, before, after", [(5, {False}, {True}), (8, {True}, {True, False})])
def test_a_moving_number_is_violet_if_it_is_negative(moving, at, before, after):
    """From 1 to two negative products, and from a negative sum to a product of each sign."""
    page, wait = moving(product(), at)
    step(page)
    for ms, expected in ((300, before), (1020, after), (500, after)):
        wait(ms)
        found = signs(page)
        assert {negative for negative, _ in found} == expected
        assert all(negative == is_violet for negative, is_violet in found), ms


def test_the_tab_is_solid_while_its_value_is_used_and_struck_through_after_that(moving):
    page, wait = moving(product(), 6)
    tab = box(page, TANH).locator(".ac-tab")
    step(page)
    seen = {}
    for ms in (300, 500, 1900, 2100, 2200, 2400, 2500):
        wait(ms - max(seen, default=0))
        line = "each => getComputedStyle(each.querySelector('text')).textDecorationLine"
        seen[ms] = ("ac-sends" in tab.get_attribute("class"), tab.evaluate(line))
    assert [ms for ms, (sends, _) in seen.items() if sends] == [500, 1900]
    assert [ms for ms, (_, line) in seen.items() if line == "line-through"] == [2400, 2500]
    assert tab.evaluate("each => getComputedStyle(each).opacity") == "1"


def test_what_meets_stands_below_the_field_with_a_plus_before_the_field_has_the_sum(moving):
    page, wait = moving(logistic(), 13)
    step(page)
    waiting = compartment(page, SIGMOID)
    assert event(page) == 14 and waiting[0] == "1 of 2 arrived"
    assert "ac-half" in box(page, SIGMOID).get_attribute("class"), "what waits is half filled"
    wait(1200)
    parts = ".ac-node, .ac-edge, .ac-source, .ac-pill.ac-shown, .ac-start.ac-shown"
    opacities = "all => [...new Set(all.map((each) => getComputedStyle(each).opacity))]"
    assert page.locator(parts).evaluate_all(opacities) == ["1"], "nothing is dimmed"
    wait(1000)
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


CAPTION = ".ac-says, .ac-start.ac-shown, .ac-node .ac-number, .ac-node .ac-name"
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
def test_a_caption_is_short_and_nothing_that_is_said_lies_over_a_number_or_a_name(moving, trace):
    page, wait = moving(trace, 0)
    caption = page.locator(".ac-says")
    for at, each in enumerate(trace.events):
        go_to(page, at)
        wait(50)
        step(page)
        wait(70)
        words = caption.text_content()
        assert 2 <= len(words.split()) <= 12
        wait(600)
        assert caption.text_content() == words, "it stays as it is"
        assert overlaps(page.locator(".ac-view"), CAPTION) == [], f"event {at + 1}"
        if each.kind in ("backward", "accumulate"):
            # slopes stand, products stand, they travel, they have landed
            for ms in (0, 600, 600, 300, 300)[: 5 if each.kind == "backward" else 1]:
                wait(ms)
                assert covered(page) == [], f"event {at + 1}"


def test_a_planted_label_over_a_name_is_found(moving):
    page, wait = moving(logistic(), 13)
    step(page)
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
    step(page)
    wait(2600)
    pills = page.locator(".ac-pill.ac-waits")
    waiting = pills.count()
    assert waiting and compartment(page, leaf)[1] == "None"
    doors = [pill.bounding_box() for pill in pills.all()]
    left, picture = box(page, leaf).bounding_box()["x"], page.locator(".ac-picture")
    zoom = picture.bounding_box()["width"] / float(picture.get_attribute("viewBox").split()[2])
    assert any(0 < left - (door["x"] + door["width"]) < 16 * zoom for door in doors)
    step(page)
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
    page, wait = moving(view, sent)
    for at, inside in ((sent, False), (taken_in, True)):
        go_to(page, at)
        wait(50)
        step(page)
        wait(750)
        left = box(page, leaf).bounding_box()["x"]
        numbers = [each.bounding_box() for each in page.locator(".ac-climbs").all()]
        middles = [number["x"] + number["width"] / 2 for number in numbers]
        assert middles and any(middle > left + 6 for middle in middles) == inside


def test_forward_the_inputs_run_down_and_then_the_value_stands(moving):
    page, wait = moving(logistic(), 1)
    step(page)
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
    events = [*trace.events]
    events[first] = replace(events[first], before=np.full(2, np.nan))
    page, wait = moving(replace(trace, events=tuple(events)), first)
    step(page)
    wait(100)
    fading = page.locator(".ac-flyer.ac-falls")
    assert "ac-bad" in fading.get_attribute("class"), "a nan fades as an error"


def test_another_step_breaks_a_motion_off_and_scrubbing_has_none(moving):
    page, wait = moving(logistic(), 13)
    step(page)
    wait(200)
    step(page)
    wait(20)
    assert compartment(page, SIGMOID)[0] == "Σ 2 of 2 arrived", "what it brought is there"
    go_to(page, 12)
    wait(20)
    assert page.locator(".ac-flyer").count() == 0
    page.get_by_role("slider", name="Event").press("Home")
    wait(20)
    assert page.locator(".ac-flyer").count() == 0


def test_with_reduced_motion_nothing_moves_and_play_is_one_step(moving):
    page, wait = moving(logistic(), 13, reduced_motion="reduce")
    step(page)
    wait(20)
    assert page.locator(".ac-flyer").count() == 0
    assert compartment(page, SIGMOID)[0] == "Σ 2 of 2 arrived", "what it brought is there"
    page.get_by_role("button", name="Play", exact=True).click()
    wait(10_000)
    assert event(page) == 15


def test_a_played_backward_event_takes_2500_ms_and_every_other_one_1000(moving):
    page, wait = moving(product(), 3)
    page.get_by_role("button", name="Play", exact=True).click()
    early, past = 150, 0
    for each in product().events[3:7]:
        at, lasts = event(page), 2500 if each.kind == "backward" else 1000
        wait(lasts - early - past)
        assert event(page) == at
        wait(2 * early)
        assert event(page) == at + 1
        past = early
    page.get_by_role("button", name="Pause").click()
    go_to(page, 5)
    page.get_by_role("button", name="Speed").click()
    page.get_by_role("button", name="Play", exact=True).click()
    wait(1000)
    assert event(page) == 6
    wait(350)
    assert event(page) == 7, "at 2× the next event begins after 1250 ms"
    page.get_by_role("button", name="Pause").click()
    wait(3000)
    assert event(page) == 7

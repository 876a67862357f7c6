"""The first play on a page stops at the first meeting and asks what the sum will be; then it goes
on, and asks no more.
"""

import pytest
from playwright.sync_api import expect

from autograd_core.widgets import GraphView
from tests.browser.page import event
from tests.widgets.sample_traces import chain, logistic, product


def play(page, view=0):
    page.get_by_role("button", name="Play", exact=True).nth(view).click()


@pytest.mark.parametrize(
    "choice, said", [("[−0.952, 0.703]", "✓ Yes"), ("[0, 0.703]", "Not [0, 0.703]")]
)
def test_the_first_play_asks_before_the_sum_stands(show, choice, said):
    page = show(GraphView(logistic(), event=12), clock=True)
    play(page)
    page.clock.run_for(2000)
    question = page.get_by_role("radiogroup", name="2 ways lead back to p")
    question.wait_for()
    assert event(page) == 13
    assert page.locator(".ac-node[data-node='5'] .ac-caption").text_content() == "1 of 2 arrived"
    assert question.get_by_role("radio").count() == 3
    question.get_by_role("radio", name=choice, exact=True).check()
    assert page.locator(".ac-answer").inner_text().startswith(said)
    assert "contributions are added" in page.locator(".ac-answer").inner_text()
    page.get_by_role("button", name="Go on").click()
    page.clock.run_for(5000)
    assert event(page) >= 15
    assert page.locator(".ac-ask").is_hidden()


def test_nobody_is_asked_twice_and_a_step_asks_nothing(show):
    page = show(GraphView(logistic(), event=13), GraphView(logistic(), event=12), clock=True)
    page.get_by_role("button", name="One event on").first.click()
    assert event(page) == 14 and page.locator(".ac-ask:visible").count() == 0
    play(page, 1)
    page.clock.run_for(2000)
    page.locator(".ac-ask:visible").wait_for()
    page.locator(".ac-view").nth(1).get_by_role("button", name="One event on").click()
    expect(page.locator(".ac-ask:visible")).to_have_count(0)
    page.evaluate("models[0].set('event', 12)")
    play(page, 0)
    page.clock.run_for(30_000)
    assert event(page) >= 15


def test_where_nothing_meets_nobody_is_asked(show):
    page = show(GraphView(chain(3), event=4), clock=True)
    play(page)
    page.clock.run_for(30_000)
    assert event(page) >= 7
    assert page.locator(".ac-ask:visible").count() == 0


THEMES = [
    ({"vscodeThemeKind": "vscode-dark"}, "light", "rgb(23, 27, 32)"),
    ({"vscodeThemeKind": "vscode-high-contrast"}, "light", "rgb(23, 27, 32)"),
    ({"vscodeThemeKind": "vscode-light"}, "dark", "rgb(255, 255, 255)"),
    ({"vscodeThemeKind": "vscode-high-contrast-light"}, "dark", "rgb(255, 255, 255)"),
    ({"jpThemeLight": "false"}, "light", "rgb(23, 27, 32)"),
    ({"jpThemeLight": "true"}, "dark", "rgb(255, 255, 255)"),
    ({}, "light", "rgb(255, 255, 255)"),
    ({}, "dark", "rgb(23, 27, 32)"),
]


def test_the_front_end_tells_light_from_dark_and_else_the_readers_system(show):
    page = show(GraphView(product(), event=5), color_scheme="light")
    for marks, system, ground in THEMES:
        page.emulate_media(color_scheme=system)
        page.evaluate(
            """marks => { delete document.body.dataset.jpThemeLight;
          delete document.body.dataset.vscodeThemeKind; Object.assign(document.body.dataset, marks); }""",
            marks,
        )
        found = page.evaluate(
            "getComputedStyle(document.querySelector('.ac-view')).backgroundColor"
        )
        assert found == ground, (marks, system)

"""The view's panel in a real browser: parameters, maps, both engines, the first nan, and what
people type.
"""

from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Page

import autograd_core
from autograd_core.trace import Edge, Event, Parameter, Tape, Trace, TraceNode, names_in, trace
from autograd_core.widgets import GraphView, watch
from autograd_core.widgets.kit.format import number
from tests.browser.page import answer, colours, event
from tests.widgets.large_traces import transformer
from tests.widgets.pictures import depths, misread
from tests.widgets.sample_traces import logistic, product


def network(weight: np.ndarray, names: tuple[str, str] = ("net.weight", "pos.weight")) -> Trace:
    """A sum of the squares of `weight`, and of a `pos.weight` that is cut off before it gets there."""
    square, gradient = np.asarray((weight**2).sum()), 2 * weight
    nodes = (
        TraceNode("leaf", "AccumulateGrad", names[0], weight.shape, "float64", weight),
        TraceNode(
            "operation",
            "PowBackward0",
            "",
            weight.shape,
            "float64",
            weight**2,
            (),
            (("input", "g * 2 * input"),),
            0,
        ),
        TraceNode(
            "operation",
            "SumBackward0",
            "loss",
            (),
            "float64",
            square,
            (),
            (("input", "expand(g, input.shape)"),),
            0,
        ),
    )
    edges = (Edge(1, 0, 0), Edge(2, 0, 1, cut="", line=0))
    one, ones = np.array(1.0), np.ones_like(weight)
    events = (
        Event("forward", 1, None, weight**2),
        Event("forward", 2, None, square),
        Event("loss", 2, None, square),
        Event("backward", 2, one, None, ((1, ones),)),
        Event("backward", 1, ones, None, ((0, gradient),)),
        Event("accumulate", 0, None, gradient),
    )
    parameters = (
        Parameter(names[0], weight.shape, 0),
        Parameter(
            names[1],
            (12, 32),
            None,
            "The path to the loss ends at detach().",
            "cut",
            None,
            (names[1], "EmbeddingBackward0", "detach()"),
        ),
        Parameter("spare", (2, 2), None, "No recorded operation used this.", "unused"),
    )
    parameters = tuple(replace(each, model=each.name.partition(".")[0]) for each in parameters)
    return Trace(
        "autograd_core",
        nodes,
        edges,
        events,
        ("loss = (net.weight ** 2).sum()",),
        parameters=parameters,
        recorded=True,
    )


def panel(page: Page):
    return page.get_by_role("region", name="Details")


def rows(page: Page) -> list[list[str]]:
    return [row.split("\t") for row in page.locator(".ac-parameters tbody tr").all_inner_texts()]


# ---- parameters ----------------------------------------------------------------------------------


def test_every_parameter_has_its_norm_or_its_reason_and_a_surprise_leads_there(show):
    weight = np.arange(6.0).reshape(2, 3)
    page = show(GraphView(network(weight), event=-1))
    assert page.get_by_role("tab", name="Parameters").get_attribute("aria-selected") == "true"
    written = number(np.linalg.norm(2 * weight))
    assert [[cell.strip() for cell in row] for row in rows(page)] == [
        ["pos.weight", "12×32", "None: the path to the loss ends at detach()"],
        ["spare", "2×2", "None: no recorded operation used this"],
        ["net.weight", "2×3", "", written],
    ], "what is cut off stands first"
    assert "1 of 3 get a gradient" in panel(page).inner_text()
    card = page.locator(".ac-card-box").inner_text()
    assert (
        "pos.weight gets no gradient" in card
        and "pos.weight → EmbeddingBackward0 → detach()" in card
    )
    page.get_by_text("spare", exact=True).click()
    assert "spare gets no gradient" in page.locator(".ac-card-box").inner_text()
    answer_line = page.locator(".ac-line-of-summary")
    assert "3 parameters: 1 trained, 1 cut, 1 not reached" in answer_line.inner_text()
    page.get_by_role("tab", name="Details").click()
    answer_line.get_by_role("button", name="1 cut").click()
    assert page.locator("tr[aria-current=true] .ac-pick").inner_text() == "pos.weight"
    assert "pos.weight gets no gradient" in page.locator(".ac-card-box").inner_text()


def test_rows_and_nodes_mark_each_other(show):
    page = show(GraphView(logistic(), event=-1))
    page.get_by_role("tab", name="Leaves").click()
    page.get_by_role("button", name="b", exact=True).click()
    assert page.locator(".ac-node.ac-selected").get_attribute("data-node") == "3"
    page.locator(".ac-node[data-node='1']").click()
    assert page.locator(".ac-parameters tr[aria-current='true']").inner_text().startswith("w")
    page.locator(".ac-node[data-node='5']").click()
    assert "SigmoidBackward0" in panel(page).inner_text(), "what is no parameter has details"


def test_the_list_is_read_and_ordered_by_keyboard(show):
    page = show(GraphView(logistic(w=(8.0, -4.0)), event=19))
    page.locator(".ac-node.ac-current").focus()
    page.keyboard.press("p")
    assert page.get_by_role("tab", name="Leaves").get_attribute("aria-selected") == "true"
    page.get_by_role("button", name="Listed in order of use. Change the order").press("Enter")
    shown = [real for *_, real in rows(page)]
    assert sorted(shown, key=float) == shown
    page.get_by_role("button", name="w", exact=True).focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert event(page) == 19 and page.locator(".ac-node.ac-selected").count() == 1
    page.get_by_role("tab", name="Leaves").focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.textContent") == "Details"


# ---- maps ----------------------------------------------------------------------------------------


def large() -> np.ndarray:
    weight = np.linspace(-1, 1, 130 * 40).reshape(130, 40)
    weight[3, 7] = 0
    return weight


def test_a_large_tensor_is_asked_for_and_read_cell_by_cell(show):
    view = GraphView(network(large()), event=-1)
    page = show(view)
    page.get_by_role("tab", name="Details").click()
    assert "Its map is drawn while a kernel runs." in panel(page).text_content()
    asked = answer(page, view)
    assert [question["place"] for question in asked] == [["value", 0], ["after", 5]]
    assert page.locator("canvas").count() == 2
    heat = page.locator(".ac-heat").first
    facts = dict(zip(heat.locator("dt").all_inner_texts(), heat.locator("dd").all_inner_texts()))
    assert facts == {
        "norm": number(np.linalg.norm(large())),
        "min": "−1",
        "max": "1",
        "zeros": "below 0.1%",
        "nan": "none",
    }
    assert heat.locator("output").inner_text() == "A cell is the largest of 3×1."
    heat.locator("canvas").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert (
        heat.locator("output").inner_text() == f"[3:6, 1] = {str(large()[3, 1]).replace('-', '−')}"
    )
    assert event(page) == 6, "the arrows read cells and take no step"
    heat.locator("canvas").hover(position={"x": 1, "y": 1})
    assert heat.locator("output").inner_text() == "[0:3, 0] = −1"


def test_a_map_shows_values_by_size_and_gradients_by_sign(show):
    weight = np.random.default_rng(0).normal(size=(20, 10)) * np.logspace(-3, 0, 10)
    weight[2] = 0
    view = GraphView(network(weight), event=-1)
    page = show(view)
    page.get_by_role("tab", name="Details").click()
    answer(page, view)
    page.evaluate("() => new Promise(requestAnimationFrame)")
    values, gradients = colours(page.locator("canvas"), 20, 10)
    share = (weight - weight.min()) / np.ptp(weight)
    np.testing.assert_allclose(depths(values, signed=False), share, rtol=0, atol=0.01)
    assert misread([depths(gradients)], [2 * weight]) == []
    assert misread([abs(depths(gradients))], [2 * weight]) != []
    assert page.locator(".ac-scale span").first.inner_text() == "−10"


def test_planes_of_more_axes_have_a_slider(show):
    view = GraphView(network(np.arange(2 * 3 * 9 * 9.0).reshape(2, 3, 9, 9)), event=0)
    page = show(view)
    page.locator(".ac-node[data-node='0']").click()
    answer(page, view)
    page.get_by_role("slider", name="Plane of net.weight").press("ArrowRight")
    assert answer(page, view)[0]["plane"] == 1
    assert page.locator(".ac-plane code").inner_text() == "[0, 1, :, :]"
    assert page.evaluate("document.activeElement.type") == "range", "the slider keeps the focus"


def test_few_numbers_stand_in_their_cells_and_a_nan_is_traced_to_its_leaf(show):
    page = show(GraphView(network(np.array([[1.0, -0.5], [np.nan, 0.0]])), event=-1))
    page.get_by_role("tab", name="Details").click()
    table = page.locator(".ac-heat-table").first
    assert table.locator("td").all_inner_texts() == ["1", "−0.5", "nan", "0"]
    assert "ac-striped" in table.locator("td").nth(2).get_attribute("class")
    assert page.locator(".ac-facts dd.ac-bad").count() > 0
    page.locator(".ac-line-of-summary").get_by_role("button", name="First nan").click()
    origin = "The first nan appears here. It comes from net.weight, which holds it from the start."
    assert event(page) == 1 and origin in panel(page).inner_text()


# ---- what goes wrong -----------------------------------------------------------------------------


def poisoned() -> Trace:
    T, tape = autograd_core, Tape()
    with tape.recording(), np.errstate(all="ignore"):
        x = T.tensor([0.0, 1.0], requires_grad=True)
        u = T.log(x)
        loss = (u * T.tensor([0.0, 1.0])).sum()
        return trace(loss, names_in({"x": x, "u": u}), tape)


def test_the_first_inf_and_the_first_nan_have_a_button_and_a_key(show):
    page = show(GraphView(poisoned()))
    first = page.get_by_role("button", name="Go to the first inf: event 1, Log computes u")
    assert first.inner_text() == "first inf: event 1"
    page.get_by_role("button", name="Go to the first nan: event 2, Mul computes its result").click()
    assert event(page) == 2 and "The first nan appears here." in panel(page).inner_text()
    page.get_by_role("slider", name="Event").focus()
    for expected in (1, 2, 1):
        page.keyboard.press("n")
        assert event(page) == expected


def test_a_stale_save_is_told_of_the_node_that_saved_it(show):
    tape = Tape()
    with tape.recording():
        h = autograd_core.ones(3, requires_grad=True).sigmoid()
        h += 1
        loss = h.exp().sum()
    page = show(watch(trace(loss, names_in({"loss": loss}), tape)))
    page.locator(".ac-node.ac-stale").click()
    alarm = page.locator("p.ac-alarm")
    assert "its own result, at version 0; h += 1" in alarm.inner_text()
    page.locator(".ac-node", has_text="Exp").click()
    assert alarm.count() == 0 and "its own result" in page.locator(".ac-panel").inner_text()


# ---- both engines --------------------------------------------------------------------------------


def changed(traced: Trace, at: int, by: float) -> Trace:
    events = list(traced.events)
    events[at] = replace(events[at], before=events[at].before + by)
    return replace(traced, engine="PyTorch", events=tuple(events))


def test_where_the_engines_agree_one_column_is_enough(show):
    page = show(GraphView(logistic(), other=logistic("PyTorch"), event=15))
    assert page.locator(".ac-both").count() == 0 and page.locator(".ac-panel td.ac-g").count() > 2
    assert page.locator(".ac-verdict").inner_text() == "✓ no difference"


def test_what_differs_is_marked_and_found(show):
    page = show(watch(logistic(), changed(logistic(), 14, 0.25), strict=False))
    assert "The two engines did not do the same: event 15" in page.get_by_role("note").inner_text()
    page.get_by_role("button", name="Go to the first difference").click()
    assert event(page) == 15
    assert page.locator(".ac-both thead th").all_inner_texts() == ["autograd_core", "PyTorch"]
    assert page.locator(".ac-differs").count() == 1
    assert page.locator(".ac-verdict").inner_text() == "≠ The engines differ, by 0.25 at most."
    page.get_by_role("slider", name="Event").press("ArrowRight")
    assert page.locator(".ac-verdict").inner_text() == "✓ no difference"


def test_a_difference_within_rounding_is_said_and_not_marked(show):
    page = show(GraphView(logistic(), other=changed(logistic(), 14, 1e-15), event=15))
    assert page.locator(".ac-verdict").inner_text().startswith("✓ largest difference 1")
    assert (
        page.locator(".ac-differs").count() == 0 and page.locator(".ac-alarms button").count() == 0
    )
    page.get_by_role("slider", name="Event").press("n")
    assert event(page) == 15, "there is no inf and no nan to go to"


# ---- words ---------------------------------------------------------------------------------------


def test_sentences_follow_the_numbers(show):
    view = GraphView(logistic(), event=15)
    page = show(view)
    assert (
        "p was saved as [0.525, 0.289], so [−0.238, 0.145] goes to AddBackward0."
        in panel(page).inner_text()
    )
    view.show(logistic(w=(2.0, -1.5)))
    page.evaluate("numbers => models[0].set('numbers', numbers)", view.numbers)
    page.get_by_text("p was saved as [0.289, 0.066]").wait_for()
    spoken = page.get_by_role("slider", name="Event").get_attribute("aria-valuetext")
    assert "p was saved as [0.289, 0.066]" in spoken


def test_what_is_added_up_adds_up(show):
    page = show(GraphView(product(), event=9))
    table = page.locator(".ac-panel tbody tr").all_inner_texts()
    read = {
        label: float(text.replace("−", "-")) for label, text in (row.split("\t") for row in table)
    }
    came = [value for label, value in read.items() if label.startswith("from")]
    assert len(came) == 2 and sum(came) == pytest.approx(read["Σ sum at u"], abs=1e-3)


def test_what_is_no_sum_is_not_called_one(show):
    """An engine of the learner's own may pass on the last that came."""
    right = product()
    events = [*right.events]
    events[8] = replace(events[8], before=np.float64(5.0))
    page = show(GraphView(replace(right, events=tuple(events)), event=9))
    rows = [row.split("\t")[0] for row in page.locator(".ac-panel tbody tr").all_inner_texts()]
    assert "passed on at u" in rows and "Σ sum at u" not in rows


def test_names_of_parameters_are_text_everywhere(show):
    typed = '<img src=x onerror="window.hit=1">' + "x" * 10_000
    view = GraphView(network(large(), (typed, typed)), event=-1, notice=typed)
    page = show(view)
    answer(page, view)
    page.get_by_role("tab", name="Parameters").click()
    page.locator(".ac-pick").first.press("Enter")
    page.get_by_role("tab", name="Details").click()
    assert page.evaluate("window.hit") is None and page.locator("img").count() == 0
    assert page.locator(".ac-view").bounding_box()["width"] <= 1280
    assert page.locator(".ac-panel").evaluate("panel => panel.scrollWidth <= panel.clientWidth")


# ---- what is cut, and what was not run here ------------------------------------------------------


def test_a_row_leads_to_the_box_that_its_parameter_is_folded_into(show):
    trace = transformer()
    leaves = tuple(
        Parameter(node.label, (2, 2), i, model="model")
        for i, node in enumerate(trace.nodes)
        if node.kind == "leaf"
    )
    page = show(GraphView(replace(trace, parameters=leaves), event=-1))
    assert page.get_by_role("tab", name="Parameters").get_attribute("aria-selected") == "true", (
        "of a large graph it is open"
    )
    page.locator(".ac-pick").first.click()
    assert page.locator(".ac-node.ac-selected").count() == 1

"""`mining`: who learns on a map with two logits for each pixel."""

import re
import xml.etree.ElementTree as xml

import numpy as np
import pytest
import torch

import autograd_core as ours
from autograd_core.lessons import lesson_07
from autograd_core.lessons.widgets.mining import (
    ARROW,
    CELL_HEIGHT,
    HIGH,
    LEFT,
    SHAFT,
    SIDE,
    TOP,
    hump,
    mining,
)
from tests.lessons.page import change

SVG = "{http://www.w3.org/2000/svg}"

TEXT = np.array([[True, False, False], [False, False, False]])


def run_on(engine, tied=False):
    """A run on 2 × 3 pixels: one is text, and of the five others the `taken` worst learn."""

    def run(taken):
        noise = np.zeros((2, 3, 2)) if tied else np.random.RandomState(0).randn(2, 3, 2)
        logits = engine.tensor(noise, dtype=engine.float64, requires_grad=True)
        text = engine.tensor(TEXT)
        cross_entropy = engine.nn.functional.cross_entropy
        loss = cross_entropy(logits.reshape(6, 2), text.reshape(6).long(), reduction="none")
        loss = loss.reshape(2, 3)
        if taken > 5:
            raise RuntimeError("selected index k out of range")
        total = (loss[text].sum() + loss[~text].topk(taken)[0].sum()) / (1 + taken)
        total.backward()
        return {
            "logits": logits,
            "p": engine.softmax(logits, -1),
            "gradient": logits.grad,
            "text": text,
            "train": engine.ones(2, 3, dtype=engine.bool),
            "loss": total,
        }

    return run


def widget_of(taken=2, **options):
    return mining(run_on(ours, **options), run_on(torch, **options), taken=(taken, 0, 9))


def cells(widget, name):
    """What the panel says of each pixel in one of its columns, for the two outputs."""
    column = widget.drawn["headings"].index(name)
    rows = (row for cell in widget.drawn["cells"] for row in cell["rows"][:2])
    return np.array([float(row[column].replace("−", "-")) for row in rows]).reshape(-1, 2)


def drawn(widget, still=False):
    """The pixels of the picture, each with its label and the elements in it by their tags."""
    found = xml.fromstring(widget.still() if still else widget.drawn["svg"]).iter(f"{SVG}svg")
    pixels = (each for each in found if each.get("height") == str(CELL_HEIGHT))
    return [(each.get("aria-label"), list(each.iter())) for each in pixels]


def arrows(widget, still=False):
    """For each pixel how far its arrows reach, in pixels; above 0 if they point down."""
    paths = [
        [part.get("d") for part in parts if part.tag == f"{SVG}path"]
        for _, parts in drawn(widget, still)
    ]
    return [[float(re.match(r"M0 0V(\S+?)M", path)[1]) for path in each] for each in paths]


@pytest.mark.parametrize("taken", [0, 2, 5])
def test_numbers_are_those_of_numpy(taken):
    widget = widget_of(taken)
    logits = np.random.RandomState(0).randn(6, 2)
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    onehot = np.stack([~TEXT.ravel(), TEXT.ravel()], 1)
    hardest = np.argsort(np.where(TEXT.ravel(), -1, p[:, 1]))[::-1][:taken]
    learns = TEXT.ravel() | np.isin(np.arange(6), hardest)
    pixels, off, sent = widget.pixels, p - onehot, learns[:, None] * (p - onehot)
    assert np.allclose(pixels.p.reshape(6, 2), p) and (pixels.learns.ravel() == learns).all()
    assert np.allclose(pixels.gradient.reshape(6, 2), sent / (1 + taken))
    known = {"logit": logits, "p": p, "onehot": onehot, "p − onehot": off}
    for name, numbers in {**known, "gradient": sent / (1 + taken)}.items():
        assert np.allclose(cells(widget, name), numbers, atol=5.1e-3), name
    assert [len(each) for each in arrows(widget)] == [2 * each for each in learns]
    lengths = np.array([each for each in arrows(widget) if each])
    expected = ARROW * off[learns] + np.copysign(SHAFT, off[learns])
    assert np.allclose(lengths, expected, atol=0.06)
    assert [label for label, _ in drawn(widget)] == [
        cell["where"] for cell in widget.drawn["cells"]
    ]
    assert widget.drawn["summary"] == f"1 of 1 text pixels and {taken} of 5 others get a gradient"
    assert not widget.verdict["differs"]


def test_tied_pixels_may_be_exchanged():
    def others_taken(taken):
        result = run_on(torch, tied=True)(taken)
        rows = result["gradient"].reshape(6, 2)
        # the first pixel is text
        exchanged = torch.cat([rows[:1], rows[1:].flip(0)])
        return {**result, "gradient": exchanged.reshape(2, 3, 2)}

    widget = mining(run_on(ours, tied=True), others_taken, taken=(2, 0, 5))
    assert widget.pixels.learns.sum() == 3 and not widget.verdict["differs"]


def test_another_choice_without_a_tie_is_a_difference():
    def easiest(taken):
        result = run_on(torch)(taken)
        result["gradient"] = result["gradient"].flip(1)
        return result

    assert mining(run_on(ours), easiest, taken=(2, 0, 5)).verdict["differs"]


def test_a_run_that_raises_marks_the_picture_as_old():
    widget = widget_of()
    assert "selected index k out of range" in change(widget, "taken", 7)
    assert widget.drawn["old"] and len(widget.drawn["cells"]) == 6
    assert widget.verdict == {"text": "✓ both engines raise RuntimeError", "differs": False}
    assert change(widget, "taken", 3) == ""
    assert not widget.drawn["old"]


def test_an_error_on_one_side_alone_is_a_difference():
    widget = mining(run_on(ours), lambda taken: run_on(torch)(min(taken, 5)), taken=(2, 0, 9))
    change(widget, "taken", 7)
    told = "The engines differ: RuntimeError is raised here, nothing in PyTorch"
    assert widget.verdict["text"] == told


def test_nan_in_the_maps_is_drawn():
    def run():
        result = run_on(ours)(2)
        return {**result, "gradient": result["gradient"] * float("nan")}

    widget = mining(run, run)
    assert [row[-1] for row in widget.drawn["cells"][0]["rows"]] == ["nan"] * 3
    assert not widget.verdict["differs"]
    for still in (True, False):
        _, parts = drawn(widget, still)[0]
        assert [part.text for part in parts].count("nan") == 2 and not arrows(widget, still)[0]


def test_a_pixel_says_what_becomes_of_it():
    def run():
        result = run_on(ours)(2)
        silent = result["gradient"][..., 0] == 0
        return {**result, "train": result["train"] & (result["text"] | silent)}

    widget = mining(run)
    labels = [label for label, _ in drawn(widget)]
    by_a_step = "a step lowers output 0 and raises output 1 by the same amount."
    assert labels[0] == f"Row 0, column 0, labeled text: {by_a_step}"
    assert {label.split(", ", 2)[2] for label in labels[1:]} == {
        "labeled not text: gets no gradient.",
        "labeled not text, ignored: a step raises output 0 and lowers output 1 by the same amount.",
    }
    assert widget.drawn["key"][-1] == "dotted: ignored"


def run_with_softmax(softmax):
    result = run_on(ours)(5)
    return {**result, "gradient": result["gradient"] * (0.5 if softmax else 1)}


def test_the_plot_shows_the_pixels_labeled_not_text():
    widget = mining(run_with_softmax, softmax=False, plot="softmax")
    for factor, other in ((1, hump), (0.5, np.array)):
        picture = xml.fromstring(widget.drawn["plot"])
        p = np.sort(widget.pixels.p[~TEXT][:, 1])
        across = LEFT + SIDE * p
        for part, heights in (("dot", factor * p), (None, other(p))):
            circles = [x for x in picture.iter(f"{SVG}circle") if x.get("data-part") == part]
            dots = [(float(x.get("cx")), float(x.get("cy"))) for x in circles]
            assert np.allclose(dots, np.stack([across, TOP + HIGH * (1 - heights)], 1))
        strong = [
            path.get("style")
            for path in picture.iter(f"{SVG}path")
            if "stroke-width: 2" in path.get("style", "") or path.get("stroke-width") == "2"
        ]
        assert len(strong) == 1
        widget.set("softmax", True)
    assert mining(run_on(ours), taken=(2, 0, 5)).drawn["plot"] == ""


def test_the_still_is_the_same_picture():
    widget = mining(run_on(ours), title="<b>Who & what</b>", taken=(2, 0, 5))
    shown = [
        [[part.text for part in parts if part.text] for _, parts in drawn(widget, still)]
        for still in (True, False)
    ]
    assert shown[0] == shown[1] and arrows(widget, still=True) == arrows(widget)
    assert sum(map(len, arrows(widget))) == 2 * 3
    title = xml.fromstring(widget.still()).find(f"{SVG}title").text
    assert title.startswith("<b>Who & what</b>: 1 of 1 text pixels") and "<b>" not in widget.still()


@pytest.mark.parametrize(
    "changed, loss", [({}, 2.607), ({"second": "ignored"}, 0.339), ({"softmax": True}, 1.034)]
)
def test_the_settings_of_the_lesson(changed, loss):
    widget = lesson_07.who_learns(more=True)
    for name, value in changed.items():
        widget.set(name, value)
    here = widget.pixels
    assert round(float(here.loss), 3) == loss and not widget.verdict["differs"]
    assert [(here.learns & kind).sum() for kind in (here.text, ~here.text)] == [6, 18]


def test_the_second_word_has_an_outline_and_each_widget_its_own_hatching():
    widgets = lesson_07.who_learns(), lesson_07.who_learns(more=True)
    pages = [widget.drawn["svg"] for widget in widgets]
    assert ["pointer-events" in page for page in pages] == [False, True]
    assert "dashed outline: the forgotten word" in widgets[1].drawn["key"]
    [one], [other] = ({*re.findall(r"url\(#([^)]*)\)", page)} for page in pages)
    assert one != other and f'id="{one}"' in pages[0] and f'id="{other}"' in pages[1]
    assert all(page.count(f"url(#{name})") == 72 for name, page in zip((one, other), pages))


def test_the_key_says_how_the_gradient_is_divided():
    widget = lesson_07.who_learns(more=True)
    assert widget.drawn["formula"] == "(p − onehot) ÷ 24" and "÷ 24" in widget.still()
    widget.set("softmax", True)
    assert widget.drawn["formula"] == "" and "onehot" not in widget.still()


def test_the_first_widget_of_the_lesson():
    widget = lesson_07.who_learns()
    assert widget.drawn["loss"] == "0.348" and widget.drawn["opens"] == 13
    assert widget.drawn["cells"][13]["rows"][0] == ["1.42", "0.097", "0", "0.097", "0.00404"]
    widget.set("negatives", 15)
    assert widget.pixels.learns.all()

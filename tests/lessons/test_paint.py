"""`paint`: a painted mask, what is drawn of it, and the verdicts in words."""

import math
import re
import xml.etree.ElementTree as xml

import numpy as np
import pytest

from autograd_core.lessons.widgets.paint import MAP, Card, card_of, cards, outline, paint
from autograd_core.widgets.kit.format import number
from tests.lessons.page import change

SVG = "{http://www.w3.org/2000/svg}"

X = np.array([[1.0, -2.0, 0.0], [0.5, 4.0, -0.25]])
MASK = np.array([[True, True, False], [False, True, False]])
SETTINGS = {"x": X, "mask": MASK, "divide_by": ["the mask", "all"]}


def result(kept, gradient, loss, w_grad, count=3.0, **more):
    values = {"kept": kept, "x.grad": gradient, "loss": loss, "w.grad": w_grad, **more}
    return {name: np.array(value) for name, value in {**values, "divided by": count}.items()}


def run(x, mask, divide_by):
    """The squares, masked by a product and by choosing; written by hand, for NumPy."""
    x, mask = np.array(x), np.array(mask)
    count = np.float64({"the mask": mask.sum(), "all": mask.size}[divide_by])
    with np.errstate(all="ignore"):
        ways = {
            "product": (mask * x**2, 2 * mask * x / count),
            "choice": (x[mask] ** 2, np.where(mask, 2 * x / count, 0.0)),
        }
        results = {}
        for way, (kept, gradient) in ways.items():
            results[way] = result(kept, gradient, kept.sum() / count, gradient.sum(), count)
    results["choice"]["cells"] = np.flatnonzero(mask)
    return results


def painted(**changed):
    return paint(run, run, **{**SETTINGS, **changed})


def card_in(pictures, way):
    """The picture with this name among those of the cards."""
    found = xml.fromstring(f"<all>{pictures}</all>").findall(f"{SVG}svg")
    return next(each for each in found if each.get("aria-label") == way)


def squares(card, which):
    """The squares of a map."""
    found = next(each for each in card.iter(f"{SVG}g") if each.get("aria-label") == which)
    return list(found.iter(f"{SVG}rect"))


def texts(card, which):
    """What the squares of a map tell, in rows."""
    exact = [square[0].text for square in squares(card, which)]
    return [exact[i : i + 3] for i in range(0, len(exact), 3)]


def parts(card, name):
    return [each.text for each in card.iter() if each.get("data-part") == name]


def fields(picture):
    """The cells of the grid to paint on."""
    return [each for each in xml.fromstring(picture).iter() if each.get("role") == "gridcell"]


def test_every_number_sent_is_the_one_that_numpy_has():
    product, choice = (card_in(painted().drawn["cards"], way) for way in ("product", "choice"))
    loss = "loss of each pixel"
    assert texts(product, loss) == [["1", "4", "0"], ["0", "16", "0"]]
    assert texts(choice, loss) == [["1", "4", "not used"], ["not used", "16", "not used"]]
    for card in (product, choice):
        assert texts(card, "gradient") == [[number(g) for g in row] for row in 2 * MASK * X / 3]
        assert parts(card, "number") == ["7", number(2.0)]
    assert parts(product, "added") + parts(choice, "added") == ["sum of 6 ÷ 3", "sum of 3 ÷ 3"]


def test_a_square_tells_size_and_sign():
    values = np.array([[0.1, -10.0, 0.0, 0.0, math.nan, None]], dtype=object)
    mask = np.array([[True, True, True, False, True, True]])
    card = card_in(cards([Card("a", values, values, [], "", "clean", "")], mask, 10.0), "a")
    shown = squares(card, "gradient")
    depth = np.log(1 + 0.1 * 100) / np.log(1001)
    expected = [np.interp(depth, (0.25, 0.5), (0.2, 0.456)), 1, 0, 0, 0, 0]
    opaque = [float(each.get("fill-opacity")) for each in shown]
    np.testing.assert_allclose(opaque, expected, rtol=0, atol=0.001)
    violet = ["negative-solid" in each.get("style", "") for each in shown]
    assert violet == [False, True, False, False, False, False]
    assert not any(
        "negative" in each.get("style", "") for each in squares(card, "loss of each pixel")
    )
    grounds = {each.get("style"): each.get("d") for each in card.iter(f"{SVG}path")}
    side = MAP // 6
    gray, striped = (
        "".join(f"M{at * side + 0.5} 0.5h{side - 1}v{side - 1}h{1 - side}z" for at in places)
        for places in ((2, 3), (4,))
    )
    assert grounds["fill: var(--ac-masked-tint)"] == gray
    assert [d for looks, d in grounds.items() if "error-stripes" in looks] == [striped]
    dot = f"M{5.5 * side:g} {side / 2:g}h0"
    assert dot in grounds.values()


def test_no_two_pictures_of_a_page_share_a_pattern():
    widgets = painted(poison={(0, 2): "nan"}), painted(poison={(0, 2): "nan"})
    pages = ["".join(map(widget.drawn.get, ("grid", "cards"))) for widget in widgets]
    named = [re.findall(r'id="(ac-\w+-stripes[^"]*)"', page) for page in pages]
    assert list(map(len, named)) == [2, 2] and len({*named[0], *named[1]}) == 4
    for names, page in zip(named, pages):
        assert {*re.findall(r"url\(#([^)]*)\)", page)} == {*names}


def test_cards_share_the_scale_of_their_gradients():
    def doubled(x, mask):
        once = run(x, mask, "all")["product"]
        return {"once": once, "thrice": {**once, "x.grad": 3 * once["x.grad"]}}

    drawn = paint(doubled, x=X, mask=MASK).drawn
    once, thrice = (squares(card_in(drawn["cards"], way), "gradient") for way in ("once", "thrice"))
    depths = [[float(each.get("fill-opacity")) for each in card] for card in (once, thrice)]
    darker = [b > a for a, b in zip(*depths)]
    assert darker == (MASK & (X != 0)).ravel().tolist() and drawn["end"] == "10"


def test_a_stroke_runs_both_engines_again():
    widget = painted()
    everything = [[True, ""] for _ in range(6)]
    assert change(widget, "cells", everything) == ""
    assert widget.mask.all() and widget.drawn["cards"].count("sum of 6 ÷ 6") == 2
    assert not widget.verdict["differs"] and widget.agreement.count == 36


@pytest.mark.parametrize("kind, value", [("nan", math.nan), ("inf", math.inf), ("log 0", -1000.0)])
def test_a_poisoned_cell_reaches_the_run(kind, value):
    seen = []

    def keep(x, mask):
        seen.append(np.array(x))
        return run(x, mask, "all")

    paint(keep, x=X, mask=MASK, poison={(0, 2): kind})
    np.testing.assert_array_equal(seen[0], np.where([[0, 0, 1], [0, 0, 0]], value, X))


GOOD, NAN = np.where(MASK, X, 0.0), np.where(MASK, X, math.nan)
OUTSIDE, NOWHERE = np.ones_like(X), np.zeros_like(MASK)


@pytest.mark.parametrize(
    "numbers, mark, verdict",
    [
        ((GOOD, GOOD, 1.0, 2.0), "clean", "Clean: 3 pixels learn."),
        ((NAN, NAN, math.nan, math.nan), "broken", "Loss and gradient: nan."),
        ((GOOD, NAN, 1.0, math.nan), "hidden", "Loss looks fine. w.grad is nan."),
        ((GOOD, NAN, 1.0, 2.0), "hidden", "Loss looks fine. x.grad is nan."),
        ((GOOD, GOOD, 1.0, math.inf), "hidden", "Loss and map look fine. w.grad is inf."),
        ((GOOD, GOOD, math.inf, 1.0), "broken", "Loss is inf. Gradient is fine."),
        ((GOOD, OUTSIDE, 1.0, 1.0), "broken", "Not a mask: 3 pixels outside it are trained."),
    ],
)
def test_the_verdict_follows_from_the_numbers(numbers, mark, verdict):
    card = card_of("a way", result(*numbers), MASK, ~MASK)
    assert (card.mark, card.verdict) == (mark, verdict)


def test_the_verdict_says_where_the_poison_is_and_what_is_selected():
    inside = card_of("a way", result(GOOD, NAN, 1.0, math.nan), MASK, MASK)
    assert inside.verdict == "Loss looks fine. w.grad is nan. The poison is inside."
    empty = card_of("a way", result(GOOD, 0 * GOOD, math.nan, 0.0), NOWHERE, MASK)
    assert empty.verdict == "Loss is nan. Gradient is 0. Nothing is selected."
    guarded = card_of("a way", result(GOOD, 0 * GOOD, 0.0, 0.0), NOWHERE, MASK)
    assert guarded.verdict == "Nothing is trained, and nothing breaks."
    chosen = result([1.0, 2.0, 3.0], GOOD, 1.0, 1.0, cells=[0, 1, 4])
    assert card_of("a way", chosen, MASK, ~MASK).mark == "clean"


@pytest.mark.parametrize("cells", [[], [[True, ""]] * 5])
def test_cells_that_cannot_be_are_refused(cells):
    widget = painted()
    assert "ValueError" in change(widget, "cells", cells)
    assert (widget.mask == MASK).all()


def test_the_outline_is_the_border_of_the_mask():
    assert outline(np.array([[True, False]])) == "M0 0h1M0 1h1M0 0v1M1 0v1"
    assert outline(np.array([[True, True]])) == "M0 0h1M1 0h1M0 1h1M1 1h1M0 0v1M2 0v1"
    assert outline(NOWHERE) == ""


def test_what_raises_leaves_the_painting():
    widget = paint(lambda x, mask: run(x, mask, "all") if np.any(mask) else 1 / 0, x=X, mask=MASK)
    before = widget.drawn
    assert "ZeroDivisionError" in change(widget, "cells", [[False, "nan"]] * 6)
    assert widget.drawn["cells"] == [[False, "nan"]] * 6
    assert widget.drawn["cards"] == before["cards"]
    labels = [field.get("aria-label") for field in fields(widget.drawn["grid"])]
    assert labels[5] == "Row 1, column 2: x = nan, outside the mask."
    assert all("x = nan" in label for label in labels)


def test_the_still_has_what_the_page_has():
    widget = painted(poison={(1, 0): "nan"})
    still = xml.fromstring(widget.still())
    shown = "".join(text for each in still.iter(f"{SVG}text") for text in [each.text])
    dark = [each.get("fill-opacity") for each in still.iter(f"{SVG}rect")]
    for card in xml.fromstring(f"<all>{widget.drawn['cards']}</all>"):
        assert "".join(text.text for text in card.iter(f"{SVG}text")) in shown
        for which in ("loss of each pixel", "gradient"):
            visible = [each.get("fill-opacity") for each in squares(card, which)]
            visible = [each for each in visible if float(each)]
            there = [dark[i : i + len(visible)] for i in range(len(dark))]
            assert visible and visible in there, which


def test_every_cell_of_the_grid_has_a_label_a_ground_a_text_and_a_ring():
    found = fields(painted(poison={(1, 0): "nan"}).drawn["grid"])
    assert len(found) == 6
    parts = {tuple(part.tag.removeprefix(SVG) for part in each) for each in found}
    assert parts == {("rect", "text", "rect")}
    assert [each.get("aria-selected") == "true" for each in found] == MASK.ravel().tolist()
    assert [each.find(f"{SVG}text").text for each in found][3] == "nan"

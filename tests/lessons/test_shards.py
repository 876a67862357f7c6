"""The shards of lesson 15: what is drawn and said is what NumPy says of what the run returned."""

import re
import xml.etree.ElementTree as xml

import numpy as np
import pytest

import autograd_core as T
from autograd_core.lessons.widgets.shards import shards

SVG = "{http://www.w3.org/2000/svg}"
WAYS = ["same", "half", "nothing", "rounded"]
OWNER, LABEL = [0, 0, 0, 1, 1, 1], [True, False, False, False, False, True]


def run(ways="same"):
    whole = T.tensor([3.0, -4.0], dtype=T.float64)
    factor = dict(zip(WAYS, (1.0, 0.5, 0.0, 1.0 + 1e-12)))[ways]
    return {
        "owner": T.tensor(OWNER),
        "label": T.tensor(LABEL),
        "taken": T.tensor([True, True, False, False, False, True]),
        "whole_taken": T.tensor([True, True, True, False, True, True]),
        "gradient": factor * whole,
        "whole": whole,
    }


def widget(other=run, **settings):
    return shards(run, other, ways=WAYS, **settings)


def test_it_says_who_counts_and_how_far_the_gradient_is():
    drawn = widget()
    assert repr(drawn).startswith("Shards: 3 elements count in the 2 shards, 5 in the whole; ")
    for ways, said in zip(WAYS, ("is the whole's", "50 % off", "100 % off", "is the whole's")):
        drawn.set("ways", ways)
        assert said in repr(drawn)


def test_rows_show_the_elements_of_each_process_and_of_the_whole():
    root = xml.fromstring(widget().drawn["wide"])
    squares = [each for each in root.iter(f"{SVG}rect") if each.get("height") == "16"]
    assert len(squares) == 12  # three, three, and all six
    heights = dict.fromkeys(each.get("y") for each in squares)
    rows = {y: [each for each in squares if each.get("y") == y] for y in heights}
    for row, expected in zip(rows.values(), ([1, 1, 0], [0, 0, 1], [1, 1, 1, 0, 1, 1])):
        assert ["fill: var(--ac-value)" in each.get("style") for each in row] == list(
            map(bool, expected)
        )
    whole = list(rows.values())[-1]
    assert [each.get("style").endswith("stroke: var(--ac-text)") for each in whole] == LABEL
    words = [each.text or "" for each in root.iter(f"{SVG}text")]
    assert [each for each in words if each.isdigit()][:3] == ["2", "1", "5"]


def test_bars_are_as_long_as_the_gradients():
    drawn = widget()
    drawn.set("ways", "half")
    root = xml.fromstring(drawn.drawn["wide"])
    bars = [each for each in root.iter(f"{SVG}rect") if each.get("width") == "26"]
    bars = [float(each.get("height")) for each in bars]
    assert np.array(bars) / max(bars) == pytest.approx([1.5 / 4, 3 / 4, 2 / 4, 1], abs=0.01)
    assert {"1.5", "3", "−2", "−4"} <= {each.text for each in root.iter(f"{SVG}text")}


def test_it_is_drawn_whether_the_gradient_is_the_same():
    drawn = widget()
    for ways, word in (("same", "✓ the same"), ("half", "50 % off")):
        drawn.set("ways", ways)
        assert f">{word}</text>" in drawn.drawn["narrow"]


def test_a_gradient_of_zero_is_drawn():
    nothing = {**run(), "gradient": T.zeros(2), "whole": T.zeros(2)}
    drawn = shards(lambda: nothing)
    assert "the gradient is the whole's" in repr(drawn)
    xml.fromstring(drawn.still())


@pytest.mark.parametrize("form", ["wide", "narrow", "still"])
def test_everything_is_within_the_picture(form):
    drawn = widget()
    picture = drawn.still() if form == "still" else drawn.drawn[form]
    root = xml.fromstring(picture)
    places = [float(x) for x in re.findall(r' x="([\d.-]+)"', picture)]
    assert min(places) >= 0 and max(places) <= float(root.get("width"))

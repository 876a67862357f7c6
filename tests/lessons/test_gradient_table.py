"""`gradient_table`: the norms and cosines that it sends are what NumPy says."""

import xml.etree.ElementTree as xml

import numpy as np
import pytest

from autograd_core.lessons.widgets.gradient_table import gradient_table
from tests.lessons.page import change

SVG = "{http://www.w3.org/2000/svg}"

NAMES, KERNELS = ["a", "b"], ["first", "second", "third"]
SENT = {
    "a": (np.array([[3.0, 4.0], [0, 0], [1, 2]]), np.array([1.0, 2.0, 2.0])),
    "b": (np.array([[0.0, 0.0], [6, 8], [2, 1]]), np.array([0.0, -3.0, 4.0])),
}


def run(places, weights, doubled=False):
    """Two losses, three kernels, a trunk of three numbers; all linear in the weights."""
    scale = {
        name: (0 if places[name] == "off" else weights[name]) * (2 if doubled else 1)
        for name in NAMES
    }
    gradients = {
        name: (kernels * scale[name], trunk * scale[name] * (places[name] != "detached"))
        for name, (kernels, trunk) in SENT.items()
    }
    return {
        "losses": {"a": 0.5, "b": 2.0},
        "gradients": gradients,
        "all at once": tuple(sum(each) for each in zip(*gradients.values())),
    }


def table(run=run, other=None, **settings):
    return gradient_table(run, other, losses=NAMES, kernels=KERNELS, **settings)


def shown(widget, picture):
    """{name of a row: its texts} of a picture."""
    rows = [
        [text.text for text in row.iter(f"{SVG}text")]
        for row in xml.fromstring(widget.drawn[picture]).iter(f"{SVG}g")
        if row.get("role") == "row"
    ]
    return {row[0]: row[1:] for row in rows}


def test_norms_are_those_of_the_rows():
    widget = table()
    np.testing.assert_allclose(widget.table, [[5, 0, 5], [0, 10, 10], [5**0.5, 5**0.5, 18**0.5]])
    np.testing.assert_allclose(widget.trunk, [3, 5, np.linalg.norm([1, -1, 6])])
    assert shown(widget, "table") == {
        "loss": ["0.5", "2", "all"],
        "in sum": ["0.5", "2", "2.5"],
        "first": ["5", "0", "5"],
        "second": ["0", "10", "10"],
        "third": ["2.236", "2.236", "4.243"],
        "trunk": ["3", "5", "6.164"],
        "cosine": ["0.59", "0.88"],
    }
    assert "added up: no difference." in widget.drawn["difference"]


def test_cosines_are_between_a_loss_and_all_at_the_trunk():
    widget, both = table(), np.array([1.0, -1, 6])
    before = widget.cosines
    np.testing.assert_allclose(
        before, [11 / 3 / np.linalg.norm(both), 27 / 5 / np.linalg.norm(both)]
    )
    assert change(widget, "weight of b", 3.0) == ""
    assert widget.cosines[0] < before[0]


def test_the_scalar_is_the_sum_of_values_times_weights_of_what_is_not_off():
    widget = table()
    change(widget, "weight of a", 4.0)
    assert shown(widget, "table")["in sum"] == ["2", "2", "4"]
    change(widget, "a", "off")
    rows = shown(widget, "table")
    assert rows["loss"][:2] == ["0.5", "2"] and rows["in sum"] == ["off", "2", "2"]
    assert rows["cosine"][0] == "none", "a zero vector has no direction"


def test_detached_keeps_the_column_and_cuts_the_trunk():
    widget = table()
    change(widget, "b", "detached")
    assert [row[1] for row in widget.table] == pytest.approx([0, 10, 5**0.5])
    rows = shown(widget, "table")
    assert rows["trunk"][:2] == ["3", "cut"] and rows["second"][1] == "10", (
        "its own kernels still learn"
    )
    change(widget, "b", "off")
    rows = shown(widget, "table")
    assert [rows[name][1] for name in ("in sum", *KERNELS, "trunk")] == ["off"] * 5


def test_a_sum_that_is_not_the_sum_of_its_parts_is_seen():
    def wrong(**arguments):
        result = run(**arguments)
        result["all at once"][1][2] += 0.5
        return result

    assert table(wrong).drawn["difference"].endswith("added up: at most 0.5 apart.")


def test_what_is_not_finite_goes_as_words():
    def broken(**arguments):
        result = run(**arguments)
        result["gradients"]["a"] = (np.full((3, 2), np.nan), np.array([np.inf, 0, 0]))
        return result

    widget = table(broken)
    assert (
        shown(widget, "table")["first"][0] == "nan" and shown(widget, "table")["trunk"][0] == "inf"
    )
    xml.fromstring(widget.still())


def test_the_still_has_all_that_the_page_has():
    def texts(picture):
        return [each.text for each in xml.fromstring(picture).iter(f"{SVG}text") if each.text]

    drawn, still = table().drawn, texts(table().still())
    assert still[:2] == NAMES and still[2:] == texts(drawn["table"])


def test_other_names_than_kernels_are_refused():
    with pytest.raises(ValueError, match="argument 2"):
        gradient_table(run, losses=NAMES, kernels=KERNELS[:2])

"""`gradient_table`: the norms, cosines and maps that it sends are what NumPy says."""

import json
import xml.etree.ElementTree as xml

import numpy as np
import pytest

from autograd_core.lessons.widgets.gradient_table import gradient_table

NAMES, KERNELS = ["a", "b"], ["first", "second", "third"]
GENERATOR = np.random.default_rng(0)
SENT = {"a": (np.array([[3.0, 4.0], [0, 0], [1, 2]]), np.array([1.0, 2.0, 2.0])),
        "b": (np.array([[0.0, 0.0], [6, 8], [2, 1]]), np.array([0.0, -3.0, 4.0]))}
MAPS = GENERATOR.normal(size=(3, 4, 5))


def run(places, weights, doubled=False):
    """Two losses, three kernels, a trunk of three numbers; all linear in the weights."""
    scale = {name: (0 if places[name] == "off" else weights[name]) * (2 if doubled else 1) for name in NAMES}
    gradients = {name: (kernels * scale[name], trunk * scale[name] * (places[name] != "detached"))
                 for name, (kernels, trunk) in SENT.items()}
    return {"losses": {"a": 0.5, "b": 2.0}, "maps": MAPS, "gradients": gradients,
            "all at once": tuple(sum(each) for each in zip(*gradients.values())),
            "gradient of the maps": np.where(MAPS > 0, MAPS * sum(scale.values()), 0.0)}


def table(run=run, other=None, **settings):
    return gradient_table(run, other, losses=NAMES, kernels=KERNELS, **settings)


def change(widget, name, value):
    """As the browser does; returns the error that was sent back."""
    sent = []
    widget.send = sent.append
    widget._received(widget, {"kind": "change", "name": name, "value": value}, [])
    return sent[0]["error"]


def test_norms_are_those_of_the_rows():
    drawn = table().drawn
    np.testing.assert_allclose(drawn["table"], [[5, 0, 5], [0, 10, 10], [5 ** 0.5, 5 ** 0.5, 18 ** 0.5]])
    np.testing.assert_allclose(drawn["trunk"], [3, 5, np.linalg.norm([1, -1, 6])])
    assert drawn["apart"] == 0


def test_cosines_are_of_the_trunk_and_weights_do_not_move_those_of_pairs():
    widget, both = table(), np.array([1.0, -1, 6])
    (a, b, cosine), = widget.drawn["pairs"]
    assert (a, b, cosine) == ("a", "b", pytest.approx(2 / 15))
    np.testing.assert_allclose(widget.drawn["sum"], [11 / 3 / np.linalg.norm(both), 27 / 5 / np.linalg.norm(both)])
    before = widget.drawn["sum"]
    assert change(widget, "weight of b", 3.0) == ""
    assert widget.drawn["pairs"][0][2] == pytest.approx(2 / 15) and widget.drawn["sum"][0] < before[0]


def test_the_scalar_is_the_sum_of_values_times_weights_of_what_is_not_off():
    widget = table()
    change(widget, "weight of a", 4.0)
    assert (widget.drawn["values"], widget.drawn["parts"]) == ([0.5, 2.0], [2.0, 2.0])
    change(widget, "a", "off")
    assert widget.drawn["parts"] == [0.0, 2.0] and widget.drawn["sum"][0] is None, "a zero vector has no direction"


def test_detached_keeps_the_column_and_cuts_the_trunk():
    widget = table()
    change(widget, "b", "detached")
    assert [row[1] for row in widget.drawn["table"]] == pytest.approx([0, 10, 5 ** 0.5])
    assert widget.drawn["trunk"][1] == 0 and widget.drawn["pairs"][0][2] is None


def test_maps_are_shades_between_their_ends():
    drawn = table().drawn
    for sent, cells in zip(drawn["maps"], MAPS):
        assert (sent["columns"], sent["low"], sent["high"]) == (5, cells.min(), cells.max())
        shades = np.array(sent["shades"]) / 255 * np.ptp(cells) + cells.min()
        np.testing.assert_allclose(shades, cells.ravel(), atol=np.ptp(cells) / 500)
    assert [sent["zeros"] for sent in drawn["gradients"]] == [(cells <= 0).sum() for cells in MAPS]
    assert [sent["high"] for sent in drawn["gradients"]] == [2 * cells.max() for cells in MAPS]


def test_other_settings_reach_the_run():
    widget = table(doubled=False)
    assert change(widget, "doubled", True) == ""
    assert widget.drawn["table"][0][0] == 10


def test_planted_difference_is_told():
    def wrong(**arguments):
        result = run(**arguments)
        result["gradients"]["b"][0][1, 0] += 1e-6
        return result

    assert not table(run, run).verdict["differs"]
    verdict = table(run, wrong).verdict
    assert verdict["differs"] and verdict["text"].startswith("The engines differ: gradients, b[0] at 1, 0 is")


def test_a_sum_that_is_not_the_sum_of_its_parts_is_seen():
    def wrong(**arguments):
        result = run(**arguments)
        result["all at once"][1][2] += 0.5
        return result

    assert table(wrong).drawn["apart"] == 0.5


def test_what_is_not_finite_goes_as_words():
    def broken(**arguments):
        result = run(**arguments)
        result["gradients"]["a"] = (np.full((3, 2), np.nan), np.array([np.inf, 0, 0]))
        result["maps"] = np.where(MAPS > 1, np.nan, MAPS)
        return result

    widget = table(broken)
    json.dumps(widget.drawn, allow_nan=False)
    assert widget.drawn["table"][0][0] == "nan" and widget.drawn["trunk"][0] == "inf"
    assert [-1 in sent["shades"] for sent in widget.drawn["maps"]] == [bool((cells > 1).any()) for cells in MAPS]
    xml.fromstring(widget.still())


@pytest.mark.parametrize("result, error, message", [
    ([1, 2], TypeError, "returns a dict with 'losses', 'maps', 'gradients'"),
    ({"losses": {}}, TypeError, "returns a dict with 'losses', 'maps', 'gradients'"),
    ({**run(dict.fromkeys(NAMES, "on"), dict.fromkeys(NAMES, 1.0)), "maps": MAPS[:2]}, ValueError,
     "there are 3 names of kernels, and 2 maps")])
def test_a_result_of_another_kind_is_refused(result, error, message):
    with pytest.raises(error, match=message):
        table(lambda places, weights: result)


@pytest.mark.parametrize("losses, settings", [(["a", "a"], {}), (["a", "b"], {"a": True})])
def test_a_name_that_is_taken_is_refused(losses, settings):
    with pytest.raises(ValueError, match="needs a name of its own"):
        gradient_table(run, losses=losses, kernels=KERNELS, **settings)


def test_the_still_says_the_numbers_and_names_are_text():
    nasty = "<img src=x onerror=alert(1)>"
    widget = gradient_table(run, losses=NAMES, kernels=[nasty, *KERNELS[1:]])
    root = xml.fromstring(widget.still())
    assert "img" not in {element.tag.rpartition("}")[2] for element in root.iter()}
    assert "third: 2.236, 2.236, 4.243" in root[0].text
    assert repr(widget) == "Many heads, one number: of 3 kernels a reaches 2, b reaches 2; total 2.5"

"""`gradient_table`: the norms, cosines and maps that it sends are what NumPy says."""

import base64
import re
import struct
import xml.etree.ElementTree as xml
import zlib

import numpy as np
import pytest

from autograd_core.lessons.widgets.gradient_table import gradient_table
from autograd_core.widgets.kit.format import number

SVG = "{http://www.w3.org/2000/svg}"

NAMES, KERNELS = ["a", "b"], ["first", "second", "third"]
GENERATOR = np.random.default_rng(0)
SENT = {
    "a": (np.array([[3.0, 4.0], [0, 0], [1, 2]]), np.array([1.0, 2.0, 2.0])),
    "b": (np.array([[0.0, 0.0], [6, 8], [2, 1]]), np.array([0.0, -3.0, 4.0])),
}
MAPS = GENERATOR.normal(size=(3, 4, 5))


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
        "maps": MAPS,
        "gradients": gradients,
        "all at once": tuple(sum(each) for each in zip(*gradients.values())),
        "gradient of the maps": np.where(MAPS > 0, MAPS * sum(scale.values()), 0.0),
    }


def table(run=run, other=None, **settings):
    return gradient_table(run, other, losses=NAMES, kernels=KERNELS, **settings)


def change(widget, name, value):
    """As the browser does; returns the error that was sent back."""
    sent = []
    widget.send = sent.append
    widget._received(widget, {"kind": "change", "name": name, "value": value}, [])
    return sent[0]["error"]


def shown(widget, picture):
    """{name of a row: its texts} of a picture."""
    rows = [
        [text.text for text in row.iter(f"{SVG}text")]
        for row in xml.fromstring(widget.drawn[picture]).iter(f"{SVG}g")
        if row.get("role") == "row"
    ]
    return {row[0]: row[1:] for row in rows}


def maps_of(widget):
    """The maps of a picture, decoded, 0 to 255: the outputs and below them the gradients."""
    found = []
    for data in re.findall(r"data:image/png;base64,([\w+/=]+)", widget.drawn["maps"]):
        png = base64.b64decode(data)
        (height, width), size = MAPS.shape[1:], struct.unpack(">I", png[33:37])[0]
        found.append(
            np.frombuffer(zlib.decompress(png[41 : 41 + size]), np.uint8).reshape(
                height, width + 1
            )[:, 1:]
        )
    return found


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


def test_the_largest_norm_is_on_the_strongest_ground():
    grounds = [
        (float(each.get("fill-opacity")), each.get("style"))
        for each in xml.fromstring(table().drawn["table"]).iter(f"{SVG}rect")
        if "gradient-solid" in each.get("style") and float(each.get("fill-opacity"))
    ]
    assert max(grounds)[0] == 1 and min(grounds)[0] == pytest.approx((5**0.5 / 10) ** 0.5, abs=1e-3)


def test_the_scalar_is_the_sum_of_values_times_weights_of_what_is_not_off():
    widget = table()
    change(widget, "weight of a", 4.0)
    assert shown(widget, "table")["in sum"] == ["2", "2", "4"]
    change(widget, "a", "off")
    rows = shown(widget, "table")
    assert rows["loss"][:2] == ["0.5", "2"] and rows["in sum"] == ["off", "2", "2"]
    assert rows["cosine"][0] == "none", "a zero vector has no direction"


def test_a_setting_is_called_in_words():
    widget = table(doubled=False, words={"doubled": "twice as much"})
    assert [each["label"] for each in widget.controls if each["name"] == "doubled"] == [
        "twice as much"
    ]
    assert change(widget, "doubled", True) == "" and widget.controls[-1]["label"] == "twice as much"


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


def test_maps_are_shades_between_their_ends():
    widget = table()
    *outputs, first, second, third = maps_of(widget)
    for seen, cells in zip(outputs, MAPS):
        np.testing.assert_allclose(
            seen / 255 * np.ptp(cells) + cells.min(), cells, atol=np.ptp(cells) / 500
        )
    for seen, cells in zip((first, second, third), MAPS):
        np.testing.assert_allclose(
            seen / 255 * cells.max(), np.where(cells > 0, cells, 0), atol=cells.max() / 500
        )
    zeros = [
        int(each) for each in re.findall(r"exactly 0 at (\d+) of 20 pixels", widget.drawn["maps"])
    ]
    assert zeros == [(cells <= 0).sum() for cells in MAPS]
    ends = [text.text for text in xml.fromstring(widget.drawn["maps"]).iter(f"{SVG}text")][-2:]
    assert ends == ["0", number(float(f"{2 * MAPS[2].max():.2g}"))]


def test_other_settings_reach_the_run():
    widget = table(doubled=False)
    assert change(widget, "doubled", True) == ""
    assert shown(widget, "table")["first"][0] == "10"


def test_planted_difference_is_told():
    def wrong(**arguments):
        result = run(**arguments)
        result["gradients"]["b"][0][1, 0] += 1e-6
        return result

    assert not table(run, run).verdict["differs"]
    verdict = table(run, wrong).verdict
    assert verdict["differs"] and verdict["text"].startswith(
        "The engines differ: gradients, b[0] at 1, 0 is"
    )


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
        result["maps"] = np.where(MAPS > 1, np.nan, MAPS)
        return result

    widget = table(broken)
    assert (
        shown(widget, "table")["first"][0] == "nan" and shown(widget, "table")["trunk"][0] == "inf"
    )
    assert widget.drawn["maps"].count('href="data') == 6 + sum(
        (cells > 1).any() for cells in MAPS
    ), "a striped one"
    xml.fromstring(widget.still())


def test_the_still_has_all_that_the_page_has():
    def texts(*pictures):
        found = [
            each for picture in pictures for each in xml.fromstring(picture).iter(f"{SVG}text")
        ]
        return [each.text for each in found if each.text not in (None, "all zero")]

    drawn, still = table().drawn, texts(table().still())
    assert still[:2] == NAMES and still[2:] == texts(drawn["table"], drawn["maps"])


@pytest.mark.parametrize(
    "result, error, message",
    [
        ([1, 2], TypeError, "returns a dict with 'losses', 'maps', 'gradients'"),
        ({"losses": {}}, TypeError, "returns a dict with 'losses', 'maps', 'gradients'"),
        (
            {**run(dict.fromkeys(NAMES, "on"), dict.fromkeys(NAMES, 1.0)), "maps": MAPS[:2]},
            ValueError,
            "shorter",
        ),
    ],
)
def test_a_result_of_another_kind_is_refused(result, error, message):
    with pytest.raises(error, match=message):
        table(lambda places, weights: result)


def test_a_name_that_is_taken_is_refused():
    with pytest.raises(TypeError, match="multiple values"):
        gradient_table(run, losses=["a", "b"], kernels=KERNELS, a=True)


def test_the_still_says_the_numbers_and_names_are_text():
    nasty = "<img src=x onerror=alert(1)>"
    widget = gradient_table(run, losses=NAMES, kernels=[nasty, *KERNELS[1:]])
    root = xml.fromstring(widget.still())
    assert "img" not in {element.tag.rpartition("}")[2] for element in root.iter()}
    assert "third: 2.236, 2.236, 4.243" in root[0].text
    assert (
        repr(widget) == "Many heads, one number: of 3 kernels a reaches 2, b reaches 2; total 2.5"
    )

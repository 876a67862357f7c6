"""`loss_tree`: what it draws is what the run returned, and lesson 08's numbers are the model's."""

import xml.etree.ElementTree as xml

import numpy as np
import pytest

from autograd_core.lessons import lesson_08
from autograd_core.lessons.widgets.loss_tree import loss_tree

SVG = "{http://www.w3.org/2000/svg}"

HEADS = {"a": ["first", "second"], "b": ["third"]}
MAPS = {
    "a": np.array([[[0.5, -0.25]], [[-0.5, 0.25]], [[0.0, 0.0]]]),
    "b": np.array([[[0.0, 0.0]], [[0.0, 0.0]], [[0.0, 0.125]]]),
}
KERNELS = {
    "a": np.array([[3.0, 4.0], [-3, -4], [0, 0]]),
    "b": np.array([[0.0, 0.0], [0, 0], [6, 8]]),
}
TRUNK = {"a": np.array([1.0, 2.0, 2.0]), "b": np.array([0.0, -3.0, 4.0])}


def run(places, doubled=False):
    """Two losses, three kernels, a trunk of three numbers."""
    sent = {}
    for name, place in places.items():
        by = (place != "off") * (2 if doubled else 1)
        at_trunk = TRUNK[name] * by * (place != "detached")
        sent[name] = MAPS[name] * by, KERNELS[name] * by, at_trunk
    everything = tuple(sum(each) for each in zip(*sent.values()))
    return {"losses": {"a": 0.5, "b": 2.0}, "gradients": sent, "all at once": everything}


def tree(run=run, other=None, **settings):
    return loss_tree(run, other, heads=HEADS, **settings)


def columns(widget):
    """{name of a column: its texts} of the table."""
    head, *rows = [
        [text.text for text in row.iter(f"{SVG}text")]
        for row in xml.fromstring(widget.drawn["table"]).iter(f"{SVG}g")
        if row.get("role") == "row"
    ]
    assert [row[0] for row in rows] == ["first", "second", "third", "trunk"]
    return {name: [row[1 + j] for row in rows] for j, name in enumerate(head)}


def texts(picture):
    return [each.text for each in xml.fromstring(picture).iter(f"{SVG}text") if each.text]


def test_a_column_holds_the_norms_of_what_a_loss_sends():
    widget = tree()
    assert columns(widget) == {
        "a": ["5", "5", "·", "3"],
        "b": ["·", "·", "10", "5"],
        "all": ["5", "5", "10", f"{np.linalg.norm([1, -1, 6]):.3f}"],
    }
    assert texts(widget.drawn["tree"]).count("1") == 3, "one above the plus, one for each loss"
    assert "total 2.5" in texts(widget.drawn["tree"])
    assert widget.drawn["difference"].endswith("added up: no difference.")


def test_off_and_detached_are_seen_and_told():
    widget = tree()
    widget.set("b", "detached")
    assert columns(widget)["b"] == ["·", "·", "10", "cut"]
    assert widget.drawn["told"] == "b detached: all 3 kernels are unchanged; trunk 3"
    widget.set("b", "off")
    assert columns(widget)["b"] == ["off"] * 4
    tree_texts = texts(widget.drawn["tree"])
    assert tree_texts.count("1") == 2 and "total 0.5" in tree_texts
    assert "no gradient" in texts(widget.drawn["wide"])
    assert widget.drawn["told"] == (
        "b off: no gradient arrives at third; the other 2 kernels are unchanged; trunk 3"
    )


def cuts(widget):
    """How many edges to the trunk are cut."""
    lines = xml.fromstring(widget.drawn["wide"]).iter(f"{SVG}line")
    return sum("--ac-error" in line.get("style") for line in lines) // 2


def planted(change):
    def wrong(**arguments):
        result = run(**arguments)
        change(result)
        return result

    return wrong


def test_a_cut_that_the_run_drops_is_not_drawn():
    def drop(result):
        result["gradients"]["b"] = *result["gradients"]["b"][:2], TRUNK["b"]

    right, wrong = tree(), tree(planted(drop))
    for widget in (right, wrong):
        widget.set("b", "detached")
    assert cuts(right) == 1 and cuts(wrong) == 0
    assert (
        columns(wrong)["b"][-1] == "5" and "added up: at most 4 apart" in wrong.drawn["difference"]
    )


def test_a_branch_that_is_missing_in_the_total_is_told():
    def miss(result):
        result["all at once"] = result["gradients"]["a"]

    assert tree(planted(miss)).drawn["difference"].endswith("added up: at most 8 apart.")


def images(widget, kernels=3):
    hrefs = [each.get("href") for each in xml.fromstring(widget.drawn["wide"]).iter(f"{SVG}image")]
    return hrefs[:kernels]


def test_a_wrong_sign_is_another_picture_and_a_difference():
    def flip(result):
        result["all at once"] = -result["all at once"][0], *result["all at once"][1:]

    wrong = tree(run, planted(flip))
    assert wrong.verdict["differs"] and "all at once" in wrong.verdict["text"]
    first, second, _ = images(tree())
    flipped, *_ = images(tree(planted(flip)))
    assert first != second and flipped == second, "a map and its negative have opposite colours"


@pytest.mark.parametrize(
    "changes, losses, total, everywhere, trunks",
    [
        ({}, "0.548 0.677 0.067 0.282 0.473", 2.05, ".095 .095 .096 .096 .169 .396 .176 .561",
         ".220 .323 .204 .788 .386"),
        ({"cos": "off"}, "", 1.76, ".095 .095 .096 .096 .169 0 .176 .696", ".220 .323 .204 0 .386"),
        ({"radius": "off"}, "", 1.57, ".095 .095 .096 .096 .169 .396 0 .749", ""),
        ({"line": "detached"}, "", 2.05, ".095 .095 .096 .096 .169 .396 .176 .514", ""),
        ({"scaled": True}, "0.548 0.677 0.034 0.007 0.473", 1.74,
         ".095 .095 .096 .096 .455 .338 .176 .712", ".220 .323 .606 .200 .386"),
    ],
)  # fmt: skip
def test_lesson_08_has_the_numbers_of_its_text(changes, losses, total, everywhere, trunks):
    widget = lesson_08.loss_tree()
    for change in changes.items():
        widget.set(*change)
    near = {"abs": 6e-4}
    assert widget.verdict["text"].startswith("✓ both engines agree")
    assert widget.total == pytest.approx(total, abs=6e-3)
    *kernels, trunk = map(float, everywhere.split())
    assert widget.table[-1] == pytest.approx(kernels, **near)
    assert widget.trunk[-1] == pytest.approx(trunk, **near)
    for found, said in ((widget.values, losses), (widget.trunk[:-1], trunks)):
        assert not said or found == pytest.approx([*map(float, said.split())], **near)


def test_scaled_losses_send_to_both_maps():
    widget = lesson_08.loss_tree()
    assert np.count_nonzero(widget.table[:-1]) == 7
    widget.set("scaled", True)
    assert np.count_nonzero(widget.table[:-1]) == 9 and "÷ length" in texts(widget.drawn["wide"])
    np.testing.assert_allclose(widget.table[2:4, 4:6], [[0.343, 0.252], [0.112, 0.086]], atol=6e-4)
    widget.set("sin", "off")
    assert widget.table[-1, 4] == widget.table[3, 4] > 0, "the kernel sin learns from cos"
    told = "sin off: the gradient changes at sin and cos; the other 5 kernels are unchanged; trunk "
    assert widget.drawn["told"].startswith(told)


def test_the_still_and_the_text_say_the_numbers():
    widget = tree()
    still = texts(widget.still())
    assert {each for part in ("tree", "wide", "table") for each in texts(widget.drawn[part])} <= {
        *still
    }
    assert "a 5, 5, 0, trunk 3; b 0, 0, 10, trunk 5; all 5, 5, 10, trunk 6.164" in repr(widget)


def test_what_is_not_finite_is_shown():
    def break_(result):
        maps, kernels, trunk = result["gradients"]["a"]
        result["gradients"]["a"] = maps, np.full_like(kernels, np.nan), trunk

    widget = tree(planted(break_))
    assert columns(widget)["a"][0] == "nan"
    xml.fromstring(widget.still())


def test_other_names_than_kernels_are_refused():
    with pytest.raises(ValueError, match="heads has 1 kernels, run 3"):
        loss_tree(run, heads={"a": ["first"], "b": []})

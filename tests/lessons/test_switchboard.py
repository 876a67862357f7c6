"""The switchboard of lesson 11: what it draws is what the run returned."""

import re
import xml.etree.ElementTree as xml

import numpy as np
import pytest

from autograd_core.lessons.widgets.switchboard import switchboard

G = np.array([3.0, 4.0])
CASES = {
    "trained": {"net1": G, "net2": G, "moved": [0.5, 0.25], "at h": {"loss1": G, "loss2": G}},
    "frozen": {"net1": G, "net2": None, "moved": [0.5, 0.0], "at h": {"loss1": G, "loss2": G}},
    "detached": {"net1": G, "net2": G, "moved": [0.5, 0.25], "at h": {"loss1": G, "loss2": None}},
    "no graph": {"net1": G, "net2": None, "moved": [0.5, 0.0], "at h": {"loss1": G, "loss2": None}},
}


def run(net2_is, backward):
    return CASES[net2_is]


def board(other=run):
    return switchboard(run, other, net2_is=list(CASES), backward=["loss1 + loss2", "loss1"])


def picture(widget):
    return xml.fromstring(widget.drawn["wide"])


def texts(widget):
    return [element.text for element in picture(widget).iter("{http://www.w3.org/2000/svg}text")]


def lit(widget):
    """The x of the middle of each horizontal edge that carries a gradient."""
    lines = picture(widget).iter("{http://www.w3.org/2000/svg}line")
    return [
        round((float(line.get("x1")) + float(line.get("x2"))) / 2)
        for line in lines
        if "gradient-solid" in line.get("style") and line.get("y1") == line.get("y2")
    ]


@pytest.mark.parametrize(
    "case, edges, cut_at",
    [
        ("trained", 3, None),
        ("frozen", 3, None),
        ("detached", 2, "before net2"),
        ("no graph", 1, "behind net2"),
    ],
)
def test_edges_that_carry_a_gradient_are_lit_and_cuts_are_named(case, edges, cut_at):
    widget = board()
    widget.set("net2_is", case)
    assert len(lit(widget)) == edges
    cuts = [
        float(element.get("x"))
        for element in picture(widget).iter("{http://www.w3.org/2000/svg}text")
        if element.text == "cut"
    ]
    assert len(cuts) == (cut_at is not None)
    if cuts:
        assert (cuts[0] < 510) == (cut_at == "before net2")


def test_numbers_are_those_of_the_run():
    widget = board()
    assert texts(widget).count("grad 5") == 2 and {"moved 0.5", "moved 0.25"} <= {*texts(widget)}
    widget.set("net2_is", "frozen")
    assert {"grad None", "has not moved"} <= {*texts(widget)}
    assert "net2 grad None, has not moved" in repr(widget)


def test_running_statistics_are_told_where_there_are_any():
    board_with = switchboard(
        lambda net2_is, **_: {**CASES["frozen"], "statistics": 0.0 if net2_is == "eval()" else 0.5},
        net2_is=["frozen", "eval()"],
        backward=["loss1 + loss2", "loss1"],
    )
    assert {"statistics", "moved 0.5"} <= set(texts(board_with))
    board_with.set("net2_is", "eval()")
    assert "kept" in texts(board_with) and not any("statistics" in text for text in texts(board()))


def test_a_loss_that_takes_no_part_is_dashed_and_sends_nothing():
    widget = board()
    widget.set("backward", "loss1")
    assert len(lit(widget)) == 1 and "cut" not in texts(widget)


def test_both_forms_and_the_still_fit_their_width():
    widget = board()
    for form in (widget.drawn["wide"], widget.drawn["narrow"], widget.still()):
        root = xml.fromstring(form)
        xs = [float(x) for x in re.findall(r' x="([\d.]+)"', form)]
        assert min(xs) >= 0 and max(xs) <= float(root.get("width"))

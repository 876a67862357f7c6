"""Lesson 01's two networks: what is drawn is what both engines recorded."""

import copy
import xml.etree.ElementTree as xml

import pytest
import torch

import autograd_core
from autograd_core.lessons import lesson_01
from autograd_core.lessons.widgets.reachable import PARAMETERS, reach, reachable

SVG = "{http://www.w3.org/2000/svg}"
NET = [f"net.{each}" for each in PARAMETERS]
NET2 = [f"net2.{each}" for each in PARAMETERS]
RECORDED = {engine: lesson_01.recorded(engine)() for engine in (autograd_core, torch)}


def run():
    return RECORDED[autograd_core]


def run_on_torch():
    return RECORDED[torch]


@pytest.mark.parametrize(
    "version, loss, reached, net, net2",
    [
        ("torch.zeros(4, 1)", "0.422", NET, "0.101 0.249 0.740 1.274", "None None None None"),
        ("out2", "0.628", NET + NET2, "0.120 0.312 0.743 1.580", "0.240 0.633 0.695 1.580"),
        ("0 * out2", "0.422", NET + NET2, "0.101 0.249 0.740 1.274", "0 0 0 0"),
        ("out2.detach()", "0.628", NET, "0.120 0.312 0.743 1.580", "None None None None"),
    ],
)
def test_the_versions_have_the_numbers_of_the_lesson(version, loss, reached, net, net2):
    widget = reachable(run, run_on_torch)
    assert widget.verdict["text"].startswith("✓ both engines agree: the pointers; 82 numbers")
    found = widget.versions[version]
    assert found["loss"] == loss and widget.reached(version) == reached
    assert [found["gradients"][key] for key in NET] == net.split()
    assert [found["gradients"][key] for key in NET2] == net2.split()


PLANTED = {
    "out2: sub points to net.2, net2.2 here, to net.2 in PyTorch": lambda record: record["out2"][
        "pointers"
    ]["sub"].remove("net2.2"),
    "out2.detach(): sub points to net.2 here, to net.2, net2.2 in PyTorch": lambda record: record[
        "out2.detach()"
    ]["pointers"]["sub"].append("net2.2"),
    "out2, gradients, net.0.weight": lambda record: record["out2"]["gradients"][
        "net.0.weight"
    ].neg_(),
    "out2.detach(), gradients, net2.0.weight is missing here": lambda record: record[
        "out2.detach()"
    ]["gradients"].update({"net2.0.weight": torch.zeros(3, 2)}),
}


@pytest.mark.parametrize("words", PLANTED)
def test_a_planted_error_is_a_difference(words):
    wrong = copy.deepcopy(RECORDED[torch])
    PLANTED[words](wrong)
    verdict = reachable(run, lambda: wrong).verdict
    assert verdict["differs"] and words in verdict["text"], verdict


def test_pointers_lead_from_the_loss_to_leaves_and_never_back():
    for record in RECORDED.values():
        for each in record.values():
            pointers = each["pointers"]
            assert all(node not in reach(pointers, [node]) for node in pointers)
            assert {*NET, *NET2} <= reach(pointers, ["net.2", "net2.2"])
    assert "mul" in run()["0 * out2"]["pointers"] and "mul" not in run()["out2"]["pointers"]


def test_both_forms_fit_and_name_all_parts():
    widget = reachable(run)
    for form in ("wide", "narrow"):
        picture = xml.fromstring(widget.drawn[form])
        parts = {each.get("data-part") for each in picture.iter(f"{SVG}g")}
        assert {*NET, *NET2, "sub", "mul", "sub>cut", "mul>net2.2", "loss", "out2"} <= parts
        for rect in picture.iter(f"{SVG}rect"):
            x, wide = float(rect.get("x")), float(rect.get("width"))
            assert x >= 0 and x + wide <= float(picture.get("width"))


def test_the_still_has_the_first_version():
    texts = [each.text for each in xml.fromstring(reachable(run).still()).iter(f"{SVG}text")]
    assert texts.count("None") == 4 and "0.101" in texts and "detach()" not in texts
    assert "out2: 8 of 8; 0 * out2: 8 of 8; out2.detach(): 4 of 8" in repr(reachable(run))

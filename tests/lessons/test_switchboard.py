"""The switchboard of lesson 11: what it draws is what the run returned."""

import re
import xml.etree.ElementTree as xml

import numpy as np
import pytest

from autograd_core.lessons import lesson_11
from autograd_core.lessons.widgets.switchboard import switchboard
from tests.lessons.page import change

G = np.array([3.0, 4.0])
SVG = "{http://www.w3.org/2000/svg}"
COMMON = {"net1": G, "statistics": 0.5, "losses": [1.5, 2.5], "accuracy": [1.0, 0.75]}
CASES = {
    "trained": {**COMMON, "net2": G, "moved": [0.5, 0.25]},
    "frozen": {**COMMON, "net2": None, "moved": [0.5, 0.0]},
    "kept": {**COMMON, "net2": G, "moved": [0.5, 0.25], "statistics": 0.0, "accuracy": [1.0, 1.0]},
}
LOSS2 = ["net2(h)", "net2(h.detach())", "no_grad()"]


def run(net2_is, loss2, passes):
    if passes == "none":
        raise RuntimeError("no pass")
    return CASES[net2_is]


def program(net2_is, loss2, passes):
    return {f"for _ in range({passes}):": True, f"    net2.{net2_is}()": net2_is == "frozen"}


SETTINGS = {
    "program": program,
    "net2_is": list(CASES),
    "loss2": LOSS2,
    "passes": ["1", "10", "none"],
}


def board(other=run):
    return switchboard(run, other, **SETTINGS)


def picture(widget):
    return xml.fromstring(widget.drawn["wide"])


def texts(widget):
    return [element.text for element in picture(widget).iter(f"{SVG}text")]


def lit(widget):
    """How many horizontal lines carry a gradient: edges, and the path past frozen weights."""
    return sum(
        "gradient-solid" in line.get("style") and line.get("y1") == line.get("y2")
        for line in picture(widget).iter(f"{SVG}line")
    )


@pytest.mark.parametrize(
    "case, loss2, lines, cut_at",
    [
        ("trained", "net2(h)", 3, None),
        ("frozen", "net2(h)", 4, None),
        ("trained", "net2(h.detach())", 2, "before net2"),
        ("frozen", "net2(h.detach())", 1, "before net2"),
        ("frozen", "no_grad()", 1, "after net2"),
    ],
)
def test_edges_that_carry_a_gradient_are_lit_and_cuts_are_named(case, loss2, lines, cut_at):
    widget = board()
    widget.set("net2_is", case)
    widget.set("loss2", loss2)
    assert lit(widget) == lines
    cuts = [float(x.get("x")) for x in picture(widget).iter(f"{SVG}text") if x.text == "cut"]
    assert len(cuts) == (cut_at is not None)
    if cuts:
        assert (cuts[0] < 500) == (cut_at == "before net2")


def test_numbers_are_those_of_the_run():
    widget = board()
    assert texts(widget).count("grad 5") == 2
    told = {"weights moved 0.5", "weights moved 0.25", "running mean moved 0.5", "1.5", "2.5"}
    assert {*told, "accuracy on its own data 100% → 75%"} <= {*texts(widget)}
    widget.set("net2_is", "frozen")
    assert {"grad None", "weights kept"} <= {*texts(widget)}
    assert "net2 grad None, weights kept" in repr(widget)
    widget.set("net2_is", "kept")
    assert {"running mean kept", "accuracy on its own data 100%"} <= {*texts(widget)}
    assert "BatchNorm, Linear" in texts(widget)


def test_the_program_follows_the_settings_even_if_the_run_raises():
    widget = board()
    assert widget.drawn["program"] == [["for _ in range(1):", True], ["    net2.trained()", False]]
    assert "no pass" in change(widget, "passes", "none")
    assert widget.drawn["program"][0] == ["for _ in range(none):", True] and widget.drawn["old"]
    assert change(widget, "passes", "1") == "" and not widget.drawn["old"]


def test_all_forms_and_the_still_fit_their_width():
    widget = board()
    for form in (*(widget.drawn[form] for form in ("full", "wide", "narrow")), widget.still()):
        root = xml.fromstring(form)
        xs = [float(x) for x in re.findall(r' x="([\d.]+)"', form)]
        assert min(xs) >= 0 and max(xs) <= float(root.get("width"))


@pytest.mark.parametrize(
    "changed, expected",
    [
        ({}, [13.028, 1.828, 0.183, 0.392, 0.84]),
        ({"frozen": True}, [13.028, None, 0, 0.392, 0.83]),
        ({"evaluation": True, "step": False}, [4.548, 5.548, 0, 0, 1]),
        ({"frozen": True, "evaluation": True}, [4.548, None, 0, 0, 1]),
        ({"inputs": True}, [13.028, None, 0, 0.392, 0.83]),
        ({"loss2": LOSS2[1]}, [0.730, 1.828, 0.183, 0.392, 0.84]),
        ({"loss2": LOSS2[2]}, [0.730, None, 0, 0.392, 0.83]),
        ({"step": False}, [13.028, 1.828, 0, 0.392, 0.83]),
    ],
)
def test_the_switches_of_the_lesson(changed, expected):
    widget = lesson_11.switchboard()
    for name, value in changed.items():
        widget.set(name, value)
    found = widget.result

    def norm(gradient):
        return None if gradient is None else round(gradient.norm().item(), 3)

    numbers = [norm(each) for each in (found["net1"], found["net2"], found["moved"][1])]
    numbers += [norm(found["statistics"]), round(found["accuracy"][1], 2)]
    assert numbers == expected and not widget.verdict["differs"]


def test_a_line_of_the_lesson_is_off_or_on():
    widget = lesson_11.switchboard()
    off = {line for line, on in widget.drawn["program"] if not on}
    assert off == {"net2.requires_grad_(False)", "net2.eval()"}
    widget.set("frozen", True)
    widget.set("inputs", True)
    lines = dict(widget.drawn["program"])
    assert lines["net2.requires_grad_(False)"]
    assert lines["(loss1 + loss2).backward(inputs=list(net1.parameters()))"]

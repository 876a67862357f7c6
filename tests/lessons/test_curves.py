"""`curves`: runs with settings, drawn and compared."""

import re
import xml.etree.ElementTree as xml

import numpy as np
import pytest

from autograd_core.lessons import lesson_03
from autograd_core.lessons.widgets.curves import curves
from autograd_core.widgets.kit.settings import settings_of
from tests.lessons.page import change


def run(on, how, lr):
    return {
        "w": [lr * i for i in range(5)] if on else [0.0] * 5,
        "w.grad": [None, 1.0, 2.0, 3.0, 4.0 if how == "up" else -4.0],
    }


SVG = "{http://www.w3.org/2000/svg}"
SETTINGS = {"on": True, "how": ["up", "down"], "lr": (0.5, 0.0, 1.0)}


def svg_of(widget):
    return xml.fromstring(widget.drawn["svg"])


def test_a_gradient_is_violet_below_zero():
    run = {"w.grad": [2.0, -2.0], "w": [1.0, -1.0]}
    parts = svg_of(curves(lambda: run)).findall(f"{SVG}svg")
    above, below = (float(part.get("y")) for part in parts)
    inks = [re.findall(r"stroke: var\(--ac-(\w+)\)", xml.tostring(part).decode()) for part in parts]
    assert above == 0 < below and [{*each} for each in inks] == [{"gradient"}, {"negative"}]
    assert float(parts[0].get("height")) == below, "one line ends where the other begins"


def circles(widget):
    found = svg_of(widget).iter(f"{SVG}circle")
    return [(float(each.get("cx")), float(each.get("cy"))) for each in found]


def corners(widget):
    """The points of the first line."""
    path = next(svg_of(widget).iter(f"{SVG}path")).get("d")
    return [tuple(map(float, pair.split())) for pair in re.split("[ML]", path)[1:]]


def test_settings_are_read_from_their_values():
    kinds = [(each["name"], each["kind"], each["value"]) for each in settings_of(**SETTINGS)]
    assert kinds == [("on", "switch", True), ("how", "choice", "up"), ("lr", "slider", 0.5)]
    assert settings_of(k=(3, 1, 9))[0]["step"] == 1


@pytest.mark.parametrize("wanted", [["one"], [1, 2], (5, 0, 1), (1, 2), "text", None])
def test_what_is_no_setting_is_refused_with_what_is(wanted):
    with pytest.raises(ValueError, match="a list of two or more strings"):
        settings_of(thing=wanted)


def test_every_step_of_the_other_engine_is_a_dot_on_the_line():
    widget = curves(run, run, **SETTINGS)
    assert len(circles(widget)) == 9  # five and four: None is no point
    assert corners(widget) == circles(widget)[:5]


def test_a_difference_in_the_last_place_leaves_the_dots_on_the_line():
    widget = curves(lambda: {"w": [2.5, 2.5]}, lambda: {"w": [2.5 + 4e-16, 2.5 + 4e-16]})
    assert corners(widget) == circles(widget)


def test_a_slider_of_floats_stays_one_where_the_browser_sends_a_whole_number():
    """JSON has no 0.0, and Adam refuses a beta that is an int."""
    widget = curves(lambda steps, **settings: run(**settings), **SETTINGS, steps=(3, 1, 9))
    change(widget, "lr", 0)
    change(widget, "steps", 4)
    assert [type(widget.settings[name]) for name in ("lr", "steps")] == [float, int]


@pytest.mark.parametrize(
    "values",
    [[], [None], [float("nan"), 1.0], [float("inf"), 0.0], [3.0], [2.0, 2.0], [1e-12, 1e12]],
)
def test_whatever_comes_is_drawn(values):
    widget = curves(lambda: {"w": values})
    assert svg_of(widget).get("role") == "img"
    assert "nan" not in re.sub(r"<title>.*?</title>", "", widget.drawn["svg"])


@pytest.mark.parametrize(
    "value, told", [(None, "None at every step"), (float("nan"), "no finite number")]
)
def test_where_there_are_no_numbers_words_stand_in_place_of_a_scale(value, told):
    widget = curves(lambda: {"w": [1.0, 2.0], "w.grad": [value, value]})
    texts = [text.text for text in svg_of(widget).iter(f"{SVG}text")]
    at = texts.index("w.grad")
    assert texts[at + 1 : at + 3] == [told, "0"], "the axis of steps follows"


@pytest.mark.parametrize("grad", [np.nan, np.inf])
def test_a_gradient_that_is_no_slope_has_no_line(grad):
    widget = curves(lambda: {"w": [0.5], "w.grad": [grad]}, bowl=(lambda w: w**2, -1.0, 1.0))
    (place,) = widget.drawn["bowl"]["at"]
    assert not {"pile", "negative", "wedge"} & place.keys()
    assert np.isfinite([*place["ball"].values(), *place["slope"].values()]).all()


def test_the_ball_is_on_the_loss_and_the_line_has_the_slope_of_the_gradient():
    found = {"w": [0.0, 4.0, 4.0, 9.0, None], "w.grad": [-3.0, -2.0, None, 1.0, 1.0]}
    drawn = curves(lambda: found, bowl=(lambda w: (w - 3) ** 2 / 2, -1.0, 7.0)).drawn["bowl"]
    line = re.search('d="M(.*?)"', drawn["svg"])[1].split("L")
    (left, top), (right, _) = (tuple(map(float, line[i].split())) for i in (0, -1))
    lowest = max(float(corner.split()[1]) for corner in line)
    wide, high = (right - left) / 8, (lowest - top) / 8

    def slope(line):
        x1, y1, x2, y2 = line.values()
        return -(y2 - y1) / (x2 - x1) * wide / high

    first, second, without, outside, nothing = drawn["at"]
    assert [*first["ball"].values()] == pytest.approx([wide, lowest - 4.5 * high], abs=0.2)
    assert [*second["ball"].values()] == pytest.approx([5 * wide, lowest - 0.5 * high], abs=0.2)
    for line, slopes in (("negative", [-3, -2]), ("slope", [-3, 1])):
        found = [slope(each[line]) for each in (first, second)]
        assert found == pytest.approx(slopes, rel=0.02)
    assert "wedge" in second and "wedge" not in first, "the first gradient is the slope"
    assert not {"pile", "negative"} & without.keys() and without["ball"] == second["ball"]
    assert not outside and not nothing
    assert curves(run, **SETTINGS).drawn["bowl"] is None


def test_two_loops_on_one_engine_are_named_and_compared():
    widget = lesson_03.what_stays(overlay=True)
    assert (widget.engine, widget.against) == ("w.grad *= keep", "momentum=keep")
    assert widget.settings["keep"] == "1: never cleared"
    for keep in ("0.9", "0.5", "0: zero_grad()"):
        assert widget.verdict["text"] == "✓ both loops agree: 120 numbers; no difference"
        widget.set("keep", keep)
    widget = curves(lambda: {"w": [1.0]}, lambda: {"w": [2.0]}, against="another loop")
    assert widget.verdict["text"].startswith("The loops differ: ")

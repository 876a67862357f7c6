"""`clinic`: a loop under observation, as curves and strips; and `score`, which counts diagnoses."""

import xml.etree.ElementTree as xml

import pytest

from autograd_core.lessons.questions.predict import predict, predicted, score
from autograd_core.lessons.widgets.clinic import SHADES, clinic

NAN, INF = float("nan"), float("inf")
SVG = "{http://www.w3.org/2000/svg}"
NORMS = {"weight": [1.0, 0.1, 0.1, 1e-9], "bias": [None, None, 0.0, NAN], "<b>long.long.bias</b>": [INF, INF, INF, INF]}


def run(patient="sick"):
    return {"loss": [2.0, 1.0, 0.5, 0.25 if patient == "sick" else 0.0], "grad norm": NORMS}


def change(widget, name, value):
    sent = []
    widget.send = sent.append
    widget._received(widget, {"kind": "change", "name": name, "value": value}, [])
    return sent


def strips(norms):
    """What is drawn for each parameter, from left to right: (x, width, opacity or the word's colour)."""
    picture = xml.fromstring(clinic(lambda: {"loss": [1.0] * 4, "grad norm": norms}).still())
    drawn = [(float(r.get("x", 0)), float(r.get("width")), r.get("fill-opacity")) for r in picture.iter(f"{SVG}rect")]
    return drawn[1:]                                    # the first is the card


def words(picture):
    return [text.text for text in xml.fromstring(picture).iter(f"{SVG}text")]


def test_every_number_of_both_engines_is_sent():
    widget = clinic(run, run, patient=["sick", "well"])
    lines = {line["name"]: line for line in widget.drawn["lines"]}
    assert lines["loss"]["values"] == lines["loss"]["other"] == [2.0, 1.0, 0.5, 0.25]
    assert lines["bias"]["values"] == [None, None, 0.0, "nan"] and lines["bias"]["panel"] == "grad norm"
    assert [lines[name]["role"] for name in ("loss", "weight")] == ["value", "gradient"]
    assert not widget.verdict["differs"] and widget.engine == "autograd_core"
    assert change(widget, "patient", "well") == [{"kind": "answer", "error": ""}]
    assert widget.drawn["lines"][0]["values"][-1] == 0.0


@pytest.mark.parametrize(
    "name, step, value", [("weight", 1, 0.1 + 1e-6), ("bias", 0, 0.0), ("bias", 2, None), ("bias", 3, 1.0)])
def test_planted_difference_is_told(name, step, value):
    def wrong():
        norms = {key: list(row) for key, row in NORMS.items()}
        norms[name][step] = value
        return {**run(), "grad norm": norms}

    widget = clinic(run, wrong)
    assert widget.verdict["differs"] and f"grad norm, {name}" in widget.verdict["text"]


def test_a_shade_is_a_power_of_ten():
    [(x, width, darkest), (_, wide, pale), (_, _, palest)] = strips({"weight": [1.0, 0.1, 0.1, 1e-9]})
    assert float(darkest) == 1 > float(pale) > float(palest) == pytest.approx(1 / SHADES, abs=1e-6)
    assert x < x + width and wide > width, "equal shades are one piece"


def test_none_zero_and_nan_are_never_alike():
    picture = xml.fromstring(clinic(run).still())
    outlined = [r for r in picture.iter(f"{SVG}rect") if r.get("stroke")]
    looks = {(r.get("fill"), r.get("stroke"), r.get("stroke-dasharray")) for r in outlined}
    assert len(looks) == 3
    long = {"grad norm": {"none": [None] * 40, "zero": [0.0] * 40, "nan": [NAN] * 40, "inf": [INF] * 40}}
    assert {"None", "0", "nan", "inf"} <= set(words(clinic(lambda: {"loss": [1.0] * 40, **long}).still()))


def test_names_are_text_and_long_ones_keep_their_end():
    shown = words(clinic(run).still())
    assert "…g.long.bias</b>" in shown and "weight" in shown


@pytest.mark.parametrize("steps", [0, 1, 2, 60])
def test_strips_stay_on_the_sheet(steps):
    widget = clinic(lambda: {"loss": [1.0] * steps, "grad norm": {"weight": [None] * steps, "bias": [1.0] * steps}})
    for picture in (widget.still(), widget.drawn["svg"]):
        root = xml.fromstring(picture)
        for place, length in (("x", "width"), ("y", "height")):
            ends = [float(rect.get(place, 0)) + float(rect.get(length)) for rect in root.iter(f"{SVG}rect")]
            assert max(ends, default=0) <= float(root.get(length))


def test_the_description_says_what_is_none_and_what_is_nan():
    said = repr(clinic(run))
    norms = "1e−9 (weight), nan (bias), inf (<b>long.long.bias</b>)"
    assert said == f"Clinic: loss from 2 to 0.25; grad norm ends at {norms}"


def test_what_is_no_observation_is_refused():
    with pytest.raises(TypeError, match="a dict of lists of numbers"):
        clinic(lambda: [1, 2])


def raising(patient):
    if patient == "sick":
        raise RuntimeError("Trying to backward through the graph a second time")
    return run()


def test_what_a_patient_raises_is_shown():
    widget = clinic(raising, patient=["well", "sick"])
    assert "second time" in change(widget, "patient", "sick")[0]["error"]


def test_score_counts_what_came_out_and_keeps_up():
    names = ("99.1", "99.2")
    asked = [predict(name, "Which?", ["this", "that"]) for name in names]
    shown = score(*names)
    assert "Nothing predicted yet; 2 of 2 still open." in shown.content
    asked[0].answers = [asked[0].order.index(1)]
    predicted(names[0], 1)
    shown = score(*names)
    assert "1 of 1 right; 1 of 2 still open." in shown.content
    asked[1].answers = [asked[1].order.index(0)]
    predicted(names[1], 1)
    shown = score(*names)
    assert "1 of 2 right." in shown.content
    assert "1 of 2 right." in shown._repr_mimebundle_()[0]["text/plain"]


def test_score_counts_what_was_never_asked_as_open():
    assert "3 of 3 still open" in score("98.1", "98.2", "98.3").content

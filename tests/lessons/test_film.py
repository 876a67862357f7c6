"""`film`: a training as maps over time, sent as they are, compared, and trained again when a
setting is changed.
"""

import xml.etree.ElementTree as xml

import numpy as np
import pytest

from autograd_core.lessons.widgets.film import film
from tests.lessons.page import change
from tests.widgets.pictures import maps_in, misread

SVG = "{http://www.w3.org/2000/svg}"

CHANNELS = ["a", "b"]


def run(slow=False):
    rng = np.random.default_rng(int(slow))
    return {
        "at": [0, 2, 4],
        "output": list(rng.normal(size=(3, 2, 5, 7))),
        "gradient": list(rng.normal(size=(3, 2, 5, 7))),
        "curves": {"loss": [5.0, 4.0, 3.0, 2.0, 1.0]},
    }


def sent(widget):
    return np.frombuffer(widget.frames, np.float32).reshape(widget.drawn["shape"])


def test_the_maps_that_are_sent_are_those_of_the_run():
    widget = film(run, run, channels=CHANNELS)
    assert widget.drawn["shape"] == [2, 3, 2, 5, 7] and widget.drawn["at"] == [0, 2, 4]
    np.testing.assert_allclose(sent(widget)[0], run()["output"], rtol=1e-6)
    np.testing.assert_allclose(sent(widget)[1], run()["gradient"], rtol=1e-6)
    (line, *_) = widget.drawn["lines"]
    assert line["values"] == line["other"] == [5.0, 4.0, 3.0, 2.0, 1.0]
    assert not widget.verdict["differs"]


def test_a_setting_trains_both_again_and_is_remembered():
    calls = []

    def counted(slow):
        calls.append(slow)
        return run(slow)

    widget = film(counted, counted, channels=CHANNELS, slow=False)
    before = widget.frames
    assert change(widget, "slow", True) == ""
    assert widget.frames != before and calls == [False, False, True, True]
    change(widget, "slow", False)
    assert widget.frames == before and len(calls) == 4


def test_it_opens_at_a_step():
    curves = {"score": {"a": [0.0, 0.1, 0.2, 0.3, 0.4], "b": [1.0, 0.9, 0.8, 0.7, 0.625]}}
    widget = film(lambda: {**run(), "curves": curves}, channels=CHANNELS, opens=2)
    assert widget.drawn["opens"] == 2
    picture = xml.fromstring(widget.drawn["svg"])
    inks = {path.get("style") for path in picture.iter(f"{SVG}path")}
    assert len(inks) == 2, "each line has its own colour"
    with pytest.raises(ValueError):
        film(run, channels=CHANNELS, opens=3)


@pytest.mark.parametrize("wrong", [{"output": []}, {"gradient": [np.zeros((3, 5, 7))] * 3}])
def test_maps_that_do_not_fit_are_refused(wrong):
    with pytest.raises(ValueError):
        film(lambda: {**run(), **wrong}, channels=CHANNELS)


def test_a_still_keeps_the_scale_of_all_frames():
    for opens in (0, 2, 4):
        *_, first, second, _ = maps_in(film(run, channels=CHANNELS, opens=opens).still())
        frames = np.array(run()["gradient"])
        seen = [np.full((5, 7), np.nan)] * 6
        seen[opens : opens + 2] = first, second
        wrong = misread(seen, [*frames.reshape(6, 5, 7)])
        others = {f"map {i}" for i in range(6)} - {f"map {opens}", f"map {opens + 1}"}
        assert {each.partition(":")[0] for each in wrong} == others


def test_what_is_to_be_found_is_sent_once_and_stands_first_in_the_still():
    import torch

    truth = {"image": np.arange(35.0).reshape(5, 7), "a": torch.ones(5, 7, dtype=torch.bool)}
    widget = film(run, channels=CHANNELS, truth=truth)
    known = np.frombuffer(widget.truth, np.float32).reshape(2, 5, 7)
    assert known[0].tolist() == truth["image"].tolist() and known[1].all()
    assert widget.drawn["known"] == ["image", "a"]
    names = [text.text for text in xml.fromstring(widget.still()).iter(f"{SVG}text")]
    assert names[0] == "target, hatched where no loss reads it"
    assert names[1:7] == ["image", "0", "34", "a", "1", "1"]
    assert len(sent(widget)) == 2


def test_each_output_has_its_own_scale_in_a_frame():
    truth = {"a": np.where(np.eye(5, 7), -2.0, np.nan), "b": np.ones((5, 7))}
    widget = film(run, channels=CHANNELS, truth=truth, opens=2)
    assert np.isnan(np.frombuffer(widget.truth, np.float32)).any()
    still = widget.still()
    assert "ac-masked-stripes" in still and "nan" not in still
    drawn, frame = maps_in(still)[2:4], run()["output"][1]
    for depth, numbers in zip(drawn, frame):
        above = numbers > 0.1
        share = numbers[above] / abs(numbers).max()
        np.testing.assert_allclose(depth[above], share, rtol=0, atol=0.01)
        assert np.isnan(depth[numbers < -0.5]).all(), "below 0 it is grey"

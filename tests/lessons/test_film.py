"""`film`: a training as maps over time, sent as they are, compared, and trained again when a
setting is changed.
"""

import base64
import struct
import xml.etree.ElementTree as xml
import zlib

import numpy as np
import pytest

from autograd_core.lessons.widgets.film import film
from autograd_core.widgets.kit.format import number
from tests.lessons.page import change

SVG = "{http://www.w3.org/2000/svg}"

CHANNELS = ["a", "b"]
SHAPE = 5, 7


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


def pixels(address):
    """A picture's shades, 0 to 255."""
    png = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    (height, width), size = SHAPE, struct.unpack(">I", png[33:37])[0]
    return np.frombuffer(zlib.decompress(png[41 : 41 + size]), np.uint8).reshape(height, width + 1)[
        :, 1:
    ]


def test_the_maps_that_are_sent_are_those_of_the_run():
    widget = film(run, run, channels=CHANNELS)
    assert widget.drawn["shape"] == [2, 3, 2, 5, 7] and widget.drawn["at"] == [0, 2, 4]
    np.testing.assert_allclose(sent(widget)[0], run()["output"], rtol=1e-6)
    np.testing.assert_allclose(sent(widget)[1], run()["gradient"], rtol=1e-6)
    assert (
        widget.drawn["lines"][0]["values"]
        == [5.0, 4.0, 3.0, 2.0, 1.0]
        == widget.drawn["lines"][0]["other"]
    )
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


def test_what_ran_already_is_not_run_again():
    def never(**settings):
        raise AssertionError("it ran")

    widget = film(never, never, channels=CHANNELS, first=(run(), run()), on=True)
    assert sent(widget).shape == (2, 3, 2, 5, 7)
    assert change(widget, "on", False) == "AssertionError: it ran"


def test_it_opens_at_a_step_with_the_curve_of_each_map_below_it():
    curves = {"score": {"a": [0.0, 0.1, 0.2, 0.3, 0.4], "b": [1.0, 0.9, 0.8, 0.7, 0.625]}}
    widget = film(lambda: {**run(), "curves": curves}, channels=CHANNELS, opens=2)
    assert widget.drawn["opens"] == 2
    below = [[look[2:4] for look in looks[:2]] for looks in widget.scene["changes"]]
    notes = [["score 0", "score 1"], ["score 0.2", "score 0.8"], ["score 0.4", "score 0.62"]]
    assert below == [[[note, ""] for note in each] for each in notes]
    texts = [text.text for text in xml.fromstring(widget.still()).iter(f"{SVG}text")]
    assert {*notes[1]} < {*texts} and not {*notes[2]} & {*texts}
    with pytest.raises(ValueError):
        film(run, channels=CHANNELS, opens=3)


@pytest.mark.parametrize("wrong", [{"output": []}, {"gradient": [np.zeros((3, 5, 7))] * 3}])
def test_maps_that_do_not_fit_are_refused(wrong):
    with pytest.raises(ValueError):
        film(lambda: {**run(), **wrong}, channels=CHANNELS)


def test_what_changes_from_frame_to_frame_is_what_the_numbers_say():
    def with_holes():
        result = run()
        result["output"][1][0, 2, 3] = np.nan
        result["gradient"][2][1] = 0
        return result

    widget = film(with_holes, channels=CHANNELS)
    for frame, looks in enumerate(widget.scene["changes"]):
        for (picture, wrong, *ends, nothing), (kind, channel) in zip(looks, np.ndindex(2, 2)):
            plane = with_holes()[("output", "gradient")[kind]][frame][channel]
            sizes, known = np.abs(plane) if kind else plane, np.isfinite(plane)
            low, high = 0 if kind else np.nanmin(plane), np.nanmax(sizes)
            assert (
                np.abs(
                    pixels(picture)[known] / 255 - (sizes[known] - low) / (high - low or 1)
                ).max()
                < 0.002
            )
            assert bool(wrong) != known.all() and (
                not wrong or (pixels(wrong) == 255 * ~known).all()
            )
            assert nothing == (kind == 1 and not plane.any())
            assert (
                ends == ["", ""]
                if nothing
                else [number(float(f"{end:.2g}")) for end in (low, high)]
            )


def test_what_is_to_be_found_is_sent_once_and_stands_first_in_the_still():
    import torch

    truth = {"image": np.arange(35.0).reshape(5, 7), "a": torch.ones(5, 7, dtype=torch.bool)}
    widget = film(run, channels=CHANNELS, truth=truth)
    known = np.frombuffer(widget.truth, np.float32).reshape(2, 5, 7)
    assert known[0].tolist() == truth["image"].tolist() and known[1].all()
    assert [ends[2:4] for ends in widget.scene["known"]] == [["0", "34"], ["1", "1"]]
    names = [text.text for text in xml.fromstring(widget.still()).iter(f"{SVG}text")]
    assert [name for name in names if not name[-1].isdigit()] == [
        "image",
        "a",
        "to find",
        "a",
        "b",
        "output",
        "gradient",
    ]
    assert len(sent(widget)) == 2

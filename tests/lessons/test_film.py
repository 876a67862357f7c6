"""`film`: a training as maps over time, sent as they are, compared, and trained again when a setting is changed."""

import xml.etree.ElementTree as xml

import numpy as np
import pytest

from autograd_core.lessons.widgets.film import film

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


def change(widget, name, value):
    answers = []
    widget.send = answers.append
    widget._received(widget, {"kind": "change", "name": name, "value": value}, [])
    return answers


def test_the_maps_that_are_sent_are_those_of_the_run():
    widget = film(run, run, channels=CHANNELS)
    assert widget.drawn["shape"] == [2, 3, 2, 5, 7] and widget.drawn["at"] == [0, 2, 4]
    np.testing.assert_allclose(sent(widget)[0], run()["output"], rtol=1e-6)
    np.testing.assert_allclose(sent(widget)[1], run()["gradient"], rtol=1e-6)
    assert widget.drawn["lines"][0]["values"] == [5.0, 4.0, 3.0, 2.0, 1.0] == widget.drawn["lines"][0]["other"]
    assert not widget.verdict["differs"]


def test_tensors_are_maps_too():
    import torch

    def with_tensors():
        return {**run(), "output": [torch.from_numpy(frame).requires_grad_() for frame in run()["output"]]}

    np.testing.assert_array_equal(sent(film(with_tensors, channels=CHANNELS)), sent(film(run, channels=CHANNELS)))


@pytest.mark.parametrize("kind", ["output", "gradient"])
def test_planted_difference_is_told(kind):
    def wrong():
        result = run()
        result[kind][1][0, 2, 3] += 1e-6
        return result

    widget = film(run, wrong, channels=CHANNELS)
    assert widget.verdict["differs"] and widget.verdict["text"].startswith(
        f"The engines differ: {kind}[1] at 0, 2, 3 is"
    )


def test_a_setting_trains_both_again_and_is_remembered():
    calls = []

    def counted(slow):
        calls.append(slow)
        return run(slow)

    widget = film(counted, counted, channels=CHANNELS, slow=False)
    before = widget.frames
    assert change(widget, "slow", True) == [{"kind": "answer", "error": ""}]
    assert widget.frames != before and calls == [False, False, True, True]
    change(widget, "slow", False)
    assert widget.frames == before and len(calls) == 4


def test_what_ran_already_is_not_run_again():
    def never(**settings):
        raise AssertionError("it ran")

    widget = film(never, never, channels=CHANNELS, first=(run(), run()), on=True)
    assert sent(widget).shape == (2, 3, 2, 5, 7)
    assert change(widget, "on", False) == [{"kind": "answer", "error": "AssertionError: it ran"}]


@pytest.mark.parametrize("wrong, message", [
    ({"output": []}, "each frame of 'output' has shape"),
    ({"gradient": [np.zeros((3, 5, 7))] * 3}, r"has shape \(2, H, W\)"),
    ({"at": [0, 1]}, "3 frames and 2 steps"),
])
def test_maps_that_do_not_fit_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        film(lambda: {**run(), **wrong}, channels=CHANNELS)


def test_the_still_is_the_last_frame_with_names_as_text():
    nasty = "<img src=x onerror=alert(1)>"
    widget = film(run, channels=[nasty, "b"])
    picture = xml.fromstring(widget.still())
    names = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {nasty, "b", f"{nasty}, grad", "b, grad"} <= set(names)
    assert widget._repr_mimebundle_()[0]["image/svg+xml"] == widget.still()


def test_what_is_to_be_found_is_sent_once_and_stands_first_in_the_still():
    import torch

    truth = {"image": np.arange(35.0).reshape(5, 7), "a": torch.ones(5, 7, dtype=torch.bool)}
    widget = film(run, channels=CHANNELS, truth=truth)
    known = np.frombuffer(widget.truth, np.float32).reshape(2, 5, 7)
    assert widget.truths == ["image", "a"] and known[0].tolist() == truth["image"].tolist() and known[1].all()
    names = [text.text for text in xml.fromstring(widget.still()).iter("{http://www.w3.org/2000/svg}text")]
    assert [name for name in names if "to" not in name][:4] == ["image", "a, true", "a", "b"]
    assert len(sent(widget)) == 2


def test_truth_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"has the shape of a map, \(5, 7\): image has shape \(7, 5\)"):
        film(run, channels=CHANNELS, truth={"image": np.zeros((7, 5))})

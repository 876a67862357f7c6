"""Lesson 04's four ways: curves, peaks and passes of both engines, and what a planted error does."""

import copy
import functools
import xml.etree.ElementTree as xml

import pytest
import torch

import autograd_core
from autograd_core.lessons import lesson_04
from autograd_core.lessons.widgets.memory_over_time import memory_over_time
from autograd_core.trace import graph_size

SVG = "{http://www.w3.org/2000/svg}"
CURVES = {
    "One sum": "01233455677777776554332100",
    "Each loss, kept": "01233333334555555567776544",
    "Each loss, dropped": "01233333331233333331233321000",
    "A detached copy": "0123332123332123332100",
}


@functools.cache
def recorded(engine, branches):
    return lesson_04.recorded(engine)(branches)


def run(branches):
    return recorded(autograd_core, branches)


def run_on_torch(branches):
    return recorded(torch, branches)


def widget(other=run_on_torch, **options):
    known = {"ways": lesson_04.WAYS, "kinds": lesson_04.KINDS, "branches": (3, 2, 4)}
    return memory_over_time(run, other, **{**known, **options})


def units(found, way):
    return "".join(str(event["units"]) for event in found[way]["events"])


@pytest.mark.parametrize("engine", [autograd_core, torch], ids=["engine", "torch"])
def test_the_curves_are_those_of_the_lesson(engine):
    assert {way: units(recorded(engine, 3), way) for way in CURVES} == CURVES


@pytest.mark.parametrize("branches", [2, 3, 4])
def test_peaks_passes_and_events_follow_from_the_branches(branches):
    shown = widget()
    shown.set("branches", branches)
    assert shown.verdict["text"].startswith("✓ both engines agree: ")
    b, ways = branches, list(shown.events)
    assert [shown.peak(way) for way in ways] == [2 * b + 1, 2 * b + 1, 3, 3]
    assert [shown.passes[way] for way in ways] == [1, b, b, 1]
    lengths = [len(shown.events[way]) for way in ways]
    assert lengths == [8 * b + 2, 8 * b + 2, 9 * b + 2, 6 * b + 4]
    first, *others = (each["gradient"] for each in run(branches).values())
    assert all((first - other).abs().max().item() < 1e-12 for other in others)


def test_what_the_nodes_hold_is_what_graph_size_counts():
    """It is asked of the same graph in another way, after forward and after backward."""
    recording = lesson_04.Recording(torch, 2)
    for event in (recording.run("One sum"), recording.events)[1]:
        assert event["units"] == len(event["holding"]) and {*event["holding"]} <= {*event["nodes"]}
    again = lesson_04.Recording(torch, 1)
    h = again.forward(
        "T.tanh", torch.tanh, again.forward("T.x @ w", torch.matmul, again.x, again.weight)
    )
    again.held = {"T.tanh": h}
    loss = again.branch(h, 0)
    assert graph_size(loss)[1] // lesson_04.UNIT == again.events[-1]["units"] == 3
    again.backward("1.mean", retain_graph=True)
    assert graph_size(loss)[1] // lesson_04.UNIT == again.events[-1]["units"] == 3
    again.backward("1.mean")
    assert graph_size(loss)[1] // lesson_04.UNIT == again.events[-1]["units"] == 0


PLANTED = {
    "One sum, event 20: holding is": lambda found: found["One sum"]["events"][19]["holding"].append(
        "2.exp"
    ),
    "A detached copy, event 6: units is 3 here, 4 in PyTorch": lambda found: found[
        "A detached copy"
    ]["events"][5].update(units=4),
    "One sum, passes": lambda found: found["One sum"].update(passes=2),
    "Each loss, kept, gradient": lambda found: found["Each loss, kept"]["gradient"].neg_(),
    "One sum has 26 events here, 25 in PyTorch": lambda found: found["One sum"]["events"].pop(),
}


@pytest.mark.parametrize("words", PLANTED)
def test_a_planted_error_is_a_difference(words):
    def wrong(branches):
        found = copy.deepcopy(run_on_torch(branches))
        PLANTED[words](found)
        return found

    verdict = widget(wrong).verdict
    assert verdict["differs"] and words in verdict["text"], verdict


def test_the_still_shows_event_20():
    texts = [each.text for each in xml.fromstring(widget().still()).iter(f"{SVG}text")]
    assert [text for text in texts if text.startswith("event")] == [
        f"event 20: {held}" for held in (4, 7, 1, 1)
    ]
    assert "most saved 7, passes over the trunk 3" in texts and "cut" in texts
    assert "A detached copy: at most 3 units saved, 1 passes over the trunk" in repr(widget())

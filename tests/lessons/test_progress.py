"""One bar for both sides of a %%both cell."""

import contextlib

import pytest
import torch

import autograd_core
from autograd_core.lessons.progress import progress, progress_bar
from autograd_core.parity.both import Session


def test_the_bar_moves_when_the_next_step_is_asked_for():
    bar = progress_bar(4)
    seen = [(step, bar.bar.value, bar.count.value) for step in progress(range(4), "torch")]
    assert seen == [(0, 0, "0 of 4"), (1, 1, "1 of 4"), (2, 2, "2 of 4"), (3, 3, "3 of 4")]
    assert repr(bar) == "torch:  ########## 4 of 4"


def test_it_is_one_bar_and_showing_it_again_leaves_it_where_it_is():
    bar = progress_bar(4)
    assert repr(bar) == "            0 of 4"
    for _ in progress(range(2), "autograd_core"):
        assert progress_bar() is bar
    assert repr(bar) == "autograd_core:  ########## 2 of 2"


@pytest.mark.parametrize("steps, after", [(9, "0 of 9"), (2, "0 of 2"), (0, "0 of 0")])
def test_a_longer_shorter_or_empty_training_begins_anew(steps, after):
    for _ in progress(range(5), "first"):
        pass
    bar = progress_bar(steps)
    assert (bar.bar.value, bar.count.value) == (0, after) and repr(bar).split() == after.split()


def test_a_training_that_breaks_off_leaves_the_bar_there():
    with contextlib.suppress(ZeroDivisionError):
        for step in progress(range(5), "net"):
            1 / (3 - step)
    assert repr(progress_bar()) == "net:  ######     3 of 5"


def test_both_sides_of_a_cell_move_it_and_everything_is_compared():
    session, seen = Session(autograd_core, torch, {"progress": progress, "STEPS": 3}), []
    progress_bar().name.observe(lambda change: seen.append(change.new), "value")
    session.run(
        "w = T.tensor(1.0)\n"
        "for step in progress(range(STEPS), T.__name__):\n"
        "    w = w * step"
    )
    assert seen == ["autograd_core: ", "torch: "]
    report = session.report()
    assert report.made == report.compared > 0

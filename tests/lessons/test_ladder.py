"""The ladder of lesson 02: how often nodes run, and what arrives, with and without waiting."""

import pytest

from autograd_core.lessons.lesson_02 import ladder


@pytest.mark.parametrize("lines", range(1, 6))
def test_only_waiting_keeps_the_number_of_runs_small(lines):
    drawn = ladder()
    drawn.set("lines", lines)
    assert drawn.result["runs"] == 2**lines - 1 and not drawn.verdict["differs"]
    assert drawn.result["got"] == [2**place for place in range(lines + 1)]
    drawn.set("nodes_are", "waiting")
    assert drawn.result["runs"] == lines
    assert drawn.result["sums"] == [2.0**place for place in range(lines + 1)]
    assert repr(drawn).endswith(f"runs of Add nodes; w.grad is {2**lines}")

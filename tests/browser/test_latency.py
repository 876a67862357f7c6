"""The benchmark of latency measures what is painted, and says where nothing is."""

import pytest
from playwright.sync_api import Error

from tests.benchmarks import latency

pytestmark = pytest.mark.prove  # the benchmark is no part of `make test`


def test_each_move_is_seen_and_takes_some_time(lab, notebook):
    spent = latency.measured(lab, notebook(*latency.CELLS), moves=2)
    assert len(spent) == 3 and all(len(each) == 2 and min(each) > 0 for each in spent.values())


def test_a_move_that_draws_nothing_is_told(lab, notebook):
    with lab.open(notebook("from autograd_core import explore\nexplore('a * b')")) as page:
        page.run_all()
        output = page.cell_output(0)
        output.get_by_role("slider", name="Event").press("Home")
        with pytest.raises(Error, match="nothing was drawn after move 0"):
            output.evaluate(latency.SPENT, [1, "click"])

"""Views let go of what they show: when they are closed, and when their cell is run again."""

import gc
import tracemalloc
import weakref
from types import SimpleNamespace

import IPython
import pytest
import torch
from ipywidgets.widgets.widget import _instances

from autograd_core.parity import watching
from autograd_core.trace import summary
from autograd_core.widgets import watch


@pytest.fixture
def cell(monkeypatch):
    """A function that says which cell is being run, as JupyterLab tells the kernel."""
    request = {"metadata": {}, "header": {"msg_id": "0"}}
    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(get_parent=lambda: request))

    def run(name, number):
        request["metadata"] = {"cellId": name} if name else {}
        request["header"] = {"msg_id": str(number)}

    return run


def view():
    return watch((torch.ones(3, requires_grad=True) * 2).sum())


def test_running_a_cell_again_closes_what_its_former_run_made(cell):
    cell("one", 1)
    first, second = view(), view()
    cell("two", 2)
    other = view()
    cell("one", 3)
    third = view()
    closed = [each.comm is None for each in (first, second, other, third)]
    assert closed == [True, True, False, False]
    cell(None, 4)
    view()
    assert third.comm is not None and other.comm is not None, "outside of cells nothing is closed"
    assert repr(first) == "Step view: closed" and "nodes" in repr(third)


def test_a_closed_view_holds_nothing():
    shown = view()
    value = weakref.ref(shown.trace.nodes[-1])
    count = len(_instances)
    shown.close()
    gc.collect()
    # the widget, its stub, and a layout of each
    assert value() is None and len(_instances) == count - 4
    shown.close()


def test_four_runs_of_a_cell_take_no_more_memory_than_two(cell, monkeypatch):
    monkeypatch.setattr(summary, "MOST", 4_000_000)
    layers = ((torch.nn.Linear(256, 256), torch.nn.Tanh()) for _ in range(12))
    net = torch.nn.Sequential(*(part for pair in layers for part in pair))
    tracemalloc.start()
    try:
        taken, shown = [], []
        for run in range(4):
            cell("watch", run)
            with watching():
                loss = net(torch.ones(200, 256)).sum()
            shown.append(watch(loss))
            gc.collect()
            taken.append(tracemalloc.get_traced_memory()[0] / 1e6)
    finally:
        tracemalloc.stop()
    assert 3 < max(taken) < 15 and taken[-1] < taken[1] + 0.3, taken

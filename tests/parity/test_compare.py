"""The comparison: its tolerances, its table, and the graphs that it walks."""

import math
import subprocess
import sys

import numpy as np
import pytest
import torch

from autograd_core.parity import watching
from autograd_core.parity.compare import ParityError, allowed_difference, differences

from .cells import BEGINNINGS

ONLY_PYTORCH = "\nif torch.__name__ == 'torch':\n    "


def difference(session, cell, line=""):
    """The message of the ParityError that `cell` must raise."""
    with pytest.raises(ParityError) as caught:
        session.run(cell, line)
    return str(caught.value)


@pytest.mark.parametrize(
    "dtype, rtol",
    [("float64", 1e-7), ("complex128", 1e-7), ("float32", 1e-4), ("int64", 0.0), ("bool", 0.0)],
)
def test_the_tolerance_is_that_of_the_dtype(dtype, rtol):
    """A tolerance that is four times as large fails here."""
    array = np.array([1, 0, 0], dtype) if dtype == "bool" else np.array([50, 1, 0], dtype)
    largest = 1 if dtype == "bool" else 50
    assert allowed_difference(array, array) == pytest.approx(rtol * largest, rel=1e-12)


@pytest.mark.parametrize(
    "value, allowed",
    [
        ("torch.tensor([100.0, 1.0], dtype=torch.float64)", 1e-5),
        ("torch.tensor([100.0, 1.0])", 1e-2),
        ("[100.0, 1.0]", 1e-2),
    ],
)
def test_a_difference_beyond_the_tolerance_is_told(session, value, allowed):
    cell = f"x = {value}{ONLY_PYTORCH}x[1] += "
    report, _ = session.run(f"{cell}{0.9 * allowed}")
    assert f"{0.9 * allowed:.0e}" in report.table()
    assert "x" in difference(session, f"{cell}{1.1 * allowed}")


def test_rtol_sets_the_tolerance_of_what_the_cell_makes(session):
    cell = f"x = torch.ones(2){ONLY_PYTORCH}x = x * 1.0005"
    assert "x differs" in difference(session, cell)
    session.run(cell, "rtol=1e-3")
    session.run("y = 1")  # x is no new difference
    assert "x differs" in difference(session, cell, "rtol=4e-4")
    assert "x differs" in difference(session, cell)


def test_a_gradient_that_is_only_rounding_is_the_same(session):
    """A bias before BatchNorm: its gradient is 0 except for rounding, and has no digit in common."""
    cell = (
        "torch.manual_seed(0)\nnet = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6))\n"
        "net(torch.randn(9, 4)).pow(3).sum().backward()"
    )
    session.run(cell)
    assert "net.0.weight.grad differs" in difference(
        session, f"{cell}{ONLY_PYTORCH}net[0].weight.grad *= 1.001"
    )


def test_the_table_has_what_the_cell_made(session):
    cell = (
        "a = torch.tensor(2.0, requires_grad=True)\nb = torch.tensor(-0.5, requires_grad=True)\n"
        "u = a * b\nloss = u * a\nloss.backward()"
    )
    report, _ = session.run(cell)
    assert repr(report) == "✓ same on PyTorch"
    rows = [(row.name, row.kind) for row in report.comparison.rows]
    assert rows == [(name, "tensor") for name in ("a", "b", "u", "loss")][:1] + [
        ("a.grad", "gradient"), ("b", "tensor"), ("b.grad", "gradient"), ("u", "tensor"), ("loss", "tensor")
    ]  # fmt: skip
    assert report.comparison.graphs == [("loss", 4)]
    report, _ = session.run("a.grad.mul_(2)\nNone")
    assert [row.name for row in report.comparison.rows] == ["a.grad"]


def test_two_losses_of_one_trunk_are_two_graphs(session):
    report, _ = session.run(
        "a = torch.tensor(2.0, requires_grad=True)\nh = a * a\nx = h * 2\ny = h * 3"
    )
    assert [name for name, nodes in report.comparison.graphs] == ["x", "y"]
    assert sum(nodes for name, nodes in report.comparison.graphs) == 4


@pytest.mark.parametrize(
    "cell",
    ["def f():\n    return torch.ones(1)", "class C:\n    n = 1", "import math", "it = iter([1])"],
)
def test_a_cell_that_only_defines_something_shows_nothing(session, cell):
    assert session.run(cell) == (None, None)


def test_a_cell_that_only_asserts_shows_the_line(session):
    session.run("x = torch.ones(2)")
    report, _ = session.run("for i in range(2):\n    assert x[i] == 1\ndel i\nassert x.sum() == 2")
    assert repr(report) == "✓ same on PyTorch" and "2 assertions" in report.table()
    with pytest.raises(AssertionError):
        session.run("assert x.sum() == 3")
    assert session.run("def f():\n    assert False")[0] is None


def test_long_tables_are_cut_and_markup_is_text(session):
    report, _ = session.run("xs = list(range(500))\nd = {'<b>': 1}")
    assert "… and " in report.table() and "<b>" not in report.table()
    report, _ = session.run("d = {'<b>': 1}")
    assert "&lt;b&gt;" in report.table()


def test_the_graph_of_a_gradient_is_compared_by_its_numbers_alone(session):
    cell = (
        BEGINNINGS["{LOSS}"] + "g, = torch.autograd.grad(loss, a, create_graph=True)\n"
        "h, = torch.autograd.grad(g.sum(), a)"
    )
    with pytest.raises(ParityError, match="graph of g") as caught:
        session.run(cell)
    assert "%%both second-order" in caught.value.__notes__[-1]
    report, _ = session.run(cell, "second-order")
    assert not report.comparison.graphs
    assert "h differs at [0]" in difference(
        session, cell + ONLY_PYTORCH + "h[0] += 1", "second-order"
    )


def test_a_deep_graph_is_walked_without_recursion(session):
    report, _ = session.run(
        "w = torch.ones((), dtype=torch.float64, requires_grad=True)\ny = w\nfor _ in range(1200):\n    y = y + w"
    )
    assert report.comparison.graphs == [("y", 1201)]


DEEP = """
from autograd_core.parity.both import Session
session, deep = Session({}), "b = torch.ones(1, requires_grad=True)\\nfor _ in range(60_000):\\n    b = b + 1"
report, _ = session.run(deep + "\\nb.backward()", "unwatched")
assert "beyond the first 20,000" in report.table()
session.run(deep + "\\nb.backward()")
session.run("b = None")
"""


@pytest.mark.prove
def test_a_graph_of_60_000_nodes_is_compared_as_far_as_pytorch_bears_it():
    """A process of its own must live to the end."""
    done = subprocess.run([sys.executable, "-c", DEEP], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_nested_tensors_can_be_watched():
    """PyTorch would crash the process if their shape were read."""
    with watching():
        parts = [torch.ones(2), torch.ones(3)]
        nested = torch.nested.nested_tensor(parts, requires_grad=True)
        (nested * 2).to_padded_tensor(0.0).sum().backward()


@pytest.mark.parametrize(
    "ours, theirs, largest",
    [
        ([1.0, 2.0], [1.0, 2.5], 0.5),
        ([[1.0], [math.nan]], [[1.0], [math.nan]], 0.0),
        ([math.inf], [1.0], math.inf),
        ([math.inf], [-math.inf], math.inf),
        ([2**62], [2**62 + 1], 1.0),
        ([], [], 0.0),
    ],
)
def test_differences(ours, theirs, largest):
    assert differences(np.array(ours), np.array(theirs)).max(initial=0.0) == largest

"""The comparison: what it must see, one planted difference at a time, and what it must let pass."""

import math
import subprocess
import sys

import numpy as np
import pytest

from autograd_core.parity.compare import ParityError
from autograd_core.parity.rounding import FLOAT64_TOLERANCE, gap_between

LOSS = """
a = T.tensor([2.0, -1.0], requires_grad=True)
b = T.tensor([-0.5, 3.0], requires_grad=True)
u = a * b
loss = (T.sigmoid(u) * u).sum()
"""
NET = """
T.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
opt = optim.Adam(net.parameters(), lr=0.1)
net(T.ones(4, 2)).sum().backward()
opt.step()
"""
ONLY_PYTORCH = "\nif T.__name__ == 'torch':\n    "


def difference(session, cell, line=""):
    """The message of the ParityError that `cell` must raise."""
    with pytest.raises(ParityError) as caught:
        session.run(cell, line)
    return str(caught.value)


# what is compared beyond the tables of test_planted.py
FURTHER = {
    "a value off by one part in a million": (
        "x = T.tensor([1.0, 2.0])" + ONLY_PYTORCH + "x = x + T.tensor([0, 2e-6])",
        r"x differs at \[1\]: 2.0 here, 2.0000",
    ),
    "a float64 off by 1e-9": (
        "x = T.ones(3, dtype=T.float64)" + ONLY_PYTORCH + "x[2] += 1e-9",
        r"x differs at \[2\]",
    ),
    "a number": ("n = 3" + ONLY_PYTORCH + "n = 4", "n differs: 3 here, 4 in PyTorch"),
    "an int against a float": (
        "n = 3" + ONLY_PYTORCH + "n = 3.0",
        "n is int here, float in PyTorch",
    ),
    "a string": ("s = 'a'" + ONLY_PYTORCH + "s = 'b'", "s differs: 'a' here, 'b' in PyTorch"),
    "True against False": (
        "s = True" + ONLY_PYTORCH + "s = False",
        "s differs: True here, False in PyTorch",
    ),
    "an array": (
        "import numpy\nx = numpy.zeros(3)" + ONLY_PYTORCH + "x[1] = 1e-3",
        r"x differs at \[1\]: 0.0 here, 0.001",
    ),
    "a learner's attribute": (
        "class Net(nn.Module):\n    pass\nnet = Net()\nnet.steps = [1]"
        + ONLY_PYTORCH
        + "net.steps[0] = 2",
        r"net.steps\[0\] differs: 1 here, 2 in PyTorch",
    ),
    "the optimizer of other parameters": (
        NET
        + "other = optim.SGD(net[0].parameters(), lr=1.0)"
        + ONLY_PYTORCH
        + "other = optim.SGD(net[2].parameters(), lr=1.0)",
        r"other.param_groups\[0\].params\[0\] and net.0.weight are one tensor only here",
    ),
    "a generator of one's own": (
        "g = T.Generator().manual_seed(0)" + ONLY_PYTORCH + "g.manual_seed(1)",
        "g differs: 'state .* here, 'state ",
    ),
    "beside a mask": (
        "m = T.tensor([[False, True], [False, False]])\ns = T.randn(2, 2).masked_fill(m, -1e9)"
        + ONLY_PYTORCH
        + "s[0, 0] += 100",
        r"s differs at \[0, 0\]",
    ),
    "among many masked": (
        "m = T.arange(100) > 1\ns = T.randn(100).masked_fill(m, -1e9)"
        + ONLY_PYTORCH
        + "s[0] += 1e-4",
        r"s differs at \[0\]",
    ),
    "a float64 beside 1e12": (
        "x = T.tensor([1e12, 1.0], dtype=T.float64)" + ONLY_PYTORCH + "x[1] += 99",
        r"x differs at \[1\]",
    ),
    "among large elements": (
        "x = T.tensor([1e6, 2e6, 3e6, 1.0]) * 1.1" + ONLY_PYTORCH + "x[3] += 0.1",
        r"x differs at \[3\]",
    ),
    "a float of Python": (
        "n = 1e8" + ONLY_PYTORCH + "n = 1e8 + 40",
        "n differs: 100000000.0 here, 100000040.0",
    ),
    "a gradient beside a large one": (
        "w = T.ones(2, requires_grad=True)\n(w * T.tensor([1e9, 1.5])).sum().backward()"
        + ONLY_PYTORCH
        + "w.grad[1] += 50",
        r"w.grad differs at \[1\]",
    ),
    "a slot": (
        "class C:\n    __slots__ = ('n',)\nc = C()\nc.n = 1" + ONLY_PYTORCH + "c.n = 2",
        "c.n differs: 1 here, 2",
    ),
    "a class attribute": (
        "class C:\n    n = 1" + ONLY_PYTORCH + "C.n = 2",
        "C.n differs: 1 here, 2",
    ),
    "a class attribute through an object": (
        "def make():\n    class C:\n        n = 1\n    return C()\nc = make()"
        + ONLY_PYTORCH
        + "type(c).n = 2",
        r"c.__class__.n differs: 1 here, 2",
    ),
    "an attribute of a list": (
        "class L(list):\n    pass\nxs = L([1])\nxs.n = 1" + ONLY_PYTORCH + "xs.n = 2",
        "xs.n differs: 1 here, 2",
    ),
    "an attribute of a dict": (
        "class D(dict):\n    pass\nd = D(a=1)\nd.n = 1" + ONLY_PYTORCH + "d.n = 2",
        "d.n differs: 1 here, 2",
    ),
    "another class of list": (
        "class L(list):\n    pass\nxs = L([1])" + ONLY_PYTORCH + "xs = [1]",
        "xs is L of 1 here, list of 1 in PyTorch",
    ),
    "an attribute of a function": (
        "def f():\n    pass\nf.n = 1" + ONLY_PYTORCH + "f.n = 2",
        "f.n differs: 1 here, 2",
    ),
    "a closure": (
        "def make(n):\n    return lambda: n\nf = make(1)" + ONLY_PYTORCH + "f = make(2)",
        "f.n differs: 1 here, 2",
    ),
    "a default": (
        "def f(t=T.ones(1)):\n    pass" + ONLY_PYTORCH + "f.__defaults__[0].add_(1)",
        r"f.__defaults__\[0\] differs",
    ),
    "an attribute of a tensor": (
        "x = T.ones(1)\nx.n = 1" + ONLY_PYTORCH + "x.n = 2",
        "x.n differs: 1 here, 2",
    ),
    "p of a Dropout": (
        "net = nn.Dropout(0.1)" + ONLY_PYTORCH + "net.p = 0.2",
        "net.p differs: 0.1 here, 0.2",
    ),
    "momentum of a BatchNorm": (
        "net = nn.Sequential(nn.BatchNorm1d(2))" + ONLY_PYTORCH + "net[0].momentum = 0.5",
        "net.0.momentum differs: 0.1 here, 0.5",
    ),
    "gamma of a scheduler": (
        "opt = optim.SGD([T.ones(1)], lr=1.0)\ns = optim.lr_scheduler.StepLR(opt, 2, 0.1)"
        + ONLY_PYTORCH
        + "s.gamma = 0.5",
        "s.gamma differs: 0.1 here, 0.5",
    ),
    "a key": (
        "d = {(1, 2): 5}" + ONLY_PYTORCH + "d = {(1, 3): 5}",
        r"d\[\(1, 2\)\] is int here, missing in PyTorch",
    ),
    "a key that is a tensor": (
        "d = {T.ones(1): 5}" + ONLY_PYTORCH + "d = {T.zeros(1): 5}",
        r"d.keys\(\)\[0\] differs at \[0\]: 1.0 here, 0.0",
    ),
    "tied weights": (
        "net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))\nnet[1].weight = net[0].weight"
        + ONLY_PYTORCH
        + "net[1].weight = nn.Parameter(net[0].weight.detach().clone())",
        "net.1.weight and net.0.weight are one tensor only here",
    ),
    "a copy in place of a second name": (
        "a = T.ones(2)\nb = a" + ONLY_PYTORCH + "b = a.clone()",
        "b and a are one tensor only here",
    ),
    "a tensor in a container on a layer": (
        "from collections import deque\nnet = nn.ReLU()\nnet.kept = deque([T.ones(1)])"
        + ONLY_PYTORCH
        + "net.kept[0] += 1",
        r"net.kept\[0\] differs at \[0\]: 1.0 here, 2.0",
    ),
    "a mask": (
        "import numpy\nx = numpy.ma.array([1.0, 2.0], mask=[0, 1])"
        + ONLY_PYTORCH
        + "x.mask[0] = True",
        r"x._mask differs at \[0\]: False here, True in PyTorch",
    ),
    "an array of objects": (
        "import numpy\nx = numpy.empty(2, object)\nx[0] = T.ones(1)"
        + ONLY_PYTORCH
        + "x[0].add_(1)",
        r"x.flat\[0\] differs at \[0\]: 1.0",
    ),
    "anomaly mode": (
        "x = 1" + ONLY_PYTORCH + "T.autograd.set_detect_anomaly(True)",
        "anomaly is False here, True in PyTorch",
    ),
    "deep in a deque": (
        "from collections import deque\nq = deque([T.ones(1)])" + ONLY_PYTORCH + "q[0].add_(1)",
        r"q\[0\] differs at \[0\]: 1.0",
    ),
    "deep in a namespace": (
        "from types import SimpleNamespace\nq = SimpleNamespace(x=T.ones(1))"
        + ONLY_PYTORCH
        + "q.x.add_(1)",
        r"q.x differs at \[0\]",
    ),
    "deep in a partial": (
        "from functools import partial\nf = partial(print, T.ones(1))"
        + ONLY_PYTORCH
        + "f.args[0].add_(1)",
        r"f.* differs at \[0\]: 1.0 here, 2.0",
    ),
    "one engine on both sides": (
        "import torch\nx = torch.ones(2)",
        "on autograd_core's side the cell .line 3. called torch.ones of PyTorch: use T",
    ),
}


@pytest.mark.parametrize("name", FURTHER)
def test_a_further_difference_is_named(notebook, name):
    cell, message = FURTHER[name]
    error = notebook.both(cell).error
    with pytest.raises(ParityError, match=message):
        raise error


def test_an_in_place_change_of_an_earlier_result_is_compared(session):
    session.run(LOSS + "loss.backward()")
    assert "a.grad differs" in difference(session, "if T.__name__ != 'torch':\n    a.grad.mul_(2)")
    session.run(LOSS + "loss.backward()")
    assert "a.grad is a tensor" in difference(session, ONLY_PYTORCH + "a.grad = None")
    session.run(LOSS)
    assert "a differs at [0]: 2.0 here, 7.0" in difference(
        session, ONLY_PYTORCH + "a.data[0] = 7.0"
    )


def test_all_differences_are_counted_by_name(session):
    message = difference(session, "x, y, z = 1, 2, 3" + ONLY_PYTORCH + "x, y, z = 4, 5, 3")
    assert message == "x differs: 1 here, 4 in PyTorch; 1 more differ: y"


def test_the_line_counts_what_the_cell_made(session):
    cell = (
        "a = T.tensor(2.0, requires_grad=True)\nb = T.tensor(-0.5, requires_grad=True)\n"
        "c = T.tensor(0.3, requires_grad=True)\nu = a * b\nv = u * (u + c)\nloss = u * v\nloss.backward()"
    )
    report, _ = session.run(cell)
    assert (
        repr(report)
        == "✓ both engines agree: 6 tensors, 3 gradients, 1 graph of 7 nodes; no difference"
    )
    report, _ = session.run("w = a")  # a second name for a known tensor
    assert repr(report) == "✓ both engines agree: 1 tensor, 1 gradient; no difference"


def test_two_losses_of_one_trunk_are_two_graphs(session):
    report, _ = session.run(
        "a = T.tensor(2.0, requires_grad=True)\nh = a * a\nx = h * 2\ny = h * 3"
    )
    assert "2 graphs of 4 nodes" in repr(report)


def test_a_rounding_difference_is_shown_and_allowed(session):
    cell = "x = T.tensor([100.0, 1.0])" + ONLY_PYTORCH + "x[1] += 2.5e-7"
    report, _ = session.run(cell)
    assert "largest difference 2e-07" in repr(report) and "[1]" in report.table()
    assert "x differs at [1]" in difference(session, cell.replace("2.5e-7", "6e-7"))


def test_a_number_from_float32_is_judged_as_float32(session):
    session.run("n = T.tensor(1.1).item()" + ONLY_PYTORCH + "n = T.tensor(1.1000001).item()")
    assert "n differs" in difference(session, "n = 1.0" + ONLY_PYTORCH + "n = 1.0000000001")


def test_what_cannot_be_compared_is_counted_and_named(session):
    report, _ = session.run(
        "class Table:\n    def __eq__(self, other):\n        return [True]\n"
        "Table.__module__ = 'elsewhere'\nit, s, table = (i for i in [1]), {T.ones(1)}, Table()"
    )
    assert "3 not compared" in repr(report) and "no rule for generator" in report.table()
    assert (session.report.made, session.report.compared) == (3, 0)
    assert "it: no rule for generator" in repr(session.report)


def test_nothing_to_compare_is_no_tick(session):
    assert repr(session.run("def f():\n    return T.ones(1)")[0]) == "– ran on both engines"
    report, _ = session.run("it = (i for i in [1])")
    assert (
        repr(report) == "– ran on both engines; 1 not compared" and "✓" not in report._repr_html_()
    )
    report, _ = session.run("T.mine, T.exp = T.exp, T.sin\nx = 1")
    assert (
        repr(report) == "✓ both engines agree: 1 number, 2 not compared; no difference"
        and "autograd_core.exp" in report.table()
    )


@pytest.mark.parametrize(
    "cell, line",
    [
        ("assert low < 1", "low < 1: 0.3333 < 1"),
        (
            "assert low < 1 and pair == [1, 2]",
            "low < 1: 0.3333 < 1; pair == [1, 2]: [1, 2] == [1, 2]",
        ),
        ("for i in range(2):\n    assert i < 2\ndel i", "i < 2"),
        (
            "assert x.sum() == 6\nassert low > 0\nassert low < 9\nassert low < 8",
            "x.sum() == 6: [1, 2, 3].sum() == 6; low > 0: 0.3333 > 0; and 2 more",
        ),
        ("assert x.ndim == 1", "x.ndim == 1"),
        (
            "assert len(pair) == 2 and pair[-1] == 2",
            "len(pair) == 2: len([1, 2]) == 2; pair[-1] == 2: 2 == 2",
        ),
        ("assert twice(low) < 1", "twice(low) < 1"),
        ("assert noise < 1e-3", "noise < 1e-3: ≈0 < 0.001"),
        (
            "assert len(x.tolist()) == len(arrays) + 1",
            "len(x.tolist()) == len(arrays) + 1: len([1, 2, 3].tolist()) == len(arrays) + 1",
        ),
        ("assert '<b>' not in names", "'<b>' not in names"),
        (
            "assert all(x.sum() == 6 and x[0] == 1 and x[1] == 2 and x[2] == 3 for k in range(10000))",
            "all(x.sum() == 6 and x[0] == 1 and x[1] == 2 and x[2] == 3 for k in range(10000…",
        ),
    ],
)
def test_a_cell_that_only_asserts_says_what_holds(session, cell, line):
    session.run(
        "low, pair, noise, names, arrays, x = 1 / 3, [1, 2], 2e-17, ['a'], [T.zeros(2).numpy()] * 2, T.tensor([1.0, 2.0, 3.0], requires_grad=True)\n"
        "def twice(number):\n    return 2 * number"
    )
    report, _ = session.run(cell)
    assert repr(report) == f"✓ holds on both engines: {line}"
    assert "<b>'" not in report._repr_html_()


def test_a_claim_that_fails_on_either_engine_holds_nowhere(session):
    with pytest.raises(AssertionError):
        session.run("assert T.ones(1).sum() == 2")
    assert "holds" not in repr(session.run("def f():\n    assert False")[0])


def test_sums_are_judged_by_the_size_of_their_terms(session):
    """float32: what is left of terms that cancel differs by far more than its own last places."""
    cell = (
        "T.manual_seed(0)\nx, y = T.randn(64, 8), T.randn(64, 1)\nw = T.randn(8, 1, requires_grad=True)\n"
        "loss = ((x @ w - y) * T.randn(64, 1) * 1e3).sum()\nloss.backward()"
    )
    for seed in range(8):
        session.run(cell.replace("seed(0)", f"seed({seed})"))
    assert "w.grad differs" in difference(session, cell + ONLY_PYTORCH + "w.grad[3] *= 1.0001")


def test_a_sum_that_cancels_is_tried_with_shaken_numbers(session):
    """Both sides are as they would be without the trial: the trial runs the cell again, freed graph
    and all.
    """
    session.run("a = T.tensor([0.1, 0.7], requires_grad=True)\nlog = []\nh = (a * a * 1.1).sum()")
    cell = (
        "log.append(T.rand(1).item())\nh.backward()\nw = T.tensor([1e4, 0.3, -1e4]) * 1.23456\n"
        "n = w.sum().item()" + ONLY_PYTORCH + "n += 0.001"
    )
    session.run(cell)
    ours, theirs = session.ours.namespace, session.theirs.namespace
    assert (
        len(ours["log"]) == len(theirs["log"]) == 1
        and ours["a"].grad.tolist() == theirs["a"].grad.tolist()
    )
    assert "n differs" in difference(
        session, cell.replace("h.backward()", "None").replace("0.001", "0.1")
    )
    session.run("z = T.rand(2)")
    with pytest.raises(RuntimeError, match="a second time"):
        session.run("h.backward()")


def test_what_a_cell_asserts_need_not_hold_of_shaken_numbers(session):
    cell = (
        "w = T.tensor([1e4, 0.3, -1e4]) * 1.23456\nassert all(w == T.tensor([1e4, 0.3, -1e4]) * 1.23456)\nn = w.sum().item()"
        + ONLY_PYTORCH
        + "n += {}"
    )
    session.run(cell.format(0.001))
    assert "n differs" in difference(session, cell.format(0.1))
    with pytest.raises(AssertionError):
        session.run("assert T.ones(1).item() == 2")


def test_an_unchanged_nan_is_not_counted_again(session):
    session.run("n = float('nan')")
    assert repr(session.run("m = 1")[0]) == "✓ both engines agree: 1 number; no difference"


def test_long_tables_are_cut_and_markup_is_text(session):
    report, _ = session.run("xs = list(range(500))\nd = {'<b>': 1}")
    assert "… and " in report.table() and "<b>" not in report.table()
    report, _ = session.run("d = {'<b>': 1}")
    assert "&lt;b&gt;" in report.table()


def test_the_graph_of_a_gradient_is_compared_by_its_numbers_alone(session):
    cell = (
        LOSS + "g, = T.autograd.grad(loss, a, create_graph=True)\nh, = T.autograd.grad(g.sum(), a)"
    )
    with pytest.raises(ParityError, match="graph of g") as caught:
        session.run(cell)
    assert "%%both second-order" in caught.value.__notes__[-1]
    report, _ = session.run(cell, "second-order")
    assert "graph" not in report.line()
    assert "h differs at [0]" in difference(
        session, cell + ONLY_PYTORCH + "h[0] += 1", "second-order"
    )


def test_a_deep_graph_is_walked_without_recursion(session):
    report, _ = session.run(
        "w = T.ones((), dtype=T.float64, requires_grad=True)\ny = w\nfor _ in range(3000):\n    y = y + w"
    )
    assert "1 graph of 3001 nodes" in repr(report)


def run_alone(program):
    """Run a program in a process of its own, which must live to its last line."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import torch, autograd_core\nfrom autograd_core.parity.both import Session\n"
            "from autograd_core.parity import watching\nsession = Session(autograd_core, torch, {})\n"
            + program,
        ],
        capture_output=True,
        text=True,
    )
    assert done.stdout.endswith("alive\n"), done.stderr


@pytest.mark.prove
def test_a_graph_of_60_000_nodes_is_compared_as_far_as_pytorch_bears_it():
    run_alone(
        "report, _ = session.run('b = T.ones(1, requires_grad=True)\\nfor _ in range(60_000):\\n    b = b + 1\\nb.backward()', "
        "'unwatched')\nassert '1 not compared' in repr(report) and 'beyond the first 20,000' in report.table()\n"
        "session.run('b = T.ones(1, requires_grad=True)\\nfor _ in range(60_000):\\n    b = b + 1\\nb.backward()')\n"
        "session.run('b = None')\nprint('alive')"
    )


def test_a_growing_graph_that_is_run_through_again_and_again_can_be_watched():
    run_alone(
        "total = torch.ones((), requires_grad=True) * 1\nwith watching():\n    for _ in range(50):\n"
        "        for _ in range(1000):\n            total = total * 1\n"
        "        total.backward(retain_graph=True)\ndel total\nprint('alive')"
    )


def test_nested_tensors_can_be_watched():
    run_alone(
        "with watching():\n    a = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], requires_grad=True)\n"
        "    (a * 2).to_padded_tensor(0.0).sum().backward()\nprint('alive')"
    )


@pytest.mark.parametrize(
    "ours, theirs, size, index",
    [
        ([1.0, 2.0], [1.0, 2.5], 0.5, (1,)),
        ([[1.0], [math.nan]], [[1.0], [math.nan]], 0.0, None),
        ([math.inf], [1.0], math.inf, (0,)),
        ([], [], 0.0, None),
    ],
)
def test_the_gap_between_arrays(ours, theirs, size, index):
    gap = gap_between(np.array(ours), np.array(theirs))
    assert (gap.size, gap.index) == (size, index)
    assert gap.agrees == (size == 0)


def test_integers_beyond_float64_are_told_apart():
    assert not gap_between(np.array([2**62]), np.array([2**62 + 1])).agrees


@pytest.mark.parametrize(
    "dtype, tolerance",
    [
        ("float64", FLOAT64_TOLERANCE),
        ("complex128", FLOAT64_TOLERANCE),
        ("float32", 4 * 2.0**-23),
        ("complex64", 4 * 2.0**-23),
        ("float16", 4 * 2.0**-10),
        ("int64", 0.0),
        ("bool", 0.0),
    ],
)
def test_each_element_is_judged_by_its_own_magnitude(dtype, tolerance):
    one = np.ones(3, dtype)
    beyond = one.copy()
    beyond[1] += 1 if dtype in ("int64", "bool") else np.array(1.5 * tolerance).astype(dtype)
    beyond[1] = 0 if dtype == "bool" else beyond[1]
    assert gap_between(one, one).agrees and not gap_between(one, beyond).agrees
    if tolerance:
        within = one.copy()
        within[1] += np.array(0.5 * tolerance).astype(dtype)
        assert gap_between(one, within).agrees

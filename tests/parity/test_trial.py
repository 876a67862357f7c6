"""What rounding may do is measured: our side's cells run again, in names of their own, with their
last places shaken.
"""

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.parity import both, rounding
from autograd_core.parity.compare import ParityError

SUM = "w = T.tensor([1e4, 0.3, -1e4]) * {scale}\ntotal = w.sum()"
OFF = "\nif T.__name__ == 'torch':\n    total = total + {}"
CHAOS = "x = T.tensor([0.3, 0.4])\nfor _ in range(200):\n    x = r * x * (1 - x)"
TRAINING = """
T.manual_seed({seed})
net = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
x, y = T.randn(64, 8), T.randn(64, 1)
opt = {optimizer}
"""
EPOCH = """
for _ in range(10):
    loss = ((net(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "optimizer",
    ["optim.SGD(net.parameters(), lr=0.1, momentum=0.9)", "optim.Adam(net.parameters(), lr=0.01)"],
)
def test_a_training_over_twenty_cells_raises_nothing(session, optimizer, seed):
    session.run(TRAINING.format(optimizer=optimizer, seed=seed))
    for _ in range(20):
        assert session.run(EPOCH)[0].mark == "✓"
    assert session.carried and max(session.carried.values()) < 1e-3


@pytest.mark.parametrize("scale", [1.23456, 1.7654321, 2.345678])
def test_what_a_sum_may_be_off_is_what_its_terms_can_do(session, scale):
    session.run(SUM.format(scale=scale) + OFF.format(1e-3))
    assert session._trials[0].done == 1
    with pytest.raises(ParityError, match="total differs: .* apart, rounding allows"):
        session.run(SUM.format(scale=scale) + OFF.format(0.1))


@pytest.mark.parametrize("trials", [3, both.TRIALS])
def test_one_number_may_move_little_by_chance(monkeypatch, trials):
    """The sum of these terms moves by 5e-6 at most in the first three trials, by 2e-5 in the sixth."""
    monkeypatch.setattr(both, "TRIALS", trials)
    session = both.Session(autograd_core, torch, {})
    cell = "T.manual_seed(15)\nw = T.randn(200)\nw = w - w.mean()\ntotal = (w * 1.1).sum()"
    if trials == 3:
        with pytest.raises(ParityError, match="total differs: .* apart, rounding allows"):
            session.run(cell + OFF.format(4e-5))
    else:
        session.run(cell + OFF.format(4e-5))
    with pytest.raises(ParityError, match="total differs: .* apart, rounding allows"):
        session.run(cell + OFF.format(4e-4))


def test_an_allowance_does_not_pass_from_large_elements_to_a_small_one(session):
    cell = "x = T.linspace(-3, 4, 300_001) * 1.1\nz = T.stack([x.sum(), (x * 1.5).sum(), (x * x).sum(), T.tensor({})])"
    session.run(cell.format(0.9))
    with pytest.raises(ParityError, match=r"z differs at \[3\]"):
        session.run(cell.format("0.9 if T.__name__ == 'torch' else 0.9001"))
    with pytest.raises(ParityError, match=r"x differs at \[3\]"):
        session.run(
            "x = T.tensor([1e9, 1.1e9, 1.2e9, 1.0]) * (1 + 1e-7)\nif T.__name__ == 'torch':\n"
            "    x = x * T.tensor([1 + 1e-7] * 3 + [40.0])"
        )


def test_what_rounding_alone_moves_is_not_compared(session):
    report, _ = session.run(f"r = 3.8 if T.__name__ == 'torch' else 3.9\n{CHAOS}\ndel r")
    assert repr(report).startswith(
        "– ran on both engines; 1 not compared: rounding alone moves it by "
    )
    report, _ = session.run(
        f"r = T.tensor([3.8 if T.__name__ == 'torch' else 3.9, 2.0])\n{CHAOS}\ndel r"
    )
    assert "1 element not compared: rounding alone moves it by " in repr(report)
    assert "x: rounding alone moves it by " in repr(session.report)


def test_the_trial_leaves_everything_as_it_is(session):
    session.run("a = T.tensor([0.1, 0.7], requires_grad=True)\nlog = []\nh = (a * a * 1.1).sum()")
    session.run(
        "log.append(T.rand(1).item())\nh.backward()\nw = T.tensor([1e4, 0.3, -1e4]) * 1.23456\n"
        "n = w.sum().item()\nif T.__name__ == 'torch':\n    n += 1e-3"
    )
    ours, theirs = session.ours.namespace, session.theirs.namespace
    assert session._trials[0].done == 2 and len(ours["log"]) == len(theirs["log"]) == 1
    assert ours["a"].grad.tolist() == theirs["a"].grad.tolist()
    session.run("z = T.rand(2)")
    assert session._trials[0].done == 2  # no trial where the last places suffice


def test_a_trial_knows_what_ordinary_cells_made_for_each_cell(session):
    names = session.ours.namespace
    for names["scale"] in (1.1, 1.23456):
        names["given"] = np.arange(3.0)
        session.run("given += 1\nw = T.tensor([1e4, 0.3, -1e4]) * scale")
    names["scale"] = 1e-30
    session.run("total = w.sum()" + OFF.format(1e-3))
    assert session._trials[0].side.namespace["given"].tolist() == [1, 2, 3]


def test_what_no_cell_did_is_no_rounding(session):
    """The trial that shakes nothing does not give our numbers again."""
    session.run(SUM.format(scale=1.23456) + "\np = T.ones(2)")
    names = session.ours.namespace
    # told; what it does not touch is judged as ever
    names["p"].mul_(2)
    line = session.run("total = w.sum()" + OFF.format(1e-3))[0].line()
    assert (
        "but p differs at [0]: 2.0 here, 1.0 in PyTorch: an ordinary cell changed autograd_core's side alone"
        in line
    )
    for factor in (2, 1 + 1e-5):
        session.run("p = T.ones(2)\nv = T.tensor([1e4, 0.3, -1e4], requires_grad=True)")
        names["v"].register_hook(lambda g, factor=factor: g * factor)
        with pytest.raises(
            ParityError, match=r"v.grad differs at \[0\].*rounding allows"
        ) as caught:
            session.run("(v * 1.23456).sum().backward()")
        assert "rounding alone" not in str(caught.value) and "such as a hook or a method" in str(
            caught.value.__notes__
        )
    session.run("v = 0\nnet = nn.Linear(2, 2)\ny = net(T.ones(1, 2))")
    with pytest.raises(ParityError, match="n differs") as caught:
        session.run("n = 1.5 if T.__name__ == 'torch' else 2.5")
    assert "cells alone" not in str(caught.value.__notes__)
    session.run("n = 0")
    names["net"].register_forward_hook(lambda net, given, out: out * (1 + 1e-5))
    with pytest.raises(
        ParityError, match="graph of y: node .* AddmmBackward0 in PyTorch"
    ) as caught:
        session.run("y = net(T.ones(1, 2))")
    assert "The %%both cells alone do not give y again" in str(caught.value.__notes__)
    with pytest.raises(ParityError, match="z differs|graph of z") as caught:
        session.run("z = y * 1.5")
    assert "Before this cell" in str(caught.value.__notes__) and "cells alone" not in str(
        caught.value.__notes__
    )


@pytest.mark.parametrize("run", [1, 2, 3, 4], ids=["ours", "theirs", "still", "shaken"])
def test_who_interrupts_waits_for_no_trial_and_loses_nothing(session, monkeypatch, run):
    """The cell counts its runs in a module that all share."""
    import string

    monkeypatch.setattr(string, "runs", 0, raising=False)
    session.run(SUM.format(scale=1.23456))
    session.ours.namespace["given"] = 2
    off = OFF.format(1e-3)
    with pytest.raises(KeyboardInterrupt) as caught:
        session.run(
            f"import string\nstring.runs += given - 1\ntotal = w.sum(){off}\n"
            f"if string.runs == {run}:\n    raise KeyboardInterrupt"
        )
    assert string.runs == run and "ran to their end" not in str(
        getattr(caught.value, "__notes__", "")
    )
    assert "1 not compared: rounding alone moves it by" in repr(
        session.run("total = w.sum()" + off)[0]
    )
    with pytest.raises(ParityError, match="total differs"):
        session.run("total = w.sum()" + OFF.format(1))


@pytest.mark.parametrize(
    "planted",
    [
        lambda patch: patch.setattr(rounding, "SHAKEN_BY", 2e7),
        lambda patch: patch.setattr(both, "TRIALS", 0),
    ],
)
def test_a_trial_that_shakes_too_much_or_none_is_noticed(monkeypatch, planted):
    planted(monkeypatch)
    cell = SUM.format(scale=1.23456) + OFF

    def outcome(by):
        try:
            return both.Session(autograd_core, torch, {}).run(cell.format(by))[0].mark
        except ParityError:
            return "≠"

    assert [outcome(1e-3), outcome(0.1)] != ["✓", "≠"]


def test_what_a_cell_asserts_need_not_hold_of_shaken_numbers(session):
    cell = (
        "w = T.tensor([1e4, 0.3, -1e4]) * 1.23456\nassert all(w == T.tensor([1e4, 0.3, -1e4]) * 1.23456)\n"
        "n = w.sum().item()\nif T.__name__ == 'torch':\n    n += {}"
    )
    session.run(cell.format(0.001))
    with pytest.raises(ParityError, match="n differs"):
        session.run(cell.format(0.1))
    with pytest.raises(AssertionError):
        session.run("assert T.ones(1).item() == 2")

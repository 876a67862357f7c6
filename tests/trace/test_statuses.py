"""Parameters with a gradient that trains nothing: nan, only rounding, registered nowhere; and the
fixed version of each program.
"""

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import autograd_core
from autograd_core.parity import watching
from autograd_core.trace import follow, report, rounding

from .models import gpt_loss, resnet_loss

TYPES = torch.float32, torch.float64, torch.bfloat16
ALL = "*"


def net_of(T, *parts):
    T.manual_seed(0)
    return T.nn.Sequential(*parts)


def conv(norm):
    return net_of(torch, nn.Conv2d(3, 8, 3), norm, nn.ReLU(), nn.Flatten(), nn.Linear(1568, 3))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.q, self.k, self.v = (nn.Linear(6, 6) for _ in range(3))

    def forward(self, x):
        return (self.q(x) @ self.k(x).T).softmax(-1) @ self.v(x)


class Halves(nn.Module):
    """Two results whose gradients are 1.1 and `other` at the same weight."""

    def __init__(self, other):
        super().__init__()
        self.w, self.other = nn.Parameter(torch.ones(6)), other

    def forward(self, x):
        return ((self.w * 3 - self.w * 1.1 - self.w * self.other) * x).sum()


def linear(T=torch):
    return net_of(T, T.nn.Linear(6, 8), T.nn.ReLU(), T.nn.Linear(8, 3))


def normed(T=torch):
    return net_of(T, T.nn.Linear(6, 8), T.nn.BatchNorm1d(8), T.nn.ReLU(), T.nn.Linear(8, 3))


def saturated(scale):
    net = net_of(torch, nn.Linear(6, 8), nn.Sigmoid(), nn.Linear(8, 3))
    nn.init.zeros_(net[0].weight)
    nn.init.constant_(net[0].bias, scale)
    return net


def square(out):
    return out.pow(2).mean()


# {case: (the model, its loss of the output, the parameters whose gradient is only rounding)}
CASES = {
    "softmax over all classes": (linear, lambda out: out.softmax(1).sum(), ALL),
    "softmax of one class": (linear, lambda out: out.softmax(1)[:, 0].sum(), ""),
    "exp of log_softmax": (linear, lambda out: out.log_softmax(1).exp().mean(), ALL),
    "LayerNorm, sum": (lambda: net_of(torch, nn.Linear(6, 8), nn.LayerNorm(8)), torch.sum, "0."),
    "LayerNorm": (
        lambda: net_of(torch, nn.Linear(6, 8), nn.LayerNorm(8)),
        lambda o: o[:, 0].sum(),
        "",
    ),
    "bias before BatchNorm": (normed, square, "0.bias"),
    "bias before BatchNorm that is frozen": (lambda: normed().eval(), square, ""),
    "bias of a convolution before BatchNorm": (lambda: conv(nn.BatchNorm2d(8)), square, "0.bias"),
    "bias of a convolution before GroupNorm": (lambda: conv(nn.GroupNorm(2, 8)), square, ""),
    "key bias": (Attention, square, "k.bias"),
    "last bias of a critic": (linear, lambda out: out[:4].mean() - out[4:].mean(), "2.bias"),
    "cancellation": (lambda: Halves(1.9), torch.sum, "w"),
    "no cancellation": (lambda: Halves(1.8), torch.sum, ""),
    "1e-9": (linear, lambda out: square(out) * 1e-9, ""),
    "1e-12": (linear, lambda out: square(out) * 1e-12, ""),
    "1e-30": (linear, lambda out: square(out) * 1e-30, ""),
    "sigmoid near 0": (lambda: saturated(-20), square, ""),
    "sigmoid near 1": (lambda: saturated(4.5), square, ""),
    "cross entropy near 0": (
        linear,
        lambda o: F.cross_entropy(o + torch.tensor([20, 0, 0]), o.new_zeros(8).long()),
        "",
    ),
}


def input_of(name, dtype):
    torch.manual_seed(1)
    shape = (8, 3, 16, 16) if "convolution" in name else (6,) if "cancel" in name else (8, 6)
    return torch.randn(shape).to(dtype)


def statuses(found):
    return {each.parameter.name.partition(".")[2]: each.status for each in found.verdicts.statuses}


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_a_gradient_that_is_only_rounding_is_told_from_a_small_one(name, dtype):
    make, loss_of, wanted = CASES[name]
    net, x = make().to(dtype), input_of(name, dtype)
    with watching():
        passed = loss_of(net(x))
        passed.backward()
    for found in (report(loss_of(net(x)), net), report(passed, net)):
        for parameter, status in statuses(found).items():
            noise = wanted == ALL or bool(wanted) and parameter.startswith(wanted)
            allowed = {"only rounding", "zero"} if noise else {"trained"}
            assert status in allowed, (parameter, status)


@pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])
def test_both_engines_tell_the_same(T):
    x = T.randn(8, 6)
    net = linear(T)
    told = {*statuses(report(net(x).softmax(1).sum(), net)).values()}
    assert told <= {"only rounding", "zero"}
    net = normed(T)
    told = statuses(report(net(x).pow(2).mean(), net))
    assert [name for name, status in told.items() if status == "only rounding"] == ["0.bias"]


def test_the_row_names_the_place_the_size_and_the_consequence():
    net, x = linear(), torch.randn(8, 6)
    with watching():
        loss = net(x).softmax(1).sum()
    found = report(loss, net)
    assert found.line.startswith("4 parameters: 0 trained, 4 with only rounding in the gradient")
    [row] = [line for line in str(found).splitlines() if line.startswith("rounding")]
    assert "At SoftmaxBackward0: loss = net(x).softmax(1).sum()" in row
    assert "cancel to" in row and "Adam turns this into full steps" in row
    with pytest.raises(AssertionError, match="found: rounding\n"):
        found.raise_if(rounding=True)
    report(net(x).softmax(1)[:, 0].sum(), net).raise_if(rounding=True, zero=True, cut=True)


def test_without_a_second_run_nothing_is_found(monkeypatch):
    monkeypatch.setattr(rounding, "_uncancelled", lambda *_: {})
    net = linear()
    told = statuses(report(net(torch.randn(8, 6)).softmax(1).sum(), net))
    assert {*told.values()} == {"trained"}


def test_no_healthy_model_runs_a_node_again(monkeypatch):
    monkeypatch.setattr(rounding, "_run_again", lambda *_: pytest.fail("a node ran again"))
    for net, make_loss in (resnet_loss(), gpt_loss(layers=2)):
        report(make_loss(), net).raise_if(rounding=True)


def test_the_learners_own_function_and_a_checkpoint_run_once():
    runs = []

    class Zero(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, constant):
            return x * constant

        @staticmethod
        def backward(ctx, g):
            runs.append("function")
            return g * 1e-12, g  # also for the constant, which needs none

    def part(x):
        runs.append("part")
        return (x * 1e-12).sin()

    net = nn.Linear(6, 1)
    hooked = net(torch.randn(8, 6))
    hooked.register_hook(lambda g: runs.append("hook"))
    loss = Zero.apply(checkpoint(part, hooked, use_reentrant=False), torch.ones(1)).sum()
    found = report(loss, net)
    assert runs == ["part", "function", "part", "hook"]
    assert {*statuses(found).values()} == {"trained"}


# ---- nan -----------------------------------------------------------------------------------------


def test_a_gradient_with_nan_or_inf_is_not_trained():
    net = linear()
    net[0].weight.register_hook(lambda g: g * torch.inf)
    found = report(square(net(torch.randn(8, 6))), net)
    counts = "4 parameters: 3 trained, 1 with nan or inf in the gradient, 0 cut. Gradients"
    assert found.line.startswith(counts) and found.verdicts.range[1] < 10
    assert statuses(found)["0.weight"] == "nan"


# ---- registered nowhere --------------------------------------------------------------------------


class Scaled(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.a, self.scale = nn.Linear(6, 6), scale

    def forward(self, x):
        return self.a(x) * (self.scale[0] if isinstance(self.scale, list) else self.scale)


def one():
    return nn.Parameter(torch.ones(6))


UNREGISTERED = {
    "a list": lambda: [one()],
    "converted": lambda: one().double().float(),
    "a list of results": lambda: [one() + 0.1],
    "registered": one,
    "no parameter": lambda: torch.ones(6),
}


def looked_at(net, loss_of, T=torch, held=()):
    """(the report, the history of three steps)"""
    optimizer = T.optim.SGD([*net.parameters(), *held], lr=0.1)
    with watching():
        loss = loss_of()
    found = report(loss, net)
    with follow(net, optimizer) as history:
        for _ in range(3):
            optimizer.zero_grad()
            loss_of().backward()
            optimizer.step()
    return found, history


def told_by(*given, **options):
    """(the report, the names that `follow` calls unregistered)"""
    found, history = looked_at(*given, **options)
    told = [text.partition(": ") for _, text in history.surprises()]
    return found, [name for name, _, text in told if "no module registers it" in text]


@pytest.mark.parametrize("name", UNREGISTERED)
def test_a_parameter_that_belongs_to_no_module_is_told_by_report_and_follow(name):
    net, x = Scaled(UNREGISTERED[name]()), torch.randn(8, 6)
    found, said = told_by(net, lambda: square(net(x)))
    lost = [each for each in found.verdicts.statuses if each.status == "unregistered"]
    assert [each.parameter.name for each in lost] == said
    assert bool(said) == (name not in ("registered", "no parameter"))
    assert not said or said[0].startswith("Scaled.scale")


@pytest.mark.parametrize("held", [False, True])
def test_a_parameter_beside_the_model_is_told_unless_an_optimizer_moves_it(held):
    net, x, scale = nn.Linear(6, 6), torch.randn(8, 6), one()
    found, said = told_by(net, lambda: square(net(x) * scale), held=[scale] * held)
    assert ("1 registered nowhere" in found.line) != held and len(said) == (not held)


# ---- buffers of a frozen part --------------------------------------------------------------------


@pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])
@pytest.mark.parametrize("case", ["drifts", "eval", "trained"])
def test_a_frozen_batch_norm_that_drifts_is_told_by_report_and_follow(T, case):
    net, x = normed(T), T.randn(8, 6)
    net[:2].requires_grad_(case == "trained")
    if case == "eval":
        net[1].eval()
    found, history = looked_at(net, lambda: square(net(x)), T)
    told = [text for _, text in history.surprises() if "running statistics change" in text]
    assert bool(told) == ("Mistakes: buffers" in found.line) == (case == "drifts")


# ---- steps without effect ------------------------------------------------------------------------


@pytest.mark.parametrize("rate, still", [(1e-9, True), (0.0, True), (1e-3, False)])
def test_steps_that_move_nothing_are_told(rate, still):
    net, x = linear(), torch.randn(8, 6)
    optimizer = torch.optim.SGD(net.parameters(), lr=rate)
    with follow(net, optimizer) as history:
        for _ in range(3):
            optimizer.zero_grad()
            square(net(x)).backward()
            optimizer.step()
    assert ("all weight matrices: no step moves one by more than" in repr(history)) == still

"""A trace of our run and one of PyTorch's are equal event by event, and each planted error is found
by each checker.
"""

import contextlib

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.core import engine
from autograd_core.core.operation import REGISTRY, operation
from autograd_core.ops.table import numpy_ops
from autograd_core.parity.torch_tape import TorchTape
from autograd_core.trace import Tape, difference, names_in, trace
from tests.engines import ENGINES, differing


def close(x, y):
    return not np.any(differing(np.asarray(x), np.asarray(y)))


HEAD = """
T.manual_seed(0)
x, y = T.rand(6, 2, dtype=T.float64), T.rand(6, 1, dtype=T.float64)
a, b = T.tensor([0.5, -1.5], dtype=T.float64, requires_grad=True), T.tensor(2.0, dtype=T.float64, requires_grad=True)
"""
PROGRAMS = {
    "fan-out": "h = a * b\nloss = (h * h + h.tanh() + a).sum()",
    "a loop": "h = a\nfor i in range(4):\n    h = h.tanh() * b if i % 2 else h + i\nloss = h.sum()",
    "a mask": "p = (x @ a).sigmoid()\nloss = -T.where(y[:, 0] > 0.5, p, 1 - p).log().mean()",
    "a number behind a mask": "w = T.tensor([0.5, 2.0], requires_grad=True)\n"
    "loss = T.where(w > 1, w.log(), 0.0).sum() + T.where(w > 1, 1, w).sum()",
    "views": "m = a.unsqueeze(1).expand(2, 3).t()\nloss = (m.reshape(6)[1:] * m.flatten()[:-1]).sum() + m[0].sum()",
    "in place": "h = a * 2\nh += b\nh.mul_(a).sub_(1)\nloss = h.exp_().sum()",
    "no_grad": "with T.no_grad():\n    scale = a * 3\nloss = (a * scale + b.detach()).sum()",
    "several outputs": "first, second = a.split(1)\nloss = first.sum() * second.exp().sum() + sum(a.unbind())",
    "a network": "net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1), nn.Sigmoid()).double()\n"
    "loss = nn.BCELoss()(net(x), y)",
    "two losses, one net": "net = nn.Linear(2, 1).double()\nout = net(x).tanh()\n"
    "loss = nn.MSELoss()(out, y) + 0.1 * (net.weight ** 2).sum()",
    "two backward passes": "loss = (a * b).sum()\nloss.backward(retain_graph=True)\nloss.backward()",
    "two losses, two backward passes": "h = a * b\nh.exp().sum().backward(retain_graph=True)\nloss = (h * a).sum()\n"
    "loss.backward()",
    "a training step": "net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)).double()\n"
    "optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)\nloss = nn.MSELoss()(net(x), y)\n"
    "loss.backward()\noptimizer.step()\nnet.zero_grad()",
    "Adam, zeros": "optimizer = optim.Adam([a, b], lr=0.1)\nloss = (a * b).sum() ** 2\nloss.backward()\n"
    "optimizer.step()\noptimizer.zero_grad(set_to_none=False)",
    "a step inside a step": "class Halves(optim.Optimizer):\n    def step(self):\n        inner.step()\n"
    "        with T.no_grad():\n            a.mul_(0.5)\n            b.mul_(0.5)\n"
    "inner = optim.SGD([a, b], lr=0.1)\nloss = (a * b).sum()\nloss.backward()\nHalves([a, b], {}).step()",
    "retain_grad and hooks": "h = a * b\nh.retain_grad()\nh.register_hook(lambda g: g * 2)\nloss = (h * h).sum()\n"
    "loss.backward()",
    "a frozen part": "net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)).double()\nnet[0].requires_grad_(False)\n"
    "loss = net(x * b).mean()",
    "float32": "w = T.tensor([0.1, 0.2, 0.3], requires_grad=True)\nloss = (w.exp() / w.exp().sum()).log()[0]",
}


def trace_of(program, engine, make_tape):
    """Run the program on a tape and trace its `loss`."""
    names = {"T": engine, "F": engine.nn.functional, "nn": engine.nn, "optim": engine.optim}
    exec(HEAD, names)
    tape = make_tape()
    with tape.recording():
        exec(program, names)
    return trace(names["loss"], names=names_in(names), tape=tape)


def both_traces(program):
    return trace_of(program, autograd_core, Tape), trace_of(program, torch, TorchTape)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_traces_are_equal(program):
    ours, theirs = both_traces(program)
    assert difference(ours, theirs, close) is None
    assert ours.engine == "autograd_core" and theirs.engine == "PyTorch"
    kinds = [e.kind for e in ours.events]
    made = sum(node.kind in ("operation", "severed") for node in ours.nodes)
    assert kinds.count("forward") == made and "backward" in kinds
    assert all(node.value is not None for node in (*ours.nodes, *theirs.nodes))


def test_without_a_tape():
    """The backward pass is run on the side; of values only the leaves' and the loss's are known."""
    results = []
    for T in ENGINES:
        a = T.tensor([1.0, 2.0], dtype=T.float64, requires_grad=True)
        loss = (a * a).exp().sum()
        results.append(trace(loss, names_in({"a": a, "loss": loss})))
        assert a.grad is None
        loss.backward()
    assert difference(*results, close) is None


# ---- planted errors ------------------------------------------------------------------------------


def wrong_rule(monkeypatch):
    """The slope of exp, too large by a thousandth."""
    node = REGISTRY["ExpBackward0"].node_type
    monkeypatch.setattr(node, "apply", lambda *given, right=node.apply: (right(*given)[0] * 1.001,))


def swapped_slots(monkeypatch):
    """The two gradients of a product, exchanged."""
    node = REGISTRY["MulBackward0"].node_type
    monkeypatch.setattr(node, "apply", lambda *given, right=node.apply: right(*given)[::-1])


def dropped_accumulation(monkeypatch):
    """Where two gradients meet, the second is lost."""
    monkeypatch.setattr(numpy_ops, "add", lambda before, gradient: before)


def wrong_forward(monkeypatch):
    """A forward, too large by a thousandth."""
    monkeypatch.delitem(REGISTRY, "ExpBackward0")
    wrong = operation(input=lambda g, result: g * result, node="ExpBackward0")(
        lambda input: np.exp(input) * 1.001
    )
    monkeypatch.setattr(autograd_core.Tensor, "exp", wrong)


def wrong_order(monkeypatch):
    """The ready node recorded first goes first."""
    monkeypatch.setattr(engine, "heappop", lambda ready: ready.pop(ready.index(max(ready))))


def lost_edge(monkeypatch):
    """One input is taken for a constant."""
    multiply = autograd_core.Tensor.__mul__
    monkeypatch.setattr(
        autograd_core.Tensor, "__mul__", lambda input, other: multiply(input, other.detach())
    )


PROGRAM = "h = a * b\ng = h.exp()\nk = g * a\nloss = (k + h + a.tanh()).sum()"
PLANTED = [wrong_rule, swapped_slots, dropped_accumulation, wrong_forward, wrong_order, lost_edge]


@pytest.mark.parametrize("plant", PLANTED, ids=lambda p: p.__name__)
def test_a_planted_error_is_found_by_the_traces(plant, monkeypatch):
    assert difference(*both_traces(PROGRAM), close) is None
    plant(monkeypatch)
    assert difference(*both_traces(PROGRAM), close) is not None


# ---- the rules that are shown --------------------------------------------------------------------


def test_a_tape_forgets_the_oldest_backward_passes():
    """A training loop that is recorded must not fill the memory; the latest pass is there whatever
    its size.
    """
    for T, tape in (autograd_core, Tape()), (torch, TorchTape()):
        layer, losses, tape.limit = T.nn.Linear(4, 4), [], 12
        with tape.recording():
            for _ in range(8):
                losses.append(layer(T.ones(1, 4)).sum())
                losses[-1].backward()
        held = sum(len(record.events) for record in tape.records)
        assert tape.backward_of(losses[0]) is None and tape.backward_of(losses[-1]).events
        assert held <= 12 and 1 <= len(tape.records) < 8


@pytest.mark.parametrize(
    "T, raises",
    [(autograd_core, True), (autograd_core, False), (torch, False)],  # PyTorch tells of no raise
)
def test_a_step_has_ended_also_where_it_raises(T, raises):
    class Halfway(T.optim.SGD):
        def step(self, closure=None):
            with torch.profiler.record_function("a block of its own"):
                p = self.param_groups[0]["params"][0]
            p.detach().mul_(2)
            if raises:
                raise OverflowError

    net = T.nn.Linear(2, 1)
    optimizer = Halfway(net.parameters(), lr=0.1)
    tape = TorchTape() if T is torch else Tape()
    with tape.recording():
        net(T.ones(1, 2)).sum().backward()
        with contextlib.suppress(OverflowError):
            optimizer.step()
        with T.no_grad():
            assert tape.in_forward
    assert [len(record.events) for record in tape.records if not record.roots] == [2]
    assert [write.operation.name for write in tape.writes].count("step") == 1

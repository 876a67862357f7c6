"""What `follow` says by itself: bugs planted in a loop, each with its step, and healthy loops, of
which it says nothing.
"""

import copy
import tracemalloc

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.trace import follow, report
from autograd_core.trace.measure import copied, holds_numbers, measured, share_moved
from autograd_core.trace.summary import BLOCK, summary_of

from .models import followed, loss_of, setting, trained

engines = pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])


@engines
def test_an_optimizer_of_another_model_is_refused_and_one_of_a_converted_model_is_not(T):
    net, optimizer, x = setting(T)
    reason = "was it made for another model, or before this model was copied"
    for other in (copy.deepcopy(net), setting(T)[0], T.nn.ReLU()):
        with pytest.raises(ValueError, match=reason):
            follow(other, optimizer)
    with follow(net.float().double(), optimizer) as history:
        loss_of(net, x.double()).backward()
        optimizer.step()
    assert (history.share[0] > 0).all()


def said(history):
    """[(step, name, sentence)]"""
    return [(step, *text.split(": ", 1)) for step, text in history.surprises()]


# ---- steps that do nothing -----------------------------------------------------------------------


@engines
@pytest.mark.parametrize("once", [False, True])
def test_gradients_that_were_taken_away_are_told_once(T, once):
    def plant(step, net, optimizer):
        if step == 3 or not once:
            optimizer.zero_grad()

    [(step, name, text)] = said(trained(T, 7, plant))
    when = "in this step" if once else "in steps 0 to 6"
    assert (step, name) == (3 if once else 0, "all parameters")
    assert text.startswith(f"no step found a gradient {when}, though backward() brought some")


# ---- gradients that are used twice ---------------------------------------------------------------


@engines
@pytest.mark.parametrize("every", [100, 4])
def test_a_gradient_that_is_used_twice_is_told(T, every):
    def one_step(net, optimizer, x, history):
        loss_of(net, x).backward()
        optimizer.step()
        if len(history) % every == 0:
            optimizer.zero_grad()

    history = followed(T, 9, one_step, lr=0.01)
    assert [(step, name) for step, name, _ in said(history)] == [(1, n) for n in history.names]
    words = "still held the gradient of step 0 when backward() added to it"
    assert all(words in text for *_, text in said(history))


@engines
def test_of_two_parts_the_one_that_is_not_zeroed_is_told(T):
    def one_step(net, optimizer, x, history):
        net[2].zero_grad()
        loss_of(net, x).backward()
        optimizer.step()

    found = said(followed(T, 4, one_step, lr=0.01))
    assert [(step, name) for step, name, _ in found] == [(1, "0.weight"), (1, "0.bias")]


@engines
@pytest.mark.parametrize("how", ["zero_", "data.zero_", "new", "written"])
def test_a_gradient_that_was_zeroed_or_written_by_hand_is_not_used_twice(T, how):
    def one_step(net, optimizer, x, history):
        if how in ("zero_", "data.zero_"):
            for grad in [p.grad for p in net.parameters() if p.grad is not None]:
                (grad if how == "zero_" else grad.data).zero_()
            loss_of(net, x).backward()
        else:
            gradients = T.autograd.grad(loss_of(net, x), [*net.parameters()])
            for p, g in zip(net.parameters(), gradients):
                if how == "new" or p.grad is None:
                    p.grad = g.sign()
                else:
                    p.grad.copy_(g.sign())
        optimizer.step()

    assert said(followed(T, 4, one_step)) == []


# ---- the step that did it ------------------------------------------------------------------------


@engines
def test_a_jump_is_told_of_the_step_that_led_to_it(T):
    def plant(step, net, optimizer):
        optimizer.param_groups[0]["lr"] = 300.0 if step == 6 else 1e-4

    history = trained(T, 9, plant)
    jumps = [found for found in said(history) if "its gradient is" in found[2]]
    assert jumps and {step for step, *_ in jumps} == {6} and history.gradient[7].max() > 100
    assert "times as large" in jumps[0][2] and "the step moved " in jumps[0][2]
    assert min(step for step, *_ in said(history)) == 6


@pytest.mark.parametrize("rate", [1e30, float("nan")])
def test_a_step_that_writes_inf_or_nan_is_told_at_itself(rate):
    def plant(step, net, optimizer):
        if step == 1:
            optimizer.param_groups[0]["lr"] = rate
            net[0].weight.grad.fill_(1e30)

    first = said(trained(torch, 3, plant))[0]
    assert first[:2] == (1, "0.weight") and first[2].startswith("nan or inf in it after this step")


def test_a_pass_on_the_side_counts_as_none():
    def one_step(net, optimizer, x, history):
        loss = loss_of(net, x)
        report(loss)
        torch.autograd.grad(loss, [*net.parameters()], retain_graph=True)
        optimizer.zero_grad()
        report(loss)
        loss.backward()
        optimizer.step()

    assert said(followed(torch, 4, one_step)) == []


@engines
def test_of_one_of_two_optimizers_nothing_is_told_of_the_other(T):
    T.manual_seed(0)
    net = T.nn.ModuleDict({"G": T.nn.Linear(2, 3), "D": T.nn.Linear(3, 1)})
    ours, theirs = (T.optim.Adam(net[name].parameters(), lr=0.01) for name in "DG")
    criterion = T.nn.BCEWithLogitsLoss()
    with follow(net, ours) as history:
        for _ in range(8):
            fake, real = net["G"](T.randn(4, 2)), T.randn(4, 3)
            ours.zero_grad()
            judged = criterion(net["D"](fake.detach()), T.zeros(4, 1))
            (criterion(net["D"](real), T.ones(4, 1)) + judged).backward()
            ours.step()
            theirs.zero_grad()
            criterion(net["D"](fake), T.ones(4, 1)).backward()
            theirs.step()
    assert len(history) == 8 and said(history) == []


# ---- healthy loops, of which nothing is told -----------------------------------------------------


def backward(net, share=1.0):
    x = torch.randn(12, 6)
    (torch.nn.functional.cross_entropy(net(x), x[:, :3].argmax(1)) * share).backward()


def ordinary(step, net, optimizer):
    optimizer.zero_grad()
    backward(net)
    optimizer.step()


def healthy(net=None, kind="SGD", steps=10, one_step=ordinary, trained_part=None, **options):
    torch.manual_seed(0)
    net = net or torch.nn.Sequential(
        torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.BatchNorm1d(16), torch.nn.Linear(16, 3)
    )
    parameters = (trained_part or net).parameters()
    optimizer = getattr(torch.optim, kind)(parameters, **{"lr": 0.1, **options})
    with follow(net, optimizer) as history:
        for step in range(steps):
            one_step(step, net, optimizer)
    return history


def plain_sgd():
    return healthy(momentum=0.9, nesterov=True)


def adam():
    return healthy(kind="Adam", steps=40, lr=3e-3)


def accumulation_over_4():
    def micro_batch(step, net, optimizer):
        backward(net, 0.25)
        if step % 4 == 3:
            torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            optimizer.step()
            optimizer.zero_grad(set_to_none=step % 8 == 3)

    return healthy(steps=32, one_step=micro_batch)


def lbfgs_with_a_closure():
    def with_closure(step, net, optimizer):
        def closure():
            optimizer.zero_grad()
            loss = loss_of(net, x)
            loss.backward()
            return loss

        optimizer.step(closure)

    x = torch.randn(12, 6)
    net = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    return healthy(net, "LBFGS", 12, with_closure, lr=0.5, max_iter=5)


class LowRank(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.base = torch.nn.Linear(6, 3).requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(6, 2))
        self.B = torch.nn.Parameter(torch.zeros(2, 3))

    def forward(self, x):
        return self.base(x) + x @ self.A @ self.B


def low_rank_adaptation():
    return healthy(LowRank(), "AdamW", lr=0.01)


class Experts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = torch.nn.ModuleList(torch.nn.Linear(6, 3) for _ in range(2))

    def forward(self, x):
        return self.experts[x[0, 0] > 0](x)


def experts_that_take_turns():
    return healthy(Experts())


def unfrozen_on_the_way():
    def unfreezes(step, net, optimizer):
        if step == 5:
            net[0].requires_grad_(True)
            optimizer.add_param_group({"params": net[0].parameters(), "lr": 0.01})
        ordinary(step, net, optimizer)

    net = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
    net[0].requires_grad_(False)
    history = healthy(net, one_step=unfreezes, trained_part=net[2])
    assert (history.share[5:, 0] > 0).all()
    return history


LOOPS = (
    plain_sgd,
    adam,
    accumulation_over_4,
    lbfgs_with_a_closure,
    low_rank_adaptation,
    experts_that_take_turns,
    unfrozen_on_the_way,
)


@pytest.mark.parametrize("loop", LOOPS)
def test_of_a_healthy_loop_nothing_is_told(loop):
    torch.manual_seed(0)
    history = loop()
    assert said(history) == [] and "; no surprise" in repr(history)


# ---- what it costs -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["SGD", "AdamW"])
def test_no_step_makes_an_array_as_large_as_a_parameter(kind):
    net = torch.nn.Embedding(20_000, 100)
    optimizer = getattr(torch.optim, kind)(net.parameters(), lr=0.1)
    peaks = []
    with follow(net, optimizer) as history:
        for step in range(3):
            net(torch.arange(30) * 11).square().sum().backward()
            tracemalloc.start()
            optimizer.step()
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            optimizer.zero_grad()
    assert net.weight.nbytes > 10 * max(peaks)
    assert (history.share > 0).all() and history.zeros[0, 0] == 1 - 30 / 20_000


def test_sparse_gradients_stay_sparse(monkeypatch):
    torch.manual_seed(0)
    net = torch.nn.Embedding(1000, 4, sparse=True)
    optimizer = torch.optim.SparseAdam([*net.parameters()], lr=0.1)
    monkeypatch.setattr(torch.Tensor, "to_dense", None, raising=False)
    before = net.weight.detach().clone()
    with follow(net, optimizer) as history:
        net(torch.tensor([3, 3, 500])).square().sum().backward()
        coalesced = net.weight.grad.coalesce().values()
        optimizer.step()
    assert history.gradient[0, 0] == pytest.approx(coalesced.norm().item(), rel=1e-6)
    assert history.zeros[0, 0] == pytest.approx(1 - 2 / 1000)
    moved = (net.weight.detach() - before).norm() / before.norm()
    assert history.share[0, 0] == pytest.approx(moved.item(), rel=1e-5)


@pytest.mark.parametrize("loop", [plain_sgd, adam, lbfgs_with_a_closure, low_rank_adaptation])
def test_where_numpy_cannot_read_the_numbers_pytorch_measures_the_same(loop, monkeypatch):
    torch.manual_seed(1)
    by_numpy = loop()
    torch.manual_seed(1)
    monkeypatch.setattr("autograd_core.trace.measure.array_of", lambda tensor: None)
    by_pytorch = loop()
    for column in ("gradient", "share", "zeros", "nan", "inf"):
        expected = getattr(by_numpy, column)
        np.testing.assert_allclose(getattr(by_pytorch, column), expected, rtol=1e-4, atol=1e-9)


# ---- measuring -----------------------------------------------------------------------------------

LARGE, TYPES = 2 * BLOCK + 5, ("float32", "float64", "complex64")


def numbers(kind):
    values = np.random.default_rng(0).standard_normal(LARGE)
    values[::7] = 0
    if kind == "tiny":
        values *= 1e-30
    if kind == "huge":
        values *= 1e30
    if kind == "nan":
        values[LARGE // 2], values[-1] = np.nan, np.inf
    if kind == "inf":
        values[-1] = -np.inf
    return values * (kind != "zero")


IN_32 = [(k, t) for k in ("plain", "tiny", "huge", "nan", "inf", "zero") for t in TYPES]
IN_16 = [(k, t) for k in ("plain", "nan", "inf", "zero") for t in ("bfloat16", "float16")]


@pytest.mark.parametrize(("kind", "dtype"), IN_32 + IN_16)
def test_a_gradient_is_measured_in_pieces_as_in_whole(kind, dtype):
    tensor = torch.tensor(numbers(kind)).to(getattr(torch, dtype))
    whole = summary_of(
        tensor.to(torch.complex128 if tensor.is_complex() else torch.float64).numpy()
    )
    norm, zeros, nan, inf = measured(tensor)
    assert (nan, inf) == (whole.nan, whole.inf) and zeros == pytest.approx(whole.zeros / LARGE)
    np.testing.assert_allclose(norm, whole.norm, rtol=1e-3 if dtype.endswith("16") else 1e-5)
    assert holds_numbers(tensor) == (kind != "zero")


CHANGES = [(k, t, c) for k in ("plain", "tiny", "huge") for t in TYPES for c in (0.0, 1e-4, 1.0)]


@pytest.mark.parametrize(
    ("kind", "dtype", "change"), [*CHANGES, ("plain", "bfloat16", 0.0), ("plain", "bfloat16", 1.0)]
)
@pytest.mark.parametrize("turned", [False, True])
def test_a_share_is_measured_in_pieces_as_in_whole(kind, change, dtype, turned):
    tensor = torch.tensor(numbers(kind)[:-5].copy()).to(getattr(torch, dtype)).reshape(-1, 64)
    tensor = tensor.T if turned else tensor
    before = copied(tensor)
    wide = torch.complex128 if tensor.is_complex() else torch.float64
    was = tensor.to(wide, copy=True)
    tensor[:, :3] += tensor[:, :3] * change
    expected = ((tensor.to(wide) - was).norm() / was.norm()).item()
    assert share_moved(before, tensor) == pytest.approx(
        expected, rel=1e-2 if dtype == "bfloat16" else 1e-4
    )
    again = copied(tensor, before)
    assert (again.numbers is before.numbers) == (dtype != "bfloat16")
    assert share_moved(again, tensor) == 0


def test_what_was_0_has_moved_by_1():
    tensor = torch.zeros(1000)
    before = copied(tensor)
    assert share_moved(before, tensor) == 0
    tensor[900] = 1e-30
    assert share_moved(before, tensor) == 1 and holds_numbers(tensor)

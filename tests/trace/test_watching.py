"""Watching a learner's own model: it is traced without error, and nothing about it changes."""

import concurrent.futures
import contextlib
import gc
import weakref

import numpy as np
import pytest
import torch
from torch.optim.optimizer import _global_optimizer_post_hooks, _global_optimizer_pre_hooks
from torch.testing._internal.two_tensor import TwoTensor

import autograd_core
from autograd_core.core.recording import recording
from autograd_core.parity import watching
from autograd_core.parity.torch_tape import TorchTape
from autograd_core.trace import Tape, names_in, report, trace
from autograd_core.widgets import watch
from tests.widgets.counting import calls_of

engines = pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])


@engines
def test_every_call_of_a_module_is_known(T):
    """Three calls at once and a fourth later; of the second the outer call is also known where an
    inner module runs.
    """
    layer, head = T.nn.Sequential(T.nn.Linear(3, 3), T.nn.Tanh()), T.nn.Linear(3, 1)
    net, x = T.nn.ModuleDict({"layer": layer, "head": head}), T.ones(2, 3)
    with watching():
        for _ in range(3):
            x = layer(x)
        loss = head(layer(x * 2)).sum()
    found = trace(loss, names_in({"net": net}))
    calls = [node.calls for node in found.nodes if node.name == "TanhBackward0"]
    assert calls == [(("net.layer", n), ("net.layer.1", n)) for n in (1, 2, 3, 4)]
    assert {node.calls for node in found.nodes if node.module == "net.head"} == {(("net.head", 1),)}
    assert all(node.calls == () for node in found.nodes if node.module == "")


def state():
    """What watching could leave behind in an engine, or replace in PyTorch."""
    owners = torch.Tensor, torch.nn.Module, torch.optim.Optimizer, torch.autograd, torch.no_grad
    module = torch.nn.modules.module
    return [
        *({name: id(value) for name, value in vars(owner).items()} for owner in owners),
        dict(module._global_forward_hooks),
        dict(module._global_forward_pre_hooks),
        dict(_global_optimizer_pre_hooks),
        dict(_global_optimizer_post_hooks),
        torch._C._len_torch_dispatch_stack(),
        torch._C._len_torch_function_stack(),
        recording.subscribers,
    ]


@engines
@pytest.mark.parametrize("raises", [False, True])
def test_nothing_is_left_behind(T, raises):
    net, before = T.nn.Linear(2, 1), state()
    try:
        with watching():
            assert state()[:5] == before[:5], "nothing of PyTorch is replaced"
            loss = net(T.ones(3, 2)).sum()
            loss.backward(retain_graph=True)
            if raises:
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    trace(loss)
    assert state() == before
    for kind in ("_backward_hooks", "_post_accumulate_grad_hooks"):
        assert not getattr(net.weight, kind, None)
    assert not net._forward_hooks and not net._forward_pre_hooks
    called = []
    loss.grad_fn.register_hook(lambda *_: called.append(1))
    loss.backward()
    assert called == [1]


@engines
def test_recordings_that_overlap_end_in_any_order(T):
    net, before = T.nn.Linear(2, 1), state()
    with contextlib.ExitStack() as second:
        with watching():
            second.enter_context(watching())
            net(T.ones(3, 2))
        net(T.ones(3, 2))
    assert state() == before


@engines
def test_watching_changes_no_number(T):
    """Of two steps with dropout and momentum: all that could change, as bytes."""

    def training(around, look):
        T.manual_seed(3)
        parts = T.nn.Linear(4, 8), T.nn.BatchNorm1d(8), T.nn.Tanh(), T.nn.Dropout(0.5)
        net = T.nn.Sequential(*parts, T.nn.Linear(8, 2))
        optimizer = T.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        numbers = []
        for _ in range(2):
            with around():
                hidden = net(T.randn(6, 4))
                hidden.retain_grad()
                loss = (hidden - hidden.detach() * 0.1).square().mean()
            look(loss, names=names_in({"hidden": hidden, "net": net}))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            numbers += [loss, hidden.grad, *net.state_dict().values(), T.rand(2)]
            numbers += [p.grad for p in net.parameters()]
        return b"".join(np.ascontiguousarray(t.detach().numpy()).tobytes() for t in numbers)

    plain = training(contextlib.nullcontext, lambda loss, names: None)
    assert training(watching, watch) == training(contextlib.nullcontext, watch) == plain
    assert training(watching, lambda loss, names: T.rand(1)) != plain, "a planted change is found"


@engines
def test_a_result_that_keeps_its_gradient_is_known_to_the_recording(T):
    with watching():
        hidden = T.ones(2, requires_grad=True) * 2
        hidden.retain_grad()
        loss = hidden.sum()
    report(loss)
    assert hidden.grad is None


def test_a_pass_that_begins_at_autograd_backward_is_not_recorded():
    with watching():
        loss = (torch.ones(2, requires_grad=True) * 2).exp().sum()
        torch.autograd.backward(loss)
    found = report(loss)
    assert "1 cannot tell." in found.line and "A backward pass has freed" in str(found)


# ---- what a tape keeps, and what it costs --------------------------------------------------------


@engines
def test_a_recording_keeps_no_graph_alive(T):
    weight = T.ones(3, requires_grad=True)
    with watching():
        hidden = weight * 2
        loss = hidden.detach().exp().sum() + hidden.sum()
    assert trace(loss).nodes[-1].value is not None, "the recording is there"
    left = weakref.ref(hidden), weakref.ref(loss)
    del loss, hidden
    gc.collect()
    assert [tensor() for tensor in left] == [None, None]


def on_the_way(T, hook):
    """What is sent to an operation, and what arrives there: its result has this hook."""
    weight = T.ones(100, requires_grad=True)
    hidden = weight * 2
    hidden.register_hook(hook)
    traced = trace((hidden * 3).sum())
    ran = [event for event in traced.events if event.kind == "backward"]
    return [g for event in ran[:-1] for _, g in event.sent][-1], ran[-1].before


def test_a_gradient_that_arrives_as_it_was_sent_is_looked_at_once():
    sent, arrived = on_the_way(torch, lambda gradient: None)
    assert sent is arrived


@engines
def test_a_gradient_that_is_written_into_on_its_way_is_looked_at_again(T):
    sent, arrived = on_the_way(T, lambda gradient: [gradient.mul_(5)][1:] or None)
    assert sent.tolist() == [3.0] * 100 and arrived.tolist() == [15.0] * 100


@engines
def test_a_recording_forgets_the_oldest_and_says_nothing_of_them(T):
    net, loss = T.nn.Linear(2, 2), T.ones((), requires_grad=True)
    tape = TorchTape() if T is torch else Tape()
    tape.limit = 20
    with tape.recording():
        net(T.ones(1, 2))
        for _ in range(30):
            loss = loss * 1.5
    found = trace(loss, names_in({"net": net}), tape, model=net)
    unknown = [node.value is None for node in found.nodes if node.kind == "operation"]
    assert unknown == [True] * 10 + [False] * 20
    reasons = {p.reason for p in found.parameters if p.model}
    assert reasons == {"No path leads to the loss."}


@engines
def test_work_grows_with_the_nodes_and_no_faster(T, monkeypatch):
    scans, objects = [], gc.get_objects
    monkeypatch.setattr(gc, "get_objects", lambda: scans.append(1) or objects())

    def calls(layers):
        parts = [T.nn.Sequential(T.nn.Linear(8, 8), T.nn.Tanh()) for _ in range(layers)]
        net = T.nn.Sequential(*parts)
        loss = net(T.ones(2, 8)).sum()
        return calls_of(lambda: trace(loss, names_in({"net": net, "loss": loss})))

    calls(1)  # imports what only a first call does
    assert calls(160) < 1.1 * 4 * calls(40) and not scans


# ---- what only PyTorch has -----------------------------------------------------------------------


def test_what_numpy_has_no_form_for():
    table = torch.nn.Embedding(5, 3, sparse=True)
    linear = torch.nn.Linear(3, 2, dtype=torch.bfloat16)
    with watching():
        loss = linear(table(torch.tensor([0, 3])).bfloat16()).float().sum()
    found = trace(loss, names_in(locals()))
    weight = next(node for node in found.nodes if node.label == "linear.weight")
    assert weight.dtype == "bfloat16" and weight.value.dtype == np.float32
    loss.backward()
    sums = {found.nodes[e.node].label: e.after for e in found.events if e.kind == "accumulate"}
    np.testing.assert_array_equal(sums["table.weight"], table.weight.grad.to_dense().numpy())


def in_a_thread(work):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def test_a_recording_does_not_answer_for_a_loss_of_another_thread():
    """PyTorch's sequence numbers begin anew there, so those of both losses are the same."""

    def halves(net):
        with torch.no_grad():
            net.bias.fill_(2.0)
        return (net(torch.ones(2, 3)) / 2).relu().mean()

    def recorded(net):
        with watching():
            return halves(net)

    here, there = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)
    in_a_thread(lambda: None)
    mine = in_a_thread(lambda: recorded(here))
    foreign = in_a_thread(lambda: halves(there))
    numbers = [loss.grad_fn._sequence_nr() for loss in (mine, foreign)]
    assert numbers[0] == numbers[1], "the test can tell"
    assert trace(mine).recorded and not trace(foreign).recorded
    made = [node for node in trace(foreign).nodes if node.kind == "operation"]
    assert {node.value is None for node in made[:-1]} == {True}
    assert [trace(in_a_thread(lambda: recorded(there))).recorded for _ in range(2)] == [True] * 2


@engines
def test_the_latest_operation_is_known_inside_of_the_block(T):
    with watching():
        loss = (T.ones(2, requires_grad=True) * 3).sum()
        found = trace(loss, names_in(locals()))
    assert (found.nodes[-1].label, found.recorded) == ("loss", True)


class Named(torch.Tensor):
    """A class of the learner's: PyTorch gives it each result by an alias that no tape sees."""


def test_a_class_derived_from_tensor():
    net, x = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1)), torch.ones(2, 3)
    with watching():
        whole = net(x.as_subclass(Named)).sum()
        broken = net[1](net[0](x.as_subclass(Named)).exp().detach()).sum()
    assert type(whole) is Named
    report(whole, net).raise_if(nan=True, cut=True)
    seen = {p.name: p.path[-1] for p in trace(broken, names_in({"net": net})).parameters if p.path}
    assert seen == dict.fromkeys(["net.0.weight", "net.0.bias"], "ExpBackward0"), "the last one"


def on_meta(x):
    meta = torch.nn.Linear(3, 1, device="meta")
    meta(x.to("meta")).sum().backward()
    return x


def two_in_one(x):
    weight = TwoTensor(torch.ones(3, 3), torch.ones(3, 3)).requires_grad_()
    (x @ weight).sum().backward()
    return x


@pytest.mark.parametrize("numbers", [on_meta, two_in_one])
def test_what_has_no_numbers_for_numpy_runs_as_without_watching(numbers):
    net = torch.nn.Linear(3, 1)
    with watching():
        loss = net(numbers(torch.ones(2, 3))).sum()
        loss.backward()
    report(loss).raise_if(nan=True, zero=True)


@pytest.mark.parametrize("before", [0, 50], ids=["the same numbers", "higher ones"])
def test_a_graph_that_two_threads_have_made(before):
    net, aux, x = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1), torch.ones(2, 3)

    def there():
        return [aux(x).sum() for _ in range(before + 1)][-1]

    other = in_a_thread(there)
    loss = in_a_thread(lambda: (net(x) * 2).sum() + other)
    found = report(loss, {"net": net, "aux": aux}).data()
    assert [row["status"] for row in found["parameters"]] == ["trained"] * 4

"""Models that exist: each is watched or refused at once; no number of its training changes, and no
hook is left.
"""

import contextlib
import json
import warnings

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from autograd_core.parity import watching
from autograd_core.trace import names_in, report, trace
from autograd_core.trace.nodes import numbers_of
from autograd_core.widgets import watch

from .models import gpt_loss
from .ward import HEALTHY


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Weight(nn.Module):
    def __init__(self, *shape, dtype=None):
        super().__init__()
        self.w = nn.Parameter(torch.randn(*shape, dtype=dtype))


def gpt():
    return gpt_loss(layers=1, length=8)


def compiled():
    # after eight compilations of one forward PyTorch runs it as it is written
    torch._dynamo.reset()
    plain = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    net = torch.compile(plain, backend="aot_eager")
    return net, lambda: net(torch.ones(2, 3)).sum()


def checkpointed_reentrant():
    net, x = nn.Linear(3, 3), torch.ones(2, 3, requires_grad=True)
    return net, lambda: checkpoint(lambda x: net(x).tanh(), x, use_reentrant=True).sum()


def hooks_of_others():
    net = nn.Linear(3, 3)
    net.register_forward_hook(lambda module, inputs, out: out * 2)
    net.register_full_backward_hook(lambda module, before, after: None)
    net.weight.register_hook(lambda g: g * 2)
    return net, lambda: net(torch.ones(2, 3, requires_grad=True)).sum()


def complex_numbers():
    net = Weight(3, dtype=torch.complex64)
    return net, lambda: (net.w * net.w.conj()).abs().sum()


def custom_function():
    net = nn.Linear(3, 1)
    return net, lambda: Twice.apply(net(torch.ones(2, 3))).sum()


def nested():
    net = nn.Linear(3, 2)
    rows = [torch.ones(2, 3), torch.ones(1, 3)]
    return net, lambda: net(torch.nested.nested_tensor(rows, layout=torch.jagged)).values().sum()


OURS = gpt, compiled, checkpointed_reentrant, hooks_of_others, complex_numbers, nested
MODELS = {make.__name__: make for make in (*OURS, custom_function)}
MODELS |= {patient.forward.__name__: patient.made for patient in HEALTHY if patient.usual}


NOT_SEEN = {"compiled", "checkpointed_reentrant"}  # what a pass on the side brings to parameters


def hooks_on(net):
    kinds = "forward", "forward_pre", "backward", "backward_pre", "post_accumulate_grad"
    owners = (*net.modules(), *net.parameters())
    return [len(getattr(owner, f"_{kind}_hooks", None) or {}) for owner in owners for kind in kinds]


def training(net, make_loss, around, look):
    """Two steps: losses and gradients, all that could change."""
    torch.manual_seed(1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, foreach=False)
    numbers = []
    for _ in range(2):
        with around():
            loss = make_loss()
        look(loss, net)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        numbers += [loss.detach(), *(p.grad for p in net.parameters() if p.grad is not None)]
        numbers += [x.detach().clone() for x in (*net.parameters(), *net.buffers())]
    return [x.to_dense().clone() if x.is_sparse else x.clone() for x in numbers]


def looked_at(loss, net):
    report(loss, net)
    watch(loss, net).close()


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_a_model_is_watched_and_nothing_changes(make):
    runs = []
    for around, look in (
        (contextlib.nullcontext, lambda loss, net: None),
        (watching, looked_at),
        (contextlib.nullcontext, looked_at),
    ):
        torch.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of PyTorch, on prototypes
            net, make_loss = make()
            before = hooks_on(net)
            runs.append(training(net, make_loss, around, look))
        assert hooks_on(net) == before and not torch._C._len_torch_dispatch_stack()
    for run in runs[1:]:
        assert len(run) == len(runs[0]) and all(map(torch.equal, run, runs[0]))


@pytest.mark.parametrize("around", [contextlib.nullcontext, watching], ids=["graph", "recorded"])
@pytest.mark.parametrize("name", sorted(MODELS.keys() - NOT_SEEN))
def test_what_arrives_at_each_parameter_is_its_gradient(name, around):
    net, make_loss = MODELS[name]()
    with around():
        loss = make_loss()
    found = trace(loss, names_in({"net": net}), model={"net": net})
    assert all(p.grad is None for p in net.parameters())
    if name in ("custom_function", "checkpointed"):
        assert not any(edge.cut for edge in found.edges), "what runs inside of it is no cut"
    loss.backward()
    sums = {event.node: event.after for event in found.events if event.kind == "accumulate"}
    for name, p in net.named_parameters():
        (listed,) = (each for each in found.parameters if each.name == f"net.{name}")
        assert (p.grad is None) == bool(listed.reason)
        if p.grad is not None:
            np.testing.assert_array_equal(sums[listed.node], numbers_of(p.grad), strict=True)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("around", [contextlib.nullcontext, watching], ids=["graph", "recorded"])
def test_of_what_a_checkpoint_does_on_its_own_nothing_can_be_told(around, backward):
    net, make_loss = checkpointed_reentrant()
    with around():
        loss = make_loss()
        if backward:
            loss.backward()
    found = report(loss, {"net": net}).raise_if(cut=True)
    rows = found.data()["parameters"][:2]
    assert [row["name"] for row in rows] == ["net.weight", "net.bias"]
    reason = "A checkpoint may bring a gradient in a pass that it runs on its own."
    assert {(row["status"], row["reason"]) for row in rows} == {("cannot tell", reason)}


def test_a_planted_change_is_found():
    def plant(loss, net):
        torch.rand(1)

    plain, changed = (
        training(*MODELS["vae"](), contextlib.nullcontext, look)
        for look in (lambda loss, net: None, plant)
    )
    assert not all(map(torch.equal, plain, changed))


def test_what_cannot_be_shown_is_said_at_once():
    net = nn.Linear(3, 1, device="meta")
    with watching():
        loss = net(torch.ones(2, 3, device="meta")).sum()
    for look in (report, watch):
        with pytest.raises(RuntimeError, match="the device 'meta'.*no numbers to show"):
            look(loss)
    net, make_loss = checkpointed_reentrant()
    assert "use_reentrant=False" in report(make_loss()).trace.note
    net, make_loss = compiled()
    # compiled for one pass back, as in any training
    make_loss().backward()
    assert "compiled" in report(make_loss()).trace.note
    with watching():
        loss = make_loss()
        loss.backward()
    assert report(loss).verdicts.range, "the pass that ran is recorded"


def test_complex_numbers_are_shown_by_their_norm():
    net, make_loss = complex_numbers()
    view = watch(make_loss())
    leaf = next(i for i, node in enumerate(view.trace.nodes) if node.kind == "leaf")
    sent = json.loads(view.numbers)[0]
    shape, cells, norm = sent["values"][leaf]
    assert (shape, cells, norm) == ([3], None, pytest.approx(net.w.norm().item()))
    assert isinstance(view.svg(), str)

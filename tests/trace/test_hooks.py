"""How often hooks of the reader's run: inside of `watching()` as without it, in `report` and `watch`
once more where these run a backward pass on the side, and not at all where one was recorded.
"""

from collections import Counter

import pytest
import torch
from torch.utils.checkpoint import checkpoint

import autograd_core
from autograd_core import report, watch, watching

engines = pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])
ON_GRADIENTS = {"leaf": 1, "result": 1, "node": 1}


def counted(T):
    """(a network, what computes its loss, how often each kind of hook has run)"""
    calls = Counter()

    def note(kind):
        return lambda *given: calls.update([kind])

    net = T.nn.Sequential(T.nn.Linear(4, 3), T.nn.ReLU(), T.nn.Linear(3, 1))
    net[0].register_forward_hook(note("forward"))
    net[0].register_forward_pre_hook(note("before forward"))
    net[0].weight.register_hook(note("leaf"))
    net[2].bias.register_post_accumulate_grad_hook(note("accumulated"))
    if T is torch:
        net[2].register_full_backward_hook(note("module"))
        net[2].register_full_backward_pre_hook(note("before module"))
    x = T.ones(2, 4)

    def make_loss():
        h = net(x)
        h.register_hook(note("result"))
        loss = (h * h).sum()
        loss.grad_fn.register_hook(note("node"))
        return loss

    return net, make_loss, calls


def taken(calls):
    """What was counted since the last time."""
    found = dict(calls)
    calls.clear()
    return found


@engines
def test_watching_runs_hooks_as_often_as_without_it(T):
    _, make_loss, calls = counted(T)
    make_loss().backward()
    plain = taken(calls)
    assert set(plain.values()) == {1} and len(plain) == (8 if T is torch else 6)
    with watching():
        make_loss().backward()
    assert taken(calls) == plain


@engines
@pytest.mark.parametrize("look", [report, watch])
def test_after_a_backward_inside_of_watching_no_hook_runs(T, look):
    net, make_loss, calls = counted(T)
    with watching():
        loss = make_loss()
        loss.backward()
    calls.clear()
    seen = look(loss)
    assert taken(calls) == {} and seen.trace.note == ""
    assert net[0].weight.grad is not None


@engines
@pytest.mark.parametrize("look", [report, watch])
def test_on_the_side_hooks_on_gradients_run_once_more(T, look):
    net, make_loss, calls = counted(T)
    with watching():
        loss = make_loss()
    calls.clear()
    look(loss, {"net": net})
    modules = {"module": 1, "before module": 1} if T is torch else {}
    assert taken(calls) == {**ON_GRADIENTS, **modules}


def normalized(reentrant):
    """(a checkpointed network with a BatchNorm, its loss, how often it has seen a batch)"""
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3), torch.nn.ReLU())
    x = torch.randn(5, 4, requires_grad=True)
    return net, lambda: checkpoint(net, x, use_reentrant=reentrant).pow(2).mean()


def batches(net):
    return net[1].num_batches_tracked.item()


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpoint_runs_as_often_as_its_backward_passes(reentrant):
    net, make_loss = normalized(reentrant)
    make_loss().backward()
    assert batches(net) == 2
    with watching():
        loss = make_loss()
        loss.backward()
    assert batches(net) == 4, "watching() runs none of its own"
    report(loss), watch(loss)
    assert batches(net) == 4
    loss = make_loss()
    report(loss)
    assert batches(net) == (5 if reentrant else 6), "the forward, and once in a pass on the side"


def test_what_is_packed_is_not_unpacked_to_be_looked_at():
    packed = []

    def unpack(tensor):
        packed.append(tensor)
        return tensor

    x = torch.randn(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack):
        loss = (x * x).sum()
    with watching():
        loss.backward()
    assert len(packed) == 2, "both operands, by the pass itself"

"""Saved tensors that were written into: which node saved, what wrote, and that neither is guessed."""

import re

import pytest
import torch
import torch.utils.checkpoint

import autograd_core
from autograd_core.parity import watching
from autograd_core.parity.watching import _kept
from autograd_core.trace import report, trace
from autograd_core.trace.provenance import memory_of

engines = pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])


def leaf(T, *shape):
    return T.ones(shape or 3, requires_grad=True)


def told(loss):
    """The rows on what was written in place, without the places of statements."""
    found = report(loss)
    kinds, text = {event.kind for event in found.trace.events}, str(found)
    assert kinds <= {"forward", "loss"} and found.trace.note.startswith(
        ("A saved", "An ", "w += 1", "opt.step()")
    )
    assert found.trace.stale, text
    rows = text.partition("in place ")[2].partition("\nnote")[0]
    return re.sub(r" \([\w/]*\.py:\d+[^)]*\)", "", " ".join(rows.split()))


def by_augmented(T):
    h = leaf(T).sigmoid()
    h += 1
    return h.sum()


def by_a_view(T):
    h = leaf(T, 2, 3).sigmoid()
    row = h[0]
    row.mul_(2)
    return h.sum()


def into_a_part(T):
    h = leaf(T, 2, 3).sigmoid()
    h[0] = 1.0
    return h.sum()


def through_detach(T):
    h = leaf(T).sigmoid()
    h.detach().zero_()
    return h.sum()


def under_no_grad(T):
    h, w = leaf(T) * 1, leaf(T)
    y = h * w
    with T.no_grad():
        w += 1
    return y.sum()


def after_data(T):
    h = leaf(T).sigmoid()
    h.data.mul_(5)
    h.mul_(3)
    return h.sum()


def in_a_module(T):
    net = T.nn.Sequential(T.nn.Linear(3, 2), T.nn.Sigmoid(), T.nn.ReLU(inplace=True))
    return net(T.ones(1, 3)).sum()


def by_a_step(T):
    net = T.nn.Sequential(T.nn.Linear(3, 2), T.nn.Linear(2, 1))
    opt = T.optim.SGD(net.parameters(), lr=0.1)
    loss = net(T.ones(1, 3)).sum()
    (loss * 1).backward(retain_graph=True)
    opt.step()
    return loss


def in_a_function(T):
    class Product(T.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * y, g * x

    a, b = leaf(T) * 1, leaf(T) * 2
    y = Product.apply(a, b)
    b += 1
    return y.sum()


def and_again(T):
    h = leaf(T).sigmoid()
    h += 1
    h *= 2
    return h.sum()


RESULT = "SigmoidBackward0 saved its own result, h = leaf(T{}).sigmoid(), at version 0; "
CASES = [
    (by_augmented, RESULT.format("") + "h += 1 wrote into it: it is at version 1."),
    (by_a_view, RESULT.format(", 2, 3") + "row.mul_(2) wrote into it: it is at version 1."),
    (into_a_part, RESULT.format(", 2, 3") + "h[0] = 1.0 wrote into it: it is at version 1."),
    (through_detach, RESULT.format("") + "h.detach().zero_() wrote into it: it is at version 1."),
    (under_no_grad, "at version 0; w += 1 wrote into it: it is at version 1."),
    (after_data, RESULT.format("") + "h.mul_(3) wrote into it: it is at version 1."),
    (in_a_module, "SigmoidBackward0 in Sequential.1 saved its own result"),
    (in_a_module, "in Sequential.2, return net(T.ones(1, 3)).sum(), wrote into it"),
    (by_a_step, "; opt.step() wrote into it: it is at version"),
    (by_a_step, "AddmmBackward0"),
    (in_a_function, "Backward saved a tensor, y = Product.apply(a, b), at version 0; b += 1"),
    (and_again, "h += 1 wrote into it: it is at version 2."),
]


@engines
@pytest.mark.parametrize("make, words", CASES)
def test_both_statements_are_told(T, make, words):
    with watching():
        loss = make(T)
    assert words in re.sub(r" in (1|2)\b", r" in Sequential.\1", told(loss))


@engines
def test_each_of_two_saved_tensors_has_its_own_writer(T):
    with watching():
        a, b = leaf(T) * 1, leaf(T) * 2
        y = a * b
        b *= 3
        a += 1
        loss = y.sum()
    text = told(loss)
    assert re.search(r"argument other, y = a \* b, at version 0; b \*= 3 wrote", text)
    assert re.search(r"argument input, y = a \* b, at version 0; a \+= 1 wrote", text)


@engines
def test_it_is_found_after_the_pass_that_failed(T):
    """That pass has released what the nodes before the failing one had saved."""
    with watching():
        h = leaf(T).sigmoid()
        h += 1
        loss = h.exp().sum()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
    assert "h += 1 wrote into it" in told(loss)


@engines
@pytest.mark.parametrize("recorded", [True, False])
def test_what_nobody_saw_is_not_guessed(T, recorded):
    """Outside of watching() the node and the versions are known, and not what wrote."""
    if recorded:
        with watching():
            h = leaf(T).sigmoid()
    else:
        h = leaf(T).sigmoid()
    h += 1
    text = told(h.sum())
    assert "SigmoidBackward0 saved its own result" in text and "at version 0" in text
    assert "a statement outside watching() wrote into it: it is at version 1" in text


@engines
def test_memory_that_is_used_again_is_not_mistaken(T):
    """Many tensors were written to, and are gone: one of them had the place that h has now."""
    with watching():
        for _ in range(2_000):
            gone = T.zeros(3)
            gone += 1
            known = {write.memory for write in _kept[-1][T is torch].writes}
            del gone
            h = leaf(T).sigmoid()
            if memory_of(h)[0] in known:
                break
    assert memory_of(h)[0] in known, "no place was used again: the test proves nothing"
    h += 1
    assert "a statement outside watching() wrote" in told(h.sum())


@engines
def test_a_write_that_was_not_seen_is_not_laid_to_a_later_one(T):
    with watching():
        h = leaf(T).sigmoid()
    with T.no_grad():
        h += 1
    with watching():
        h *= 2
        loss = h.sum()
    assert "a statement outside watching() wrote into it: it is at version 2" in told(loss)


@engines
def test_what_does_no_harm_is_no_alarm(T):
    nn = T.nn
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(inplace=True), nn.Linear(4, 1))
    opt = T.optim.Adam(net.parameters())
    x = T.randn(5, 3)
    with watching():
        net(x).sum().backward()
        opt.step()
        h = net(x) * 2
        h += 1  # a product with a number saves no result
        loss = h.mean() + net(x).mean()  # the running statistics are written a second time
        x.mul_(1)  # is saved for the first layer's weight
    traced = trace(loss)
    assert [traced.nodes[stale.node].name for stale in traced.stale] == ["AddmmBackward0"] * 2
    with watching():
        h = net(x) * 2
        h += 1
        loss = h.mean() + net(x).mean()
        hidden = leaf(T).sigmoid()
        hidden.data.mul_(2)  # is counted by nobody
        loss = loss + hidden.sum()
    traced = trace(loss)
    assert not traced.stale and not traced.note and "backward" in {e.kind for e in traced.events}


def test_a_node_that_does_not_tell():
    """What PyTorch's CopySlices keeps cannot be read, so its own words are all there is."""
    with watching():
        h = leaf(torch, 2, 3).clone()
        row = h[0]
        row.exp_()
        h += 1
        loss = h.sum()
    traced = trace(loss)
    assert not traced.stale and "is at version 2; expected version 1" in traced.note
    assert {event.kind for event in traced.events} == {"forward", "loss"}


def test_a_checkpoint_whose_input_was_written():
    """What its nodes have saved is computed again: none of them is to blame."""
    with watching():
        h = leaf(torch) * 1
        y = torch.utils.checkpoint.checkpoint(lambda x: x.sigmoid(), h, use_reentrant=False)
        h += 1
        loss = y.sum()
    traced = trace(loss)
    assert not traced.stale and "does not tell which" in traced.note


def test_many_are_told_in_a_few_words():
    net = torch.nn.Sequential(*(torch.nn.Linear(3, 3) for _ in range(8)))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    with watching():
        loss = net(torch.ones(1, 3)).sum()
        (loss * 1).backward(retain_graph=True)
        opt.step()
    text = told(loss)
    assert text.count("opt.step() wrote") == 1 and "wrote into 6 more saved tensors." in text
    first = trace(loss).stale[0].node
    assert trace(loss).nodes[first].module.endswith("7"), "nearest to the loss first"


def test_other_errors_are_raised_as_they_are():
    def broken(gradient):
        raise RuntimeError("no such rule")

    h = leaf(torch).sigmoid()
    y = h * 1
    y.register_hook(broken)
    loss = y.sum()
    with torch.no_grad():
        h += 1
    with pytest.raises(RuntimeError, match="no such rule"):
        report(loss)

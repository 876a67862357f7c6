"""What cannot be looked at: the sentence is about the call that was made, in PyTorch's error."""

import re

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.parity import watching
from autograd_core.trace import report, trace
from autograd_core.widgets import watch

engines = pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])


@engines
@pytest.mark.parametrize("look", [report, watch, trace])
def test_what_is_no_loss_is_refused_by_the_name_of_the_call(T, look):
    wrong = [3.0, "loss", {}, [1.0], T.nn.Linear(1, 1)]
    for thing in wrong if look is watch else [None, np.ones(2), *wrong]:  # None is no second loss
        called = rf"^{look.__name__}\(\) takes a tensor as the loss, but got {type(thing).__name__}"
        with pytest.raises(TypeError, match=called):
            look(thing)


@engines
@pytest.mark.parametrize("look", [report, watch, trace])
def test_several_numbers(T, look):
    with pytest.raises(RuntimeError, match=r"only for scalar outputs.*shape \(5, 2\).*loss.mean"):
        look(T.ones(5, 2, requires_grad=True) * 2)
    assert look(T.ones(1, 1, requires_grad=True) * 2)


@engines
def test_several_numbers_whose_pass_is_known(T):
    with watching():
        several = T.ones(2, requires_grad=True) * 3
        several.backward(T.ones(2))
    assert "1 trained" in report(several).line


def frozen(T):
    net = T.nn.Sequential(T.nn.Linear(2, 2), T.nn.Linear(2, 1))
    for p in net.parameters():
        p.requires_grad_(False)
    return net(T.ones(1, 2)).mean(), net


def without_recording(T):
    net = T.nn.Linear(2, 1)
    with T.no_grad():
        loss = net(T.ones(1, 2)).mean()
    return loss, net


def detached(T):
    net, x = T.nn.Linear(2, 1), T.ones(1, 2)
    h = net(x).detach()
    return h.mean(), net


def chosen(T):
    net = T.nn.Linear(2, 3)
    return net(T.ones(1, 2)).argmax(), net


@engines
@pytest.mark.parametrize(
    "make, reason",
    [
        (frozen, r"frozen      4 of Sequential.\*: requires_grad=False"),
        (without_recording, r"ends at no_grad\(\)\. with T.no_grad\(\): \(tests"),
        (detached, r"at detach\(\)\. h = net\(x\).detach\(\) \(tests/trace/test_asked.py:\d+\)\n"),
        (chosen, r"ends because argmax is not differentiable. return "),
    ],
)
def test_why_there_is_no_graph(T, make, reason):
    with watching():
        loss, net = make(T)
    found = report(loss, net)
    assert re.search(
        r"no graph    This loss does not require grad .*\n(.*\n)*.*" + reason, str(found)
    )
    assert "0 trained" in found.line and not found.verdicts.having("trained", "cannot tell")
    if make is not frozen:
        with pytest.raises(AssertionError, match="found: cut"):
            found.raise_if(cut=True)
    for look in (watch, trace):
        with pytest.raises(RuntimeError, match="does not require grad.*a grad_fn.*report\\(loss"):
            look(loss)
    loss, net = make(T)
    assert "The loss has no graph." in str(report(loss, net)) or make is frozen


@engines
def test_no_reason_is_made_up(T):
    """Only data took part, or nobody can know."""
    with watching():
        data = T.ones(3).sum()
    net = T.nn.Linear(2, 1)
    for loss in (data, T.ones(())):
        assert "cut         Linear.weight, Linear.bias: The loss has no graph." in str(
            report(loss, net)
        )
    assert "This loss is a leaf" in str(report(T.ones((), requires_grad=True)))


@engines
def test_who_forgot_watching_is_told_so_where_it_would_tell_more(T):
    w = T.ones(3, requires_grad=True)
    assert "watching()" not in str(report((w * w).exp().sum()))
    assert str(report((w * 0).log().sum())).count("inside watching()") == 1
    with watching():
        loss = (w * 0).log().sum()
    assert "watching()" not in str(report(loss))

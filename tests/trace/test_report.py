"""`report`: the verdicts on a model at its real size, as text and as data."""

import json

import pytest
import torch

import autograd_core
from autograd_core.parity import watching
from autograd_core.trace import names_in, report, summary

from .models import gpt_loss, resnet_loss, stack

engines = pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])


def planted(x):
    x = x.log1p()
    return x  # noqa: RET504 the line above is what is looked for


def recorded(make_loss, net):
    with watching():
        loss = make_loss()
    return report(loss, names=names_in({"net": net, "loss": loss}))


@pytest.mark.parametrize(
    "size, batch, most",
    [
        (32, 2, summary.MOST),
        (32, 2, 0),
        pytest.param(224, 8, summary.MOST, marks=pytest.mark.prove),
    ],
)
def test_a_nan_in_the_stem_of_a_resnet_is_found_at_every_size(size, batch, most, monkeypatch):
    net, make_loss = resnet_loss(size, batch, planted)
    monkeypatch.setattr(summary, "MOST", most)
    found = recorded(make_loss, net)
    first = found.data()["first"]["nan"]
    found_at = first["name"], first["module"], first["line"], first["event"]
    assert found_at == ("Log1PBackward0", "net", "x = x.log1p()", 3)
    assert "First nan at Log1PBackward0 in net." in found.line
    with pytest.raises(AssertionError, match="found: nan\n"):
        found.raise_if(nan=True)


def test_the_mask_of_a_gpt_is_a_note_and_no_alarm():
    net, make_loss = gpt_loss(layers=2)
    found = recorded(make_loss, net)
    data = found.data()
    assert data["first"] == {} and len(data["masks"]) == 2 and "inf in 2 results" in str(found)
    found.raise_if(inf=True)


@engines
def test_an_inf_that_no_softmax_consumes_is_an_alarm(T):
    x = T.ones(3, requires_grad=True)
    for use, meant in (
        (lambda y: y.softmax(0).sum(), True),
        (lambda y: y.sum(), False),
        (lambda y: (y.softmax(0) + y).sum(), False),
        (lambda y: (y * 1.0).softmax(0).sum(), True),
        (lambda y: (-y).softmax(0).sum(), False),
    ):
        with watching():
            hidden = x.masked_fill(T.tensor([True, False, False]), -T.inf)
            loss = use(hidden)
        assert ("inf" not in report(loss).data()["first"]) == meant


@engines
def test_a_model_of_another_cell_is_not_counted_and_a_part_of_this_one_is(T):
    T.manual_seed(0)
    net = T.nn.ModuleDict({"used": T.nn.Linear(2, 1), "spare": T.nn.Linear(2, 1)})
    old, teacher = T.nn.Linear(2, 1), T.nn.Linear(2, 1).requires_grad_(False)
    with watching():
        goal = teacher(T.ones(1, 2)).detach()
        loss = (net["used"](T.ones(1, 2)) - goal + old.weight.detach().sum()).sum()
    with watching():
        alone = net["used"](T.ones(1, 2)).sum()
    names = names_in({"net": net, "old": old, "teacher": teacher})
    found, apart = report(loss, names=names), report(alone, names=names)
    assert found.line.startswith(
        "8 parameters: 2 trained, 2 frozen (requires_grad=False), 1 cut, 3 not reached"
    )
    assert apart.line.startswith("4 parameters: 2 trained, 0 cut, 2 not reached")
    row = "net.spare.weight, net.spare.bias: No recorded operation used this."
    assert row in str(apart)


def test_a_report_is_data_that_json_holds():
    net, x = stack(2), torch.randn(4, 32)
    data = json.loads(json.dumps(report(net(x).mean(), net).data(), allow_nan=False))
    net(x).mean().backward()
    last, norm = data["parameters"][-1], net[-1].bias.grad.norm().item()
    assert last["name"] == "Sequential.4.bias" and last["gradient"]["norm"] == pytest.approx(norm)
    assert data["gradients"]["least"] <= norm <= data["gradients"]["most"]


def test_an_unknown_condition_is_refused():
    w = torch.ones(2, requires_grad=True)
    with pytest.raises(TypeError, match="knows no 'nans'"):
        report((w * 3).sum()).raise_if(nans=True)

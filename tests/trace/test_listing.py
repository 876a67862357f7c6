"""Which parameters a report is about: those of the given model, or of the notebook's variables."""

import gc
import types
import weakref
from unittest.mock import Mock

import IPython
import pytest
import torch
from torch import nn

import autograd_core
from autograd_core.parity import watching
from autograd_core.trace import names_in, report
from autograd_core.trace.listing import notebook_names
from autograd_core.widgets import watch

engines = pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])
X = torch.ones(2, 3)


def statuses(found):
    return {row["name"]: row["status"] for row in found.data()["parameters"]}


def in_notebook(loss, **variables):
    """The report that a notebook with these variables gives."""
    return report(loss, names=names_in({**variables, "loss": loss}))


@engines
def test_only_modules_in_plain_variables_are_found(T):
    first, second, third, fourth = (T.nn.Linear(1, 1, bias=False) for _ in range(4))
    trainer = types.SimpleNamespace(model=first)
    variables = {"trainer": trainer, "nets": [second], "_net": third, "_5": fourth}
    assert [path for path, _ in names_in(variables).parameters] == ["_net.weight"]


def test_the_variables_of_a_notebook_count_and_those_of_a_script_do_not(monkeypatch):
    net = nn.Linear(3, 1)
    with watching():
        loss = net(X).sum()
    monkeypatch.setattr(IPython, "get_ipython", lambda: None)
    assert notebook_names() == names_in({})
    script = report(loss)
    assert statuses(script) == {"leaf 1": "trained", "leaf 2": "trained"}
    assert "report(loss, model) would name the parameters" in str(script)
    shell = types.SimpleNamespace(user_ns={"net": net, "other": nn.Linear(3, 1)})
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    for found in (report(loss), watch(loss)):
        assert [p.name for p in found.trace.parameters] == ["net.weight", "net.bias"]
    assert "report(loss, model)" not in str(report(loss)) and report(loss).raise_if(cut=True)


@engines
def test_a_model_without_a_name_is_called_by_its_class_and_a_second_one_is_told_apart(T):
    kept = [T.nn.Linear(3, 1, bias=False) for _ in range(2)]
    with watching():
        loss = sum(net(T.ones(2, 3)).sum() for net in kept)
    assert {*statuses(report(loss, kept))} == {"Linear.weight", "Linear_2.weight"}


@engines
@pytest.mark.parametrize("whose", ["another variable", "a deleted model"])
def test_what_another_model_used_is_not_counted(T, whose):
    """The record of a backward pass keeps the parameters alive, as in lesson 09 for `blank`."""
    with watching():
        other, net = T.nn.Linear(3, 1), T.nn.Linear(3, 1)
        other(T.ones(2, 3)).sum().backward()
        loss = net(T.ones(2, 3)).sum()
        loss.backward()
    if whose == "a deleted model":
        del other
    assert statuses(report(loss, net)) == {"Linear.weight": "trained", "Linear.bias": "trained"}
    assert statuses(in_notebook(loss, net=net)) == {"net.weight": "trained", "net.bias": "trained"}


def test_a_model_that_no_variable_holds_is_not_called_unregistered():
    net, [held] = nn.Linear(3, 1), [nn.Linear(1, 1)]
    with watching():
        loss = held(net(X)).sum()
    for found in (in_notebook(loss, net=net), report(loss, net)):
        assert "unregistered" not in statuses(found).values()


@pytest.mark.parametrize("model", [[], {}, (), 3, [nn.ReLU(), 3], "net"])
def test_what_is_no_model_is_refused(model):
    loss = nn.Linear(3, 1)(X).sum()
    with pytest.raises((TypeError, ValueError), match="the model is a module, or|no model is in"):
        report(loss, model)


def test_without_a_recording_only_the_given_models_are_counted():
    net, other = nn.Linear(3, 1), nn.Linear(3, 1)

    def looked_at(*model):
        loss = (net(X) + other(X).detach()).sum()
        return report(loss, *model) if model else in_notebook(loss, net=net, other=other)

    assert looked_at().line.startswith("2 parameters: 2 trained, 0 cut.")
    assert looked_at(net).raise_if(cut=True)
    with pytest.raises(AssertionError, match="found: cut"):
        looked_at([net, other]).raise_if(cut=True)


def test_where_no_pass_is_known_nothing_is_green():
    net = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))
    loss = net(X).square().sum()
    loss.backward()
    found = report(loss, net)
    assert {*statuses(found).values()} == {"cannot tell"} and "No nan" not in found.line
    assert found.line == "4 parameters: 4 cannot tell." and "No backward pass" not in str(found)
    with pytest.raises(AssertionError, match="found: cut"):
        found.raise_if(cut=True)


class Listed(nn.Module):
    def __init__(self, keeps):
        super().__init__()
        self.out = nn.Linear(3, 1)
        self.kept = keeps

    def forward(self, x):
        for each in self.kept.values() if isinstance(self.kept, dict) else self.kept:
            for one in each if isinstance(each, list) else [each]:
                x = one(x) if callable(one) else x * one
        return self.out(x)


@pytest.mark.parametrize(
    "keeps, what",
    [
        ([nn.Linear(3, 3)], "net.kept is a list, no nn.ModuleList"),
        ((nn.Linear(3, 3),), "net.kept is a tuple, no nn.ModuleList"),
        ({"a": nn.Linear(3, 3)}, "net.kept is a dict, no nn.ModuleDict"),
        ([nn.Parameter(torch.ones(3))], "net.kept is a list, no nn.ParameterList"),
        ([torch.ones(3, requires_grad=True)], "net.kept is a list, no nn.ParameterList"),
        ([[nn.Linear(3, 3)]], "net.kept[0] is a list, no nn.ModuleList"),
    ],
)
def test_what_a_model_keeps_and_does_not_register_is_told(keeps, what):
    net = Listed(keeps)
    with watching():
        loss = net(X).square().sum()
    for found in (in_notebook(loss, net=net), report(loss, {"net": net})):
        assert f"Used inside net, registered nowhere: {what}" in str(found)
        with pytest.raises(AssertionError, match="found: cut"):
            found.raise_if(cut=True)


def test_a_layer_that_only_a_closure_has_is_told():
    hidden = nn.Linear(3, 3)
    net = Listed([lambda x: hidden(x)])
    with watching():
        loss = net(X).square().sum()
    for found in (in_notebook(loss, net=net), report(loss, {"net": net})):
        assert "Used inside net, registered nowhere." in str(found)
        with pytest.raises(AssertionError, match="found: cut"):
            found.raise_if(cut=True)


def test_what_the_caller_hands_in_is_no_alarm():
    net, prompt = nn.Linear(3, 1), nn.Parameter(torch.ones(2, 3))
    with watching():
        loss = net(X * prompt).square().sum()
    assert in_notebook(loss, net=net, prompt=prompt).raise_if(cut=True)
    net.seen = x = X.clone().requires_grad_()
    with watching():
        loss = net(x).square().sum()
    found = in_notebook(loss, net=net, x=x)
    assert statuses(found) == {"net.weight": "trained", "net.bias": "trained"}


def test_a_buffer_that_wants_a_gradient_is_no_parameter():
    net = nn.Linear(3, 1)
    net.register_buffer("w", torch.ones(3, requires_grad=True))
    with watching():
        loss = net(X * net.w).sum()
    for found in (in_notebook(loss, net=net), report(loss, {"net": net})):
        assert "net.w is a buffer, no nn.Parameter" in str(found)
        with pytest.raises(AssertionError, match="found: cut"):
            found.raise_if(cut=True)


@engines
def test_what_a_hook_made_of_a_gradient_counts_also_where_there_was_one(T):
    net = T.nn.Linear(3, 1)
    net.weight.register_hook(lambda g: g * 0)
    for _ in range(2):
        with watching():
            loss = net(T.ones(2, 3)).sum()
            loss.backward()
        assert statuses(report(loss, net)) == {"Linear.weight": "zero", "Linear.bias": "trained"}


@engines
def test_a_gradient_that_is_used_up_at_once_has_arrived(T):
    net = T.nn.Linear(3, 1)
    for p in net.parameters():
        p.register_post_accumulate_grad_hook(lambda p: setattr(p, "grad", None))
    with watching():
        loss = net(T.ones(2, 3)).sum()
        loss.backward()
    assert {*statuses(report(loss, net)).values()} == {"trained"}


@engines
def test_a_pass_that_began_at_a_scaled_loss_is_named(T):
    net = T.nn.Linear(3, 1)
    with watching():
        loss = net(T.ones(2, 3)).sum()
        scaled = loss / 4
        scaled.backward()
    assert "Report on the loss at which that pass began" in str(report(loss, net))
    assert {*statuses(report(scaled, net)).values()} == {"trained"}


# ---- whatever else the variables hold ------------------------------------------------------------


def called(*_, **__):
    raise OSError("called")


class Calls(type):
    __getattr__ = called


class Odd(metaclass=Calls):
    __dict__ = property(called)
    __getattr__ = called


class LooksLikeAll:
    grad_fn, param_groups = "x", property(called)
    named_modules = zero_grad = step = called


class Unready(nn.Module):
    def __init__(self):
        self.kept = 1


class OwnDict(dict):
    items = __iter__ = called


class OwnList(list):
    __iter__ = called


THINGS = [Odd(), LooksLikeAll(), Unready(), Mock(spec=nn.Module)]


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: type(thing).__name__)
def test_what_is_no_module_and_no_tensor_of_an_engine_is_left_alone(thing):
    net = nn.Linear(3, 1)
    mine = {"thing": thing, "kept": [thing], "held": OwnDict(a=thing), "listed": OwnList([thing])}
    net.kept = [thing]
    with watching():
        loss = net(X).sum()
    found = report(loss, names=names_in({**mine, "net": net, "last": OwnDict(other=net)}))
    assert statuses(found) == {"net.weight": "trained", "net.bias": "trained"}


@pytest.mark.parametrize("look", [report, watch])
def test_a_parameter_that_has_no_shape_yet(look):
    net = nn.ModuleDict({"a": nn.Linear(3, 1), "lazy": nn.LazyLinear(2)})
    with watching():
        loss = net["a"](X).sum()
    assert look(loss, net)
    assert statuses(report(loss, net))["ModuleDict.lazy.weight"] == "unused"


def test_a_report_keeps_neither_the_loss_nor_the_model():
    def look():
        net = nn.Linear(3, 1)
        loss = net(X).sum()
        report(loss, net)
        gone = weakref.ref(loss), weakref.ref(net)
        loss = net = None
        gc.collect()
        return [each() for each in gone]

    assert look() == [None, None]

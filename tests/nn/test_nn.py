"""Modules against PyTorch: the same seed gives the same network, and it prints, saves and trains
alike.
"""

import copy
import pickle

import numpy as np
import pytest
import torch

import autograd_core
from tests.engines import ENGINES, assert_same, numbers, on_both, raised


def small_net(T, seed=0):
    T.manual_seed(seed)
    return T.nn.Sequential(
        T.nn.Linear(2, 16),
        T.nn.ReLU(),
        T.nn.Linear(16, 16),
        T.nn.Tanh(),
        T.nn.Linear(16, 1),
        T.nn.Sigmoid(),
    )


@pytest.mark.parametrize(
    "call",
    [
        "uniform_(w)",
        "uniform_(w, -2, 3)",
        "normal_(w)",
        "normal_(w, 1, 0.1)",
        "zeros_(w)",
        "ones_(w)",
        "constant_(w, 0.3)",
        "kaiming_uniform_(w)",
        "xavier_uniform_(w)",
        "kaiming_uniform_(w, nonlinearity='relu')",
        "xavier_uniform_(w, gain=2)",
        "kaiming_uniform_(w, mode='fan_out')",
        "kaiming_normal_(w)",
        "kaiming_normal_(w, mode='fan_out', nonlinearity='relu')",
    ],
)
def test_initialisation(call):
    made = []
    for T in ENGINES:
        T.manual_seed(3)
        w = T.zeros(5, 7, requires_grad=True)
        returned = eval("T.nn.init." + call, {"T": T, "w": w})
        assert returned is w and w.is_leaf and w.requires_grad
        made.append(w)
    assert_same(*made)


@on_both
def test_walks(T):
    net = T.nn.Sequential(small_net(T), T.nn.Linear(1, 2), T.nn.ReLU())
    net.register_buffer("scale", T.ones(1))
    net.add_module("again", net[1])
    return (
        [name for name, _ in net.named_parameters()],
        [name for name, _ in net.named_modules()],
        [name for name, _ in net.named_children()],
        [name for name, _ in net.named_buffers()],
        list(net.state_dict()),
        len(list(net.parameters())),
        len(list(net.modules())),
        len(net),
        len(list(net)),
        [type(m).__name__ for m in net[1:3]],
        type(net[-1]).__name__,
        [n for n, _ in net.named_parameters("p", False)],
    )


@on_both
def test_attributes_are_sorted(T):
    nn = T.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(T.ones(2))
            self.plain = T.zeros(2)
            self.layer = nn.ReLU()
            self.register_buffer("mean", T.zeros(2))
            self.register_buffer("hidden", T.zeros(2), persistent=False)
            self.register_parameter("none", None)

    net = Net()
    results = [list(net.state_dict()), [n for n, _ in net.named_parameters()]]
    net.mean = T.ones(2)
    net.none = nn.Parameter(T.ones(1))
    net.w = None
    results += [list(net.state_dict()), net.mean, net.w]
    del net.layer, net.none
    return (
        results,
        list(net.state_dict()),
        raised(lambda: net.layer),
        [name for name, _ in net.named_children()],
    )


@on_both
def test_forgetting_super_init(T):
    class Net(T.nn.Module):
        def __init__(self):
            self.layer = T.nn.Linear(1, 1)

    return raised(Net)


@on_both
def test_change_of_type(T):
    net = small_net(T)
    weight = net[0].weight
    doubled = net.double()
    return (
        doubled is net,
        net[0].weight is weight,
        weight,
        net.float()[0].weight.dtype == T.float32,
        net(T.ones(1, 2)),
        net.to(T.float64)[0].bias,
    )


@on_both
def test_forward_hooks(T):
    layer, seen = T.nn.Linear(2, 2, bias=False).double(), []
    T.nn.init.ones_(layer.weight)
    x = T.tensor([[1.0, 2.0]], dtype=T.float64)
    layer.register_forward_pre_hook(lambda m, inputs: seen.append(("before", inputs)))
    double = layer.register_forward_pre_hook(lambda m, inputs: inputs[0] * 2)
    layer.register_forward_hook(lambda m, inputs, out: seen.append(("after", inputs, out)))
    negate = layer.register_forward_hook(lambda m, inputs, out: -out)
    first = layer(x)
    double.remove()
    negate.remove()
    return seen, first, layer(x)


# ---- state_dict ----------------------------------------------------------------------------------


@on_both
def test_state_dict_shares_and_load_copies(T):
    one, two = small_net(T, 0), small_net(T, 1)
    state = one.state_dict()
    answer = two.load_state_dict(state)
    shared = state["0.weight"].requires_grad
    with T.no_grad():
        one[0].weight.add_(1)
    return (
        state["0.weight"],
        two[0].weight,
        shared,
        list(answer.missing_keys),
        list(answer.unexpected_keys),
        list(two.load_state_dict({}, strict=False).missing_keys),
        type(state).__name__,
    )


@on_both
def test_what_is_missing_is_said_before_what_is_unexpected(T):
    error = raised(T.nn.Linear(2, 2).load_state_dict, {"weight": T.zeros(2, 2), "b": T.zeros(2)})
    return type(error), str(error).rstrip()


def test_a_state_that_does_not_fit_changes_nothing():
    """PyTorch has loaded the weight when it finds the bias too long."""
    for T in ENGINES:
        net = T.nn.Linear(2, 2)
        before = [p.tolist() for p in net.parameters()]
        error = raised(net.load_state_dict, {"weight": T.ones(2, 2), "bias": T.ones(3)})
        after = [p.tolist() for p in net.parameters()]
        assert type(error) is RuntimeError and after[1] == before[1]
        assert (after == before) == (T is autograd_core)


def test_a_state_goes_to_the_other_engine():
    ours, theirs = small_net(autograd_core, 0), small_net(torch, 1)
    x, fresh = np.ones((3, 2), np.float32), small_net(autograd_core, 5)
    for T, source, goal in ((torch, ours, theirs), (autograd_core, theirs, fresh)):
        goal.load_state_dict({k: T.tensor(numbers(t)) for k, t in source.state_dict().items()})
    for net in (ours, fresh):
        assert_same(net(autograd_core.tensor(x)), theirs(torch.tensor(x)))


@on_both
def test_deepcopy_and_pickle(T):
    net = small_net(T)
    net(T.ones(1, 2)).sum().backward()
    copied, loaded = copy.deepcopy(net), pickle.loads(pickle.dumps(net))
    with T.no_grad():
        net[0].weight.zero_()
    return (
        [[(name, p, p.grad) for name, p in m.named_parameters()] for m in (copied, loaded)],
        [type(p).__name__ for p in copied.parameters()],
        copied(T.ones(1, 2)),
    )


@on_both
def test_shared_parameters(T):
    one, two = T.nn.Linear(2, 2).double(), T.nn.Linear(2, 2).double()
    two.weight = one.weight
    net = T.nn.Sequential(one, two)
    net(T.ones(1, 2, dtype=T.float64)).sum().backward()
    return (
        [n for n, _ in net.named_parameters()],
        list(net.state_dict()),
        copy.deepcopy(net)[1].weight is not two.weight,
    )


def test_a_target_that_would_be_stretched_warns():
    for T in ENGINES:
        with pytest.warns(UserWarning, match="Using a target size"):
            T.nn.functional.mse_loss(T.ones(3, 1), T.ones(3))

"""Optimizers against PyTorch: every parameter and every state buffer, at every step."""

import itertools

import numpy as np
import pytest
import torch

import autograd_core
from tests.budget import budget
from tests.engines import ENGINES, assert_close, assert_same, numbers, on_both, raised

STEPS = budget(100, 200)


def grid(**options):
    return [dict(zip(options, values)) for values in itertools.product(*options.values())]


SGD = [
    *grid(lr=[0.02], momentum=[0, 0.9], weight_decay=[0, 0.1], maximize=[False, True]),
    *grid(lr=[0.02], momentum=[0.8], dampening=[0.3, 1.0], weight_decay=[0, 0.1]),
    *grid(
        lr=[0.02], momentum=[0.9], nesterov=[True], weight_decay=[0, 0.1], maximize=[False, True]
    ),
    {"lr": 0.0},
    {},
]
ADAM = [
    *grid(lr=[0.01], amsgrad=[False, True], weight_decay=[0, 0.1], maximize=[False, True]),
    *grid(lr=[0.1], betas=[(0.5, 0.9), (0.0, 0.0), (0.95, 0.999)], eps=[1e-8, 1e-3]),
    {},
]
GRID = [
    pytest.param(name, options, id=f"{name} {options}")
    for name, table in (("SGD", SGD), ("Adam", ADAM))
    for options in table
]


def parameters(T, dtype):
    rng = np.random.default_rng(0)
    return [
        T.tensor(rng.standard_normal(shape).astype(dtype), requires_grad=True)
        for shape in ((3, 2), (2,), ())
    ]


def gradients(dtype):
    """Random gradients for each step, of changing size, as a valley with noise would give them."""
    rng = np.random.default_rng(1)
    # float32 goes on from PyTorch's numbers each time
    for step in range(STEPS if dtype == np.float64 else 20):
        yield [
            (rng.standard_normal(shape) * 10.0 ** (step % 5 - 3)).astype(dtype)
            for shape in ((3, 2), (2,), ())
        ]


def buffers(optimizer):
    """All that a step changes: {name: tensor}."""
    state = optimizer.state_dict()["state"]
    return {
        **{f"parameter {i}": p for i, p in enumerate(optimizer.param_groups[0]["params"])},
        **{f"{name} of {i}": t for i in state for name, t in state[i].items()},
    }


def one_step(pair, arrays):
    for T, optimizer in zip(ENGINES, pair):
        for p, g in zip(optimizer.param_groups[0]["params"], arrays):
            p.grad = T.tensor(g)
        optimizer.step()


def assert_same_state(ours, theirs, what, magnitude=0.0):
    ours, theirs = buffers(ours), buffers(theirs)
    assert list(ours) == list(theirs), what
    for name in ours:
        assert_close(ours[name], theirs[name], f"{what}: {name}", magnitude)


def copy_state(ours, theirs):
    """Go on from PyTorch's numbers."""
    source = buffers(theirs)
    for name, tensor in buffers(ours).items():
        tensor.detach().copy_(autograd_core.tensor(numbers(source[name])))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name, options", GRID)
def test_every_step(name, options, dtype):
    pair = [getattr(T.optim, name)(parameters(T, dtype), **options) for T in ENGINES]
    assert_same_state(*pair, "before the first step")
    for step, arrays in enumerate(gradients(dtype)):
        single = dtype == np.float32 and [*arrays, *map(numbers, buffers(pair[1]).values())]
        one_step(pair, arrays)
        assert_same_state(
            *pair, f"step {step}", max(np.abs(a).max() for a in single) if single else 0.0
        )
        if single:
            # PyTorch rounds a product and a sum at once: that would add up
            copy_state(*pair)


@pytest.mark.parametrize(
    "name, options", [("SGD", {"lr": 0.1, "momentum": 0.9}), ("Adam", {"lr": 0.05})]
)
def test_training_a_network(name, options):
    """A small network in float64: the gradients are each engine's own."""
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((16, 2)), rng.integers(0, 2, (16, 1)).astype(np.float64)
    losses = []
    for T in ENGINES:
        T.manual_seed(0)
        net = T.nn.Sequential(T.nn.Linear(2, 8), T.nn.Tanh(), T.nn.Linear(8, 1)).double()
        optimizer = getattr(T.optim, name)(net.parameters(), **options)
        losses.append([])
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = T.nn.functional.binary_cross_entropy_with_logits(net(T.tensor(x)), T.tensor(y))
            loss.backward()
            optimizer.step()
            losses[-1].append(loss.item())
    assert np.allclose(*losses, rtol=1e-10, atol=0)
    assert losses[0][-1] < losses[0][0] / 2


@on_both
def test_parameters_without_a_gradient_are_skipped(T):
    a, b, c = parameters(T, np.float64)
    a.grad = T.ones(3, 2, dtype=T.float64)
    c.grad = T.zeros((), dtype=T.float64)
    results = []
    for make in (
        lambda: T.optim.SGD([a, b, c], lr=1, momentum=0.5),
        lambda: T.optim.Adam([a, b, c], lr=1),
    ):
        optimizer = make()
        optimizer.step()
        results += [a.clone(), b.clone(), c.clone(), list(optimizer.state_dict()["state"])]
    return results


@on_both
def test_groups_have_their_own_options(T):
    a, b, c = parameters(T, np.float64)
    optimizer = T.optim.SGD(
        [{"params": [a]}, {"params": b, "lr": 5.0, "momentum": 0.1}], lr=0.5, weight_decay=0.1
    )
    optimizer.add_param_group({"params": [c], "nesterov": False})
    for p in (a, b, c):
        p.grad = T.ones_like(p)
    optimizer.step()
    optimizer.param_groups[0]["lr"] = 0.0
    optimizer.step()
    return (
        a,
        b,
        c,
        [{k: v for k, v in g.items() if k != "params"} for g in optimizer.param_groups],
        repr(optimizer),
    )


@on_both
def test_closure(T):
    (a,) = parameters(T, np.float64)[:1]
    optimizer = T.optim.SGD([a], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (a * a).sum()
        loss.backward()
        return loss

    return [optimizer.step(closure).item() for _ in range(3)], a, optimizer.step()


@on_both
def test_zero_grad(T):
    a, b, c = parameters(T, np.float64)
    optimizer = T.optim.SGD([a, b], lr=0.1)
    (a.sum() + c).backward()
    grad = a.grad
    optimizer.zero_grad(set_to_none=False)
    kept = a.grad is grad, grad.clone(), b.grad, c.grad
    optimizer.zero_grad()
    return kept, a.grad, c.grad


@on_both
def test_step_never_writes_into_grad(T):
    results = []
    for make in (
        lambda p: T.optim.SGD(p, 0.1, 0.9, weight_decay=0.3, maximize=True),
        lambda p: T.optim.SGD(p, 0.1, 0.9, weight_decay=0.3, nesterov=True),
        lambda p: T.optim.Adam(p, weight_decay=0.3, amsgrad=True, maximize=True),
    ):
        a = parameters(T, np.float64)[0]
        a.grad = T.ones_like(a)
        optimizer = make([a])
        optimizer.step()
        optimizer.step()
        results += [a.grad, a.grad._version]
    return results


@on_both
def test_step_counts_as_a_change_in_place(T):
    a = parameters(T, np.float64)[0]
    y = (a * a).sum()
    y.backward(retain_graph=True)
    T.optim.Adam([a]).step()
    return raised(y.backward), a.is_leaf, a.requires_grad


@on_both
def test_hooks_on_steps(T):
    a = parameters(T, np.float64)[0]
    optimizer, seen = T.optim.SGD([a], lr=0.1), []
    a.grad = T.ones_like(a)
    hooks = [
        getattr(optimizer, f"register_step_{when}_hook")(
            lambda o, args, kwargs, when=when: seen.append(
                (when, o is optimizer, args == (o,), kwargs, a.clone())
            )
        )
        for when in ("pre", "post")
    ]
    optimizer.step()
    for hook in hooks:
        hook.remove()
    optimizer.step()
    return seen


# ---- state_dict ----------------------------------------------------------------------------------


def as_torch(state):
    """The same nested state with PyTorch's tensors in it."""
    if isinstance(state, autograd_core.Tensor):
        return torch.tensor(numbers(state))
    if isinstance(state, dict):
        return {key: as_torch(value) for key, value in state.items()}
    return [as_torch(v) for v in state] if isinstance(state, list) else state


def as_ours(state):
    """The same nested state with autograd_core's tensors in it."""
    if isinstance(state, torch.Tensor):
        return autograd_core.tensor(state.numpy())
    if isinstance(state, dict):
        return {key: as_ours(value) for key, value in state.items()}
    return [as_ours(v) for v in state] if isinstance(state, list) else state


@pytest.mark.parametrize(
    "name, options",
    [
        ("SGD", {"lr": 0.1}),
        ("SGD", {"lr": 0.1, "momentum": 0.9}),
        ("Adam", {}),
        ("Adam", {"amsgrad": True}),
    ],
)
def test_state_goes_from_either_engine_to_the_other(name, options):
    trained = [getattr(T.optim, name)(parameters(T, np.float64), **options) for T in ENGINES]
    ones = [np.ones((3, 2)), np.ones(2), np.ones(())]
    one_step(trained, ones)
    ours, theirs = (optimizer.state_dict() for optimizer in trained)
    assert_same(ours, theirs)
    fresh = [getattr(T.optim, name)(parameters(T, np.float64), lr=7) for T in ENGINES]
    fresh[0].load_state_dict(as_ours(theirs))
    fresh[1].load_state_dict(as_torch(ours))
    one_step(fresh, ones)
    assert_same_state(*fresh, "one step after loading")


@on_both
def test_saved_and_loaded_state_share_their_tensors(T):
    a = parameters(T, np.float64)[0]
    a.grad = T.ones_like(a)
    one, two = T.optim.SGD([a], lr=0.1, momentum=0.9), T.optim.SGD([a], lr=0.5)
    one.step()
    state = one.state_dict()
    two.load_state_dict(state)
    one.step()
    return (
        state["state"][0],
        two.state_dict()["state"][0],
        two.param_groups[0]["lr"],
        two.param_groups[0]["momentum"],
    )


# ---- errors --------------------------------------------------------------------------------------


@on_both
def test_bad_options(T):
    a = parameters(T, np.float64)[0]
    wrong = [
        raised(T.optim.SGD, [a], **options)
        for options in (
            {"lr": -1},
            {"momentum": -0.1},
            {"weight_decay": -1},
            {"nesterov": True},
            {"speed": 3},
            {"nesterov": True, "momentum": 0.9, "dampening": 0.1},
        )
    ]
    wrong += [
        raised(T.optim.Adam, [a], **options)
        for options in (
            {"lr": -1},
            {"eps": -1},
            {"betas": (1.0, 0.9)},
            {"betas": (0.9, -0.1)},
            {"betas": (0, 0.9)},
            {"weight_decay": -1},
            {"momentum": 1},
        )
    ]
    return wrong, [str(e).split(":")[0] for e in wrong if isinstance(e, ValueError)]


@on_both
def test_bad_parameters(T):
    a = parameters(T, np.float64)[0]
    return [
        raised(T.optim.SGD, params, lr=0.1)
        for params in (
            a,
            [],
            [a * 2],
            ["a"],
            [np.ones(2)],
            3,
            [{"params": [a]}, {"params": [a]}],
            [{"lr": 3}],
            iter([]),
            [[a]],
        )
    ]


@on_both
def test_a_state_that_does_not_fit(T):
    a, b, _ = parameters(T, np.float64)
    state = T.optim.SGD([a, b], lr=0.1).state_dict()
    optimizer = T.optim.SGD([a], lr=0.1)
    errors = (
        raised(optimizer.load_state_dict, state),
        raised(optimizer.load_state_dict, {**state, "param_groups": state["param_groups"] * 2}),
    )
    return errors, [*map(str, errors)]


@on_both
def test_a_parameter_twice_in_one_group_warns(T):
    a = parameters(T, np.float64)[0]
    with pytest.warns(UserWarning, match="duplicate parameters"):
        T.optim.SGD([a, a], lr=0.1)


# ---- planted errors ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, planted",
    [
        ("SGD", {"lr": 0.02 * (1 + 1e-9)}),
        ("SGD", {"momentum": 0.9 + 1e-9}),
        ("Adam", {"eps": 1.01e-8}),
        ("Adam", {"betas": (0.9, 0.999 + 1e-10)}),
        ("Adam", {"weight_decay": 1e-9}),
    ],
)
def test_a_planted_difference_is_found(name, planted):
    options = {"SGD": {"lr": 0.02, "momentum": 0.9}, "Adam": {}}[name]
    pair = [
        getattr(T.optim, name)(
            parameters(T, np.float64), **{**options, **(planted if i == 0 else {})}
        )
        for i, T in enumerate(ENGINES)
    ]
    with pytest.raises(AssertionError):
        for step, arrays in enumerate(gradients(np.float64)):
            one_step(pair, arrays)
            assert_same_state(*pair, f"step {step}")

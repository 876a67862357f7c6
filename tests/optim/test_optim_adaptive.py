"""AdamW and RMSprop against PyTorch at every step; options, hooks and state of all
optimizers.
"""

import copy

import numpy as np
import pytest

import autograd_core
from tests.engines import ENGINES, assert_same, on_both, raised

from .test_optim import as_ours, as_torch, assert_same_state, gradients, grid, one_step, parameters
from .test_optim import test_every_step as every_step

GRID = [
    pytest.param(name, options, id=f"{name} {options}")
    for name, table in {
        "AdamW": [
            *grid(
                lr=[0.01], amsgrad=[False, True], weight_decay=[0.0, 0.3], maximize=[False, True]
            ),
            {"betas": (0.4, 0.9), "eps": 1e-3, "lr": 0.1},
            {},
        ],
        "RMSprop": [
            *grid(centered=[False, True], momentum=[0, 0.9], weight_decay=[0, 0.1]),
            {"alpha": 0.3, "centered": True, "eps": 1e-3, "maximize": True},
            {"alpha": 0.9, "lr": 0.1},
            {},
        ],
    }.items()
    for options in table
]
NAMES = ("SGD", "Adam", "AdamW", "RMSprop")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name, options", GRID)
def test_every_step(name, options, dtype):
    every_step(name, options, dtype)


@pytest.mark.parametrize(
    "options", [{"alpha": 0.9}, {"alpha": 0.9, "momentum": 0.5, "centered": True}]
)
def test_bent_valley(options):
    """Gradients of the point itself, so that what a step rounds away comes back in all later ones."""
    ends = []
    for T in ENGINES:
        x, y = (T.tensor(v, dtype=T.float64, requires_grad=True) for v in (-1.5, 1.0))
        optimizer = T.optim.RMSprop([x, y], lr=0.04, **options)
        for _ in range(200):
            optimizer.zero_grad()
            (0.5 * (1 - x) ** 2 + 0.6 * (y - x**2) ** 2).backward()
            optimizer.step()
        ends.append((x.item(), y.item()))
    assert np.allclose(*ends, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "name, planted",
    [
        ("RMSprop", {"alpha": 0.99 + 1e-10}),
        ("RMSprop", {"eps": 1.1e-8}),
        ("RMSprop", {"momentum": 1e-9}),
        ("AdamW", {"weight_decay": 0.01 + 1e-7}),
        ("AdamW", {"betas": (0.9 + 1e-9, 0.999)}),
    ],
)
def test_a_planted_difference_is_found(name, planted):
    pair = [
        getattr(T.optim, name)(parameters(T, np.float64), **options)
        for T, options in zip(ENGINES, (planted, {}))
    ]
    with pytest.raises(AssertionError):
        for step, arrays in enumerate(gradients(np.float64)):
            one_step(pair, arrays)
            assert_same_state(*pair, f"step {step}")


# ---- groups and state ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, options",
    [
        ("AdamW", {"amsgrad": True}),
        ("RMSprop", {"momentum": 0.5, "centered": True}),
        ("RMSprop", {}),
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
    assert_same(fresh[0].state_dict(), fresh[1].state_dict())
    one_step(fresh, ones)
    assert_same_state(*fresh, "one step after loading")


@on_both
def test_adamw_stays_adamw_with_adams_state(T):
    a = parameters(T, np.float64)[0]
    a.grad = T.ones_like(a)
    adam, adamw = T.optim.Adam([a], weight_decay=0.1), T.optim.AdamW([a])
    adam.step()
    adamw.load_state_dict(adam.state_dict())
    adamw.step()
    return a, adamw.state_dict()


@on_both
def test_groups_have_their_own_options(T):
    results = []
    for name, own in (
        ("AdamW", {"weight_decay": 0.5}),
        ("RMSprop", {"momentum": 0.9, "centered": True}),
    ):
        a, b, c = parameters(T, np.float64)
        optimizer = getattr(T.optim, name)([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=0.25)
        optimizer.add_param_group({"params": c, **own})
        for _ in range(2):
            for p in (a, b, c):
                p.grad = T.ones_like(p)
            optimizer.step()
        results += [a, b, c, optimizer.state_dict(), repr(optimizer)]
    return results


@on_both
def test_deepcopy_of_an_optimizer(T):
    a = parameters(T, np.float64)[0]
    a.grad = T.ones_like(a)
    optimizer = T.optim.Adam([a])
    optimizer.step()
    copied = copy.deepcopy(optimizer)
    mine = copied.param_groups[0]["params"][0]
    mine.grad = T.ones_like(mine)
    copied.step()
    return a, mine, copied.state_dict(), optimizer.state_dict(), mine is a


# ---- hooks, optimizers of one's own --------------------------------------------------------------


@on_both
def test_an_optimizer_of_ones_own(T):
    seen = []

    class SignSGD(T.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        @T.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        p.add_(p.grad.sign() * -group["lr"])
                        self.state[p]["seen"] = True

    a = parameters(T, np.float64)[0]
    a.grad = -T.ones_like(a)
    optimizer = SignSGD([a], lr=0.5)
    scheduler = T.optim.lr_scheduler.StepLR(optimizer, 1)
    hook = optimizer.register_step_post_hook(
        lambda o, args, kwargs: seen.append((o is optimizer, args == (o,), kwargs, a.clone()))
    )
    optimizer.step()
    hook.remove()
    scheduler.step()
    return a, optimizer.state_dict(), seen, a._version


@on_both
def test_a_pre_hook_may_change_the_arguments(T):
    optimizer = T.optim.SGD([parameters(T, np.float64)[0]])
    optimizer.register_step_pre_hook(lambda o, args, kwargs: ((o, lambda: 5.0), {}))
    return optimizer.step()


@on_both
def test_hooks_belong_to_one_optimizer(T):
    seen = []
    one, other = (T.optim.SGD([parameters(T, np.float64)[0]]) for _ in range(2))

    def note(name):
        return lambda o, args, kwargs: seen.append((name, o is one))

    handles = [
        one.register_step_pre_hook(note("pre")),
        one.register_step_post_hook(note("post")),
    ]
    copied = copy.deepcopy(one)
    for optimizer in (one, other, copied):
        optimizer.step()
    for handle in handles:
        handle.remove()
    one.step()
    return seen


# ---- options -------------------------------------------------------------------------------------


@on_both
def test_bad_options(T):
    a = parameters(T, np.float64)[0]
    wrong = [
        raised(getattr(T.optim, name), [a], **{option: -1.0})
        for name, options in {
            "AdamW": ("lr", "eps", "weight_decay"),
            "RMSprop": ("lr", "eps", "weight_decay", "momentum", "alpha"),
        }.items()
        for option in options
    ]
    return wrong, [str(e) for e in wrong]


@pytest.mark.parametrize("option", ["foreach", "fused", "capturable", "differentiable"])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_offered_is_no_argument(name, option):
    optimizer, params = getattr(autograd_core.optim, name), parameters(autograd_core, np.float64)
    with pytest.raises(TypeError, match=option):
        optimizer(params, **{option: True})


# ---- gradients and parameters at once ------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("norm_type", [2.0, 1, 3.5, float("inf"), 0.5])
def test_clip_grad_norm(norm_type, dtype):
    def clip(T, max_norm):
        params = parameters(T, dtype)
        for p, g in zip(params[:2], next(gradients(dtype))):
            p.grad = T.tensor(g * 1000)
        kept = params[0].grad
        norm = T.nn.utils.clip_grad_norm_(iter(params), max_norm, norm_type)
        return [norm, *(p.grad for p in params), kept is params[0].grad, kept._version > 0]

    for max_norm in (0.5, 1e6):
        assert_same(*(clip(T, max_norm) for T in ENGINES))


@on_both
def test_clipping_at_the_edges(T):
    utils, results = T.nn.utils, []
    p = T.tensor([1.0, -2.0], requires_grad=True)
    results += [
        utils.clip_grad_norm_([p], 1.0),
        utils.clip_grad_norm_([], 1.0),
        utils.clip_grad_norm_(p, 1),
    ]
    p.grad = T.tensor([float("inf"), 1.0])
    results += [utils.clip_grad_norm_(p, 1.0), p.grad.clone()]
    p.grad = T.tensor([float("nan"), 1.0])
    results += [utils.clip_grad_norm_(p, 1.0), p.grad.clone()]
    p.grad = T.tensor([-3.0, 0.25])
    return results, utils.clip_grad_value_([p], 0.5), p.grad


@pytest.mark.parametrize("planted", [0.5000001, 0.49])
def test_a_planted_norm_is_found(planted):
    results = []
    for T, max_norm in zip(ENGINES, (planted, 0.5)):
        p = T.tensor([3.0, 4.0], dtype=T.float64, requires_grad=True)
        p.grad = T.tensor([3.0, 4.0], dtype=T.float64)
        results.append([T.nn.utils.clip_grad_norm_(p, max_norm), p.grad])
    with pytest.raises(AssertionError):
        assert_same(*results)

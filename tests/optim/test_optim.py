"""Optimizers against PyTorch: every parameter and every state buffer, at every step; options, hooks,
state, and gradient clipping.
"""

import copy
import itertools

import numpy as np
import pytest

import autograd_core
from tests.budget import budget
from tests.engines import ENGINES, assert_close, assert_same, numbers, on_both, raised

STEPS = budget(100, 200)


def grid(**options):
    return [dict(zip(options, values)) for values in itertools.product(*options.values())]


TABLE = {
    "SGD": [
        *grid(momentum=[0, 0.9], weight_decay=[0, 0.1]),
        *grid(momentum=[0.8], dampening=[0.3, 1.0]),
        *grid(momentum=[0.9], nesterov=[True], weight_decay=[0, 0.1]),
        {"lr": 0.0},
    ],
    "Adam": [
        *grid(weight_decay=[0, 0.1]),
        *grid(lr=[0.1], betas=[(0.5, 0.9), (0.0, 0.0), (0.95, 0.999)], eps=[1e-8, 1e-3]),
    ],
    "AdamW": [*grid(weight_decay=[0.0, 0.3]), {"betas": (0.4, 0.9), "lr": 0.1}, {}],
    "RMSprop": [*grid(momentum=[0, 0.9], weight_decay=[0, 0.1]), {"alpha": 0.3, "eps": 1e-3}, {}],
}
GRID = [
    pytest.param(name, options, id=f"{name} {options}")
    for name, table in TABLE.items()
    for options in table
]


def parameters(T, dtype):
    rng = np.random.default_rng(0)
    return [
        T.tensor(rng.standard_normal(shape).astype(dtype), requires_grad=True)
        for shape in ((3, 2), (2,), ())
    ]


def gradients(dtype):
    """Random gradients for each step, of changing size, as a valley with noise would give them. The
    last parameter gets its first in the third step, the second gets none in some steps.
    """
    rng = np.random.default_rng(1)
    # float32 goes on from PyTorch's numbers each time
    for step in range(STEPS if dtype == np.float64 else 20):
        scale = 10.0 ** (step % 5 - 3)
        arrays = [(rng.standard_normal(s) * scale).astype(dtype) for s in ((3, 2), (2,), ())]
        yield [arrays[0], arrays[1] if step % 7 != 3 else None, arrays[2] if step > 1 else None]


def buffers(optimizer):
    """All that a step changes: {name: tensor}."""
    params = optimizer.param_groups[0]["params"]
    return {
        **{f"parameter {i}": p for i, p in enumerate(params)},
        **{f"gradient {i}": p.grad for i, p in enumerate(params) if p.grad is not None},
        **{f"{name} of {i}": t for i, p in enumerate(params) for name, t in state_of(optimizer, p)},
    }


def state_of(optimizer, p):
    """The (name, tensor) pairs in the state of a parameter."""
    return [pair for pair in optimizer.state.get(p, {}).items() if pair[1] is not None]


def settings_of(optimizer):
    """The options of each group."""
    return [{k: v for k, v in g.items() if k != "params"} for g in optimizer.param_groups]


def one_step(pair, arrays):
    for T, optimizer in zip(ENGINES, pair):
        for p, g in zip(optimizer.param_groups[0]["params"], arrays):
            p.grad = None if g is None else T.tensor(g)
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
        taking_part = [
            a for a in (*arrays, *map(numbers, buffers(pair[1]).values())) if a is not None
        ]
        one_step(pair, arrays)
        if dtype == np.float64:
            assert_same_state(*pair, f"step {step}")
        else:
            assert_same_state(*pair, f"step {step}", max(np.abs(a).max() for a in taking_part))
            # PyTorch rounds a product and a sum at once: that would add up
            copy_state(*pair)


@on_both
def test_groups_have_their_own_options(T):
    results = []
    for name, own in (
        ("SGD", {"momentum": 0.1}),
        ("AdamW", {"weight_decay": 0.5}),
        ("RMSprop", {"momentum": 0.9}),
    ):
        a, b, c = parameters(T, np.float64)
        optimizer = getattr(T.optim, name)([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=0.25)
        optimizer.add_param_group({"params": c, **own})
        for _ in range(2):
            for p in (a, b, c):
                p.grad = T.ones_like(p)
            optimizer.step()
        results += [a, b, c, settings_of(optimizer), repr(optimizer)]
    return results


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


# ---- copies, hooks, optimizers of one's own --------------------------------------------------------


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
    return a, mine, state_of(copied, mine), state_of(optimizer, a), mine is a


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
    return a, state_of(optimizer, a), seen, a._version


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

    handles = [one.register_step_pre_hook(note("pre")), one.register_step_post_hook(note("post"))]
    copied = copy.deepcopy(one)
    for optimizer in (one, other, copied):
        optimizer.step()
    for handle in handles:
        handle.remove()
    one.step()
    return seen


# ---- errors --------------------------------------------------------------------------------------


@on_both
def test_bad_options(T):
    a = parameters(T, np.float64)[0]
    return [
        raised(getattr(T.optim, name), [a], **options)
        for name, options in (
            ("SGD", {"lr": -1}),
            ("SGD", {"momentum": -0.1}),
            ("SGD", {"weight_decay": -1}),
            ("SGD", {"nesterov": True}),
            ("Adam", {"eps": -1}),
            ("Adam", {"betas": (1.0, 0.9)}),
            ("RMSprop", {"alpha": -1}),
        )
    ]


@on_both
def test_bad_parameters(T):
    a = parameters(T, np.float64)[0]
    bad = (a, [], [a * 2], ["a"], [np.ones(2)], [{"params": [a]}, {"params": [a]}], iter([]))
    return [raised(T.optim.SGD, params, lr=0.1) for params in bad]


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
    utils, p = T.nn.utils, T.tensor([1.0, -2.0], requires_grad=True)
    results = [utils.clip_grad_norm_(given, 1.0) for given in ([p], [], p)]
    for edge in ("inf", "nan"):
        p.grad = T.tensor([float(edge), 1.0])
        results += [utils.clip_grad_norm_(p, 1.0), p.grad.clone()]
    p.grad = T.tensor([-3.0, 0.25])
    return results, utils.clip_grad_value_([p], 0.5), p.grad

"""LBFGS against PyTorch: every number of every step, how often the loss was asked for, and what is
remembered.
"""

import numpy as np
import pytest

from tests.engines import ENGINES, assert_same, raised

OPTIONS = [
    dict(lr=0.1, steps=3),
    dict(line_search_fn="strong_wolfe"),
    dict(max_iter=3, max_eval=2, steps=4),
    dict(lr=0.02, history_size=2, steps=4),
    dict(line_search_fn="strong_wolfe", history_size=3, max_iter=4, steps=3),
    dict(tolerance_change=1e-2),
    dict(tolerance_grad=10.0),
]


def rosenbrock(T, x, y):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2 + (y**2).sum()


def bowl(T, x, y):
    return ((x * T.tensor([1.0, 30.0], dtype=x.dtype) - 1) ** 2).sum() + y.exp().sum()


def course(T, loss_of, dtype="float64", steps=1, **options):
    parameters = [
        T.tensor(values, dtype=getattr(T, dtype), requires_grad=True)
        for values in ([-1.2, 1.0], [[0.5]])
    ]
    optimizer = T.optim.LBFGS(parameters, **options)

    def closure():
        optimizer.zero_grad()
        loss = loss_of(T, *parameters)
        loss.backward()
        return loss

    seen = []
    for _ in range(steps):
        seen.append([optimizer.step(closure).detach(), *(p.detach().clone() for p in parameters)])
    state = optimizer.state[parameters[0]]
    return (
        seen,
        {name: state[name] for name in ("func_evals", "n_iter")},
        sorted(state),
        repr(optimizer),
    )


@pytest.mark.parametrize("loss_of", [rosenbrock, bowl])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_lbfgs(loss_of, options):
    ours, theirs = (course(T, loss_of, **options) for T in ENGINES)
    assert_same(ours, theirs)


def test_float32_finds_the_same_place():
    ours, theirs = (
        course(T, bowl, "float32", line_search_fn="strong_wolfe")[0][-1] for T in ENGINES
    )
    for mine, other in zip(ours, theirs):
        np.testing.assert_allclose(mine.numpy(), other.numpy(), rtol=1e-4, atol=1e-6)


def test_an_unknown_search_is_refused():
    assert_same(*(raised(course, T, bowl, line_search_fn="weak") for T in ENGINES))


def test_planted_direction_is_found(monkeypatch):
    from autograd_core.optim import LBFGS

    right = LBFGS._direction
    monkeypatch.setattr(
        LBFGS, "_direction", staticmethod(lambda *given: right(*given) * (1 + 1e-9))
    )
    with pytest.raises(AssertionError):
        test_lbfgs(bowl, OPTIONS[0])

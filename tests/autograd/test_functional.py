"""Jacobians, Hessians and their products against PyTorch: values, nesting, graphs, errors."""

import numpy as np
import pytest

from tests.engines import ENGINES, assert_same, normal, on_both, raised

FUNCTIONS = {
    "elementwise": lambda T, a: a**3,
    "to a number": lambda T, a: (a * a).sum().exp(),
    "to a longer vector": lambda T, a: T.cat([a, a * a.sum()]),
    "to a matrix": lambda T, a: a.view(3, 1) * a.sin(),
    "a constant": lambda T, a: T.ones(2, dtype=T.float64),
}
SCALAR_FUNCTIONS = {
    "cubes": lambda T, a: (a**3).sum(),
    "a single element": lambda T, a: (a[:1] * a[1:2]).exp(),
    "linear": lambda T, a: a.sum(),
}


def input_of(T):
    return T.tensor(normal(3)(np.random.default_rng(5)))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jacobian(name):
    results = []
    for T in ENGINES:
        a = input_of(T)
        whole = T.autograd.functional.jacobian(lambda a, T=T: FUNCTIONS[name](T, a), a)
        results.append((whole, a.requires_grad, a.grad))
    assert_same(*results)


@pytest.mark.parametrize("name", SCALAR_FUNCTIONS)
def test_hessian(name):
    results = []
    for T in ENGINES:
        F, a = T.autograd.functional, input_of(T)

        def f(a, T=T):
            return SCALAR_FUNCTIONS[name](T, a)

        results.append((F.hessian(f, a), F.hvp(f, a, a + 1)))
    assert_same(*results)


@on_both
def test_create_graph(T):
    F, a = T.autograd.functional, input_of(T).requires_grad_()

    def f(a):
        return (a**4).sum() * a

    results = [
        F.jacobian(f, a, create_graph=True),
        F.hessian(lambda a: f(a).sum(), a, create_graph=True),
        F.hvp(lambda a: f(a).sum(), a, a.detach(), create_graph=True)[1],
    ]
    return (
        [r.detach() for r in results],
        [r.requires_grad for r in results],
        [T.autograd.grad(r.sum(), a, retain_graph=True)[0] for r in results],
        a.grad,
    )


@on_both
def test_under_no_grad(T):
    with T.no_grad():
        return T.autograd.functional.jacobian(lambda a: a * a, input_of(T)), T.is_grad_enabled()


@on_both
def test_only_one_number_has_a_hessian(T):
    F, a = T.autograd.functional, input_of(T)
    return raised(F.hessian, lambda a: a, a), raised(F.hvp, lambda a: a, a, a)

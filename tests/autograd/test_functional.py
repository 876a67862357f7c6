"""Jacobians, Hessians and their products against PyTorch: values, nesting, graphs, errors."""

import numpy as np
import pytest

import autograd_core
from tests.engines import ENGINES, assert_same, normal, on_both, raised

VECTOR_FUNCTIONS = {
    "elementwise": lambda T, a: a**3,
    "to a number": lambda T, a: (a * a).sum().exp(),
    "to a longer vector": lambda T, a: T.cat([a, a * a.sum()]),
    "to a matrix": lambda T, a: a.view(3, 1) * a.sin(),
    "two results": lambda T, a: (a.sum(), a * 2),
    "a constant": lambda T, a: T.ones(2, dtype=T.float64),
    "a constant beside": lambda T, a: (a * a, T.ones(2, dtype=T.float64)),
}
PAIR_FUNCTIONS = {
    "one result": lambda T, a, b: a.sum() * b,
    "two results": lambda T, a, b: (a.sin() * b.sum(), b**2),
    "one input alone": lambda T, a, b: a**2,
}
SCALAR_FUNCTIONS = {
    "cubes": (lambda T, a: (a**3).sum(), 1),
    "a single element": (lambda T, a: (a[:1] * a[1:2]).exp(), 1),
    "linear": (lambda T, a: a.sum(), 1),
    "of a pair": (lambda T, a, b: (a**2).sum() * (b**3).sum(), 2),
    "of one of a pair": (lambda T, a, b: (b**3).sum(), 2),
}


def inputs(T, count):
    rng = np.random.default_rng(5)
    made = [T.tensor(normal(*shape)(rng)) for shape in ((3,), (2, 2))[:count]]
    return made[0] if count == 1 else tuple(made)


def same(run):
    """`run(T)` on both engines; tuples of results compared to the bottom."""
    assert_same(*(run(T) for T in ENGINES))


@pytest.mark.parametrize("name", VECTOR_FUNCTIONS)
def test_of_one_input(name):
    function = VECTOR_FUNCTIONS[name]

    def run(T):
        F, a = T.autograd.functional, inputs(T, 1)

        def f(a):
            return function(T, a)

        out = f(a)
        ones = (
            tuple(T.ones_like(o) * (i + 2) for i, o in enumerate(out))
            if isinstance(out, tuple)
            else T.ones_like(out) * 2
        )
        return (
            F.jacobian(f, a),
            F.vjp(f, a, ones),
            F.jvp(f, a, T.arange(3).double()),
            a.requires_grad,
            a.grad,
        )

    same(run)


@pytest.mark.parametrize("name", PAIR_FUNCTIONS)
def test_of_two_inputs(name):
    def run(T):
        F, pair = T.autograd.functional, inputs(T, 2)

        def f(a, b):
            return PAIR_FUNCTIONS[name](T, a, b)

        return F.jacobian(f, pair), F.jvp(f, pair, tuple(x * 2 for x in pair))

    same(run)


@pytest.mark.parametrize("name", SCALAR_FUNCTIONS)
def test_hessians(name):
    function, count = SCALAR_FUNCTIONS[name]

    def run(T):
        F, xs = T.autograd.functional, inputs(T, count)

        def f(*xs):
            return function(T, *xs)

        v = tuple(x + 1 for x in xs) if count > 1 else xs + 1
        return F.hessian(f, xs), F.hvp(f, xs, v), F.vjp(f, xs)

    same(run)


@on_both
def test_products_are_products(T):
    """vᵀJ, Jv and Hv are the products with the whole matrices."""
    F, a = T.autograd.functional, inputs(T, 1)

    def f(a):
        return VECTOR_FUNCTIONS["to a longer vector"](T, a)

    v, w = T.arange(3).double(), T.arange(6).double()
    whole, square = F.jacobian(f, a), F.hessian(lambda a: (f(a) ** 2).sum(), a)
    agreed = [
        T.allclose(F.jvp(f, a, v)[1], whole @ v),
        T.allclose(F.vjp(f, a, w)[1], w @ whole),
        T.allclose(F.hvp(lambda a: (f(a) ** 2).sum(), a, v)[1], square @ v),
        T.allclose(square, square.t()),
    ]
    return agreed, whole, square


@on_both
def test_create_graph(T):
    F, a = T.autograd.functional, inputs(T, 1).requires_grad_()

    def f(a):
        return (a**4).sum() * a

    results = [
        F.jacobian(f, a, create_graph=True),
        F.hessian(lambda a: f(a).sum(), a, create_graph=True),
        F.vjp(f, a, T.ones(3).double(), create_graph=True)[1],
        F.jvp(f, a, a.detach(), create_graph=True)[1],
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
        return T.autograd.functional.jacobian(lambda a: a * a, inputs(T, 1)), T.is_grad_enabled()


@on_both
def test_wrong_use(T):
    F, a = T.autograd.functional, inputs(T, 1)
    errors = [
        raised(*call)
        for call in (
            (F.jacobian, lambda a: a, 3.0),
            (F.jacobian, lambda a: 3.0, a),
            (F.jacobian, lambda a: a, T.arange(3)),
            (F.hessian, lambda a: a, a),
            (F.hessian, lambda a: (a.sum(), a), a),
            (F.vjp, lambda a: a, a),
            (F.vjp, lambda a: a, a, T.ones(2)),
            (F.vjp, lambda a: (a, a), a, (a,)),
            (F.vjp, lambda a: a, a, (a, a)),
            (F.jvp, lambda a: a, a),
            (F.jvp, lambda a: a, a, T.ones(2)),
            (F.hvp, lambda a: a, a, a),
            (F.hvp, lambda a: a.sum(), a),
        )
    ]
    return errors, all(errors)


@pytest.mark.parametrize("option", ["strict", "vectorize", "strategy"])
def test_what_is_not_supported_is_refused(option):
    with pytest.raises(TypeError, match=option):
        autograd_core.autograd.functional.jacobian(
            lambda a: a, inputs(autograd_core, 1), **{option: True}
        )


def test_a_planted_error_is_found():
    """A function that differs by 1e-9 on one side."""

    def run(T, factor):
        return T.autograd.functional.jacobian(lambda a: a * factor, inputs(T, 1))

    with pytest.raises(AssertionError):
        assert_same(*(run(T, factor) for T, factor in zip(ENGINES, (1 + 1e-9, 1.0))))

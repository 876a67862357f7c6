"""gradcheck: what is right passes, each planted error is found and named,
PyTorch's verdict is ours.
"""

import numpy as np
import pytest
import torch

import autograd_core as T
from autograd_core.autograd.gradcheck import GradcheckError
from tests.engines import ENGINES, on_both, raised

from .test_function import cube, function, leaves

gradcheck = T.autograd.gradcheck


def saving(forward, rule):
    """A Function on any engine: `forward(x)`, and `rule(g, x)` for its gradient."""

    def remember(ctx, x):
        ctx.save_for_backward(x)
        return forward(x)

    return lambda T: function(T, remember, lambda ctx, g: rule(g, *ctx.saved_tensors))


RIGHT = {
    "a cube": cube,
    "a matrix product": lambda T: lambda x: x @ x,
    "two results": lambda T: lambda x: (x.exp().sum(), x * 2),
    "an integer beside": lambda T: lambda x: (x * 2, (x > 0).long()),
    "a constant beside": lambda T: lambda x: (x * 2, T.ones(2, dtype=T.float64)),
    "a number": lambda T: lambda x: x.sin().mean(),
    "softmax": lambda T: lambda x: T.softmax(x, 1),
}
WRONG = {
    "by a thousandth": (saving(lambda x: x**3, lambda g, x: g * 3.006 * x**2), "Jacobian mismatch"),
    "a swapped sign": (saving(lambda x: -x, lambda g, x: g), "Jacobian mismatch"),
    "at one place": (
        saving(lambda x: x * x, lambda g, x: g * 2 * x.clamp(max=1.0)),
        "Jacobian mismatch",
    ),
    "a transposed gradient": (
        saving(lambda x: x * x, lambda g, x: (g * 2 * x).t()),
        "Jacobian mismatch",
    ),
    "a constant": (lambda T: lambda x: x.detach() * 2 + x * 0, "Jacobian mismatch"),
    "no gradient at all": (lambda T: lambda x: x.detach() * 2, "Jacobian mismatch"),
}


def square_input(T):
    return T.tensor([[0.5, -1.5], [1.25, 2.0]], dtype=T.float64, requires_grad=True)


@pytest.mark.parametrize("name", RIGHT)
def test_right(name):
    for engine in ENGINES:
        x = square_input(engine)
        assert engine.autograd.gradcheck(RIGHT[name](engine), (x,))
        assert x.grad is None


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name):
    make, phrase = WRONG[name]
    for engine in ENGINES:
        x = square_input(engine)
        before = x.detach().clone()
        assert not engine.autograd.gradcheck(make(engine), (x,), raise_exception=False)
        assert bool((x == before).all())
    with pytest.raises(GradcheckError, match=phrase):
        gradcheck(make(T), square_input(T))


def test_the_message_names_everything():
    def forward(ctx, k, a, b):
        return a * 1, a * b

    def rule(ctx, g, h):
        b = T.tensor([1.0, 2.0, 5.0 if wrong else 3.0], dtype=T.float64)
        return None, g + h * b, h * T.ones(3, dtype=T.float64)

    a, b = leaves(T, [1.0, 1.0, 1.0], [1.0, 2.0, 3.0])
    wrong = False
    assert gradcheck(function(T, forward, rule), (2, a, b))
    wrong = True
    with pytest.raises(GradcheckError) as caught:
        gradcheck(function(T, forward, rule), (2, a, b))
    text, _, numerical = str(caught.value).rpartition(" ")
    assert text == (
        "Jacobian mismatch for output 1 with respect to input 1, at output coordinate (2,) and input coordinate "
        "(2,): analytical 5.0, numerical"
    )
    assert abs(float(numerical) - 3) < 1e-8


@pytest.mark.parametrize("factor", [lambda g: g * g, lambda g: g.abs(), lambda g: g.sign()])
def test_what_passes_in_pytorch(factor):
    """PyTorch sends back one 1 at a time, so it cannot tell g from g²."""
    make = saving(lambda x: x**3, lambda g, x: factor(g) * 3 * x**2)
    assert torch.autograd.gradcheck(make(torch), (square_input(torch),))
    with pytest.raises(GradcheckError, match="not linear"):
        gradcheck(make(T), (square_input(T),))


def test_a_rule_that_changes_its_mind():
    for engine in ENGINES:
        noise = iter(np.linspace(0, 1e-6, 1000))
        make = saving(lambda x: x * 2, lambda g, x: g * (2 + float(next(noise))))
        assert not engine.autograd.gradcheck(
            make(engine), (square_input(engine),), raise_exception=False
        )
    with pytest.raises(GradcheckError, match="not reentrant|not linear"):
        gradcheck(make(T), (square_input(T),))


def test_gradients_below_atol_are_not_looked_at():
    """On either engine: the module says so."""
    make = saving(lambda x: x * 1e-6, lambda g, x: g * -1e-6)
    for engine in ENGINES:
        assert engine.autograd.gradcheck(make(engine), (square_input(engine),))
        assert not engine.autograd.gradcheck(
            make(engine), (square_input(engine),), atol=1e-9, raise_exception=False
        )


@on_both
def test_wrong_use(T):
    check, x = T.autograd.gradcheck, square_input(T)
    return raised(check, lambda x: x, (x.detach(),))


def test_inputs_are_put_back_when_the_function_fails():
    x, calls = square_input(T), iter(range(3))

    def f(x):
        return x * (1 / (2 - next(calls)))

    before = x.tolist()
    assert isinstance(raised(gradcheck, f, (x,)), ZeroDivisionError) and x.tolist() == before


def test_single_precision_warns():
    x = T.tensor([1.0, 2.0], requires_grad=True)
    with pytest.warns(
        UserWarning, match="Input #0 requires gradient and is not a double precision"
    ):
        assert not gradcheck(lambda x: x**3, (x,), raise_exception=False)
    with pytest.warns(UserWarning):
        assert gradcheck(lambda x: x**3, (x,), eps=1e-2, atol=1e-2, rtol=1e-2)

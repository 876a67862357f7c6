"""Wrong use: both engines raise the same type of exception, with the same key phrase; nothing is
silently different.
"""

import copy
import inspect
import pickle
import sys

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.core.operation import REGISTRY
from tests.engines import ENGINES, FUNCTIONS, raised

from .error_cases import TABLE, UNSUPPORTED


def namespace(T):
    a = T.tensor([0.5, -1.0, 2.0])
    p, q = (T.tensor(v, requires_grad=True) for v in ([1.0, 2.0, 3.0], [1.0]))
    twice = (p * p).sum().exp()
    twice.backward()
    h = p + 1
    stale = (h * h).sum()
    h.add_(1)
    p.grad = None
    return {
        "T": T,
        "F": T.nn.functional,
        "nn": T.nn,
        "optim": T.optim,
        "a": a,
        "p": p,
        "q": q,
        "copy": copy,
        "pickle": pickle,
        "twice": twice,
        "stale": stale,
    }


def error_of(T, expression):
    """The exception of an expression, and its message; (None, the result) if there is none."""
    names = namespace(T)
    try:
        result = eval(expression, names)
    except Exception as error:  # whatever it is, it is compared
        return type(error), str(error)
    finally:
        T.set_default_dtype(T.float32)
    return None, repr(result)


@pytest.mark.parametrize("expression", TABLE)
def test_both_engines_raise_the_same(expression):
    (ours, mine), (theirs, other) = (error_of(T, expression) for T in ENGINES)
    assert theirs is not None, f"PyTorch raises nothing: {other}"
    assert ours is not None, f"autograd_core raises nothing: {mine}"
    assert issubclass(ours, theirs), f"{ours.__name__}: {mine}\n{theirs.__name__}: {other}"
    assert TABLE[expression] in other, "the phrase is not PyTorch's"
    assert TABLE[expression] in mine
    assert TABLE[expression], "an empty phrase stands in every message"


@pytest.mark.parametrize("expression", UNSUPPORTED)
def test_what_is_not_supported_says_so(expression):
    kind, phrase = UNSUPPORTED[expression]
    with pytest.raises(kind) as caught:
        eval(expression, namespace(autograd_core))
    assert phrase in str(caught.value)


WRONG = ["x", None, [1.0], {}, object(), 1.5, -1, np.ones(2)]
CLEAR = (TypeError, ValueError, RuntimeError, IndexError, NotImplementedError)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_wrong_first_argument_is_refused_by_every_function(name):
    """Called with something else in the tensor's place: an error of a plain type where PyTorch has
    an error, else none.
    """
    others = [
        p
        for p in list(inspect.signature(FUNCTIONS[name]).parameters.values())[1:]
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    for wrong in WRONG:
        ours, theirs = (
            raised(function, wrong, *[T.ones(2)] * len(others))
            for T, function in zip(
                ENGINES, (FUNCTIONS[name], getattr(torch, name, getattr(torch.Tensor, name, None)))
            )
        )
        assert (ours is None) == (theirs is None), (
            f"{name}({wrong!r}): {ours!r} here, {theirs!r} in PyTorch"
        )
        assert ours is None or type(ours) in CLEAR and str(ours), f"{name}({wrong!r}): {ours!r}"


OF_TWO = [
    name
    for name, op in REGISTRY.items()
    if op.slots == (0, 1) and op.returns_one and len(op.parameters) == 2 + len(op.defaults)
]


@pytest.mark.parametrize("name", OF_TWO)
def test_operands_may_be_named(name):
    """Called with both in their places, with one named, with both named: the same. One missing: an
    error that names it.
    """
    op = REGISTRY[name]
    function, (first, second, *_) = (
        getattr(sys.modules[op.forward.__module__], op.__name__),
        op.parameters,
    )
    x, y = (autograd_core.ones(2, 2) for _ in range(2))
    calls = [
        lambda: function(x, y),
        lambda: function(x, **{second: y}),
        lambda: function(**{second: y, first: x}),
    ]
    results = []
    for call in calls:
        try:
            results.append(call().tolist())
        except RuntimeError as error:
            results.append(str(error))
    assert results[0] == results[1] == results[2]
    with pytest.raises(TypeError, match=f"missing 1 required positional argument: '{second}'"):
        function(x)
    with pytest.raises(TypeError, match=f"missing 1 required positional argument: '{first}'"):
        function()


def test_a_failed_call_changes_nothing():
    """After an error the tensors are as before, and recording is still on."""
    names = namespace(autograd_core)
    a, p = names["a"].tolist(), names["p"].tolist()
    for expression in [*TABLE, *UNSUPPORTED]:
        if "set_default" not in expression:
            with pytest.raises(Exception):
                eval(expression, names)
    assert names["a"].tolist() == a and names["p"].tolist() == p
    assert names["p"].grad is None and autograd_core.is_grad_enabled()

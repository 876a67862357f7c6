"""Wrong use: both engines raise the same type of exception, with the same key phrase; nothing is silently different."""

import copy
import inspect
import pickle

import numpy as np
import pytest
import torch

import autograd_core


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
    return {"T": T, "F": T.nn.functional, "nn": T.nn, "optim": T.optim, "a": a, "p": p, "q": q, "copy": copy,
            "pickle": pickle, "twice": twice, "stale": stale}


def error_of(T, expression):
    """The exception of an expression, and its message; (None, the result) if there is none."""
    names = namespace(T)
    try:
        result = eval(expression, names)
    except Exception as error:          # whatever it is, it is compared
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
    assert mine


@pytest.mark.parametrize("expression", UNSUPPORTED)
def test_what_is_not_supported_says_so(expression):
    kind, phrase = UNSUPPORTED[expression]
    with pytest.raises(kind) as caught:
        eval(expression, namespace(autograd_core))
    assert phrase in str(caught.value)


CLEAR = (TypeError, ValueError, RuntimeError, IndexError, NotImplementedError)
WRONG = ["x", None, [1.0], {}, object(), 1.5, -1, np.ones(2)]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("wrong", WRONG, ids=lambda w: type(w).__name__)
def test_a_wrong_first_argument_is_refused_by_every_function(name, wrong):
    """Called with something else in the tensor's place: an error of a plain type, wherever PyTorch has an error."""
    others = [p for p in list(inspect.signature(FUNCTIONS[name]).parameters.values())[1:]
              if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    ours, theirs = (raised(function, wrong, *[T.ones(2)] * len(others)) for T, function in zip(
        ENGINES, (FUNCTIONS[name], getattr(torch, name, getattr(torch.Tensor, name, None)))))
    assert type(ours) in CLEAR and str(ours) or ours is None is theirs


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
